#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a function of the program gets each event'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_expect_success 'a sink without a target gets all events' '
	"$hosts/sink" one 3>actual &&
	cat >expect <<-\EOF &&
	main version 1 evt=4 exe=1
	EOF
	printf "main start 1 argv=[%s][one]\n" "$hosts/sink" >>expect &&
	cat >>expect <<-\EOF &&
	main data 1 category=sink key=url value=https://me:<REDACTED>@host/
	th01:w thread_start 1
	th01:w region_enter 1 category=sink label=work
	th01:w data 2 category=sink key=number value=-7
	th01:w region_leave 1 category=sink label=work
	th01:w thread_exit 1
	main exit 1 code=0
	main counter 1 category=sink name=called count=1
	main atexit 1 code=0
	EOF
	test_cmp expect actual
'

test_expect_success 'a sink gets command lines without secrets' '
	"$hosts/sink" one https://me:pw@host/ --token=a1b2c3 3>out &&
	printf "main start 1 argv=[%s][one][https://me:<REDACTED>@host/][--token=<REDACTED>]\n" \
		"$hosts/sink" >expect.start &&
	sed -n 2p out >actual &&
	test_cmp expect.start actual
'

test_expect_success 'a sink beside targets gets the same events, and does not change the targets' '
	GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_RING="$(pwd)/r" \
		"$hosts/sink" one 3>beside &&
	test_cmp expect beside &&
	no_problems e &&
	no_problems r
'

test_expect_success 'calls from inside a sink do nothing, and do not count as lost' '
	traced "$hosts/sink" mischief 3>out &&
	grep -c . expect >nr &&
	grep -c . out >actual &&
	test_cmp nr actual &&
	no_problems e &&
	test_grep ! lost e
'

test_expect_success !INSTRUMENTED 'a sink loses an event for which there is no memory, and the loss is counted' '
	"$hosts/sink" no-memory 3>out &&
	test_grep ! alias out &&
	test_grep "^main exit 1" out &&
	test_grep "^main atexit 1 code=0 lost=1\$" out
'

test_expect_success 'sixteen threads may call a sink at once' '
	"$hosts/sink" threads 3>out &&
	echo 16 | test_prints grep -c thread_exit out &&
	test_grep "^main atexit 1 code=0\$" out
'

test_expect_success 'a forked child calls the sink, too' '
	"$hosts/sink" fork 3>out &&
	echo 2 | test_prints grep -c "main atexit" out &&
	test_grep "main data 1 category=sink key=child value=yes" out
'

test_expect_success 'a sink that waits for another thread does not deadlock a forked child' '
	"$hosts/sink" fork-and-lock 3>out &&
	grep -c "main atexit" out >actual &&
	echo 2 | test_cmp - actual &&
	test_grep "main data 1 category=sink key=child value=yes" out
'

# Handlers of musl do not see the code.
test_expect_success 'exit() in a sink that holds a lock: atexit goes to the targets, not to the sink' '
	traced 3 "$hosts/sink" exit 3>out &&
	test_grep "main data 1" out &&
	test_grep ! atexit out &&
	code=3 &&
	test_have_prereq !MUSL || code=0 &&
	test_grep "\"event\":\"atexit\".*\"code\":$code" e
'

test_done
