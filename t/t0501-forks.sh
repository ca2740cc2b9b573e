#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='forks in all ways: the sessions of parent and children

The parent and each child have a session of their own, which begins with version
and ends with atexit. This holds for each kind of fork, and for each thread that
emits the first event.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

# forked VERB: write a valid stream to e.
forked () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/forks" "$@" &&
	expect_valid_stream e
}

# The events of the child, one a line (thread, event, its fields), are version,
# start and atexit around standard input, from main.
child_told () {
	jq -r "select(.sid | contains(\"/\")) | [.thread, .event,
			.value // .count // .msg // .name // empty]
			| map(tostring) | join(\" \")" e >actual &&
	{
		test_write_lines "main version" "main start" &&
		cat &&
		echo "main atexit"
	} >expect &&
	test_cmp expect actual
}

test_expect_success 'a forked child has version and start from main if another thread emits first' '
	forked other-thread-first &&
	child_told <<-\EOF
	th01:unknown thread_start
	th01:unknown data thread
	th01:unknown thread_exit
	main data main
	EOF
'

test_expect_success 'a forked child in which several threads have the first event has one session' '
	forked threads-at-once &&
	trace2_jq "([.[] | select(.event == \"version\")] | length == 2) and
		([.[] | select(.value == \"together\")] | length == 4)" e
'

test_expect_success 'a fork while a child opens its session: child and grandchild get one each' '
	forked while-it-opens &&
	trace2_jq "([.[] | select(.event == \"version\")] | length == 3) and
		([.[] | .value // empty] | sort == [\"child\", \"grandchild\"])" e
'

test_expect_success 'a counter that only a thread of a forked child uses is reported' '
	forked only-a-thread-counts &&
	child_told <<-\EOF
	main counter 7
	EOF
'

test_expect_success 'a child of a fork without libc has a session of its own' '
	forked raw-clone &&
	child_told <<-\EOF
	main data child
	EOF
'

test_expect_success 'a child of vfork or clone that a signal ends leaves the parent unharmed' '
	for how in vfork vfork-and-tells clone fork-alone
	do
		GIT_TRACE2_SIGNALS=TERM forked dies-after-$how &&
		trace2_jq "[.[] | select(.event != \"version\") | .event] ==
			[\"start\", \"data\", \"atexit\"]" e ||
		{
			echo "it was: $how"
			return 1
		}
	done
'

# ringed VERB: write the events of the host's rings to e.
ringed () {
	rm -rf rings &&
	mkdir rings &&
	GIT_TRACE2_RING="$(pwd)/rings" "$hosts/forks" "$1" &&
	trace2 script --git-event rings >e
}

test_lazy_prereq REAL_TIME '
	"$hosts/forks" may-be-urgent
'

test_expect_success REAL_TIME 'a real-time thread sleeps until another one has opened the session' '
	forked urgent-while-it-opens &&
	trace2_jq "([.[] | select(.event == \"version\")] | length == 2) and
		([.[] | .value // empty] | sort == [\"urgent\", \"usual\"])" e
'

test_expect_success REAL_TIME 'a real-time thread sleeps until another one has made the SID' '
	"$hosts/forks" urgent-while-its-id-is-made
'

for how in clone fork-alone
do
	test_expect_success "a child that only counts reports its own counts: $how" '
		forked counts-after-$how &&
		trace2_jq "[.[] | select(.event == \"counter\").count] |
			sort == [1, 1000]" e
	'

done

test_expect_success 'a child that only counts does not change the ring of its parent' '
	for how in clone fork-alone
	do
		ringed counts-after-$how &&
		trace2_jq "([.[] | select(.event == \"counter\").count] |
				sort == [1, 1000]) and
			([.[] | select(.event == \"timer\").intervals] == [1, 1])" e ||
		return 1
	done
'

test_expect_success 'a clone() child: the first thread to call becomes main' '
	forked thread-first-after-clone &&
	child_told <<-\EOF &&
	main data thread
	th01:unknown thread_start
	th01:unknown data main
	th02:unknown thread_start
	th02:unknown data thread
	th02:unknown thread_exit
	th01:unknown data main
	main counter 7
	EOF
	ringed thread-first-after-clone &&
	trace2_jq "[.[] | select(.event == \"counter\").count] |
		sort == [7, 1000]" e
'

test_expect_success 'events of a fork handler that runs before the library belong to the child' '
	forked early-handler-speaks &&
	child_told <<-\EOF
	main data early
	main data child
	main counter 5
	EOF
'

test_expect_success 'counts of a fork handler that runs before the library belong to the child' '
	forked early-handler-counts &&
	trace2_jq "[.[] | select(.event == \"counter\").count] |
		sort == [5, 1000]" e &&
	ringed early-handler-counts &&
	trace2_jq "[.[] | select(.event == \"counter\").count] |
		sort == [5, 1000]" e
'

test_expect_success 'a fork in a thread without events makes this thread main of the child' '
	forked in-a-silent-thread &&
	child_told <<-\EOF
	th01:unknown thread_start
	th01:unknown data thread
	th01:unknown thread_exit
	main data main
	EOF
'

test_expect_success 'a timer that ran at the fork may be stopped in the child without an error' '
	forked timer-runs &&
	trace2_jq "all(.[]; .event != \"error\") and
		([.[] | select(.event == \"timer\").intervals] == [1])" e
'

test_expect_success '%m in the first event of a child is the errno of the caller' '
	LC_ALL=C forked formats-errno &&
	child_told <<-\EOF
	main printf Operation not permitted
	EOF
'

test_expect_success 'a forked child emits the requested parameters' '
	FORKS_HOME=here GIT_TRACE2_ENV_VARS=FORKS_HOME forked names-itself &&
	trace2_jq "[.[] | select(.event == \"def_param\").value] == [\"here\", \"here\"]" e
'

test_expect_success 'an invalid setting is reported once, and not by forked children' '
	GIT_TRACE2=bogus forked three-children 2>err &&
	test_line_count = 1 err
'

test_expect_success 'a forked child closes the trace descriptors of the parent' '
	mkdir dirs &&
	GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/dirs" \
		GIT_TRACE2_EVENT="$(pwd)/dirs" GIT_TRACE2_RING="$(pwd)/dirs" \
		GIT_TRACE2_COUNTERS=task-clock \
		"$hosts/forks" same-descriptors >out &&
	echo "0 more" | test_cmp - out
'

test_lazy_prereq KCMP '
	"$hosts/forks" may-compare-tables
'

# shared VARIABLE=VALUE...: the host keeps its descriptors, and gets no new
# ones.
shared () {
	rm -rf dirs &&
	mkdir dirs &&
	env "$@" "$hosts/forks" shared-descriptors >out &&
	echo "0 more" | test_cmp - out
}

test_expect_success KCMP 'children sharing the descriptor table: the parent keeps its files and all lines' '
	shared GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/dirs" \
		GIT_TRACE2_EVENT="$(pwd)/dirs/e" GIT_TRACE2_COUNTERS=task-clock &&
	test_grep ! child n dirs/* &&
	trace2_jq "[.[] | .value // .lost // empty] ==
		[\"before\", \"after\"]" dirs/e &&
	test_stdout_line_count = 2 ls dirs &&
	expect_valid_stream dirs/e
'

test_expect_success KCMP 'children sharing the descriptor table: the parent keeps its socket and settings page' '
	test-tool fault listen-stream --output=e s env GIT_TRACE2_CONTROL=1 \
		GIT_TRACE2_EVENT="af_unix:$(pwd)/s" \
		"$hosts/forks" shared-descriptors >out &&
	echo "0 more" | test_cmp - out &&
	trace2_jq "[.[] | .value // .lost // empty] ==
		[\"before\", \"after\"]" e
'

test_expect_success KCMP 'children sharing the descriptor table: the parent keeps its ring and samples' '
	shared GIT_TRACE2_RING="$(pwd)/dirs" \
		GIT_TRACE2_SAMPLE=task-clock:1000000 GIT_TRACE2_COUNTERS=task-clock &&
	test_stdout_line_count = 1 ls dirs &&
	trace2 script --git-event dirs >e &&
	trace2_jq "[.[] | select(.event == \"data\").value] ==
		[\"before\", \"after\"]" e
'

test_expect_success KCMP 'children sharing the descriptor table: each writes a session to descriptor 9' '
	shared GIT_TRACE2_EVENT=9 9>e &&
	trace2_jq "[.[] | select(.event == \"data\").value] ==
			[\"before\", \"child\", \"child\", \"child\", \"after\"] and
		([.[] | select(.event == \"version\")] | length == 4)" e
'

# starts VERB: each program has the trace of the thread that starts it.
starts () {
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/forks" "$1" >out &&
	echo "0 wrong" | test_cmp - out
}

# The thread sanitizer takes what a child writes for a race with its parent's threads.
test_expect_success !SANITIZE_THREAD 'threads that start programs at once: TRACEPARENT names the span of the same thread' '
	starts programs-at-once
'

test_expect_success 'TRACEPARENT does not name a child_begin that another thread has ended' '
	starts ended-elsewhere
'

# The child continues in the call that the handler interrupted. The thread
# sanitizer allocates in fork() and reports that in a handler.
test_expect_success !SANITIZE_THREAD 'a fork in a handler that interrupts a write leaves files whole' '
	mkdir dir &&
	GIT_TRACE2=9 GIT_TRACE2_EVENT="$(pwd)/dir" \
		"$hosts/forks" handler-forks &&
	test_stdout_line_count = 2 ls dir &&
	jq -n -e "[inputs | { file: input_filename, sid, value }] |
		group_by(.file) | length == 2 and all(
			(map(.sid) | unique | length == 1) and
			(map(select(.value == \"after\")) | length == 1))" dir/*
'

test_expect_success !SANITIZE_THREAD 'a fork in a handler that interrupts a write to the only target: the child is traced' '
	echo "child: tracing is on" >expect &&
	GIT_TRACE2_EVENT=9 \
		"$hosts/forks" handler-forks-and-child-tells >actual &&
	test_cmp expect actual
'

test_done
