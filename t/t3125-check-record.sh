#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 check --record: what a recorder has here, and lacks'

. ./test-lib.sh

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

test_expect_success 'the check agrees with a recording' '
	checked env &&
	trace2 record -q -o here -- sh -c "true; exit 0" &&
	jq -r ".states, .wait_causes, .wakers, .exit_codes" here/meta.json |
		sed "s/^kernel$/true/; s/^connector$/true/; s/^ptrace$/true/; /^true$/!s/.*/false/" >expect &&
	{
		has "states of threads" &&
		has "causes of waits" &&
		has "who woke them" &&
		has "exit codes, all arguments"
	} >actual &&
	test_cmp expect actual
'

test_expect_success 'the exit code is 0 where the path will be right' '
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

test_expect_success SECCOMP 'below the filter of a container there is ptrace, and a remedy' '
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

test_expect_success SECCOMP,EXIT_CODES 'the connector alone has no CPU time' '
	checked filter perf &&
	test "$(has "all processes")" = true &&
	test "$(has "exit codes, all arguments")" = true &&
	test "$(has "CPU time")" = false
'

test_expect_success 'a remedy is named on the page of where it runs' '
	sed -n "/^TR2_REMEDY/,/)$/s/^[^\"]*\"\(.*\)\").*/\1/p" \
		"$GIT_BUILD_DIR/tool/record/remedies.def" >remedies &&
	test_line_count = 5 remedies &&
	while read -r words
	do
		grep -F "$words" "$GIT_BUILD_DIR/Documentation/where-it-runs.adoc" ||
		return 1
	done <remedies
'

test_expect_success 'check --record: an input is an error of use' '
	test_expect_code 2 trace2 check --record somewhere 2>err &&
	test_grep "takes no INPUT" err
'

test_done
