#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='global counters and gauges'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_expect_success 'a counter used in one thread: one event with the sum, and none for the thread' '
	traced --perf test-tool trace2 200counter 2 5 11 &&
	have_counter_event main counter test test1 18 actual &&
	test_grep ! th_counter actual
'

test_expect_success 'a counter used in three threads has three events and the sum' '
	traced --perf test-tool trace2 201counter 7 13 3 &&
	have_counter_event main counter test test2 60 actual &&
	have_counter_event th01:ut_201 th_counter test test2 20 actual &&
	have_counter_event th02:ut_201 th_counter test test2 20 actual &&
	have_counter_event th03:ut_201 th_counter test test2 20 actual
'

test_expect_success 'counters are unsigned and have 64 bits in every target' '
	traced --perf test-tool trace2 200counter 18446744073709551615 &&
	have_counter_event main counter test test1 18446744073709551615 actual &&
	test_grep "counter test/test1 value:18446744073709551615\$" n &&
	test_grep "\"count\":18446744073709551615}\$" e &&
	traced --perf test-tool trace2 200counter 9223372036854775807 1 &&
	test_grep "\"count\":9223372036854775808}\$" e
'

test_expect_success 'counters wrap at 2^64' '
	traced --perf test-tool trace2 200counter 18446744073709551615 5 &&
	have_counter_event main counter test test1 4 actual &&
	traced --perf test-tool trace2 201counter 9223372036854775808 9223372036854775809 2 &&
	have_counter_event th01:ut_201 th_counter test test2 1 actual &&
	have_counter_event main counter test test2 2 actual
'

test_expect_success 'a counter whose sum is 0 emits no event' '
	traced --perf test-tool trace2 200counter 0 0 &&
	test_grep ! "counter|" actual &&
	traced --perf test-tool trace2 200counter 18446744073709551615 1 &&
	test_grep ! "counter|" actual &&
	traced --perf test-tool trace2 201counter 0 0 2 &&
	test_grep ! "counter|" actual
'

test_expect_success 'a counter whose threads add up to 0 has events for threads, but no total' '
	traced --perf test-tool trace2 201counter 9223372036854775808 0 2 &&
	have_counter_event th01:ut_201 th_counter test test2 9223372036854775808 actual &&
	have_counter_event th02:ut_201 th_counter test test2 9223372036854775808 actual &&
	test_grep ! "|main|counter|" actual
'

test_expect_success 'two definitions of one name make one counter' '
	traced --perf test-tool trace2 210counter_merged 3 4 &&
	have_counter_event main counter tool merged 7 actual
'

test_expect_success 'a counter that was never used emits no event' '
	traced --perf test-tool trace2 001return 0 &&
	test_grep ! "counter|" actual
'

test_expect_success JQ 'counters above the limit are reported in one error' '
	traced --perf test-tool trace2 211counter_many 1100 &&
	expect_valid_stream e &&
	trace2_jq "([.[] | select(.event == \"counter\")] |
		length > 1000 and length <= 1024 and
		(map(.name == \"c\\(.count - 1)\") | all)) and
		([.[] | select(.event == \"error\").msg] |
		length == 1 and (.[0] | test(\"^trace2: [0-9]+ metrics do not count: more than 512 timers and distributions, 64 distributions, 1024 counters or 128 gauges are defined\$\"))) and
		(([.[] | select(.event == \"counter\")] | length) +
		(.[] | select(.event == \"error\").msg | split(\" \")[1] | tonumber)
		== 1100)" e
'

test_expect_success JQ 'counters are reported in the order of their registration' '
	traced --perf test-tool trace2 211counter_many 50 &&
	jq -r "select(.event == \"counter\") | .name" e >actual.names &&
	test_seq -f "c%d" 0 49 >expect &&
	test_cmp expect actual.names
'

test_expect_success 'counters and gauges do nothing while tracing is off' '
	test-tool trace2 201counter 7 13 3 >out 2>&1 &&
	test-tool trace2 230gauge 2 5 >>out 2>&1 &&
	test_must_be_empty out
'

test_expect_success JQ 'arrays of metrics may have empty elements' '
	traced test-tool trace2 222arrays &&
	jq -c "select(.event | test(\"timer|counter\")) |
		[.event, .category, .name, .intervals // .count]" e | sort >actual &&
	jq -c "select(.event == \"data_json\") | .value |
		[.category, .name, .unit, .sum]" e >>actual &&
	test_cmp - actual <<-\EOF
	["counter","array","first",1]
	["counter","array","last",3]
	["th_timer","array","last",1]
	["timer","array","first",1]
	["timer","array","last",1]
	["array","size","bytes",4096]
	EOF
'

# ---------------------------------------------------------------------------
# Gauges: values of the process that rise and fall

# gauges: print the fields of each gauge in e.
gauges () {
	jq -c 'select(.event == "data_json" and .category == "trace2" and
		.key == "gauge").value' e
}

test_expect_success JQ 'a gauge event has the last, the least and the greatest value' '
	traced test-tool trace2 call gauge_set busy 5 , gauge_add busy 4 , \
		gauge_sub busy 12 , gauge_add busy 1 , gauge_set plain -7 &&
	test_prints gauges <<-\EOF &&
	{"category":"tool","name":"busy","unit":"workers","last":-2,"min":-3,"max":9}
	{"category":"tool","name":"plain","last":-7,"min":-7,"max":-7}
	EOF
	test_grep "| data_json .* | trace2 .* | gauge:{\"category\":\"tool\",\"name\":\"busy\"" p &&
	test_grep ! workers n
'

test_expect_success JQ 'a gauge set to 0 is reported, an unset one is not' '
	traced test-tool trace2 call gauge_set busy 0 &&
	echo "{\"category\":\"tool\",\"name\":\"busy\",\"unit\":\"workers\",\"last\":0,\"min\":0,\"max\":0}" |
	test_prints gauges
'

test_expect_success 'a gauge holds the least and the greatest 64-bit value, and wraps' '
	traced test-tool trace2 call gauge_set busy -9223372036854775808 , \
		gauge_set busy 9223372036854775807 , gauge_set plain 9223372036854775807 , \
		gauge_add plain 1 &&
	test_grep "busy.*\"last\":9223372036854775807,\"min\":-9223372036854775808,\"max\":9223372036854775807}" e &&
	test_grep "plain.*\"last\":-9223372036854775808,\"min\":-9223372036854775808,\"max\":9223372036854775807}" e
'

test_expect_success 'a gauge set only to the least 64-bit value reports that value' '
	traced test-tool trace2 call gauge_set busy -9223372036854775808 &&
	test_grep "busy.*\"last\":-9223372036854775808,\"min\":-9223372036854775808,\"max\":-9223372036854775808}" e
'

test_expect_success JQ 'a gauge changed by several threads loses no change' '
	traced test-tool trace2 230gauge 8 20000 &&
	gauges >actual &&
	jq -e ".name == \"open\" and .last == 8 and .min == 1 and
		.max >= 8 and .max <= 32" actual
'

test_expect_success JQ 'a gauge of a forked child begins with 0' '
	traced test-tool trace2 call gauge_set busy 5 , fork , \
		data_string a b c , gauge_add busy 1 &&
	gauges | sort >actual &&
	test_cmp - actual <<-\EOF
	{"category":"tool","name":"busy","unit":"workers","last":1,"min":1,"max":1}
	{"category":"tool","name":"busy","unit":"workers","last":6,"min":5,"max":6}
	EOF
'

test_expect_success JQ 'gauges above the limit are reported' '
	traced test-tool trace2 231gauge_many 140 &&
	expect_valid_stream e &&
	trace2_jq "
		[.[] | select(.event == \"error\").msg] as \$errors |
		map(select(.event == \"data_json\" and .category == \"trace2\" and
			.key == \"gauge\")) as \$gauges |
		(\$errors | length == 1) and
		(\$errors[0] | test(\"^trace2: [0-9]+ metrics do not count: \")) and
		(\$errors[0] | split(\" \")[1] | tonumber | . < 20 and
			. + (\$gauges | length) == 140)" e
'

test_expect_success JQ 'report: a gauge has the last value that the last process gave it' '
	rm -rf d && mkdir d &&
	for value in 10 -20 7
	do
		GIT_TRACE2_EVENT="$PWD/d" test-tool trace2 call gauge_set busy $value || return 1
	done &&
	trace2 report --gauges --format=json d >actual &&
	jq -e ".gauges | length == 1 and (.[0] |
		.gauge == \"tool/busy\" and .unit == \"workers\" and
		.last == 7 and .min == -20 and .max == 10 and .processes == 3)" actual &&
	test_prints trace2 report --gauges d <<-\EOF
	LAST  MIN  MAX  UNIT     PROCESSES  GAUGE
	   7  -20   10  workers          3  tool/busy
	EOF
'

test_expect_success JQ 'values of gauges are the same in ring and stream, even of a killed process' '
	rm -f ring e &&
	GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_EVENT="$PWD/e" \
		test-tool trace2 call gauge_set busy -5 , gauge_add busy 9 &&
	trace2 report --gauges --format=json e >expect &&
	trace2 report --gauges --format=json ring >actual &&
	test_cmp expect actual &&
	rm -f ring &&
	test_expect_code 137 env GIT_TRACE2_RING="$PWD/ring" sh -c \
		"exec test-tool trace2 call gauge_set busy -5 , gauge_add busy 9 , \
			gauge_sub busy 1 , raise KILL" &&
	trace2 report --gauges --format=json ring >actual &&
	jq -e ".gauges | length == 1 and (.[0] | .unit == \"workers\" and
		.last == 3 and .min == -5 and .max == 4)" actual
'

test_expect_success JQ 'a ring has the value of a gauge that was defined after the ring was opened' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" test-tool trace2 231gauge_many 20 &&
	trace2 report --gauges --format=json ring >actual &&
	jq -e "[.gauges[].last] | sort == [range(20)]" actual
'

test_expect_success JQ 'a forked child with a ring has gauges of its own' '
	rm -rf d && mkdir d &&
	GIT_TRACE2_RING="$PWD/d" test-tool trace2 call gauge_set busy 5 , fork , \
		gauge_add busy 1 &&
	trace2 report --gauges --format=json d >actual &&
	jq -e ".gauges | length == 1 and (.[0] | .min == 1 and .max == 6 and
		.processes == 2)" actual
'

test_done
