#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record: the records of the kernel in kernel.data'

. ./test-lib.sh

# What stock perf reads: one line for each record.
records () {
	perf script -i trace2.data/kernel.data --show-task-events \
		--show-switch-events >records 2>err
}

test_lazy_prereq PERF_SCRIPT 'perf script -h >out 2>&1 || grep usage out'

test_expect_success TASKS,PERF_SCRIPT 'when each process began, had a CPU, and ended' '
	trace2 record -- sh -c "sleep 0.01; :" &&
	records &&
	grep "sh .*PERF_RECORD_COMM exec: sh:" records &&
	grep "PERF_RECORD_FORK" records &&
	grep "sleep .*PERF_RECORD_COMM exec: sleep:" records &&
	grep "sleep .*PERF_RECORD_SWITCH OUT" records &&
	grep "sleep .*PERF_RECORD_SWITCH IN" records &&
	test "$(grep -c "PERF_RECORD_EXIT" records)" = 2
'

test_expect_success TASKS '--no-states leaves it out' '
	trace2 record --no-states -- true &&
	test_path_is_file trace2.data/tasks.jsonl &&
	test_path_is_missing trace2.data/kernel.data
'

test_done
