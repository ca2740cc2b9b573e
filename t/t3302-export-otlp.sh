#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: OpenTelemetry, to a file and to a collector'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

unchecked 'leaves without their members' many.event

# spans FILTER FILE: print it for each span, in order.
spans () {
	jq -r ".resourceSpans[].scopeSpans[].spans[] | $1" "$2"
}

test_expect_success 'otlp: spans have their parents' '
	trace2 export --to otlp "$MIX" >out.json &&
	test_line_count = 1 out.json &&
	test_prints jq -r "[.resourceSpans[].scopeSpans[].spans[]] as \$all
		| ([\$all[] | {key: .spanId, value: .name}] | from_entries) as \$names
		| (\$all[] | \"\(.name) < \(\$names[.parentSpanId // \"\"])\"),
		(\$all | \"the last is of the second child helper: \(
				.[-1].parentSpanId == .[3].spanId)\",
			\"spans: \([.[].spanId] | unique | length)\",
			\"traces: \([.[].traceId] | unique | length)\")" \
		out.json <<-\EOF
	work < null
	load/all < work
	child helper < work
	child helper < work
	wait/both < work
	thread(th01:reader) < work
	read/file < thread(th01:reader)
	helper < child helper
	the last is of the second child helper: true
	spans: 8
	traces: 1
	EOF
'

# printf %s SID | sha256sum: the trace is the first 16 bytes of the root
# component, a process the 8 bytes after them of its own.
test_expect_success 'otlp: ids are computed from the SIDs' '
	printf %s 20261121T090000.000000Z-H0a7c9cdf-P00000064 | sha256sum |
		cut -c1-48 >expect &&
	printf %s 20261121T090000.012000Z-H0a7c9cdf-P00000066 | sha256sum |
		cut -c33-48 >>expect &&
	spans "(select(.name == \"work\") | .traceId + .spanId),
		(select(.name == \"helper\") | .spanId)" out.json >actual &&
	test_cmp expect actual
'

test_expect_success 'SHA-256 is right for messages around its block size' '
	for n in 1 54 55 56 57 63 64 65 119 120 127 128 129 200
	do
		sid=$(printf "%0${n}d" 7) &&
		printf "{\"event\":\"version\",\"sid\":\"%s\",\"thread\":\"main\",\
\"time\":\"2026-11-21T09:00:00.000000Z\",\"evt\":\"4\",\"exe\":\"1\"}\n" "$sid" \
			>one.event &&
		printf %s "$sid" | sha256sum | cut -c1-48 >>sums &&
		trace2 export --to otlp one.event >>ones.json || return 1
	done &&
	spans ".traceId + .spanId" ones.json >actual &&
	test_cmp sums actual
'

test_expect_success 'otlp: spans have status, times and events' '
	test_prints spans "(select(.status) | \"\(.name) \(.status.code) \(.status.message)\"),
		(select(.name == \"work\").attributes[] |
			select(.key | test(\"timer\")) | [.key, .value.intValue] | tojson),
		(select(.name == \"read/file\") | .startTimeUnixNano,
			.endTimeUnixNano, .events[0].name, .events[0].timeUnixNano,
			.events[0].attributes[0].value.intValue, (.attributes[] |
			select(.key | test(\"^trace2.(span|category|label)\$\")).value.stringValue))" \
		out.json <<-\EOF
	work 2 exit code 1
	["trace2.timer.read/wait.intervals","4"]
	["trace2.timer.read/wait.total_ns","2000000"]
	child helper 2 null
	1795251600003100000
	1795251600006100000
	read/bytes
	1795251600003200000
	4096
	region
	read
	file
	helper 2 cannot reach https://joe:hunter2@example.com/x
	EOF
'

test_expect_success 'otlp: threads have their times; modes, hooks and repositories are attributes' '
	spans "select(.name | test(\"^thread\")) | .startTimeUnixNano,
		.endTimeUnixNano" out.json >actual &&
	test_write_lines 1795251600003000000 1795251600007000000 | test_cmp - actual &&
	trace2 export --to otlp "$TRACES/commit.event" >commit.json &&
	spans "select(.name | test(\"pre-commit\")).attributes[] |
		select(.key == \"trace2.child.hook\").value.stringValue" \
		commit.json >actual &&
	echo pre-commit | test_cmp - actual &&
	sed -e "s/\"nesting\":1,\"category\":\"load\"/\"repo\":2,&/" \
		-e "/\"cmd_name\"/{p;s/cmd_name/cmd_mode/;s/\"work\",.*/\"fast\"}/;}" \
		"$MIX" >mode.event &&
	trace2 export --to otlp mode.event >mode.json &&
	test_write_lines "[\"work\",\"fast\"]" "[\"load/all\",\"2\"]" |
	test_prints spans "[.name, (.attributes[] | select(.key |
		test(\"^trace2.(mode|repo)\$\")).value[])] | select(.[1]) | tojson" \
		mode.json
'

test_expect_success 'otlp: each error is an exception event' '
	sed "/\"event\":\"error\"/p" "$MIX" >twice.event &&
	trace2 export --to otlp twice.event >twice.json &&
	spans "select(.name == \"helper\").events[]?.name" twice.json >actual &&
	test_write_lines exception exception | test_cmp - actual
'

test_expect_success 'otlp: the resource names host and program' '
	test_prints jq -c ".resourceSpans[0].resource.attributes[] | [.key, (.value[]
		| if type == \"object\" then [.values[].stringValue] else . end)]" \
		out.json <<-\EOF
	["service.name","prog"]
	["service.version","1.2.3"]
	["process.pid","100"]
	["process.executable.name","prog"]
	["process.command_args",["/opt/bin/prog","work","https://joe:hunter2@example.com/x"]]
	EOF
'

test_expect_success 'otlp: a child that is exported alone refers to trace and span of the parent' '
	grep P00000066 "$MIX" >child.event &&
	trace2 export --to otlp child.event >child.json &&
	spans ".traceId, .parentSpanId" child.json >actual &&
	spans "select(.name == \"work\") | .traceId, .spanId" out.json >expect &&
	test_cmp expect actual
'

# TRACE NAME < PARENT, EVENTS
tree () {
	jq -r "[.resourceSpans[].scopeSpans[].spans[]] as \$all
		| ([\$all[] | {key: .spanId, value: .name}] | from_entries) as \$names
		| \$all[] | \"\(.traceId[:1]) \(.name) < \(
			\$names[.parentSpanId // \"\"] // .parentSpanId)\" +
			([.events[]? | \", \(.name)\"] | join(\"\"))" "$1"
}

test_expect_success 'otlp: spans of the program keep their ids, parents and events' '
	trace2 export --to otlp "$SPANS" >spans.json &&
	tree spans.json >actual &&
	spans "select(.name == \"server\" or .name == \"http/request\") | .spanId" \
		spans.json >>actual &&
	test_cmp - actual <<-\EOF
	7 server < eeeeeeeeeeeeeeee
	7 thread(th01:worker) < server
	7 pool/loop < thread(th01:worker)
	8 http/parse < http/request, http/bytes
	8 db/read < db/query
	7 thread(th02:worker) < server
	8 child thumb < http/request
	8 db/query < http/request
	8 http/request < ffffffffffffffff, http/route
	9 job/tick < null
	8 thumb < child thumb
	51515151515151ff
	a1a1a1a1a1a1a1a1
	EOF
'

test_expect_success 'otlp: a child started in a span has the span id of its TRACEPARENT' '
	spans "select(.name == \"child thumb\").spanId" spans.json >actual &&
	jq -r "select(.key == \"trace\" and .value.span_id == \"d1d1d1d1d1d1d1d1\")
		.value.parent_id" "$SPANS" >expect &&
	test_cmp expect actual &&
	grep P00000066 "$SPANS" >alone.event &&
	trace2 export --to otlp alone.event >alone.json &&
	spans .parentSpanId alone.json >actual &&
	test_cmp expect actual
'

test_expect_success 'otlp: attributes of spans have types, and failures a reason' '
	trace2 export --to otlp --redact "$SPANS" >redacted.json &&
	test_prints spans "(select(.name == \"http/request\") | .kind, .flags, .traceState,
			.startTimeUnixNano, .endTimeUnixNano, .links,
			(.attributes[] | [.key, .value] | tojson)),
		(select(.name | IN(\"db/query\", \"job/tick\")) |
			[.status, .links, .kind, .flags] | tojson)" redacted.json <<-\EOF
	[{"code":2,"message":"no such table"},null,1,257]
	2
	769
	x=1
	1795424400010000000
	1795424400110000000
	null
	["path",{"stringValue":"/a \"b\" €"}]
	["status",{"intValue":"200"}]
	["ratio",{"doubleValue":0.5}]
	["cached",{"boolValue":true}]
	["api.token",{"stringValue":"<REDACTED>"}]
	["trace2.span",{"stringValue":"span"}]
	["trace2.category",{"stringValue":"http"}]
	["trace2.label",{"stringValue":"request"}]
	["trace2.worked_ns",{"intValue":"69000000"}]
	["trace2.queue_ns",{"intValue":"20000000"}]
	["trace2.idle_ns",{"intValue":"11000000"}]
	["trace2.one_in",{"intValue":"100"}]
	[null,[{"traceId":"77777777777777777777777777777777","spanId":"51515151515151ff"}],1,257]
	EOF
'

test_expect_success 'otlp: -N selects spans of the program by name' '
	trace2 export --to otlp -N db/query "$SPANS" >some.json &&
	tree some.json >actual &&
	cat >expect <<-\EOF &&
	7 server < eeeeeeeeeeeeeeee
	7 thread(th01:worker) < server, http/bytes, http/route
	7 thread(th02:worker) < server
	8 db/query < a1a1a1a1a1a1a1a1
	8 thumb < CHILD
	EOF
	sed -i "s/CHILD/$(spans "select(.name == \"child thumb\").spanId" spans.json)/" expect &&
	test_cmp expect actual
'

test_expect_success 'otlp: attributes have the names of trace2receiver' '
	sed "s/\"nesting\":1,\"category\":\"load\"/\"repo\":2,&/" "$MIX" >repo.event &&
	trace2 export --to otlp --compat trace2receiver repo.event >compat.json &&
	test_prints spans ".name, (.attributes[] | select(.key | IN(\"trace2.region.data\",
		\"trace2.region.repoid\", \"trace2.cmd.exit_code\", \"trace2.param.set\")) | .value[])" \
		compat.json <<-\EOF
	prog:work
	1
	{"remote.token":"s3cr3t","core.bare":"false"}
	region(load,all)
	2
	child(helper)
	child(helper)
	region(wait,both)
	thread(th01:reader)
	region(read,file)
	{"read":{"bytes":"4096"}}
	helper
	3
	EOF
'

test_expect_success 'otlp: requests have a maximal size' '
	perl -e "
		print qq({\"event\":\"version\",\"sid\":\"a\",\"thread\":\"main\",\"time\":\"2026-11-21T09:00:00.000000Z\",\"evt\":\"4\",\"exe\":\"1\"}\n);
		for (1 .. 9000) {
			for my \$what (qw(enter leave)) {
				print qq({\"event\":\"region_\$what\",\"sid\":\"a\",\"thread\":\"main\",\"time\":\"2026-11-21T09:00:01.000000Z\",\"nesting\":1,\"category\":\"c\",\"label\":\"l\"}\n);
			}
		}" >many.event &&
	trace2 export --to otlp many.event >many.json 2>err &&
	jq -s -c "map([.resourceSpans[].scopeSpans[].spans[].spanId])
		| map(length), (add | unique | length)" many.json >actual &&
	test_write_lines "[4096,4096,809]" 9001 | test_cmp - actual
'

test_expect_success NODE,LIBCURL 'otlp: a collector gets the same JSON as a file' '
	collector 200 &&
	trace2 export --to otlp --url $url "$MIX" &&
	trace2 export --to otlp --url $url/here "$MIX" &&
	test_cmp - collector/requests <<-\EOF &&
	POST /v1/traces application/json 200
	POST /here application/json 200
	EOF
	cat out.json out.json >expect &&
	test_cmp expect collector/bodies
'

test_expect_success NODE,LIBCURL 'otlp: a request to a busy collector is repeated' '
	collector 429:1 503:1 200 &&
	trace2 export --to otlp --url $url "$MIX" &&
	cut -d" " -f4 collector/requests >actual &&
	test_write_lines 429 503 200 | test_cmp - actual &&
	test_cmp out.json collector/bodies
'

test_expect_success NODE,LIBCURL 'otlp: a refusal is reported in the words of the collector' '
	collector "401={\"code\":16,\"message\":\"no token, no trace\"}" \
		"413=too large
by far" &&
	test_expect_code 128 trace2 export --to otlp --url $url "$MIX" 2>err &&
	test_grep "answered 401: no token, no trace\$" err &&
	test_expect_code 128 trace2 export --to otlp --url $url "$MIX" 2>err &&
	test_grep "answered 413: too large\$" err
'

test_expect_success NODE,LIBCURL 'otlp: rejected spans are reported' '
	collector "200={\"partialSuccess\":{\"rejectedSpans\":\"3\"}}" &&
	trace2 export --to otlp --url $url "$MIX" 2>err &&
	test_grep "rejected some spans: {.*rejectedSpans" err
'

test_expect_success LIBCURL 'export fails without a server, and for invalid URLs' '
	test_expect_code 128 trace2 export --to otlp \
		--url http://127.0.0.1:1/v1/traces "$MIX" 2>err &&
	test_grep "cannot send to .http://127.0.0.1:1/v1/traces.: " err &&
	test_expect_code 128 trace2 export --to otlp --url file:///etc/passwd \
		"$MIX" 2>err &&
	test_grep "file:///etc/passwd. is not the URL of a collector" err
'

test_expect_success LIBCURL 'otlp: libcurl is loaded only for sending' '
	mkdir broken &&
	: >broken/libcurl.so.4 &&
	(
		LD_LIBRARY_PATH=$PWD/broken &&
		export LD_LIBRARY_PATH &&
		trace2 export --to otlp "$MIX" >same.json &&
		test_expect_code 128 trace2 export --to otlp \
			--url http://127.0.0.1:1 "$MIX" 2>err
	) &&
	test_cmp out.json same.json &&
	test_grep "cannot send to a collector: .*libcurl.so.4: " err
'

test_expect_success 'otlp: a counter beyond 2^63 - 1 is a double' '
	cat >large.event <<-\EOF &&
	{"event":"version","sid":"20200101T000000.0Z-H1-P1","thread":"main","time":"2020-01-01T00:00:00.000000Z","evt":"4","exe":"x"}
	{"event":"counter","sid":"20200101T000000.0Z-H1-P1","thread":"main","time":"2020-01-01T00:00:00.000001Z","category":"c","name":"largest","count":9223372036854775807}
	{"event":"counter","sid":"20200101T000000.0Z-H1-P1","thread":"main","time":"2020-01-01T00:00:00.000002Z","category":"c","name":"larger","count":9223372036854775808}
	EOF
	trace2 export --to otlp large.event >out.json &&
	test_grep "largest\",\"value\":{\"intValue\":\"9223372036854775807\"}" out.json &&
	test_grep "larger\",\"value\":{\"doubleValue\":9223372036854775808}" out.json
'

test_done
