#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: processes of the kernel'\''s records, and their states

The recording is made of records in t3130/kernel.perl, in microseconds: top starts
writer and reader, which waits for a pipe; writer is a program with Trace2.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_skip_unless JQ

# event US NAME [MEMBERS]: an event of process 11, so long after the beginning.
event () {
	printf '{"event":"%s","sid":"A-P0000000b","thread":"main",' "$2" &&
	printf '"time":"2023-11-14T22:13:20.%06dZ"%s}\n' "$1" "${3:+,$3}"
}

test_expect_success 'setup' '
	"$PERL_PATH" "$TEST_DIRECTORY/t3130/kernel.perl" r <<-\EOF &&
	0 0 fork 10 10 1 1
	0 0 in 10 10
	1 0 comm 10 10 top exec
	5 0 fork 11 11 10 10
	6 0 fork 12 12 10 10
	7 0 switch 10 10 0 swapper schedule,do_wait
	7 0 out 10 10
	8 1 in 11 11
	9 1 comm 11 11 writer exec
	10 0 in 12 12
	11 0 comm 12 12 reader exec
	12 0 switch 12 12 0 swapper schedule,anon_pipe_read
	12 0 out 12 12
	52 1 waking 11 11 12
	53 0 in 12 12
	60 1 exit 11 11
	80 0 waking 12 12 10
	81 1 in 10 10
	82 0 exit 12 12
	90 1 exit 10 10
	EOF
	mkdir -p r/events &&
	{
		event 10 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event 10 start "\"t_abs\":0.0,\"argv\":[\"writer\"]" &&
		event 20 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"l\"" &&
		event 50 region_leave "\"t_rel\":0.00003,\"nesting\":1,\"category\":\"c\",\"label\":\"l\"" &&
		event 55 atexit "\"t_abs\":0.000045,\"code\":0"
	} >r/events/A-P0000000b &&
	trace2 check r
'

test_expect_success 'otlp: every process is a span of one trace' '
	trace2 export --to otlp r >out.json &&
	jq -r "[.resourceSpans[].scopeSpans[].spans[]] as \$all
		| ([\$all[] | {key: .spanId, value: .name}] | from_entries) as \$names
		| \$all[] | \"\(.name) < \(\$names[.parentSpanId // \"\"])\",
		.traceId" out.json >lines &&
	grep "<" lines >actual &&
	cat >expect <<-\EOF &&
	top < null
	writer < top
	c/l < writer
	reader < top
	EOF
	test_cmp expect actual &&
	grep -v "<" lines | sort -u >traces &&
	test_line_count = 1 traces
'

test_expect_success 'otlp: what a process did' '
	jq -c ".resourceSpans[].scopeSpans[].spans[] | [.name,
		(.attributes[] | select(.key | test(\"_ns$\"))
		| .key + \" \" + .value.intValue)]" out.json >actual &&
	cat >expect <<-\EOF &&
	["top","trace2.cpu_ns 22000","trace2.ready_ns 1000","trace2.wait_ns 73000","trace2.wait.child_ns 73000"]
	["writer","trace2.spawn_ns 1000","trace2.cpu_ns 55000","trace2.ready_ns 3000","trace2.wait_ns 0"]
	["c/l"]
	["reader","trace2.spawn_ns 3000","trace2.cpu_ns 37000","trace2.ready_ns 5000","trace2.wait_ns 40000","trace2.wait.pipe_ns 40000"]
	EOF
	test_cmp expect actual
'

# Threads live 90, 55 and 76 us.
test_expect_success 'folded --states: the sum is the life of the threads' '
	trace2 export --to folded --states r >actual &&
	cat >expect <<-\EOF &&
	top 16
	top;writer 22
	top;writer;c/l 30
	top;writer;[ready] 3
	top;reader 31
	top;reader;[ready] 5
	top;reader;[wait pipe] 40
	top;[wait child] 73
	top;[ready] 1
	EOF
	sort expect >expect.sorted &&
	sort actual >actual.sorted &&
	test_cmp expect.sorted actual.sorted
'

test_expect_success 'folded --states without states' '
	trace2 export --to folded "$MIX" >expect &&
	trace2 export --to folded --states "$MIX" >actual 2>err &&
	test_cmp expect actual &&
	test_grep "no states of threads in this recording" err &&
	test_expect_code 2 trace2 export --to otlp --states "$MIX" 2>err &&
	test_grep "^trace2: --states is for --to=folded" err
'

test_done
