#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='states of threads, from made-up records of the kernel

Each test describes records (t3130/kernel.perl) and looks at the states that
trace2 reads from them. Recordings of real programs are in t3131.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/lib-states.sh

test_skip_unless JQ

test_expect_success 'a thread is running, ready or waiting, according to the switch records' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	5 0 run 10 10 first
	20 0 out 10 10 preempted
	30 1 in 10 10
	50 1 out 10 10
	90 0 in 10 10
	100 0 exit 10 10
	EOF
	test_prints states r thread pid tid comm cpu_ns run_ns ready_ns wait_ns <<-\EOF
	10 ready 0 5
	10 run 5 15
	10 ready 20 10
	10 run 30 20
	10 wait 50 40
	10 run 90 10
	10 10 first 45000 45000 15000 40000
	EOF
'

# As in containers, where the arguments of programs cannot be read; those of the
# command are in meta.json.
test_expect_success 'the command has its arguments from meta.json if the kernel recorded none' '
	made r <<-\EOF &&
	top test
	5 0 fork 11 11 10 10
	9 1 comm 11 11 test exec
	90 0 exit 11 11
	100 0 exit 10 10
	EOF
	sed "s/\"command\":\[[^]]*]/\"command\":[\"bin\\/test\",\"-v\"]/" \
		r/meta.json >meta && mv meta r/meta.json &&
	grep "bin/test" r/meta.json &&
	trace2 list r --format=json >list.json &&
	test_write_lines "[\"bin/test\",\"-v\"]" null |
	test_prints jq -c ".processes[].argv" list.json
'

# The first record of a thread shows its earlier state: the recorder may have
# found it a moment later.
test_expect_success 'threads that began before the recording have states' '
	made r <<-\EOF &&
	0 0 found 10 10 main S do_wait
	0 0 found 10 11 ready R
	0 0 found 10 12 run S futex_do_wait
	0 0 found 10 13 later R
	0 0 found 10 14 waits S futex_do_wait
	5 1 fork 10 13 10 11
	10 0 in 10 11
	20 1 out 10 12 preempted
	30 1 in 10 13
	40 0 out 10 11
	60 0 in 10 14
	100 0 exit 10 10
	EOF
	states r | sort -k 1,1n -k 3,3n >actual &&
	test_cmp - actual <<-\EOF &&
	10 wait 0 100 child
	11 ready 0 10
	11 run 10 30
	11 wait 40 60
	12 run 0 20
	12 ready 20 80 by 13
	13 ready 5 25 by 12
	13 run 30 70
	14 wait 0 60 lock by 11 ~
	14 run 60 40
	EOF
	of thread tid lost >actual &&
	test_grep ! true actual &&
	trace2 list r --format=json >list.json &&
	jq -e ".processes[0] | .wall_ns == 100000 and .begun < .start" list.json
'

test_expect_success 'a process waits only while all of its threads wait' '
	made r <<-\EOF &&
	top two
	10 0 fork 10 11 10 10
	20 1 in 10 11
	30 0 out 10 10
	40 1 out 10 11 preempted
	60 1 in 10 11
	70 1 out 10 11
	90 0 in 10 10
	95 1 in 10 11
	96 1 exit 10 11
	100 0 exit 10 10
	EOF
	test_prints of thread tid run_ns ready_ns wait_ns <<-\EOF &&
	10 40000 0 60000
	11 31000 30000 25000
	EOF
	echo "71000 60000 20000 20000" |
	test_prints of process cpu_ns run_ns ready_ns wait_ns
'

test_expect_success 'report -g adds up the CPU times of each kind' '
	made r <<-\EOF &&
	top top
	10 0 fork 11 11 10 10
	12 1 run 11 11 cc
	20 0 out 10 10
	40 1 exit 11 11
	41 0 in 10 10
	50 0 fork 12 12 10 10
	52 1 run 12 12 cc
	55 0 out 10 10
	62 1 exit 12 12
	63 0 in 10 10
	70 0 exit 10 10
	EOF
	trace2 report -g cmd -s cpu --format=json r >json &&
	test_prints jq -c ".groups[] | [.group, .processes, .total_ns, .self_ns, .share, .cpu_ns,
		.spawn_ns, .p50_ns, .p90_ns, .p99_ns, .max_ns]" json <<-\EOF
	["top",1,70000,28000,0.4,41000,null,70000,70000,70000,70000]
	["cc",2,42000,42000,0.6,38000,2000,12000,30000,30000,30000]
	EOF
'

# The thread that began last emits first.
test_expect_success 'a thread in a stream is matched with the kernel thread that ran at its events' '
	made r <<-\EOF &&
	top prog
	10 0 fork 10 21 10 10
	11 0 fork 10 22 10 10
	12 0 out 10 10
	20 0 in 10 22
	30 0 out 10 22
	40 0 in 10 21
	50 0 out 10 21
	60 0 in 10 22
	70 0 exit 10 22
	80 0 in 10 21
	90 0 exit 10 21
	100 0 in 10 10
	120 0 exit 10 10
	EOF
	{
		event_us A-P0000000a 2 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event_us A-P0000000a 3 start "\"t_abs\":0.0,\"argv\":[\"prog\"]" &&
		thread=th01:a event_us A-P0000000a 25 thread_start &&
		thread=th02:b event_us A-P0000000a 45 thread_start &&
		thread=th01:a event_us A-P0000000a 65 thread_exit "\"t_rel\":0.00004" &&
		thread=th02:b event_us A-P0000000a 85 thread_exit "\"t_rel\":0.00004" &&
		event_us A-P0000000a 110 atexit "\"code\":0"
	} >r/events/A-P0000000a &&
	"$GIT_BUILD_DIR/build/unit/tool-states" r |
	jq -r "select(.type == \"thread\" and .thread) | \"\(.thread) \(.tid)\"" |
	sort >actual &&
	test_write_lines "main 10" "th01:a 22" "th02:b 21" | test_cmp - actual
'

test_expect_success 'records of all CPUs are merged by time' '
	made r <<-\EOF &&
	0 1 fork 10 10 1 1
	10 1 in 10 10
	20 1 out 10 10 preempted
	30 0 in 10 10
	40 0 out 10 10 preempted
	50 1 in 10 10
	60 1 exit 10 10
	EOF
	test_prints states r <<-\EOF
	10 ready 0 10
	10 run 10 10
	10 ready 20 10
	10 run 30 10
	10 ready 40 10
	10 run 50 10
	EOF
'

test_expect_success 'CPU time is the sum of the counts of the kernel on each CPU' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	10 0 in 10 10
	50 0 exit 10 10
	50 0 read 10 10 30000
	50 1 read 10 10 9000
	EOF
	echo "39000 40000" | test_prints of thread cpu_ns run_ns
'

test_expect_success 'CPU time of a switch without a counter reading counts for the next thread' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	50 0 out 10 10
	52 0 in 11 11
	80 0 out 11 11
	84 0 in 10 10
	90 0 exit 10 10
	90 0 exit 11 11
	EOF
	test_prints of thread tid cpu_ns run_ns <<-\EOF
	10 62000 56000
	11 31000 28000
	EOF
'

test_expect_success 'CPU times are scaled to the total of wait4(), unless that is below the time run' '
	for given in "87000 58000 29000" "93000 62000 31000" "80000 62000 31000"
	do
		set -- $given &&
		made r <<-\EOF &&
		begin
		1 0 fork 11 11 10 10
		50 0 out 10 10
		52 0 in 11 11
		80 0 out 11 11
		84 0 in 10 10
		90 0 exit 10 10
		90 0 exit 11 11
		EOF
		echo "{\"type\":\"status\",\"time_ns\":5000200000,\"pid\":10,\"code\":0,\"user_ns\":$1,\"system_ns\":0}" >>r/tasks.jsonl &&
		test_write_lines "$2" "$3" | test_prints of thread cpu_ns || return 1
	done
'

test_expect_success 'a counter reading that contradicts the switches is ignored' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	10 0 in 10 10
	50 0 exit 10 10
	50 0 read 10 10 3000000
	50 1 read 10 10 9000
	EOF
	echo "40000 40000" | test_prints of thread cpu_ns run_ns
'

test_expect_success 'CPU time that only wait4() reports counts for start and end of the command' '
	made r <<-\EOF &&
	0 0 fork 11 11 10 10
	0 0 in 11 11
	50 0 exit 11 11
	100 0 comm 10 10 command exec
	150 0 out 10 10
	160 0 in 10 10
	200 0 exit 10 10
	EOF
	{
		echo "{\"type\":\"fork\",\"time_ns\":5000000000,\"pid\":10,\"tid\":10,\"ppid\":1,\"ptid\":1}" &&
		cat r/tasks.jsonl &&
		echo "{\"type\":\"status\",\"time_ns\":5000200000,\"pid\":10,\"code\":0,\"user_ns\":100000,\"system_ns\":70000}"
	} >tasks &&
	mv tasks r/tasks.jsonl &&
	test_prints states_with ^10 <<-\EOF
	10 ready 0 85
	10 run 85 65
	10 wait 150 10
	10 run 160 40
	EOF
'

test_expect_success 'a process that reuses a pid is distinguished from the earlier one' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 1 in 11 11
	10 1 exit 11 11
	100000 0 fork 11 11 10 10
	100010 1 in 11 11
	100020 1 exit 11 11
	100030 0 exit 10 10
	EOF
	test_prints states r <<-\EOF
	10 ready 0 0
	10 run 0 100030
	11 ready 1 1
	11 run 2 8
	11 ready 100000 10
	11 run 100010 10
	EOF
'

test_expect_success 'processes outside of the recording are left out' '
	made r <<-\EOF &&
	begin
	20 0 exit 10 10
	EOF
	cp r/tasks.jsonl only &&
	made r <<-\EOF &&
	begin
	5 1 in 77 77
	6 1 comm 77 77 other
	8 1 out 77 77
	20 0 exit 10 10
	EOF
	cp only r/tasks.jsonl &&
	test_prints states r <<-\EOF
	10 ready 0 0
	10 run 0 20
	EOF
'

test_expect_success 'an exec ends all other threads' '
	made r <<-\EOF &&
	begin
	10 0 fork 10 11 10 10
	12 1 in 10 11
	20 1 exit 10 10
	21 1 comm 10 10 new exec
	30 1 exit 10 10
	EOF
	test_prints of thread tid start_ns end_ns <<-\EOF
	10 5000000000 5000020000
	11 5000010000 5000021000
	10 5000021000 5000030000
	EOF
'

test_expect_success 'a state without an end lasts until the last record' '
	made r --growing <<-\EOF &&
	begin
	10 0 fork 10 11 10 10
	12 1 in 10 11
	40 0 out 10 10
	EOF
	test_prints of thread tid end_ns open <<-\EOF &&
	10 5000040000 true
	11 5000040000 true
	EOF
	trace2 list r --format=json >list.json &&
	jq -e ".processes[0] | .wall_ns == 40000 and .at_least == true" list.json
'

test_expect_success 'the cause of a wait is the innermost listed function of the kernel' '
	made r <<-\EOF &&
	begin
	10 0 sleep 10 10 0 swapper kernel,schedule,anon_pipe_read,vfs_read
	11 0 in 10 10
	20 0 sleep 10 10 0 swapper schedule,__futex_wait,futex_do_wait.isra.0
	21 0 in 10 10
	30 0 sleep 10 10 0 swapper schedule,__x64_sys_pause,do_syscall_64
	31 0 in 10 10
	40 0 sleep 10 10 0 swapper io_schedule,filemap_read,vfs_read
	41 0 in 10 10
	50 0 sleep 10 10 0 swapper io_schedule,filemap_fault,exc_page_fault
	51 0 in 10 10
	60 0 sleep 10 10 0 swapper schedule,new_function
	61 0 in 10 10
	70 0 sleep 10 10 0 swapper
	71 0 in 10 10
	80 0 exit 10 10
	EOF
	test_prints states_with wait <<-\EOF
	10 wait 10 1 pipe
	10 wait 20 1 lock
	10 wait 30 1 signal
	10 wait 40 1 disk by kernel ~
	10 wait 50 1 page by kernel ~
	10 wait 60 1 other
	10 wait 70 1
	EOF
'

test_expect_success 'while all threads wait, the process has the cause of the one that stopped last' '
	made r <<-\EOF &&
	top two
	5 0 fork 10 11 10 10
	6 1 in 10 11
	10 0 sleep 10 10 0 swapper schedule,do_wait
	20 1 sleep 10 11 0 swapper schedule,pipe_read
	30 1 in 10 11
	40 1 exit 10 11
	60 0 in 10 10
	70 0 exit 10 10
	EOF
	echo "30000 10000 20000" |
	test_prints of process wait_ns wait_pipe_ns wait_child_ns
'

test_expect_success 'recorded in a container: wakers are right although tracepoints have host pids' '
	made r --container=1000 <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	5 1 in 11 11
	10 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	30 1 waking 11 11 10
	31 0 in 10 10
	40 1 lose 11 11 10 first
	41 1 in 10 10
	50 0 exit 10 10
	EOF
	test_prints states_with "pipe\|11 ready 4" <<-\EOF
	10 wait 10 20 pipe by 11
	11 ready 40 10 by 10
	EOF
'

test_expect_success 'kernel.data cut anywhere is read up to the cut' '
	made r --growing <<-\EOF &&
	0 0 fork 10 10 1 1
	5 0 in 10 10
	20 0 out 10 10
	30 0 in 10 10
	100 0 exit 10 10
	EOF
	cp r/kernel.data whole &&
	size=$(wc -c <whole) &&
	while test $((size -= 13)) -gt 0
	do
		head -c $size whole >r/kernel.data &&
		"$GIT_BUILD_DIR/build/unit/tool-states" r >/dev/null || return 1
	done &&
	head -c $(($(wc -c <whole) - 60)) whole >r/kernel.data &&
	states r >actual &&
	head -n 3 actual >first &&
	test_cmp - first <<-\EOF &&
	10 ready 0 5
	10 run 5 15
	10 wait 20 10
	EOF
	test_must_be_empty err
'

test_expect_success 'a finished kernel.data that was cut among its records is reported' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	5 0 in 10 10
	100 0 exit 10 10
	EOF
	# After the records, the file has nothing that a reader needs.
	end=$("$PERL_PATH" -e "
		read STDIN, \$_, 56;
		my (\$at, \$size) = unpack q(x40 Q2);
		print \$at + \$size" <r/kernel.data) &&
	states r >expect &&
	head -c "$end" r/kernel.data >cut &&
	mv cut r/kernel.data &&
	states r >actual &&
	test_cmp expect actual &&
	test_grep ! "cut short" err &&
	head -c 600 r/kernel.data >cut &&
	mv cut r/kernel.data &&
	dumped r &&
	test_grep "kernel.data.: it was cut short" err
'

test_expect_success 'kernel.data of another machine, or other text, is reported' '
	records="0 0 fork 10 10 1 1" &&
	echo "$records" | made r --swap &&
	test_prints states r </dev/null &&
	test_grep "kernel.data.: it was recorded on a machine of the other byte order" err &&
	echo "$records" | made r --clock=0 &&
	dumped r &&
	test_grep "its clock is not CLOCK_MONOTONIC" err &&
	echo "$records" | made r --unnamed &&
	states r >actual &&
	test_grep "its records do not name their events (sample_type without IDENTIFIER)" err &&
	>r/kernel.data &&
	dumped r &&
	test_grep "it is empty" err &&
	yes no | head -n 100 >r/kernel.data &&
	dumped r &&
	test_grep "not in the format of perf.data" err &&
	test_grep ! "cpu_ns" dump
'

test_expect_success 'each thread that existed when records were lost is marked as incomplete' '
	made r <<-\EOF &&
	begin
	10 0 fork 11 11 10 10
	20 1 in 11 11
	30 1 exit 11 11
	5000 0 out 10 10
	5100 0 lost 7
	5200 0 in 10 10
	5300 0 exit 10 10
	EOF
	test_prints of thread tid lost <<-\EOF &&
	10 true
	11 -
	EOF
	test_expect_code 1 trace2 check r >out &&
	test_grep "kernel.data.*records were lost" out
'

test_expect_success 'a thread with a missing record of a switch is marked as incomplete' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	5 0 in 10 10
	20 0 out 10 10
	40 0 out 10 10
	60 0 in 10 10
	80 0 in 10 10
	100 0 exit 10 10
	EOF
	echo "10 true 55000 5000 40000" |
	test_prints of thread tid lost run_ns ready_ns wait_ns
'

test_expect_success 'a clock that goes back is reported, and gives no negative time' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	5 0 in 10 10
	9000 0 out 10 10
	4000 0 in 10 10
	10000 0 exit 10 10
	EOF
	dumped r &&
	test_grep "kernel.data.: the kernel.s clock went back" err &&
	jq -e -s "all(.[]; .ns // 0 >= 0)" dump
'

test_expect_success 'a recording without switches has CPU times and no states' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	20 0 exit 10 10
	20 0 read 10 10 1234
	EOF
	echo "1234 -" | test_prints states r process cpu_ns wait_ns
'

test_expect_success 'a recording without kernel.data has no CPU times and no waiting times' '
	rm r/kernel.data &&
	echo "- -" | test_prints states r process cpu_ns wait_ns
'

test_expect_success 'a task record without a time is reported, and a recording without any' '
	made r <<-\EOF &&
	top top
	100 0 exit 10 10
	EOF
	sed "1s/time_ns/tim9_ns/" r/tasks.jsonl >tasks &&
	cp tasks r/tasks.jsonl &&
	trace2 report r >out 2>err &&
	test_grep "not a task record" err &&
	test_grep ! "5.000" out &&
	sed "s/time_ns/tim9_ns/" r/tasks.jsonl >tasks &&
	cp tasks r/tasks.jsonl &&
	test_might_fail trace2 report r >out 2>err &&
	test_grep "kernel.s records without a list of processes" err &&
	test_grep ! "no event files" err
'

test_done
