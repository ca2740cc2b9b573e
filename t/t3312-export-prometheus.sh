#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: a textfile for Prometheus'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_lazy_prereq PROMTOOL 'promtool --version'

test_expect_success 'prometheus has processes, regions, timers and counters' '
	trace2 export --to prometheus "$MIX" >mix.prom &&
	test_prints grep -v "^#\|_bucket" mix.prom <<-\EOF &&
	trace2_processes_total{command="work",result="failed"} 1
	trace2_processes_total{command="helper",result="ok"} 1
	trace2_processes_total{command="helper",result="failed"} 1
	trace2_process_duration_seconds_sum{command="work"} 0.020000000
	trace2_process_duration_seconds_count{command="work"} 1
	trace2_process_duration_seconds_sum{command="helper"} 0.012000000
	trace2_process_duration_seconds_count{command="helper"} 2
	trace2_process_self_seconds_total{command="work"} 0.012000000
	trace2_process_self_seconds_total{command="helper"} 0.012000000
	trace2_process_spawn_seconds_total{command="work"} 0.000000000
	trace2_process_spawn_seconds_total{command="helper"} 0.002000000
	trace2_errors_total{command="work"} 0
	trace2_errors_total{command="helper"} 1
	trace2_region_seconds_total{category="load",region="all"} 0.006000000
	trace2_region_seconds_total{category="wait",region="both"} 0.006000000
	trace2_region_seconds_total{category="read",region="file"} 0.003000000
	trace2_region_self_seconds_total{category="load",region="all"} 0.006000000
	trace2_region_self_seconds_total{category="wait",region="both"} 0.006000000
	trace2_region_self_seconds_total{category="read",region="file"} 0.003000000
	trace2_region_calls_total{category="load",region="all"} 1
	trace2_region_calls_total{category="wait",region="both"} 1
	trace2_region_calls_total{category="read",region="file"} 1
	trace2_timer_seconds_total{category="read",timer="wait"} 0.002000000
	trace2_timer_intervals_total{category="read",timer="wait"} 4
	trace2_value_total{category="read",counter="blocks"} 18446744073709551615
	trace2_lost_events_total 0
	EOF
	test_prints grep "helper.*le=.\(0.0025\|0.005\|+Inf\)\"" mix.prom <<-\EOF
	trace2_process_duration_seconds_bucket{command="helper",le="0.0025"} 0
	trace2_process_duration_seconds_bucket{command="helper",le="0.005"} 1
	trace2_process_duration_seconds_bucket{command="helper",le="+Inf"} 2
	EOF
'

test_expect_success 'prometheus adds up processes of a kind' '
	sed "s/20261121T090000\.00/20261121T100000.00/g; s/T09:/T10:/g" "$MIX" >later.event &&
	trace2 export --to prometheus "$MIX" later.event >both.prom &&
	grep "^trace2_process.*{command=.helper.[,}]" both.prom | grep -v bucket >actual &&
	test_cmp - actual <<-\EOF
	trace2_processes_total{command="helper",result="ok"} 2
	trace2_processes_total{command="helper",result="failed"} 2
	trace2_process_duration_seconds_sum{command="helper"} 0.024000000
	trace2_process_duration_seconds_count{command="helper"} 4
	trace2_process_self_seconds_total{command="helper"} 0.024000000
	trace2_process_spawn_seconds_total{command="helper"} 0.004000000
	EOF
'

test_expect_success 'prometheus has the histogram of a timer' '
	{
		event s 0000 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event s 1000 timer "\"category\":\"c\",\"name\":\"n\",\"intervals\":6,\"t_total\":0.5,\"t_min\":0.001,\"t_max\":0.3,\"histogram\":[[0.001023999,4],[0.301989887,2]]" &&
		event s 2000 atexit "\"t_abs\":2,\"code\":0"
	} >timer.event &&
	trace2 export --to prometheus timer.event >timer.prom &&
	test_prints grep "^trace2_timer_interval_seconds.*\(le=.\(0.001\|0.0025\|0.25\|0.5\|+Inf\)\"\|_sum\|_count\)" \
		timer.prom <<-\EOF
	trace2_timer_interval_seconds_bucket{category="c",timer="n",le="0.001"} 0
	trace2_timer_interval_seconds_bucket{category="c",timer="n",le="0.0025"} 4
	trace2_timer_interval_seconds_bucket{category="c",timer="n",le="0.25"} 4
	trace2_timer_interval_seconds_bucket{category="c",timer="n",le="0.5"} 6
	trace2_timer_interval_seconds_bucket{category="c",timer="n",le="+Inf"} 6
	trace2_timer_interval_seconds_sum{category="c",timer="n"} 0.500000000
	trace2_timer_interval_seconds_count{category="c",timer="n"} 6
	EOF
'

test_expect_success 'prometheus joins names beyond the first 100 as other, without losing counts' '
	{
		event s 0000 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		for i in $(test_seq 1000)
		do
			event s 1000 counter "\"category\":\"a\\\"b\",\"name\":\"n$i\",\"count\":$i" ||
			return 1
		done &&
		event s 1000 counter "\"category\":\"other\",\"name\":\"other\",\"count\":2"
	} >many.event &&
	trace2 export --to prometheus many.event >many.prom &&
	grep "^trace2_value_total" many.prom >values &&
	test_line_count = 101 values &&
	test_grep "{category=\"a..b\",counter=\"n1000\"} 1000" values &&
	test_grep "{category=\"other\",counter=\"other\"} 405452" values
'

test_expect_success 'prometheus: a file gets its name when it is complete' '
	echo old >out.prom &&
	test_expect_code 128 trace2 export --to prometheus -o out.prom no-such &&
	echo old >expect &&
	test_cmp expect out.prom &&
	# This one fails while the file is open.
	test_expect_code 128 trace2 export --to perf -o out.prom "$MIX" &&
	test_cmp expect out.prom &&
	ls >files &&
	test_grep ! "out.prom\\..*" files &&
	trace2 export --to prometheus -o out.prom "$MIX" &&
	test_cmp mix.prom out.prom &&
	ls >files &&
	test_grep ! "out.prom\\..*" files
'

test_expect_success PROMTOOL 'promtool accepts the textfile' '
	for file in mix timer many
	do
		promtool check metrics <$file.prom >out 2>&1 &&
		test_must_be_empty out || return 1
	done &&
	made kernel <"$TEST_DIRECTORY"/t3300/states.records &&
	trace2 export --to prometheus kernel "$TRACES"/*.event >all.prom &&
	promtool check metrics <all.prom >out 2>&1 &&
	test_must_be_empty out
'

test_done
