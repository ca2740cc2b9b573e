#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export --to perfetto, read by protoc

t3300/perfetto.perl interprets packets as Perfetto does. This export walks the
model as --to chrome does; the script of that export tests the places of slices.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/lib-terminal.sh

test_skip_unless PERFETTO

unchecked 'events with few members' many.event

PROTO="$GIT_BUILD_DIR/tool/export/profile"

# shown WHAT ARGUMENT...: print what a reader finds in the export of ARGUMENT
shown () {
	what=$1 &&
	shift &&
	trace2 export --to perfetto "$@" >out.pftrace &&
	protoc --proto_path="$PROTO" --decode=pf.Trace perfetto.proto \
		<out.pftrace >decoded &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3300/perfetto.perl "$what" <decoded
}

test_expect_success 'perfetto: threads, counters and child processes are below the process track' '
	waiting_recording &&
	test_prints shown tracks "$MIX" r <<-\EOF
	work 100
	  read/blocks
	  main: children 1
	  main: children 2
	  th01:reader
	  helper 102
	top 10
	  main: states
	  writer 11
	    main: states
	  reader 12
	    main: states
	    reader: states
	EOF
'

test_expect_success 'perfetto: slices and instants are the same as for chrome' '
	made states <"$TEST_DIRECTORY"/t3300/states.records &&
	for input in "$MIX" r states "$TRACES"/*.event "$TRACES"/*.perf
	do
		shown events "$input" | sort >actual &&
		trace2 export --to chrome "$input" >json &&
		jq -r ".traceEvents[] | select(.ph | IN(\"X\", \"i\"))
			| [(.ts, .dur // empty | . * 1000 | round), .cat, .name]
			| join(\" \")" json | sort >expect &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'perfetto: arguments are text, numbers, and quoted commands' '
	shown places "$MIX" >actual &&
	test_grep "^work 100: 2000000 6000000 load load/all (msg=from \"a\", b file=prog.c line=6)$" actual &&
	test_grep "^work 100/main: children 2: .* (argv=helper two class=helper pid=102 code=3 " actual &&
	shown places --redact "$MIX" >actual &&
	test_grep "remote.token (value=<REDACTED> file" actual &&
	test_grep ! hunter2 actual
'

test_expect_success 'perfetto: spans of the program share a track, with ids, attributes and failures' '
	shown places "$SPANS" >actual &&
	test_grep "^server 100/spans: 10000000 100000000 span http/request (span_id=a1a1a1a1a1a1a1a1 .*one_in=100 attributes={.*})$" actual &&
	test_grep "^server 100/spans: 40000400 .* failed=no such table)$" actual
'

test_expect_success 'perfetto: arrows lead from spawn to child, and from waker to woken thread' '
	test_prints shown flows "$MIX" <<-\EOF &&
	work 100/main: children 2 11000000 spawn: work 100/helper 102 12000000 helper
	EOF
	test_prints shown flows r <<-\EOF
	top 10 5000 spawn: top 10/writer 11 5000 writer
	top 10 6000 spawn: top 10/reader 12 6000 reader
	top 10/writer 11/main: states 52000 wake-up: top 10/reader 12/main: states 52000 no CPU
	top 10/reader 12/main: states 80000 wake-up: top 10/main: states 80000 no CPU
	EOF
'

test_expect_success 'perfetto: counters rise to the sum of the program; memory tracks are in bytes' '
	test_prints shown counters "$MIX" <<-\EOF &&
	work 100/read/blocks 0 0 UNIT_COUNT
	work 100/read/blocks 20000000 1.8446744073709552e+19 UNIT_COUNT
	EOF
	made memory <<-\EOF &&
	top make
	5 0 memory 10 2048 1024
	6 0 memory 0 1024
	10 0 fork 11 11 10 10
	20 0 memory 11 200 180
	21 0 memory 0 1204
	50 0 exit 11 11
	90 0 exit 10 10
	EOF
	test_prints shown counters memory <<-\EOF
	make 10/own memory 5000 1048576 UNIT_SIZE_BYTES
	make 10/memory 6000 1048576 UNIT_SIZE_BYTES
	make 10/make 11/own memory 20000 184320 UNIT_SIZE_BYTES
	make 10/memory 21000 1232896 UNIT_SIZE_BYTES
	EOF
'

# Names are numbers in the file; more than it keeps at once begin again.
test_expect_success 'perfetto: 17000 different names are exported unchanged' '
	"$PERL_PATH" -e "
		print qq({\"event\":\"version\",\"sid\":\"a\",\"thread\":\"main\",),
			qq(\"time\":\"2026-11-21T09:00:00.000000Z\",\"evt\":\"4\",\"exe\":\"1\"}\n);
		printf qq({\"event\":\"data\",\"sid\":\"a\",\"thread\":\"main\",) .
			qq(\"t_abs\":%.6f,\"category\":\"c\",\"key\":\"%d\",\"value\":\"v\"}\n),
			\$_ / 1000, \$_ % 17000 for 1 .. 18000;
	" >many.event &&
	shown events many.event | sed -n "s|.*data c/||p" >actual &&
	"$PERL_PATH" -e "print \$_ % 17000, qq(\n) for 1 .. 18000" >expect &&
	test_cmp expect actual
'

test_expect_success 'perfetto: the wall clock is set to the start of the recording' '
	test_prints shown clocks "$MIX" <<-\EOF
	6 0
	1 1795251600000000000
	EOF
'

test_expect_success TTY 'perfetto and perf data are not written to a terminal' '
	for to in perfetto perf
	do
		test_expect_code 2 test_terminal trace2 export --to $to "$MIX" >out 2>&1 &&
		test_grep "^trace2: --to=$to is binary: give -o FILE, or pipe it to a program" out ||
		return 1
	done
'

test_done
