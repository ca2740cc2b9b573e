#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record: the records of the kernel in kernel.data'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"
. "$TEST_DIRECTORY/lib-trace2.sh"

# Print one line for each record that stock perf reads.
records () {
	perf script -i trace2.data/kernel.data --show-task-events \
		--show-switch-events >records 2>err
}

test_expect_success TASKS,PERF_SCRIPT 'states say when each process began, had a CPU and ended' '
	trace2 record -- sh -c "sleep 0.01; :" &&
	records &&
	grep "sh .*PERF_RECORD_COMM exec: sh:" records &&
	grep "PERF_RECORD_FORK" records &&
	grep "sleep .*PERF_RECORD_COMM exec: sleep:" records &&
	grep "sleep .*PERF_RECORD_SWITCH OUT" records &&
	grep "sleep .*PERF_RECORD_SWITCH IN" records &&
	test "$(grep -c "PERF_RECORD_EXIT" records)" = 2
'

# A shell that waits for a sleep, which begins when the shell waits.
write_script waits <<\EOF
{
	until grep -q "^State:.S" /proc/$$/status; do :; done
	exec sleep 0.01
} | cat
:
EOF

test_expect_success WAKERS,PERF_SCRIPT 'record stores the kernel function of each wait, and the process that ended it' '
	trace2 record -- ./waits 2>err &&
	test_grep ! "not recorded" err &&
	jq -e ".states == \"kernel\" and .wait_causes == \"kernel\"" \
		trace2.data/meta.json &&
	perf script -i trace2.data/kernel.data -F comm,tid,event,trace,ip,sym \
		>samples 2>/dev/null &&
	cat=$(sed -n "s/^ *cat *\([0-9]*\) .*/\1/p" samples | sed 1q) &&
	grep "^ *cat .* sched:sched_switch:.* prev_state=S" samples &&
	grep "^ *sleep .*sched:sched_waking:.* comm=cat pid=$cat " samples &&
	grep "_clock_nanosleep\$" samples &&
	grep " t do_wait\$\| T do_wait\$" trace2.data/kernel.symbols &&
	grep "clock_nanosleep" trace2.data/kernel.symbols >names &&
	LC_ALL=C sort -c -s -k 1,1 trace2.data/kernel.symbols
'

# In another pid namespace the machine's threads cannot be told from the command's.
test_lazy_prereq MACHINE '
	test_have_prereq WAKERS &&
	test "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836
'

# A BPF program copies arguments.
test_lazy_prereq EXEC_ARGS '
	test_have_prereq MACHINE &&
	printf "5.17\n%s\n" "$(uname -r)" | sort -VC &&
	trace2 stat -q --syscalls true 2>err &&
	! test -s err
'

# The arguments and the directory of each program whose arguments match.
programs () {
	jq -r "select(.type == \"argv\") | \"\(.argv | join(\" \")): \(.cwd)\"" \
		trace2.data/tasks.jsonl >all &&
	grep "$1" all
}

test_expect_success EXEC_ARGS 'arguments and directory of a program are recorded while the recorder is stopped' '
	write_script paused <<-\EOF &&
	kill -STOP $PPID
	until grep -q "^State:.[Tt]" /proc/$PPID/status; do :; done
	cd / && cat -u /dev/null
	kill -CONT $PPID
	EOF
	trace2 record -- ./paused &&
	test_prints programs "^cat" <<-\EOF &&
	cat -u /dev/null: /
	EOF
	jq -e ".losses | add == 0" trace2.data/meta.json
'

test_lazy_prereq MOUNTS 'unshare -m mount -t tmpfs none .'

test_expect_success EXEC_ARGS,MOUNTS 'directories (below mounts, in a chroot, removed, deep) are the same as in /proc' '
	deep=$("$PERL_PATH" -e "print q(d/) x 600, q(e)") &&
	mkdir -p "a b/c" gone below jail/d "$deep" &&
	cp "$(command -v busybox)" jail &&
	write_script mounted <<-\EOF &&
	mount -t tmpfs none below && mkdir below/m &&
	mount --bind below/m jail/d && cd jail/d && mkdir e && cd e && env true 3
	EOF
	write_script places <<-\EOF &&
	(cd "a b/c" && env true 1)
	(cd gone && rmdir ../gone && env true 2)
	unshare -m ./mounted
	chroot jail /busybox sh -c "cd d && exec /busybox true 4"
	cd $1 && env true 5
	EOF
	trace2 record -q -- ./places "$deep" &&
	test_prints programs "^[/a-z]* true [1-5]:" <<-EOF
	env true 1: $PWD/a b/c
	env true 2: $PWD/gone (deleted)
	env true 3: $PWD/jail/d/e
	/busybox true 4: $PWD/jail/d
	env true 5: $PWD/$deep
	EOF
'

test_expect_success EXEC_ARGS,SECCOMP 'where bpf() is refused, arguments come from /proc, and check gives the reason' '
	write_script held <<-\EOF &&
	mkfifo opened
	(cd / && exec cat -u "$OLDPWD/opened") &
	until grep -q "\"cat\",\"-u\"" trace2.data/tasks.jsonl; do :; done
	: >opened
	wait
	EOF
	denied bpf trace2 record -q -- ./held &&
	test_prints programs "^cat" <<-EOF &&
	cat -u $PWD/opened: /
	EOF
	test_expect_code 0 denied bpf trace2 check --record >out &&
	test_grep "arguments of brief programs *no *not permitted" out
'

write_script outsider <<\EOF
exec >fifo
until grep -q "^State:.S" "/proc/$(cat reader)/status"; do :; done
echo text
EOF

test_expect_success MACHINE 'a waker outside of the recording is named' '
	mkfifo fifo &&
	write_script inside <<-\EOF &&
	exec <fifo
	echo $$ >reader
	exec cat
	EOF
	{ ./outsider & } &&
	trace2 record -- ./inside >out &&
	echo text | test_cmp - out &&
	"$GIT_BUILD_DIR/build/unit/tool-states" trace2.data >dump &&
	jq -e -n "[inputs | select(.by_outside and .cause == \"pipe\").comm] |
		unique == [\"outsider\"]" dump
'

test_expect_success WAKERS 'names of kernel functions are cached until the next boot' '
	cache=$HOME/.cache/trace2/kallsyms &&
	waited () {
		trace2 record -q -- ./waits &&
		grep "$1\$" trace2.data/kernel.symbols
	} &&
	waited do_wait &&
	cp "$cache" good &&
	sed "s/ do_wait\$/ do_wait_again/" good >"$cache" &&
	waited do_wait_again &&
	sed "1s/.\$/x/" "$cache" >other-boot &&
	cp other-boot "$cache" &&
	waited do_wait &&
	test_cmp_bin good "$cache" &&
	head -c 1000000 good >"$cache" &&
	waited do_wait &&
	test_cmp_bin good "$cache"
'

test_expect_success WAKERS 'names of kernel functions are found although the cache is cut short' '
	head -n 20000 good >"$cache" &&
	printf "\0" >>"$cache" &&
	waited schedule
'

test_expect_success ORDINARY_USER,PARANOID_2,PERF_SCRIPT 'refusals to an ordinary user are reported once, with the remedy' '
	mkdir -p user &&
	chmod 777 user &&
	as_ordinary trace2 record -o user/r -- sh -c "sleep 0.01; :" 2>err &&
	grep "not recorded" err >refused &&
	why="No such file or directory (a mounted tracefs" &&
	if grep " /sys/kernel/tracing tracefs " /proc/mounts
	then
		why="Permission denied (access to it"
	fi &&
	test_cmp - refused <<-EOF &&
	trace2 record: not recorded: causes of waits: perf_event_open: Permission denied (kernel.perf_event_paranoid is 2; at most 1, or CAP_PERFMON, is needed); wakers: /sys/kernel/tracing: $why, and CAP_PERFMON, is needed)
	EOF
	jq -e ".states == \"kernel\" and (.wait_causes | test(\"paranoid is 2\")) and (.wakers | test(\"CAP_PERFMON\"))" \
		user/r/meta.json &&
	perf script -f -i user/r/kernel.data --show-switch-events >out &&
	grep "sleep .*PERF_RECORD_SWITCH OUT" out
'

# The kernel shows addresses to those who may profile, unless they are hidden from
# all.
test_lazy_prereq PERFMON_ALONE '
	test "$(cat /proc/sys/kernel/kptr_restrict)" = 0 &&
	chmod a+rx . &&
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps +perfmon \
		--ambient-caps +perfmon ls "$(pwd)"
'

test_expect_success ROOT,PERFMON_ALONE,PARANOID_2 'hidden addresses of functions are reported with the setting that hides them' '
	rm -rf user &&
	mkdir -m 777 user &&
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps +perfmon \
		--ambient-caps +perfmon trace2 record -o user/r -- true 2>err &&
	test_grep "causes of waits: /proc/kallsyms has no addresses (kernel.perf_event_paranoid is 2; at most 1, or CAP_SYSLOG, is needed);" err
'

test_expect_success ORDINARY_USER 'record -q does not report missing addresses' '
	mkdir -p user &&
	chmod 777 user &&
	as_ordinary trace2 record -q -o user/r -- true 2>err &&
	test_must_be_empty err
'

test_expect_success TASKS '--no-states leaves states out' '
	trace2 record --no-states -- true &&
	test_path_is_file trace2.data/tasks.jsonl &&
	test_path_is_missing trace2.data/kernel.data &&
	test_path_is_missing trace2.data/kernel.symbols &&
	jq -e ".states == \"not requested\" and .wakers == .states" \
		trace2.data/meta.json
'

# Records by type, all of them whole.
walked () {
	"$PERL_PATH" "$TEST_DIRECTORY/t3120/records.perl" "$1"
}

# A thread that ends would write its counts into the rings of other CPUs, too.
test_expect_success TASKS,LONG_IS_64BIT 'record -e stores no READ records in kernel.data when threads end' '
	trace2 record -e page-faults -- sh -c "(:) | cat" &&
	walked trace2.data/kernel.data >records &&
	grep SWITCH records &&
	test_grep ! READ records
'

test_expect_success TASKS,LONG_IS_64BIT 'states that were copied before the recorder was killed can be read' '
	test_expect_code 137 trace2 record -- "$PERL_PATH" \
		"$TEST_DIRECTORY/t3120/ping-pong.perl" 30000 kill &&
	jq -e ".state == \"running\"" trace2.data/meta.json &&
	walked trace2.data/kernel.data >records &&
	grep SWITCH records &&
	trace2 list >out &&
	test_expect_code 1 trace2 check >out &&
	test_grep "not finished" out
'

test_expect_success TASKS '--max-size ends the recording of states' '
	trace2 record --max-size 20k -- "$PERL_PATH" \
		"$TEST_DIRECTORY/t3120/ping-pong.perl" 500 2>err &&
	test "$(wc -c <trace2.data/kernel.data)" -lt 40960 &&
	test_grep "kernel.data ends early: --max-size was reached" err &&
	jq -e ".losses.kernel_data > 0 and .lost == .losses.kernel_data" trace2.data/meta.json
'

test_expect_success TASKS,TMPFS,LONG_IS_64BIT 'a full disk ends states at the last whole record' '
	mkdir -p small &&
	write_script on-small-disk <<-\EOF &&
	mount -t tmpfs -o size=64k none small &&
	trace2 record -o small/r -- sh -c "
		i=0
		while test \$i -lt 300
		do
			(:) | cat
			i=\$((i + 1))
		done
	" &&
	cp small/r/kernel.data cut.data
	EOF
	unshare -rm ./on-small-disk 2>err &&
	test_grep "kernel.data. is incomplete: No space left on device" err &&
	test_grep "[1-9][0-9]* lost, exit 0 \]" err &&
	walked cut.data >records &&
	grep SWITCH records
'

test_done
