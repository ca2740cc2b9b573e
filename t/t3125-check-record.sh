#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 check --record: the means that a recorder has on this machine, and lacks'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

test_skip_unless JQ,PERL

# checked COMMAND...: the JSON of the check that the command runs.
checked () {
	"$@" trace2 check --record --format=json >json
	test $? -le 1
}

filter () {
	"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" "$@"
}

# has WHAT: print whether that is available to trace2 record.
has () {
	jq -r --arg what "$1" '.sources[] |
		select(.command == "record" and .what == $what) | .available' json
}

test_lazy_prereq INITIAL_PID '
	test "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" &&
	! grep "^Seccomp:.2" /proc/self/status
'
test_lazy_prereq USER_NAMESPACE '
	unshare -Ur true && test "$(readlink /proc/self/ns/user)" = "user:[4026531837]"
'

test_expect_success 'check --record lists as available exactly the data that record then stores' '
	checked env &&
	trace2 record -q -o here -- sh -c "true; exit 0" &&
	jq -r ".states, .wait_causes, .wakers, .exit_codes" here/meta.json |
		sed "s/^kernel$/true/; s/^connector$/true/; s/^ptrace$/true/; /^true$/!s/.*/false/" >expect &&
	{
		has "states of threads" &&
		has "causes of waits" &&
		has "who woke them" &&
		has "exit codes, arguments"
	} >actual &&
	test_cmp expect actual
'

test_expect_success 'check --record exits with 0 if the critical path will be right' '
	checked env &&
	jq -r .summary[0].path json >path &&
	if test "$(cat path)" = right
	then
		trace2 check --record >out
	else
		test_expect_code 1 trace2 check --record >out
	fi &&
	test_grep "^critical path: " out
'

test_expect_success SECCOMP 'check --record below a container filter offers ptrace, and names the remedy' '
	checked filter all &&
	filter all trace2 record -q -o contained -- true &&
	source=$(jq -r .task_source contained/meta.json) &&
	if test "$source" = ptrace
	then
		test "$(has "all processes")" = true &&
		test "$(has "CPU time")" = true
	fi &&
	test "$(has "states of threads")" = false &&
	jq -e ".summary[0] | .path != \"right\" and
		(.remedy | test(\"cap-add PERFMON|securityContext\"))" json &&
	test_expect_code 1 filter all trace2 check --record >out &&
	test_grep "^for more: " out
'

# more FILE: print the remedy in that text.
more () {
	sed -n "s/^[^(]*for more: \(.*\)/\1/p" "$1" |
		sed "s/ (see .*//; s/)\$//; s/; .trace2 top.*//"
}

# says_the_same COMMAND...: check, record, report and stat, which run so, name
# one remedy: the file remedy.
says_the_same () {
	rm -rf same &&
	mkdir -m 777 same &&
	checked "$@" &&
	jq -r ".summary[0].remedy // empty" json >remedy &&
	test_line_count -eq 1 remedy &&
	"$@" trace2 record -o same/r -- sh -c "sleep 0.01; :" 2>err &&
	more err | test_cmp remedy - &&
	jq -r .remedy same/r/meta.json | test_cmp remedy - &&
	trace2 report same/r >out &&
	more out | test_cmp remedy - &&
	test "$(grep -c "for more: " out)" = 1 &&
	"$@" trace2 stat -q -e cpu-migrations -r 1 -- true >out &&
	more out | test_cmp remedy -
}

test_expect_success SECCOMP 'a seccomp filter: check, record, report and stat name the same remedy' '
	says_the_same filter all &&
	test_grep "cap-add PERFMON\|securityContext" remedy &&
	test_grep "cpu-migrations (not permitted (a seccomp filter refuses it))" out
'

test_expect_success SECCOMP,ORDINARY_USER,PARANOID_2 'check --record names a seccomp filter, whichever error the filter returns' '
	for error in 1 13
	do
		checked as_ordinary env DENY_ERRNO=$error "$PERL_PATH" \
			"$TEST_DIRECTORY/t3100/deny.perl" perf &&
		jq -e ".sources[] | select(.what == \"states of threads\") |
			.why | test(\"a seccomp filter refuses it\")" json &&
		jq -r ".summary[0].remedy" json >remedy &&
		test_grep ! sysctl remedy || return 1
	done
'

test_expect_success ORDINARY_USER,PARANOID_2,INITIAL_PID 'perf_event_paranoid: check, record, report and stat name the same remedy' '
	says_the_same as_ordinary &&
	echo "sudo sysctl kernel.perf_event_paranoid=1" | test_cmp - remedy &&
	test_grep "cpu-migrations (not permitted (kernel.perf_event_paranoid is 2))" out
'

test_expect_success USER_NAMESPACE,PARANOID_2,INITIAL_PID 'a user namespace: check, record, report and stat name the same remedy' '
	says_the_same unshare -Ur &&
	echo "on the host: sudo sysctl kernel.perf_event_paranoid=1" |
		test_cmp - remedy &&
	test_grep "or CAP_PERFMON outside of user namespaces, is needed" err
'

test_expect_success SECCOMP,EXIT_CODES 'check --record: the process connector alone gives no CPU times' '
	checked filter perf &&
	test "$(has "all processes")" = true &&
	test "$(has "exit codes, arguments")" = true &&
	test "$(has "CPU time")" = false
'

test_expect_success 'each remedy is explained on the page where-it-runs' '
	sed -n "/^TR2_REMEDY/,/)$/s/^[^\"]*\"\(.*\)\").*/\1/p" \
		"$GIT_BUILD_DIR/tool/record/remedies.def" >remedies &&
	test_line_count = 9 remedies &&
	while read -r words
	do
		grep -F "$words" "$GIT_BUILD_DIR/Documentation/where-it-runs.adoc" ||
		return 1
	done <remedies
'

test_expect_success 'check --record with an input is a usage error' '
	test_expect_code 2 trace2 check --record somewhere 2>err &&
	test_grep "takes no INPUT" err
'

test_done
