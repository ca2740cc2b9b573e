#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report --spans'

. ./test-lib.sh

test_skip_unless JQ

# A stream of spans: NAME TOOK-IN-MS,REST-OF-THE-OBJECT a line.
stream () {
	head=',"sid":"20200101T000000.000000Z-H00000000-P00000001","thread":"main","time":"2020-01-01T00:00:00.000000Z"' &&
	echo "{\"event\":\"version\"$head,\"evt\":\"4\",\"exe\":\"1\"}" &&
	echo "{\"event\":\"start\"$head,\"t_abs\":0.001,\"argv\":[\"server\"]}" &&
	while read -r name took
	do
		echo "{\"event\":\"data_json\"$head,\"t_abs\":9.0,\"t_rel\":1.0,\"nesting\":1,\"category\":\"trace2\",\"key\":\"span\",\"value\":{\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",\"span_id\":\"b7ad6b7169203331\",\"category\":\"http\",\"name\":\"$name\",\"start\":1,\"end\":1.$took}}" || return 1
	done
}

test_expect_success 'by name: percentiles by nearest rank, what failed, what it stands for' '
	{
		test_seq 100 199 | sed "s/.*/request &/" &&
		echo "queue 5,\"one_in\":10" &&
		echo "queue 25,\"failed\":\"\",\"one_in\":10" &&
		echo "queue 75,\"unfinished\":true"
	} | stream >e &&
	trace2 report --spans --format=json e >all &&
	jq -c ".spans[] | [.span, .count, .recorded, .p50_ns, .p90_ns, .p99_ns,
		.max_ns, .failed, .unfinished, .worked]" all >actual &&
	cat >expect <<-\EOF &&
	["http/queue",21,3,500000000,750000000,750000000,750000000,1,1,null]
	["http/request",100,100,149000000,189000000,198000000,199000000,null,null,null]
	EOF
	LC_ALL=C sort actual >sorted &&
	test_cmp expect sorted
'

test_expect_success 'the slowest, with what was set' '
	stream >e <<-\EOF &&
	fast 100
	slow 900,"failed":"a \"reason\"","attributes":{"path":"/"},"threads":[["th01:a,b\"c",1.1,1.3],["main",1.5,1.6]]
	mean 500,"failed":""
	last 400,"unfinished":true
	EOF
	trace2 report --spans --format=json e >all &&
	jq -c ".slowest_spans[] | [.span, .took_ns, .worked_ns, .end, .attributes, .span_id]" all >actual &&
	cat >expect <<-\EOF &&
	["http/slow",900000000,300000000,"a \"reason\"","{\"path\":\"/\"}","b7ad6b7169203331"]
	["http/mean",500000000,null,"failed",null,"b7ad6b7169203331"]
	["http/last",400000000,null,"unfinished",null,"b7ad6b7169203331"]
	["http/fast",100000000,null,null,null,"b7ad6b7169203331"]
	EOF
	test_cmp expect actual
'

test_expect_success 'escapes in an attribute leave the times as they are' '
	stream >e <<-\EOF &&
	slow 302374677,"attributes":{"a":"\""},"threads":[["main",1.292374676,1.294476134]]
	EOF
	trace2 report --spans --format=json e >all &&
	jq -c ".slowest_spans[] | [.took_ns, .queue_ns, .worked_ns]" all >actual &&
	echo "[302374677,292374676,2101458]" >expect &&
	test_cmp expect actual
'

test_expect_success 'times with more decimals than nanoseconds are rounded' '
	stream >e <<-\EOF &&
	slow 30237467699999999,"threads":[["main",1.2923746759999999,1.2944761340000001]]
	EOF
	trace2 report --spans --format=json e >all &&
	jq -c ".slowest_spans[] | [.took_ns, .queue_ns, .worked_ns]" all >actual &&
	echo "[302374677,292374676,2101458]" >expect &&
	test_cmp expect actual
'

test_expect_success 'a sum of damaged times is not negative' '
	test_seq 30 |
	sed "s/.*/long 0,\"end\":9000000000,\"threads\":[[\"main\",1,9000000000]]/" |
	stream >e &&
	trace2 report --spans --format=json e >all &&
	jq -e ".spans[0].total_ns > 9e18 and .span_parts[0].sum_ns > 9e18" all
'

test_expect_success 'text shows ten, or -n' '
	test_seq 100 199 | sed "s/.*/request &/" | stream >e &&
	trace2 report --spans e >actual &&
	sed "1,/^\$/d" actual >slowest &&
	test_line_count = 11 slowest &&
	trace2 report --spans -n 3 e >actual &&
	sed "1,/^\$/d" actual >slowest &&
	test_line_count -lt 7 slowest
'

test_expect_success 'where the time went: queue, threads, regions and children inside' '
	trace2 report --spans --format=json "$TEST_DIRECTORY"/t3300/spans.event >all &&
	jq -r ".span_parts | sort_by(.span, -.sum_ns)[] |
		\"\(.span) \(.where) \(.sum_ns) \(.share * 100 | round) \(.kind)\"" all >actual &&
	cat >expect <<-\EOF &&
	db/query itself 5000200 50 own
	db/query db/read 5000000 50 inside
	db/query no thread 100 0 own
	http/request itself 45000000 45 own
	http/request queue 20000000 20 own
	http/request child thumb 20000000 20 inside
	http/request no thread 11000000 11 own
	http/request http/parse 4000000 4 inside
	EOF
	test_cmp expect actual
'

test_expect_success 'without spans a warning says so' '
	stream >e </dev/null &&
	trace2 report --spans e >actual 2>err &&
	test_must_be_empty actual &&
	test_grep "spans" err
'

test_expect_success 'a ring is like a stream' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" test-tool trace2 501span &&
	trace2 report --spans --format=json ring >all &&
	jq -c ".slowest_spans[] | [.span, .end]" all | LC_ALL=C sort >actual &&
	cat >expect <<-\EOF &&
	["db/query","no such table"]
	["http/request",null]
	["x/y","failed"]
	EOF
	test_cmp expect actual
'

test_done
