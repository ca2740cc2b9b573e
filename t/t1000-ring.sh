#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the ring target: a file of records that outlives its process'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# ringed CODE ARG...: run test-tool trace2 with a ring in r and write its
# content to actual: records of slot 0 first, times and ids as words.
ringed () {
	code=$1 &&
	shift &&
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" test_expect_code "$code" test-tool trace2 "$@" &&
	dump r
}

dump () {
	test-tool ring dump "$1" >dump.txt &&
	sed -e "/ MMAP /d" -e "/ FILLER /d" -e "/cmd_ancestry/d" \
	    -e "s/time=[0-9]*/time=T/; s/t_[a-z]*=[0-9]*/T/g" \
	    -e "s/line=[1-9][0-9]*/line=N/; s/ site=[0-9]*//" \
	    -e "s/pid=[1-9][0-9]*/pid=P/g; s/tid=[1-9][0-9]*/tid=T/g" \
	    -e "s/sid=[^ ]*/sid=S/" -e "s/file=\"[^\"]*\"/file=F/" dump.txt >actual
}

# Valgrind starts the program by its whole path.
test_expect_success !UNDER_VALGRIND 'a ring has a record for each event, with the thread that emitted it' '
	ringed 3 001return 3 &&
	test_cmp - actual <<-\EOF
	arena exited status=3 pid=P ppid=P sid=S mode=overwrite size=262144
	0 slot free tid=0 ptid=0 name= overwritten=0
	0 COMM pid=P tid=T comm="main"
	0 version time=T tid=T repo=0 nesting=1 file=F line=N evt="4" exe="test-tool 1.0" part=0
	0 start time=T tid=T repo=0 nesting=1 file=F line=N argv=["test-tool" "trace2" "001return" "3"]
	0 cmd_name time=T tid=T repo=0 nesting=1 file=F line=N name="trace2" hierarchy="trace2"
	0 EXIT pid=P ppid=P tid=T ptid=0 time=T
	1 slot live tid=T ptid=0 name=main overwritten=0
	1 exit time=T tid=T repo=0 nesting=1 file=F line=N code=3
	1 atexit time=T tid=T repo=0 nesting=1 file=F line=N code=3 lost=0
	EOF
'

test_expect_success 'a ring records every kind of event, alone or beside another target' '
	GIT_TRACE2_SIGNALS=TERM && export GIT_TRACE2_SIGNALS &&
	ringed 143 allevents TERM &&
	mv actual alone &&
	GIT_TRACE2_PERF="$(pwd)/p" && export GIT_TRACE2_PERF &&
	ringed 143 allevents TERM &&
	sane_unset GIT_TRACE2_SIGNALS GIT_TRACE2_PERF &&
	test_line_count -gt 30 alone &&
	test_cmp alone actual &&
	test-tool events json | sed -n "s/^{\"name\":\"\([a-z_]*\)\".*/\1/p" | sort >names &&
	test_line_count -gt 25 names &&
	for event in $(cat names)
	do
		case $event in
		too_many_files | cmd_ancestry | exit | atexit | timer | counter) ;;
		*) test_grep "^[0-9]* $event " alone || return 1 ;;
		esac
	done
'

test_expect_success 'the file of a ring is accessible to its owner only' '
	(
		umask 0 &&
		rm -f r &&
		GIT_TRACE2_RING="$(pwd)/r" test-tool trace2 001return 0
	) &&
	ls -l r >mode &&
	test_grep "^-rw-------" mode
'

test_expect_success 'a ring in a directory is named after the session' '
	mkdir d &&
	GIT_TRACE2_RING="$(pwd)/d" GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 001return 0 &&
	ls d >names &&
	test_line_count = 1 names &&
	name=$(cat names) &&
	test -n "$name" &&
	test_grep "\"sid\":\"$name\"" e &&
	test-tool ring dump d/"$name" >dump.txt &&
	test_grep "sid=$name " dump.txt
'

test_expect_success 'a ring of a child session has the whole SID' '
	rm -f r &&
	GIT_TRACE2_PARENT_SID=above GIT_TRACE2_RING="$(pwd)/r" \
		test-tool trace2 001return 0 &&
	test-tool ring dump r >dump.txt &&
	test_grep "sid=above/2" dump.txt
'

test_expect_success 'a ring has events by thread, and starts, names and ends of threads in slot 0' '
	ringed 0 101timer 3 0 2 &&
	grep "^0" actual >tasks &&
	head -n 3 tasks >first &&
	test_cmp - first <<-\EOF &&
	0 slot free tid=0 ptid=0 name= overwritten=0
	0 timer test/test2 6 nest=0 unpaired=0
	0 COMM pid=P tid=T comm="main"
	EOF
	sed -n "4,\$s/ .*comm=/ COMM /p" tasks | sort >names &&
	test_cmp - names <<-\EOF &&
	0 COMM "th01:ut_101"
	0 COMM "th02:ut_101"
	EOF
	grep -c FORK tasks >forks &&
	echo 2 | test_cmp - forks &&
	grep -c EXIT tasks >exits &&
	echo 3 | test_cmp - exits &&
	grep " thread_start \| th_timer \| thread_exit " actual >events &&
	test_line_count = 6 events &&
	# The last thread to end is main.
	main=$(sed -n "s/^arena.* pid=\([0-9]*\) .*/\1/p" dump.txt) &&
	test -n "$main" &&
	sed -n "/ EXIT /p" dump.txt | tail -n 1 >last &&
	test_grep "tid=$main ptid=0" last
'

test_expect_success !UNDER_VALGRIND 'an argument of 240 KB is cut, and marked as cut' '
	rm -f r &&
	perl -e "print q(x) x 120000" >long &&
	GIT_TRACE2_RING="$(pwd)/r" test_expect_code 129 \
		test-tool trace2 001return 0 "$(cat long)" "$(cat long)" &&
	test-tool ring dump r >dump.txt &&
	grep " start " dump.txt >start &&
	test_grep " cut repo=0" start &&
	test_grep "argv=\[\"test-tool\" \"trace2\" \"001return\" \"0\" \"xxx" start &&
	test_grep " atexit .*lost=0" dump.txt
'

test_expect_success 'secrets are hidden in a ring' '
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" test-tool --no-init trace2 call \
		initialize , cmd_start git clone https://user:hunter2@example.com/x &&
	! grep hunter2 r &&
	test-tool ring dump r >dump.txt &&
	test_grep "https://user:<REDACTED>@example.com/x" dump.txt
'

test_expect_success 'a brief ring has no file and line' '
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_BRIEF=1 \
		test-tool trace2 001return 0 &&
	test-tool ring dump r >dump.txt &&
	test_grep "version .* file=- line=0 evt=" dump.txt
'

test_expect_success 'size and mode of a ring are settings; the size is rounded to a power of two' '
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=5k \
		GIT_TRACE2_RING_MODE=consume test-tool trace2 001return 0 &&
	test-tool ring dump r >dump.txt &&
	test_grep "mode=consume size=8192\$" dump.txt
'

test_expect_success 'a ring can be switched on by a config file' '
	rm -f r &&
	test_config_global trace2.ringSize 1 &&
	test_config_global trace2.ringMode Consume &&
	test_config_global trace2.ringTarget "$(pwd)/r" &&
	test-tool trace2 001return 0 &&
	test-tool ring dump r >dump.txt &&
	test_grep "mode=consume size=4096\$" dump.txt
'

test_expect_success 'the ring of a killed process has its events, and shows the threads still running' '
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" test_expect_code 137 \
		test-tool trace2 080raise KILL &&
	test-tool ring dump r >dump.txt &&
	test_grep "^arena running" dump.txt &&
	test_grep "^1 slot live .*name=main" dump.txt &&
	test_grep "^0 start " dump.txt &&
	! grep " atexit " dump.txt
'

test_expect_success 'a ring has a signal event, and the signal as the status of the process' '
	rm -f r &&
	GIT_TRACE2_SIGNALS=TERM GIT_TRACE2_RING="$(pwd)/r" test_expect_code 143 \
		test-tool trace2 080raise TERM &&
	test-tool ring dump r >dump.txt &&
	test_grep "^arena signalled status=15 " dump.txt &&
	test_grep "^1 signal .* signo=15\$" dump.txt
'

test_done
