#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='words records its work'

. "${TESTKIT:=/usr/share/trace2-testkit}/testkit.sh"
. "$TESTKIT/t/lib-trace2.sh"

SQ=\'
PATH=$TEST_DIRECTORY/..:$PATH

test_expect_success 'two files, as text to compare' '
	echo "one two" >a &&
	echo "three" >b &&
	GIT_TRACE2_PERF="$PWD/trace" words a b >out &&
	perl "$TESTKIT"/scrub/perf.perl <trace >actual &&
	cat >expect <<-\EOF &&
	d0|main|version|||||unknown
	d0|main|start||_T_ABS_|||_EXE_ a b
	d0|main|cmd_name|||||words (words)
	d0|main|region_enter||_T_ABS_||words|label:file
	d0|main|data||_T_ABS_|_T_REL_|words|..path:a
	d0|main|region_leave||_T_ABS_|_T_REL_|words|label:file
	d0|main|region_enter||_T_ABS_||words|label:file
	d0|main|data||_T_ABS_|_T_REL_|words|..path:b
	d0|main|region_leave||_T_ABS_|_T_REL_|words|label:file
	d0|main|exit||_T_ABS_|||code:0
	d0|main|counter||||words|name:read value:3
	d0|main|atexit||_T_ABS_|||code:0
	EOF
	test_cmp expect actual
'

test_expect_success 'one of its lines, by name' '
	have_counter_event main counter words read 3 actual
'

test_expect_success 'the event stream is valid, and has an error for each file that is missing' '
	test_must_fail env GIT_TRACE2_EVENT="$PWD/events" words gone a &&
	expect_valid_stream events &&
	test "$(count_events error events)" = 1 &&
	trace2_jq "map(select(.event == \"error\").msg) == [\"cannot read ${SQ}gone${SQ}\"]" events
'

test_expect_success 'switched off, it says nothing more' '
	words a >out 2>err &&
	test_must_be_empty err
'

test_done
