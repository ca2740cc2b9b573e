#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='cmd_ancestry: the processes that started the program

The event has the name of the parent process, of its parent, and so on, from the
kernel.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless PROC

# The ancestors beyond test-tool depend on the caller of this script.
test_expect_success !UNDER_VALGRIND 'cmd_ancestry in the normal target names the parent first' '
	test-tool trace2 400ancestry normal "$(pwd)/trace" \
		test-tool trace2 001return 0 &&
	sed -n "s/^\(cmd_ancestry test-tool\) <- .*/\1/p" trace >actual &&
	echo "cmd_ancestry test-tool" | test_cmp - actual
'

test_expect_success !UNDER_VALGRIND 'cmd_ancestry in the perf target has the ancestors as words' '
	test-tool trace2 400ancestry perf "$(pwd)/trace.perf" \
		test-tool trace2 001return 0 &&
	sed -n "s/^.* | \(d0 .* cmd_ancestry\) .*| \(ancestry:\[test-tool\) .*\]\$/\1 \2/p" \
		trace.perf >actual &&
	echo "d0 | main                     | cmd_ancestry ancestry:[test-tool" >expect &&
	test_cmp expect actual
'

test_expect_success JQ,!UNDER_VALGRIND 'cmd_ancestry in the event target has an array of ancestors' '
	test-tool trace2 400ancestry event "$(pwd)/trace.event" \
		test-tool trace2 001return 0 &&
	expect_valid_stream trace.event &&
	trace2_jq "map(select(.event == \"cmd_ancestry\").ancestry) |
		length == 1 and .[0][0] == \"test-tool\"" trace.event
'

test_expect_success JQ,!UNDER_VALGRIND 'cmd_ancestry lists ancestors from the nearest to the farthest' '
	cat >names.sh <<-\EOF &&
	# The names from process $1 up, as /proc has them.
	pid=$1
	while test "$pid" -gt 0 && test -r "/proc/$pid/stat"
	do
		cat "/proc/$pid/comm" || break
		pid=$(sed "s/.*) . \([0-9]*\) .*/\1/" "/proc/$pid/stat")
	done
	EOF
	sh names.sh $$ >expect.above &&
	jq -r "select(.event == \"cmd_ancestry\") | .ancestry[]" trace.event >actual &&
	{
		echo test-tool &&
		cat expect.above
	} >expect &&
	test_cmp expect actual
'

test_expect_success JQ 'an ancestor may have a name with blanks and parentheses' '
	cp "$(command -v sh)" "a) R 1 (b" &&
	"./a) R 1 (b" -c "
		GIT_TRACE2_EVENT=\"\$(pwd)/trace.odd\" test-tool trace2 001return 0
		:" &&
	trace2_jq "map(select(.event == \"cmd_ancestry\").ancestry[0]) ==
		[\"a) R 1 (b\"]" trace.odd
'

test_expect_success 'cmd_ancestry comes after start and before the command is named' '
	GIT_TRACE2="$(pwd)/trace.order" GIT_TRACE2_BRIEF=1 \
		test-tool trace2 001return 0 &&
	test_write_lines version start cmd_ancestry cmd_name exit atexit |
	test_prints sed "s/ .*//" trace.order
'

test_expect_success 'a program may report its ancestry itself' '
	GIT_TRACE2="$(pwd)/trace.own" GIT_TRACE2_BRIEF=1 \
		test-tool --no-init trace2 call initialize , \
		cmd_ancestry make "my shell" init &&
	sed -n "/^cmd_ancestry/p" trace.own >actual &&
	echo "cmd_ancestry make <- my shell <- init" | test_cmp - actual
'

test_done
