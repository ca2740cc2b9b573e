#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record -p: processes that run already'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-attach.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

hosts=$GIT_BUILD_DIR/build/hosts
SQ=\'

test_skip_unless JQ,PIPE,PERL 'no jq, no fifos or no perl'

# In a process of its own.
refused () {
	exec "$PERL_PATH" "$TEST_DIRECTORY/t3100/deny.perl" all "$@"
}

test_expect_success TASKS 'record -p records a shell and its later children until Ctrl-C' '
	# The kernel cuts times to ticks.
	"$PERL_PATH" -MPOSIX=strftime -e \
		"print strftime(q(%Y-%m-%dT%H:%M:%S), gmtime(time - 1)), qq(\n)" >before &&
	start_shell &&
	tell "sleep 1000 & echo \$! >sleeper" &&
	attach -p $pid &&
	tell "/bin/true" &&
	tell "sh -c \"exit 3\"" &&
	detached INT &&
	test_grep "1 process still running (pid $pid sh), not waited for" err &&
	test_grep "3 processes, .*; exit 0" err &&
	kill $(cat sleeper) &&
	tell : &&
	end &&
	jq -e ".attached == [$pid] and .command == [] and .state == \"complete\" and
		[.still_running[].pid] == [$pid]" r/meta.json &&
	listed "length == 3 and .[0].pid == $pid and
		.[0].argv[0:2] == [\"sh\", \"-c\"] and .[0].end == \"open\" and
		.[0].at_least == true and .[0].begun < .[0].start and
		(.[1:] | all(.join == \"task\" and .begun == null and
			.at_least == false and .end == \"exit\"))" &&
	trace2 list -i r >out.txt &&
	test_grep " >= .* open *$pid *< \[sh -c " out.txt &&
	test_grep ! "/bin/true.*>=" out.txt &&
	test_grep "^< began before it was recorded" out.txt &&
	trace2 list -v -i r >out.txt &&
	test_grep "^  began .*Z, .* before it was recorded" out.txt &&
	sed -n "s/^  began *\(.*\)Z,.*/\1/p" out.txt >began &&
	cat before began >times &&
	LC_ALL=C sort -c times &&
	trace2 report -i r >out.txt &&
	test_grep "^>= .* wall" out.txt &&
	trace2 check -i r
'

test_expect_success TASKS 'record -p records until the process ends' '
	for signal in "" TERM HUP
	do
		start_shell &&
		attach -p $pid &&
		case "$signal" in
		"") end ;;
		esac &&
		detached "$signal" &&
		case "$signal" in
		"")	test_grep ! "still running" err &&
			listed "length == 1 and .[0].end == \"exit\" and
				.[0].at_least == false and .[0].begun" ;;
		*)	listed ".[0].end == \"open\"" &&
			end ;;
		esac || return 1
	done
'

test_expect_success STATES 'record -p: a process that only waits has waiting time, and no CPU time' '
	start "$PERL_PATH" -e "1 for 1 .. 3e6; \$| = 1; print qq(done\n); <STDIN>" &&
	read -r answer <&9 &&
	attach -p $pid &&
	cat /proc/$pid/wchan >function &&
	detached INT &&
	end &&
	"$GIT_BUILD_DIR/build/unit/tool-states" r >dump &&
	jq -s -e "[.[] | select(.type == \"process\" or .type == \"thread\")] |
		length == 2 and .[0].end_ns == .[1].end_ns and
		all(.[]; .run_ns == 0 and .ready_ns == 0 and
			.wait_ns == .end_ns - .start_ns)" dump &&
	if grep pipe_read function
	then
		jq -s -e "[.[] | select(.type == \"state\")] | length == 1 and
			.[0].cause == \"pipe\"" dump
	fi &&
	listed ".[0].cpu_ns == 0" &&
	trace2 report -i r --format=json >report.json &&
	jq -e ".processes[0] | .wait_ns == .wall_ns" report.json
'

test_expect_success WAKERS 'record -p has the states that the test program measures' '
	start sh -c "read -r line; exec \"\$0\" >known; echo done" "$hosts/states" &&
	attach -p $pid &&
	echo >&8 &&
	detached &&
	end &&
	test_grep "exit 0 ]" err &&
	"$GIT_BUILD_DIR/build/unit/tool-states" r >dump &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3131/known.perl" known dump --causes \
		--wakers >table || {
		cat table
		return 1
	}
'

# From the shell, which waits for both, over cat, to what both waited for.
test_expect_success WAKERS 'record -p: the critical path of a shell leads to the sleep that it waited for' '
	# cat waits when the sleep begins.
	cat >piped <<-\EOF &&
	mkfifo nothing
	cat <nothing &
	{
		until grep -q cat /proc/$!/comm && grep -q "^State:.S" /proc/$!/status
		do
			:
		done
		exec sleep 0.1
	} >nothing
	wait
	EOF
	start_shell &&
	attach -p $pid &&
	tell "sh ./piped" &&
	detached INT &&
	end &&
	trace2 report -i r --format=json >report.json &&
	jq -e "[.critical_path[] | select(.process == \"sleep\" and .cause == \"sleep\")] |
		length == 1 and .[0].time_ns >= 100000000" report.json
'

# The leak detector and ThreadSanitizer have threads, or a process, of their own.
test_expect_success STATES,!SANITIZE_ADDRESS,!TSAN 'record -p records all threads of a process that runs already' '
	start "$hosts/worker" 5 2 exit &&
	read -r answer <&9 &&
	attach -p $pid &&
	tell "" round &&
	exec 8>&- &&
	detached &&
	test_expect_code 3 end &&
	"$GIT_BUILD_DIR/build/unit/tool-states" r >dump &&
	jq -s -e "[.[] | select(.type == \"thread\")] | length == 6 and
		all(.[]; .run_ns + .ready_ns + .wait_ns == .end_ns - .start_ns and
			.run_ns > 0 and (.lost // false | not))" dump &&
	test "$(grep -c "\"type\":\"fork\"" r/tasks.jsonl)" = 6 &&
	test "$(grep -c "\"begun_ns\":[0-9]*,\"state\":\"S\"" r/tasks.jsonl)" = 6
'

test_expect_success TASKS 'record -p with several pids records each process once, a parent above its child' '
	start_shell &&
	tell "sleep 1000 & echo \$! >sleeper" &&
	child=$(cat sleeper) &&
	{ sleep 1000 & } &&
	other=$! &&
	attach -p $child,$pid -p $other,$pid &&
	detached INT &&
	kill $child $other &&
	end &&
	listed "length == 3 and
		([.[] | select(.depth == 1)] | length == 1 and .[0].pid == $child) and
		all(.[]; .begun)"
'

test_expect_success TASKS 'record -p --no-states has processes only' '
	start_shell &&
	attach --no-states -p $pid &&
	tell /bin/true &&
	detached INT &&
	end &&
	test_path_is_missing r/kernel.data &&
	jq -e ".states == \"not requested\"" r/meta.json &&
	listed "length == 2 and (.[0] | .begun and .wait_ns == null)"
'

test_expect_success TASKS 'record -p: list, report and top read a recording that is not finished' '
	start_shell &&
	attach -p $pid &&
	tell /bin/true &&
	listed "length >= 1 and (.[0] | .begun and .at_least == true)" &&
	trace2 report -i r >out.txt &&
	test_grep "^>= .* wall" out.txt &&
	trace2 top --once --format=json r >top.json &&
	jq -e "[.processes[].pid] == [$pid]" top.json &&
	detached INT &&
	end
'

# /proc has the start of a process in hundredths of a second: is it so old that
# top can see that it began before the recording?
is_older () {
	awk -v "start=$(cut -d" " -f22 "/proc/$1/stat")" \
		"{ exit !(\$1 * 100 > start + 5) }" /proc/uptime
}

# top shows the present processes: the shell may still be forking.
shows_later () {
	trace2 top --once --format=json r >top.json &&
	jq -e "any(.processes[]; .pid == $(cat later))" top.json
}

test_expect_success TASKS 'record -p: top shows only children that started after recording began' '
	start_shell &&
	tell "sleep 1000 & echo \$! >sleeper" &&
	wait_until is_older $(cat sleeper) &&
	attach -p $pid &&
	tell "sleep 1000 & echo \$! >later" &&
	wait_until shows_later &&
	jq -e "[.processes[].pid] == [$pid, $(cat later)]" top.json &&
	detached INT &&
	kill $(cat sleeper later) &&
	end
'

test_expect_success ORDINARY_USER,TASKS 'record -p lets an ordinary user record an own process' '
	start_shell as_ordinary &&
	by=as_ordinary attach -p $pid &&
	tell /bin/true &&
	detached INT &&
	end &&
	listed "length == 2 and .[0].pid == $pid and .[0].begun"
'

test_expect_success SECCOMP 'record -p names the reason for a refusal, and the remedy' '
	rm -rf r &&
	start_shell &&
	test_expect_code 128 denied all trace2 record -o r -p $pid 2>err &&
	test_line_count = 1 err &&
	test_grep "^trace2: cannot record processes that run already: perf_event_open: Operation not permitted (a seccomp filter refuses it); process connector: .* (for more: .*; ${SQ}trace2 top${SQ} shows them without)$" err &&
	test_path_is_missing r &&
	tell /bin/true &&
	end
'

# start_worker ARG...: a program whose ring is in rings.
start_worker () {
	rm -rf rings &&
	mkdir rings &&
	start env GIT_TRACE2_RING="$PWD/rings" "$hosts/worker" "$@" &&
	read -r answer <&9
}

test_expect_success STATES,!SANITIZE_ADDRESS 'record -p copies a ring with the events from before the recording' '
	start_worker 3 5 exit &&
	attach -p $pid &&
	tell "" round &&
	exec 8>&- &&
	detached &&
	test_expect_code 3 end &&
	test_grep "1 process, 80 events" err &&
	listed "length == 1 and (.[0] | .begun and .begun < .start and
		.code == 3 and .threads == 4 and .instrumented == true and
		.cpu_ns > 0)" &&
	trace2 check -i r &&
	trace2 check rings/* &&
	trace2 script -i r >recorded &&
	trace2 script rings/* >itself &&
	test_cmp itself recorded &&
	trace2 report --regions -i r --format=json >regions.json &&
	trace2 report --counters -i r --format=json >counters.json &&
	trace2 export --to chrome -i r >chrome.json &&
	jq -s -e "(.[0] | [.regions[] | select(.region == \"worker/round\")] |
			.[0].calls == 16) and
		.[1].counters[0].value == 16 and
		(.[3].processes[0].wall_ns as \$wall | .[2] |
			[.traceEvents[] | select(.name == \"worker/round\") | .ts] |
			min < 0 or .[0] < .[-1] - (\$wall / 1000))" \
		regions.json counters.json chrome.json list.json
'

test_expect_success TASKS 'record -p reports a ring that cannot be copied' '
	start_worker 1 1 exit &&
	attach -p $pid &&
	ring=r/rings/$(ls rings) &&
	mv "$ring" early &&
	mkdir "$ring" &&
	{ detached INT; test $? = 128; } &&
	exec 8>&- &&
	test_expect_code 3 end &&
	test_grep "^trace2: .r/rings. is incomplete: Is a directory\$" err
'

# has_rounds NR: the recording has NR rounds.
has_rounds () {
	test "$(trace2 script -i r | grep -c "main.*region_enter.*label:round")" = "$1"
}

test_expect_success STATES 'record -p loses no event of a ring that is too small for all of them' '
	GIT_TRACE2_RING_SIZE=4k && export GIT_TRACE2_RING_SIZE &&
	start_worker 1 1 exit &&
	sane_unset GIT_TRACE2_RING_SIZE &&
	attach -p $pid &&
	for batch in 1 2 3 4 5 6 7 8 9 10
	do
		for i in 1 2 3 4 5 6 7 8
		do
			tell "" round || return 1
		done &&
		wait_until has_rounds $((8 * batch)) || return 1
	done &&
	detached INT &&
	tell "" round &&
	test_grep "1 process still running" err &&
	listed ".[0].end == \"open\" and .[0].at_least == true" &&
	test_might_fail trace2 check -i r >out.txt &&
	test_grep "no atexit" out.txt &&
	test_grep ! "replaced" out.txt &&
	test_expect_code 3 end &&
	test_might_fail trace2 check rings/* >out.txt &&
	test_grep "newer records replaced" out.txt
'

# A process of the shell got the pid of a $stranger, who ended with code 7.
has_pid_of_stranger () {
	stranger=$(sh -c "echo \$\$; exit 7" || :) &&
	echo $((stranger - 1)) >/proc/sys/kernel/ns_last_pid &&
	tell "sh -c \"echo \\\$\\\$ >new\"" &&
	test "$(cat new)" = "$stranger"
}

# Others may start processes in between: then they do it again.
test_expect_success NEXT_PID,EXIT_CODES 'record -p does not show the exit code of an earlier process with the same pid' '
	start_shell &&
	attach -p $pid &&
	recorder_pid=$(recorder_pid r) &&
	kill -STOP $recorder_pid &&
	wait_until has_pid_of_stranger &&
	kill -CONT $recorder_pid &&
	detached INT &&
	end &&
	listed "[.[] | select(.pid == $stranger)] | .[-1].code == 0 and
		all(.[]; .code == 0)"
'

test_expect_success PID_NAMESPACE,TASKS 'record -p records a process of another pid namespace' '
	start_shell unshare -rpf --mount-proc &&
	test "$pid" = 1 &&
	pid=$(cat /proc/$started/task/$started/children) &&
	attach -p $pid &&
	tell /bin/true &&
	detached INT &&
	end &&
	listed "length == 2 and .[0].name == \"sh\" and .[1].name == \"true\""
'

# refused PID WHY: it is refused with this message, and nothing is left.
refused () {
	rm -rf r &&
	test_expect_code 128 trace2 record -o r -p "$1,999999999" 2>err &&
	echo "trace2: cannot record process $1: $2" | test_cmp - err &&
	test_path_is_missing r
}

test_expect_success ROOT,ORDINARY_USER,TASKS 'record -p refuses to record a process of another user' '
	start_shell &&
	rm -rf user &&
	mkdir -m 777 user &&
	test_expect_code 128 as_ordinary trace2 record -o user/r -p $pid 2>err &&
	echo "trace2: cannot record process $pid: it belongs to root (only root may record it)" >expect &&
	test_cmp expect err &&
	test_path_is_missing user/r &&
	end
'

test_expect_success 'record -p refuses a pid without a process' '
	refused 999999999 "there is no such process (${SQ}ps -e${SQ} lists them)"
'

test_expect_success 'record -p refuses a zombie' '
	start "$PERL_PATH" -e "\$| = 1; \$p = fork // die; exit if !\$p;
		select undef, undef, undef, 0.001
			while qx(cat /proc/\$p/stat) !~ /[)] Z /;
		print qq(\$p\n); <STDIN>" &&
	read -r child <&9 &&
	refused $child "it has ended, and its parent has not waited for it" &&
	end
'

test_expect_success 'record -p refuses a thread' '
	start "$hosts/worker" 1 1 exit &&
	read -r answer <&9 &&
	for thread in /proc/$pid/task/*
	do
		thread=${thread##*/} &&
		case $thread in
		$pid) continue ;;
		esac &&
		refused $thread "it is a thread of process $pid (use -p $pid)" ||
			return 1
	done &&
	test "$thread" != $pid &&
	test_expect_code 3 end
'

test_lazy_prereq KTHREADD 'grep "^2 (kthreadd)" /proc/2/stat'

test_expect_success KTHREADD 'record -p refuses a thread of the kernel' '
	refused 2 "it is a thread of the kernel (${SQ}perf record -p${SQ} records these)"
'

test_expect_success 'record -p refuses the recorder itself' '
	test_expect_code 128 sh -c "echo \$\$ >self; exec trace2 record -o r -p \$\$" 2>err &&
	echo "trace2: cannot record process $(cat self): it is the recorder itself" >expect &&
	test_cmp expect err
'

test_expect_success TASKS 'record -p refuses a process with more threads than descriptors' '
	start "$hosts/worker" 20 1 exit &&
	read -r answer <&9 &&
	test_expect_code 128 sh -c "ulimit -n 60; exec trace2 record -o r -p $pid" 2>err &&
	test_grep "cannot record process $pid: it has too many threads: each takes [1-3] descriptors for each CPU (.ulimit -Hn. is the limit)" err &&
	test_path_is_missing r &&
	test_expect_code 3 end
'

test_expect_success 'record -p that fails does not move an earlier recording' '
	rm -rf r r.old &&
	trace2 record -q -o r -- true &&
	test_expect_code 128 trace2 record -o r -p 999999999 &&
	test_path_is_file r/meta.json &&
	test_path_is_missing r.old
'

test_expect_success 'record -p refuses unsuitable options and pids' '
	for words in "-p 1 true" "-p 1 --listen s" "-p 1 --ring" "-p 1 -e cs"
	do
		test_expect_code 2 trace2 record -o r $words 2>err &&
		test_grep "trace2: .*-p" err || return 1
	done &&
	while read -r list item
	do
		test_expect_code 2 trace2 record -o r -p "$list" 2>err &&
		test_grep "^trace2: -p $list: $SQ$item$SQ is not a process id" \
			err || return 1
	done <<-\EOF
	x x
	0 0
	-1 -1
	1x 1x
	1,
	,
	1,,2
	1,x,2 x
	EOF
'

test_done
