#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the ends of processes that could not report them

A killed process leaves a stream without an end. The records of the kernel in a
recording give the end, or else the exit code that the parent reported. A
process that forked and kept its session id is joined to its task.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"
. "$TEST_DIRECTORY"/t3300/lib-export.sh

unchecked 'gc of Git goes on in a fork, with the session of its parent' 'fetch/*'

# child SID MS ID NAME; reaped SID MS ID PID CODE
child () {
	event "$1" "$2" child_start "\"child_id\":$3,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"$4\"]"
}
reaped () {
	event "$1" "$2" child_exit "\"child_id\":$3,\"pid\":$4,\"code\":$5"
}
atexit () {
	event "$1" "$2" atexit "\"code\":${3:-0}"
}

test_expect_success 'a recording of a newer trace2 is read with a warning' '
	begin A-P0000000f 0 top | recording newer &&
	trace2 list newer >expect 2>err &&
	test_must_be_empty err &&
	printf "%s" "{\"format\":\"trace2-recording\",\"version\":99," \
		"\"start_wall_ns\":1795262400000000000," \
		"\"start_monotonic_ns\":1000000000}" >newer/meta.json &&
	trace2 list newer >actual 2>err &&
	test_cmp expect actual &&
	echo "trace2: warning: '\''newer/meta.json'\'': its version is 99, and this trace2 knows up to 1: results may be incomplete or wrong; use a newer trace2" >expect &&
	test_cmp expect err &&
	test_expect_code 1 trace2 check newer >out &&
	test_grep "newer/meta.json: warning: its version is 99" out
'

# ends INPUT: print the processes and how they ended.
ends () {
	trace2 list --format=json "$1" |
	jq -r '.processes[] | [.name, .end, .code // .signal_name, .end_by] |
		map(. // "-") | join(" ")'
}

test_expect_success 'a process without atexit gets its signal or exit code from kernel records' '
	{
		begin A-P0000000f 0 top &&
		child A-P0000000f 10 0 kid && begin A-P0000000f/C-P00000010 12 kid &&
		event A-P0000000f/C-P00000010 14 region_enter \
			"\"nesting\":1,\"category\":\"c\",\"label\":\"long\"" &&
		reaped A-P0000000f 95 0 16 137 &&
		child A-P0000000f 96 1 quick && begin A-P0000000f/C-P00000011 97 quick &&
		reaped A-P0000000f 99 1 17 3 && atexit A-P0000000f 100
	} | recording killed &&
	{
		forked 0 15 1 && execed 0 15 top && forked 10 16 15 &&
		execed 11 16 kid && ended 90 16 "\"signal\":9" &&
		forked 96 17 15 && execed 96 17 quick &&
		ended 98 17 "\"code\":3" && ended 100 15 "\"code\":0"
	} >killed/tasks.jsonl &&
	test_prints ends killed <<-\EOF &&
	top exit 0 itself
	kid signal SIGKILL kernel
	quick exit 3 kernel
	EOF
	trace2 list killed >out &&
	test_grep " SIGKILL  *16 " out &&
	! grep "SIGKILL?" out
'

test_expect_success 'a region that is open when the process is killed ends with the process' '
	trace2 report --regions killed --format=csv >out &&
	test_grep "76000000,.*,c/long" out &&
	trace2 report killed >out &&
	test_grep "^ *80.000 .* 6.000 *├ kid$" out
'

test_expect_success 'check reports a stream without an end, even if the kernel recorded the end' '
	test_expect_code 1 trace2 check killed >out 2>&1 &&
	test_grep "a session has no atexit: a signal killed it" out
'

test_expect_success 'export: a killed process has the signal in otlp, chrome and csv' '
	trace2 export --to otlp killed >otlp &&
	jq -c ".. | objects | select(.name? == \"kid\" and .status?) |
		[.status.code, .status.message,
		 (.attributes[] | select(.key | test(\"signal\")) | .value | .[])]" \
		otlp >actual &&
	echo "[2,\"killed by SIGKILL\",\"9\",\"SIGKILL\"]" | test_cmp - actual &&
	trace2 export --to otlp --compat=trace2receiver killed >otlp &&
	jq -c ".. | objects | select(.key? == \"trace2.cmd.exit_code\") |
		.value.intValue | tonumber" otlp | sort -n >actual &&
	test_write_lines 0 3 137 | test_cmp - actual &&
	trace2 export --to chrome killed |
	jq -c ".traceEvents[].args | select(.signal?) |
		[.signal, .signal_name, .code, .end_by]" >actual &&
	echo "[9,\"SIGKILL\",null,null]" | test_cmp - actual &&
	trace2 export --to csv --table sessions killed >csv &&
	test_grep ",signal,,9," csv
'

test_expect_success SQLITE3 'sqlite has the exit code or the signal of each process' '
	trace2 export --to sqlite -o x.db killed &&
	test_prints sqlite3 x.db "select name, end, code, signal, duration_ns / 1000000
		from sessions order by id" <<-\EOF &&
	top|exit|0||100
	kid|signal||9|80
	quick|exit|3||2
	EOF
	sqlite3 x.db "select process, signal from failures" >actual &&
	test_write_lines "kid|9" "quick|" | test_cmp - actual
'

# A code of 128 + n from the parent may also be an exit code.
test_expect_success 'list: a signal guessed from the exit code that the parent saw has a ?' '
	{
		begin A-P0000000f 0 top &&
		child A-P0000000f 10 0 kid && begin A-P0000000f/C-P00000010 12 kid &&
		reaped A-P0000000f 95 0 16 137 &&
		child A-P0000000f 100 1 minus && begin A-P0000000f/C-P00000011 102 minus &&
		reaped A-P0000000f 105 1 17 -15 &&
		child A-P0000000f 110 2 silent && reaped A-P0000000f 120 2 18 139 &&
		child A-P0000000f 130 3 usage && reaped A-P0000000f 135 3 19 129 &&
		child A-P0000000f 140 4 said && begin A-P0000000f/C-P00000014 141 said &&
		atexit A-P0000000f/C-P00000014 142 137 && reaped A-P0000000f 145 4 20 137 &&
		child A-P0000000f 150 5 die && reaped A-P0000000f 155 5 21 128 &&
		child A-P0000000f 156 7 mute &&
		begin A-P0000000f/C-P00000017 157 mute &&
		event A-P0000000f/C-P00000017 158 atexit &&
		reaped A-P0000000f 159 7 23 137 &&
		child A-P0000000f 160 6 large && reaped A-P0000000f 165 6 22 255 &&
		atexit A-P0000000f 200
	} >codes.event &&
	test_prints ends codes.event <<-\EOF &&
	top exit 0 itself
	kid signal SIGKILL parent
	minus signal SIGTERM parent
	silent signal SIGSEGV parent
	usage exit 129 parent
	said exit 137 itself
	die exit 128 parent
	mute exit 137 parent
	large exit 255 parent
	EOF
	trace2 list codes.event >out &&
	test_grep " SIGKILL?  *16  *├ kid$" out &&
	test_grep "^SIG...? is guessed from the exit code that its parent" out &&
	trace2 export --to chrome codes.event |
	jq -c ".traceEvents[].args | select(.signal?) | [.signal_name, .end_by]" \
		>actual &&
	test_cmp - actual <<-\EOF
	["SIGKILL","parent"]
	["SIGTERM","parent"]
	EOF
'

test_expect_success 'SPAWN is unknown if the end of the process is unknown' '
	trace2 report --format=json codes.event |
	jq -c ".processes? // empty | .[1:3] | map(.spawn_ns)" >actual &&
	echo "[null,null]" | test_cmp - actual
'

test_expect_success 'report shows 0 us wall for a command whose start was not recorded' '
	recording lost </dev/null &&
	"$PERL_PATH" -pi -e "s/}\$/,\"command\":[\"top\"],\"command_pid\":15}/" lost/meta.json &&
	{
		ended 50 15 "\"code\":0" && forked 20 16 15 && ended 40 16 "\"code\":0"
	} >lost/tasks.jsonl &&
	trace2 report --color=never lost >out &&
	test_grep "^0 us wall$" out
'

test_expect_success 'a child of a killed process, in events and in task records, is shown once' '
	{
		begin A-P0000000f 0 top && child A-P0000000f 10 0 kid
	} | recording orphan &&
	{
		forked 0 15 1 && execed 0 15 top && forked 10 16 15 &&
		execed 11 16 kid && ended 50 15 "\"signal\":11" &&
		ended 150 16 "\"code\":0"
	} >orphan/tasks.jsonl &&
	test_prints ends orphan <<-\EOF &&
	top signal SIGSEGV kernel
	kid exit 0 kernel
	EOF
	cat >expect <<-\EOF &&
	50.000 ms wall
	2 processes, 3 events; SIGSEGV
	1.000 ms (2.0%) spawning; 100.000 ms more in the background

	WALL ms  SELF ms   SHARE  SPAWN ms  PROCESS
	 50.000   10.000  100.0%            top
	140.000  140.000   80.0%     1.000  └ [kid]
	EOF
	trace2 report orphan >out &&
	sed -n "1,3p; /WALL ms/,/kid/p" out | sed "/WALL ms/d" | sed "s/  */ /g" >actual &&
	sed -n "1,3p;6,7p" expect | sed "s/  */ /g" >expect.words &&
	test_cmp expect.words actual
'

# The session of kid names its parent, but the parent has no pid for it.
test_expect_success 'list: a killed program that a shell started is shown below the shell' '
	{
		begin A-P0000000f 0 top &&
		event A-P0000000f 10 child_start "\"child_id\":0,\"child_class\":\"?\",\"use_shell\":true,\"argv\":[\"kid -x\"]" &&
		begin A-P0000000f/C-P00000011 14 kid
	} | recording between &&
	{
		forked 0 15 1 && execed 0 15 top && forked 10 16 15 &&
		execed 11 16 sh && forked 12 17 16 && execed 13 17 kid &&
		ended 50 15 "\"signal\":2" && ended 50 16 "\"signal\":2" &&
		ended 50 17 "\"signal\":2"
	} >between/tasks.jsonl &&
	trace2 list between | sed -n "2,4s/^[0-9:.]* *//p" >actual &&
	test_cmp - actual <<-\EOF
	50.000  SIGINT   15  top
	40.000  SIGINT   16  └ [kid -x]
	38.000  SIGINT   17    └ kid
	EOF
'

test_expect_success 'a child forked long after its child_start is joined to that child_start' '
	{
		begin A-P0000000f 0 top && child A-P0000000f 10 0 kid &&
		reaped A-P0000000f 90 0 16 0 && atexit A-P0000000f 100
	} | recording busy &&
	{
		forked 0 15 1 && execed 0 15 top && forked 40 16 15 &&
		execed 41 16 kid && ended 80 16 "\"code\":0" &&
		ended 100 15 "\"code\":0"
	} >busy/tasks.jsonl &&
	ends busy >actual &&
	test_write_lines "top exit 0 itself" "kid exit 0 kernel" | test_cmp - actual
'

# A daemon like git gc: its child outlives it and keeps its session id. Children
# that the first half started do not belong to the second half.
test_expect_success 'a forked process that kept the SID is joined to its task record, and shown once' '
	{
		begin A-P0000000f 0 top && child A-P0000000f 5 0 refs && begin A-P0000000f/C-P00000010 7 refs &&
		atexit A-P0000000f/C-P00000010 9 && reaped A-P0000000f 10 0 16 0 && atexit A-P0000000f 20 &&
		child A-P0000000f 25 1 pack && begin A-P0000000f/D-P00000012 27 pack &&
		atexit A-P0000000f/D-P00000012 60 && reaped A-P0000000f 62 1 18 0 && atexit A-P0000000f 80
	} | recording gc &&
	{
		forked 0 15 1 && execed 0 15 top && forked 5 16 15 &&
		execed 6 16 refs && ended 9 16 "\"code\":0" &&
		forked 18 17 15 && ended 21 15 "\"code\":0" &&
		forked 25 18 17 && execed 26 18 pack && ended 61 18 "\"code\":0" &&
		ended 81 17 "\"code\":0"
	} >gc/tasks.jsonl &&
	trace2 list gc >out &&
	test_prints sed "s/^[0-9:.]* *//; s/  */ /g" out <<-\EOF &&
	START WALL ms EXIT PID COMMAND
	21.000 0 15 top
	4.000 0 16 ├ refs
	63.000 0 17 └ top (forked)
	36.000 0 18 └ pack
	EOF
	trace2 report gc >out &&
	test_prints sed 3q out <<-\EOF &&
	21.000 ms wall
	4 processes, 14 events
	2.000 ms (9.5%) spawning; 60.000 ms more in the background
	EOF
	! grep "[0-9][0-9][1-9]\.[0-9]%" out &&
	trace2 list --format=json gc |
	jq -c "[.processes[].join]" >actual &&
	echo "[\"root\",\"task\",\"task\",\"task\"]" | test_cmp - actual
'

test_expect_success 'a daemon that forks twice is joined to its session, a worker that execs is not' '
	{
		begin A-P0000000f 0 top && atexit A-P0000000f 20 &&
		event A-P0000000f 25 data "\"category\":\"c\",\"key\":\"k\",\"value\":\"v\"" &&
		atexit A-P0000000f 80
	} | recording twice &&
	{
		forked 0 15 1 && execed 0 15 top && forked 5 16 15 &&
		execed 6 16 other && forked 18 17 15 && forked 19 18 17 &&
		ended 20 17 "\"code\":0" && ended 21 15 "\"code\":0" &&
		ended 81 18 "\"code\":0" && ended 90 16 "\"code\":0"
	} >twice/tasks.jsonl &&
	trace2 list --format=csv twice | sed 1d | cut -d, -f4,5,6 >actual &&
	trace2 list twice >out &&
	test_grep " 18  *└ top (forked)$" out &&
	test_grep " 16 .*other" out &&
	test "$(grep -c "forked" out)" = 1
'

test_expect_success 'a session that continues after five forks is shown as likely, without a pid' '
	{
		begin A-P0000000f 0 top && atexit A-P0000000f 20 &&
		event A-P0000000f 25 data "\"category\":\"c\",\"key\":\"k\",\"value\":\"v\"" &&
		atexit A-P0000000f 80
	} | recording often &&
	{
		forked 0 15 1 && execed 0 15 top &&
		for pid in 16 17 18 19 20
		do
			forked $((pid - 5)) $pid $((pid - 1)) || return 1
		done &&
		for pid in 19 18 17 16 15
		do
			ended 21 $pid "\"code\":0" || return 1
		done &&
		ended 81 20 "\"code\":0"
	} >often/tasks.jsonl &&
	trace2 list often >out &&
	test_grep " ?  .*top (forked)$" out &&
	test_grep ! " 20 .*(forked)" out
'

test_expect_success 'a forked process is shown as likely, without a pid, if there are no task records' '
	trace2 list gc/events/stream >out &&
	test_grep " ?  └ top (forked)$" out &&
	test_grep " 16  .*├ refs$" out &&
	test_grep " 18  .*└ pack$" out
'

# ---- real processes ---------------------------------------------------------

write_script die <<-\EOF
kill -$1 $PPID
EOF

for signal in KILL SEGV TERM
do
	case $signal in
	KILL) code=137 raised= ;;
	# Sanitizers have their own handler for this signal.
	SEGV) code=139 raised=,!INSTRUMENTED ;;
	TERM) code=143 raised= ;;
	esac

	test_expect_success GIT,EXIT_CODES "Git as the command, killed by SIG$signal, is shown with that signal" '
		test_expect_code $code trace2 record -o top -- \
			git -c alias.z="!exec ./die $signal" z &&
		ends top | head -n 1 >actual &&
		echo "git signal SIG$signal kernel" | test_cmp - actual &&
		trace2 report top >out &&
		test_grep "; SIG$signal$" out &&
		trace2 list top >out &&
		test_grep " SIG$signal .* git -c" out &&
		! grep " open " out
	'

	test_expect_success GIT,EXIT_CODES "Git as a child, killed by SIG$signal, is shown with that signal" '
		trace2 record -o child -- \
			git -c alias.y="!git -c alias.z=\"!exec ./die $signal\" z || exit 0" y &&
		ends child >actual &&
		test_grep "^git signal SIG$signal kernel$" actual &&
		test_grep "^git exit 0 itself$" actual
	'

	test_expect_success "EXIT_CODES$raised" "a program with the library, killed by SIG$signal, is shown with that signal" '
		test_expect_code $code trace2 record -o library -- \
			test-tool trace2 020spawn \
			test-tool trace2 080raise $signal &&
		ends library >actual &&
		test_grep "^trace2 signal SIG$signal " actual &&
		test_grep "^trace2 exit [0-9]* itself" actual &&
		trace2 report --regions library --format=csv >csv &&
		test_grep "signal/open" csv &&
		test_expect_code $code trace2 record -o library -- \
			test-tool trace2 080raise $signal &&
		ends library >actual &&
		test_grep "^trace2 signal SIG$signal " actual
	'

	test_expect_success "SECCOMP$raised" "a program killed by SIG$signal is shown with that signal without kernel records" '
		test_expect_code $code denied all \
			trace2 record --no-ptrace -o blind -- test-tool trace2 020spawn \
			test-tool trace2 080raise $signal &&
		ends blind >actual &&
		test_grep "^trace2 signal SIG$signal \\(parent\\|itself\\)$" actual
	'
done

test_expect_success EXIT_CODES 'a killed program that wrote no events is shown with its signal' '
	trace2 record -o quiet -- sh -c "sh -c \"kill -SEGV \\\$\\\$\"; :" &&
	ends quiet >actual &&
	test_grep "^sh signal SIGSEGV kernel$" actual
'

test_expect_success GIT,EXIT_CODES 'list shows each gc that git fetch leaves in the background once' '
	git init -q -b main far &&
	test_commit -C far one &&
	git clone -q --no-local far near &&
	for i in 1 2 3 4 5
	do
		test_commit -C far more-$i || return 1
	done &&
	git -C near config gc.auto 1 &&
	git -C near config gc.autoPackLimit 1 &&
	git -C near config fetch.unpackLimit 1 &&
	trace2 record -o fetch --timeout 60s -- git -C near fetch -q &&
	trace2 list --format=json fetch |
	jq -r ".processes[] | select(.name == \"gc\") |
		[.pid, .join, .instrumented] | join(\" \")" >halves &&
	test "$(cut -d" " -f1 halves | sort -u | wc -l)" = "$(wc -l <halves)" &&
	test_line_count -gt 1 halves &&
	! grep -v "^[0-9][0-9]* task true$" halves &&
	jq -r .processes fetch/meta.json >expect &&
	trace2 list fetch | grep -c "^[0-9]" >actual &&
	test_cmp expect actual &&
	trace2 report --format=json fetch | jq -s -e "all(.[].processes? // [] | .[];
		.share <= 1)"
'

# Three processes of one pid, each 5 ms after the one before: their streams end
# before the kernel sees their ends.
test_expect_success 'a session belongs to the process with its pid that is nearest in time' '
	for n in 1 2 3
	do
		ms=$((n * 10)) &&
		begin "20261121T120000.00${n}000Z-Hab-P00000010" $((ms + 2)) one$n &&
		event "20261121T120000.00${n}000Z-Hab-P00000010" $((ms + 4)) \
			atexit "\"t_abs\":0.002,\"code\":$n" || return 1
	done | recording reused &&
	{
		forked 0 15 1 && execed 0 15 top &&
		for n in 1 2 3
		do
			ms=$((n * 10)) &&
			forked $ms 16 15 && execed $((ms + 1)) 16 one$n &&
			ended $((ms + 5)) 16 "\"code\":$n" || return 1
		done &&
		ended 50 15 "\"code\":0"
	} >reused/tasks.jsonl &&
	trace2 list --format=json reused >json &&
	test_prints jq -r ".processes[1:][] | [.start[20:23], .code, .argv[0],
		.segments[-1].comm] | join(\" \")" json <<-\EOF
	010 1 one1 one1
	020 2 one2 one2
	030 3 one3 one3
	EOF
'

# For an ordinary user, the kernel writes an exit when a task becomes set-uid.
test_expect_success 'a set-uid program ends when its parent reaps it, otherwise its end is unknown' '
	{
		task fork 0 15 "\"tid\":15,\"ppid\":1,\"ptid\":1" &&
		execed 1 15 top &&
		forked 10 16 15 && execed 11 16 ping && ended 11 16 &&
		task status 60 16 "\"code\":2,\"from\":\"connector\"" &&
		forked 60 17 15 && execed 61 17 su && ended 61 17 &&
		ended 200 15 "\"code\":0"
	} >tasks &&
	recording privileged </dev/null && cp tasks privileged/tasks.jsonl &&
	sed "s/}\$/,\"uid\":1000}/" privileged/meta.json >meta &&
	cp meta privileged/meta.json &&
	trace2 list --format=json privileged >json &&
	test_prints jq -r ".processes[] | [.name, .wall_ns / 1e6, .at_least, .code // \"-\",
		.wait_ns // \"-\"] | join(\" \")" json <<-\EOF &&
	top 200 false 0 -
	ping 50 false 2 -
	su 1 true - -
	EOF
	trace2 list privileged >out &&
	test_grep "a set-uid program .* is not recorded after its start" out &&
	grep -v "16\|17" tasks >privileged/tasks.jsonl &&
	trace2 list privileged >out &&
	test_grep ! "set-uid" out
'

test_done
