# SPDX-License-Identifier: MIT
#
# The script as a session of Trace2: a test is a region test/NUMBER - TITLE, a
# prerequisite that is tried a region prerequisite/NAME. The data test/result of
# a region is ok, failed, broken, fixed or skipped; a failure is an error, too.
# The data test/script is ok, failed or skipped; if the script ends early, an
# error says so.
#
# test-lib.sh reads this if the environment has GIT_TRACE2_EVENT, before it
# cleans that: what a test traces is its own affair. Below prove -PTrace2, prove
# does the same, from what the script prints.
#
# shellcheck shell=sh

test_timeline_=
test_trace2_sh_=$GIT_BUILD_DIR/build/bin/trace2.sh
test -f "$test_trace2_sh_" || test_trace2_sh_=$(command -v trace2.sh)
if test -n "$test_trace2_sh_"
then
	# Titles are no secrets.
	: "${GIT_TRACE2_REDACT=0}"
	# shellcheck source=/dev/null # it is built
	. "$test_trace2_sh_"
	test_timeline_=$trace2_on_
fi
test -n "$test_timeline_" ||
echo >&2 "warning: no events of $TEST_NAME: no trace2.sh, or GIT_TRACE2_EVENT" \
	"cannot be used by a script"

test_region_ () {
	trace2_region_enter test "$test_count - $1"
}

# test_result_ RESULT [TITLE]
test_result_ () {
	trace2_together_ test_result_events_ "$@"
}

test_result_events_ () {
	test "$1" != failed || trace2_error "not ok $test_count - $2"
	trace2_data test result "$1"
	trace2_region_leave
}

# test_script_result_ CODE: report the result of the script; a failed test
# decides it before CODE does.
test_script_result_ () {
	if test -z "$GIT_EXIT_OK" ||
	   { test "$1" != 0 && test "$test_failure" = 0; }
	then
		trace2_error "exited with $1"
		trace2_data test script failed
	elif test "$1" != 0
	then
		trace2_data test script failed
	elif test "$test_count" = 0
	then
		trace2_data test script skipped
	else
		trace2_data test script ok
	fi
}

# test_timeline_at_exit_ CODE: end the session, then the script.
test_timeline_at_exit_ () {
	{ set +x; } 2>/dev/null
	test_end_code_=$1
	test -n "$GIT_EXIT_OK" || test "$1" != 0 || test_end_code_=1
	trace2_together_ test_script_result_ "$test_end_code_"
	trace2_end_ "$test_end_code_"
	test_at_shell_exit "$1"
}
