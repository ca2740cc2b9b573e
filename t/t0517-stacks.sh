#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a signal at every instruction of a call, and other stacks

The handler runs on a stack of its own, or switches to one, and emits more than
the thread has had room for. Or it jumps out of the call. Then the program
continues where nothing overwrites the stack of the call.

With GIT_TEST_LONG the call is stopped at each instruction, otherwise at some,
evenly spread.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

stops=40
test_have_prereq !EXPENSIVE || stops=100000

test_skip_unless JQ,STEPS 'jq is needed, and a processor that stops behind each instruction'

# Print how many values of e are `call`, or as long as a handler says.
nr_values () {
	awk '/"event":"(data|printf)"/ {
		value = $0
		sub(/.*"(value":"|msg":"who: )/, "", value)
		sub(/".*/, "", value)
		n = length(value)
		told += value ~ /^(call|x+)$/ && (n == 4 || n == 4999 || n == 149999)
	}
	END { print told + 0 }' e
}

# interrupted STACK: no event is missing or damaged.
interrupted () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/stacks" "$1" $stops >out ||
	{
		cat out &&
		return 1
	}
	cat out &&
	said=$(sed -n "s/^said \([0-9]*\)\$/\1/p" out) &&
	test -n "$said" &&
	intact e &&
	test $(($(nr_values) + $(lost_in e))) = "$said"
}

test_expect_success 'a handler on the interrupted stack may emit many events' '
	interrupted same
'

test_expect_success 'a handler on an alternate stack may emit many events' '
	interrupted plain-above &&
	interrupted plain-below
'

test_expect_success 'a handler on a stack with SS_AUTODISARM may emit many events' '
	interrupted disarmed-above &&
	interrupted disarmed-below
'

# musl has no contexts.
test_expect_success !MUSL 'a handler that switches to another context may emit many events' '
	interrupted context-above &&
	interrupted context-below
'

test_expect_success 'a message emitted by a handler does not damage the interrupted message' '
	interrupted format-same &&
	interrupted format-disarmed-above
'

# Handlers nest in a ring, which has room for this many.
test_expect_success 'a handler may emit many events into a ring' '
	for stack in same disarmed-above disarmed-below
	do
		rm -rf r &&
		mkdir r &&
		GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=16m \
			"$hosts/stacks" $stack 20 >out &&
		said=$(sed -n "s/^said \([0-9]*\)\$/\1/p" out) &&
		test-tool ring dump r/* >dump.txt &&
		lost=$(sed -n "s/^1 atexit .* lost=//p" dump.txt) &&
		told=$(grep -c " data .*value=" dump.txt) &&
		test $((told + ${lost:-0})) = "$said" || return 1
	done
'

# behind HOW: after each jump events are recorded again, and counted; the memory
# that this needs does not grow with the number of jumps.
behind () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/stacks" "$1" $stops >out &&
	cat out &&
	jumped=$(sed -n "s/^said .*, jumped \([0-9]*\)\$/\1/p" out) &&
	pages=$(sed -n "s/^took \([-0-9]*\) pages\$/\1/p" out) &&
	test "$jumped" -gt 20 &&
	test "$pages" -lt 64 &&
	intact e &&
	test "$(grep -c "\"value\":\"behind a jump\"" e)" = "$jumped" &&
	test_grep "\"event\":\"counter\".*\"name\":\"jumped\",\"count\":$jumped}" e
}

test_expect_success 'calls after a handler has jumped far up the stack are recorded' '
	behind jumps-up
'

test_expect_success 'calls after a handler has jumped, from further down the stack, are recorded' '
	behind jumps-down
'

test_expect_success 'a handler may jump out of calls that write into a ring' '
	for how in jumps-up jumps-down
	do
		rm -rf r &&
		mkdir r &&
		GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=16m \
			"$hosts/stacks" $how $stops >out &&
		jumped=$(sed -n "s/^said .*, jumped \([0-9]*\)\$/\1/p" out) &&
		test-tool ring dump r/* >dump.txt &&
		lost=$(sed -n "s/.* lost\[3\]=\([0-9]*\)\$/\1/p" dump.txt) &&
		told=$(grep -c "behind a jump" dump.txt) &&
		test $((told + ${lost:-0})) -ge "$jumped" &&
		grep "^1 data" dump.txt | tail -n 3 >last &&
		test_grep "behind a jump" last || return 1
	done
'

# The handler comes between any two instructions, also before the library notes that
# a call is inside.
test_expect_success 'coroutines that a timer switches inside calls lose no count' '
	rm -f e &&
	{
		GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/stacks" coroutines >out ||
		test $? = 77
	} &&
	sed -n "s/^counted //p" out >counted &&
	sed -n "s/.*\"event\":\"counter\".*\"counted\",\"count\":\([0-9]*\).*/\1/p" \
		e >actual &&
	test_cmp counted actual
'

test_expect_success 'coroutines that a timer switches inside calls may write into a ring' '
	mkdir -p rings &&
	{
		GIT_TRACE2_RING="$(pwd)/rings" "$hosts/stacks" coroutines >out
		code=$?
	} &&
	{ test $code = 77 || { test $code = 0 && test_line_count = 1 out; }; }
'

test_done
