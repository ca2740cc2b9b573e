#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='unusual threads, memory and plugins'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

plugin=$GIT_BUILD_DIR/build/modules/static-plugin.so

test_skip_unless JQ

# threaded CODE VERB: run the host
threaded () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test_expect_code "$1" \
		"$hosts/threads" "$2" >actual
}

test_expect_success !INSTRUMENTED 'the first call of a thread inside a handler allocates nothing by malloc' '
	threaded 0 no-malloc-in-handler &&
	echo "allocations 0" | test_cmp - actual &&
	trace2_jq "[.[] | select(.event == \"data\")] | length == 1" e
'

test_expect_success 'a program may call the library in its own mutex functions' '
	test_write_lines "read 1" "read 2" called >expect &&
	mkdir profiles &&
	GIT_TRACE2_EVENT="$(pwd)/e.profiler" "$hosts/profiler" >actual &&
	test_cmp expect actual &&
	trace2_jq "[.[] | select(.event == \"counter\" and .name == \"read\").count] ==
		[2]" e.profiler &&
	GIT_TRACE2_RING="$(pwd)/profiles" "$hosts/profiler" >actual &&
	test_cmp expect actual
'

test_expect_success JQ 'a program may call the library in its own strlen(), at any time' '
	GIT_TRACE2_EVENT="$(pwd)/e.strlen" GIT_TRACE2_PERF="$(pwd)/p.strlen" \
		"$hosts/profiler" strlen >actual &&
	test_write_lines "read 1" "read 2" called | test_cmp - actual &&
	trace2_jq "any(.[]; .event == \"thread_start\")" e.strlen &&
	expect_valid_stream e.strlen
'

unchecked 'a call of a libc function within a call may tear its line' 'forks/*'

test_expect_success !SANITIZE_THREAD 'a program whose libc functions call the library: one session per forked child' '
	mkdir forks &&
	GIT_TRACE2_EVENT="$(pwd)/forks" "$hosts/profiler" forks &&
	test_stdout_line_count = 4 ls forks &&
	grep -h "\"value\":\"close\"" forks/* >found &&
	test_line_count = 1 found
'

test_expect_success 'cmd_name does not move the environment that other threads read' '
	threaded 0 names-beside-getenv &&
	echo "same environ" | test_cmp - actual
'

test_expect_success 'cmd_name in several threads tears no name' '
	threaded 0 names-at-once &&
	tr / "\n" <actual | sort -u >names &&
	test_write_lines aaaa bbbb cccc dddd | test_cmp - names
'

nr=2000
test_have_prereq !EXPENSIVE || nr=8000
test_expect_success 'children started and ended by several threads each get a child_exit' '
	threaded 0 children-at-once &&
	sed -n "s/.*\"event\":\"\(child_[a-z]*\)\".*\"child_id\":\([0-9]*\).*/\1 \2/p" \
		e >events &&
	sed -n "s/child_start //p" events | sort -n >starts &&
	sed -n "s/child_exit //p" events | sort -n >ends &&
	test_line_count = $nr starts &&
	test_cmp starts ends &&
	test_grep ! "\"event\":\"error\"" e
'

test_expect_success 'the version event comes first, whichever thread begins' '
	for round in 1 2 3 4 5
	do
		threaded 0 early-speakers &&
		test_file_not_empty e &&
		cp e $round.e || return 1
	done &&
	jq -r "\"\(input_filename) \(.event)\"" [1-5].e >events &&
	awk "!seen[\$1]++" events >actual &&
	test_write_lines "1.e version" "2.e version" "3.e version" "4.e version" \
		"5.e version" >expect &&
	test_cmp expect actual
'

test_expect_success 'trace2_initialize is no cancellation point' '
	threaded 0 cancelled-initializer &&
	echo returned | test_cmp - actual
'

test_expect_success 'thread_start and thread_exit keep the type of cancellation' '
	threaded 0 keeps-type &&
	test_cmp - actual <<-\EOF
	started: asynchronous
	ended: asynchronous
	started: deferred
	ended: deferred
	EOF
'

# ThreadSanitizer has released the thread by then.
test_expect_success !TSAN 'a thread that cancels itself may make its first call in a destructor' '
	GIT_TRACE2_RING="$(pwd)/ring" threaded 0 cancels-itself &&
	grep "\"value\":\"cancelled\"" e
'

test_expect_success !INSTRUMENTED 'counters are reported if a handler calls exit()' '
	threaded 5 exits-in-handler &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [2]" e
'

# plugged VERB: run the host, but not with musl, which unloads nothing.
plugged () {
	GIT_TRACE2_EVENT="$(pwd)/e" \
		"$hosts/plugins" "$1" "$plugin" >actual
}

test_expect_success !MUSL,!INSTRUMENTED 'a plugin may be unloaded before a thread that called it ends' '
	plugged unload-before-thread
'

test_expect_success !MUSL,!INSTRUMENTED 'a plugin unloaded in a forked child leaves no signal handler' '
	GIT_TRACE2_SIGNALS=PIPE plugged unload-in-child &&
	echo "child: signal 13" | test_cmp - actual
'

test_expect_success !MUSL,!INSTRUMENTED 'a module with the library may be unloaded and loaded again' '
	plugged reload
'

test_expect_success !MUSL,!INSTRUMENTED 'a plugin that gets no TLS key reports how many ends of threads it missed' '
	rm -f e &&
	plugged without-keys &&
	trace2_jq "[.[] | select(.event == \"error\").msg | index(\" 63 threads were not\") > 0] == [true]" e &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [64]" e &&
	trace2_jq ".[-1].lost >= 100" e
'

# leaves_nothing VARIABLE=VALUE...: no memory is left, with the event stream e
# on. The dynamic linker calls malloc in threads, which may map more arenas.
leaves_nothing () {
	rm -rf e rings &&
	mkdir rings &&
	env MALLOC_ARENA_MAX=1 GIT_TRACE2_EVENT="$(pwd)/e" "$@" \
		"$hosts/plugins" count "$plugin" >actual &&
	echo "0 mappings, 0 descriptors" | test_cmp - actual
}

test_expect_success !MUSL,!INSTRUMENTED 'an unloaded plugin leaves no mapping and no descriptor' '
	leaves_nothing GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/p" &&
	leaves_nothing GIT_TRACE2_RING="$(pwd)/rings" &&
	leaves_nothing GIT_TRACE2_RING="$(pwd)/rings" \
		GIT_TRACE2_COUNTERS=app/plugin/said/ \
		GIT_TRACE2_SAMPLE=app/plugin/said/:2
'

# Each session is its own, not a child of the one before.
test_expect_success !MUSL,!INSTRUMENTED '24 modules in one host have a complete session each' '
	expect_valid_stream e &&
	jq -r "select(.event == \"version\").sid" e >sids &&
	test_line_count = 24 sids &&
	test_grep ! / sids &&
	jq -c "select(.event == \"counter\" and .name == \"said\").count" e >counts &&
	echo 6 | test_prints sort -u counts &&
	test_line_count = 24 counts
'

test_expect_success !MUSL,KERNEL_EVENTS,!INSTRUMENTED 'threads that come and go leave no perf event open' '
	leaves_nothing GIT_TRACE2_RING="$(pwd)/rings" \
		GIT_TRACE2_COUNTERS=page-faults,task-clock \
		GIT_TRACE2_SAMPLE=page-faults:1000,cs:100
'

# An unaligned stack would end the process in malloc().
test_expect_success !MUSL,!INSTRUMENTED 'a plugin with much TLS may make any call first in a thread' '
	first=$GIT_BUILD_DIR/build/modules/static-first-use.so &&
	rm -rf e ring &&
	"$hosts/plugins" first-use "$first" &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/plugins" first-use "$first" &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [2]" e &&
	trace2_jq "[.[].thread] | unique | length > 3" e &&
	GIT_TRACE2_RING="$(pwd)/ring" "$hosts/plugins" first-use "$first" &&
	trace2 script --git-event ring >e &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [2]" e
'

# tenants HOW NR [VARIABLE=VALUE...]: with NR copies of the plugin.
tenants () {
	how=$1 nr=$2 &&
	shift 2 &&
	i=1 &&
	set -- "$@" "$hosts/tenants" "$how" "$GIT_BUILD_DIR/build/modules/bare-near.so" &&
	while test "$i" -le "$nr"
	do
		cp "$plugin" "plugin.$i.so" &&
		set -- "$@" "$(pwd)/plugin.$i.so" &&
		i=$((i + 1)) || return 1
	done &&
	env "$@" >actual ||
	{
		cat actual &&
		return 1
	}
}

# musl loads no module that demands a place near the thread.
test_expect_success !MUSL,!INSTRUMENTED '40 plugins with the library, then a module of the host, are all recorded' '
	test_when_finished "rm -f plugin.*.so" &&
	tenants all 40 &&
	rm -f e &&
	tenants all 40 GIT_TRACE2_EVENT="$(pwd)/e" &&
	expect_valid_stream e &&
	echo 40 | test_prints grep -c "\"value\":\"thread\"" e
'

test_expect_success !MUSL,!INSTRUMENTED 'two plugins loaded in turns 100 times, then the module, leave valid streams' '
	test_when_finished "rm -f plugin.*.so" &&
	tenants in-turns 2 &&
	rm -f e &&
	tenants in-turns 2 GIT_TRACE2_EVENT="$(pwd)/e" &&
	expect_valid_stream e
'

test_expect_success !INSTRUMENTED 'plugins and the shared library need no static TLS' '
	for file in "$plugin" "$GIT_BUILD_DIR/build/lib/libtrace2.so" \
		"$GIT_BUILD_DIR/build/modules/metrics.so"
	do
		readelf -d "$file" >flags &&
		test_grep ! STATIC_TLS flags || return 1
	done &&
	readelf -d "$GIT_BUILD_DIR/build/modules/bare-near.so" >flags &&
	test_grep STATIC_TLS flags
'

nr=300
test_have_prereq !EXPENSIVE || nr=2000

# late VERB VARIABLE=VALUE...: later threads close the descriptors of threads
# that have ended. The stream e has the events and counts of the ended threads.
late () {
	verb=$1 &&
	shift &&
	rm -rf e late &&
	mkdir late &&
	env "$@" "$hosts/threads" "$verb" >actual &&
	echo "$nr threads, few descriptors" | test_cmp - actual &&
	if ! test -e e
	then
		trace2 script --git-event late >e || return 1
	fi &&
	trace2_jq "([.[] | select(.event == \"region_leave\")] | length == $nr) and
		([.[] | select(.event == \"counter\" and
			.name == \"test1\").count] == [$nr]) and
		all(.[]; .event != \"error\" or
			(.msg | contains(\"no libgcc_s\"))) and
		(.[-1].lost == null)" e
}

# The thread sanitizer has ended a thread by then.
test_expect_success !TSAN,KERNEL_EVENTS 'later threads close descriptors left by calls in the last thread destructor' '
	late calls-in-last-round-too GIT_TRACE2_COUNTERS=task-clock \
		GIT_TRACE2_EVENT="$(pwd)/e"
'

test_expect_success !TSAN,KERNEL_EVENTS 'later threads close descriptors left by first calls in the last destructor' '
	late calls-in-last-round GIT_TRACE2_COUNTERS=task-clock \
		GIT_TRACE2_EVENT="$(pwd)/e"
'

test_expect_success !TSAN,KERNEL_EVENTS 'later threads close descriptors left by ring calls in the last destructor' '
	for verb in calls-in-last-round calls-in-last-round-too
	do
		late $verb GIT_TRACE2_RING="$(pwd)/late" \
			GIT_TRACE2_COUNTERS=task-clock \
			GIT_TRACE2_SAMPLE=app/test/test1/:2,page-faults:1 || return 1
	done
'

test_done
