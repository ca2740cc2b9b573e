#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export --to otlp --sample: a part of the trees, and the number that each represents

The expected traces are computed from their ids, by the specification of
OpenTelemetry: a trace is kept if its last 14 digits are at least the threshold.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

unchecked 'leaves and ends without their members' many.event fine.event child.event exec.event

# 2,000 programs, each with a region: one in 500 fails, one in 400 takes 2 s.
cat >many.perl <<'EOF'
for my $n (1 .. 2000) {
	my $sid = sprintf('20261121T090000.%06dZ-H0a7c9cdf-P%08x', $n, $n);
	my $s = $n % 400 == 3 ? 2 : 0;
	my $event = sub {
		my ($name, $time, $more) = @_;
		print qq({"event":"$name","sid":"$sid","thread":"main",) .
			qq("time":"2026-11-21T09:00:0${time}00000Z",$more}\n);
	};
	$event->('version', '0.0', '"evt":"4","exe":"1"');
	$event->('start', '0.0', '"t_abs":0.0,"argv":["prog"]');
	my $region = '"nesting":1,"category":"c","label":"l"';
	$event->('region_enter', '0.1', $region);
	$event->('region_leave', '0.2', $region);
	$event->('atexit', "$s.5",
		qq("t_abs":$s.5,"code":) . ($n % 500 == 7 ? 1 : 0));
}
EOF
"$PERL_PATH" many.perl >many.event || exit 1

# sampled OPTION...: the trace ids of the topmost spans go to `kept`, sorted, what all
# spans have as traceState to `states`, and the sum of adjusted counts to `sum`.
sampled () {
	trace2 export --to otlp "$@" many.event >out.json &&
	jq -r -s "[.[].resourceSpans[].scopeSpans[].spans[]]
		| (.[] | select(.parentSpanId == null) | \"kept \(.traceId)\"),
		(.[] | \"state \(.traceState)\"),
		([.[].attributes[]
			| select(.key == \"trace2.adjusted_count\").value.intValue
			| tonumber] | \"sum \(add)\")" out.json >told &&
	sed -n "s/^kept //p" told | sort >kept &&
	sed -n "s/^state //p" told | sort -u >states &&
	sed -n "s/^sum //p" told >sum
}

# expected THRESHOLD [SLOW]: the ids of the traces to keep; with SLOW the slow ones,
# too.
cat >expected.perl <<'EOF'
use Digest::SHA qw(sha256_hex);

my ($threshold, $slow) = @ARGV;
for my $n (1 .. 2000) {
	my $id = substr(sha256_hex(sprintf(
		'20261121T090000.%06dZ-H0a7c9cdf-P%08x', $n, $n)), 0, 32);
	print "$id\n" if $n % 500 == 7 || ($slow && $n % 400 == 3) ||
		substr($id, 18) ge $threshold;
}
EOF
expected () {
	"$PERL_PATH" expected.perl "$@" | sort
}

test_expect_success '--sample 1/4 keeps the expected trees by trace id, and all that failed' '
	sampled --sample 1/4 &&
	expected c0000000000000 >expect &&
	test_cmp expect kept &&
	test_write_lines ot=th:0 ot=th:c | test_cmp - states
'

test_expect_success '--sample keeps both spans of a tree, or none' '
	jq -r ".resourceSpans[].scopeSpans[].spans[]
		| .traceId + \" \" + .traceState" out.json | sort | uniq -c |
		awk "{ print \$1 }" | sort -u >actual &&
	echo 2 | test_cmp - actual
'

test_expect_success '--sample: adjusted counts are 1 for failed trees, 4 for others' '
	expected g >failed &&
	test_line_count = 4 failed &&
	echo $((4 * ($(wc -l <kept) - 4) + 4)) | test_cmp - sum &&
	test "$(cat sum)" -gt 1800 &&
	test "$(cat sum)" -lt 2200
'

test_expect_success '--sample 10 means 1/10, with its threshold in the trace state' '
	sampled --sample 1/10 &&
	expected e6666666666667 >expect &&
	test_cmp expect kept &&
	test_write_lines ot=th:0 ot=th:e6666666666667 | test_cmp - states &&
	cp out.json ten.json &&
	sampled --sample 10 &&
	test_cmp ten.json out.json
'

test_expect_success '--sample --slower keeps all slow trees' '
	sampled --sample 1/10 --slower 2.5s &&
	expected e6666666666667 slow >expect &&
	test_cmp expect kept &&
	sampled --sample 1/10 --slower 3s &&
	test_cmp ten.json out.json
'

test_expect_success '--sample 0 --slower keeps slow trees only, --sample 1/1 keeps all' '
	sampled --sample 0 --slower 2s &&
	expected g slow >expect &&
	test_cmp expect kept &&
	echo ot=th:0 >expect &&
	test_cmp expect states &&
	sampled --sample 1/1 &&
	test_cmp expect states &&
	echo 2000 | test_cmp - sum
'

test_expect_success '--sample 1/4 keeps every tree that --sample 1/10 keeps' '
	sampled --sample 1/10 &&
	cp kept ten &&
	sampled --sample 1/4 &&
	test_prints comm -13 kept ten </dev/null
'

test_expect_success '--sample 0 keeps a tree in which a child or an exec failed' '
	sid=20261121T090000.000000Z-H0a7c9cdf-P00000001 &&
	event="\"sid\":\"$sid\",\"thread\":\"main\",\"time\":\"2026-11-21T09:00:00.000000Z\"" &&
	first="{\"event\":\"version\",$event,\"evt\":\"4\",\"exe\":\"1\"}" &&
	last="{\"event\":\"atexit\",$event,\"t_abs\":1.0,\"code\":0}" &&
	test_write_lines "$first" "$last" >fine.event &&
	test_prints trace2 export --to otlp --sample 0 fine.event </dev/null &&
	test_write_lines "$first" "{\"event\":\"child_start\",$event,\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"false\"]}" \
		"{\"event\":\"child_exit\",$event,\"child_id\":0,\"pid\":7,\"code\":1,\"t_rel\":0.1}" \
		"$last" >child.event &&
	trace2 export --to otlp --sample 0 child.event >out.json &&
	jq -e "[.resourceSpans[].scopeSpans[].spans[]] | length == 2" out.json &&
	test_write_lines "$first" "{\"event\":\"exec\",$event,\"exec_id\":0,\"exe\":\"x\",\"argv\":[\"x\"]}" \
		"{\"event\":\"exec_result\",$event,\"exec_id\":0,\"code\":2}" \
		"$last" >exec.event &&
	trace2 export --to otlp --sample 0 exec.event >out.json &&
	test_file_not_empty out.json
'

test_expect_success '--sample keeps a trace if one of its spans failed' '
	GIT_TRACE2_EVENT="$PWD/spans.event" test-tool trace2 510took 1 &&
	test_prints trace2 export --to otlp --sample 0 spans.event </dev/null &&
	GIT_TRACE2_EVENT="$PWD/failed.event" test-tool trace2 510took !1 &&
	trace2 export --to otlp --sample 0 failed.event >out &&
	test_file_not_empty out
'

test_expect_success 'export without --sample writes no trace state, and no adjusted count' '
	trace2 export --to otlp many.event >out.json &&
	test_grep ! traceState out.json &&
	test_grep ! adjusted_count out.json
'

test_expect_success '--sample refuses invalid fractions, and needs --to=otlp' '
	for bad in 1/0 1/ x 1/2x 99999999999 -1 ""
	do
		test_expect_code 2 trace2 export --to otlp --sample="$bad" \
			many.event 2>err &&
		test_grep "takes 1/N" err || return 1
	done &&
	test_expect_code 2 trace2 export --to otlp --slower 1s many.event 2>err &&
	test_grep "needs --sample" err &&
	test_expect_code 2 trace2 export --to csv --sample 1/2 many.event 2>err &&
	test_grep "needs --to=otlp" err
'

test_done
