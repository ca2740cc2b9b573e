#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record -p: tracing is on in programs that allow it'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-attach.sh"
. "$TEST_DIRECTORY/lib-build.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

test_skip_unless JQ,PIPE 'no jq, or no fifos'

# start_daemon [COMMAND...]: three threads emit to e0, no nested events, until the file
# `stop` exists.
start_daemon () {
	rm -rf stop e0 e1 r later &&
	test_when_finished ": >stop" &&
	{ GIT_TRACE2_CONTROL=1 GIT_TRACE2_EVENT="$(pwd)/e0" GIT_TRACE2_EVENT_BRIEF=1 \
		GIT_TRACE2_EVENT_NESTING=1 "$@" test-tool trace2 262until stop 3 & } &&
	pid=$! &&
	wait_until test -s e0
}

# may_be_asked PID: the library in the process takes requests.
may_be_asked () {
	test -n "$(control_page "$1")"
}
control_page () {
	find "/proc/$1/fd" -lname "*trace2-control*"
}

stop_daemon () {
	: >stop &&
	wait "$pid"
}

# Print the bytes of all traces.
bytes () {
	wc -c p0 e0 e1 r*/events/* later/events/* 2>/dev/null | {
		while read -r last rest
		do
			:
		done
		echo "$last"
	}
}

# until_lines CONDITION: wait until CONDITION is true, before the daemon fills
# the disk.
most=300000000
until_lines () {
	polls=0 before='' too_much='' &&
	wait_until eval "$1 || wrote_too_much" &&
	test -z "$too_much"
}
# A look takes longer than the change that it waits for: look at each tenth
# time.
wrote_too_much () {
	polls=$((polls + 1)) &&
	test $((polls % 10)) = 0 &&
	now=$(bytes) &&
	: "${before:=$now}" &&
	test $((now - before)) -gt $most &&
	too_much=yes
}

# until_grown FILE: wait until new lines come.
until_grown () {
	grown=$1 size=$(wc -c <"$1") &&
	until_lines "test \"\$(wc -c <\"\$grown\")\" != $size"
}

until_in_recording () {
	until_lines "has_events r"
}
has_events () {
	for file in "$1"/events/*
	do
		test ! -s "$file" || return 0
	done
	return 1
}

# The session in the recording, with a beginning and an end, is whole.
is_whole_session () {
	trace2 check -i r >checked &&
	test_grep "^1 session, .*: no problems\$" checked &&
	cat r/events/* >lines &&
	test_grep "\"file\":\"lib" lines &&
	sed -n "s/.*\"event\":\"start\".*\"argv\":\[\"[^\"]*\",\"\([^\"]*\)\",\"\([^\"]*\)\".*/\1 \2/p" \
		lines >actual &&
	echo "trace2 262until" | test_cmp - actual
}

test_expect_success 'record -p switches tracing on, and back at the end, if the program allows it' '
	start_daemon &&
	attach -p $pid &&
	until_in_recording &&
	cp e0 as_it_was &&
	until_lines "grep -q \"\\\"nesting\\\":2\" r/events/*" &&
	test_cmp as_it_was e0 &&
	detached INT &&
	test_grep "tracing was switched on in 1 of 1 process$" err &&
	is_whole_session &&
	until_grown e0 &&
	stop_daemon &&
	test_grep "\"region_enter\"" e0 &&
	test_grep ! "\"file\":" e0 &&
	test_grep ! "\"nesting\":2" e0 &&
	trace2 check e0 &&
	! grep -v "\"thread\":\"\(main\|th0[123]:worker\)\"" lines e0 &&
	test "$(grep -c "\"event\":\"version\"" e0)" = 2
'

test_expect_success 'record -p: meta.json lists the processes in which tracing was switched on' '
	jq -c "[.attached, .switched_on, .losses.cut_programs]" r/meta.json >actual &&
	echo "[[$pid],[$pid],0]" | test_cmp - actual
'

test_expect_success TASKS 'list shows a process that continues after record -p as open' '
	listed "length == 1 and .[0].end == \"open\" and .[0].at_least == true and
		.[0].pid == $pid"
'

test_expect_success 'record -p --max-size: the program returns to the earlier target at the limit' '
	start_daemon &&
	attach -p $pid --max-size 20k &&
	until_in_recording &&
	until_grown e0 &&
	detached INT &&
	stop_daemon &&
	test_grep "max-size was reached: tracing was switched off in 1 process$" err &&
	test_grep ! " 0 lost" err &&
	echo "[1,true]" |
	test_prints jq -c "[.losses.cut_programs, .lost > 0]" r/meta.json &&
	trace2 report r >report &&
	test_grep -i "lost\|incomplete" report
'

cat >busy.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "trace2.h"

/* A call of this thread lasts while `block` is there. */
static void sink(const struct trace2_event *event, void *unused)
{
	(void)unused;
	if (strcmp(event->thread, "th01:busy") || access("block", F_OK))
		return;
	close(creat("inside", 0600));
	while (!access("block", F_OK))
		usleep(1000);
}

static void *emit(void *name)
{
	trace2_thread_start(name);
	for (; access("stop", F_OK); usleep(1000))
		trace2_data_string("busy", NULL, name, "emits");
	return NULL;
}

int main(void)
{
	const struct trace2_options options = {
		.flags = TRACE2_CONTROL | TRACE2_MORE_OPTIONS, .sink = sink
	};
	char busy[] = "busy";
	pthread_t thread;

	trace2_initialize_with(&options);
	if (pthread_create(&thread, NULL, emit, busy))
		return 1;
	for (; access("stop", F_OK); usleep(1000))
		trace2_data_string("busy", NULL, "main", "emits");
	return pthread_join(thread, NULL);
}
EOF

# Print how many requests a process has answered: `done` in the $page that it shares.
answers () {
	od -An -tu4 -j28 -N4 "$page"
}

test_expect_success CC,!INSTRUMENTED 'record -p --max-size asks a busy program again until it switches back' '
	rm -rf stop block inside e0 e1 r later &&
	test_when_finished "rm -f block; : >stop" &&
	build "$CC" busy.c -std=gnu11 &&
	{ GIT_TRACE2_EVENT="$(pwd)/e0" LD_LIBRARY_PATH="$GIT_BUILD_DIR/build/lib" \
		./program & } &&
	pid=$! &&
	wait_until test -s e0 &&
	attach -p $pid --max-size 200k &&
	until_in_recording &&
	: >block &&
	until_lines "test -e inside" &&
	until_lines "test -e r/events/git-trace2-discard" &&
	page=$(control_page "$pid") &&
	asked=$(answers) &&
	until_lines "test \$(answers) -gt $((asked + 1))" &&
	rm block &&
	until_grown e0 &&
	detached INT &&
	: >stop &&
	wait $pid
'

test_expect_success 'record -p has the exit event of a process that ends during the recording' '
	start_daemon &&
	attach -p $pid &&
	until_in_recording &&
	stop_daemon &&
	detached &&
	test_grep "tracing was switched on in 1 of 1 process$" err &&
	is_whole_session
'

# all_stopped PID: all threads of the process are stopped.
all_stopped () {
	! grep -L "^State:.*T" "/proc/$1"/task/*/status | grep .
}

# is_taken PID: the process has taken all its signals.
is_taken () {
	grep -q "^ShdPnd:.0*$" "/proc/$1/status"
}

# The process cannot answer. The recorder takes each signal before the next.
test_expect_success 'record -p counts repeated SIGTERM, as from timeout(1), as one signal' '
	start_daemon &&
	attach --timeout 1h -p $pid &&
	until_in_recording &&
	kill -STOP $pid &&
	test_when_finished "kill -CONT $pid || :" &&
	wait_until all_stopped $pid &&
	to=$(recorder_pid r) &&
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		kill -TERM $to && wait_until is_taken $to || return 1
	done &&
	kill -CONT $pid &&
	detached &&
	test_grep ! "until its next call" err &&
	is_whole_session &&
	stop_daemon
'

test_expect_success 'record -p: a killed recorder leaves tracing on until another recording ends' '
	start_daemon &&
	attach -p $pid &&
	until_in_recording &&
	kill -KILL $recorder &&
	test_expect_code 137 wait $recorder &&
	exec 7<&- &&
	until_grown r/events/* &&
	rm -rf r.killed && mv r r.killed &&
	attach -p $pid &&
	until_in_recording &&
	detached INT &&
	until_grown e0 &&
	stop_daemon &&
	test_grep "tracing was switched on in 1 of 1 process$" err &&
	is_whole_session
'

test_expect_success 'record -p keeps a target that trace2 set chose during the recording' '
	start_daemon &&
	attach -p $pid &&
	until_in_recording &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e1" &&
	detached INT &&
	until_grown e1 &&
	cp e0 as_it_was &&
	attach -p $pid &&
	until_in_recording &&
	detached INT &&
	until_grown e1 &&
	stop_daemon &&
	test_cmp as_it_was e0
'

test_expect_success 'two recordings with -p: the later one has the events' '
	start_daemon &&
	attach -p $pid &&
	until_in_recording &&
	{ trace2 record -q -o later -p $pid & } &&
	second=$! &&
	wait_until has_events later &&
	detached INT &&
	until_grown later/events/* &&
	kill -INT $second &&
	wait $second &&
	until_grown e0 &&
	stop_daemon
'

# state PID LETTER: wait until the process is in this state.
state () {
	wait_until grep -q "^State:.$2" "/proc/$1/status"
}

# is_asked PID TARGET: the last request that it got names the target.
is_asked () {
	tr -d "\0" <"$(control_page "$1")" | grep -q "GIT_TRACE2_EVENT=.*/$2"
}

# The first one asks before the second one has read the answer to its request.
test_expect_success 'two recordings with -p: the later one restores the target' '
	start_daemon &&
	attach -p $pid &&
	until_in_recording &&
	kill -STOP $pid &&
	test_when_finished "kill -CONT $pid || :" &&
	state $pid T &&
	{ trace2 record -o later -p $pid 2>err.later & } &&
	second=$! &&
	wait_until is_asked $pid later/events &&
	state $second S &&
	kill -STOP $second &&
	test_when_finished "kill -CONT $second || :" &&
	state $second T &&
	kill -CONT $pid &&
	until_lines "has_events later" &&
	detached INT &&
	kill -INT $second &&
	kill -CONT $second &&
	wait $second &&
	test_grep "may write no events: another" err.later &&
	until_grown e0 &&
	stop_daemon
'

# Nothing is written there when it calls the library at last.
test_expect_success 'record -p reports programs that do not call the library, or lack it' '
	rm -f wake &&
	mkfifo wake &&
	{ GIT_TRACE2_CONTROL=1 test-tool trace2 261steps "sh:read line <wake" step & } &&
	idle=$! &&
	exec 6>wake &&
	wait_until may_be_asked $idle &&
	start_shell &&
	attach -p $pid,$idle &&
	detached INT &&
	test_grep "switched on in 0 of 2 processes; others have not called the library" err &&
	echo go >&6 &&
	exec 6>&- &&
	wait $idle &&
	end &&
	test_must_fail ls r/events/*
'

cat >forker.c <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trace2.h"

static void emit_until(const char *file)
{
	for (; access(file, F_OK); usleep(1000))
		trace2_data_intmax("f", NULL, "emitted", getpid());
}

int main(void)
{
	trace2_initialize();
	emit_until("fork");
	if (!fork())
		emit_until("stop");
	else
		emit_until("stop");
	return wait(NULL) < 0 && 0;
}
EOF

# start_forker: it is recorded, and so is the child that it has forked.
start_forker () {
	rm -f stop fork &&
	test_when_finished ": >fork; : >stop" &&
	build "$CC" forker.c -std=gnu11 &&
	{ GIT_TRACE2_CONTROL=1 LD_LIBRARY_PATH="$GIT_BUILD_DIR/build/lib" ./program & } &&
	pid=$! &&
	wait_until may_be_asked "$pid" &&
	attach -p "$pid" &&
	until_in_recording &&
	: >fork &&
	wait_until eval "test \"\$(find r/events -type f -size +0 | wc -l)\" = 2" &&
	child=$(tr -d " " <"/proc/$pid/task/$pid/children")
}

test_expect_success TASKS,CC,!INSTRUMENTED 'record -p switches tracing off in forked children, too' '
	start_forker &&
	detached INT &&
	trace2 check -i r >checked &&
	test_grep "^2 sessions, .*: no problems$" checked &&
	cat r/events/* >lines &&
	grep -c "\"atexit\"" lines >nr &&
	echo 2 | test_cmp - nr &&
	: >stop &&
	wait $pid
'

# The second signal ends the wait.
test_expect_success TASKS,CC,!INSTRUMENTED 'record -p waits for forked children to switch back, until a second signal' '
	start_forker &&
	kill -STOP $child &&
	test_when_finished "kill -CONT $child || :" &&
	state $child T &&
	page=$(control_page "$pid") &&
	asked=$(answers) &&
	kill -INT "$(recorder_pid r)" &&
	wait_until eval "test \$(answers) -gt $asked" &&
	detached INT &&
	test_grep "process $child writes to .* until its next call" err &&
	kill -CONT $child &&
	: >stop &&
	wait $pid
'

test_lazy_prereq HIDES 'unshare -rm sh -c "mkdir hidden && mount -t tmpfs none hidden"'

test_expect_success HIDES 'record -p records a program that cannot reach the directory, without its events' '
	rm -f stop &&
	test_when_finished ": >stop" &&
	mkdir -p hidden &&
	{ GIT_TRACE2_CONTROL=1 unshare -rm sh -c "mount -t tmpfs none hidden &&
		exec test-tool trace2 262until stop 3" & } &&
	pid=$! &&
	wait_until may_be_asked $pid &&
	# A SIGINT that comes before the recorder runs is ignored.
	rm -f err &&
	{ trace2 record -o hidden/r -p $pid 2>err & } &&
	recorder=$! &&
	wait_until grep "recording process" err &&
	kill -INT $recorder &&
	wait $recorder &&
	test_grep "process $pid writes no events: it cannot reach the recording" err &&
	test_grep "switched on in 0 of 1 process$" err &&
	stop_daemon
'

test_lazy_prereq SHUTS 'mkdir shut && unshare -rm sh -c "mount --bind shut shut &&
	mount -o remount,bind,ro shut && ! touch shut/file"'

# The program sees the same directory, but read-only. Another target may be on.
test_expect_success SHUTS 'record -p: a program that cannot write into the directory keeps its target' '
	for perf in p0 ""
	do
		rm -rf shut p0 &&
		mkdir shut &&
		start_daemon env GIT_TRACE2_PERF="${perf:+$(pwd)/p0}" unshare -rm sh -c \
			"mount --bind shut shut &&
			mount -o remount,bind,ro shut && exec \"\$@\"" sh &&
		{ trace2 record -o shut/r -p $pid 2>err & } &&
		recorder=$! &&
		until_lines "grep \"process $pid writes no events: Read-only file system\" err" &&
		until_grown e0 &&
		kill -INT $recorder &&
		wait $recorder &&
		test_grep "switched on in 0 of 1 process$" err &&
		test_must_fail ls shut/r/events/* &&
		until_grown e0 &&
		stop_daemon || return 1
	done
'

test_done
