#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a process lives from its fork to its end, by the records of the kernel

The sessions of a process lie within its life. An exec makes no new process:
each program that a process ran is a segment of it.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"

# lives INPUT: print each process with its wall time.
lives () {
	trace2 list "$1" | sed "1d; /^\[\.\.\.\]/d; s/^[0-9:.]* *//; s/  */ /g"
}

# A shell that works, then becomes git, which has a session.
test_expect_success 'list shows a script that ends in exec with the whole time of its process' '
	{
		begin A-P0000000f 292 git && event A-P0000000f 299 atexit "\"code\":0"
	} | recording script &&
	{
		forked 0 15 1 && execed 2 15 work.sh &&
		task argv 2 15 "\"argv\":[\"/bin/sh\",\"./work.sh\"]" &&
		execed 290 15 git && ended 300 15 "\"code\":0"
	} >script/tasks.jsonl &&
	echo "300.000 0 15 work.sh, then git" | test_prints lives script &&
	trace2 list -v script >out &&
	test_prints grep "^  ran" out <<-\EOF &&
	  ran        2.000 ms   (before exec)
	  ran        288.000 ms  /bin/sh ./work.sh
	  ran        10.000 ms  git
	EOF
	trace2 report script >out &&
	test_grep "^300.000 ms wall$" out
'

# Lines in their usual form have a parser of their own.
test_expect_success 'task records with spaces are read, and malformed ones are reported' '
	recording usual </dev/null &&
	{
		forked 0 15 1 && execed 2 15 sh &&
		task argv 2 15 "\"argv\":[\"sh\",\"-c\",\"echo \\\"a\\\\\\\\b\\\" >x\",\"\"]" &&
		execed 9 15 "a\\tb" && task argv 9 15 "\"argv\":[\"a\\tb\",\"\\u0041\"]" &&
		forked 20 16 15 && ended 30 16 "\"code\":7" &&
		ended 40 15 "\"signal\":9"
	} >usual/tasks.jsonl &&
	cp -r usual spaced &&
	sed "s/\":/\": /" usual/tasks.jsonl >spaced/tasks.jsonl &&
	trace2 list --format=json usual >expect 2>err &&
	test_must_be_empty err &&
	test_grep "\"sh\",\"-c\",\"echo .\"a....b.\" >x\",\"\"" expect &&
	test_grep "\"a.tb\",\"A\"" expect &&
	trace2 list --format=json spaced >actual &&
	test_cmp expect actual &&
	for bad in "\"tid\":15,}" "\"tid\":15" "\"tid\":15}}" "\"tid\":015}" \
		"\"comm\":\"x}" "\"argv\":[\"a\",]}" "\"argv\":[\"a\"}" \
		"\"argv\":[\"a\"\"b\"]}" "\"exec\":truth}"
	do
		cp -r usual bad &&
		echo "{\"type\":\"exit\",\"time_ns\":1040000000,\"pid\":15,$bad" >>bad/tasks.jsonl &&
		trace2 list bad >out 2>err &&
		test_grep "line 11: not a task record" err &&
		rm -r bad || return 1
	done
'

test_expect_success JQ 'JSON of list and report has one segment for each program of a process' '
	trace2 list --format=json script >json &&
	trace2 report --format=json script >>json &&
	begin A-P0000000f 1 top >plain.event &&
	trace2 list --format=json plain.event >>json &&
	test_prints jq -c ".processes[0].segments | if . then .[] |
		[.comm, .start[17:23], .wall_ns, .exec, .argv] else . end" json <<-\EOF
	["","00.000",2000000,null,null]
	["work.sh","00.002",288000000,true,["/bin/sh","./work.sh"]]
	["git","00.290",10000000,true,null]
	["","00.000",2000000,null,null]
	["work.sh","00.002",288000000,true,["/bin/sh","./work.sh"]]
	["git","00.290",10000000,true,null]
	null
	EOF
'

test_expect_success JQ 'exports and views agree on the time of a process that executed two programs' '
	trace2 export --to csv --table sessions script |
	"$PERL_PATH" -ne "print \"\$1\n\" if /,(300000000),/" >actual &&
	echo 300000000 | test_cmp - actual &&
	trace2 export --to folded script >actual &&
	echo "git 300000" >folded &&
	test_cmp folded actual &&
	trace2 export --to chrome script >json &&
	trace2 export --to otlp script >>json &&
	trace2 report --threads --format=json script >>json &&
	trace2 report --regions --format=json script >>json &&
	test_prints jq -s -c "[.[0].traceEvents[] | select(.cat == \"process\") | .dur * 1000],
		[.[1] | .. | objects | select(.startTimeUnixNano? and .parentSpanId? == null) |
			(.endTimeUnixNano[5:] | tonumber) - (.startTimeUnixNano[5:] | tonumber)],
		[.[2].threads[] | .wall_ns, .start_ns],
		[.[3].regions[] | .total_ns, .self_ns]" json <<-\EOF
	[300000000]
	[300000000]
	[300000000,0]
	[300000000,300000000]
	EOF
'

# A process is a copy of the shell until its first exec. A subshell may work
# before that: then this part is named, if it has 10 % of the time and 10 ms.
test_expect_success 'list names the last program of a process, and the longest one before it' '
	recording names </dev/null &&
	{
		forked 0 15 1 && execed 0 15 sh && forked 10 16 15 &&
		execed 19 16 short && ended 30 16 && forked 30 17 15 &&
		execed 50 17 env && execed 51 17 long && ended 100 17 &&
		forked 100 18 15 && ended 110 18 && ended 120 15
	} >names/tasks.jsonl &&
	test_prints lives names <<-\EOF
	120.000 - 15 [sh]
	20.000 - 16 ├ [short]
	70.000 - 17 ├ sh, then [long]
	10.000 - 18 └ [sh]
	EOF
'

# The SID of the first names the second: a shell that exported its own before.
test_expect_success 'list follows the kernel records where a SID contradicts them' '
	{
		begin B-P00000010 30 below && event B-P00000010 40 atexit "\"code\":0" &&
		begin B-P00000010/A-P0000000f 5 above &&
		event B-P00000010/A-P0000000f 90 atexit "\"code\":0"
	} | recording circle &&
	{
		forked 0 15 1 && execed 2 15 above && forked 20 16 15 &&
		execed 22 16 below && ended 50 16 && ended 100 15
	} >circle/tasks.jsonl &&
	test_prints lives circle <<-\EOF
	100.000 0 15 above
	30.000 0 16 └ below
	EOF
'

# Work for each ancestor of each process would not end, and a recursion would
# exceed the stack.
nr=20000
test_have_prereq !EXPENSIVE || nr=100000
test_expect_success 'many processes, each a child of the one before, are read' '
	recording deep </dev/null &&
	"$PERL_PATH" -e "
		my \$n = $nr;
		sub task { my (\$type, \$ms, \$pid, \$rest) = @_;
			printf qq({\"type\":\"%s\",\"time_ns\":%d,\"pid\":%d,\"tid\":%d%s}\n),
				\$type, 1e9 + 1e6 * \$ms, \$pid, \$pid, \$rest }
		for (1..\$n) {
			task(q(fork), \$_, \$_, sprintf q(,\"ppid\":%d), \$_ - 1);
			task(q(comm), \$_, \$_, sprintf q(,\"exec\":true,\"comm\":\"p%d\"), \$_ % 7);
		}
		task(q(exit), 2 * \$n - \$_, \$_, q()) for reverse 1..\$n" >deep/tasks.jsonl &&
	(
		ulimit -s 2048 &&
		trace2 list --cmd p3 deep >list &&
		trace2 report deep >out &&
		trace2 report --html page deep &&
		trace2 export --to otlp deep >ids
	) &&
	test_line_count = $(((nr + 4) / 7 + 2)) list &&
	test_grep "$nr processes" out &&
	test_grep -o traceId ids >out &&
	test_line_count = $nr out &&
	rm -r deep out ids page
'

test_expect_success JQ 'a process whose first thread was not recorded has a wall time of 0' '
	recording threads </dev/null &&
	{
		forked 0 15 1 && execed 10 15 one &&
		task fork 20 17 "\"tid\":18,\"ppid\":16,\"ptid\":16" &&
		ended 100 15 "\"code\":0"
	} >threads/tasks.jsonl &&
	trace2 list --format=json threads >out.json &&
	jq -r ".processes[] | select(.pid == 17) | .start, .wall_ns" out.json >actual &&
	test_write_lines 2026-11-21T12:00:00.100000Z 0 | test_cmp - actual
'

# Three programs in one process: two with sessions, and the last without.
test_expect_success 'a session lasts from exec to exec; a later program without events has no session' '
	{
		begin A-P0000000f 12 one &&
		event A-P0000000f 40 exec "\"exec_id\":0,\"exe\":\"two\",\"argv\":[\"two\"]" &&
		begin A-P0000000f/B-P0000000f 55 two &&
		event A-P0000000f/B-P0000000f 60 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"open\"" &&
		event A-P0000000f/B-P0000000f 70 exec "\"exec_id\":0,\"exe\":\"three\",\"argv\":[\"three\"]"
	} | recording three &&
	{
		forked 0 15 1 && execed 10 15 one && execed 50 15 two &&
		execed 80 15 three && ended 100 15 "\"code\":0"
	} >three/tasks.jsonl &&
	lives three >actual &&
	echo "100.000 0 15 one, then two, then [three]" | test_cmp - actual &&
	trace2 export --to csv --table sessions three |
	sed 1d | cut -d, -f 16-18 | sed "s/1795262400//g; s/000000//g" >actual &&
	test_write_lines "000,050,50" "050,100,50" | test_cmp - actual &&
	trace2 report --regions --format=csv three >out &&
	test_grep "^40000000,.*,c/open" out
'

test_expect_success 'a session whose clock is wrong is shifted into the lifetime of its process' '
	{
		begin A-P0000000f 0 top &&
		begin A-P0000000f/C-P00000010 12 early &&
		event A-P0000000f/C-P00000010 12 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"first\"" &&
		event A-P0000000f/C-P00000010 18 atexit "\"code\":0" &&
		begin A-P0000000f/C-P00000011 35 late &&
		event A-P0000000f/C-P00000011 41 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"last\"" &&
		event A-P0000000f/C-P00000011 42 atexit "\"code\":0" &&
		event A-P0000000f 60 atexit "\"code\":0"
	} | recording clock &&
	{
		forked 0 15 1 && execed 0 15 top && forked 14 16 15 &&
		execed 15 16 early && ended 25 16 && forked 30 17 15 &&
		execed 31 17 late && ended 40 17 && ended 60 15
	} >clock/tasks.jsonl &&
	test_prints lives clock <<-\EOF &&
	60.000 0 15 top
	11.000 0 16 ├ early
	10.000 0 17 └ late
	EOF
	trace2 export --to csv --table spans clock |
	sed -n "s/.*,c,\([a-z]*\),,\([0-9]*\)000000,\([0-9]*\)000000,.*/\1 \2 \3/p" >actual &&
	test_cmp - actual <<-\EOF
	first 1795262400014 1795262400025
	last 1795262400039 1795262400040
	EOF
'

test_expect_success 'exec in a second thread ends the first one, and the process continues' '
	recording thread </dev/null &&
	{
		forked 0 15 1 && execed 1 15 first &&
		task fork 5 15 "\"tid\":16,\"ppid\":15,\"ptid\":15" &&
		ended 30 15 "\"signal\":9" && execed 31 15 second &&
		ended 90 15
	} >thread/tasks.jsonl &&
	echo "90.000 - 15 first, then [second]" | test_prints lives thread
'

test_expect_success 'a process whose first thread ended lasts until the end of its last thread' '
	recording outlive </dev/null &&
	{
		forked 0 15 1 && execed 1 15 first &&
		task fork 5 15 "\"tid\":16,\"ppid\":15,\"ptid\":15" &&
		ended 10 15 "\"code\":3" &&
		task exit 70 15 "\"tid\":16,\"ppid\":1,\"ptid\":1"
	} >outlive/tasks.jsonl &&
	echo "70.000 3 15 [first]" | test_prints lives outlive
'

# ---- processes without an end --------------------------------------------------

# A recording in which 15 and its child 16 still run; 17 said its end. $1: state,
# with further members.
unfinished () {
	{
		begin A-P0000000f 5 top &&
		begin A-P0000000f/C-P00000010 15 kid &&
		event A-P0000000f/C-P00000010 20 region_enter "\"nesting\":1,\"category\":\"c\",\"label\":\"open\"" &&
		begin A-P0000000f/C-P00000011 32 said &&
		event A-P0000000f/C-P00000011 33 atexit "\"code\":0"
	} | recording "$1" &&
	sed "s/}$/,$2}/" "$1/meta.json" >meta && mv meta "$1/meta.json" &&
	{
		forked 0 15 1 && execed 1 15 top && forked 10 16 15 &&
		execed 11 16 kid && forked 30 17 15 && execed 31 17 said &&
		forked 40 18 15 && ended 50 18
	} >"$1/tasks.jsonl"
}

test_expect_success JQ 'a process whose recorder was killed lasts until the last record' '
	unfinished killed "\"state\":\"running\"" &&
	test_prints lives killed <<-\EOF &&
	>= 50.000 open 15 top
	>= 40.000 open 16 ├ kid
	3.000 0 17 ├ said
	10.000 - 18 └ [top]
	EOF
	test_expect_code 1 trace2 check killed >out &&
	test_grep "the recording is not finished: .trace2 record. was killed" out &&
	trace2 list -v killed >out &&
	test_grep "  >= 40.000 ms  16  kid$" out &&
	for command in list report
	do
		trace2 $command --format=json killed >>killed.json &&
		echo "[[true,50],[true,40],[false,3],[false,10]]" || return 1
	done >expect &&
	jq -c "[.processes[] | [.at_least, .wall_ns / 1000000]]" killed.json >actual &&
	test_cmp expect actual &&
	trace2 report killed >out &&
	test_grep "^>= 50.000 ms wall$" out &&
	test_grep "^>= 40.000  .*├ kid$" out &&
	trace2 report --regions --format=csv killed >out &&
	test_grep "^30000000,.*,c/open" out
'

test_expect_success 'a process that outlives a complete recording lasts until the end of it' '
	unfinished complete "\"state\":\"complete\",\"end_monotonic_ns\":1100000000" &&
	lives complete | sed 2q >actual &&
	test_cmp - actual <<-\EOF
	>= 100.000 open 15 top
	>= 90.000 open 16 ├ kid
	EOF
'

test_expect_success 'a process without an end, with records lost, lasts until its last record' '
	unfinished lost "\"state\":\"complete\",\"end_monotonic_ns\":1100000000,\"lost\":1,\"losses\":{\"kernel_records\":1}" &&
	lives lost | sed 2q >actual &&
	test_cmp - actual <<-\EOF
	>= 5.000 open 15 top
	>= 10.000 open 16 ├ kid
	EOF
'

test_expect_success JQ 'a stream without an end, and a stream that ends in exec, are listed' '
	{
		begin P 0 top && event P 30 exec "\"exec_id\":0,\"exe\":\"x\",\"argv\":[\"x\"]" &&
		begin Q 40 killed && event Q 60 data "\"category\":\"c\",\"key\":\"k\",\"value\":\"v\"" &&
		begin R 70 ended && event R 80 atexit "\"code\":0"
	} >open.event &&
	trace2 list open.event | sed "1d; s/^[0-9:.]* *//; s/  */ /g" >actual &&
	test_cmp - actual <<-\EOF
	>= 30.000 exec top
	>= 20.000 open killed
	10.000 0 ended
	EOF
'

# Several commands that nothing connects: all of them, and the longest.
test_expect_success JQ 'several commands: report shows their number, total time and span' '
	trace2 report open.event >out &&
	test_grep "^3 commands, >= 60.000 ms altogether in a span of 80.000 ms$" out &&
	test_prints grep -A1 CRITICAL out <<-\EOF &&
	TIME ms   SHARE  CRITICAL PATH OF THE LONGEST
	 30.000  100.0%  top
	EOF
	trace2 report --format=json open.event |
	jq -c ".summary[0] | [.commands, .wall_ns, .span_ns, .at_least]" >actual &&
	echo "[3,60000000,80000000,true]" | test_cmp - actual
'

test_expect_success 'report -g cmd of parallel commands: SHARE is of the sum of their wall times' '
	{
		begin P 0 a && begin P/X 10 kid && event P/X 20 atexit &&
		event P 50 atexit && begin Q 0 b && begin Q/Y 15 kid &&
		event Q/Y 25 atexit && event Q 50 atexit
	} >side.event &&
	trace2 report -g cmd side.event >out &&
	test_grep " 20.000  20.0%  .* kid$" out
'

# ---- real processes ---------------------------------------------------------

write_script work <<-\EOF
i=0
while test $i -lt 20000
do
	i=$((i + 1))
done
exec git version
EOF

# fork_to_exit DIR: print the time from fork to exit of each process, as the
# kernel recorded it.
fork_to_exit () {
	jq -s -r '.[] | select(.pid == .tid) | select(.type == "fork" or .type == "exit") |
		"\(.pid) \(.time_ns)"' "$1/tasks.jsonl" |
	awk '$1 in start { print $1, $2 - start[$1] } { start[$1] = $2 }' |
	sort
}

test_expect_success GIT,JQ,TASKS 'Git, a script that ends in Git, Git below a shell: each lasts from fork to exit' '
	trace2 record -o real -- sh -c "git version; ./work; git version; :" \
		>/dev/null &&
	fork_to_exit real >expect &&
	trace2 list --format=json real |
	jq -r ".processes[] | \"\\(.pid) \\(.wall_ns)\"" | sort >actual &&
	test_line_count = 4 actual &&
	test_cmp expect actual &&
	trace2 list real >out &&
	test_grep "work, then git version$" out &&
	trace2 report real --format=json | jq -e ".processes[0].self_ns >= 0 and
		.processes[0].self_ns + ([.processes[1:][].wall_ns] | add) ==
		.processes[0].wall_ns"
'

# The child runs until this test ends its input.
test_expect_success PIPE,JQ,TASKS 'a process that is still recorded lasts until now' '
	mkfifo stop &&
	{
		trace2 record -o now -- sh -c "echo x >started; cat; :" <stop >/dev/null &
		pid=$!
	} &&
	exec 8>stop &&
	test_when_finished "exec 8>&-" &&
	wait_until test -s started &&
	wait_until grep -q "\"comm\":\"cat\"" now/tasks.jsonl &&
	test_expect_code 1 trace2 check now >out &&
	test_grep "the recording is not finished: .trace2 record. still runs" out &&
	trace2 list --format=json now >first &&
	trace2 list --format=json now >second &&
	exec 8>&- &&
	wait $pid &&
	trace2 list --format=json now >last &&
	jq -s -e "(map([.processes[].wall_ns] | max) | .[0] < .[1]) and
		(map([.processes[].at_least] | unique) | .[0] == [true] and
			.[2] == [false])" first second last
'

test_done
