#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report -j: the times with other numbers of jobs

Most tests describe records of the kernel (t3130/kernel.perl), with times in
microseconds. The last one compares with a real make.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_skip_unless JQ

# built [RECORD]: a make begins a and b, and c when b has ended; c waits 10 ms for
# a CPU, or as the record says.
built () {
	made r <<-EOF
	top make
	10000 0 fork 11 11 10 10
	10000 0 fork 12 12 10 10
	10000 0 sleep 10 10 11 a schedule,do_wait
	10000 0 run 11 11 a
	10000 1 run 12 12 b
	30000 1 exit 12 12
	30000 1 in 10 10
	31000 1 fork 13 13 10 10
	31000 1 sleep 10 10 13 c schedule,do_wait
	31000 1 run 13 13 c
	40000 0 exit 11 11
	${1-}
	50000 1 out 13 13${1- preempted}
	60000 1 in 13 13
	81000 1 exit 13 13
	82000 0 in 10 10
	90000 0 exit 10 10
	EOF
}

# then_is JOBS WORST BEST [OTHERS]: in microseconds; and OTHERS is true of the answer.
then_is () {
	trace2 report --format=json -j "$1" r >json &&
	jq -r ".what_if[0] | \"\(.then_ns / 1000 | floor) \(.then_at_least_ns / 1000 | floor)\",
		(${4-true})" json >actual &&
	test_write_lines "$2 $3" true | test_cmp - actual
}

test_expect_success 'report -j 1 estimates the time of one job after the other' '
	built &&
	# a 30 ms, b 20, c 50 of which it needs 40; 10 before them, 9 after;
	# at worst, 1 ms from the end of b to the start of c.
	then_is 1 120000 109000
'

test_expect_success 'report -j with the recorded number of jobs estimates the recorded time, or less' '
	built &&
	# Half of 90 ms is more than the 40 of c.
	then_is 2 90000 64000
'

test_expect_success 'report -j with many jobs estimates the time that the longest job needs' '
	built &&
	then_is 3 90000 59000 &&
	then_is 4000000000 90000 59000
'

test_expect_success 'report -j gives no time below the CPU time of all jobs divided by the CPUs' '
	built &&
	trace2 report -j 3 r >out &&
	test_grep "^-j 3: 90.000 ms would be 59.000 ms at best, if no job needs another one$" out &&
	# a has a CPU for 30 ms, b for 20, c for 40.
	sed "s/{/{\"cpus\":1,/" r/meta.json >meta &&
	mv meta r/meta.json &&
	trace2 report -j 3 r >out &&
	test_grep "^-j 3: 90.000 ms would be 90.000 ms at best on 1 CPU, if no" out
'

test_expect_success 'report -j: each job starts as soon as one of the earlier jobs has ended' '
	rm -rf r &&
	{
		echo "0 0 fork 10 10 1 1" &&
		echo "0 0 in 10 10" &&
		echo "1000 0 comm 10 10 make exec" &&
		for job in 11 12 13 14 15 16
		do
			echo "10000 1 fork $job $job 10 10" || return 1
		done &&
		echo "10000 0 switch 10 10 0 swapper schedule,do_wait" &&
		echo "10000 0 out 10 10" &&
		for job in 12 14 15 16
		do
			echo "20000 1 exit $job $job" || return 1
		done &&
		echo "30000 1 exit 13 13" &&
		echo "40000 1 exit 11 11" &&
		echo "40000 0 in 10 10" &&
		echo "50000 0 exit 10 10"
	} | made r &&
	# 30 ms, 10 and 20; then 10 after the 10, and two after the 20.
	trace2 report --format=json -j 3 r >json &&
	# 30; 10 and 20; then one after each, and one after these.
	trace2 report --format=json -j 2 r >>json &&
	jq -s -e "map(.what_if[0].then_ns) == [50000000, 70000000]" json
'

test_expect_success 'report -j names the jobs, and can be combined with --what-if' '
	built &&
	trace2 report -j 1 r >out &&
	test_cmp - out <<-\EOF &&
	-j 1: 90.000 ms would be between 109.000 ms, if no job needs another one, and 120.000 ms
	3 jobs of make, at most 2 at once: 100.000 ms in all, the longest 50.000 ms (c)
	EOF
	for option in "--what-if=-j 1" "--what-if=-j1" "--what-if=ma*=-j1"
	do
		trace2 report "$option" r >out &&
		grep "between 109.000 ms, .* 120.000 ms$" out || return 1
	done &&
	trace2 report -j 1 --what-if=a=0 r >out &&
	grep "^a=0, -j 1: .* between 79.000 ms, .* 90.000 ms$" out
'

test_expect_success 'report -j: jobs of a nested make count for both makes' '
	made r <<-\EOF &&
	top make
	10000 0 fork 11 11 10 10
	10000 0 fork 12 12 10 10
	10000 0 sleep 10 10 11 sh schedule,do_wait
	10000 0 run 11 11 sh
	10000 1 run 12 12 cc
	12000 0 fork 13 13 11 11
	12000 0 sleep 11 11 13 make schedule,do_wait
	12000 0 run 13 13 make
	14000 0 fork 14 14 13 13
	14000 0 sleep 13 13 14 cc schedule,do_wait
	14000 0 run 14 14 cc
	40000 1 exit 12 12
	50000 0 exit 14 14
	51000 0 in 13 13
	52000 0 exit 13 13
	52000 0 in 11 11
	53000 0 exit 11 11
	53000 0 in 10 10
	60000 0 exit 10 10
	EOF
	# 30 and 36 ms; 10 before them, and 10 behind; at worst, the shell and
	# the make below take their 4 ms behind the first job.
	then_is 1 90000 86000 ".jobs == 2 and .of == \"make\" and .at_once == 2 and
		.sum_ns == 66000000 and .longest_ns == 36000000"
'

test_expect_success '--what-if: a job moved earlier waits for an outside answer as long as before' '
	built "50000 1 switch 13 13 0 swapper schedule,sk_wait_data" &&
	# c begins 20 ms earlier, and takes the 50 ms that it did.
	trace2 report --format=json --what-if=b=0 r >json &&
	# A slower job may take longer.
	trace2 report --format=json --what-if=b=0 --what-if=c=0.5x r >>json &&
	jq -s -e "(.[0].what_if[0].then_ns / 1000000 | floor == 70) and
		(.[1].what_if[0].then_at_least_ns / 1000000 | floor < 120) and
		(.[1].what_if[0].then_ns / 1000000 | floor >= 120)" json
'

test_expect_success 'report -j refuses an invalid number, and a recording without jobs' '
	built &&
	for nr in 0 x 1x -1 +1 4294967296
	do
		test_expect_code 2 trace2 report -j "$nr" r 2>err &&
		grep "cannot use --what-if=.-j $nr.: -j needs a number" err ||
		return 1
	done &&
	test_expect_code 2 trace2 report --what-if=nobody=-j2 r 2>err &&
	grep "nobody=-j2.*runs others" err
'

test_expect_success 'report -j of a real make: the bounds fit four jobs of 100 ms' '
	printf "%s\n" "all: a b c d" "a b c d:; sleep 0.1" >Makefile &&
	trace2 record -q -o two -- make -s -j2 &&
	trace2 report --format=json two >json &&
	if jq -e "[.critical_path[].state] | any" json
	then
		trace2 record -q -o one -- make -s -j1 &&
		trace2 report --format=json one >json &&
		# All but the jobs may take longer on a busy machine.
		trace2 report --format=json -j 1 two >>json &&
		trace2 report --format=json -j 4 one >>json &&
		jq -s -e ".[0].summary[0].wall_ns as \$one |
			(.[1].what_if[0] | .of == \"make\" and .jobs == 4 and
			.at_once == 2 and .then_at_least_ns >= 400000000 and
			.then_at_least_ns <= .then_ns and
			\$one >= 400000000) and
			(.[2].what_if[0].then_at_least_ns | . >= 100000000 and
			. < \$one - 200000000)" json
	fi
'

test_done
