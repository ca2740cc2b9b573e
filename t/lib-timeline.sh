# SPDX-License-Identifier: MIT
#
# The script as a session of Trace2: a test is a region test/NUMBER - TITLE, a
# prerequisite that is tried a region prerequisite/NAME. The data test/result of
# a region is ok, failed, broken, fixed or skipped; a failure is an error, too.
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
