#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='signals that end the program: the last event'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

test_skip_unless JQ

# A shell cannot distinguish death by a signal from an exit with code 128 +
# signal: perl can.
ends_by=$TEST_DIRECTORY/t0404/ends-by.perl

# killed WORD ARG...: the program ends by a signal or with a code, WORD, with
# and without tracing; leaves an event stream in e, its errors in traced.err.
killed () {
	word=$1 &&
	shift &&
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" test-tool "$@" &&
	ended "$word" &&
	cat e >>all
}

# expect_signal NR: the last event is of signal NR, and no other is of a signal.
expect_signal () {
	grep "\"event\":\"signal\"" e >signals &&
	tail -n 1 e | test_cmp signals - &&
	test_grep "\"signo\":$1}" signals &&
	test_grep ! "\"event\":\"atexit\"" e
}

# There is no signal event; the last event of the stream is EVENT.
expect_no_signal () {
	test_grep ! "\"event\":\"signal\"" e &&
	tail -n 1 e >last &&
	test_grep "\"event\":\"$1\"" last
}

# ends_unrecorded SIGNAL...: each ends the program, and none becomes an event.
ends_unrecorded () {
	for signal
	do
		rm -f e &&
		GIT_TRACE2_EVENT="$(pwd)/e" perl "$ends_by" \
			test-tool trace2 080raise "$signal" >actual &&
		test_grep "^signal" actual &&
		expect_no_signal region_enter || return 1
	done
}

test_expect_success 'no signal is recorded unless asked for' '
	ends_unrecorded PIPE TERM INT HUP ABRT USR1 ALRM &&
	killed "signal 13" trace2 085sigpipe &&
	expect_no_signal cmd_name
'

# Sanitizers have their own handler for this signal.
test_expect_success !INSTRUMENTED 'SIGSEGV is not recorded unless the list names it' '
	ends_unrecorded SEGV
'

test_expect_success 'SIGPIPE is recorded if the program asks for it' '
	killed "signal 13" --sigpipe trace2 080raise PIPE &&
	expect_signal 13 &&
	killed "signal 13" --sigpipe trace2 085sigpipe &&
	expect_signal 13 &&
	killed "signal 15" --sigpipe trace2 080raise TERM &&
	expect_no_signal region_enter
'

test_expect_success 'the setting of the user overrides that of the program' '
	GIT_TRACE2_SIGNALS=TERM killed "signal 13" --sigpipe trace2 080raise PIPE &&
	expect_no_signal region_enter &&
	GIT_TRACE2_SIGNALS=none killed "signal 13" --sigpipe trace2 080raise PIPE &&
	expect_no_signal region_enter &&
	GIT_TRACE2_SIGNALS=PIPE killed "signal 13" trace2 080raise PIPE &&
	expect_signal 13
'

test_expect_success 'signals may be listed by name and by number' '
	GIT_TRACE2_SIGNALS="TERM, sigint,	10 SIGHUP,," &&
	export GIT_TRACE2_SIGNALS &&
	test_when_finished "sane_unset GIT_TRACE2_SIGNALS" &&
	killed "signal 15" trace2 080raise TERM &&
	expect_signal 15 &&
	killed "signal 2" trace2 080raise INT &&
	expect_signal 2 &&
	killed "signal 10" trace2 080raise USR1 &&
	expect_signal 10 &&
	killed "signal 1" trace2 080raise HUP &&
	expect_signal 1 &&
	killed "signal 13" trace2 080raise PIPE &&
	expect_no_signal region_enter
'

test_expect_success 'GIT_TRACE2_SIGNALS=none, and lists without a valid signal, record no signal' '
	for list in none bogus 0 -1 99999 "," 9 KILL
	do
		GIT_TRACE2_SIGNALS=$list &&
		export GIT_TRACE2_SIGNALS &&
		killed "signal 13" trace2 080raise PIPE &&
		expect_no_signal region_enter || return 1
	done &&
	sane_unset GIT_TRACE2_SIGNALS
'

test_expect_success 'the signal of abort() is recorded' '
	GIT_TRACE2_SIGNALS=ABRT killed "signal 6" trace2 063abort &&
	expect_signal 6
'

test_expect_success !INSTRUMENTED 'signals raised by the kernel are recorded' '
	GIT_TRACE2_SIGNALS=SEGV killed "signal 11" trace2 087segfault &&
	expect_signal 11
'

test_expect_success 'a handler installed before initialization stays' '
	GIT_TRACE2_SIGNALS=TERM killed "code 0" --handle=TERM trace2 080raise TERM &&
	echo "handled 15" | test_cmp - traced.err &&
	expect_no_signal atexit
'

test_expect_success 'a handler that the program installs later replaces that of the library' '
	GIT_TRACE2_SIGNALS=TERM killed "code 0" trace2 081raise_handled TERM &&
	echo "handled 15" | test_cmp - traced.err &&
	expect_no_signal atexit &&
	GIT_TRACE2_SIGNALS=TERM killed "signal 15" trace2 086raise_resethand TERM &&
	expect_no_signal cmd_name
'

test_expect_success 'an ignored signal is not recorded' '
	killed "code 0" --sigpipe --ignore=PIPE trace2 080raise PIPE &&
	expect_no_signal atexit &&
	killed "code 0" --sigpipe --ignore=PIPE trace2 085sigpipe &&
	expect_no_signal atexit &&
	killed "code 0" --sigpipe trace2 082raise_ignored PIPE &&
	expect_no_signal atexit
'

test_expect_success 'a signal that the parent process ignored is not recorded' '
	rm -f e &&
	test-tool fault ignore PIPE env GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool --sigpipe trace2 080raise PIPE &&
	expect_no_signal atexit
'

test_expect_success 'a blocked signal is not recorded while it is pending' '
	killed "code 0" --sigpipe --block=PIPE trace2 080raise PIPE &&
	expect_no_signal atexit
'

test_expect_success 'a program may refuse the signal handlers of the library' '
	GIT_TRACE2_SIGNALS=TERM,PIPE &&
	export GIT_TRACE2_SIGNALS &&
	test_when_finished "sane_unset GIT_TRACE2_SIGNALS" &&
	killed "signal 13" --no-signals trace2 080raise PIPE &&
	expect_no_signal region_enter &&
	killed "signal 13" --sigpipe --no-signals trace2 080raise PIPE &&
	expect_no_signal region_enter
'

test_expect_success 'no handler is installed without a target' '
	GIT_TRACE2_SIGNALS=TERM,INT test-tool trace2 091sigs >actual &&
	GIT_TRACE2= test-tool --no-init trace2 091sigs >expect &&
	test_cmp expect actual &&
	GIT_TRACE2_SIGNALS=TERM,INT GIT_TRACE2="$(pwd)/missing/n" \
		test-tool trace2 091sigs >actual &&
	test_cmp expect actual
'

test_expect_success 'handlers are installed for exactly the signals of the list' '
	test-tool --no-init trace2 091sigs >before &&
	GIT_TRACE2_SIGNALS=TERM,USR2 GIT_TRACE2=/dev/null \
		test-tool trace2 091sigs >with &&
	sort before with | uniq -u >actual &&
	test_write_lines "12 handled" "15 handled" | test_cmp - actual
'

test_expect_success 'a signal is recorded while regions and timers are open' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" perl "$ends_by" test-tool --sigpipe trace2 call \
		region_enter a b , timer_start test1 , counter_add test1 3 , \
		raise PIPE >actual &&
	echo "signal 13" | test_cmp - actual &&
	expect_signal 13
'

test_expect_success 'the signal event names the thread that got the signal' '
	trace2_jq ".[-1].thread == \"main\"" e
'

# survives COMMAND...: the first process of a pid namespace, which signals with
# the default disposition do not reach.
survives () {
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" "$@" &&
	ended code 0 &&
	intact e &&
	expect_no_signal atexit
}

# valgrind cannot let a signal end its process there: it aborts.
test_expect_success PID_NAMESPACE,!UNDER_VALGRIND 'the first process of a pid namespace gets no handler, and survives' '
	GIT_TRACE2_SIGNALS=TERM,PIPE survives unshare -rpf --mount-proc \
		test-tool trace2 080raise TERM &&
	survives unshare -rpf --mount-proc \
		test-tool --sigpipe trace2 080raise PIPE
'

# A namespace whose first process is gone allows no new thread, which LeakSanitizer
# needs at the end of the parent.
test_expect_success PID_NAMESPACE 'a forked child that is first in a pid namespace gets no handler, and survives' '
	GIT_TRACE2_SIGNALS=TERM survives env \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" unshare -rp \
		"$hosts/forks" child-is-signalled &&
	trace2_jq "[.[] | .value // empty] == [\"before\", \"after\"]" e
'

# unaffected ARG...: with and without a handler of the library, the host behaves
# as without tracing.
unaffected () {
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/dispositions" "$@" &&
	cat e >>all &&
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_SIGNALS=PIPE,SEGV \
		"$hosts/dispositions" "$@" &&
	cat e >>all
}

# A sanitizer may store dispositions itself, without the flags that the kernel
# keeps.
ways="sigaction address signal"
test_have_prereq INSTRUMENTED || ways="$ways sysv_signal"

test_expect_success 'a library of the host may ignore SIGPIPE and restore the handler later' '
	for how in $ways
	do
		unaffected restores $how &&
		ended signal 13 &&
		test_write_lines "Broken pipe" | test_cmp - traced.out &&
		expect_signal 13 || return 1
	done
'

test_expect_success !INSTRUMENTED 'signals raised by the kernel end the program as signals sent by kill() do' '
	for how in $ways
	do
		unaffected faults $how &&
		ended signal 11 &&
		expect_signal 11 || return 1
	done
'

test_expect_success 'a library of the host finds SIGPIPE at SIG_DFL, and may ignore it' '
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/dispositions" looks &&
	ended code 3 &&
	intact e &&
	expect_no_signal atexit
'

test_expect_success 'a library of the host may chain to the earlier handler' '
	for how in chains chains-once chains-and-ignores
	do
		unaffected $how &&
		ended code 0 &&
		test_write_lines "Broken pipe" "handled 1" | test_cmp - traced.out &&
		expect_no_signal atexit || return 1
	done
'

# The signal of another thread ends the process only after the event is whole.
times=15
test_have_prereq !EXPENSIVE || times=50

test_expect_success 'the signal event is the last one if several threads get SIGPIPE at once' '
	for i in $(test_seq $times)
	do
		rm -f e &&
		GIT_TRACE2_EVENT="$(pwd)/e" perl "$ends_by" \
			"$hosts/dispositions" --asks at-once >actual &&
		echo "signal 13" | test_cmp - actual &&
		tail -n 1 e >last &&
		test_grep "\"event\":\"signal\".*\"signo\":13}\$" last || return 1
	done
'

test_expect_success 'signal handlers of the program may call the library' '
	traced --valid test-tool trace2 083handler_calls USR1 &&
	test_prints jq -c "select(.nesting) | [.event, .nesting, .category]" e <<-\EOF &&
	["region_enter",1,"main"]
	["region_enter",2,"handler"]
	["region_leave",2,"handler"]
	["region_leave",1,"main"]
	EOF
	trace2_jq "[.[] | select(.event == \"counter\").count] == [1]" e
'

# A call during another one is lost and counted; the output is whole.
test_expect_success 'regions stay balanced under a storm of handlers that call the library' '
	traced test-tool trace2 084handler_storm 200 &&
	jq -s -e "
		.[-1].event == \"atexit\" and
		([.[] | select(.event == \"counter\" and .name == \"test1\").count] | .[0] > 0) and
		([.[] | select(.event == \"region_enter\" and .category == \"main\")] | length) ==
		([.[] | select(.event == \"region_leave\" and .category == \"main\")] | length)" e
'

test_expect_success 'a handler of the program may emit the signal event itself' '
	killed "signal 13" trace2 088raise_own PIPE &&
	expect_signal 13 &&
	jq -r "select(.event == \"signal\").file" e >actual &&
	echo t/helper/cmd-trace2-signal.c | test_cmp - actual &&
	killed "signal 15" trace2 088raise_own TERM &&
	expect_signal 15
'

test_expect_success 'trace2_signal() before the session begins does nothing' '
	rm -f e &&
	test_expect_code 143 env GIT_TRACE2_EVENT="$(pwd)/e" \
		GIT_TRACE2_SIGNALS=TERM sh -c "exec test-tool --no-init trace2 \
			call signal 2 , initialize , cmd_start prog , raise TERM" &&
	expect_valid_stream --killed e &&
	expect_signal 15
'

test_expect_success 'all streams of this script are valid' '
	intact all
'

test_done
