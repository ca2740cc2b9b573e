#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='limited resources of a process: mappings, memory, descriptors'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

host=$GIT_BUILD_DIR/build/hosts/resources

# Sanitizers and valgrind need additional memory for every mapping.
if ! test_have_prereq JQ,!INSTRUMENTED || ! test -x "$host"
then
	skip_all='jq and build/hosts/resources are needed, and no sanitizer'
	test_done
fi

# mappings NR [VARIABLE=VALUE...]: print the number of mappings with NR threads
mappings () {
	nr=$1 &&
	shift &&
	env "$@" "$host" mappings "$nr"
}

# A thread has two mappings without the library.
test_expect_success 'threads need no mappings of their own' '
	plain=$(mappings 600) &&
	traced=$(mappings 600 GIT_TRACE2=/dev/null GIT_TRACE2_PERF=/dev/null \
		GIT_TRACE2_EVENT=/dev/null) &&
	test "$plain" -gt 600 &&
	test $((traced - plain)) -lt 100
'

test_expect_success 'threads with a ring need at most one mapping for each slot' '
	plain=${plain:-$(mappings 600)} &&
	traced=$(mappings 600 GIT_TRACE2_RING="$(pwd)/r" \
		GIT_TRACE2_RING_SIZE=4k) &&
	rm r &&
	test $((traced - plain)) -lt 356
'

# long_lines VERB THREADS BYTES [VARIABLE=VALUE...]: print how much memory the
# threads have after each wrote BYTES bytes, and how much remains after they
# ended. The result is large or small beside one line a thread: the allocator
# and the kernel take memory, too.
long_lines () {
	verb=$1 threads=$2 bytes=$3 &&
	shift 3 &&
	env "$@" "$host" "$verb" "$threads" "$bytes" >out &&
	cat out &&
	lines=$((threads * bytes)) &&
	living=$(sed -n 1p out) &&
	ended=$(sed -n 2p out)
}

test_expect_success 'memory for a line of 1 MB is freed after the line' '
	for verb in long-lines long-lines-odd
	do
		long_lines $verb 20 1000000 GIT_TRACE2_EVENT=/dev/null \
			GIT_TRACE2_PERF=/dev/null &&
		test "$living" -lt $((lines / 2)) &&
		test "$ended" -lt $((lines / 2)) || return 1
	done
'

test_expect_success 'memory for a line of 50 KB is freed when the thread ends' '
	long_lines long-lines 200 50000 GIT_TRACE2_EVENT=/dev/null &&
	test "$living" -gt "$lines" &&
	test "$ended" -lt $((lines / 2)) &&
	kept=$living
'

test_expect_success 'memory for a line of 50 KB is freed once the thread has written short lines' '
	long_lines long-lines 200 50000 GIT_TRACE2_EVENT=/dev/null \
		RESOURCES_SAY=40 &&
	test "$living" -lt $((kept / 2))
'

test_expect_success 'memory for many nested regions is freed when the thread ends' '
	GIT_TRACE2_EVENT=/dev/null GIT_TRACE2_EVENT_NESTING=1 \
		"$host" deep-regions 20 >out &&
	cat out &&
	living=$(sed -n 1p out) &&
	ended=$(sed -n 2p out) &&
	test "$living" -gt 5000000 &&
	test "$ended" -lt $((living / 4))
'

# openable [VARIABLE=VALUE...]: print how many descriptors a process can open
# that has a limit of 200 and 60 threads
openable () {
	env "$@" test-tool fault rlimit-nofile 200 "$host" descriptors 60
}

# lacking WHAT: print how many threads lack WHAT, by the stream e
lacking () {
	sed -n "s/.*\"trace2: \([0-9]*\) threads have no $1: .*/\1/p" e
}

test_expect_success KERNEL_EVENTS 'counted events use at most a quarter of the descriptors' '
	plain=$(openable A=b) &&
	rm -f e &&
	traced=$(openable GIT_TRACE2_EVENT="$(pwd)/e" \
		GIT_TRACE2_COUNTERS=page-faults,task-clock,cs) &&
	test "$plain" -gt 180 &&
	test "$traced" -ge $((plain - 50 - 5)) &&
	lacking "counts of their own (th_counter)" >actual &&
	test_line_count = 1 actual &&
	jq -s "[.[] | select(.event == \"th_counter\" and
		.name == \"page-faults\")] | length" e >with &&
	test $(($(cat actual) + $(cat with))) = 61 &&
	trace2 report --errors e >report &&
	test_grep "$(cat actual) threads have no counts" report
'

test_expect_success KERNEL_EVENTS 'the total of a counter includes threads that have no descriptor for it' '
	jq -s "[.[] | select(.event == \"th_counter\" and
		.name == \"page-faults\").count] | add" e >counted &&
	jq -s ".[] | select(.event == \"counter\" and
		.name == \"page-faults\").count" e >all &&
	test "$(cat all)" -gt "$(cat counted)"
'

test_expect_success KERNEL_EVENTS 'sampled events use no memory for each event' '
	rm -f e r &&
	traced=$(openable GIT_TRACE2_EVENT="$(pwd)/e" \
		GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=4k \
		GIT_TRACE2_SAMPLE=page-faults:1000,cs:1000) &&
	plain=$(openable A=b) &&
	rm r &&
	test "$traced" -ge $((plain - 50 - 10)) &&
	lacking samples >actual &&
	test_line_count = 1 actual &&
	# The main thread and 24 others have two each.
	test "$(cat actual)" = $((61 - 25))
'

test_expect_success KERNEL_EVENTS 'each counter that would exceed a quarter of the descriptors is an error event' '
	traced env GIT_TRACE2_COUNTERS=page-faults,task-clock,cs,cpu-clock,major-faults,minor-faults \
		test-tool fault rlimit-nofile 20 "$host" mappings 1 &&
	test "$(grep -c "events take a quarter of the 20 descriptors" e)" = 2 &&
	test_grep "event .minor-faults.: events take a quarter" e
'

# The file `actual` has how many KB more are locked.
test_expect_success 'spans use as much locked memory as they need, and no more' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$GIT_BUILD_DIR/build/hosts/locked" >actual &&
	one=$(sed -n "s/^one //p" actual) &&
	many=$(sed -n "s/^many //p" actual) &&
	test "$one" -gt 0 &&
	test "$one" -le 256 &&
	test "$many" -le 512 &&
	grep "\"span\"" e >spans &&
	test_line_count = 301 spans &&
	test_grep ! "without room" e
'

test_expect_success KERNEL_EVENTS 'threads that ended free their descriptors' '
	traced env GIT_TRACE2_COUNTERS=page-faults \
		test-tool fault rlimit-nofile 200 "$host" one-by-one 100 &&
	test_grep ! "threads have no counts" e &&
	jq -s "[.[] | select(.event == \"th_counter\")] | length" e >with &&
	test "$(cat with)" = 101
'

test_done
