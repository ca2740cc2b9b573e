#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='faults: the process is killed; memory, clock or input is bad

The host behaves as without tracing. Earlier lines are whole and readable. Lost
events are counted where that is possible.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

test_skip_unless JQ

# injected SETTING: a host with the shared library under the fault SETTING. With
# a limit of the size of files, lines are written through the C library, where
# faults can be injected; t0506 tests the other writes. Its events are in e, and
# are appended to all.e.
injected () {
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool fault rlimit-fsize 1000000000 \
		env LD_PRELOAD="$inject" "$@" "$hosts/plain" 7 &&
	ended code 7 &&
	if test -f e
	then
		cat e >>all.e
	fi
}

test_expect_success INJECT 'interrupted and partial writes leave whole lines' '
	for how in INJECT_EINTR=2 INJECT_SHORT=10 "INJECT_SHORT=1 INJECT_EINTR=3"
	do
		rm -f e &&
		unharmed GIT_TRACE2_EVENT="$(pwd)/e" \
			test-tool fault rlimit-fsize 1000000000 \
			env LD_PRELOAD="$inject" $how test-tool trace2 016allevents &&
		expect_valid_stream e &&
		test $(lost_in e) = 0 || return 1
	done
'

# Numbers of lines for each error, and of the allocations: with GIT_TEST_LONG all.
lines='"0 5" 1 20 5 1' allocations="$(test_seq 12) 15 20 26 32 40 50 60"
if test_have_prereq EXPENSIVE
then
	lines='"0 1 5 20" "0 1 5 20" "0 1 5 20" "0 1 5 20" "0 1 5 20"'
	allocations=$(test_seq 60)
fi

# ENOSPC, EIO, EDQUOT, EBADF, EINVAL
test_expect_success INJECT 'a disk that fails after some lines keeps those lines whole' '
	: >all.e &&
	eval "set -- $lines" &&
	for errno in 28 5 122 9 22
	do
		afters=$1 &&
		shift &&
		for after in $afters
		do
			injected INJECT_ERRNO=$errno INJECT_AFTER=$after &&
			test_line_count = $after e ||
			{
				echo "it was: $errno after $after"
				return 1
			}
		done || return 1
	done &&
	intact all.e
'

# Each process of all.e may lack some events, but neither the first nor the
# last.
begin_well () {
	if test -s all.e
	then
		trace2_jq "group_by(.sid) | all(
			.[0].event == \"version\" and
			(map(select(.event == \"version\")) | length == 1) and
			.[-1].event == \"atexit\")" all.e
	fi
}

test_expect_success INJECT 'each of the first 60 allocations may fail without harm, one in each run' '
	: >all.e &&
	for nr in $allocations
	do
		injected INJECT_MEMORY_AT=$nr ||
		{
			echo "it was: $nr"
			return 1
		}
	done &&
	begin_well
'

# GIT_TRACE2_DST_DEBUG itself needs no allocation.
test_expect_success INJECT 'a failed allocation at the start leaves a stream or a warning' '
	for nr in $(test_seq 12)
	do
		traced 7 env GIT_TRACE2_DST_DEBUG=1 LD_PRELOAD="$inject" INJECT_MEMORY_AT=$nr \
			"$hosts/plain" 7 >out 2>err &&
		if test -f e
		then
			test_grep "\"atexit\"" e
		else
			echo "warning: trace2: out of memory: nothing is traced" >expect &&
			grep "nothing is traced" err >said &&
			test_cmp expect said &&
			without=$nr
		fi || return 1
	done &&
	test -n "$without"
'

test_expect_success INJECT 'every allocation, or each second, third or fifth, may fail without harm' '
	: >all.e &&
	for every in 1 2 3 5
	do
		injected INJECT_MEMORY=$every || return 1
	done &&
	begin_well
'

test_expect_success INJECT 'a clock that is set back again and again does not change durations' '
	: >all.e &&
	for seconds in 1 3600 1000000
	do
		injected INJECT_BACK=$seconds || return 1
	done &&
	intact all.e &&
	trace2_jq "
		all(.[]; (.t_rel // 0) >= 0 and (.t_abs // 0) >= 0) and
		(group_by(.sid) | length == 3 and all(
			[.[] | select(.thread == \"main\") | .t_abs // empty] |
			. == sort))" all.e
'

test_expect_success INJECT 'a wall clock in the first second of 1970 leaves whole lines' '
	: >all.e &&
	injected INJECT_WALL=1 &&
	intact all.e &&
	test_grep "\"event\":\"region_leave\".*\"time\":\"1970-01-01T00:00:00" all.e
'

# killed SIGNAL NUMBER: all rounds end by it, and the written lines are whole.
rounds=3
test_have_prereq !EXPENSIVE || rounds=150
killed () {
	rm -f e.all &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$PERL_PATH" "$TEST_DIRECTORY/t0508/kill.perl" "$1" $rounds \
		20000 e test-tool trace2 030events 100000000 >actual &&
	echo "$rounds times signal $2" | test_cmp - actual &&
	intact e.all
}

test_expect_success 'setup: the killer does not wait for a program that ends without a line' '
	"$PERL_PATH" "$TEST_DIRECTORY/t0508/kill.perl" KILL 2 20000 e sh -c "exit 3" >actual &&
	echo "2 times code 3" | test_cmp - actual
'

test_expect_success 'SIGKILL at any instruction leaves whole lines' '
	killed KILL 9
'

test_expect_success 'SIGTERM, SIGINT, SIGHUP and SIGABRT leave whole lines' '
	killed TERM 15 &&
	killed INT 2 &&
	killed HUP 1 &&
	killed ABRT 6
'

test_expect_success !INSTRUMENTED 'SIGSEGV leaves whole lines' '
	killed SEGV 11
'

test_expect_success 'a process that records signals has the signal as its last event' '
	GIT_TRACE2_SIGNALS=TERM,INT,HUP,ABRT &&
	export GIT_TRACE2_SIGNALS &&
	test_when_finished "sane_unset GIT_TRACE2_SIGNALS" &&
	for pair in "TERM 15" "INT 2" "HUP 1" "ABRT 6"
	do
		killed $pair &&
		trace2_jq "
			[.[] | select(.event == \"signal\").signo] ==
				[range($rounds) | ${pair#* }] and
			(group_by(.sid) | all(.[-1].event == \"signal\"))" e.all ||
		return 1
	done
'

test_expect_success 'a pending signal is delivered as often as it was sent' '
	for verb in none thread process both
	do
		unharmed GIT_TRACE2=9 GIT_TRACE2_PERF=9 GIT_TRACE2_EVENT=9 \
			"$hosts/handlers" pending-$verb || return 1
	done &&
	echo "handled 2" | test_cmp - traced.out
'

test_expect_success 'timers across a fork: each process reports its own intervals' '
	unharmed GIT_TRACE2_EVENT="$(pwd)/t" "$hosts/forks" timer-runs &&
	intact t &&
	trace2_jq "[.[] | select(.event == \"timer\").intervals] == [1]" t
'

# hostile NAME=VALUE...: run a host in such an environment, traced and not.
hostile () {
	unharmed "$@" GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/p" \
		GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 070fork
}

# Check the streams of all, and remove them.
clean () {
	intact e &&
	cat n p | tr -d "\n\040-\176\200-\377" >controls &&
	test_must_be_empty controls &&
	rm e n p
}

test_expect_success 'a parent SID may be long, have empty parts or control characters' '
	long=$("$PERL_PATH" -e "print join q(/), 1 .. 20000") &&
	newline="
" &&
	for sid in "$long" "a/b" "ab" "a${newline}exit code:0" \
		"$(printf "\001\033[2J\177x")" "\"},{\"event\":\"exit" "%s%n" \
		"$(printf "\377\376")"
	do
		hostile GIT_TRACE2_PARENT_SID="$sid" \
			GIT_TRACE2_PARENT_NAME="$sid" ||
		{
			echo "it was: $sid" | head -c 100
			return 1
		}
	done &&
	clean
'

test_expect_success 'a parent SID leads to no file outside of the directory' '
	mkdir d &&
	for sid in "../../x/../y" "/" "///" ".." "a//b" "../../etc"
	do
		rm -rf d &&
		mkdir d &&
		unharmed GIT_TRACE2_PARENT_SID="$sid" \
			GIT_TRACE2_EVENT="$(pwd)/d" test-tool trace2 001return 0 &&
		ls -A d >actual &&
		test_line_count = 1 actual &&
		test_grep "^20[0-9TZ.]*-H[0-9a-f]*-P[0-9a-f]*\$" actual || return 1
	done
'

test_expect_success 'settings with any value do no harm' '
	big=$("$PERL_PATH" -e "print q(x,) x 30000") &&
	for value in "$big" "-1" "99999999999999999999" "%s" ","
	do
		hostile GIT_TRACE2_EVENT_NESTING="$value" \
			GIT_TRACE2_MAX_FILES="$value" GIT_TRACE2_SIGNALS="$value" \
			GIT_TRACE2_CONFIG_PARAMS="$value" \
			GIT_TRACE2_ENV_VARS="$value" GIT_TRACE2_BRIEF="$value" \
			GIT_TRACE2_REDACT="$value" || return 1
	done &&
	clean
'

test_expect_success 'config files that are malformed, too long or include themselves do no harm' '
	printf "[include]\n\tpath = self\n[trace2]\n\teventTarget = 9\n" >self &&
	printf "[trace2\n\teventTarget = x" >malformed &&
	"$PERL_PATH" -e "print qq([trace2]\n), q(a) x 100000" >long-key &&
	head -c 20000 "$GIT_BUILD_DIR/t/helper/test-tool" >binary &&
	mkdir config-dir &&
	for file in self malformed long-key binary config-dir missing
	do
		hostile GIT_CONFIG_GLOBAL="$(pwd)/$file" \
			GIT_CONFIG_SYSTEM="$(pwd)/$file" GIT_CONFIG_NOSYSTEM=0 || return 1
	done &&
	clean
'

test_expect_success PIPE 'config files that are fifos, devices, endless or huge do no harm' '
	mkfifo config-fifo &&
	truncate -s 100G config-huge &&
	for file in "$(pwd)/config-fifo" /dev/zero /dev/full /dev/tty \
		"$(pwd)/config-huge" /proc/self/mem /proc/self/pagemap
	do
		hostile GIT_CONFIG_GLOBAL="$file" GIT_CONFIG_SYSTEM="$file" \
			GIT_CONFIG_NOSYSTEM=0 || return 1
	done
'

test_expect_success SANITY 'a config file without read permission does no harm' '
	: >secret &&
	chmod 0 secret &&
	hostile GIT_CONFIG_GLOBAL="$(pwd)/secret" &&
	clean
'

test_done
