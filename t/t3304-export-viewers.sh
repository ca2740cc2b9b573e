#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export, read by the viewers for which it is made

The test is slow, and needs other programs: set GIT_TEST_LONG, and NODE_PATH to
a node_modules with speedscope, playwright-core and
@opentelemetry/otlp-transformer 0.57, the last release with the schema; and have
Chromium in the PATH.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_lazy_prereq SPEEDSCOPE '
	node -e "require.resolve(\"speedscope/package.json\");
		require(\"playwright-core\")" &&
	command -v chromium
'
test_lazy_prereq OTLP_SCHEMA '
	node -e "require(\"@opentelemetry/otlp-transformer/build/src/generated/root\")"
'

test_expect_success EXPENSIVE,SPEEDSCOPE 'speedscope shows the threads' '
	trace2 export --to chrome -o out.json "$MIX" &&
	node "$TEST_DIRECTORY"/t3300/speedscope.js out.json shot.png \
		"$(command -v chromium)" >shown 2>said &&
	test_grep "work (pid 100), main (tid 100) (1/5)" shown &&
	test_grep "Importing as Trace Event Format" said &&
	test_grep ! -i "warning\|error:\|could not" said &&
	test_file_not_empty shot.png
'

test_expect_success EXPENSIVE,OTLP_SCHEMA,LIBCURL,GIT \
	'export --to otlp sends only what the official schema accepts' '
	mkdir collector &&
	{ SCHEMA=1 node "$TEST_DIRECTORY"/t3300/collector.js collector 200 \
		>collector/out 2>&1 & } &&
	collector_pid=$! &&
	test_when_finished "kill $collector_pid" &&
	wait_until test -e collector/port &&
	url=http://127.0.0.1:$(cat collector/port) &&
	test -d kernel || made kernel <"$TEST_DIRECTORY"/t3300/states.records &&
	for input in "$MIX" "$TRACES"/*.event kernel
	do
		trace2 export --to otlp --url $url "$input" 2>err &&
		trace2 export --to otlp --url $url --compat trace2receiver \
			"$input" 2>err || return 1
	done &&
	head -n 1 collector/decoded >one &&
	jq -r ".resourceSpans[].scopeSpans[].spans[] | \"\(.name) \(.parentSpanId)\"" \
		one >decoded &&
	trace2 export --to otlp "$MIX" >file &&
	jq -r ".resourceSpans[].scopeSpans[].spans[] | \"\(.name) \(.parentSpanId)\"" \
		file >sent &&
	test_cmp sent decoded
'

test_done
