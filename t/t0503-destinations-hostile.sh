#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='destinations that stop, vanish or change under the host

The host continues to its end, and lost events are counted in lost.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# Wait for readers of descriptors as long as for readers of sockets.
GIT_TRACE2_PATIENCE=0
export GIT_TRACE2_PATIENCE

test_skip_unless JQ

limited () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/limits" "$1"
}

# The host drained its reader, then printed the rest of the stream.
stalled () {
	GIT_TRACE2_EVENT=9 "$hosts/limits" "$1" >rest &&
	tail -n 1 rest | tr -d "\r" >e &&
	trace2_jq "[.[] | .event, .lost > 0] == [\"atexit\", true]" e
}

test_expect_success 'a warning to a closed pipe does not end the host' '
	echo alive >expect &&
	GIT_TRACE2=bogus "$hosts/limits" warn-dead >actual &&
	test_cmp expect actual
'

test_expect_success 'a warning to a full standard error does not stop the host' '
	GIT_TRACE2=bogus "$hosts/limits" warn-full >actual &&
	test_cmp expect actual
'

test_expect_success 'a pipe that is never read does not stop the host' '
	stalled stalled-pipe
'

test_expect_success 'a pipe that is made blocking again does not stop the host' '
	stalled blocking-again
'

test_expect_success 'a socket that is never read does not stop the host' '
	stalled stalled-stream
'

test_expect_success 'a terminal that is never read does not stop the host' '
	stalled stalled-terminal
'

# terminal VERB: write its output to e.
terminal () {
	GIT_TRACE2_EVENT=9 "$hosts/terminals" "$1" >got &&
	tr -d "\r" <got >e
}

# The descriptor of the terminal is blocking, and poll() cannot tell whether a
# write will wait.
test_expect_success ROOT,!ASAN 'a terminal owned by another user gets nothing' '
	terminal other-user &&
	test_must_be_empty e
'

test_expect_success ROOT,!ASAN 'a controlling terminal owned by another user gets the stream until it is full' '
	terminal other-user-controlling &&
	# The terminal may have accepted a part of the line at which it stopped.
	"$PERL_PATH" -ne "print if /^\{.*\}\$/" e >whole &&
	trace2_jq "(.[0].event == \"version\") and
		([.[-1] | .event, .lost > 0] == [\"atexit\", true])" whole
'

test_expect_success 'a terminal that stops background jobs on writes does not stop the host' '
	terminal background &&
	trace2_jq ".[-1].event == \"atexit\"" e
'

test_expect_success 'a cut line ends with a newline before the next line' '
	GIT_TRACE2_EVENT=9 "$hosts/limits" cut-line >lines &&
	"$PERL_PATH" -ne "print unless /^\{.*\}\$/" lines >torn &&
	test_line_count = 1 torn &&
	test_grep "^{\"event\":\"data\".*yyy\$" torn &&
	"$PERL_PATH" -ne "print if /^\{.*\}\$/" lines >e &&
	trace2_jq "[.[] | .event] ==
		[\"version\", \"start\", \"data\", \"data\", \"exit\", \"atexit\"]
		and .[-1].lost == 2" e
'

# On a busy machine a thread may have the lock, and no CPU, for longer than others
# wait for it: then lines are lost.
test_expect_success '8 threads write to a pipe with room: each line arrives or is counted as lost' '
	GIT_TRACE2_BRIEF=1 GIT_TRACE2=9 "$hosts/limits" roomy-pipe >n &&
	grep "^nr " n >said &&
	tail -n 1 n >actual &&
	test_grep "^atexit elapsed:[0-9.]* code:0\( lost:[0-9]*\)*\$" actual &&
	lost=$(sed -n "s/.* lost://p" actual) &&
	test_line_count = $((32000 - ${lost:-0})) said
'

test_expect_success 'datagrams that are never read do not block the host' '
	stalled stalled-datagrams
'

# after_piece: a process and its child append to f, which begins with a partial
# line
after_piece () {
	GIT_TRACE2_EVENT="$(pwd)/f" test_expect_code 5 \
		test-tool trace2 070fork &&
	sed 1d f >e &&
	test_line_count -gt 8 e &&
	test_grep ! "^\$" e &&
	test_grep ! -v "^{.*}\$" e
}

test_expect_success 'a file that ends in a partial line gets a newline first' '
	printf "{\"event\":\"data\",\"sid\":\"killed" >f &&
	after_piece &&
	after_piece &&
	GIT_TRACE2_PERF="$(pwd)/p" test-tool trace2 001return 0 &&
	test_grep ! "^\$" p
'

bound=
test_have_prereq SANITY ||
bound="setpriv --bounding-set=-dac_override,-dac_read_search"
test_lazy_prereq UNREADABLE '
	: >file &&
	chmod 222 file &&
	! $bound cat file
'

# The kernel cuts a line at the end of a page.
test_expect_success UNREADABLE 'a file that may be written but not read gets the stream' '
	page=$(getconf PAGESIZE) &&
	"$PERL_PATH" -e "print qq(\001) x $page" >f &&
	chmod 222 f &&
	$bound env GIT_TRACE2_EVENT="$(pwd)/f" test-tool trace2 001return 0 &&
	chmod 644 f &&
	tr -d "\001" <f >e &&
	test_line_count -gt 3 e &&
	echo 1 | test_prints grep -c "^\$" e
'

test_expect_success 'a host that closes all descriptors and opens its own files keeps its files whole' '
	limited close-all &&
	test_prints cat host.* </dev/null
'

test_expect_success 'a host that closes all descriptors and reuses their numbers keeps its files whole' '
	limited close-all-and-take &&
	test_path_is_file host &&
	test_must_be_empty host &&
	rm host &&
	GIT_TRACE2_RING="$(pwd)/ring" limited close-all-and-take &&
	test_must_be_empty host &&
	test-tool ring dump ring >dump.txt &&
	test_grep "^arena exited .*lost\[5\]=1\$" dump.txt
'

test_expect_success 'the library takes no descriptor below 3, even if no other is free' '
	limited no-descriptor-left &&
	test_grep ! "of the host" e
'

test_expect_success !INSTRUMENTED 'the library leaves the last free descriptor to the host' '
	limited one-descriptor-left
'

test_expect_success !INSTRUMENTED 'little memory: counters of ended threads are still reported' '
	limited little-memory &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [110]" e
'

test_expect_success !INSTRUMENTED 'a host without memory at the end still reports all metrics' '
	limited no-memory-at-end &&
	trace2_jq "[.[] | .count // .intervals // (.value | .sum? // .last?) // empty] ==
		[5, 1, 5, 100, 5]" e &&
	trace2_jq "[.[].histogram // empty | .[][1]] == [1]" e
'

test_expect_success !INSTRUMENTED 'a flush without memory counts each metric that it misses as a lost event' '
	trace2_jq "(.[-1].lost >= 3) and
		([.[] | .key // empty] == [\"gauge_so_far\", \"distribution\", \"gauge\"])" e
'

# A long session id does not fit into the memory that a thread has from the start.
test_expect_success !INSTRUMENTED 'a forked child that has no memory left is recorded as thread main' '
	sid=$(printf "%02000d" 0) &&
	GIT_TRACE2_PARENT_SID=$sid limited no-main >actual &&
	echo "child: exit 7" | test_cmp - actual &&
	trace2_jq "([.[] | select(.event == \"error\").msg] ==
		[\"trace2: thread_exit without thread_start\"]) and
		all(.[]; .thread == \"main\")" e
'

test_expect_success !INSTRUMENTED 'a process that may not use the TSC is recorded' '
	limited no-counter &&
	trace2_jq "([.[] | select(.event == \"data\")] | length == 5000) and
		([.[] | select(.event == \"timer\").intervals] == [1])" e
'

test_expect_success 'losses of a target that was switched off are reported by the other targets' '
	traced env GIT_TRACE2=/dev/full \
		test-tool trace2 001return 0 2>/dev/null &&
	trace2_jq ".[-1].lost > 0" e
'

test_done
