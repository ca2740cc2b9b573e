#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the costs of starting processes

SPAWN is the time that a parent lost by starting a child, from its fork to its
exec, and by noticing its end. The parent waited for these, and did nothing else
that was recorded. SPAWN is computed in the model, so all views and formats
agree.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"
. "$TEST_DIRECTORY"/t3300/lib-export.sh

# end SID MS [START]
end () {
	event "$1" "$2" atexit "\"t_abs\":$(printf %d.%03d \
		"$((($2 - $3) / 1000))" "$((($2 - $3) % 1000))"),\"code\":0"
}

# child MS ID NAME [CLASS], reaped MS ID [NAME]: of the session P.
child () {
	event P "$1" child_start "\"child_id\":$2,\"child_class\":\"${4:-?}\",
		\"use_shell\":false,\"argv\":[\"$3\"]" | tr -d '\n\t' &&
	echo
}
reaped () {
	event P "$1" "${3:-child_exit}" "\"child_id\":$2,\"pid\":$((16 + $2)),
		\"code\":0,\"ready\":\"ready\"" | tr -d '\n\t' &&
	echo
}
# ran ID FROM TO NAME: the own events of the child.
ran () {
	begin "P/C-P0000001$1" "$2" "$4" && end "P/C-P0000001$1" "$3" "$2"
}
region () {
	event P "$1" "region_$2" '"nesting":1,"category":"c","label":"own"'
}

# spawned FILE: print the name of each child and the cost of starting it.
spawned () {
	trace2 report --format=csv "$1" >csv &&
	awk -F, '/^depth,time_ns/ { exit }
		$1 == 1 { print $9, $8 }' csv | sed 's/000000$/ ms/'
}

test_expect_success 'SPAWN counts the start and the end of a child that its parent waits for' '
	{
		begin P 0 top && child 10 0 kid && ran 0 14 40 kid &&
		reaped 43 0 && end P 100 0
	} >plain.event &&
	echo "kid 7 ms" | test_prints spawned plain.event &&
	trace2 report plain.event >out &&
	test_grep "^7.000 ms (7.0%) spawning$" out
'

# As in git fetch: upload-pack ends at 50, and is reaped at 90.
test_expect_success 'SPAWN counts only the start of a child that ended long before its child_exit' '
	{
		begin P 0 top && child 10 0 upload && ran 0 13 50 upload &&
		child 60 1 index && ran 1 62 80 index && reaped 81 1 &&
		region 82 enter && region 88 leave && reaped 90 0 && end P 100 0
	} >late.event &&
	spawned late.event >actual &&
	test_write_lines "upload 3 ms" "index 3 ms" | test_cmp - actual &&
	trace2 report late.event >out &&
	test_grep "^6.000 ms (6.0%) spawning$" out
'

for what in "data 60 data \"category\":\"c\",\"key\":\"k\",\"value\":\"v\"" \
	"error 60 error \"msg\":\"m\",\"fmt\":\"m\""
do
	test_expect_success "SPAWN counts only the start if the parent writes ${what%% *} before child_exit" '
		{
			begin P 0 top && child 10 0 kid && ran 0 12 50 kid &&
			event P ${what#* } && reaped 90 0 && end P 100 0
		} >busy.event &&
		spawned busy.event >actual &&
		echo "kid 2 ms" | test_cmp - actual
	'
done

test_expect_success 'SPAWN counts only the start if the parent leaves a region before child_exit' '
	{
		begin P 0 top && child 10 0 kid && ran 0 12 50 kid &&
		region 20 enter && region 70 leave && reaped 90 0 && end P 100 0
	} >busy.event &&
	echo "kid 2 ms" | test_prints spawned busy.event
'

test_expect_success 'SPAWN counts start and end of a child also inside a region' '
	{
		begin P 0 top && region 5 enter && child 10 0 kid &&
		ran 0 12 50 kid && reaped 55 0 && region 60 leave && end P 100 0
	} >around.event &&
	echo "kid 7 ms" | test_prints spawned around.event
'

test_expect_success 'SPAWN counts the start of a child only until the parent writes an event' '
	{
		begin P 0 top && child 10 0 kid && region 12 enter &&
		ran 0 40 50 kid && region 45 leave && reaped 52 0 && end P 100 0
	} >on.event &&
	echo "kid 4 ms" | test_prints spawned on.event
'

# b starts beside a, c beside both; a is waited for while b runs.
test_expect_success 'SPAWN leaves out the time in which another child of the parent runs' '
	{
		begin P 0 top && child 10 0 a && child 12 1 b && ran 0 15 50 a &&
		ran 1 16 70 b && child 30 2 c && ran 2 35 60 c &&
		reaped 53 0 && reaped 62 2 && reaped 74 1 && end P 100 0
	} >beside.event &&
	spawned beside.event >actual &&
	test_write_lines "a 2 ms" "b 7 ms" "c 0" | test_cmp - actual &&
	trace2 report beside.event >out &&
	test_grep "^9.000 ms (9.0%) spawning$" out
'

test_expect_success 'a background child, a pager or a filter does not change SPAWN of another child' '
	for how in "? child_ready" "pager child_exit" "subprocess child_exit"
	do
		{
			begin P 0 top && child 1 0 idle ${how% *} &&
			{ test "$how" != "? child_ready" ||
			  reaped 4 0 child_ready; } &&
			ran 0 3 95 idle && child 10 1 kid && ran 1 14 40 kid &&
			reaped 43 1 &&
			{ test "$how" = "? child_ready" || reaped 96 0; } &&
			end P 100 0
		} >idle.event &&
		spawned idle.event >actual &&
		test_grep "^kid 7 ms$" actual || return 1
	done
'

test_expect_success 'SPAWN of a child ignores events of threads other than the one that started it' '
	{
		begin P 0 top &&
		(thread=th01:a && event P 5 thread_start && child 10 0 kid) &&
		region 11 enter && ran 0 14 40 kid && region 41 leave &&
		(thread=th01:a && reaped 43 0 && event P 44 thread_exit) &&
		end P 100 0
	} >threads.event &&
	echo "kid 7 ms" | test_prints spawned threads.event
'

test_expect_success 'SPAWN is unknown, not 0, if end or times of a child are missing' '
	{
		begin P 0 top && child 10 0 kid && begin P/C-P00000010 14 kid &&
		child 20 1 silent && reaped 30 1 && end P 100 0
	} >open.event &&
	test_write_lines "kid " "silent " | test_prints spawned open.event &&
	test_prints trace2 report -g cmd plain.event <<-\EOF &&
	SUM WALL ms  SUM SELF ms  SHARE  SUM SPAWN ms  COUNT   P50 ms   P90 ms   P99 ms   MAX ms  GROUP
	    100.000       74.000  74.0%             -      1  100.000  100.000  100.000  100.000  top
	     26.000       26.000  26.0%         7.000      1   26.000   26.000   26.000   26.000  kid
	EOF
	trace2 report -g cmd -s spawn plain.event >sorted &&
	test_grep "kid$" sorted >first &&
	sed -n 2p sorted >second &&
	test_cmp first second &&
	trace2 report -g cmd --format=json plain.event >json &&
	test_grep "null" json
'

test_expect_success JQ 'SPAWN has the same values in all formats' '
	trace2 export --to folded late.event >folded &&
	sort folded | sed "s/c:own/c\\/own/" >actual &&
	test_cmp - actual <<-\EOF &&
	top 33000
	top;c/own 6000
	top;index 18000
	top;index;[spawn] 3000
	top;upload 37000
	top;upload;[spawn] 3000
	EOF
	trace2 export --to chrome late.event |
	jq "[.traceEvents[].args.spawn_ns // empty] | sort" -c >actual &&
	echo "[3000000,3000000]" >expect &&
	test_cmp expect actual &&
	trace2 export --to otlp late.event >otlp &&
	jq -c "[.. | objects | select(.key? == \"trace2.spawn_ns\") |
		.value.intValue | tonumber] | sort" otlp >actual &&
	test_cmp expect actual &&
	trace2 export --to csv --table spans late.event >spans &&
	test "$(grep -c ",3000000\(,[^,]*\)\{5\}$" spans)" = 2
'

test_expect_success SQLITE3 'sqlite: the view spawn_overhead gives SPAWN as a share of seen_by_parent_ms' '
	trace2 export --to sqlite -o x.db late.event &&
	test_prints sqlite3 x.db "select process, spawn_ms, seen_by_parent_ms,
		round(share, 4) from spawn_overhead order by 1" <<-\EOF
	index|3.0|21.0|0.1429
	upload|3.0|80.0|0.0375
	EOF
'

# ---- with the kernel's records ------------------------------------------------

# The process 15 is a program with a session, and starts 16.
parent () {
	begin A-P0000000f 0 top && "$@" && event A-P0000000f 100 atexit "\"code\":0"
}
of_parent () {
	event A-P0000000f "$@"
}
kid_of_parent () {
	of_parent 10 child_start "\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"kid\"]" &&
	begin A-P0000000f/C-P00000010 20 kid &&
	event A-P0000000f/C-P00000010 45 atexit "\"code\":0" &&
	of_parent "$1" "$2" "\"child_id\":0,\"pid\":16,\"code\":0,\"ready\":\"ready\""
}
tasks () {
	forked 0 15 1 && execed 0 15 top && forked 12 16 15 && "$@" &&
	execed 14 16 kid && ended 50 16 && ended 100 15
}

test_expect_success 'SPAWN with task records is fork to exec, plus exit to child_exit' '
	parent kid_of_parent 53 child_exit | recording both &&
	tasks : >both/tasks.jsonl &&
	echo "kid 5 ms" | test_prints spawned both
'

test_expect_success 'SPAWN with task records counts only the start of a background child' '
	parent kid_of_parent 30 child_ready | recording ready &&
	tasks : >ready/tasks.jsonl &&
	echo "kid 2 ms" | test_prints spawned ready
'

test_expect_success 'SPAWN with task records counts only the start of a child without child_exit' '
	parent : | recording silent &&
	tasks : >silent/tasks.jsonl &&
	echo "kid 2 ms" | test_prints spawned silent &&
	parent of_parent 13 data "\"category\":\"c\",\"key\":\"k\",\"value\":\"v\"" |
	recording busy &&
	tasks : >busy/tasks.jsonl &&
	echo "kid 1 ms" | test_prints spawned busy
'

test_expect_success 'SPAWN of a command of a shell counts the time from fork to exec' '
	recording shell </dev/null &&
	{
		forked 0 15 1 && execed 0 15 sh && forked 12 16 15 &&
		execed 14 16 kid && ended 50 16 && forked 50 17 15 &&
		execed 53 17 more && ended 60 17 && ended 100 15
	} >shell/tasks.jsonl &&
	test_write_lines "kid 2 ms" "more 3 ms" | test_prints spawned shell &&
	trace2 report shell >out &&
	test_grep "^5.000 ms (5.0%) spawning$" out
'

# The shell waits for neither of two that it starts at once, and calls exec.
test_expect_success 'SPAWN of a shell ends at another fork or an exec of the shell' '
	recording both </dev/null &&
	{
		forked 0 15 1 && execed 0 15 sh && forked 10 16 15 &&
		forked 11 17 15 && execed 13 17 second && execed 15 16 first &&
		ended 20 16 && ended 20 17 && forked 30 18 15 &&
		execed 31 15 last && execed 35 18 third && ended 40 18 &&
		ended 60 15
	} >both/tasks.jsonl &&
	spawned both >actual &&
	test_write_lines "first 1 ms" "second 2 ms" "third 1 ms" | test_cmp - actual
'

test_expect_success 'SPAWN of a command of one shell does not depend on a second shell beside it' '
	recording shells </dev/null &&
	{
		forked 0 15 1 && execed 0 15 top && forked 1 16 15 &&
		execed 2 16 a && forked 4 17 15 && execed 6 17 b &&
		forked 10 18 16 && forked 12 19 17 && execed 15 18 first &&
		execed 19 19 second && ended 40 18 && ended 40 19 &&
		ended 50 16 && ended 50 17 && ended 60 15
	} >shells/tasks.jsonl &&
	trace2 report --format=csv shells >csv &&
	awk -F, "/^depth,time_ns/ { exit }
		\$1 >= 1 && \$1 != \"depth\" { print \$9, \$8 }" csv | sed "s/000000$/ ms/" >actual &&
	test_write_lines "a 1 ms" "first 5 ms" "b 0" "second 7 ms" | test_cmp - actual
'

test_expect_success 'SPAWN of a subshell lasts until its first fork, and is 0 without fork and exec' '
	recording subshell </dev/null &&
	{
		forked 0 15 1 && execed 0 15 sh && forked 10 16 15 &&
		forked 13 17 16 && execed 14 17 inner && ended 20 17 &&
		execed 30 16 outer && ended 40 16 && forked 50 18 15 &&
		ended 60 18 && ended 70 15
	} >subshell/tasks.jsonl &&
	test_prints spawned subshell <<-\EOF
	outer 3 ms
	sh 0
	EOF
'

# ---- with the states of threads -------------------------------------------------

# stated: like spawned, of the records on standard input (t3130/kernel.perl), in
# microseconds.
stated () {
	made states &&
	spawned states | sed -n "s/000\$/ us/; /^kid/p"
}

test_expect_success 'SPAWN with vfork counts the wait until exec, and the end until the parent runs' '
	stated >actual <<-\EOF &&
	top top
	10 0 fork 11 11 10 10
	13 0 sleep 10 10 0 swapper schedule,wait_for_vfork_done
	14 1 in 11 11
	34 1 comm 11 11 kid exec
	35 1 waking 11 11 10
	40 0 in 10 10
	45 0 sleep 10 10 0 swapper schedule,do_wait
	60 1 exit 11 11
	75 0 in 10 10
	80 0 exit 10 10
	EOF
	echo "kid 36 us" | test_cmp - actual
'

test_expect_success 'SPAWN excludes time in which the parent computes or sleeps' '
	stated >actual <<-\EOF &&
	top top
	10 0 fork 11 11 10 10
	12 1 in 11 11
	20 0 sleep 10 10 0 swapper schedule,do_nanosleep
	30 1 comm 11 11 kid exec
	60 1 exit 11 11
	90 0 in 10 10
	95 0 exit 10 10
	EOF
	echo "kid 0" | test_cmp - actual
'

test_expect_success 'SPAWN before exec counts a wait of the parent only if the child ended it' '
	stated >actual <<-\EOF &&
	0 0 fork 10 10 1 1
	0 1 fork 20 20 1 1
	0 0 in 10 10
	1 0 comm 10 10 top exec
	10 0 fork 11 11 10 10
	11 1 in 11 11
	12 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	19 1 waking 11 11 10
	20 0 in 10 10
	21 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	23 1 waking 20 20 10
	24 0 in 10 10
	25 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	30 1 comm 11 11 kid exec
	40 1 waking 11 11 10
	41 0 in 10 10
	60 1 exit 11 11
	90 0 exit 10 10
	EOF
	echo "kid 12 us" | test_cmp - actual
'

test_expect_success 'SPAWN counts the end of a child for a parent without events, too' '
	stated >actual <<-\EOF &&
	0 0 fork 15 15 1 1
	0 0 in 15 15
	1 0 comm 15 15 top exec
	10000 0 fork 16 16 15 15
	10001 1 in 16 16
	14000 1 comm 16 16 kid exec
	30000 0 sleep 15 15 0 swapper schedule,do_wait
	50000 1 exit 16 16
	52000 0 in 15 15
	100000 0 exit 15 15
	EOF
	echo "kid 2 ms" | test_cmp - actual
'

test_done
