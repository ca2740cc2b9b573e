#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='programs that run for long: files are rotated, metrics are flushed'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-build.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

# With GIT_TEST_LONG, set by `make check`, as often as is promised.
times=50
test_have_prereq !EXPENSIVE || times=1000

# nothing_missing: the numbers of each key, in the order of the lines, are 0 1 2 …
nothing_missing () {
	awk '$2 != next_[$1]++ { print "missing before: " $0; bad = 1 }
		END { exit bad || !NR }'
}

# valid FILE: no error; a part of a session may lack its end.
valid () {
	trace2 check "$1" >valid || test_grep ": 0 kinds of error, 1 of warning\$" valid
}

test_expect_success 'reopen: later lines go into a new file, marked as part 2' '
	GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_PERF="$(pwd)/p" \
	GIT_TRACE2="$(pwd)/n" GIT_TRACE2_BRIEF=1 GIT_TRACE2_PERF_BRIEF=1 \
		test-tool trace2 261steps step move:"$(pwd)/e" move:"$(pwd)/p" \
			move:"$(pwd)/n" reopen step >out &&
	echo "reopen: 0" | test_cmp - out &&
	echo "main 0" | test_prints daemon_values e.old &&
	echo "main 1" | test_prints daemon_values e &&
	head -n 1 e >first &&
	jq -r "[.event, .thread, .evt, .exe, .part] | tostring" first >actual &&
	echo "[\"version\",\"main\",\"4\",\"test-tool 1.0\",2]" | test_cmp - actual &&
	echo "version test-tool 1.0 part:2" | test_prints head -n 1 n &&
	head -n 1 p >actual &&
	test_grep "| version .* test-tool 1.0 part:2\$" actual &&
	head -n 1 e.old >first &&
	test_grep ! part first
'

# The attributes of a span have no secrets by the time that it is written.
test_expect_success 'reopen: secrets are redacted in the version event of the new file' '
	GIT_TRACE2_EVENT="$(pwd)/secret" TEST_TOOL_AS_GIT="1.0 https://me:hunter2@host/" \
		test-tool trace2 261steps span move:"$(pwd)/secret" reopen step &&
	head -n 1 secret >first &&
	test_grep "\"exe\":\"1.0 https://me:<REDACTED>@host/\",\"part\":2}" first
'

test_expect_success 'reopen: each file passes trace2 check, and both together are one session' '
	for file in e e.old p p.old
	do
		valid "$file" || return 1
	done &&
	for format in e p
	do
		cat $format.old $format >both.$format &&
		trace2 check both.$format >out &&
		test_grep "^1 session, .*: no problems\$" out &&
		trace2 report --regions --format=json both.$format >report &&
		test_grep "\"calls\":2,.*daemon/step" report || return 1
	done
'

test_expect_success 'reopen without a rotation does nothing' '
	traced test-tool trace2 261steps step reopen step &&
	no_problems e &&
	test_grep ! "\"part\"" e &&
	daemon_values e | nothing_missing
'

test_expect_success 'reopen creates the file of the session again in a directory' '
	mkdir d &&
	GIT_TRACE2_EVENT="$(pwd)/d" test-tool trace2 261steps step \
		"sh:mkdir old && mv d/* old/" reopen step &&
	ls d >actual &&
	ls old >expect &&
	test_line_count = 1 expect &&
	test_cmp expect actual &&
	cat old/* d/* >e &&
	no_problems e &&
	daemon_values e | nothing_missing
'

test_expect_success 'reopen after the directory was moved away: an error event, and no new directory' '
	rm -rf d old &&
	mkdir d &&
	GIT_TRACE2_EVENT="$(pwd)/d" test-tool trace2 261steps step \
		"sh:mv d old" reopen step >out &&
	echo "reopen: 1" | test_cmp - out &&
	test_path_is_missing d &&
	cat old/* >e &&
	echo "trace2: cannot open the event target again: No such file or directory" |
	test_prints jq -r "select(.event == \"error\").msg" e &&
	daemon_values e | nothing_missing
'

test_expect_success 'a forked child does not recreate a trace directory that was moved away' '
	rm -rf d old &&
	mkdir d &&
	GIT_TRACE2_EVENT="$(pwd)/d" test-tool trace2 261steps step \
		"sh:mv d old" fork step &&
	test_path_is_missing d &&
	cat old/* >e &&
	daemon_values e | nothing_missing
'

test_expect_success 'reopen of a file that cannot be opened: an error event, and the old file continues' '
	rm -f e &&
	mkdir sub &&
	GIT_TRACE2_EVENT="$(pwd)/sub/e" test-tool trace2 261steps step \
		"sh:mv sub gone" reopen step "sh:mkdir sub" reopen step >out &&
	printf "reopen: %d\n" 1 0 | test_cmp - out &&
	echo "trace2: cannot open the event target again: No such file or directory" |
	test_prints jq -r "select(.event == \"error\").msg" gone/e &&
	daemon_values gone/e sub/e | nothing_missing
'

test_expect_success 'reopen opens a target again if the descriptor was closed' '
	traced test-tool trace2 261steps step close reopen step &&
	no_problems e &&
	daemon_values e | nothing_missing &&
	jq -r "select(.event == \"version\").part" e >actual &&
	printf "null\n2\n" | test_cmp - actual
'

test_expect_success 'reopen continues to write to a target that is a descriptor number' '
	GIT_TRACE2_EVENT=5 test-tool trace2 261steps step reopen step 5>e >out &&
	test_grep "^reopen: 0$" out &&
	no_problems e &&
	daemon_values e | nothing_missing
'

test_expect_success 'reopen ends a partial line that another process left in the new file' '
	traced test-tool trace2 261steps step \
		move:"$(pwd)/e" "sh:printf torn >e" reopen step &&
	echo torn | test_prints sed -n 1p e &&
	sed 1d e >rest &&
	no_problems rest
'
unchecked 'has a torn line' e

test_expect_success "no line of three threads is lost or torn while files rotate $times times" '
	mkdir r &&
	GIT_TRACE2_EVENT="$(pwd)/r/e" GIT_TRACE2_EVENT_NESTING=10 \
		test-tool trace2 260rotate "$(pwd)/r/e" $times 3 &&
	ls r >files &&
	test_line_count = $((times + 1)) files &&
	set -- &&
	i=1 &&
	while test $i -le $times
	do
		set -- "$@" r/e.$i &&
		i=$((i + 1)) || return 1
	done &&
	cat "$@" r/e >e &&
	daemon_values e | nothing_missing &&
	no_problems e &&
	valid r/e.$times &&
	rm -r r
'

test_expect_success 'flush emits the metrics so far, and the totals at the end do not change' '
	traced test-tool trace2 261steps step step flush step flush &&
	no_problems e &&
	jq -r "select(.key // \"\" | endswith(\"so_far\")) |
		[.category, .key, (.value | .category, .name, .unit, .count, .last)] |
		tostring" e >actual &&
	cat >expect <<-\EOF &&
	["trace2","distribution_so_far","tool","size","bytes",1,null]
	["trace2","timer_so_far","daemon","step",null,2,null]
	["trace2","counter_so_far","daemon","steps",null,2,null]
	["trace2","gauge_so_far","daemon","level",null,null,3]
	["trace2","distribution_so_far","tool","size","bytes",2,null]
	["trace2","timer_so_far","daemon","step",null,3,null]
	["trace2","counter_so_far","daemon","steps",null,3,null]
	["trace2","gauge_so_far","daemon","level",null,null,3]
	EOF
	sort expect >expect.sorted &&
	sort actual >actual.sorted &&
	test_cmp expect.sorted actual.sorted &&
	jq -r "select(.event == \"counter\") | .name + \" \" + (.count | tostring)" e >actual &&
	echo "steps 3" | test_cmp - actual
'

cat >jumps.c <<'EOF'
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <trace2.h>

TRACE2_COUNTER(counter, "c", "c", 0);
static sigjmp_buf begin;
static volatile sig_atomic_t is_inside;

static void jump(int signo)
{
	(void)signo;
	if (is_inside)
		siglongjmp(begin, 1);
}

/* A handler jumps out of 100 calls. */
int main(void)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } };
	volatile int jumps = 0;

	trace2_initialize();
	trace2_counter_add(counter, 1);
	signal(SIGALRM, jump);
	setitimer(ITIMER_REAL, &often, NULL);
	while (jumps < 100) {
		if (sigsetjmp(begin, 1))
			jumps++;
		is_inside = 1;
		trace2_flush();
		is_inside = 0;
	}
	often.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	trace2_data_string("c", NULL, "mark", "x");
	trace2_flush();
	return 0;
}
EOF

test_expect_success CC,!INSTRUMENTED 'flush works after a signal handler jumped out of an earlier flush' '
	build "$CC" jumps.c -std=gnu11 &&
	GIT_TRACE2_EVENT="$PWD/jumped" ./program &&
	sed "1,/\"mark\"/d" jumped >behind &&
	test_grep "\"key\":\"counter_so_far\"" behind
'

test_done
