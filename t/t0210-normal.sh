#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the normal target: lines for people

GIT_TRACE2 writes these lines: time and place up to column 50, then the event in
words. They show no threads, regions or data.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_expect_success 'a program that returns from main has exit and atexit events' '
	traced --normal test-tool trace2 001return 0 &&
	test_cmp - actual <<-\EOF
	version test-tool 1.0
	start _EXE_ trace2 001return 0
	cmd_name trace2 (trace2)
	exit elapsed:_TIME_ code:0
	atexit elapsed:_TIME_ code:0
	EOF
'

test_expect_success 'the code that main returns is in the exit event' '
	traced --normal 7 test-tool trace2 001return 7 &&
	test_cmp - actual <<-\EOF
	version test-tool 1.0
	start _EXE_ trace2 001return 7
	cmd_name trace2 (trace2)
	exit elapsed:_TIME_ code:7
	atexit elapsed:_TIME_ code:7
	EOF
'

test_expect_success 'the code given to exit() is in the exit event' '
	traced --normal 7 test-tool trace2 002exit 7 &&
	test_prints sed 1,3d actual <<-\EOF
	exit elapsed:_TIME_ code:7
	atexit elapsed:_TIME_ code:7
	EOF
'

test_expect_success 'exit and atexit have the code cut to 8 bits, as the parent sees it' '
	traced --normal 255 test-tool trace2 001return -1 &&
	test_prints sed 1,3d actual <<-\EOF &&
	exit elapsed:_TIME_ code:255
	atexit elapsed:_TIME_ code:255
	EOF
	traced --normal 1 test-tool trace2 001return 257 &&
	test_prints sed 1,3d actual <<-\EOF
	exit elapsed:_TIME_ code:1
	atexit elapsed:_TIME_ code:1
	EOF
'

test_expect_success 'an error event without a message has an empty text' '
	traced --normal test-tool trace2 call cmd_error NULL &&
	echo error | test_prints sed -n 4p actual
'

test_expect_success 'a child process appends to the file of its parent' '
	traced --normal test-tool trace2 004child test-tool trace2 001return 0 &&
	test_cmp - actual <<-\EOF
	version test-tool 1.0
	start _EXE_ trace2 004child test-tool trace2 001return 0
	cmd_name trace2 (trace2)
	child_start[0] test-tool trace2 001return 0
	version test-tool 1.0
	start _EXE_ trace2 001return 0
	cmd_name trace2 (trace2/trace2)
	exit elapsed:_TIME_ code:0
	atexit elapsed:_TIME_ code:0
	child_exit[0] pid:_PID_ code:0 elapsed:_TIME_
	exit elapsed:_TIME_ code:0
	atexit elapsed:_TIME_ code:0
	EOF
'

test_expect_success !UNDER_VALGRIND 'a child that cannot be started has pid -1 and code -1' '
	test_might_fail traced --normal 255 test-tool trace2 004child ./no-such-program 2>err &&
	perl "$TEST_DIRECTORY/../scrub/normal.perl" <n >actual &&
	test_prints sed -n "/^child/p" actual <<-\EOF
	child_start[0] ./no-such-program
	child_exit[0] pid:-1 code:-1 elapsed:_TIME_
	EOF
'

test_expect_success 'a child that a signal ends has code 128 + the signal' '
	traced --normal 143 test-tool trace2 004child sh -c "kill -TERM \$\$" &&
	sed -n "/^child_exit/p" actual >actual.child &&
	echo "child_exit[0] pid:_PID_ code:143 elapsed:_TIME_" | test_cmp - actual.child
'

test_expect_success 'child_start shows the directory of a child as cd DIR, and quotes special words' '
	mkdir "a dir" &&
	traced --normal test-tool trace2 020spawn --cwd="a dir" \
		true "it'\''s a!b" "" + plain+,-./:=@_^ &&
	test_prints sed -n "/^child_start/p" actual <<-\EOF
	child_start[0] cd '\''a dir'\''; true '\''it'\''\'\'''\''s a'\''\!'\''b'\'' '\'''\'' + plain+,-./:=@_^
	EOF
'

test_expect_success 'the stream has the events of the new program after an exec' '
	traced --normal test-tool trace2 005exec trace2 001return 0 &&
	test_cmp - actual <<-\EOF
	version test-tool 1.0
	start _EXE_ trace2 005exec trace2 001return 0
	cmd_name trace2 (trace2)
	exec[0] test-tool trace2 001return 0
	version test-tool 1.0
	start _EXE_ trace2 001return 0
	cmd_name trace2 (trace2/trace2)
	exit elapsed:_TIME_ code:0
	atexit elapsed:_TIME_ code:0
	EOF
'

test_expect_success 'an exec that fails has an exec_result with the error' '
	traced --normal 255 test-tool trace2 005exec ./no-such-program arg 2>err &&
	test_prints sed -n "/^exec/p" actual <<-\EOF
	exec[0] ./no-such-program arg
	exec_result[0] code:2 err:No such file or directory
	EOF
'

test_expect_success 'the normal target has no lines for threads, regions and data' '
	traced --normal test-tool trace2 call region_enter cat label , \
		data_string cat key value , data_intmax cat key 1 , \
		data_json cat key "{}" , region_leave cat label , \
		pthread_create base &&
	test_prints sed 1,2d actual <<-\EOF
	cmd_name trace2 (trace2)
	exit elapsed:_TIME_ code:0
	atexit elapsed:_TIME_ code:0
	EOF
'

test_expect_success 'elapsed times have 6 decimals, and numbers have all their digits' '
	traced --normal test-tool trace2 call timer_start test1 , timer_stop test1 , \
		counter_add test1 18446744073709551615 &&
	sed "s/[0-9][0-9]*\.[0-9]\{6\}/N/g" n >shape &&
	test_grep "exit elapsed:N code:0\$" shape &&
	test_grep "timer test/test1 intervals:1 total:N min:N max:N\$" shape &&
	test_grep "counter test/test1 value:18446744073709551615\$" shape &&
	test_grep "total:[0-9]\.[0-9]\{6\} min:[0-9]\.[0-9]\{6\}" n
'

# The prefix of each line: the time in 15 columns, a space, file:line, spaces.
test_expect_success !UNDER_VALGRIND 'the time and the source file and line of an event fill 50 columns' '
	traced --normal test-tool trace2 call cmd_mode m , printf "a message" &&
	grep -v "cmd_ancestry" n | cut -c51- |
		sed "s/elapsed:[0-9.]*/elapsed:N/" >actual &&
	test_cmp - actual <<-\EOF &&
	version test-tool 1.0
	start test-tool trace2 call cmd_mode m , printf '\''a message'\''
	cmd_name trace2 (trace2)
	cmd_mode m
	a message
	exit elapsed:N code:0
	atexit elapsed:N code:0
	EOF
	cut -c1-50 n |
		sed "s/^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]\{6\} /T /
			s/:[1-9][0-9]*  *\$/:LINE/" |
		sort -u >actual &&
	test_cmp - actual <<-\EOF
	T lib/session/close.c:LINE
	T t/helper/cmd-trace2-call.c:LINE
	T t/helper/cmd-trace2-calls.def:LINE
	T t/helper/test-tool.c:LINE
	EOF
'

test_expect_success !UNDER_VALGRIND 'the time of a line is local time' '
	rm -f n &&
	GIT_TRACE2="$(pwd)/n" GIT_TRACE2_EVENT="$(pwd)/trace.event" \
		TZ=XXX-05:30 test-tool trace2 001return 0 &&
	jq -r "select(.event == \"start\") | .time
		| sub(\"\\\\.(?<us>[0-9]*)Z\"; \"Z\") | fromdate + 19800
		| strftime(\"%H:%M:%S\")" trace.event >expect &&
	sed -n "s/^\([0-9:]*\)\..*  start test-tool .*/\1/p" n >actual &&
	test_line_count = 1 actual &&
	test_cmp expect actual
'

test_expect_success 'GIT_TRACE2_BRIEF accepts true, yes, on and 1' '
	for value in true yes on 1
	do
		rm -f n &&
		GIT_TRACE2="$(pwd)/n" GIT_TRACE2_BRIEF=$value \
			test-tool trace2 001return 0 &&
		test_grep "^version test-tool 1.0\$" n ||
		return 1
	done
'

test_expect_success 'each further cmd_name is appended to the hierarchy of names' '
	traced --normal test-tool trace2 call cmd_name a , cmd_name b &&
	test_prints sed -n "/^cmd_name/p" actual <<-\EOF
	cmd_name trace2 (trace2)
	cmd_name a (trace2/a)
	cmd_name b (trace2/a/b)
	EOF
'

test_done
