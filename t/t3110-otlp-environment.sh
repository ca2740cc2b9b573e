#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export --to otlp: the variables of OpenTelemetry

A collector that wants a token gets it from OTEL_EXPORTER_OTLP_HEADERS, as from
any other exporter.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_skip_unless NODE,LIBCURL

sane_unset OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TRACES_HEADERS \
	OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT

test_expect_success 'headers in OTEL_EXPORTER_OTLP_HEADERS are percent-decoded' '
	collector &&
	OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20s3cret%3D, x-scope = a b ,x-eq=1=2,x-odd=50%,x-hex=%2a%5f" \
		trace2 export --to otlp --url $url "$MIX" 2>err &&
	test_must_be_empty err &&
	test_prints sort collector/headers <<-\EOF &&
	authorization: Bearer s3cret=
	x-eq: 1=2
	x-hex: *_
	x-odd: 50%
	x-scope: a b
	EOF
	echo "POST /v1/traces application/json 200" >expect &&
	test_cmp expect collector/requests
'

test_expect_success 'variables for traces override those for all signals' '
	collector &&
	OTEL_EXPORTER_OTLP_HEADERS=x-all=1 \
	OTEL_EXPORTER_OTLP_TRACES_HEADERS=x-traces=2 \
		trace2 export --to otlp --url $url "$MIX" &&
	echo "x-traces: 2" | test_cmp - collector/headers
'

test_expect_success 'an invalid header is ignored with a warning that does not show it' '
	collector &&
	OTEL_EXPORTER_OTLP_HEADERS="s3cret,x-a=1,,bad name=s3cret,x-b=1%0d%0ax-c:%202,x-d=3" \
		trace2 export --to otlp --url $url "$MIX" 2>err &&
	test_write_lines "x-a: 1" "x-d: 3" | test_cmp - collector/headers &&
	test_cmp - err <<-\EOF
	trace2: warning: header number 1 of OTEL_EXPORTER_OTLP_HEADERS is ignored: it is not name=value
	trace2: warning: header number 3 of OTEL_EXPORTER_OTLP_HEADERS is ignored: it is not name=value
	trace2: warning: header number 4 of OTEL_EXPORTER_OTLP_HEADERS is ignored: it is not name=value
	EOF
'

test_expect_success '--url env takes the endpoint and its path from the environment' '
	collector &&
	OTEL_EXPORTER_OTLP_ENDPOINT=$url/base/ \
		trace2 export --to otlp --url env "$MIX" &&
	OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 \
	OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=$url/whole \
		trace2 export --to otlp --url env "$MIX" &&
	cat >expect <<-\EOF &&
	POST /base/v1/traces application/json 200
	POST /whole application/json 200
	EOF
	test_cmp expect collector/requests
'

test_expect_success '--url env without an endpoint names the variables to set' '
	test_expect_code 128 trace2 export --to otlp --url env "$MIX" 2>err &&
	test_grep "set one to the collector.s URL" err &&
	test_line_count = 1 err
'

test_expect_success 'export without --url sends nothing' '
	collector &&
	OTEL_EXPORTER_OTLP_ENDPOINT=$url \
		trace2 export --to otlp "$MIX" >out &&
	test_file_not_empty out &&
	test_path_is_missing collector/requests
'

test_done
