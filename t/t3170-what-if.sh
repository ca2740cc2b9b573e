#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report --what-if: the times that would follow

The first tests describe records of the kernel (t3130/kernel.perl), with times in
microseconds. The last one records a real command.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_skip_unless JQ

# then_is <EXPECT: each line is a change, and the time of the recording r that
# would follow, in microseconds: at worst, and at best.
then_is () {
	cat >expect &&
	while read -r change times
	do
		trace2 report --format=json --what-if="$change" r || return 1
	done <expect >json &&
	jq -r '.what_if[0] |
		(.what | split(", ") | join(",")) +
		" \(.then_ns / 1000) \(.then_at_least_ns / 1000)"' json >actual &&
	test_cmp expect actual
}

# The top process waits for two others: the writer computes, and wakes the
# reader, which wakes the top.
chain () {
	made r <<-\EOF
	top top
	5000 0 fork 11 11 10 10
	6000 0 fork 12 12 10 10
	7000 0 sleep 10 10 12 reader schedule,anon_pipe_read
	8000 1 run 11 11 writer
	10000 0 run 12 12 reader
	12000 0 sleep 12 12 0 swapper schedule,anon_pipe_read
	52000 1 waking 11 11 12
	53000 0 in 12 12
	54000 1 exit 11 11
	80000 0 waking 12 12 10
	81000 1 in 10 10
	82000 0 exit 12 12
	90000 1 exit 10 10
	EOF
}

test_expect_success '--what-if with a factor of 1x changes nothing' '
	chain &&
	then_is <<-\EOF &&
	*=1x 90000 90000
	EOF
	trace2 report --format=json r >>json &&
	jq -s -e "map(.critical_path) | .[0] == .[1] and (.[0] | length > 0)" json
'

test_expect_success '--what-if: a wait of unknown cause ends at the same time as before, or earlier' '
	made r <<-\EOF &&
	top one
	20000 0 out 10 10
	50000 0 in 10 10
	60000 0 exit 10 10
	EOF
	then_is <<-\EOF
	one=2x 55000 30000
	EOF
'

test_expect_success '--what-if: a process that waits for a faster thread continues earlier' '
	chain &&
	# The writer works 44 ms until it wakes, the reader 27 ms from the wake-up
	# to the wake-up.
	then_is <<-\EOF
	writer=2x 68000 68000
	wri*=50% 68000 68000
	reader=2x 76500 76500
	writer=0.5x 134000 134000
	EOF
'

test_expect_success '--what-if combines several changes, and shows the new path' '
	trace2 report --what-if=writer=4x --what-if reader=2x r >out &&
	grep "^writer=4x, reader=2x: 90.000 ms would be 43.500 ms (51.7% less)$" out &&
	grep "CRITICAL PATH" out &&
	grep "^ *11.000 .*run .*\[writer\]" out &&
	trace2 report --what-if=writer=4x,reader=2x r >actual &&
	test_cmp out actual &&
	# A comma is also a part of a name.
	test_expect_code 2 trace2 report --what-if="writer=4x,read?r,reader=2x" r 2>err &&
	test_grep "what-if=.read?r,reader=2x. changes nothing" err
'

test_expect_success '--what-if: the gain ends where another chain becomes the longest' '
	made r <<-\EOF &&
	top top
	2000 0 fork 11 11 10 10
	3000 0 fork 12 12 10 10
	4000 0 sleep 10 10 12 b schedule,do_wait
	4000 1 run 11 11 a
	4000 0 run 12 12 b
	44000 0 exit 12 12
	64000 1 exit 11 11
	65000 0 in 10 10
	71000 0 exit 10 10
	EOF
	# b ends at 44 ms: the top may have to wait for it, or not.
	then_is <<-\EOF &&
	a=0 50000 11000
	EOF
	trace2 report --what-if --format=json r >json &&
	jq -e "[.what_if[] | select(.what == \"a\")][0] |
		.gain_ns == 21000000 and .on_path_ns == 60000000" json
'

# a is preempted, and runs less long; b runs until 44 ms.
test_expect_success '--what-if: a wait for children ends at best with the first, at worst the last' '
	made r <<-\EOF &&
	top top
	2000 0 fork 11 11 10 10
	3000 0 fork 12 12 10 10
	4000 0 sleep 10 10 12 b schedule,do_wait
	4000 1 run 11 11 a
	4000 0 run 12 12 b
	24000 1 out 11 11 preempted
	44000 1 in 11 11
	44000 0 exit 12 12
	64000 1 exit 11 11
	65000 0 in 10 10
	71000 0 exit 10 10
	EOF
	then_is <<-\EOF
	a=0 50000 11000.003
	EOF
'

# a is a process below another one, and wakes the top by a pipe; b has ended.
test_expect_success '--what-if: a wait that a pipe ended is not taken for a wait for children' '
	made r <<-\EOF &&
	top top
	2000 0 fork 13 13 10 10
	2000 1 in 13 13
	2100 1 fork 11 11 13 13
	2200 1 exit 13 13
	3000 0 fork 12 12 10 10
	4000 0 sleep 10 10 12 b schedule,anon_pipe_read
	4000 1 run 11 11 a
	4000 0 run 12 12 b
	44000 0 exit 12 12
	64000 1 waking 11 11 10
	65000 0 in 10 10
	66000 1 exit 11 11
	71000 0 exit 10 10
	EOF
	then_is <<-\EOF
	a=0 11000.001 11000
	EOF
'

test_expect_success '--what-if of a program or a cause changes waits that no other thread ended' '
	made r <<-\EOF &&
	top top
	10000 0 sleep 10 10 0 swapper schedule,do_nanosleep
	60000 0 in 10 10
	70000 0 sleep 10 10 0 swapper schedule,io_schedule
	90000 0 in 10 10
	100000 0 exit 10 10
	EOF
	then_is <<-\EOF
	wait:disk=50% 90000 90000
	wait:sleep=5x 60000 60000
	wait=0 30000.002 30000
	to*=2x 50000 50000
	EOF
'

test_expect_success '--what-if: a wait ended from outside the recording has a best and a worst case' '
	made r <<-\EOF &&
	top top
	41000 0 sleep 10 10 0 swapper schedule,sk_wait_data
	60000 0 in 10 10
	100000 0 exit 10 10
	EOF
	# At 60 ms as before, or after half the time.
	# It is the wait that changes.
	then_is <<-\EOF &&
	top=2x 80000 50000
	wait:socket=0 81000.001 81000
	EOF
	# Preempted for 10 ms before, which is shorter at best, too.
	made r <<-\EOF &&
	top top
	20000 0 out 10 10 preempted
	30000 0 in 10 10
	41000 0 sleep 10 10 0 swapper schedule,sk_wait_data
	60000 0 in 10 10
	100000 0 exit 10 10
	EOF
	then_is <<-\EOF
	top=2x 80000 50000
	EOF
'

test_expect_success '--what-if of a program shortens brief waits for an answer, a page or a disk' '
	for wait in "sk_wait_data 41000" "io_schedule 60000" \
		"folio_wait_bit_common,filemap_fault,handle_mm_fault 60000"
	do
		made r <<-EOF &&
		top top
		40100 0 sleep 10 10 0 swapper schedule,${wait% *}
		${wait#* } 0 in 10 10
		100000 0 exit 10 10
		EOF
		then_is <<-\EOF || return 1
		top=2x 50000 50000
		EOF
	done
'

# xargs -P2: a has a place for 60 ms, b, c and d the other one.
test_expect_success '--what-if: a job that ends earlier lets the next job begin earlier, at best' '
	made r <<-\EOF &&
	top top
	1000 0 fork 11 11 10 10
	1000 0 fork 12 12 10 10
	1000 0 sleep 10 10 0 swapper schedule,do_wait
	1000 0 run 11 11 a
	1000 1 run 12 12 b
	20000 1 exit 12 12
	20000 1 in 10 10
	21000 1 fork 13 13 10 10
	21000 1 sleep 10 10 0 swapper schedule,do_wait
	21000 1 run 13 13 c
	40000 1 exit 13 13
	40000 1 in 10 10
	41000 1 fork 14 14 10 10
	41000 1 sleep 10 10 0 swapper schedule,do_wait
	41000 1 run 14 14 d
	60000 0 exit 11 11
	61000 1 exit 14 14
	61000 1 in 10 10
	62000 1 exit 10 10
	EOF
	trace2 report --format=json --what-if=a=0 r >json &&
	jq -e ".what_if[0] | .then_ns >= 61000000 and
		(.then_at_least_ns > 20000000 and .then_at_least_ns <= 42000000)" json
'

# The top process looks each 20 ms whether the kid has made a file.
polls () {
	made r <<-\EOF
	top top
	1000 0 fork 11 11 10 10
	1000 1 run 11 11 kid
	2000 0 sleep 10 10 0 swapper schedule,do_nanosleep
	22000 0 in 10 10
	23000 0 sleep 10 10 0 swapper schedule,do_nanosleep
	43000 0 in 10 10
	44000 0 sleep 10 10 0 swapper schedule,do_nanosleep
	54000 1 exit 11 11
	64000 0 in 10 10
	70000 0 exit 10 10
	EOF
}

test_expect_success '--what-if: at best, a loop that polled for a process ends earlier with it' '
	polls &&
	then_is <<-\EOF &&
	kid=2x 70000 33500
	top=0 62000.007 0
	EOF
	trace2 report --what-if=kid=2x r >out &&
	test_grep "^(at best: a loop that slept and looked may have waited for kid)$" out
'

# 12 waits for the lock of 11 from 20 to 40 ms.
locks () {
	made r <<-\EOF
	top top
	1000 0 fork 11 11 10 10
	1000 0 fork 12 12 10 10
	1000 0 sleep 10 10 0 swapper schedule,do_wait
	1000 0 run 11 11 holder
	1000 1 run 12 12 late
	20000 1 sleep 12 12 0 swapper schedule,locks_lock_inode_wait
	40000 0 waking 11 11 12
	41000 1 in 12 12
	42000 0 exit 11 11
	60000 1 exit 12 12
	60000 1 in 10 10
	61000 1 exit 10 10
	EOF
}

test_expect_success '--what-if: the least gain is unknown if a lock may be got in another order' '
	locks &&
	for change in late=2x holder=2x
	do
		trace2 report --format=json --what-if="$change" r || return 1
	done >json &&
	test_prints jq -c ".what_if[0] | .then_ns == null, .then_at_least_ns < 61000000" json <<-\EOF &&
	true
	true
	false
	true
	EOF
	trace2 report --what-if=late=2x r >out &&
	test_grep "^late=2x: 61.000 ms would be unknown, or .* at best$" out &&
	test_grep "^(at least: unknown, because late may now get a lock before the thread" out
'

test_expect_success '--what-if of a faster program shortens the wait of others for its CPU, at best' '
	made r <<-\EOF &&
	top top
	5000 1 fork 11 11 10 10
	6000 1 run 11 11 busy
	8000 1 out 11 11
	10000 0 waking 10 10 11
	20000 0 lose 10 10 11 busy
	20000 0 in 11 11
	60000 0 sleep 11 11 10 top schedule,do_nanosleep
	60000 0 in 10 10
	100000 0 exit 10 10
	EOF
	# Its 50 ms on a CPU are less interrupted.
	then_is <<-\EOF &&
	busy=2x 100000 80000
	top=2x 70000 50000
	ready=0 60000.001 60000
	EOF
	trace2 report --what-if=busy=2x r >out &&
	grep "would be 100.000 ms (0.0% less), or 80.000 ms (20.0%) at best" out
'

test_expect_success '--what-if ranks the changes, the largest gain first' '
	chain &&
	trace2 report --what-if r >out &&
	sed -n 2p out >first &&
	grep "writer$" first &&
	! grep "wait:pipe" out
'

# a gains most at best, the top for certain; the disk least.
test_expect_success '--what-if ranks changes by the middle of the least and the largest gain' '
	made r <<-\EOF &&
	top top
	2000 0 fork 11 11 10 10
	3000 0 fork 12 12 10 10
	4000 0 sleep 10 10 12 b schedule,do_wait
	4000 1 run 11 11 a
	4000 0 run 12 12 b
	62000 0 exit 12 12
	64000 1 exit 11 11
	65000 0 in 10 10
	75000 0 sleep 10 10 0 swapper schedule,io_schedule
	85000 0 in 10 10
	105000 0 out 10 10 preempted
	110000 0 in 10 10
	111000 0 exit 10 10
	EOF
	trace2 report --what-if --format=json r >json &&
	jq -r ".what_if[] | \"\(.what) \(.gain_ns) \(.at_most_ns) \(.on_path_ns)\"" json >actual &&
	cat actual >&4 &&
	cut -d" " -f1 actual >order &&
	test_write_lines top a wait:disk ready wait:child | test_cmp - order
'

test_expect_success '--what-if of a region includes the regions inside' '
	nested_recording 1000 &&
	# Inner regions have both changes of the last line.
	then_is <<-\EOF &&
	c/inner=0 80000 80000
	c/out*=2x 62500 62500
	c/inner=0,c/outer=2x 52500 52500
	EOF
	trace2 report --what-if --format=json r >>json &&
	test_prints jq -s -r "(.[0].critical_path[] | \"\(.label) \(.state) \(.time_ns / 1000)\"),
		(.[3].what_if[] | select(.what | test(\"/\")) | \"\(.what) \(.gain_ns)\")" json <<-\EOF
	null run 25000
	outer run 35000
	outer wait 20000
	c/outer 74999999
	c/inner 20000000
	EOF
'

# The main thread waits in its region for the other one, which is in another.
test_expect_success '--what-if of a region changes only the thread that is in the region' '
	made r <<-\EOF &&
	top top
	5000 0 fork 10 11 10 10
	5000 0 sleep 10 10 0 swapper schedule,futex_wait
	5000 1 in 10 11
	55000 1 waking 10 11 10
	55000 0 in 10 10
	57000 1 exit 10 11
	60000 0 exit 10 10
	EOF
	{
		event_us A-P0000000a 1000 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event_us A-P0000000a 1000 start "\"t_abs\":0.0,\"argv\":[\"top\"]" &&
		event_us A-P0000000a 4900 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"join\"" &&
		thread=th01:w &&
		event_us A-P0000000a 5100 thread_start &&
		event_us A-P0000000a 10000 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"work\"" &&
		event_us A-P0000000a 50000 region_leave "\"nesting\":1,\"category\":\"c\",\"label\":\"work\"" &&
		event_us A-P0000000a 56900 thread_exit "\"t_rel\":0.05" &&
		thread=main &&
		event_us A-P0000000a 57000 region_leave "\"nesting\":1,\"category\":\"c\",\"label\":\"join\"" &&
		event_us A-P0000000a 59000 atexit "\"code\":0"
	} >r/events/A-P0000000a &&
	# Its own 0.1 ms before, and 2 ms after the wait.
	then_is <<-\EOF
	c/work=0 20000 20000
	c/join=0 57900 57900
	EOF
'

test_expect_success '--what-if of a program changes only the part of a process that runs it' '
	made r <<-\EOF &&
	top se*
	61000 0 comm 10 10 second exec
	100000 0 exit 10 10
	EOF
	then_is <<-\EOF &&
	se[*]=2x 69500 69500
	second=2x 80500 80500
	EOF
	# In the ranking a name is no glob.
	trace2 report --what-if --format=json r >json &&
	jq -c "[.what_if[] | [.what, .on_path_ns / 1e6, (.gain_ns / 1e6 | round)]]" json >actual &&
	echo "[[\"se*\",61,61],[\"second\",39,39]]" | test_cmp - actual
'

test_expect_success '--what-if CHANGE as a separate word is accepted, unless a file has that name' '
	chain &&
	trace2 report --what-if writer=2x r >out &&
	grep "^writer=2x: " out &&
	cp -R r a=2x &&
	trace2 report --what-if a=2x >out &&
	head -1 out >line &&
	grep "GAIN" line &&
	# The errors of a missing and of an extra recording do not name the
	# option.
	test_expect_code 128 trace2 report --what-if missing 2>err &&
	test_grep "missing" err &&
	test_grep ! "what-if" err &&
	test_expect_code 128 trace2 report --what-if=writer=2x r reader=3x 2>err &&
	test_grep "reader=3x" err &&
	test_grep ! "what-if" err
'

test_expect_success '--what-if names an invalid change, and a valid form' '
	test_expect_code 2 trace2 report --what-if=writer=fast r 2>err &&
	grep "writer=fast.: the factor is 2x" err &&
	test_expect_code 2 trace2 report --what-if=writer r 2>err &&
	grep "NAME=FACTOR" err &&
	test_expect_code 2 trace2 report --what-if=writer=0x r 2>err &&
	test_expect_code 2 trace2 report --what-if=writer=-1x r 2>err &&
	test_expect_code 2 trace2 report --what-if=writer=nan% r 2>err &&
	test_expect_code 2 trace2 report --what-if=writer=1e-300x r 2>err &&
	test_expect_code 2 trace2 report --what-if=writer=1e9% r 2>err &&
	trace2 report --format=json --what-if="*=0.001x" r >json &&
	trace2 report --format=json --what-if="*=0.001x" --what-if="*=0.001x" \
		--what-if="*=0.001x" --what-if="*=0.001x" --what-if="*=0.001x" \
		r >>json &&
	jq -s -e "map(.what_if[0].then_ns > 0) == [true, true]" json &&
	test_expect_code 2 trace2 report --what-if=wait:dsk=0 r 2>err &&
	grep "disk or pipe" err &&
	test_expect_code 2 trace2 report --what-if=nobody=0 r 2>err &&
	grep "changes nothing" err &&
	test_expect_code 2 trace2 report --what-if --html x r 2>err
'

test_expect_success '--what-if without states is refused' '
	mkdir streams &&
	GIT_TRACE2_EVENT="$(pwd)/streams/1" git version &&
	test_expect_code 2 trace2 report --what-if streams 2>err &&
	grep "needs the states of threads" err
'

test_expect_success '--what-if: a real command gains by sleeping less' '
	# Sleep when the shell waits for it: a busy machine may stop the shell
	# for as long as the sleep, which then is not on the path.
	write_script late <<-\EOF &&
	until read -r pid comm state rest </proc/$PPID/stat && test "$state" = S
	do
		:
	done
	exec sleep "$1"
	EOF
	cat >prog.sh <<-\EOF &&
	./late 0.04
	./late 0.02
	EOF
	trace2 record -q -o real -- sh prog.sh &&
	trace2 report --format=json real >json &&
	if jq -e "[.critical_path[].state] | any" json
	then
		trace2 report --format=json --what-if real >>json &&
		# A busy machine lets the shell wait for a CPU. Without
		# causes a sleep may be a wait for somebody outside.
		trace2 report --format=json --what-if "sleep 0.04=0" real >>json &&
		jq -s -e ".[0].summary[0].wall_ns as \$wall |
			(.[1].what_if[] | select(.what == \"sleep\") |
				.gain_ns > 0 and .at_most_ns < \$wall and
				.on_path_ns >= 60000000) and
			([.[0].critical_path[].cause] | index(\"sleep\")) as \$known |
			.[2].what_if[0] | if \$known then .then_ns
				else .then_at_least_ns end < \$wall" json
	fi
'

test_done
