#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='records of the kernel, compared with those of perf record

t/unit/perf-records.c and perf-kernel.c test all that needs no other program.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

test_lazy_prereq LOST_FORMAT '
	case "$(uname -r)" in
	[0-5].*) false ;;
	esac
'

# The kernel limits the number of samples in each tick of its clock: then the run
# is made again.
# faults PAGES PERIOD MAP: write the library's records to ours; print their
# number, and how many were lost.
faults () {
	wait_until faults_unthrottled "$@" &&
	take_ours
}

faults_unthrottled () {
	test-tool perf faults "$@" >out &&
	grep "throttled 0" out >/dev/null
}

take_ours () {
	grep -v "^value" out | LC_ALL=C sort >ours &&
	sed -n "s/^value \([0-9]*\) .*/\1/p" out >value &&
	sed -n "s/.* lost \([0-9]*\) .*/\1/p" out >lost
}

# Do the same, with the records of perf record in theirs.
recorded () {
	wait_until recorded_unthrottled "$@" &&
	take_ours &&
	perf script -i perf.data -F tid,ip,addr 2>/dev/null |
	awk "{ print \$1, \$3, \$2 }" | LC_ALL=C sort >theirs
}

recorded_unthrottled () {
	perf record -q -e page-faults:u -c 1 -d -o perf.data \
		test-tool perf faults "$@" >out &&
	grep "throttled 0" out >/dev/null &&
	perf report --stats -i perf.data >stats 2>/dev/null &&
	! grep " THROTTLE " stats >/dev/null
}

# The faults of a sanitizer exceed the limit of samples.
test_expect_success PERF_RECORD,!INSTRUMENTED 'each recorded page fault has the code and data address that perf records' '
	recorded 90 1 64 &&
	test_line_count -ge 90 ours &&
	test_line_count = "$(cat value)" ours &&
	comm -23 ours theirs >only-ours &&
	test_must_be_empty only-ours
'

test_expect_success PERF_RECORD,!INSTRUMENTED 'every tenth event gives a sample' '
	recorded 90 10 64 &&
	test_line_count = $(($(cat value) / 10)) ours &&
	comm -23 ours theirs >only-ours &&
	test_must_be_empty only-ours
'

test_expect_success KERNEL_SAMPLES,LOST_FORMAT,!INSTRUMENTED 'samples that do not fit into a small map are counted' '
	faults 90 1 1 &&
	test "$(cat lost)" -gt 0 &&
	test_line_count = $(($(cat value) - $(cat lost))) ours
'

test_expect_success CC,!INSTRUMENTED 'the example of sampling in the manual page trace2-perf runs' '
	run_example bytes poll.h "woken "
'

test_done
