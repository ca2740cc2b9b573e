#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='states of real programs, as the kernel reported them'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

test_skip_unless JQ

# recorded DIR COMMAND...: record it, and print its states to dump.
recorded () {
	local dir="$1" && shift &&
	rm -rf "$dir" &&
	trace2 record -o "$dir" "$@" 2>err &&
	"$GIT_BUILD_DIR/build/unit/tool-states" "$dir" >dump
}

test_skip_unless STATES 'the kernel does not report switches to this user'

# holds ASSERTION: this is true of the objects of the dump.
holds () {
	jq -s -e "$1" dump >/dev/null || { jq -c . dump >&4; return 1; }
}

test_expect_success 'the states of a thread cover all of its life' '
	recorded r -- sh -c "test-tool trace2 051threads 20 5 & seq 20000 |
		sort >/dev/null; wait" &&
	holds "all(.[] | select(.type == \"thread\" or .type == \"process\");
			.run_ns + .ready_ns + .wait_ns == .end_ns - .start_ns) and
		([.[] | select(.type == \"thread\")] | length >= 24)"
'

# Print the time, in ns, that the host of a virtual machine may have taken.
# /proc has it in ticks of 10 ms.
stolen_ns () {
	awk '/^cpu / { printf "%.0f", $9 ? ($9 + 1) * 10000000 : 0 }' /proc/stat
}

cpu_adds_up () {
	before=$(stolen_ns) &&
	recorded r -- sh -c "seq 200000 | sort | tail -n 1;
		test-tool trace2 051threads 8" &&
	jq ".rusage | .user_ns + .system_ns" r/meta.json >total &&
	after=$(stolen_ns) &&
	stolen=$((after - before + (after > 0) * 10000000)) &&
	jq -s --slurpfile total total -e '
		([.[] | select(.type == "thread") | .cpu_ns] | add) as $sum |
		$total[0] as $total | ($sum - $total) as $error |
		([$total / 100, 1e6] | max) as $slack |
		-$slack < $error and $error < $slack + '"$stolen" dump
}

# The time that a host of virtual machines takes is shown in ticks only, and
# later: on a busy host this may fail. t3130 adds up known times.
test_expect_success EXPENSIVE 'the CPU times of threads add up to that of wait4()' '
	cpu_adds_up || cpu_adds_up || cpu_adds_up
'

# tids DIR: print the tid of each thread of a session.
tids () {
	"$GIT_BUILD_DIR/build/unit/tool-states" "$1" |
	sed -n "/\"type\":\"thread\"/{
		s/.*\"tid\":\([0-9]*\).*\"thread\":\"\([^\"]*\)\".*/\2 \1/p
	}" | sort
}

# Rings have the tids of threads; for streams they are found by time.
for threads in 3 '20 20' '40 4'
do
	test_expect_success "threads of a stream are matched with kernel threads by time ($threads)" '
		recorded r --ring -- test-tool trace2 051threads $threads &&
		tids r >expect &&
		test_line_count = $((1 + ${threads%% *})) expect &&
		trace2 export --to git-event -o events r &&
		sid=$(ls r/rings | sed -n "/records/!p") &&
		rm -r r/rings &&
		mv events "r/events/$sid" &&
		tids r >actual &&
		for list in expect actual
		do
			cut -d " " -f 1 $list >$list.names &&
			cut -d " " -f 2 $list | sort >$list.tids || return 1
		done &&
		comm -13 expect.names actual.names >unknown &&
		comm -13 expect.tids actual.tids >>unknown &&
		test_must_be_empty unknown &&
		uniq -d actual.tids >twice &&
		test_must_be_empty twice &&
		# If two threads ran within microseconds of an event, it is
		# unknown which of them emitted the event: one is taken for the
		# other, which then has none. A busy machine has more such
		# events.
		nr=${threads%% *} &&
		test "$(wc -l <actual)" -gt $((nr - nr / 10)) &&
		comm -23 expect actual >wrong &&
		{ test_have_prereq !EXPENSIVE ||
		test "$(wc -l <wrong)" -le $((nr / 2)); } || {
			cat wrong >&4
			return 1
		}
	'
done

test_expect_success 'states of regions add up to the states of their thread' '
	recorded r -- test-tool trace2 051threads 4 &&
	holds "([.[] | select(.type == \"span\" and .label == \"work\")] |
		length == 4) and
		([group_by(.thread)[] | select(.[0].thread) |
		(map(select(.type == \"thread\"))[0] |
			.run_ns + .ready_ns + .wait_ns) ==
		(map(select(.type != \"thread\" and .type != \"state\") |
			.run_ns + .ready_ns + .wait_ns) | add)] | all)"
'

test_expect_success 'a sleep shows as waiting, a loop as running' '
	recorded r -- sh -c "sleep 0.1; i=0;
		while test \$i -lt 30000; do i=\$((i + 1)); done" &&
	holds "([.[] | select(.type == \"thread\" and .comm == \"sleep\" and
			.wait_ns > 99e6)] | length == 1) and
		([.[] | select(.type == \"process\")] | .[0].run_ns > .[1].run_ns)"
'

# reads_fifo: the log of the recording has the arguments of the new program.
reads_fifo () {
	test -f threaded/tasks.jsonl &&
	grep -q "\"argv\":\[\"cat\",\"fifo\"" threaded/tasks.jsonl
}

# Go calls exec in any thread; so does this. The new program runs until its
# arguments were read, where they can be.
test_expect_success PYTHON,PIPE 'exec in a second thread: the critical path has the CPU time before exec' '
	cat >thread-exec.py <<-\EOF &&
	import os, sys, threading, time

	def work():
	    while time.thread_time() < 0.1:
	        pass
	    os.execvp("cat", ["cat", "fifo"])

	threading.Thread(target=work).start()
	time.sleep(1000)
	EOF
	mkfifo fifo &&
	{
		trace2 record -q -o threaded -- "$PYTHON_PATH" thread-exec.py &
	} &&
	exec 9>fifo &&
	if test_have_prereq EXIT_CODES
	then
		wait_until reads_fifo
	fi &&
	exec 9>&- &&
	wait $! &&
	trace2 report --format=json threaded >json &&
	jq -e "[.critical_path[] | select(.process != \"cat\" and
		.state == \"run\") | .time_ns] | add // 0 > 9e7" json
'

test_expect_success PYTHON,EXIT_CODES 'exec in a second thread: the program has its arguments and its exit code' '
	trace2 list --format=json threaded >json &&
	echo "[[\"cat\",\"fifo\"],0]" |
	test_prints jq -c "[.processes[0] | .argv, .code]" json
'

# ---------------------------------------------------------------------------
# States of threads: as recorded, and as the program knows them

hosts=$GIT_BUILD_DIR/build/hosts

# Compare the recording in r with the output of the program.
compare () {
	"$GIT_BUILD_DIR/build/unit/tool-states" r/trace2.data >dump &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3131/known.perl" r/known dump "$@" \
		>table || {
		cat table
		return 1
	}
}

# recorded_as_known "[COMMAND...]" OPTION...
recorded_as_known () {
	as=$1 &&
	shift &&
	rm -rf r &&
	mkdir -m 777 r &&
	(cd r && $as trace2 record -- "$hosts/states" >known) &&
	compare "$@"
}

test_expect_success WAKERS 'causes and wakers of waits are those of the test program' '
	recorded_as_known "" --causes --wakers
'

test_expect_success STATES,ORDINARY_USER,PARANOID_2 'a user without privileges gets each state' '
	recorded_as_known as_ordinary
'

# A machine that other work stops for a moment disturbs one recording, not three.
test_expect_success EXPENSIVE,WAKERS 'states last as long as the test program measures' '
	recorded_as_known "" --times ||
	recorded_as_known "" --times ||
	recorded_as_known "" --times
'

# in_bounds HOW PID LEAST MOST: SPAWN of a child is as long as the program
# measured.
in_bounds () {
	jq -e ".processes[] | select(.pid == $2) | .spawn_ns |
		$3 <= . and . <= $4" report || {
		echo "$1: not from $3 to $4"
		jq "[.processes[] | {pid, spawn_ns}]" report
		return 1
	}
}

test_expect_success JQ,WAKERS 'waits of a parent for the start and the end of children last as measured' '
	trace2 record -o spawner "$hosts/spawner" >known &&
	test_line_count = 4 known &&
	trace2 report --format=json spawner >report &&
	while read -r how pid least most
	do
		in_bounds $how $pid $least $most || return 1
	done <known
'

test_done
