#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the host is unharmed by tracing

Output, exit, descriptors, signal handlers and signal masks of a program are the
same with and without tracing, whichever calls it makes.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

# all_targets COMMAND...: run it with every target on.
all_targets () {
	rm -rf "$TRASH_DIRECTORY"/trace.* &&
	mkdir "$TRASH_DIRECTORY/trace.d" &&
	GIT_TRACE2="$TRASH_DIRECTORY/trace.n" \
		GIT_TRACE2_PERF="$TRASH_DIRECTORY/trace.d" \
		GIT_TRACE2_EVENT="$TRASH_DIRECTORY/trace.e" \
		GIT_TRACE2_EVENT_NESTING=100 \
		GIT_TRACE2_CONFIG_PARAMS='*' GIT_TRACE2_ENV_VARS=HOME,PATH \
		"$@"
}

# outcome NAME COMMAND...: write NAME.out, NAME.err and NAME.code.
outcome () {
	name=$1 &&
	shift &&
	code=0 &&
	{
		"$@" >"$name.out" 2>"$name.err" </dev/null || code=$?
	} &&
	echo "$code" >"$name.code"
}

test_expect_success 'every call keeps errno and the signal mask' '
	test-tool trace2 015errno &&
	all_targets test-tool trace2 015errno &&
	GIT_TRACE2=/dev/full test-tool trace2 015errno &&
	GIT_TRACE2=2 test-tool fault close-fd 2 test-tool trace2 015errno &&
	test-tool trace2 017signal &&
	all_targets test-tool trace2 017signal &&
	test_grep "\"signo\":2" trace.e &&
	GIT_TRACE2=/dev/full test-tool trace2 017signal
'

test_expect_success 'every call accepts NULL' '
	test-tool trace2 014nulls &&
	all_targets test-tool trace2 014nulls &&
	test_grep "\"key\":\"last\"" trace.e &&
	perl "$TEST_DIRECTORY/../scrub/event.perl" trace.e >/dev/null &&
	perl "$TEST_DIRECTORY/../scrub/normal.perl" trace.n >/dev/null &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" trace.d/* >/dev/null
'

test_expect_success 'calls before initialize accept NULL, and keep errno' '
	test-tool --no-init trace2 014nulls &&
	all_targets test-tool --no-init trace2 014nulls &&
	test-tool --no-init trace2 015errno
'

test_expect_success 'descriptors of the library are close-on-exec and above those of the host' '
	test-tool trace2 090fds >before &&
	all_targets test-tool trace2 090fds >with &&
	sort before with | uniq -u >ours &&
	test_line_count = 3 ours &&
	test_grep ! -v "^[1-9][0-9][0-9]* CLOEXEC\$" ours
'

test_expect_success 'a descriptor number that the host closed stays free' '
	all_targets test-tool trace2 094fd_stays_free 0 &&
	all_targets test-tool trace2 094fd_stays_free 3 &&
	all_targets test-tool trace2 094fd_stays_free 7
'

test_expect_success 'tracing leaves signal handlers and the signal mask unchanged' '
	test-tool trace2 091sigs >before &&
	all_targets test-tool trace2 091sigs >with &&
	test_cmp before with &&
	all_targets test-tool --sigpipe trace2 091sigs >with &&
	sort before with | uniq -u >ours &&
	echo "13 handled" | test_cmp - ours
'

test_expect_success 'a program may run without descriptors 0 to 2' '
	for fd in 0 1 2
	do
		all_targets test_expect_code 7 test-tool fault close-fd $fd \
			test-tool trace2 001return 7 &&
		expect_valid_stream trace.e || return 1
	done
'

test_expect_success 'a host may remove or leave its working directory' '
	mkdir -p gone &&
	(
		cd gone &&
		rm -r ../gone &&
		all_targets test_expect_code 3 test-tool trace2 001return 3
	) &&
	all_targets test-tool trace2 call chdir / , data_string a b c &&
	expect_valid_stream trace.e
'

# Verbs whose result is the host's; other tests have those that wait, or whose
# output depends on tracing by design.
verbs=$TEST_DIRECTORY/t0500/verbs

test_expect_success 'tracing changes no output, exit, descriptors, signals or children of test-tool' '
	rm -rf trace.* &&
	mkdir trace.d &&
	while read -r line
	do
		eval "set -- $line" &&
		unharmed GIT_TRACE2="$(pwd)/trace.n" GIT_TRACE2_EVENT_NESTING=100 \
			GIT_TRACE2_PERF="$(pwd)/trace.d" GIT_TRACE2_EVENT="$(pwd)/trace.e" \
			test-tool trace2 "$@" ||
		{
			echo "it was: $line"
			return 1
		}
	done <"$verbs" &&
	intact trace.e
'

test_expect_success 'each verb of test-tool trace2 is tested here, or left out for a reason' '
	test_expect_code 129 test-tool trace2 2>usage &&
	sed -n "s/.*: test-tool trace2 \([^ ]*\).*/\1/p" usage | sort >all &&
	sed "s/ .*//; s/^spawn\$/020spawn/" "$verbs" | sort -u >known &&
	cat >left-out <<-\EOF &&
	012call
	012formats
	013calls
	014nulls
	015errno
	017signal
	068daemon_resumes
	077daemon
	079fork_killed
	084handler_storm
	086raise_resethand
	087segfault
	090fds
	091sigs
	092env
	093session_id
	094fd_stays_free
	114timer_clock
	212module
	260rotate
	262until
	263kinds_until
	300redact_start
	301redact_child_start
	302redact_exec
	303redact_def_param
	400ancestry
	504open
	505misuse
	506pool
	507handler
	509children
	511killed
	512exiting
	EOF
	sort known left-out | uniq >expect &&
	test_cmp expect all
'

test_expect_success 'unusable destinations change neither output nor exit code' '
	while read -r destination
	do
		outcome off test-tool trace2 016allevents &&
		GIT_TRACE2=$destination GIT_TRACE2_PERF=$destination \
			GIT_TRACE2_EVENT=$destination \
			outcome on test-tool trace2 016allevents &&
		for kind in out err code
		do
			test_cmp off.$kind on.$kind || return 1
		done ||
		{
			echo "it was: $destination"
			return 1
		}
	done <<-EOF
	/dev/full
	/proc
	/dev/null
	/proc/self/mem
	/missing/file
	$(pwd)/trace.n/file
	af_unix:/missing/socket
	9
	EOF
'

# Each kind of target renders numbers itself.
test_expect_success 'tracing raises no floating-point exception' '
	for target in GIT_TRACE2 GIT_TRACE2_PERF GIT_TRACE2_EVENT GIT_TRACE2_RING
	do
		rm -rf told &&
		if test $target = GIT_TRACE2_RING
		then
			mkdir told
		fi &&
		for how in trap flags
		do
			unharmed $target="$(pwd)/told" \
				"$GIT_BUILD_DIR/build/hosts/numbers" $how &&
			ended code 0 &&
			echo 0 | test_cmp - traced.out || return 1
		done
	done
'

test_expect_success JQ 'tracing keeps floating-point flags, and writes numbers exactly' '
	GIT_TRACE2_EVENT="$(pwd)/told.e" "$GIT_BUILD_DIR/build/hosts/numbers" flags &&
	test_when_finished "rm told.e" &&
	test_prints jq -r "select(.event == \"data\" and .key == \"at\").value" told.e <<-\EOF
	0
	4.94065645841247e-324
	1.7976931348623157e+308
	-Infinity
	NaN
	NaN
	0.1
	9.2233720368547758e+18
	EOF
'

test_expect_success 'a program linked with the shared library runs unharmed' '
	outcome off "$GIT_BUILD_DIR/build/hosts/plain" 7 &&
	all_targets outcome on "$GIT_BUILD_DIR/build/hosts/plain" 7 &&
	for kind in out err code
	do
		test_cmp off.$kind on.$kind || return 1
	done &&
	echo 7 | test_cmp - on.code
'

test_done
