#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='timers and counters of threads and of modules

The values of a thread are added up, however it ends. Metrics may be defined in
a shared library, in a module that is loaded and unloaded, and in C++.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

modules=$GIT_BUILD_DIR/build/modules

test_lazy_prereq CXX_HOST 'test_have_prereq !MUSL &&
	test -x "$GIT_BUILD_DIR/build/hosts/cxx"'

# metrics [OTHERS]: print the fields of each metric in e, without times; then
# the result of the filter OTHERS for the array of all events.
metrics () {
	jq -s -c "(.[] | select(.event | test(\"timer|counter\"))
		| [.event, .thread, .category, .name, .intervals // .count]),
		(${1-empty})" e
}

# expect_metrics [--and OTHERS] ARG... <EXPECT: run test-tool and compare its
# metrics with these.
expect_metrics () {
	others=empty &&
	case "$1" in
	--and) others=$2 && shift 2 ;;
	esac &&
	traced --event test-tool trace2 "$@" &&
	cat >expect &&
	metrics "$others" >actual &&
	test_cmp expect actual
}

test_expect_success 'a thread that calls thread_exit reports its metrics' '
	expect_metrics 201counter 3 4 1 <<-\EOF
	["th_counter","th01:ut_201","test","test2",7]
	["counter","main","test","test2",7]
	EOF
'

test_expect_success 'a thread that returns without thread_exit reports its metrics' '
	expect_metrics --and "map(select(.thread != \"main\").event)" \
		042thread_no_exit <<-\EOF
	["th_counter","th01:no_exit","test","test2",1]
	["counter","main","test","test2",1]
	["thread_start","data","th_counter","thread_exit"]
	EOF
'

test_expect_success 'a thread that is cancelled in a region, with a running timer, reports its metrics' '
	expect_metrics --and "map(.unfinished // empty),
			map(select(.thread != \"main\").event)" \
		046thread_cancelled <<-\EOF
	["th_timer","th01:cancelled","test","test2",0]
	["th_counter","th01:cancelled","test","test2",5]
	["timer","main","test","test2",0]
	["counter","main","test","test2",5]
	[1,1]
	["thread_start","region_enter","th_timer","th_counter","thread_exit"]
	EOF
'

test_expect_success 'a thread that ends by pthread_exit() reports its metrics' '
	expect_metrics 048thread_pthread_exit <<-\EOF
	["th_counter","th01:ends","test","test2",1]
	["counter","main","test","test2",1]
	EOF
'

test_expect_success 'a thread that still runs when the process ends reports its metrics' '
	traced --valid test-tool trace2 047thread_running &&
	metrics "[\"unfinished\", map(select(.event == \"timer\").unfinished)]" |
		grep "\"main\"\|unfinished" >actual &&
	test_cmp - actual <<-\EOF
	["timer","main","test","test2",0]
	["counter","main","test","test2",5]
	["unfinished",[1]]
	EOF
'

test_expect_success 'a thread may count after thread_exit without losing a count' '
	traced --valid test-tool trace2 050thread_destructor &&
	test "$(event_members count counter e)" = 7
'

test_expect_success 'a thread without thread_start reports its metrics' '
	traced --valid test-tool trace2 041thread_unannounced &&
	test_prints jq -c "select(.thread != \"main\") | [.thread, .event]" e <<-\EOF
	["th01:unknown","thread_start"]
	["th01:unknown","data"]
	["th01:unknown","thread_exit"]
	EOF
'

test_expect_success 'exit() in another thread reports the metrics of all threads' '
	traced --valid 3 test-tool trace2 065exit_in_thread 3 &&
	test "$(event_members count counter e)" = 1
'

test_expect_success 'a thread of trace2_pthread_create() reports its metrics' '
	traced --valid test-tool trace2 045thread_created base &&
	test_prints jq -c "select(.thread != \"main\") | [.thread, .event]" e <<-\EOF
	["th01:base","thread_start"]
	["th01:base","data"]
	["th01:base","thread_exit"]
	EOF
'

test_expect_success 'metrics of threads are reported in the order of the threads' '
	traced --valid test-tool trace2 call counter_add test1 1 , counter_add test2 2 , \
		timer_start test2 , timer_stop test2 , timer_start test1 , \
		timer_stop test1 &&
	jq -c "select(.event | test(\"^cmd_anc\") | not) | [.event, .name]" e | sed 1,3d >actual &&
	test_cmp - actual <<-\EOF
	["exit",null]
	["th_timer","test2"]
	["th_counter","test2"]
	["timer","test1"]
	["timer","test2"]
	["counter","test1"]
	["counter","test2"]
	["atexit",null]
	EOF
'

# More threads at the same time than the arena has slots.
test_expect_success '300 threads at once lose no count' '
	traced --valid test-tool trace2 051threads 300 &&
	trace2_jq "([.[] | select(.event == \"counter\").count] == [300]) and
		([.[] | select(.event == \"th_counter\")]
		| length == 300 and all(.count == 1)) and
		([.[] | select(.event == \"thread_start\").thread] | sort ==
		([range(1; 301) | if . < 10 then \"th0\\(.):wave\" else \"th\\(.):wave\" end]
			| sort))" e
'

test_expect_success '1000 threads, 20 at once, lose no count' '
	traced --valid test-tool trace2 051threads 1000 20 &&
	test "$(event_members count counter e)" = 1000
'

# ---------------------------------------------------------------------------

test_expect_success 'metrics of a module are reported after the module was unloaded' '
	traced --valid test-tool trace2 212module "$modules/bare-metrics.so" &&
	metrics | grep "\"main\"" | grep -v th_ >actual &&
	test_cmp - actual <<-\EOF &&
	["timer","main","module","work",2]
	["counter","main","test","test1",201]
	["counter","main","module","calls",2]
	["counter","main","module","items",20]
	EOF
	trace2_jq "
		[.[] | select(.event == \"th_timer\") | [.thread, .intervals]] ==
		[[\"th01:unknown\", 1], [\"main\", 1]]" e
'

test_expect_success 'a module that is loaded repeatedly has one definition of each metric' '
	traced --valid test-tool trace2 212module "$modules/bare-metrics.so" \
		"$modules/bare-metrics.so" "$modules/bare-metrics.so" &&
	metrics | grep "\"main\"" | grep -v th_ >actual &&
	test_cmp - actual <<-\EOF
	["timer","main","module","work",6]
	["counter","main","test","test1",601]
	["counter","main","module","calls",6]
	["counter","main","module","items",60]
	EOF
'

test_expect_success 'a module that stays loaded until the end reports its metrics' '
	traced --valid test-tool trace2 212module --keep "$modules/bare-metrics.so" &&
	metrics | grep "\"main\"" | grep -v th_ >actual &&
	test_line_count = 4 actual
'

test_expect_success 'a program linked with the shared library reports metrics' '
	traced --valid "$hosts/plain" >out &&
	echo done | test_cmp - out &&
	metrics "[\"histogram\", (map(select(.event == \"timer\").histogram[][1]) | add)]" |
		sort >actual &&
	test_cmp - actual <<-\EOF
	["counter","main","plain","items",80]
	["histogram",40]
	["th_counter","main","plain","items",20]
	["th_counter","th01:worker","plain","items",20]
	["th_counter","th02:worker","plain","items",20]
	["th_counter","th03:worker","plain","items",20]
	["timer","main","plain","work",40]
	EOF
'

test_expect_success CXX_HOST 'a C++ program reports metrics' '
	traced --valid "$hosts/cxx" >out &&
	echo done | test_cmp - out &&
	metrics | sort >actual &&
	test_cmp - actual <<-\EOF
	["counter","main","cxx","array",2]
	["counter","main","cxx","items",50]
	["counter","main","cxx","others",1]
	["counter","main","shop","returned",3]
	["counter","main","shop","sold",2]
	["th_timer","main","cxx","scope",1]
	["th_timer","th01:cxx","cxx","scope",1]
	["th_timer","th02:cxx","cxx","scope",1]
	["timer","main","cxx","other",1]
	["timer","main","cxx","scope",3]
	["timer","main","shop","serving",1]
	["timer","main","shop","waiting",1]
	EOF
'

# compiles LANGUAGE STANDARD COMPILER FILE: without a warning, if it is
# installed.
compiles () {
	command -v "$3" >/dev/null || return 0
	"$3" -x "$1" -std="$2" -fsyntax-only -Wall -Wextra -Wpedantic \
		-Wshadow -Wredundant-decls -Werror -I"$GIT_BUILD_DIR/lib" "$4"
}

# compile_everywhere FILE
compile_everywhere () {
	for compiler in gcc clang
	do
		compiles c c99 $compiler "$1" &&
		compiles c gnu11 $compiler "$1" || return 1
	done
	for compiler in g++ clang++
	do
		compiles c++ c++11 $compiler "$1" &&
		compiles c++ c++17 $compiler "$1" || return 1
	done
}

test_expect_success 'definitions and declarations of two metrics of each kind compile in any scope' '
	cat >scope.h <<-\EOF &&
	TRACE2_COUNTER_DECLARE(first);
	TRACE2_COUNTER_DECLARE(second);
	TRACE2_TIMER_DECLARE(third);
	TRACE2_TIMER_DECLARE(fourth);
	TRACE2_COUNTER_SHARED(first, "a", "first", 0);
	TRACE2_COUNTER_SHARED(second, "a", "second", TRACE2_PER_THREAD);
	TRACE2_TIMER_SHARED(third, "a", "third", 0);
	TRACE2_TIMER_SHARED(fourth, "a", "fourth", TRACE2_HISTOGRAM);
	TRACE2_COUNTER(fifth, "a", "fifth", 0);
	TRACE2_COUNTER(sixth, "a", "sixth", 0);
	TRACE2_TIMER(seventh, "a", "seventh", 0);
	TRACE2_TIMER(eighth, "a", "eighth", 0);
	EOF
	cat >scopes.c <<-\EOF &&
	#include <trace2.h>
	#include "scope.h"
	#ifdef __cplusplus
	namespace outer {
	#include "scope.h"
	namespace inner {
	#include "scope.h"
	}
	}
	namespace {
	namespace unnamed {
	#include "scope.h"
	}
	}
	#endif
	EOF
	compile_everywhere scopes.c
'

test_expect_success 'threads of a process with tracing off may use metrics without output' '
	test-tool trace2 051threads 50 >out 2>&1 &&
	test_must_be_empty out
'

# ---------------------------------------------------------------------------
# Metrics that are defined at run time, and reading them back

test_expect_success JQ 'values of ended and of running threads are readable while the program runs' '
	traced test-tool trace2 240read &&
	jq -r "select(.event == \"printf\").msg" e >actual &&
	test_prints sed "s/sum:[0-9]* min:300/sum:1700 min:300/" actual <<-\EOF
	unset: 0 count:0 sum:0 min:0 max:0 last:0 unfinished:0
	timer: 1 count:3 sum:1700 min:300 max:700 last:0 unfinished:1
	counter: 1 count:10 sum:0 min:0 max:0 last:0 unfinished:0
	sizes: 1 count:2 sum:6 min:3 max:3 last:0 unfinished:0
	gauge: 1 count:0 sum:0 min:-8 max:-4 last:-8 unfinished:0
	EOF
'

test_expect_success JQ 'metrics with the same labels in any order are one metric; labels are quoted' '
	traced test-tool trace2 241open &&
	jq -c "(select(.event | test(\"timer|counter\")) |
			[.event, .category, .name, .count // .intervals]),
		(select(.event == \"data_json\") | [.key, .value.category, .value.name,
			.value.unit, .value.sum // .value.last]),
		select(.event == \"printf\").msg" e >actual &&
	test_prints sort actual <<-\EOF &&
	"same: 1 count:42 sum:0 min:0 max:0 last:0 unfinished:0"
	["counter","","{=\"\"}",6]
	["counter","http","requests{code=\"\\\"2\\\\\\\"\",method=\"GET\"}",42]
	["counter","test","test1",3]
	["distribution","a","b/c{method=\"GET\"}","bytes",7]
	["gauge","a","b/c{method=\"GET\"}",null,-7]
	["timer","","plain",1]
	EOF
	test_grep ! "\"event\":\"error\"" e
'

test_expect_success JQ 'metrics that cannot be opened are counted in one error for each cause' '
	traced test-tool trace2 242open_many 1100 &&
	expect_valid_stream e &&
	trace2_jq "([.[] | select(.event == \"error\").msg] |
		(.[0] | test(\"^trace2: [0-9]+ metrics do not count: \")) and
		.[1:] == [
			\"trace2: 1 opened metrics do not count: there is no such kind\",
			\"trace2: 1 opened metrics do not count: more than 8 labels\",
			\"trace2: 1 opened metrics do not count: a category, or a name with its labels, has more than 255 bytes\"
		]) and
		(([.[] | select(.event == \"counter\" and .category == \"many\")] | length) +
		([.[] | select(.event == \"error\").msg][0] | split(\" \")[1] | tonumber)
		== 1100)" e
'

test_expect_success JQ 'metrics may be opened and read after the ring was opened' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" test-tool trace2 241open &&
	trace2 report --counters --gauges --distributions --format=json ring >actual &&
	jq -e "[.counters[] | select(.counter | test(\"http\")).value] == [42] and
		[.gauges[].last] == [-7] and [.distributions[].sum] == [7]" actual
'

test_expect_success JQ 'metrics opened at run time are sampled like others' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_SAMPLE=app/test/test1/:1 \
		test-tool trace2 241open &&
	trace2 report --samples --format=json ring >actual &&
	jq -e ".callers[0] | .samples == 2 and .count == 3" actual
'

test_expect_success 'metrics opened at run time do nothing while tracing is off' '
	test-tool trace2 240read >out 2>&1 &&
	test-tool trace2 241open >>out 2>&1 &&
	test_must_be_empty out
'

test_done
