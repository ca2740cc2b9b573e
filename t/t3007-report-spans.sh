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

test_expect_success 'report --spans: each name has percentiles, failures, and an estimated count' '
	{
		test_seq 100 199 | sed "s/.*/request &/" &&
		echo "queue 5,\"one_in\":10" &&
		echo "queue 25,\"failed\":\"\",\"one_in\":10" &&
		echo "queue 75,\"unfinished\":true"
	} | stream >e &&
	trace2 report --spans --format=json e >all &&
	jq -c ".spans[] | [.span, .count, .recorded, .p50_ns, .p90_ns, .p99_ns,
		.max_ns, .failed, .unfinished, .worked]" all >actual &&
	LC_ALL=C sort actual >sorted &&
	test_cmp - sorted <<-\EOF
	["http/queue",21,3,500000000,750000000,750000000,750000000,1,1,null]
	["http/request",100,100,149000000,189000000,198000000,199000000,null,null,null]
	EOF
'

test_expect_success 'the slowest spans are shown with their attributes' '
	stream >e <<-\EOF &&
	fast 100
	slow 900,"failed":"a \"reason\"","attributes":{"path":"/"},"threads":[["th01:a,b\"c",1.1,1.3],["main",1.5,1.6]]
	mean 500,"failed":""
	last 400,"unfinished":true
	EOF
	trace2 report --spans --format=json e >all &&
	test_prints jq -c ".slowest_spans[] | [.span, .took_ns, .worked_ns, .end, .attributes, .span_id]" all <<-\EOF
	["http/slow",900000000,300000000,"a \"reason\"","{\"path\":\"/\"}","b7ad6b7169203331"]
	["http/mean",500000000,null,"failed",null,"b7ad6b7169203331"]
	["http/last",400000000,null,"unfinished",null,"b7ad6b7169203331"]
	["http/fast",100000000,null,null,null,"b7ad6b7169203331"]
	EOF
'

test_expect_success 'a span with an escaped quote in an attribute keeps its times' '
	stream >e <<-\EOF &&
	slow 302374677,"attributes":{"a":"\""},"threads":[["main",1.292374676,1.294476134]]
	EOF
	trace2 report --spans --format=json e >all &&
	jq -c ".slowest_spans[] | [.took_ns, .queue_ns, .worked_ns]" all >actual &&
	echo "[302374677,292374676,2101458]" | test_cmp - actual
'

test_expect_success 'times of spans with more than nine decimals are rounded' '
	stream >e <<-\EOF &&
	slow 30237467699999999,"threads":[["main",1.2923746759999999,1.2944761340000001]]
	EOF
	trace2 report --spans --format=json e >all &&
	jq -c ".slowest_spans[] | [.took_ns, .queue_ns, .worked_ns]" all >actual &&
	echo "[302374677,292374676,2101458]" | test_cmp - actual
'

test_expect_success 'report --spans: the sum of huge times does not overflow' '
	test_seq 30 |
	sed "s/.*/long 0,\"end\":9000000000,\"threads\":[[\"main\",1,9000000000]]/" |
	stream >e &&
	trace2 report --spans --format=json e >all &&
	jq -e ".spans[0].total_ns > 9e18 and .span_parts[0].sum_ns > 9e18" all
'

test_expect_success 'report --spans shows ten spans as text, or the number of -n' '
	test_seq 100 199 | sed "s/.*/request &/" | stream >e &&
	trace2 report --spans e >actual &&
	sed "1,/^\$/d" actual >slowest &&
	test_line_count = 11 slowest &&
	trace2 report --spans -n 3 e >actual &&
	sed "1,/^\$/d" actual >slowest &&
	test_line_count -lt 7 slowest
'

test_expect_success 'report --spans -g attr: groups spans by the values of an attribute' '
	stream >e <<-\EOF &&
	request 100,"attributes":{"status":200,"a":{"status":7}}
	request 300,"attributes":{"status":200}
	request 700,"failed":"","attributes":{"a":"\"status\":404","status":404}
	request 600,"attributes":{"status":"404"},"one_in":10
	request 500,"attributes":{"status":true}
	request 400,"attributes":{"status":"(none)"}
	request 350,"attributes":{"status":""}
	request 050
	queue 20,"attributes":{"stat":200}
	queue 10,"unfinished":true
	EOF
	trace2 report --spans -g attr:status --format=json e >all &&
	test_prints jq -c ".spans[] | [.span, .group, .count, .recorded, .p50_ns, .p99_ns, .failed, .unfinished]" all <<-\EOF &&
	["http/request","404",11,2,600000000,700000000,1,null]
	["http/request","true",1,1,500000000,500000000,null,null]
	["http/request","(none)",1,1,400000000,400000000,null,null]
	["http/request","200",2,2,100000000,300000000,null,null]
	["http/request","",1,1,350000000,350000000,null,null]
	["http/queue","(none)",2,2,100000000,200000000,null,1]
	["http/request","(none)",1,1,50000000,50000000,null,null]
	EOF
	trace2 report --spans -g attr:status --format=csv e >csv &&
	test_line_count = 8 csv &&
	grep ",404,http/request,2$" csv
'

# Print the first table of text, with one blank between columns.
first_table () {
	sed "/^\$/,\$d" "$1" | sed -e "s/  */ /g" -e "s/^ //"
}

test_expect_success 'report --spans -g attr: text shows 20 rows, and one for all others' '
	{
		test_seq 100 129 | sed "s,.*,request &\,\"attributes\":{\"path\":\"/&\"}," &&
		echo "request 101,\"attributes\":{\"path\":\"/129\"}"
	} | stream >e &&
	trace2 report --spans -g attr:path e >all &&
	first_table all >actual &&
	test_line_count = 22 actual &&
	sed -n "2p;3p;21p;22p" actual >ends &&
	test_cmp - ends <<-\EOF &&
	0.230 2 115.000 101.000 129.000 129.000 129.000 /129 http/request
	0.128 1 128.000 128.000 128.000 128.000 128.000 /128 http/request
	0.110 1 110.000 110.000 110.000 110.000 110.000 /110 http/request
	1.045 10 104.500 104.000 108.000 109.000 109.000 (10 more)
	EOF
	trace2 report --spans -g attr:path -s p50 e >all &&
	first_table all >actual &&
	sed -n "2p;22p" actual >ends &&
	test_cmp - ends <<-\EOF &&
	0.128 1 128.000 128.000 128.000 128.000 128.000 /128 http/request
	1.166 11 106.000 104.000 108.000 129.000 129.000 (10 more)
	EOF
	trace2 report --spans -g attr:path --all e >all &&
	first_table all >actual &&
	test_line_count = 31 actual &&
	trace2 report --spans -g attr:path -n 25 e >all &&
	first_table all >actual &&
	test_line_count = 26 actual &&
	trace2 report --spans -g attr:path --format=json e >all &&
	jq -e ".spans | length == 30" all
'

test_expect_success 'report --spans -g attr: keys and values with control characters are escaped' '
	esc=$(printf "\\033[31m") &&
	cr=$(printf "a\\rb") &&
	bad=$(printf "\\377") &&
	long=$(printf "%0700d" 1) &&
	for target in RING EVENT
	do
		mkdir $target &&
		env GIT_TRACE2_$target="$PWD/$target" \
			test-tool trace2 502texts http a "k\"ey" "$esc$cr$bad" &&
		env GIT_TRACE2_$target="$PWD/$target" \
			test-tool trace2 502texts http b "k\"ey" "$long" &&
		trace2 report --spans -g "attr:k\"ey" $target >actual &&
		first_table actual >table &&
		test_grep "[\\]x1b\[31ma[\\]rb.* http/a" table &&
		! tr -d "\\040-\\176\\200-\\377\\n" <table | grep . &&
		awk "length > 110 { exit 1 }" table &&
		trace2 report --spans -g "attr:k\"ey" --format=json $target >$target.json || return 1
	done &&
	jq -r ".spans[] | [.span, (.group | explode | [length, .[0], .[4], .[6], .[8]])] |
		\"\(input_filename) \(.)\"" EVENT.json RING.json >actual &&
	LC_ALL=C sort actual >sorted &&
	test_cmp - sorted <<-\EOF
	EVENT.json ["http/a",[9,27,109,13,65533]]
	EVENT.json ["http/b",[256,48,48,48,48]]
	RING.json ["http/a",[9,27,109,13,65533]]
	RING.json ["http/b",[256,48,48,48,48]]
	EOF
'

test_expect_success 'report --spans -g attr: values are redacted by their key' '
	echo "request 1,\"attributes\":{\"password\":\"tea\"}" | stream >e &&
	trace2 report --spans -g attr:password --redact --format=json e >all &&
	jq -e ".spans[0].group" all >actual &&
	test_grep ! tea actual
'

test_expect_success 'report -g attr: a key and --spans are required' '
	test_expect_code 2 trace2 report --spans -g attr: e 2>err &&
	test_grep "attr:KEY" err &&
	test_expect_code 2 trace2 report -g attr:a e 2>err &&
	test_grep "attr:a needs --spans" err &&
	test_expect_code 2 trace2 report --spans --regions -g attr:a e
'

test_expect_success 'report --spans divides the time of a span: queue, threads, regions, children' '
	trace2 report --spans --format=json "$TEST_DIRECTORY"/t3300/spans.event >all &&
	test_prints jq -r ".span_parts | sort_by(.span, -.sum_ns)[] |
		\"\(.span) \(.where) \(.sum_ns) \(.share * 100 | round) \(.kind) \(.count)\"" all <<-\EOF
	db/query itself 5000200 50 own 1
	db/query db/read 5000000 50 inside 1
	db/query no thread 100 0 own 1
	http/request itself 45000000 45 own 1
	http/request queue 20000000 20 own 1
	http/request child thumb 20000000 20 inside 1
	http/request no thread 11000000 11 own 1
	http/request http/parse 4000000 4 inside 1
	EOF
'

test_expect_success 'report --spans without spans warns' '
	stream >e </dev/null &&
	test_prints trace2 report --spans e </dev/null 2>err &&
	test_grep "spans" err
'

test_expect_success 'report --spans gives the same for a ring as for a stream' '
	rm -f ring &&
	GIT_TRACE2_RING="$PWD/ring" test-tool trace2 501span &&
	trace2 report --spans --format=json ring >all &&
	jq -c ".slowest_spans[] | [.span, .end]" all | LC_ALL=C sort >actual &&
	test_cmp - actual <<-\EOF
	["db/query","no such table"]
	["http/request",null]
	["x/y","failed"]
	EOF
'

test_done
