#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='GIT_TRACE2_COUNTERS: events that are emitted as counters

The numbers are compared with those of perf stat for the same run, which began
earlier and ended later.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

test_lazy_prereq NO_HARDWARE '
	! perf stat -x, -o out -e cycles true ||
	grep "not supported" out
'

# value EVENT NAME FILE [THREAD]: print a value of a scrubbed perf stream.
value () {
	sed -n "s,^d0|${4-main}|$1||||perf|name:$2 value:,,p" "$3"
}

# stat_value NAME
stat_value () {
	sed -n "s/,.*,$1,.*//p; s/,,$1,.*//p" stat
}

# counted LIST COMMAND...: write the scrubbed stream to p.
counted () {
	list=$1 &&
	shift &&
	rm -f raw &&
	GIT_TRACE2_PERF="$(pwd)/raw" GIT_TRACE2_COUNTERS="$list" "$@" &&
	perl "$GIT_BUILD_DIR"/scrub/perf.perl <raw >p
}

# between LOW VALUE HIGH
between () {
	test "$1" -le "$2" && test "$2" -le "$3"
}

test_expect_success KERNEL_EVENTS,PERF_STAT 'counters are equal to those of perf stat' '
	counted page-faults,context-switches,cpu-migrations,task-clock \
		perf stat -x, -o stat -e page-faults,cs,migrations,task-clock \
		test-tool perf touch 1000 2000 3000 &&
	for name in page-faults context-switches cpu-migrations
	do
		ours=$(value counter $name p) &&
		short=$(echo $name | sed "s/context-switches/cs/;s/cpu-//") &&
		theirs=$(stat_value $short) &&
		echo "$name: ours $ours, of perf stat $theirs" &&
		between 0 "$ours" "$theirs" || return 1
	done &&
	between 6000 "$(value counter page-faults p)" \
		"$(stat_value page-faults)" &&
	between 1 "$(value counter task-clock p)" \
		"$(stat_value task-clock | sed "s/\..*//")999999"
'

test_expect_success KERNEL_EVENTS,PERF_STAT 'context switches between a process and its child are counted' '
	counted cs perf stat -x, -o stat -e cs taskset -c 0 \
		test-tool perf pingpong 500 &&
	between 500 "$(value counter cs p)" "$(stat_value cs)"
'

test_expect_success KERNEL_EVENTS 'each thread has counters of its own' '
	counted page-faults,app/test/test1/ test-tool perf touch 1000 2000 &&
	sum=$(value counter page-faults p) &&
	thread=$(value th_counter page-faults p th01:toucher) &&
	main=$(value th_counter page-faults p) &&
	between 2000 "$thread" "$sum" &&
	between 1000 "$main" "$sum" &&
	between 3000 $((main + thread)) "$sum" &&
	test "$(value th_counter app/test/test1/ p th01:toucher)" = 2000 &&
	test "$(value th_counter app/test/test1/ p)" = 1000 &&
	test "$(value counter app/test/test1/ p)" = 3000
'

test_expect_success 'counters appear in all targets, in the requested order' '
	rm -f n p e &&
	GIT_TRACE2_COUNTERS=process/threads/,app/test/test1/ \
		GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/p" \
		GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 200counter 2 3 &&
	test_prints sed -n "s,.* \([a-z_]*counter perf/\),\1,p" n <<-\EOF &&
	th_counter perf/app/test/test1/ value:5
	counter perf/process/threads/ value:1
	counter perf/app/test/test1/ value:5
	EOF
	perl "$GIT_BUILD_DIR"/scrub/perf.perl <p >actual &&
	grep "|perf|" actual >lines &&
	test_cmp - lines <<-\EOF &&
	d0|main|th_counter||||perf|name:app/test/test1/ value:5
	d0|main|counter||||perf|name:process/threads/ value:1
	d0|main|counter||||perf|name:app/test/test1/ value:5
	EOF
	expect_valid_stream e &&
	trace2_jq "[.[] | select(.event == \"counter\" and .category == \"perf\")
		| [.name, .count]] == [[\"process/threads/\", 1],
				       [\"app/test/test1/\", 5]]" e
'

test_expect_success 'the config key trace2.counters selects counters' '
	rm -f n &&
	test_config_global trace2.counters "process/threads/" &&
	GIT_TRACE2="$(pwd)/n" test-tool trace2 200counter 1 &&
	test_grep "counter perf/process/threads/ value:1" n
'

test_expect_success 'an event that cannot be opened is one error, and the other events count' '
	traced env GIT_TRACE2_COUNTERS="bogus,app/test/test1/,app/x/y/,{process/threads/,r},app/test/test1/:5" \
		test-tool trace2 200counter 4 &&
	test_prints jq -r "select(.event == \"error\") | .msg" e <<-\EOF &&
	trace2: event '\''bogus'\'': no such event
	trace2: event '\''app/x/y/'\'': the program has no counter of that name
	trace2: event '\''r'\'': no such event
	trace2: event '\''app/test/test1/:5'\'': a counted event takes no period
	EOF
	test_prints jq -c "select(.event == \"counter\" and .category == \"perf\")
		| [.name, .count]" e <<-\EOF
	["app/test/test1/",4]
	["process/threads/",1]
	EOF
'

test_expect_success KERNEL_EVENTS 'the error for an event without modes names the remedy' '
	traced env GIT_TRACE2_COUNTERS=app/test/test1/:u,task-clock:u,process/threads/:k \
		test-tool trace2 200counter 4 &&
	jq -r "select(.event == \"error\") | .msg" e >actual &&
	for event in app/test/test1/:u task-clock:u process/threads/:k
	do
		echo "trace2: event '\''$event'\'': it is not counted by modes: leave the modifiers out" || return 1
	done >expect &&
	test_cmp expect actual
'

test_expect_success 'control characters and endless lists in GIT_TRACE2_COUNTERS do no harm' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_COUNTERS="$(printf "a\tb\n\001\377,{{{,")" \
		test-tool trace2 200counter 4 &&
	expect_valid_stream e &&
	many=$(test_seq 500 | sed "s,.*,process/threads/," | tr "\n" ,) &&
	GIT_TRACE2_EVENT="$(pwd)/many" GIT_TRACE2_COUNTERS="$many" \
		test-tool trace2 200counter 4 &&
	trace2_jq "[.[] | select(.name == \"process/threads/\")] | length == 64" many &&
	jq -r "select(.event == \"error\") | .msg" many >actual &&
	echo "trace2: more than 64 events: the others do not count" | test_cmp - actual
'

test_expect_success KERNEL_EVENTS,NO_HARDWARE 'an event of missing hardware is reported as not supported' '
	counted cycles,page-faults test-tool perf touch 10 &&
	test_grep "|error|.*event '\''cycles'\'': this machine does not support it" p &&
	between 10 "$(value counter page-faults p)" 100000
'

test_expect_success ORDINARY_USER,PARANOID_2,JQ 'record -e takes context switches from wait4() if kernel events are not permitted' '
	mkdir -m 777 switches &&
	as_ordinary trace2 record -q -e context-switches,cpu-migrations,cgroup-switches,context-switches:u \
		-o switches/r -- "$PERL_PATH" -e "select undef, undef, undef,
			.001 for 1 .. 20" &&
	jq -e ".counters[\"context-switches\"].value ==
			.rusage.nvcsw + .rusage.nivcsw and
		.counters[\"context-switches\"].value >= 20 and
		(.counters[\"cpu-migrations\", \"cgroup-switches\"].error |
			startswith(\"not permitted\")) and
		(.counters[\"context-switches:u\"].error |
			startswith(\"not counted by modes\"))" switches/r/meta.json
'

test_expect_success ORDINARY_USER,PARANOID_2 'perf_event_paranoid 2: the error for page-faults names :u, page-faults:u counts' '
	mkdir -m 777 nobody &&
	GIT_TRACE2="$(pwd)/nobody/n" \
		GIT_TRACE2_COUNTERS=task-clock,page-faults,page-faults:u \
		as_ordinary test-tool perf touch 100 &&
	test_grep "error trace2: event '\''page-faults'\'': it is not permitted (perf_event_paranoid is 2, which lets only user mode be counted: append '\'':u'\'')" nobody/n &&
	test_grep " counter perf/task-clock value:[1-9]" nobody/n &&
	test_grep " counter perf/page-faults:u value:[1-9][0-9][0-9]" nobody/n
'

test_expect_success SECCOMP 'counters are refused with a reason where perf_event_open is forbidden' '
	counted task-clock,process/threads/ "$PERL_PATH" \
		"$TEST_DIRECTORY/t3100/deny.perl" perf test-tool perf touch 10 &&
	test_grep "|error|.*event '\''task-clock'\'': it is not permitted, by seccomp or a security module" p &&
	test "$(value counter process/threads/ p)" = 1
'

test_expect_success KERNEL_EVENTS 'a forked child opens its own counters' '
	traced env GIT_TRACE2_COUNTERS=page-faults \
		test-tool trace2 006data test_category k1 v1 &&
	counted page-faults,app/test/test1/ test-tool perf touch 10 20 30 &&
	grep "^d1|.*|counter|.*|perf|" p >child &&
	test_line_count = 2 child
'

test_expect_success KERNEL_EVENTS 'programs that are executed inherit no perf descriptor' '
	GIT_TRACE2=/dev/null GIT_TRACE2_COUNTERS=task-clock,page-faults \
		test-tool perf run sh "ls -l /proc/self/fd >fds" &&
	test_grep ! "perf_event" fds
'

test_expect_success CC,KERNEL_EVENTS,!INSTRUMENTED 'the first example program in the manual page trace2-perf runs' '
	run_example items stdio.h "1000 items"
'

test_expect_success KERNEL_EVENTS,NO_HARDWARE 'examples of GIT_TRACE2_COUNTERS in trace2-perf work' '
	doc=$GIT_BUILD_DIR/Documentation/trace2-perf.adoc &&
	scrub () {
		sed -e "s/ *$//" -e "s/^  *//" -e "s/[0-9.]\{3,\} code/N code/" \
			-e "s/faults value:[0-9]*/faults value:N/" \
			-e "/^cmd_/d" -e "s/^start .*/start/" \
			-e "s/^version .*/version/"
	} &&
	awk "/ GIT_TRACE2_COUNTERS=page-faults,process/ { on = 1; next } \
		on && !/^    / { exit } on" "$doc" | scrub >expect &&
	test_line_count = 8 expect &&
	GIT_TRACE2=1 GIT_TRACE2_BRIEF=1 \
		GIT_TRACE2_COUNTERS=page-faults,process/threads/,cycles \
		test-tool perf run 2>err &&
	scrub <err >actual &&
	test_cmp expect actual
'

test_done
