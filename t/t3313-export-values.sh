#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='distributions and gauges in what trace2 export writes'

. ./test-lib.sh

test_expect_success 'two processes' '
	mkdir d &&
	for value in 5 -3
	do
		GIT_TRACE2_EVENT="$PWD/d" test-tool trace2 call distribution_add bytes 2 , \
			distribution_add bytes 3000 , gauge_set busy 9 , \
			gauge_set busy $value || return 1
	done
'

test_expect_success 'prometheus: a histogram, and gauges' '
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

test_expect_success 'prometheus: labels of metrics that were defined at run time' '
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

test_expect_success 'csv: a table for each' '
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

test_expect_success JQ 'chrome and OpenTelemetry' '
	trace2 export --to chrome -i d >chrome &&
	jq -e "[.traceEvents[] | select(.cat == \"distribution\") | [.name, .args.sum]] ==
			[[\"tool/size\", 3002], [\"tool/size\", 3002]] and
		([.traceEvents[] | select(.ph == \"C\" and (.name | test(\"busy\"))).args.value] |
			contains([5]) and contains([-3]))" chrome &&
	trace2 export --to otlp -i d >otlp &&
	test_grep "trace2.distribution.tool/size.sum" otlp &&
	test_grep "trace2.gauge.tool/busy.last" otlp
'

test_done
