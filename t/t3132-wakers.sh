#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the threads that woke others, from made-up records of the kernel

Each test describes records (t3130/kernel.perl) and looks at the waits that
trace2 reads from them, with wake-ups and without.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/lib-states.sh

test_skip_unless JQ

test_expect_success 'states name the thread that ended a wait, and the one that had the CPU' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	5 1 in 11 11
	10 0 sleep 10 10 11 other schedule,anon_pipe_read
	30 1 waking 11 11 10
	30 1 waking 11 11 10
	40 1 switch 11 11 10 other
	40 1 out 11 11 preempted
	41 1 in 10 10
	50 1 switch 10 10 77 outside
	50 1 out 10 10 preempted
	60 1 in 11 11
	70 1 sleep 11 11 0 swapper schedule,do_nanosleep
	80 0 waking 0 0 11 hardirq
	81 1 in 11 11
	90 0 in 10 10
	90 1 sleep 11 11 0 swapper schedule,sk_wait_data
	95 0 waking 10 10 11 softirq
	96 1 in 11 11
	97 1 sleep 11 11 0 swapper schedule,futex_do_wait
	98 0 waking 55 55 11
	99 1 in 11 11
	100 1 exit 11 11
	100 0 exit 10 10
	EOF
	test_prints states r <<-\EOF
	10 ready 0 0
	10 run 0 10
	10 wait 10 20 pipe by 11
	10 ready 30 11 by 11
	10 run 41 9
	10 ready 50 40 by outside by outside
	10 run 90 10
	11 ready 1 4
	11 run 5 35
	11 ready 40 20 by 10
	11 run 60 10
	11 wait 70 10 sleep by kernel
	11 ready 80 1
	11 run 81 9
	11 wait 90 5 socket by 10 by kernel ~
	11 ready 95 1
	11 run 96 1
	11 wait 97 1 lock by outside
	11 ready 98 1
	11 run 99 1
	EOF
'

test_expect_success 'a waker that acts just before the thread leaves the CPU is named' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	5 1 in 11 11
	9 1 waking 11 11 10
	10 0 sleep 10 10 0 swapper schedule,futex_do_wait
	12 0 in 10 10
	20 1 exit 11 11
	20 0 exit 10 10
	EOF
	states r >dumped &&
	test_prints sed -n 3,4p dumped <<-\EOF
	10 wait 10 0 lock by 11
	10 ready 10 2
	EOF
'

test_expect_success 'no wake-ups recorded: the only possible waker is named' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 0 fork 12 12 10 10
	5 1 in 11 11
	10 0 out 10 10
	30 0 in 10 10
	40 0 out 10 10
	42 0 in 12 12
	47 0 out 12 12
	50 0 in 10 10
	60 0 out 10 10
	62 1 exit 11 11
	500 0 in 10 10
	600 0 out 10 10
	2000 0 in 10 10
	2100 0 exit 10 10
	2100 0 exit 12 12
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 10 20 by 11 ~
	10 wait 40 10
	10 wait 60 440 child by 11 ~
	10 wait 600 1400
	EOF
'

# A packet for another process, or a timer, interrupts any thread that computes.
test_expect_success 'a packet is ascribed to the kernel if the interrupted thread only computed' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 1 in 11 11
	3 0 fork 12 12 10 10
	4 0 waking 10 10 12 hardirq 1
	9000 0 sleep 10 10 0 swapper schedule,sk_wait_data
	12000 1 waking 11 11 10 softirq 4
	12001 0 in 10 10
	12100 0 sleep 10 10 0 swapper schedule,sk_wait_data
	12200 1 out 11 11
	12300 1 waking 11 11 11 hardirq 1
	12310 1 in 11 11
	13000 1 waking 11 11 10 softirq 4
	13001 0 in 10 10
	13100 0 sleep 10 10 0 swapper schedule,sk_wait_data
	14000 1 waking 11 11 10 softirq 1
	14001 0 in 10 10
	15000 0 exit 10 10
	15100 1 exit 11 11
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 9000 3000 socket by kernel
	10 wait 12100 900 socket by 11 by kernel ~
	10 wait 13100 900 socket by kernel
	EOF
'

test_expect_success 'an interrupted thread that waited for a socket is the likely sender of a packet' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 1 in 11 11
	3 0 waking 10 10 12 hardirq 1
	10 1 sleep 11 11 0 swapper schedule,sk_wait_data
	20 0 waking 10 10 11 softirq 4
	21 1 in 11 11
	9000 0 sleep 10 10 0 swapper schedule,sk_wait_data
	12000 1 waking 11 11 10 softirq 4
	12001 0 in 10 10
	15000 0 exit 10 10
	15100 1 exit 11 11
	EOF
	test_prints states_with "^1[01] wait" <<-\EOF
	10 wait 9000 3000 socket by 11 by kernel ~
	11 wait 10 10 socket by 10 by kernel ~
	EOF
'

test_expect_success 'no wake-ups recorded: a process that ends is the waker, unless a loop ran it' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 1 in 11 11
	3 0 fork 12 12 10 10
	4 0 waking 10 10 12
	5 0 sleep 10 10 0 swapper schedule,locks_lock_inode_wait
	60 1 exit 11 11
	70 0 in 10 10
	80 0 sleep 10 10 0 swapper schedule,unix_stream_read_generic
	90 1 in 12 12
	95 1 exit 12 12
	99 0 in 10 10
	100 0 fork 13 13 10 10
	101 0 comm 13 13 loop
	102 0 sleep 10 10 0 swapper schedule,fifo_pipe_read
	110 1 in 13 13
	120 1 fork 20 20 13 13
	121 0 in 20 20
	130 0 exit 20 20
	140 1 fork 21 21 13 13
	141 0 in 21 21
	150 0 exit 21 21
	160 0 in 10 10
	170 0 exit 10 10
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 5 65 lock by 11 ~
	10 wait 80 19 socket by 12 ~
	10 wait 102 58 pipe
	EOF
'

test_expect_success 'no wake-ups recorded: a futex wait without a waker counts as sleep' '
	made r <<-\EOF &&
	0 0 comm 10 10 top exec
	1 0 waking 10 10 77
	5 0 sleep 10 10 0 swapper schedule,futex_do_wait
	65 0 in 10 10
	70 0 sleep 10 10 0 swapper schedule,locks_lock_inode_wait
	90 0 in 10 10
	95 0 sleep 10 10 0 swapper schedule,futex_do_wait
	99 1 waking 0 0 10 hardirq
	100 0 in 10 10
	101 0 exit 10 10
	EOF
	{
		echo "{\"type\":\"fork\",\"time_ns\":5000000000,\"pid\":10,\"tid\":10,\"ppid\":1,\"ptid\":1}" &&
		cat r/tasks.jsonl
	} >tasks &&
	mv tasks r/tasks.jsonl &&
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 5 60 sleep by kernel ~
	10 wait 70 20 lock
	10 wait 95 4 sleep by kernel ~
	EOF
'

test_expect_success 'a wait for a CPU names the thread that had it for most of the time, else others' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 0 fork 12 12 10 10
	100 0 switch 10 10 77 kworker
	100 0 out 10 10 preempted
	110 0 in 11 11
	2000 0 switch 11 11 12 twelve
	2000 0 out 11 11 preempted
	2001 0 in 12 12
	2010 0 out 12 12
	2011 0 in 10 10
	3000 0 switch 10 10 78 rcu
	3000 0 out 10 10 preempted
	9000 0 in 10 10
	9100 0 switch 10 10 78 rcu
	9100 0 out 10 10 preempted
	9200 0 in 10 10
	9300 0 switch 10 10 12 twelve
	9300 0 out 10 10 preempted
	9301 0 in 12 12
	9310 0 sleep 12 12 78 rcu
	12000 0 in 10 10
	12100 0 exit 10 10
	EOF
	test_prints states_with "^10 ready" <<-\EOF
	10 ready 0 0
	10 ready 100 1911 by 11
	10 ready 3000 6000 by others
	10 ready 9100 100 by rcu by outside
	10 ready 9300 2700 by others
	EOF
'

test_expect_success 'no wake-ups recorded: the usual waker is named, or the last thread on the CPU' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 0 fork 12 12 10 10
	10 0 out 10 10
	1000 1 in 11 11
	1100 1 out 11 11
	1110 0 in 10 10
	1200 0 out 10 10
	1250 1 in 11 11
	1260 1 out 11 11
	1270 0 in 10 10
	1280 0 out 10 10
	2000 1 in 11 11
	2100 0 in 12 12
	2200 0 out 12 12
	2210 0 in 10 10
	2300 0 out 10 10
	2310 0 in 12 12
	2400 1 out 11 11
	3000 1 in 10 10
	3010 1 out 10 10
	3020 1 in 11 11
	3030 1 out 11 11
	3040 1 in 10 10
	3100 0 out 12 12
	4000 0 exit 12 12
	5000 0 in 11 11
	5010 0 exit 11 11
	9000 1 exit 10 10
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 10 1100 by 11 ~
	10 wait 1200 70 by 11 ~
	10 wait 1280 930 by 11 ~
	10 wait 2300 700 by 12 ~
	10 wait 3010 30 by 11 ~
	EOF
'

test_expect_success 'no wake-ups recorded: a parent that only reaped a child is not named as waker' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	10 0 out 10 10
	12 0 in 11 11
	20 0 fork 12 12 11 11
	22 0 fork 13 13 11 11
	30 0 out 11 11
	31 0 in 12 12
	32 1 in 13 13
	33 0 comm 12 12 sed exec
	34 1 comm 13 13 tr exec
	800 0 exit 12 12
	1100 0 in 11 11
	1120 0 out 11 11
	1130 0 in 10 10
	1200 0 out 10 10
	1300 1 exit 13 13
	1400 0 in 11 11
	1410 0 exit 11 11
	1500 0 in 10 10
	1600 0 exit 10 10
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 10 1120 by 13 ~
	10 wait 1200 300 child by 11 ~
	EOF
'

test_expect_success 'no wake-ups recorded: a loop that runs short processes is not named as waker' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	10 0 out 10 10
	12 0 in 11 11
	20 0 fork 12 12 11 11
	30 0 out 11 11
	31 0 in 12 12
	33 0 comm 12 12 true exec
	500 0 exit 12 12
	600 0 in 11 11
	650 0 fork 13 13 11 11
	700 0 out 11 11
	701 0 in 13 13
	705 0 comm 13 13 true exec
	1200 0 exit 13 13
	1300 0 in 11 11
	1350 0 fork 14 14 11 11
	1400 0 out 11 11
	1402 0 in 14 14
	1450 0 out 14 14 preempted
	1460 0 in 10 10
	1500 0 out 10 10
	1501 0 in 14 14
	1505 0 comm 14 14 true exec
	1550 1 in 10 10
	1700 1 exit 10 10
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 10 1450
	10 wait 1500 50
	EOF
'

test_expect_success 'no wake-ups recorded: a child that ends is the waker of poll, sigwait or read' '
	for function in do_poll do_sigtimedwait anon_pipe_read
	do
		made r <<-EOF &&
		begin
		1 0 fork 11 11 10 10
		2 0 fork 12 12 10 10
		5 1 in 11 11
		10 0 sleep 10 10 0 swapper schedule,$function
		5000 1 exit 11 11
		6000 1 in 12 12
		7000 0 in 10 10
		8000 0 exit 10 10
		9000 1 exit 12 12
		EOF
		states r | grep "^10 wait 10 6990 [a-z]* by 11 ~" || return 1
	done
'

test_expect_success 'no waker is guessed where all threads computed, or a timer explains the wait' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 0 fork 12 12 10 10
	3 1 in 11 11
	4000 0 out 10 10
	4010 0 in 12 12
	5000 0 out 12 12 preempted
	60000 0 in 10 10
	60100 0 out 10 10
	171000 0 in 10 10
	171100 0 out 10 10
	191200 0 in 10 10
	191300 0 out 10 10
	201400 0 in 10 10
	202000 0 exit 10 10
	202000 1 exit 11 11
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 4000 56000
	10 wait 60100 110900 by 11 ~
	10 wait 171100 20100
	10 wait 191300 10100
	EOF
'

test_expect_success 'no causes recorded: a wait that ends with a child counts as one for that child' '
	made r <<-\EOF &&
	begin
	1 0 fork 11 11 10 10
	2 0 fork 12 12 10 10
	3 0 fork 13 13 10 10
	5 1 in 12 12
	10 0 out 10 10
	20 0 in 11 11
	100 0 exit 11 11
	9000 0 in 10 10
	9010 0 out 10 10
	9020 0 in 13 13
	9030 0 exit 13 13
	39000 0 in 10 10
	39010 0 out 10 10
	239000 0 in 10 10
	240000 0 exit 10 10
	EOF
	test_prints states_with "^10 wait" <<-\EOF
	10 wait 10 8990 child by 11 ~
	10 wait 9010 29990 child by 13 ~
	10 wait 39010 199990 by 12 ~
	EOF
'

# Samples of the whole machine: 77 and 78 are not of the recording.
test_expect_success 'machine-wide switches: a wait for the CPU names the longest user of it' '
	made r --machine <<-\EOF &&
	top prog
	1 0 fork 11 11 10 10
	5 1 turn 0 0 swapper 11 prog
	5 1 in 11 11
	10 0 lose 10 10 77 short
	12 0 turn 77 77 short 78 long
	112 0 turn 78 78 long 77 short
	115 0 turn 77 77 short 10 prog
	115 0 in 10 10
	120 0 sleep 10 10 0 swapper schedule,do_wait
	200 1 exit 11 11
	230 1 preempt 11 11 78 long
	250 1 turn 78 78 long 11 prog
	260 1 waking 11 11 10
	262 0 turn 0 0 swapper 10 prog
	262 0 in 10 10
	270 1 die 11 11 0 swapper
	300 0 exit 10 10
	330 0 die 10 10 0 swapper
	EOF
	test_prints states r process pid cpu_ns <<-\EOF
	10 ready 0 0
	10 run 0 10
	10 ready 10 105 by long by outside
	10 run 115 5
	10 wait 120 140 child by 11
	10 ready 260 2
	10 run 262 68
	11 ready 1 4
	11 run 5 225
	11 ready 230 20 by long by outside
	11 run 250 20
	10 83000
	11 245000
	EOF
'

test_expect_success 'machine-wide switches: a waker outside of the recording is named' '
	made r --machine <<-\EOF &&
	top prog
	10 0 sleep 10 10 77 server schedule,unix_stream_read_generic
	20 0 turn 77 77 server 0 swapper
	50 1 waking 77 77 10
	51 0 turn 0 0 swapper 10 prog
	51 0 in 10 10
	60 0 exit 10 10
	60 0 die 10 10 0 swapper
	EOF
	echo "10 wait 10 40 socket by server by outside" |
	test_prints states_with "^10 wait"
'

# 12 calls exit(): the first thread of its process, 11, ends before it.
test_expect_success 'machine-wide switches: a wake-up without a tid is by the last thread that ended' '
	made r --machine <<-\EOF &&
	top prog
	1 0 fork 11 11 10 10
	2 1 turn 0 0 swapper 11 prog
	2 1 in 11 11
	5 0 sleep 10 10 0 swapper schedule,do_wait
	10 1 fork 11 12 11 11
	20 0 turn 0 0 swapper 12 prog
	20 0 in 11 12
	30 1 sleep 11 11 0 swapper schedule,futex_do_wait
	90 0 waking 11 12 11
	95 1 turn 0 0 swapper 11 prog
	95 1 in 11 11
	100 1 exit 11 11
	110 1 die 11 11 0 swapper
	120 0 exit 11 12
	150 0 waking -1 -1 10
	155 1 turn 0 0 swapper 10 prog
	155 1 in 10 10
	160 0 die 11 12 0 swapper
	200 1 exit 10 10
	210 1 die 10 10 0 swapper
	EOF
	echo "10 wait 5 145 child by 12" | test_prints states_with "^10 wait"
'

# 12 calls exit(), which wakes 11 and 13. In the second process, 22 ends, and 21
# calls exit().
test_expect_success 'no wake-ups recorded: exit() and the end of a joined thread count as wakers' '
	made r <<-\EOF &&
	top prog
	1 0 fork 11 11 10 10
	2 1 in 11 11
	5 0 sleep 10 10 0 swapper schedule,do_wait
	10 1 fork 11 12 11 11
	12 1 fork 11 13 11 11
	20 0 in 11 12
	30 1 sleep 11 11 0 swapper schedule,futex_do_wait
	40 1 in 11 13
	50 1 sleep 11 13 0 swapper schedule,do_nanosleep
	9000 1 in 11 13
	9020 1 exit 11 13
	9030 1 in 11 11
	9035 0 exit 11 12
	9040 1 exit 11 11
	9060 0 in 10 10
	9070 0 fork 21 21 10 10
	9080 1 in 21 21
	9085 0 sleep 10 10 0 swapper schedule,do_wait
	9090 1 fork 21 22 21 21
	9092 1 fork 21 23 21 21
	9100 0 in 21 22
	9110 1 sleep 21 21 0 swapper schedule,futex_do_wait
	9120 1 in 21 23
	9130 1 sleep 21 23 0 swapper schedule,futex_do_wait
	20000 1 in 21 21
	20100 0 exit 21 22
	20300 0 in 21 23
	20310 1 exit 21 21
	20320 0 exit 21 23
	20400 0 in 10 10
	20410 0 exit 10 10
	EOF
	test_prints states_with wait <<-\EOF
	10 wait 5 9055 child by 11
	10 wait 9085 11315 child by 21
	11 wait 30 9000 lock by 12 ~
	13 wait 50 8950 sleep by 12 ~
	21 wait 9110 10890 lock by 22 ~
	23 wait 9130 11170 lock by 21 ~
	EOF
'

test_done
