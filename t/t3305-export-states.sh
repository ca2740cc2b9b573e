#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: processes of the kernel'\''s records, and their states

The recording is made of t3300/states.records, with times in microseconds: top starts
writer and reader, which waits for a pipe; writer is a program with Trace2.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_skip_unless JQ

test_expect_success 'setup: make a recording from records of the kernel' '
	made r <"$TEST_DIRECTORY"/t3300/states.records &&
	mkdir -p r/events &&
	{
		event_us A-P0000000b 10 version "\"evt\":\"4\",\"exe\":\"1\"" &&
		event_us A-P0000000b 10 start "\"t_abs\":0.0,\"argv\":[\"writer\"]" &&
		event_us A-P0000000b 20 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"l\"" &&
		event_us A-P0000000b 50 region_leave "\"t_rel\":0.00003,\"nesting\":1,\"category\":\"c\",\"label\":\"l\"" &&
		event_us A-P0000000b 55 atexit "\"t_abs\":0.000045,\"code\":0"
	} >r/events/A-P0000000b &&
	trace2 check r
'

test_expect_success 'otlp: every process is a span of one trace' '
	trace2 export --to otlp r >out.json &&
	jq -r "[.resourceSpans[].scopeSpans[].spans[]] as \$all
		| ([\$all[] | {key: .spanId, value: .name}] | from_entries) as \$names
		| \$all[] | \"\(.name) < \(\$names[.parentSpanId // \"\"])\",
		.traceId" out.json >lines &&
	test_prints grep "<" lines <<-\EOF &&
	top < null
	writer < top
	c/l < writer
	reader < top
	EOF
	grep -v "<" lines | sort -u >traces &&
	test_line_count = 1 traces
'

test_expect_success 'otlp: a process has its states as attributes' '
	test_prints jq -c ".resourceSpans[].scopeSpans[].spans[] | [.name,
		(.attributes[] | select(.key | test(\"(cpu|ready|wait)[_.]\"))
		| .key + \" \" + .value.intValue)]" out.json <<-\EOF
	["top","trace2.cpu_ns 22000","trace2.ready_ns 1000","trace2.wait_ns 73000","trace2.wait.child_ns 73000"]
	["writer","trace2.cpu_ns 55000","trace2.ready_ns 3000","trace2.wait_ns 0"]
	["c/l","trace2.cpu_ns 30000","trace2.ready_ns 0","trace2.wait_ns 0"]
	["reader","trace2.cpu_ns 37000","trace2.ready_ns 5000","trace2.wait_ns 40000","trace2.wait.pipe_ns 40000"]
	EOF
'

# Threads live 90, 55 and 76 us.
test_expect_success 'folded --states: the states of each thread add up to the lifetime' '
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

test_expect_success 'folded --states fails without states' '
	trace2 export --to folded "$MIX" >expect &&
	trace2 export --to folded --states "$MIX" >actual 2>err &&
	test_cmp expect actual &&
	test_grep "no states of threads in this recording" err &&
	test_expect_code 2 trace2 export --to otlp --states "$MIX" 2>err &&
	test_grep "^trace2: --states needs --to=folded" err
'

test_expect_success 'csv has tables of processes, threads of the kernel, and states' '
	trace2 export --to csv --table processes r >processes &&
	test_prints cut -d, -f1,3,4,6,7,15,17-19 processes <<-\EOF &&
	id,parent_id,session_id,pid,kind,self_ns,cpu_ns,ready_ns,wait_ns
	2,,,10,top,13000,22000,1000,73000
	1,2,1,11,writer,55000,55000,3000,0
	3,2,,12,reader,76000,37000,5000,40000
	EOF
	trace2 export --to csv --table states r >states &&
	grep ",wait," states | cut -d, -f1,4-6,8-10 >actual &&
	test_cmp - actual <<-\EOF &&
	2,73000,wait,child,3,reader,0
	3,40000,wait,pipe,2,writer,0
	EOF
	sed 1d states | cut -d, -f11 | sort -u >actual &&
	echo 2023-11-14T22:13:20.000000Z- | test_cmp - actual
'

test_expect_success 'csv: a region without children has the CPU, ready and wait time of its thread' '
	trace2 export --to csv --table spans r >spans &&
	cut -d, -f6,7,27-29 spans >actual &&
	test_write_lines category,label,cpu_ns,ready_ns,wait_ns \
		c,l,30000,0,0 >expect &&
	test_cmp expect actual
'

# rows DB: print the number of rows of each table.
rows () {
	for table in $TABLES
	do
		echo "$table $(sqlite3 "$1" "SELECT count(*) FROM $table")" ||
		return 1
	done
}

test_expect_success SQLITE3 'sqlite: the states of a thread add up to its lifetime' '
	trace2 export --to sqlite -o r.db r &&
	sqlite3 r.db "SELECT comm, duration_ns / 1000, (SELECT sum(duration_ns)
		FROM states s WHERE s.kernel_thread_id = t.id) / 1000
		FROM kernel_threads t ORDER BY id" >actual &&
	test_write_lines "top|90|90" "writer|55|55" "reader|76|76" | test_cmp - actual &&
	test_prints sqlite3 r.db "SELECT process, cause, woken_by, count, round(ms * 1000),
		recording FROM waits" <<-\EOF &&
	top|child|reader|1|73.0|2023-11-14T22:13:20.000000Z-
	reader|pipe|writer|1|40.0|2023-11-14T22:13:20.000000Z-
	EOF
	sqlite3 r.db "SELECT tree, round(wait_ms * 1000) FROM process_tree" >actual &&
	test_write_lines "top|73.0" "  writer|0.0" "  reader|40.0" | test_cmp - actual
'

test_expect_success SQLITE3 'sqlite: a recording exported twice is stored once, beside others' '
	rows r.db >expect &&
	trace2 export --to sqlite -o r.db r &&
	rows r.db >actual &&
	test_cmp expect actual &&
	trace2 export --to sqlite -o r.db "$MIX" &&
	sqlite3 r.db "SELECT r.key, count(*) FROM processes p
		JOIN recordings r ON r.id = p.recording GROUP BY r.id" >actual &&
	test_write_lines "2023-11-14T22:13:20.000000Z-|3" "$MIX|3" | test_cmp - actual
'

test_expect_success SQLITE3 '--no-states leaves the table of states empty' '
	trace2 export --to sqlite --no-states -o none.db r &&
	rows none.db >actual &&
	test_grep "^states 0$" actual &&
	test_grep "^kernel_threads 3$" actual &&
	test_expect_code 2 trace2 export --to csv --no-states r 2>err &&
	test_grep "^trace2: --no-states needs --to=sqlite, clickhouse, chrome and perfetto$" err
'

test_expect_success 'prometheus has CPU, ready and waiting time of each command' '
	trace2 export --to prometheus r >r.prom &&
	grep "^trace2_process.*\(top\|reader\)" r.prom |
		grep -v "_duration_\|self\|spawn" >actual &&
	test_cmp - actual <<-\EOF &&
	trace2_processes_total{command="top",result="ok"} 1
	trace2_processes_total{command="reader",result="ok"} 1
	trace2_process_cpu_seconds_total{command="top"} 0.000022000
	trace2_process_cpu_seconds_total{command="reader"} 0.000037000
	trace2_process_ready_seconds_total{command="top"} 0.000001000
	trace2_process_ready_seconds_total{command="reader"} 0.000005000
	trace2_process_wait_seconds_total{command="top",cause="child"} 0.000073000
	trace2_process_wait_seconds_total{command="reader",cause="pipe"} 0.000040000
	EOF
	echo "trace2_process_duration_seconds_count{command=\"reader\"} 1" |
	test_prints grep "duration.*count.*reader" r.prom
'

test_expect_success 'git-event warns how many processes without events it leaves out' '
	trace2 export --to git-event r >out 2>err &&
	test_line_count = 5 out &&
	test_cmp - err <<-\EOF &&
	trace2: warning: 2 of 3 processes wrote no events and are left out: the other formats have them
	EOF
	trace2 export --to git-event --cmd writer r >out 2>err &&
	test_line_count = 5 out &&
	test_must_be_empty err
'

test_done
