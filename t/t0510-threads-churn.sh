#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='threads come and go while targets fail and modules are loaded

All this happens at once, for the thread sanitizer; and no counted value is
missing.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

churn=$GIT_BUILD_DIR/build/hosts/churn
module=$GIT_BUILD_DIR/build/modules/metrics.so

if ! test_have_prereq JQ || ! test -x "$churn" || ! test -f "$module"
then
	skip_all='jq, build/hosts/churn and build/modules are needed'
	test_done
fi

rounds=100
test_have_prereq !INSTRUMENTED || rounds=30
test_have_prereq !EXPENSIVE || rounds=3000

# A thread that is cancelled before it starts counts nothing: the expected sum
# differs from run to run, and the host prints it.
churned () {
	rm -f e &&
	env "$@" "$churn" "$module" $rounds >out &&
	counted=$(sed -n "s/^counted //p" out) &&
	test "$counted" -ge $((rounds * 6))
}

test_expect_success 'threads that come and go: a file has whole lines and right sums' '
	churned GIT_TRACE2_EVENT="$(pwd)/e" &&
	intact e &&
	trace2_jq "([.[] | select(.event == \"counter\") | {(.name): .count}] | add |
		.test1 == $counted + 100 * $rounds and
		.calls == $rounds and .items == 10 * $rounds) and
		([.[] | select(.event == \"timer\" and .category == \"module\").intervals]
		== [$rounds])" e
'

test_expect_success 'threads that come and go: one failed target leaves the event file whole' '
	rm -f n p &&
	churned GIT_TRACE2=9 GIT_TRACE2_PERF="$(pwd)/p" \
		GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_EVENT_NESTING=9 &&
	intact e &&
	trace2_jq "([.[] | select(.event == \"counter\" and .name == \"items\").count]
		== [10 * $rounds]) and
		(.[-1] | .event == \"atexit\" and .lost > 0)" e
'

test_expect_success 'threads that come and go: the host runs on while all targets fail' '
	churned GIT_TRACE2=9 GIT_TRACE2_PERF=9 GIT_TRACE2_EVENT=9 &&
	churned GIT_TRACE2=/dev/full GIT_TRACE2_PERF=9 GIT_TRACE2_EVENT=9
'

test_done
