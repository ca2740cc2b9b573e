#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='GIT_TRACE2_SAMPLE: the calls that led to a count, in the ring'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

# Call paths need an unwinder, which is built for glibc.
test_expect_success !MUSL 'a counter that crosses the period one or more times at once gives one sample' '
	sampled app/test/test1/:10 test-tool trace2 200counter 4 5 1 32 9 9 &&
	test_prints sed "s/.*period=\([0-9]*\) values=\([0-9]*\) calls=[1-9].*/\1 at \2/" \
		samples <<-\EOF
	10 at 10
	30 at 42
	10 at 51
	10 at 60
	EOF
'

test_expect_success 'counts of each thread are sampled until the thread ends' '
	sampled app/test/test2/:10 test-tool trace2 201counter 7 13 3 &&
	sed "s/.* tid=\([0-9]*\) .*/\1/" samples | sort -u >tids &&
	test_line_count = 3 tids &&
	test_line_count = 3 samples &&
	grep -c "period=20 " samples >count &&
	test "$(cat count)" = 3 &&
	for tid in $(cat tids)
	do
		sampled=$(sed -n "s/.* SAMPLE tid=$tid time=\([0-9]*\) .*/\1/p" samples) &&
		ended=$(sed -n "s/.* EXIT .* tid=$tid .*time=\([0-9]*\)$/\1/p" dump.txt) &&
		test "$sampled" -le "$ended" || return 1
	done
'

test_expect_success !MUSL 'sampling by the ns of a timer counts the time spent in it' '
	sampled app/test/test1:ns/:1000 test-tool trace2 100timer 20 1 &&
	test_line_count = 20 samples &&
	! grep -v "period=[0-9]*000 values=[0-9]* calls=[1-9]" samples
'

test_expect_success KERNEL_EVENTS 'a sample has the values of all events in its group' '
	sampled "{app/test/test1/:10,page-faults,app/test/test2/}" \
		test-tool trace2 200counter 10 10 &&
	test_line_count = 2 samples &&
	grep "values=10,[0-9]*,0 " samples &&
	grep "values=20,[0-9]*,0 " samples
'

test_expect_success !MUSL 'an event that cannot be sampled is one error, and the other events are sampled' '
	sampled "app/test/test1/,process/threads/:5,app/no/such/:5,app/test/test1/:10" \
		test-tool trace2 200counter 10 &&
	test_line_count = 1 samples &&
	test_prints errors <<-\EOF
	trace2: event '\''app/test/test1/'\'': a sampled event needs a period, as in app/CATEGORY/NAME/:1000
	trace2: event '\''process/threads/:5'\'': power and process events take no period
	trace2: event '\''app/no/such/:5'\'': the program has no counter of that name
	EOF
'

test_expect_success !MUSL 'an event that is listed twice is sampled once' '
	sampled app/test/test1/:10,app/test/test1/:5,app/test/test1/:10 \
		test-tool trace2 200counter 10 &&
	test_line_count = 2 samples &&
	echo "trace2: event '\''app/test/test1/:10'\'': it is in the list already" |
	test_prints errors
'

test_expect_success 'GIT_TRACE2_SAMPLE without GIT_TRACE2_RING is an error, and counters still work' '
	GIT_TRACE2_SAMPLE=app/test/test1/:10 GIT_TRACE2_EVENT="$(pwd)/event" \
		test-tool trace2 200counter 10 &&
	grep "samples need the ring target, which is off: set GIT_TRACE2_RING" event &&
	grep "\"count\":10" event
'

test_expect_success !MUSL 'a forked child samples into its own ring' '
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_SAMPLE=app/test/test1/:1 GIT_TRACE2_RING="$(pwd)/r" \
		test-tool trace2 072fork_counter &&
	ls r >files &&
	test_line_count = 2 files &&
	for f in r/*
	do
		test-tool ring dump $f | grep " SAMPLE .* calls=[1-9]" || return 1
	done
'

test_expect_success 'each sample is shortened to the calls that fit into a small ring' '
	test_config_global trace2.ringSize 4096 &&
	test_config_global trace2.sample app/test/test1/:10 &&
	sampled "" test-tool trace2 200counter 10 10 &&
	test_line_count = 2 samples
'

test_expect_success !MUSL,!INSTRUMENTED 'samples have no calls without the unwinder, and an error gives the reason' '
	mkdir broken &&
	: >broken/libgcc_s.so.1 &&
	LD_LIBRARY_PATH=$(pwd)/broken sampled app/test/test1/:10 \
		test-tool trace2 200counter 4 5 1 32 &&
	test_grep "values=10 calls=0 nowhere\$" samples &&
	errors >actual &&
	test_grep "^trace2: samples have no calls: there is no libgcc_s.so.1\$" actual
'

test_done
