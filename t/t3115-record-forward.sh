#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --listen --forward: trees of processes, sent to a collector

Each tree is sent once, when it has ended. Whatever the collector does, clients
and the recording are unaffected, and spans that were not sent are counted.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_skip_unless NODE,LIBCURL

sane_unset OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_TRACES_HEADERS \
	OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_TRACES_ENDPOINT

SQ=\'

# A short path, since that of a socket has at most 107 bytes.
sock=$(mktemp -d "${TMPDIR:-/tmp}/t3115.XXXXXX") || exit 1
test_atexit 'rm -rf "$sock"'

# forwarding [OPTION...]: start a recorder r that forwards to $url, and wait for it; its
# later output can be read from descriptor 8.
forwarding () {
	rm -rf r r.old pipe &&
	mkfifo pipe &&
	{ trace2 record -o r --listen "$sock/s" --listen "af_unix:dgram:$sock/d" \
		--forward "otlp:$url" "$@" >out 2>pipe & } &&
	pid=$! &&
	test_when_finished "kill -KILL $pid 2>/dev/null; wait $pid; rm -f \"$sock\"/[sd]" &&
	exec 8<pipe &&
	read -r line <&8 &&
	read -r line <&8 &&
	case "$line" in *"listening on"*) : ;; *) return 1 ;; esac
}

# counts_are PATTERN: ask for the counts until they match. It may take seconds.
counts_are () {
	wait_until says "$1"
}
says () {
	kill -USR1 "$pid" &&
	read -r line <&8 &&
	case "$line" in *"; "$1) : ;; *) sleep 0.1 && false ;; esac
}

# ids FILE: the ids of all spans with their parents.
ids () {
	jq -r ".resourceSpans[].scopeSpans[].spans[]
		| .traceId + .spanId + \" \" + .parentSpanId + \" \" + .name" "$1" | sort
}

test_expect_success 'record --forward sends the spans that export makes of the recording' '
	collector &&
	forwarding &&
	GIT_TRACE2_EVENT="af_unix:$sock/s" test-tool trace2 501span &&
	GIT_TRACE2_EVENT="af_unix:$sock/s" test-tool trace2 004child \
		test-tool trace2 001return 0 &&
	send trees "$sock/s" 20 2 &&
	finished &&
	trace2 export --to otlp r >all.json 2>/dev/null &&
	ids all.json >expect &&
	ids collector/bodies >actual &&
	test_cmp expect actual &&
	test_file_not_empty expect &&
	printf "%s $(uname -n)\n" all.json collector/bodies >expect &&
	jq -r ".resourceSpans[].resource.attributes[] |
		select(.key == \"host.name\").value.stringValue |
		\"\(input_filename) \(.)\"" all.json collector/bodies |
		sort -u >actual &&
	test_cmp expect actual &&
	test_grep " 0 open, 0 waiting, 0 not sampled, 0 lost\$" rest
'

test_expect_success 'record --forward sends a tree when it has ended, while other trees continue' '
	collector &&
	forwarding &&
	mkfifo hold &&
	send trees "$sock/s" 3 &&
	{ { begin open-P00000001 0 prog && cat hold; } |
		"$PERL_PATH" -MIO::Socket::UNIX -e "
			my \$s = IO::Socket::UNIX->new(Peer => shift) or die;
			while (<STDIN>) { syswrite(\$s, \$_); }" "$sock/s" & } &&
	client=$! &&
	exec 7>hold &&
	counts_are "3 trees sent (3 spans), 1 open, 0 waiting, 0 not sampled, 0 lost" &&
	ids collector/bodies >before &&
	event open-P00000001/child 10 version "\"evt\":\"4\",\"exe\":\"1\"" |
		send stream "$sock/s" &&
	event open-P00000001 20 atexit "\"t_abs\":0.02,\"code\":0" >&7 &&
	counts_are "3 trees sent (3 spans), 1 open, *" &&
	exec 7>&- &&
	wait $client &&
	counts_are "4 trees sent (5 spans), 0 open, *" &&
	ids collector/bodies >after &&
	test_line_count = 3 before &&
	test_line_count = 5 after &&
	finished
'

test_expect_success 'record --forward sends the tree of a datagram client at its atexit event' '
	collector &&
	forwarding &&
	begin dgram-P00000001 0 prog | send dgram "$sock/d" &&
	counts_are "0 trees sent (0 spans), 1 open, *" &&
	event dgram-P00000001 10 atexit "\"t_abs\":0.01,\"code\":0" |
		send dgram "$sock/d" &&
	counts_are "1 trees sent (1 spans), 0 open, *" &&
	finished
'

test_expect_success 'record --forward tries again if a collector is busy or drops the connection' '
	collector 503:1 429 drop 200 &&
	forwarding &&
	send trees "$sock/s" 10 &&
	# Sending fails, and later succeeds: one message each.
	read -r line <&8 &&
	read -r line <&8 &&
	counts_are "10 trees sent (10 spans), 0 open, 0 waiting, *" &&
	finished &&
	test_write_lines 503 429 drop 200 |
	test_prints cut -d" " -f4 collector/requests &&
	# The recorder waits until the time that the collector named.
	awk "NR == 1 { first = \$1 } NR == 2 { exit !(\$1 - first >= 990) }" \
		collector/times &&
	ids collector/bodies >ids &&
	test_line_count = 10 ids &&
	test_grep " 0 lost\$" rest
'

test_expect_success 'record --forward prints one message for a failure, and one when it is over' '
	collector 503 503 200 &&
	forwarding &&
	send trees "$sock/s" 1 &&
	read -r first <&8 &&
	read -r second <&8 &&
	finished &&
	test_write_lines "trace2: warning: $SQ$url$SQ answered 503 (trying again)" \
		"trace2 record: the collector accepts spans again" >expect &&
	test_write_lines "$first" "$second" >actual &&
	test_cmp expect actual
'

test_expect_success 'record --forward to a dead collector: 100 trees count as lost, none waits' '
	url=http://127.0.0.1:1 &&
	forwarding &&
	send trees "$sock/s" 100 2 &&
	read -r line <&8 &&
	echo "$line" >said &&
	finished &&
	test_grep "^trace2: warning: cannot send to .* (trying again)" said &&
	test_grep "0 trees sent (0 spans), 0 open, 0 waiting, 0 not sampled, 100 lost (unsent 100)\$" rest &&
	test_grep "100 processes, 500 events, .* 0 lost, exit 0" rest
'

# Print the peak memory of the recorder so far, in kilobytes.
peak () {
	sed -n "s/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p" "/proc/$pid/status"
}

# There is room for requests of 16 MiB. make check sends more, in more trees, and lets
# the recorder wait to the end.
trees="250 100"
test_have_prereq !EXPENSIVE || trees="4000 10"
test_expect_success 'record --forward to a silent collector goes on, and counts lost trees' '
	collector stall &&
	forwarding &&
	send trees "$sock/s" 100 2 &&
	counts_are "0 trees sent (0 spans), 0 open, 100 waiting, 0 not sampled, 0 lost" &&
	send trees "$sock/s" $trees 101 &&
	peak >peak &&
	# The recorder waits for the collector, for some seconds.
	{ test_have_prereq EXPENSIVE || end_collector || :; } &&
	finished &&
	test_grep "0 trees sent (0 spans), 0 open, 0 waiting, .* lost (queue_full .*unsent" rest
'

# With 64 MiB for the disk.
test_expect_success EXPENSIVE,!SANITIZE_ADDRESS,!SANITIZE_THREAD,!UNDER_VALGRIND 'record --forward uses bounded memory' '
	test "$(cat peak)" -lt 200000
'

test_expect_success 'record --forward does not repeat a refused request' '
	collector "400=no such tenant" &&
	forwarding &&
	send trees "$sock/s" 5 &&
	counts_are "0 trees sent (0 spans), 0 open, 0 waiting, 0 not sampled, 5 lost (refused 5)" &&
	finished &&
	test_line_count = 1 collector/requests
'

test_expect_success 'record --forward counts spans that the collector rejected' '
	collector "200={\"partialSuccess\":{\"rejectedSpans\":\"3\"}}" &&
	forwarding &&
	send trees "$sock/s" 5 &&
	finished &&
	test_grep "rejected some spans: {.*rejectedSpans" rest &&
	test_grep "5 trees sent (2 spans), .* 0 lost, 3 spans rejected" rest
'

test_expect_success 'record --forward-sample sends the same trees as export --sample' '
	collector &&
	forwarding --forward-sample 1/4 --forward-slower 2s &&
	send trees "$sock/s" 400 &&
	finished &&
	trace2 export --to otlp --sample 1/4 --slower 2s r >some.json &&
	ids some.json >expect &&
	jq -r ".resourceSpans[].scopeSpans[].spans[] |
		.traceId + .spanId + \" \" + .parentSpanId + \" \" + .name, .traceState,
		([.attributes[] | select(.key == \"trace2.adjusted_count\")
			.value.intValue] | join(\" \"))" collector/bodies >spans &&
	paste - - - <spans >rows &&
	cut -f 1 rows | sort >actual &&
	test_cmp expect actual &&
	cut -f 2 rows | sort -u >states &&
	test_write_lines ot=th:0 ot=th:c | test_cmp - states &&
	kept=$(wc -l <actual) &&
	test_grep "$kept trees sent ($kept spans), .* $((400 - kept)) not sampled, 0 lost" rest &&
	test "$kept" -lt 200
'

test_expect_success 'record --forward-sample: adjusted counts add up to about all trees' '
	sum=$(awk -F "\t" "{ sum += \$3 } END { print sum }" rows) &&
	test "$sum" -gt 320 &&
	test "$sum" -lt 480
'

test_expect_success 'record --forward drops and counts a tree that is too large' '
	collector &&
	forwarding &&
	send trees "$sock/s" 1 18000 &&
	send stream "$sock/s" <<-EOF &&
	{"event":"version","sid":"20261121T090000.000001Z-H0a7c9cdf-P00000002","thread":"main","time":"2026-11-21T09:00:00.000000Z","evt":"4","exe":"1"}
	EOF
	finished &&
	test_grep "1 trees sent (1 spans), .* 1 lost (too_large 1)" rest
'

test_expect_success 'record --forward counts lines that are not events' '
	collector &&
	forwarding &&
	test_write_lines "{}" "{\"sid\":1}" | send stream "$sock/s" &&
	finished &&
	test_grep "0 trees sent (0 spans), .* 0 lost, 2 events lost" rest
'

test_expect_success 'record --forward sends the spans of a command, and exits with its code' '
	collector &&
	test_expect_code 3 trace2 record -o r2 --listen "$sock/s" --forward "otlp:$url/x" \
		--forward-redact -- test-tool trace2 001return 3 &&
	echo "POST /x application/json 200" | test_cmp - collector/requests &&
	jq -e "[.resourceSpans[].scopeSpans[].spans[].status.code] == [2]" \
		collector/bodies
'

test_expect_success 'record --forward takes the collector from the environment' '
	collector &&
	OTEL_EXPORTER_OTLP_ENDPOINT=$url OTEL_EXPORTER_OTLP_HEADERS=x-token=1 \
		trace2 record -q -o r2 --listen "$sock/s" --forward otlp:env -- \
		test-tool trace2 001return 0 2>err &&
	test_line_count = 1 err &&
	echo "x-token: 1" | test_cmp - collector/headers
'

test_expect_success 'record --forward finds errors before the command runs, and leaves nothing' '
	test_expect_code 128 trace2 record -o r3 --listen "$sock/s" \
		--forward otlp:file:///x -- touch ran 2>err &&
	test_grep "is not the URL of a collector" err &&
	test_expect_code 128 trace2 record -o r3 --listen "$sock/s" \
		--forward otlp:env -- touch ran 2>err &&
	test_grep "set one to the collector.s URL" err &&
	test_path_is_missing ran &&
	test_path_is_missing r3 &&
	test_path_is_missing "$sock/s"
'

test_expect_success 'record --forward refuses unsuitable options' '
	while read -r message options
	do
		# shellcheck disable=SC2086 # several words
		test_expect_code 2 trace2 record -o r3 $options -- true 2>err &&
		test_grep "$message" err || return 1
	done <<-EOF
	export.--to.otlp --forward otlp:http://localhost
	otlp:URL --listen $sock/s --forward http://localhost
	otlp:URL --listen $sock/s --forward otlp:
	needs.--forward\$ --listen $sock/s --forward-sample 1/2
	needs.--forward\$ --listen $sock/s --forward-redact
	needs.--forward-sample --listen $sock/s --forward otlp:http://localhost --forward-slower 1s
	takes.1/N --listen $sock/s --forward otlp:http://localhost --forward-sample 1/0
	EOF
'

test_done
