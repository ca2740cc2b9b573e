#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 script -f: files of each kind that still grow, and rings'

. ./test-lib.sh

traces=$TEST_DIRECTORY/traces

test_skip_unless PIPE 'no fifos here'

# follow FIELDS PATH...: its output can be read from descriptor 9.
follow () {
	rm -f seen &&
	mkfifo seen &&
	fields=$1 &&
	shift &&
	{ trace2 script -f -F "$fields" "$@" >seen 2>err 9>&- & } &&
	pid=$! &&
	test_when_finished "kill $pid 2>/dev/null; wait $pid || :" &&
	exec 9<seen
}
# saw TEXT: it is the next line.
saw () {
	read -r line <&9 &&
	if test "$line" != "$1"
	then
		echo "error: '$line' instead of '$1'" >&4
		return 1
	fi
}
leave_off () {
	kill "$pid" &&
	wait "$pid" &&
	exec 9<&-
}

test_expect_success 'script -f follows perf text' '
	head -n 1 "$traces/status.perf" >p.perf &&
	follow event,thread p.perf &&
	saw "version       main" &&
	sed -n 2,3p "$traces/status.perf" >>p.perf &&
	saw "start         main" &&
	sed -n 3p "$traces/status.perf" | cut -d"|" -f4 | tr -d " " >third &&
	read -r line <&9 &&
	test "${line%% *}" = "$(cat third)" &&
	leave_off
'

# A reader that forgot at each line which process is writing would start again.
test_expect_success 'script -f gives all lines of a process in perf text the same SID' '
	cat "$traces/status.perf" >whole.perf &&
	lines=$(wc -l <whole.perf) &&
	follow sid whole.perf &&
	i=0 &&
	while test $i -lt $lines
	do
		read -r line <&9 && echo "$line" && i=$((i + 1)) || return 1
	done >sids &&
	leave_off &&
	sort -u sids >actual &&
	test_line_count = 1 actual
'

test_expect_success 'script -f follows JSON and perf text in one directory' '
	rm -rf both && mkdir both &&
	head -n 1 "$traces/status.event" >both/a &&
	follow event both &&
	saw version &&
	head -n 2 "$traces/status.perf" >both/b &&
	saw version &&
	saw start &&
	sed -n 2p "$traces/status.event" >>both/a &&
	saw start &&
	leave_off
'

test_expect_success 'script -f reports text of the normal target, and continues' '
	rm -rf mixed && mkdir mixed &&
	cp "$traces/status.normal" mixed/a &&
	head -n 1 "$traces/status.event" >mixed/b &&
	follow event mixed &&
	saw version &&
	leave_off &&
	test_grep "^trace2: warning: .mixed/a. is left out: it is text of the normal target" err &&
	test_line_count = 1 err
'

test_expect_success 'script -f obeys --sid and -N, and refuses -t' '
	cat "$traces/nest.event" >nest.event &&
	sid=$(sed -n "/version/s|.*\"sid\":\"[^\"]*/\([^\"/]*\)\".*|\1|p" nest.event |
		sed 1q) &&
	trace2 script -F sid,event --sid "$sid" nest.event >expect &&
	test_line_count -gt 3 expect &&
	follow sid,event --sid "$sid" nest.event &&
	while read -r want
	do
		read -r line <&9 && test "$line" = "$want" || return 1
	done <expect &&
	leave_off &&
	cat "$traces/gc.event" >gc.event &&
	trace2 script -F event,message -N "[cp]*/*" gc.event >expect &&
	test_line_count -gt 3 expect &&
	sort expect >sorted &&
	follow event,message -N "[cp]*/*" gc.event &&
	while read -r want
	do
		read -r line <&9 && echo "$line" || return 1
	done <expect >followed &&
	leave_off &&
	sort followed >actual &&
	test_cmp sorted actual &&
	test_expect_code 2 trace2 script -f -t 1ms gc.event 2>err &&
	test_grep "^trace2: -f and -t exclude each other" err
'

# stepping COMMAND...: start it; it goes on at each step.
stepping () {
	rm -f steps &&
	mkfifo steps &&
	{ "$@" <steps >out 2>&1 9>&- & } &&
	stepping=$! &&
	exec 8>steps
}
step () {
	echo >&8
}
# came TEXT: it is a later line.
came () {
	while read -r line <&9
	do
		test "$line" != "$1" || return 0
	done
	return 1
}

test_expect_success 'script -f follows a ring while it is written, and a ring that begins later' '
	mkdir rings &&
	stepping env GIT_TRACE2_RING="$PWD/rings" test-tool trace2 call \
		pthread_create one , data_string c k 1 , wait , \
		pthread_create two , data_string c k 2 , wait &&
	follow event,thread,message rings &&
	came "thread_start  th01:one" &&
	came "data          main  c k:1" &&
	step &&
	came "thread_start  th02:two" &&
	came "data          main  c k:2" &&
	test_expect_code 3 env GIT_TRACE2_RING="$PWD/rings" \
		test-tool trace2 001return 3 &&
	came "atexit        main  code:3" &&
	step &&
	exec 8>&- &&
	saw "exit          main  code:0" &&
	saw "atexit        main  code:0" &&
	leave_off
'

test_expect_success 'script -f --sid shows one process of a directory of rings' '
	sid=$(ls rings | tail -n 1) &&
	trace2 script -F event,message --sid "$sid" rings >expect &&
	test_grep "code:3" expect &&
	follow event,message --sid "$sid" rings &&
	while read -r want
	do
		saw "$want" || return 1
	done <expect &&
	leave_off
'

test_expect_success 'script -f reports records of a ring that were overwritten before it read them' '
	many=$(yes "data_string c k $(printf "%01000d" 1) ," | head -n 40) &&
	stepping env GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_RING_SIZE=128k \
		test-tool trace2 call --repeat=5 wait , $many touch done &&
	wait_until test -s ring &&
	follow event ring &&
	came cmd_name &&
	kill -STOP $pid &&
	wait_until grep "^State:.T" /proc/$pid/status &&
	for i in 1 2 3 4 5
	do
		step &&
		wait_until test -f done &&
		rm done || return 1
	done &&
	exec 8>&- &&
	kill -CONT $pid &&
	came data &&
	came atexit &&
	wait_until grep "^trace2: warning: .ring.: newer records replaced some before" err &&
	leave_off
'

test_expect_success 'script -f of a recording with rings shows each event once' '
	stepping trace2 record -q --ring -o live -- test-tool trace2 call \
		data_string c k 1 , wait , data_string c k 2 , wait &&
	wait_until test -d live/rings &&
	follow event,message live &&
	came "data          c k:1" &&
	step &&
	saw "data          c k:2" &&
	step &&
	exec 8>&- &&
	wait $stepping &&
	saw "exit          code:0" &&
	saw "atexit        code:0" &&
	leave_off
'

test_done
