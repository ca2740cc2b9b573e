#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record: a command, its events and its processes

The command runs as without the recorder. Its events are in DIR/events, the
records of the kernel on its processes in DIR/tasks.jsonl, and its result in
DIR/meta.json. t3101 has the tests of --listen.
'

. ./test-lib.sh

SQ=\'

test_skip_unless JQ

# The kernel reports processes, and all exit codes. A sandbox may forbid either.

# sum FILE: print the last line of trace2 record, without numbers that differ
# from run to run.
sum () {
	tail -n 1 "$1" | sed 's/[0-9.]* [KM]*i*B/SIZE/'
}

# tasks DIR [SOURCE]: print the processes and how they ended, one per line.
tasks () {
	jq -r '.tasks[] | "\(.comm) \(.code // .signal // "unknown")"' \
		"$1/meta.json"
}

# A process that has reached the line where it waits reports so on descriptor 9.
ready_pipe () {
	rm -f ready &&
	mkfifo ready &&
	exec 9<>ready
}
wait_ready () {
	read -r line <&9 && test "$line" = ready
}

wait_stopped () {
	wait_until grep "^State:.T" "/proc/$1/status"
}

# background COMMAND...: run it with the signals that a shell ignores in
# background processes; its pid is then in $pid, its errors in err.
background () {
	{ "$PERL_PATH" -e '$SIG{$_} = "DEFAULT" for qw(INT QUIT); exec @ARGV' \
		"$@" 2>err 9>&- & } &&
	pid=$!
}

test_expect_success 'record: the command keeps its output and its exit code' '
	test_expect_code 3 trace2 record -- \
		sh -c "echo to out; echo to err >&2; cat; exit 3" \
		>out 2>err <<-\EOF &&
	from in
	EOF
	test_write_lines "to out" "from in" | test_cmp - out &&
	cat >expect <<-\EOF &&
	to err
	[ trace2 record: 2 processes, SIZE -> trace2.data; exit 3 ]
	EOF
	{ head -n 1 err && sum err; } >actual &&
	if test_have_prereq TASKS
	then
		test_cmp expect actual
	fi &&
	jq -e --arg host "$(uname -n)" --arg kernel "$(uname -srv)" \
		--arg machine "$(uname -m)" \
		"(.command | .[0:2]) == [\"sh\", \"-c\"] and .exit_code == 3 and
		.host == \$host and .kernel == \$kernel and .machine == \$machine and
		.state == \"complete\" and .lost == 0" trace2.data/meta.json
'

test_expect_success GIT 'events of real Git commands are recorded' '
	test_when_finished "rm -rf repo copy" &&
	git init -q repo &&
	test_commit -C repo one &&
	trace2 record -o git.data -- git clone -q --no-local repo copy 2>err &&
	ls git.data/events >files &&
	test_file_not_empty files &&
	cat git.data/events/* >all &&
	jq -r "select(.event == \"start\") | .argv[0:2] | join(\" \")" all \
		>starts &&
	test_grep "^git clone$" starts &&
	test_grep "upload-pack" starts &&
	lines=$(wc -l <all) &&
	jq -e ".events == $lines and .event_bytes == $(wc -c <all)" git.data/meta.json &&
	test_grep " $lines events, " err
'

test_expect_success GIT 'Git settings of the user do not affect the recording' '
	test_when_finished "rm -f .gitconfig && rm -rf elsewhere" &&
	mkdir elsewhere &&
	>elsewhere/1 &&
	git config --global trace2.eventBrief true &&
	git config --global trace2.maxFiles 1 &&
	git config --global trace2.eventTarget "$PWD/elsewhere" &&
	GIT_TRACE2_EVENT_BRIEF=1 GIT_TRACE2_EVENT="$PWD/elsewhere" \
		trace2 record -o git.data -- git version &&
	cat git.data/events/* >all &&
	jq -s -e "all(has(\"file\") and has(\"time\"))" all &&
	echo 1 | test_prints ls elsewhere
'

test_expect_success !UNDER_VALGRIND 'record changes only TRACEPARENT and its GIT_TRACE2 variables for the command' '
	cat >show <<-\EOF &&
	for (sort keys %ENV) {
		print "$_=$ENV{$_}\n" if !/^(_|TRACEPARENT)$/ && /^GIT_TRACE2/ == $ARGV[0];
	}
	EOF
	odd="with
a newline" &&
	GIT_TRACE2_EVENT_BRIEF=yes ODD="$odd" "$PERL_PATH" show 0 >expect &&
	GIT_TRACE2_EVENT_BRIEF=yes ODD="$odd" \
		trace2 record -- "$PERL_PATH" show 0 >actual &&
	test_cmp expect actual &&
	test_grep "^a newline" actual &&
	GIT_TRACE2_EVENT_BRIEF=yes GIT_TRACE2_PARENT_SID=kept \
		trace2 record --nest 7 -- "$PERL_PATH" show 1 >actual &&
	test_cmp - actual <<-EOF
	GIT_TRACE2_EVENT=$(pwd -P)/trace2.data/events
	GIT_TRACE2_EVENT_BRIEF=0
	GIT_TRACE2_EVENT_NESTING=7
	GIT_TRACE2_MAX_FILES=0
	GIT_TRACE2_PARENT_SID=kept
	EOF
'

# The thread sanitizer has a thread, for which the C library handles a signal
# that the parent ignored.
test_expect_success !SANITIZE_THREAD,!UNDER_VALGRIND 'record keeps descriptors, limits, masks and signal handlers for the command' '
	cat >odd <<-\EOF &&
	use POSIX;
	$SIG{$_} = "IGNORE" for qw(HUP CHLD PIPE);
	sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGINT, SIGALRM));
	exec @ARGV;
	EOF
	set -- grep -e "^Sig[BIC]" -e "^Groups" /proc/self/status &&
	"$PERL_PATH" odd "$@" >expect &&
	"$PERL_PATH" odd trace2 record -- "$@" >actual &&
	test_cmp expect actual &&
	"$PERL_PATH" odd trace2 record --listen s.sock -- "$@" >actual &&
	test_cmp expect actual &&
	set -- sh -c "cat /proc/self/limits; ls /proc/self/fd" &&
	"$@" >expect &&
	trace2 record -- "$@" >actual &&
	test_cmp expect actual &&
	trace2 record --listen s.sock -- "$@" >actual &&
	test_cmp expect actual
'

# HUP INT QUIT, USR1, USR2 PIPE, TERM, CHLD CONT, TSTP TTIN TTOU, XFSZ.
test_expect_success !UNDER_VALGRIND 'the recorder blocks the signals that it forwards, and no others' '
	trace2 record -o blocked -- sh -c "cat /proc/\$PPID/status" >status &&
	echo 13b5a07 | test_prints sed -n "s/^SigBlk:.0*//p" status
'

test_expect_success 'a command that is missing or cannot be run is reported as by a shell' '
	rm -rf nothing &&
	test_expect_code 127 trace2 record -o nothing -- no-such-command \
		2>actual &&
	echo "trace2: cannot run ${SQ}no-such-command${SQ}: command not found" \
		>expect &&
	test_cmp expect actual &&
	test_expect_code 127 trace2 record -o nothing -- ./no-such-file &&
	test_expect_code 126 trace2 record -o nothing -- / 2>actual &&
	test_grep "Is a directory" actual &&
	>plain &&
	test_expect_code 126 trace2 record -o nothing -- ./plain 2>actual &&
	test_grep "Permission denied" actual &&
	mkdir in-path && >in-path/plain &&
	test_expect_code 126 env PATH="$PWD/in-path:$PATH" \
		trace2 record -o nothing -- plain 2>actual &&
	test_grep "Permission denied" actual &&
	test_path_is_missing nothing
'

test_expect_success !MUSL 'a script without #! runs as from a shell' '
	echo "exit 5" >script &&
	chmod +x script &&
	test_expect_code 5 trace2 record -- ./script
'

test_expect_success 'record without a command prints the usage, and creates nothing' '
	rm -rf nothing &&
	test_expect_code 2 trace2 record -o nothing &&
	test_expect_code 2 trace2 record -o nothing --nest 0 -- true &&
	test_path_is_missing nothing
'

test_expect_success 'record exits with 128 + the signal that killed the command' '
	test_expect_code 137 trace2 record -- sh -c "kill -9 \$\$" 2>err &&
	test_grep "; exit 137 (SIGKILL) ]" err &&
	jq -e ".exit_signal == 9 and .tasks[0].signal == 9 and
		(has(\"exit_code\") | not)" trace2.data/meta.json
'

test_expect_success TASKS 'processes that are not instrumented have exact times' '
	trace2 record -- sh -c "sh -c \"exit 7\"; true" &&
	jq -s -c "(map(.time_ns) | if . == sort then \"in order\" else . end), (.[] |
		select(.type != \"argv\" and .type != \"status\") | del(.time_ns))" \
		trace2.data/tasks.jsonl >records &&
	jq -r "[.start_monotonic_ns, .tasks[0].start_ns, .tasks[1].start_ns,
			.tasks[1].end_ns, .tasks[0].end_ns, .end_monotonic_ns] as \$times |
		\"\(.recorder_pid) \(.tasks[0].pid) \(.tasks[1].pid) \(\$times == (\$times | sort))\"" \
		trace2.data/meta.json >meta &&
	read -r me p1 p2 ordered <meta &&
	test "$ordered" = true &&
	test_prints sed -e "s/:$me\([,}]\)/:REC\1/g" -e "s/:$p1\([,}]\)/:P1\1/g" \
		-e "s/:$p2\([,}]\)/:P2\1/g" records <<-\EOF
	"in order"
	{"type":"fork","pid":P1,"tid":P1,"ppid":REC,"ptid":REC}
	{"type":"comm","pid":P1,"tid":P1,"comm":"sh","exec":true}
	{"type":"fork","pid":P2,"tid":P2,"ppid":P1,"ptid":P1}
	{"type":"comm","pid":P2,"tid":P2,"comm":"sh","exec":true}
	{"type":"exit","pid":P2,"tid":P2,"ppid":P1,"ptid":P1}
	{"type":"exit","pid":P1,"tid":P1,"ppid":REC,"ptid":REC}
	EOF
'

test_expect_success TASKS,EXIT_CODES 'exit codes of processes reaped by others are recorded' '
	trace2 record -- sh -c "sh -c \"exit 7\"; sh -c \"kill -15 \\\$\\\$\"
		exit 0" &&
	test_write_lines "sh 0" "sh 7" "sh 15" | test_prints tasks trace2.data
'

# A child of the command ended with code 0, and a stranger, who ended with code 7,
# got its $pid. Any other process of the machine may have got it, and keep it.
stranger_has_pid () {
	rm -f pid &&
	echo >&8 &&
	wait_until test -e pid &&
	pid=$(cat pid) &&
	test "$(echo $((pid - 1)) >/proc/sys/kernel/ns_last_pid
		sh -c "echo \$\$; exec sh -c \"exit 7\""
		:)" = "$pid"
}

test_expect_success TASKS,EXIT_CODES,NEXT_PID 'a process that reuses the pid of an ended one is not joined to it' '
	rm -f again &&
	mkfifo again &&
	cat >cmd <<-\EOF &&
	while read -r line
	do
		sh -c "echo \$\$ >pid.new; exit 0"
		mv pid.new pid
	done <again
	EOF
	{ trace2 record -- sh ./cmd 8>&- & } &&
	recorder=$! &&
	exec 8>again &&
	wait_until stranger_has_pid &&
	exec 8>&- &&
	wait $recorder &&
	# The process may have ended before its arguments are read.
	echo "[\"fork\",\"comm\",\"exit\",\"status\"]" |
	test_prints jq -s -c "map(select(.pid == $pid and
			(.argv | tostring | contains(\"exit 0\") | not)) | .type)" \
		trace2.data/tasks.jsonl
'

test_expect_success TASKS 'record waits for an orphan, and knows its status and rusage' '
	trace2 record -- sh -c "(sh -c : ; sh -c \"exit 4\"; exit 6) & exit 0" &&
	jq -e "(.tasks[1] | .code == 6 and .status_from == \"wait\" and
		.rusage.maxrss_bytes > 0) and
		(.still_running == [])" trace2.data/meta.json
'

test_expect_success 'record waits for processes that outlive the command, up to a limit' '
	mkfifo hold &&
	test_when_finished "rm -f hold" &&
	test_expect_code 2 trace2 record --timeout 10ms -- \
		sh -c "cat hold >/dev/null 2>&1 & echo \$! >pid; exit 2" 2>err &&
	pid=$(cat pid) &&
	test_prints sed -n "/still running/{ s/ sh)/ cat)/; p; }" err <<-EOF &&
	trace2 record: 1 process still running (pid $pid cat), not waited for
	EOF
	jq -e ".still_running[0].pid == $pid" trace2.data/meta.json &&
	>hold
'

# interrupted PID META: interrupt a recorder that has not ended its recording.
interrupted () {
	grep -q "\"state\":\"complete\"" "$2" || {
		kill -INT "$1"
		return 1
	}
}

test_expect_success 'SIGINT ends the wait for processes that outlive the command' '
	mkfifo hold &&
	ready_pipe &&
	test_when_finished "rm -f hold" &&
	background trace2 record -o left.data --timeout 1000s -- \
		sh -c "cat hold >/dev/null 2>&1 & echo ready >ready" &&
	wait_ready &&
	wait_until interrupted $pid left.data/meta.json &&
	{ wait $pid || :; } &&
	test_grep "still running" err &&
	>hold
'

for sig in HUP INT QUIT TERM USR1 USR2
do
	test_expect_success "SIG$sig reaches the command, and the recording is complete" '
		ready_pipe &&
		cat >cmd <<-\EOF &&
		trap "kill -KILL \$!; exit 23" $1
		sleep 1000 &
		echo ready >ready
		wait $!
		EOF
		background trace2 record -- sh ./cmd $sig &&
		wait_ready &&
		kill -$sig $pid &&
		test_expect_code 23 wait $pid &&
		test_grep "exit 23 ]" err &&
		jq -e ".exit_code == 23 and .state == \"complete\"" \
			trace2.data/meta.json
	'
done

test_expect_success 'a command killed by a forwarded signal is recorded with the signal' '
	ready_pipe &&
	background trace2 record -- \
		sh -c "echo ready >ready; exec sleep 1000" &&
	wait_ready &&
	kill -TERM $pid &&
	test_expect_code 143 wait $pid &&
	jq -e ".exit_signal == 15" trace2.data/meta.json
'

# The recorder is stopped until the command has had its signal: one that it
# forwards would then come as a second one, before SIGUSR1.
test_expect_success 'Ctrl-C on a terminal reaches the command once' '
	cat >cmd <<-\EOF &&
	trap "echo int; kill -USR1 $PPID; kill -CONT $PPID" INT
	trap "echo usr1; kill -KILL \$!; exit 9" USR1
	sleep 1000 &
	kill -STOP $PPID
	echo ready
	while :
	do
		wait $!
	done
	EOF
	test_expect_code 9 "$PERL_PATH" "$TEST_DIRECTORY/t3100/tty.perl" ready ^C \
		trace2 record -- sh ./cmd >out &&
	test_write_lines ready int usr1 | test_prints head -n 3 out &&
	test_grep "exit 9 ]" out
'

# Programs under valgrind do not stop when a blocked signal is unblocked.
test_expect_success !UNDER_VALGRIND 'Ctrl-Z on a terminal stops recorder and command, and both continue' '
	cat >cmd <<-\EOF &&
	trap "echo continued; kill -KILL \$!; exit 8" CONT
	sleep 1000 &
	echo ready
	while :
	do
		wait $!
	done
	EOF
	test_expect_code 8 "$PERL_PATH" "$TEST_DIRECTORY/t3100/tty.perl" ready ^Z \
		trace2 record -- sh ./cmd >out &&
	test_grep "^job stopped" out &&
	test_grep "^continued" out &&
	test_grep "exit 8 ]" out
'

test_expect_success !UNDER_VALGRIND 'SIGTSTP to the recorder stops it and the command, SIGCONT continues both' '
	ready_pipe &&
	cat >cmd <<-\EOF &&
	trap "kill -KILL \$!; exit 8" CONT
	sleep 1000 &
	echo $$ >pid
	echo ready >ready
	while :
	do
		wait $!
	done
	EOF
	background "$PERL_PATH" -e "setpgrp(0, 0); exec @ARGV" \
		trace2 record -- sh ./cmd &&
	wait_ready &&
	kill -TSTP $pid &&
	for each in $pid $(cat pid)
	do
		wait_stopped $each || return 1
	done &&
	kill -CONT $pid &&
	test_expect_code 8 wait $pid
'

test_expect_success 'an earlier recording moves to DIR.old, and an earlier DIR.old is removed' '
	rm -rf again again.old &&
	for i in 1 2 3
	do
		trace2 record -o again/ -- sh -c "exit $i"
		test $? = $i || return 1
	done &&
	test "$(jq .exit_code again/meta.json again.old/meta.json)" = "3
2" &&
	test_write_lines again again.old | test_prints ls -d again*
'

test_expect_success 'a directory that is not a recording is neither removed nor moved' '
	rm -rf other again again.old &&
	mkdir other &&
	echo precious >other/file &&
	test_expect_code 128 trace2 record -o other -- touch ran 2>actual &&
	echo "trace2: will not replace ${SQ}other${SQ}: it is not a recording" \
		"(use -o DIR)" >expect &&
	test_cmp expect actual &&
	echo "{}" >other/meta.json &&
	test_expect_code 128 trace2 record -o other -- touch ran &&
	test_expect_code 128 trace2 record -o other/file -- touch ran 2>actual &&
	test_grep "not a directory" actual &&
	trace2 record -o again -- true &&
	mv other again.old &&
	test_expect_code 128 trace2 record -o again -- touch ran 2>actual &&
	test_grep "will not replace ${SQ}again.old${SQ}" actual &&
	echo precious | test_cmp - again.old/file &&
	rm -r again.old &&
	trace2 record -o again -- true &&
	mkdir again.old/events/dir &&
	test_expect_code 128 trace2 record -o again -- touch ran 2>actual &&
	test_grep "it holds ${SQ}events/dir${SQ}" actual &&
	test_path_is_dir again.old/events/dir &&
	test_path_is_missing ran
'

test_expect_success SYMLINKS 'a symbolic link in place of the directory is not replaced' '
	rm -rf real link &&
	mkdir real &&
	ln -s real link &&
	test_expect_code 128 trace2 record -o link -- true 2>actual &&
	test_grep "it is a symbolic link" actual &&
	test_dir_is_empty real
'

test_expect_success 'an empty directory is used as it is' '
	rm -rf empty &&
	mkdir empty &&
	trace2 record -o empty -- true &&
	test_path_is_file empty/meta.json
'

test_expect_success 'record inside of record: both exit with the code of the command' '
	rm -rf in out in.old out.old &&
	test_expect_code 5 trace2 record -o out -- trace2 record -o in -- \
		sh -c "exit 5" &&
	jq -e ".exit_code == 5" in/meta.json &&
	jq -e ".exit_code == 5" out/meta.json
'

test_expect_success 'a directory that is being recorded into is not replaced' '
	rm -rf out out.old &&
	test_expect_code 128 trace2 record -o out -- \
		trace2 record -o out -- true 2>err &&
	test_grep "will not replace ${SQ}out${SQ}: it is being recorded" err &&
	test_path_is_missing out.old
'

test_expect_success GIT 'the path of a recording may have spaces and other characters' '
	dir="a b ${SQ}c${SQ} \$d" &&
	mkdir -p "$dir" &&
	(
		cd "$dir" &&
		trace2 record -o "e f" -- git version 2>err &&
		test_grep -F -- "-> e f; 0 lost, exit 0 ]" err &&
		cat "e f"/events/* >all &&
		test_grep atexit all
	)
'

test_expect_success SANITY 'a directory that cannot be written to is refused before the command runs' '
	test_when_finished "chmod 755 locked" &&
	mkdir locked &&
	chmod 555 locked &&
	test_expect_code 128 trace2 record -o locked/x -- touch ran 2>err &&
	test_grep "cannot create ${SQ}locked/x${SQ}: Permission denied" err &&
	test_path_is_missing ran
'

test_expect_success 'a directory in a missing directory is refused before the command runs' '
	test_expect_code 128 trace2 record -o no/where -- touch ran 2>err &&
	test_grep "cannot create ${SQ}no/where${SQ}: No such file" err
'

# A file system of 64 KiB, removed with the process that has it.
test_lazy_prereq SMALL_DISK '
	mkdir small && unshare -m sh -c "mount -t tmpfs -o size=64k none small"
'

test_expect_success SMALL_DISK 'record on a full disk does not disturb the command' '
	mkdir -p small &&
	cat >on-small-disk <<-\EOF &&
	mount -t tmpfs -o size=64k none small || exit 99
	trace2 record -o small/rec -- sh -c "
		cat /dev/zero >small/rec/events/fill
		for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done
		echo done; exit 6" 2>err
	echo $? >code
	cat small/rec/meta.json >meta
	EOF
	unshare -m sh ./on-small-disk >actual 2>/dev/null &&
	echo done | test_cmp - actual &&
	echo 6 | test_cmp - code &&
	jq -e ".state == \"complete\" and .exit_code == 6" meta &&
	cat >on-small-disk <<-\EOF &&
	mount -t tmpfs -o size=64k none small || exit 99
	head -c 65536 /dev/zero >small/fill
	trace2 record -o small/rec -- echo ran 2>err
	echo $? >code
	ls small >left
	EOF
	test_prints unshare -m sh ./on-small-disk </dev/null &&
	echo 128 | test_cmp - code &&
	test_grep "No space left on device" err &&
	echo fill | test_cmp - left
'

test_expect_success GIT '--max-size: programs that start later record nothing' '
	cat >cmd <<-\EOF &&
	git version
	until test -e "$GIT_TRACE2_EVENT/git-trace2-discard"
	do
		git version
	done >/dev/null
	ls "$GIT_TRACE2_EVENT" >before
	git version
	ls "$GIT_TRACE2_EVENT" >after
	EOF
	trace2 record --max-size 1000 -- sh ./cmd 2>err &&
	test_grep "max-size was reached" err &&
	test_cmp before after &&
	test_file_not_empty before
'

# The shell waits for the file itself: no program is executed during the wait.
cat >full <<\EOF
test-tool trace2 030events 1000
until test -e "$GIT_TRACE2_EVENT/git-trace2-discard"
do
	:
done
for i in 1 2 3
do
	test-tool trace2 001return 0
done
EOF

# Under valgrind each program is executed four times: a shell, and three of valgrind.
test_expect_success TASKS,!UNDER_VALGRIND '--max-size: programs that recorded nothing are counted' '
	trace2 record --max-size 50k -- sh ./full 2>err &&
	test_grep ! rings err &&
	test_grep "^trace2 record: --max-size was reached: 3 programs were started later, and recorded nothing\$" err &&
	lost=$(jq "select(.losses.programs == 3 and
		.lost == .losses.programs + .losses.kernel_data).lost" trace2.data/meta.json) &&
	test -n "$lost" &&
	test_grep "^\[ trace2 record: [0-9]* processes, .*; $lost lost, exit 0 \]\$" err
'

test_expect_success TASKS,!UNDER_VALGRIND '--max-size: check reports programs that recorded nothing' '
	test_expect_code 1 trace2 check >found &&
	test_grep "warning: lines, records or programs were lost while it was recorded ([0-9]*)" found &&
	test_grep "events/git-trace2-discard: warning: .* wrote nothing" found &&
	test_grep " 0 kinds of error, 2 of warning" found
'

test_expect_success TASKS '--max-size counts task records, and ends them at the limit' '
	cat >many <<-\EOF &&
	until test -e "$GIT_TRACE2_EVENT/git-trace2-discard"
	do
		env true
		sleep 0.01
	done
	EOF
	trace2 record --no-states --max-size 8k -- sh ./many 2>err &&
	test_grep "^trace2 record: --max-size was reached: [0-9]* program" err &&
	test_grep "^trace2 record: tasks.jsonl ends early: --max-size was reached\$" err &&
	size=$(wc -c <trace2.data/tasks.jsonl) &&
	test "$size" -le 8192 &&
	jq -e ".losses.task_log > 0" trace2.data/meta.json
'

# The recorder looks at its size ten times a second.
test_expect_success TASKS '--max-size: a few task records do not reach the limit' '
	trace2 record --no-states --max-size 1M -- sh -c "env true; sleep 0.3" 2>err &&
	test_grep ! "max-size" err
'

test_expect_success SECCOMP '--max-size without task records: the number of losses is reported as unknown' '
	denied all \
		trace2 record --no-ptrace --max-size 50k -- sh ./full 2>err &&
	test_grep "max-size was reached: programs that started later recorded nothing (their number is unknown without the kernel${SQ}s records)" err
'

test_expect_success SECCOMP 'record reports once that there are no task records, and runs the command' '
	test_expect_code 4 denied all \
		trace2 record --no-ptrace -- sh -c "sh -c \"exit 7\"; exit 4" 2>err &&
	test_line_count = 4 err &&
	test_grep "^trace2 record: for more: .*check --record" err &&
	test_grep "^trace2 record: going on without the kernel${SQ}s task records: perf_event_open: Operation not permitted" err &&
	echo " 4" | test_prints tasks trace2.data &&
	jq -e ".task_source == \"none\"" trace2.data/meta.json &&
	test_path_is_missing trace2.data/kernel.data &&
	trace2 list >listed 2>err &&
	test_grep " 4 .*\[sh -c .sh -c .exit 7.; exit 4.\]" listed &&
	trace2 report --waits 2>>err &&
	echo "trace2: warning: no waits in this recording: it has no states of threads (${SQ}trace2 record${SQ} printed the reason at its end)" >expect &&
	test_cmp expect err
'

test_expect_success SECCOMP,EXIT_CODES 'the process connector is used if perf events are refused' '
	test_expect_code 4 denied perf \
		trace2 record -- sh -c "sh -c \"exit 7\"; exit 4" 2>err &&
	test_line_count = 3 err &&
	test_grep "^trace2 record: for more: .*check --record" err &&
	test_grep "^trace2 record: not recorded: states of threads: perf_event_open: Operation not permitted" err &&
	jq -e ".task_source == \"connector\" and [.tasks[].code] == [4, 7]" \
		trace2.data/meta.json
'

# The descriptors of a recorder are closed when no process has them any more.
test_expect_success SECCOMP,!MUSL 'no process is left if the recorder is killed before the command runs' '
	test_when_finished "rm -rf gone" &&
	{
		(
			ulimit -c 0 &&
			denied priority trace2 record -o gone -- touch ran
		)
		echo $? >code
	} 2>&1 | cat >held &&
	echo 159 | test_cmp - code &&
	test_path_is_missing ran
'

nr=300
test_have_prereq !EXPENSIVE || nr=3000
test_expect_success TASKS 'record has every one of many processes, or reports lost records' '
	cat >cmd <<-\EOF &&
	i=0
	while test $i -lt $1
	do
		( : )
		i=$((i + 1))
	done
	EOF
	trace2 record -- sh ./cmd $nr 2>err &&
	jq -e ".losses.kernel_records != 0 or .processes == $nr + 1" trace2.data/meta.json &&
	jq -s -e "map(.time_ns) | . == sort" trace2.data/tasks.jsonl
'

test_done
