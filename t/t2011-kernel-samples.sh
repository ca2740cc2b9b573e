#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='GIT_TRACE2_SAMPLE with events of the kernel

Samples are compared with those of perf record for the same run.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

test_skip_unless KERNEL_SAMPLES 'the kernel lets nobody sample here'

test_expect_success 'page faults of each thread are sampled until the thread ends' '
	sampled page-faults:u:1 test-tool perf touch 80 60 &&
	sed "s/.* tid=\([0-9]*\) .*/\1/" samples | sort | uniq -c | sort -n |
	awk "{ print \$2 }" >tids &&
	test_line_count = 2 tids &&
	{ read -r worker && read -r main; } <tids &&
	grep -c " tid=$main " samples >of-main &&
	grep -c " tid=$worker " samples >of-worker &&
	test "$(cat of-main)" -ge 80 &&
	test "$(cat of-worker)" -ge 60 &&
	for tid in $main $worker
	do
		last=$(sed -n "s/.* SAMPLE tid=$tid time=\([0-9]*\) .*/\1/p" \
			samples | tail -n 1) &&
		ended=$(sed -n "s/.* EXIT .* tid=$tid .*time=\([0-9]*\)$/\1/p" \
			dump.txt) &&
		test "$last" -le "$((ended + 1000000))" || return 1
	done
'

test_expect_success !INSTRUMENTED 'a refused madvise(): children run, and an error replaces the samples' '
	rm -rf r &&
	mkdir r &&
	test_when_finished "rm -rf r" &&
	GIT_TRACE2_PERF="$(pwd)/n" GIT_TRACE2_RING="$(pwd)/r" \
		GIT_TRACE2_SAMPLE=page-faults:u:1 \
		"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" madvise \
		"$GIT_BUILD_DIR/build/hosts/forks" raw-clone &&
	test_grep "who:child" n &&
	test_grep "page-faults.*madvise" n
'

test_expect_success 'samples of a group have one event id for all threads' '
	sampled "{page-faults:u:2,task-clock}" test-tool perf touch 50 50 &&
	sed "s/.* id=\([0-9a-f]*\) .*/\1/" samples | sort -u >ids &&
	test_line_count = 1 ids &&
	! grep -v "period=2 values=[0-9]*[02468],[1-9][0-9]* calls=[1-9]" samples &&
	trace2 report --samples r >out &&
	test_line_count -gt 3 out &&
	grep " page-faults:u:2$" out
'

test_expect_success CC,!INSTRUMENTED 'setup: a program that spends most of its time in one function' '
	cat >hot.c <<-\EOF &&
	#include <signal.h>
	#include <stdlib.h>
	#include <trace2.h>

	static volatile unsigned long sum;

	__attribute__((noinline)) void hot(unsigned long n)
	{
		while (n--)
			sum += n * n;
	}

	__attribute__((noinline)) void cold(unsigned long n)
	{
		while (n--)
			sum += n * n;
	}

	int main(int argc, char **argv)
	{
		int i, rounds = argc > 1 ? atoi(argv[1]) : 0;

		trace2_initialize();
		for (i = 0; i < rounds; i++) {
			trace2_region_enter("work", "round", NULL);
			hot(750000);
			cold(250000);
			trace2_region_leave("work", "round", NULL);
			if (argc > 2)
				raise(SIGKILL);
		}
		return 0;
	}
	EOF
	"${CC:-cc}" -g -O1 -fno-omit-frame-pointer -I"$GIT_BUILD_DIR"/lib \
		-o hot hot.c "$GIT_BUILD_DIR"/build/lib/libtrace2.a -pthread &&
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_SAMPLE=task-clock:u:97003 GIT_TRACE2_RING="$(pwd)/r" ./hot 60
'

test_expect_success CC,LIBDW,JQ,!INSTRUMENTED 'most samples are in the function that takes most of the time' '
	trace2 report --samples --format=json r >json &&
	jq -r "[\"hot\", \"cold\"][] as \$name |
		[.callers[] | select(.function == \$name and .depth == 1) | .samples] |
		add // 0" json >counts &&
	{ read -r hot && read -r cold; } <counts &&
	test "$hot" -gt "$cold"
'

# With GIT_TEST_LONG: it is a matter of chance, though a difference of five standard
# deviations and one twentieth is not. Shares in a thousand.
test_expect_success EXPENSIVE,CC,PERF_RECORD,LIBDW,!INSTRUMENTED 'a function has the share of samples that perf record finds' '
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_SAMPLE=task-clock:u:97003 GIT_TRACE2_RING="$(pwd)/r" \
		perf record -q -e task-clock:u -c 97003 -o perf.data ./hot 200 &&
	perf script -i perf.data -F ip,sym 2>/dev/null >script &&
	all=$(grep -c "[a-z]" script) &&
	theirs=$(($(grep -c " hot$" script) * 1000 / all)) &&
	trace2 report --samples --format=json r >json &&
	ours=$(jq "([.callers[] | select(.function == \"hot\" and .depth == 1)
			| .samples] | add) * 1000 /
		   ([.callers[] | select(.depth == 0) | .samples] | add)
		   | floor" json) &&
	echo "hot: ours $ours, of perf record $theirs, of 1000" &&
	off=$((ours - theirs)) &&
	test "$((off * off * all))" -lt $((10000000 + 2500 * all))
'

test_expect_success CC,PERF_RECORD,!INSTRUMENTED 'perf reads samples of kernel events' '
	trace2 export --to perf -o ours.data r &&
	perf report --stdio -g none --sort sym -i ours.data 2>/dev/null >report &&
	grep "of event .task-clock:u" report &&
	sed -n "s/^ *\([0-9]*\)\.[0-9]*% .*\[\.\] hot *$/\1/p" report >share &&
	test "$(cat share)" -gt 40
'

test_expect_success CC,!INSTRUMENTED 'the ring of a killed process has the samples taken before the last event' '
	rm -rf r &&
	mkdir r &&
	test_expect_code 137 env GIT_TRACE2_SAMPLE=task-clock:u:50021 \
		GIT_TRACE2_RING="$(pwd)/r" ./hot 60 kill &&
	dump &&
	test_line_count -gt 5 samples
'

# Up to this many samples a second, none may be lost.
test_lazy_prereq FAST_SAMPLES '
	test "$(cat /proc/sys/kernel/perf_event_max_sample_rate)" -ge 20000
'

# The buffer of the kernel has room for the samples of some 200 ms.
test_expect_success FAST_SAMPLES 'samples that come too fast are lost, and counted' '
	rm -rf r &&
	mkdir r &&
	test_config_global trace2.ringSize 4194304 &&
	GIT_TRACE2_SAMPLE=task-clock:u:50000 GIT_TRACE2_RING="$(pwd)/r" \
		test-tool perf spin 500 &&
	dump &&
	test_line_count -gt 100 samples &&
	grep " LOST " dump.txt
'

test_expect_success 'sampling too often for the program to advance is refused' '
	sampled task-clock:u:49999,cpu-clock:u:1,task-clock:u:50000,page-faults:u:1 \
		test-tool perf touch 50 &&
	errors >actual &&
	for event in task-clock:u:49999 cpu-clock:u:1
	do
		echo "trace2: event '\''$event'\'': a sample of time can be taken each 50000 ns, not more often: the program would get nowhere" ||
		return 1
	done >expect &&
	test_cmp expect actual &&
	test_line_count -ge 50 samples
'

# Without stacks there is another error.
test_expect_success !MUSL 'invalid groups of events are refused' '
	sampled "{page-faults:u:9,app/test/test1/},{app/test/test1/:10,cs:u:2}" \
		test-tool trace2 200counter 10 &&
	test_prints errors <<-\EOF
	trace2: event '\''app/test/test1/'\'': a group that an event of the kernel leads has none of others
	trace2: event '\''cs:u:2'\'': of the kernel'\''s events the first of a group alone is sampled
	EOF
'

test_expect_success 'GIT_TRACE2_SAMPLE without GIT_TRACE2_RING is an error' '
	GIT_TRACE2_SAMPLE=page-faults:u:1 GIT_TRACE2_EVENT="$(pwd)/event" \
		test-tool trace2 200counter 10 &&
	grep "samples need the ring target, which is off: set GIT_TRACE2_RING" event
'

test_expect_success 'a forked child samples into its own ring' '
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_SAMPLE=page-faults:u:1 GIT_TRACE2_RING="$(pwd)/r" \
		test-tool trace2 072fork_counter &&
	ls r >files &&
	test_line_count = 2 files &&
	for f in r/*
	do
		test-tool ring dump $f >dump.txt &&
		grep " SAMPLE " dump.txt || return 1
	done
'

test_expect_success 'a sample is shortened to the calls that fit into a small ring' '
	test_config_global trace2.ringSize 4096 &&
	sampled page-faults:u:1 test-tool perf touch 50 &&
	test_line_count -gt 5 samples
'

test_expect_success ORDINARY_USER,PARANOID_2 'an event not permitted: the error names the remedy, and others are sampled' '
	mkdir -m 777 r2 &&
	GIT_TRACE2_RING="$(pwd)/r2" GIT_TRACE2_SAMPLE=page-faults:1,page-faults:u:1 \
		as_ordinary test-tool perf touch 50 &&
	rm -rf r &&
	mv r2 r &&
	dump &&
	echo "trace2: event '\''page-faults:1'\'': it is not permitted (perf_event_paranoid is 2, which lets only user mode be counted: append '\'':u'\'')" |
	test_prints errors &&
	test_line_count -ge 50 samples
'

test_done
