#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='settings change while the program runs'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-build.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

# With GIT_TEST_LONG, set by `make check`, as often as is promised.
times=2
test_have_prereq !EXPENSIVE || times=1000

# begin [WITHOUT [VERB THREADS]]: three threads emit until the file `stop` exists;
# their pid is in `pid`.
begin () {
	rm -rf stop pid e* d r &&
	{
		(
			sh -c "echo \$\$ >pid.new && mv pid.new pid &&
				exec test-tool trace2 ${2-262until} stop ${3-3}"
			echo $? >code
		) &
	} &&
	wait_until test -s pid &&
	pid=$(cat pid) &&
	{ test -n "$1" || wait_until has_page; }
}

has_page () {
	ls -l "/proc/$pid/fd" >fds && grep -q trace2-control fds
}

end () {
	: >stop &&
	wait &&
	test "$(cat code)" = 0
}

# Set $page to the page that $pid shares. The library makes it at a low descriptor
# and moves it to a high one: for a moment there are both.
find_page () {
	wait_until has_one_page &&
	page=/proc/$pid/fd/$page
}

has_one_page () {
	ls -l "/proc/$pid/fd" >fds &&
	page=$(sed -n "s/.* \([0-9][0-9]*\) -> .*trace2-control.*/\1/p" fds) &&
	test "${page:-0}" -gt 99 2>/dev/null
}

# until_grown FILE: wait until lines come.
until_grown () {
	wait_until test -s "$1"
}

# until_data FILE: wait for an event of a worker; the first lines are others.
until_data () {
	wait_until grep -q -s "\"event\":\"data\"" "$1"
}

# one_after_the_other: the numbers of each key have no gaps.
one_after_the_other () {
	awk '
		$1 in last && $2 != last[$1] + 1 {
			print "missing before: " $0
			bad = 1
		}
		{ last[$1] = $2 }
		END { exit bad || !NR }'
}

GIT_TRACE2_CONTROL=1
export GIT_TRACE2_CONTROL

test_expect_success 'tracing switched on and off is a complete session with start and end' '
	begin &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e1" GIT_TRACE2_PERF="$(pwd)/e2" &&
	until_data e1 &&
	trace2 set -p $pid GIT_TRACE2_EVENT=0 GIT_TRACE2_PERF=0 &&
	cp e1 copy &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e3" &&
	until_grown e3 &&
	end &&
	test_cmp copy e1 &&
	for file in e1 e2 e3
	do
		no_problems $file || return 1
	done &&
	jq -r "select(.event == \"start\").argv[1:3] | join(\" \")" e1 >actual &&
	echo "trace2 262until" | test_cmp - actual &&
	jq -r .sid e1 e3 | sort -u >sids &&
	test_line_count = 2 sids &&
	daemon_values e1 | one_after_the_other &&
	test_grep ! "\"error\"" e1 e3 &&
	jq -r "select(.event == \"counter\" and .name == \"steps\").count" e1 >actual &&
	test_line_count = 1 actual
'

test_expect_success 'trace2 set --reopen --flush makes the program reopen and flush' '
	begin &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e1" &&
	until_data e1 &&
	mv e1 e1.old &&
	trace2 set -p $pid --reopen --flush &&
	until_grown e1 &&
	end &&
	cat e1.old e1 >both &&
	no_problems both &&
	daemon_values both | one_after_the_other &&
	test_grep "counter_so_far.*steps" both
'

test_expect_success "three threads lose no event if tracing is switched on, rotated and off $times times" '
	begin &&
	i=0 &&
	while test $i -lt $times
	do
		i=$((i + 1)) &&
		trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e" &&
		until_data e &&
		mv e e.1 &&
		trace2 set -p $pid --reopen &&
		until_grown e &&
		trace2 set -p $pid GIT_TRACE2_EVENT=0 &&
		cat e.1 e >both &&
		daemon_values both | one_after_the_other &&
		no_problems both &&
		rm e e.1 both || return 1
	done &&
	end
'

test_expect_success "streams stay valid if tracing is switched on and off $times times during calls" '
	begin "" 263kinds_until 4 &&
	i=0 &&
	while test $i -lt $times
	do
		i=$((i + 1)) &&
		trace2 set --timeout=1d -p $pid GIT_TRACE2_EVENT="$(pwd)/e" \
			GIT_TRACE2_PERF="$(pwd)/e2" &&
		until_grown e &&
		trace2 set --timeout=1d -p $pid GIT_TRACE2_EVENT=0 &&
		trace2 set --timeout=1d -p $pid GIT_TRACE2_PERF=0 &&
		no_problems e &&
		rm e e2 || return 1
	done &&
	end
'

test_lazy_prereq SCOPE '
	test_have_prereq !INSTRUMENTED,!MUSL &&
	cp "$GIT_BUILD_DIR/build/modules/bare-ptrace-scope.so" scope.so &&
	env LD_PRELOAD=./scope.so true 2>err &&
	test_must_be_empty err &&
	cp scope.so "$TRASH_DIRECTORY"
'

test_expect_success SCOPE 'trace2 set reaches a process that ptrace may not write to, also after a target failed' '
	echo 1 >scope &&
	LD_PRELOAD=./scope.so &&
	export LD_PRELOAD &&
	begin &&
	sane_unset LD_PRELOAD &&
	trace2 set -p $pid GIT_TRACE2_EVENT=/dev/full &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e1" &&
	until_grown e1 &&
	mv e1 e1.old &&
	trace2 set -p $pid --reopen &&
	until_grown e1 &&
	trace2 set -p $pid GIT_TRACE2_EVENT=0 &&
	end &&
	cat e1.old e1 >both &&
	no_problems both
'

test_expect_success SCOPE 'names of threads are recorded in a process that ptrace may not write to' '
	echo 1 >scope &&
	rm -f e &&
	env LD_PRELOAD=./scope.so GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 call pthread_create worker &&
	test_grep "\"thread\":\"th01:worker\"" e
'

test_expect_success 'trace2 set refuses all settings if one of them is invalid or must not change' '
	begin &&
	while read setting why
	do
		test_expect_code 128 trace2 set -p $pid GIT_TRACE2_PERF="$(pwd)/e" \
			"$setting" 2>err &&
		test_grep "process $pid refuses $why" err || return 1
	done <<-\EOF &&
	GIT_TRACE2_RING=/tmp/r GIT_TRACE2_RING: it cannot change
	GIT_TRACE2_SAMPLE=x GIT_TRACE2_SAMPLE: it cannot change
	GIT_TRACE2_EVENT=5 GIT_TRACE2_EVENT: .5. is neither an absolute path
	GIT_TRACE2_EVENT=relative GIT_TRACE2_EVENT: .relative. is neither
	GIT_TRACE2_EVENT_NESTING=-1 GIT_TRACE2_EVENT_NESTING: .-1. is not a valid value
	GIT_TRACE2_EVENT_BRIEF=perhaps GIT_TRACE2_EVENT_BRIEF: .perhaps. is not
	OTHER=1 .OTHER.: it is not one of its settings$
	GIT_TRACE2_EVNT=/e .GIT_TRACE2_EVNT.: .* Did you mean .GIT_TRACE2_EVENT.
	EOF
	test_path_is_missing e &&
	test_expect_code 128 trace2 set -p $pid GIT_TRACE2_EVENT=/no/such/dir/e 2>err &&
	test_grep "No such file or directory" err &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e" &&
	until_grown e &&
	end &&
	no_problems e
'

test_expect_success 'a process continues with the targets that it can open, and trace2 set fails' '
	begin &&
	test_expect_code 128 trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e1" \
		GIT_TRACE2_PERF=/no/such/dir/e 2>err &&
	test_grep "cannot open a target: No such file" err &&
	until_data e1 &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e2" &&
	until_data e2 &&
	end
'

test_expect_success 'a control page full of garbage does not harm the program' '
	begin &&
	find_page &&
	test_must_fail truncate -s 0 "$page" &&
	dd if=/dev/urandom of="$page" bs=4096 count=1 conv=notrunc 2>/dev/null &&
	test_expect_code 128 trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e" &&
	end
'

test_expect_success 'trace2 set fails for a process without GIT_TRACE2_CONTROL, and for a missing process' '
	sane_unset GIT_TRACE2_CONTROL &&
	begin without &&
	test_expect_code 128 trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/e" 2>err &&
	test_grep "takes no settings" err &&
	end &&
	test_expect_code 128 trace2 set -p $pid --reopen 2>err &&
	test_grep "no process" err
'

cat >overwritten.c <<'EOF'
#include <stdio.h>
#include <time.h>
#include "trace2.h"

/* What a call does that has just seen no request: the word that a request has
 * stored meanwhile is lost. Once; then call until tracing is on. */
int main(void)
{
	static const struct timespec a_while = { 0, 1000000 };

	trace2_initialize();
	puts("ready");
	fflush(stdout);
	while (__atomic_load_n(&trace2_enabled_, __ATOMIC_RELAXED) >= 0)
		nanosleep(&a_while, NULL);
	__atomic_store_n(&trace2_enabled_, 0, __ATOMIC_RELAXED);
	do {
		nanosleep(&a_while, NULL);
		trace2_data_intmax("c", NULL, "called", 1);
	} while (trace2_enabled_ != 1);
	return 0;
}
EOF

# If Yama refuses access, nothing is stored.
test_expect_success CC,!INSTRUMENTED 'a request of trace2 set is obeyed even if the program overwrites trace2_enabled_' '
	build "$CC" overwritten.c -std=gnu11 &&
	mkfifo ready &&
	{ GIT_TRACE2_CONTROL=1 ./program >ready & } &&
	read -r answer <ready &&
	{ trace2 set -p $! GIT_TRACE2_EVENT="$(pwd)/taken" ||
	  { kill $!; false; }; } &&
	wait $! &&
	test_grep "\"key\":\"called\"" taken
'

cat >main_gone.c <<'EOF'
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "trace2.h"

static void *emit(void *unused)
{
	prctl(PR_SET_NAME, "io-worker");
	for (; access("stop", F_OK); usleep(1000))
		trace2_data_intmax("c", NULL, "called", 1);
	return unused;
}

int main(void)
{
	pthread_t thread;

	trace2_initialize();
	if (!pthread_create(&thread, NULL, emit, NULL))
		pthread_exit(NULL);
	return 1;
}
EOF

test_expect_success CC,!INSTRUMENTED 'a process whose main thread has ended obeys requests' '
	rm -f stop &&
	test_when_finished ": >stop" &&
	build "$CC" main_gone.c -std=gnu11 &&
	{ GIT_TRACE2_CONTROL=1 ./program & } &&
	pid=$! &&
	wait_until grep -q "^State:.Z" /proc/$pid/status &&
	trace2 set -p $pid GIT_TRACE2_EVENT="$(pwd)/without_main" &&
	until_grown without_main &&
	: >stop &&
	wait $pid &&
	test_grep "\"key\":\"called\"" without_main
'

test_expect_success CC,!INSTRUMENTED 'a thread that began before tracing is recorded under its kernel name' '
	sed -n "s/.*\"event\":\"\([^\"]*\)\".*\"thread\":\"th01:io-worker\".*/\1/p" \
		without_main | uniq >actual &&
	test_write_lines thread_start data thread_exit | test_cmp - actual
'

cat >busy.h <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "trace2.h"

static void sink(const struct trace2_event *event, void *unused)
{
	(void)unused;
	if (strcmp(event->thread, "th01:busy"))
		return;
	close(creat("inside", 0600));
	while (access("go", F_OK))
		usleep(1000);
}

static void *be_busy(void *unused)
{
	trace2_thread_start("busy");
	return unused;
}
EOF

cat >busy.c <<'EOF'
#include "busy.h"

/* One thread is in a call until the file exists, the other one takes requests. */
int main(void)
{
	const struct trace2_options options = {
		.flags = TRACE2_CONTROL | TRACE2_MORE_OPTIONS, .sink = sink
	};
	pthread_t thread;

	trace2_initialize_with(&options);
	if (pthread_create(&thread, NULL, be_busy, NULL))
		return 1;
	for (; access("stop", F_OK); usleep(1000))
		trace2_data_intmax("c", NULL, "called", 1);
	return pthread_join(thread, NULL);
}
EOF

# The process has answered NUMBER requests.
has_answered () {
	od -An -tu4 -j28 -N4 "$page" >nr &&
	read -r answered <nr &&
	test "$answered" -ge "$1"
}

# The command gives up while the process waits for the thread. On a busy machine
# the process may not have looked by then.
gives_up () {
	! trace2 set --timeout=200ms -p "$pid" GIT_TRACE2_EVENT="$(pwd)/busy" 2>err &&
	grep "writing for too long: try again" err
}

test_expect_success CC,!INSTRUMENTED 'trace2 set waits for a thread that stays long in a call' '
	rm -f stop go inside &&
	test_when_finished ": >go; : >stop" &&
	build "$CC" busy.c -std=gnu11 &&
	{ ./program & } &&
	pid=$! &&
	find_page &&
	wait_until test -e inside &&
	wait_until gives_up &&
	{ trace2 set --timeout=1d -p $pid GIT_TRACE2_EVENT="$(pwd)/busy" & } &&
	set=$! &&
	wait_until has_answered 3 &&
	test_path_is_missing busy &&
	: >go &&
	wait $set &&
	: >stop &&
	wait $pid &&
	test_grep "\"key\":\"called\"" busy
'

cat >beside.c <<'EOF'
#include "busy.h"

/* At full speed the program takes the CPUs for seconds: make check does. */
static void rest(void)
{
	const char *is_long = getenv("GIT_TEST_LONG");

	if (!is_long || !*is_long)
		usleep(5000);
}

static void *nest(void *key)
{
	int nr;

	for (nr = 0; access("stop", F_OK); nr++) {
		trace2_region_enter("c", "outer", NULL);
		trace2_data_intmax("c", NULL, key, nr);
		trace2_region_enter("c", "inner", NULL);
		trace2_region_leave("c", "inner", NULL);
		trace2_region_leave("c", "outer", NULL);
		rest();
	}
	return NULL;
}

/* While one thread is in a call until a file exists, two others enter and leave
 * regions, of which one may take a request, and the first one forks. */
int main(void)
{
	const struct trace2_options options = {
		.flags = TRACE2_CONTROL | TRACE2_MORE_OPTIONS, .sink = sink
	};
	char keys[2][4] = { "nr0", "nr1" };
	pthread_t busy, nesting[2];
	int nr;

	trace2_initialize_with(&options);
	if (pthread_create(&busy, NULL, be_busy, NULL))
		return 1;
	while (access("inside", F_OK))
		usleep(1000);
	for (nr = 0; nr < 2; nr++)
		if (pthread_create(&nesting[nr], NULL, nest, keys[nr]))
			return 1;
	for (nr = 0; access("stop", F_OK); nr++) {
		if (!fork()) {
			trace2_data_intmax("c", NULL, "child", nr);
			exit(0);
		}
		wait(NULL);
		rest();
	}
	printf("%d\n", nr);
	return pthread_join(busy, NULL) || pthread_join(nesting[0], NULL) ||
	       pthread_join(nesting[1], NULL);
}
EOF

test_expect_success CC,!INSTRUMENTED 'other threads and children lose nothing while a request waits for a thread' '
	rm -f stop go inside &&
	test_when_finished ": >go; : >stop" &&
	build "$CC" beside.c -std=gnu11 &&
	{ GIT_TRACE2_EVENT="$(pwd)/before" \
		./program >forked & } &&
	pid=$! &&
	find_page &&
	wait_until grep -q -s "\"key\":\"child\"" before &&
	{ trace2 set --timeout=1d -p $pid GIT_TRACE2_EVENT="$(pwd)/after" & } &&
	set=$! &&
	wait_until has_answered 8 &&
	: >go &&
	wait $set &&
	wait_until grep -q -s "\"key\":\"child\"" after &&
	: >stop &&
	wait $pid &&
	cat before after >both &&
	grep -c "\"key\":\"child\"" both >told &&
	test_cmp forked told &&
	sed -n "s/.*\"key\":\"\(nr.\)\",\"value\":\"*\([0-9]*\).*/\1 \2/p" \
		before >numbers &&
	test_line_count -gt 8 numbers &&
	one_after_the_other <numbers &&
	jq -r "select(.event == \"region_enter\").nesting" before | sort -u >nested &&
	test_write_lines 1 2 | test_cmp - nested
'

test_done
