#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record by ptrace, where everything else is forbidden

A filter of system calls refuses perf_event_open and the process connector, as
in a container. Recorded programs run as without the recorder.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-rows.sh"

test_skip_unless JQ,PERL,SECCOMP

tracees=$GIT_BUILD_DIR/build/hosts/tracees

# A sandbox may forbid ptrace.
test_lazy_prereq PTRACE '"$tracees" tracer'
test_skip_unless PTRACE

# build_leak: a program that loses memory, and says so at its end, not to the
# log of the harness.
build_leak () {
	echo "int main(void) { return !__builtin_malloc(10); }" >lsan.c &&
	"${CC:-cc}" -fsanitize=leak -o lsan lsan.c &&
	test_expect_code 23 env LSAN_OPTIONS= ./lsan
}

test_lazy_prereq LSAN build_leak

contained () {
	"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" all trace2 record "$@"
}

# both CODE COMMAND...: the command ends with CODE and prints the same, alone
# and below ptrace.
both () {
	code=$1 &&
	shift &&
	test_expect_code "$code" "$@" >plain &&
	test_expect_code "$code" trace2 record -q --ptrace -o both -- "$@" >traced &&
	test_cmp plain traced
}

test_expect_success 'ptrace finds all processes with arguments and exit codes' '
	cat >all.sh <<-\EOF &&
	env true one
	(exit 7)
	sh -c "kill -9 \$\$"
	exit 4
	EOF
	test_expect_code 4 contained -o all -- sh ./all.sh 2>err &&
	test_prints rows all <<-\EOF &&
	0 sh ./all.sh: 4
	1 true one: 0
	1 ?: 7
	1 sh -c kill -9 $$: 9
	EOF
	jq -e ".task_source == \"ptrace\" and .exit_codes == \"ptrace\" and
		.task_records == \"kernel\"" all/meta.json &&
	jq -es "[.[] | select(.argv)] | length == 4 and
		all(.cwd == \"$PWD\" and (.exe | startswith(\"/\")))" all/tasks.jsonl &&
	test_grep ! "going on without" err &&
	test_grep ! "exit codes" err
'

test_expect_success TASKS 'perf and the connector are preferred to ptrace, unless --ptrace is given' '
	trace2 record -q -o first -- true &&
	jq -e ".task_source == \"perf\"" first/meta.json &&
	trace2 record --ptrace -o asked -- true 2>err &&
	jq -e ".task_source == \"ptrace\"" asked/meta.json &&
	test_grep "not recorded: states of threads: --ptrace was given" err &&
	test_path_is_missing asked/kernel.data
'

test_expect_success 'record --no-ptrace and stat do not use ptrace' '
	contained -q --no-ptrace -o never -- true &&
	jq -e ".task_source == \"none\"" never/meta.json &&
	denied all \
		trace2 stat -q -- sh -c "grep Tracer /proc/self/status >tracer" &&
	test_grep "TracerPid:.0$" tracer
'

# The tracing thread is faster than the thread that starts it.
test_expect_success STRACE 'record records only the command if ptrace is refused, and says why' '
	test_expect_code 3 strace -o log -e inject=clone,clone3:delay_exit=100000 \
		"$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" ptrace \
		trace2 record --ptrace -o refused -- sh -c "exit 3" 2>err &&
	test_grep "ptrace: Operation not permitted (a seccomp filter, or another tracer?)" err &&
	jq -e ".task_source == \"none\" and .exit_code == 3" refused/meta.json
'

test_expect_success 'options that --ptrace excludes are refused' '
	test_expect_code 2 trace2 record --ptrace --no-ptrace -- true 2>err &&
	test_grep "exclude each other" err &&
	test_expect_code 2 trace2 record --ptrace --profile -- true 2>err &&
	test_grep "ptrace takes no samples" err &&
	test_expect_code 2 trace2 record --ptrace -p $$ 2>err &&
	test_grep "needs a command" err
'

# wait4() counts the command, and the children for which it waited.
test_expect_success 'ptrace: CPU times of all processes add up to those of wait4()' '
	contained -q -o cpu -- sh -c "
		i=0; while test \$i -lt 20000; do i=\$((i + 1)); done; true | env true" &&
	trace2 list --format=json cpu >json &&
	jq -e "(.processes[0].user_ns + .processes[0].system_ns) as \$all |
		([.processes[].cpu_ns] | add) as \$sum |
		(.processes | length == 3) and
		\$sum > \$all * 0.98 and \$sum < \$all * 1.02" json &&
	trace2 report --format=json cpu >json &&
	jq -e "[.. | .ready_ns? // empty] | length > 0" json
'

# The parent looks without starting a process: no process begins or ends then.
test_expect_success 'ptrace: memory of a new process is recorded while no process begins or ends' '
	trace2 record -q --ptrace -o quiet -- "$PERL_PATH" -e "
		defined(my \$pid = fork) or exit 1;
		sleep 1000 if !\$pid;
		for (1 .. 600) {
			open(my \$tasks, q(<), q(quiet/tasks.jsonl)) or next;
			exit !kill(q(TERM), \$pid) if
				grep(/memory.*.pid.:\$pid,/, <\$tasks>);
			select(undef, undef, undef, 0.05);
		}
		kill(q(KILL), \$pid);
		exit 1;
	"
'

test_expect_success 'ptrace: threads, their exec, vfork and daemons run as without ptrace' '
	both 5 "$tracees" threads 200 &&
	both 6 "$tracees" exec &&
	rows both >actual &&
	test_grep "^0 sh -c exit 6: 6$" actual &&
	both 0 "$tracees" vfork &&
	rows both >actual &&
	test_line_count = 6 actual &&
	both 0 "$tracees" daemon &&
	rows both >actual &&
	test_grep " sleep 0.1: 0$" actual
'

test_expect_success 'ptrace: processes started by many threads are all recorded, and none hangs' '
	both 0 "$tracees" forks &&
	jq -e "[.tasks[].code] | length == 161 and
		([.[] | select(. == 3)] | length) == 80" both/meta.json
'

test_expect_success 'ptrace: signals reach their processes' '
	both 0 "$tracees" signals 5000 &&
	both 2 sh -c "trap \"echo hup\" HUP; kill -HUP \$\$; exit 2" &&
	both 0 sh -c "sleep 5 & kill -TERM \$!; wait \$!; echo \$?"
'

test_expect_success 'ptrace: a stopped process stays stopped until it is continued' '
	cat >stops <<-\EOF &&
	sh -c "kill -STOP \$\$; >ran; exit 3" &
	until grep -q "^State:.[Tt]" /proc/$!/status || test -e ran; do :; done
	for i in 1 2 3 4 5 6 7 8 9; do env true; done
	test -e ran && echo early
	kill -CONT $!
	wait $!
	echo $?
	rm ran
	EOF
	both 0 sh ./stops &&
	echo 3 | test_cmp - traced
'

test_expect_success 'ptrace: processes outlive a killed recorder' '
	mkfifo go &&
	{
		trace2 record -q --ptrace -o killed -- sh -c "
			echo \$PPID >parent.new; mv parent.new parent
			read line <go; true | true; echo \$line >went" &
	} &&
	wait_until test -f parent &&
	kill -9 $(cat parent) &&
	test_expect_code 137 wait $! &&
	echo on >go &&
	wait_until test -s went
'

test_expect_success 'ptrace: processes that outlive the command are detached' '
	mkfifo later &&
	trace2 record -q --ptrace --timeout 10ms -o left -- sh -c "
		sh -c \"read line <later; true | true; echo \\\$line >late\" &" &&
	jq -e ".still_running[0].comm == \"sh\"" left/meta.json &&
	echo on >later &&
	wait_until test -s late
'

test_expect_success LSAN 'ptrace: a program with LeakSanitizer is not followed, and finds its leaks' '
	build_leak &&
	contained -o leaks -- \
		env LSAN_OPTIONS= sh -c "./lsan 2>report; echo \$?; true" >out 2>err &&
	echo 23 | test_cmp - out &&
	test_grep "detected memory leaks" report &&
	rows leaks >actual &&
	test_grep "^1 ./lsan: 23$" actual &&
	jq -es "[.[].not_followed | values] == [\"LeakSanitizer\"]" leaks/tasks.jsonl &&
	test_grep "ptrace does not follow this program and what it starts: lsan (LeakSanitizer)" err
'

test_expect_success CC 'ptrace: a program linked with ptrace() is not followed, unless it is sudo' '
	cat >may.c <<-\EOF &&
	#include <stdlib.h>
	#include <sys/ptrace.h>
	int main(int argc, char **argv)
	{
		return argc > 1 ? (int)ptrace(PTRACE_TRACEME) :
				  system("env true; exit 5") >> 8;
	}
	EOF
	"${CC:-cc}" -o tracer may.c &&
	cp tracer sudo &&
	test_expect_code 5 trace2 record -q --ptrace -o may -- ./tracer &&
	echo "0 ./tracer: 5" | test_prints rows may &&
	test_expect_code 5 trace2 record -q --ptrace -o may -- ./sudo &&
	test_prints rows may <<-\EOF
	0 ./sudo: 5
	1 sh -c env true; exit 5: 5
	2 true: 0
	EOF
'

test_expect_success STRACE 'ptrace: strace as the command is not followed, and can trace' '
	test_expect_code 5 contained -q -o traces -- \
		strace -f -o log sh -c "true | true; exit 5" &&
	test_grep execve log &&
	rows traces >actual &&
	test_grep "^0 strace .*: 5$" actual
'

test_done
