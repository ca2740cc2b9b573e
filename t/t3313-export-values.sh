#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: distributions and gauges'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_expect_success 'setup: two processes with values' '
	mkdir d &&
	for value in 5 -3
	do
		GIT_TRACE2_EVENT="$PWD/d" test-tool trace2 call distribution_add bytes 2 , \
			distribution_add bytes 3000 , gauge_set busy 9 , \
			gauge_set busy $value || return 1
	done
'

test_expect_success 'prometheus has histograms and gauges' '
	trace2 export --to prometheus -i d >metrics &&
	grep -e distribution -e gauge metrics | grep -v "^# HELP" >actual &&
	test_grep "^# TYPE trace2_distribution histogram" actual &&
	test_grep "^trace2_distribution_bucket{category=\"tool\",distribution=\"size\",le=\"1\"} 0" actual &&
	test_grep "^trace2_distribution_bucket{category=\"tool\",distribution=\"size\",le=\"2.5\"} 2" actual &&
	test_grep "^trace2_distribution_bucket{category=\"tool\",distribution=\"size\",le=\"5000\"} 4" actual &&
	test_grep "^trace2_distribution_sum{category=\"tool\",distribution=\"size\"} 6004" actual &&
	test_grep "^trace2_distribution_count{category=\"tool\",distribution=\"size\"} 4" actual &&
	test_grep "^# TYPE trace2_gauge gauge" actual &&
	test_grep "^trace2_gauge{category=\"tool\",gauge=\"busy\"} -3" actual &&
	test_grep "^trace2_gauge_min{category=\"tool\",gauge=\"busy\"} -3" actual &&
	test_grep "^trace2_gauge_max{category=\"tool\",gauge=\"busy\"} 9" actual
'

test_expect_success 'prometheus has the labels of metrics opened at run time' '
	GIT_TRACE2_EVENT="$PWD/opened" test-tool trace2 241open &&
	sed "/\"event\":\"counter\"/d; /\"event\":\"at*exit\"/d" opened >named &&
	start=$(sed q opened | sed "s/.*\"sid\":\"\([^\"]*\)\".*/\1/") &&
	for name in "a{le=~1~}" "b{counter=~1~}" "c{x=~1~" "d{x=~1~}y" "e{1x=~1~}" \
		"f{x=1}" "g{__x=~1~}" "h{x=~1~,}" "i{x=~1~,_y2=~}{,~}"
	do
		printf "{\"event\":\"counter\",\"sid\":\"%s\",\"thread\":\"main\",\"category\":\"t\",\"name\":\"%s\",\"count\":5}\n" \
			"$start" "$(echo "$name" | sed "s/~/\\\\\"/g")" || return 1
	done >>named &&
	trace2 export --to prometheus opened >metrics &&
	trace2 export --to prometheus named >>metrics &&
	grep "^trace2_\(value_total\|gauge\|distribution_count\){" metrics | sort -u >actual &&
	sort >expect <<-\EOF &&
	trace2_distribution_count{category="a",distribution="b/c",method="GET"} 1
	trace2_gauge{category="a",gauge="b/c",method="GET"} -7
	trace2_value_total{category="",counter="{=\"\"}"} 6
	trace2_value_total{category="http",counter="requests",code="\"2\\\"",method="GET"} 42
	trace2_value_total{category="test",counter="test1"} 3
	trace2_value_total{category="t",counter="a{le=\"1\"}"} 5
	trace2_value_total{category="t",counter="b{counter=\"1\"}"} 5
	trace2_value_total{category="t",counter="c{x=\"1\""} 5
	trace2_value_total{category="t",counter="d{x=\"1\"}y"} 5
	trace2_value_total{category="t",counter="e{1x=\"1\"}"} 5
	trace2_value_total{category="t",counter="f{x=1}"} 5
	trace2_value_total{category="t",counter="g{__x=\"1\"}"} 5
	trace2_value_total{category="t",counter="h{x=\"1\",}"} 5
	trace2_value_total{category="t",counter="i",x="1",_y2="}{,"} 5
	EOF
	test_cmp expect actual
'

test_expect_success 'csv has a table for distributions, and one for gauges' '
	trace2 export --to csv --table distributions -i d | cut -d, -f2-9 >actual &&
	sed -n 1p actual >head &&
	echo "category,name,unit_name,count,sum,min,max,histogram" | test_cmp - head &&
	test_grep "^tool,size,bytes,2,3002,2,3000," actual &&
	trace2 export --to csv --table gauges -i d | cut -d, -f2-7 >actual &&
	test_cmp - actual <<-\EOF
	category,name,unit_name,last,min,max
	tool,busy,workers,5,5,9
	tool,busy,workers,-3,-3,9
	EOF
'

test_expect_success JQ 'chrome and otlp have distributions and gauges' '
	trace2 export --to chrome -i d >chrome &&
	jq -e "[.traceEvents[] | select(.cat == \"distribution\") | [.name, .args.sum]] ==
			[[\"tool/size\", 3002], [\"tool/size\", 3002]] and
		([.traceEvents[] | select(.ph == \"C\" and (.name | test(\"busy\"))).args.value] |
			contains([5]) and contains([-3]))" chrome &&
	trace2 export --to otlp -i d >otlp &&
	test_grep "trace2.distribution.tool/size.sum" otlp &&
	test_grep "trace2.gauge.tool/busy.last" otlp
'

# ---------------------------------------------------------------------------
# Trace2 export: spans of programs, in tables and viewers

test_expect_success 'csv has each span with its waiting and working time' '
	trace2 export --to csv --table trace_spans --redact "$SPANS" >spans.csv &&
	sed -n 1p spans.csv | tr , "\n" >names &&
	test_grep "^queue_ns$" names &&
	test_prints cut -d, -f3-8,11-15 spans.csv <<-\EOF &&
	trace,trace_span,parent_span,remote,category,name,duration_ns,queue_ns,worked_ns,idle_ns,failed
	88888888888888888888888888888888,b1b1b1b1b1b1b1b1,a1a1a1a1a1a1a1a1,0,db,query,10000300,0,10000200,100,no such table
	88888888888888888888888888888888,a1a1a1a1a1a1a1a1,ffffffffffffffff,1,http,request,100000000,20000000,69000000,11000000,
	99999999999999999999999999999999,c1c1c1c1c1c1c1c1,,0,job,tick,120000000,,,,
	EOF
	test_grep REDACTED spans.csv &&
	test_grep ! s3cr3t spans.csv
'

test_expect_success SQLITE3 'sqlite joins regions, children and processes to their span' '
	trace2 export --to sqlite -o db "$SPANS" &&
	test_prints sqlite3 db "SELECT t.name, coalesce(s.label, s.command) FROM spans s
		LEFT JOIN trace_spans t USING (trace_span) ORDER BY s.start_ns" <<-\EOF &&
	|loop
	request|parse
	query|read
	request|thumb /a
	EOF
	test_prints sqlite3 db "SELECT s.name, s.trace, s.trace_span, t.name FROM sessions s
		LEFT JOIN trace_spans t USING (trace) GROUP BY s.id" <<-\EOF &&
	server|77777777777777777777777777777777|51515151515151ff|
	thumb|88888888888888888888888888888888|d1d1d1d1d1d1d1d1|query
	EOF
	sqlite3 db "SELECT json_extract(attributes, '\''$.path'\''), tracestate
		FROM trace_spans WHERE remote" >actual &&
	echo "/a \"b\" €|x=1" | test_cmp - actual &&
	trace2 export --to sqlite -o db "$SPANS" &&
	echo 3 | test_prints sqlite3 db "SELECT count(*) FROM trace_spans"
'

test_expect_success SQLITE3 'sqlite has the same spans by name as report' '
	sqlite3 -json db "SELECT category || '\''/'\'' || name AS span, count, recorded,
		p50_ms, p90_ms, p99_ms, max_ms FROM span_times ORDER BY 1" |
		jq -c ".[] | map_values(if type == \"number\" then . * 1000 | round else . end)
			| [.span, .count / 1000, .recorded / 1000, .p50_ms, .p90_ms, .p99_ms,
				.max_ms]" >actual &&
	trace2 report --spans --format=json "$SPANS" |
		jq -c ".spans | sort_by(.span)[] | [.span, .count, .recorded,
			(.p50_ns, .p90_ns, .p99_ns, .max_ns) / 1000]" |
		sed "s/\.[0-9]*//g" >expect &&
	test_cmp expect actual
'

test_expect_success 'chrome has spans as asynchronous slices with their ids' '
	trace2 export --to chrome --redact "$SPANS" >chrome.json &&
	jq -c ".traceEvents[] | select(.cat == \"span\") | [.ph, .name, .pid, .ts, .id2.local,
		.args.queue_ns, .args.failed, .args.attributes[\"api.token\"],
		.args.open]" chrome.json >actual &&
	cat >expect <<-\EOF &&
	["b","db/query",100,40000.400,"0xb1b1b1b1b1b1b1b1",0,"no such table",null,null]
	["e","db/query",100,50000.700,"0xb1b1b1b1b1b1b1b1",null,null,null,null]
	["b","http/request",100,10000.000,"0xa1a1a1a1a1a1a1a1",20000000,null,"<REDACTED>",null]
	["e","http/request",100,110000.000,"0xa1a1a1a1a1a1a1a1",null,null,null,null]
	["b","job/tick",100,100000.000,"0xc1c1c1c1c1c1c1c1",null,null,null,true]
	["e","job/tick",100,220000.000,"0xc1c1c1c1c1c1c1c1",null,null,null,null]
	EOF
	sed "s/\.[0-9]*,\"0x/,\"0x/" actual >times &&
	sed "s/\.[0-9]*,\"0x/,\"0x/" expect >expect.times &&
	test_cmp expect.times times
'

test_done
