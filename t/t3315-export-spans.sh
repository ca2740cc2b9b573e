#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: spans of programs, in tables and viewers'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_expect_success 'csv: each span, with where its time went' '
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

test_expect_success SQLITE3 'sqlite: regions, children and processes by their span' '
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

test_expect_success SQLITE3 'sqlite: by name, the same as in the report' '
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

test_expect_success 'chrome: asynchronous slices with the ids' '
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
