#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 list: the processes of a recording'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"
. "$TEST_DIRECTORY/lib-terminal.sh"

traces=$TEST_DIRECTORY/traces

test_expect_success 'list shows a tree with durations, exit codes and pids' '
	test_prints trace2 list "$traces/gc.event" <<-\EOF
	START            WALL ms  EXIT    PID  COMMAND
	07:20:00.562515   32.446     0  15558  git -C project gc --aggressive
	07:20:00.565187    2.458     0  15559  ├ git pack-refs --all --prune
	07:20:00.568616    3.441     0  15560  ├ git reflog expire --all
	07:20:00.572997    0.535     0  15561  ├ git worktree prune --expire 3.months.ago
	07:20:00.574418    0.518     0  15562  ├ git rerere gc
	07:20:00.575847   15.236     0  15563  ├ git repack -d -l -f --depth=50 --window=250 --cruft --cruft-expiration=2.weeks.ago
	07:20:00.577248    7.392     0  15564  │ ├ git pack-objects --window=250 --depth=50 --no-reuse-delta --local --delta-base-offset --honor-pack-keep .git/objects/pack/.tmp-15563-pack --keep-true-parents --non-empty --all --reflog --indexed-objects
	07:20:00.585750    1.571     0  15566  │ └ git pack-objects --window=250 --depth=50 --local --delta-base-offset --honor-pack-keep .git/objects/pack/.tmp-15563-pack --cruft --cruft-expiration=2.weeks.ago --non-empty
	07:20:00.592153    1.243     0  15567  └ git prune --expire 2.weeks.ago
	EOF
'

test_expect_success 'list shows the program without its directory, however long' '
	{ begin P 0 /opt/x && event P 5 atexit; } >short.event &&
	trace2 list short.event >actual &&
	test_grep "  x$" actual
'

test_expect_success 'list marks a process as a likely child (?) of a shell that started it' '
	trace2 list "$traces/fetch.event" >out &&
	sed -n "3,4p" out | cut -c 26- >actual &&
	test_cmp - actual <<-\EOF &&
	    0  15552     ├ [git-upload-pack '\''/home/dev/../origin.git'\'']
	    0  15553  ?  │ └ git-upload-pack /home/dev/../origin.git
	EOF
	test_prints tail -n 2 out <<-\EOF
	[...] is not instrumented: seen by its parent or the kernel only
	? likely, but not certainly, a child of the process above it
	EOF
'

# subshell [TIME]: a script, which starts Git at TIME, and its subshell; of the
# latter, only the SID names the parent.
subshell () {
	local git="${1-10}" &&
	begin A-P0000000a 0 script &&
	event A-P0000000a 10 child_start "\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"git\"]" &&
	begin A-P0000000a/B-P0000000b "$git" git &&
	event A-P0000000a/B-P0000000b "$((git + 2))" atexit "\"code\":0" &&
	event A-P0000000a 20 child_exit "\"child_id\":0,\"pid\":11,\"code\":0,\"t_rel\":0.01" &&
	begin A-P0000000a/C-P0000000c 20 sub &&
	event A-P0000000a/C-P0000000c 20 atexit "\"code\":0" &&
	event A-P0000000a 30 atexit "\"code\":0"
}

test_expect_success 'list: a process is not shown below a sibling that has a session of its own' '
	subshell >stream &&
	trace2 list stream | sed -n "s/^[0-9].* 0 *\([0-9]*\) /\1/p" >actual &&
	test_cmp - actual <<-\EOF
	10    script
	11    ├ git
	12 ?  └ sub
	EOF
'

# The clock of a shell may be off by 10 ms.
test_expect_success 'list: a process is not shown below a sibling that started later' '
	subshell 23 >stream &&
	trace2 list stream | sed -n "s/^[0-9].* 0 *\([0-9]*\) /\1/p" >actual &&
	test_cmp - actual <<-\EOF
	10    script
	12 ?  ├ sub
	11    └ git
	EOF
'

test_expect_success 'a session that seems to start after its process ended is joined to the process' '
	subshell | recording coarse &&
	{
		forked 0 10 1 && execed 0 10 script && forked 5 11 10 &&
		execed 6 11 git && ended 9 11 && forked 11 12 10 &&
		ended 12 12 && ended 30 10
	} >coarse/tasks.jsonl &&
	trace2 list coarse | sed -n "s/^[0-9].* \(1[0-9]  .*\)/\1/p" >actual &&
	test_cmp - actual <<-\EOF
	10  script
	11  ├ git
	12  └ sub
	EOF
'

test_expect_success 'a program that could not be started is not shown as a process' '
	trace2 list "$traces/alias.event" >out &&
	test_line_count = 3 out
'

test_expect_success 'list --errors shows processes that failed' '
	trace2 list --errors "$traces/error.event" "$traces/status.event" >out &&
	test_line_count = 2 out &&
	test_grep "git -C project checkout no-such-branch" out
'

test_expect_success 'list --open shows processes without an end' '
	grep -v "\"event\":\"\\(exit\\|atexit\\)\"" "$traces/status.event" >open.event &&
	trace2 list --open open.event "$traces/error.event" >out &&
	test_line_count = 2 out &&
	test_grep " open .* git -C project status" out
'

test_expect_success 'list --events counts events by type' '
	test_prints trace2 list --events "$traces/data.event" <<-\EOF
	COUNT  EVENT
	    2  def_param
	    2  data
	    1  version
	    1  start
	    1  exit
	    1  atexit
	    1  cmd_ancestry
	    1  cmd_name
	EOF
'

test_expect_success 'list --known names each timer and counter once' '
	test_prints trace2 list --known "$traces/timers.event" "$traces/counters.event" <<-\EOF
	KIND     NAME
	counter  test/test2
	timer    test/test2
	EOF
'

test_expect_success 'list -v shows argv, ancestry, parameters and errors' '
	trace2 list -v "$traces/error.event" >actual &&
	test_grep "^  ancestry   bash sshd systemd$" actual &&
	test_grep "^  version    2.55.0" actual &&
	test_grep "^  repo       /home/dev/project$" actual &&
	test_grep "^  param      core.bare=false (local)$" actual &&
	test_grep "^  error      pathspec .no-such-branch. did not match" actual
'

# The recording contains no directories of other processes.
test_expect_success 'list -v and JSON show where each program was started' '
	mkdir "a place" &&
	(
		cd "a place" &&
		trace2 record -o ../cwd.data -- sh -c \
			"cd / && test-tool trace2 001return 0; :"
	) &&
	trace2 list -v cwd.data >out &&
	test_write_lines "  cwd        $PWD/a place" "  cwd        /" |
	test_prints grep "^  cwd" out &&
	trace2 list --format=json cwd.data >out &&
	grep -c "\"cwd\":\"$PWD/a place\"" out &&
	grep -c "\"cwd\":\"/\"" out
'

test_expect_success 'list: filters select processes' '
	trace2 list --cmd "pack-*" "$traces/gc.event" >out &&
	test_line_count = 4 out &&
	trace2 list --pid 15566 "$traces/gc.event" >out &&
	test_line_count = 2 out &&
	trace2 list -t 5ms "$traces/gc.event" >out &&
	test_line_count = 4 out &&
	trace2 list -D 0 "$traces/gc.event" >out &&
	test_line_count = 2 out &&
	trace2 list --sid 20261121T072000.576029Z-H0a7c9cdf-P00003ccb "$traces/gc.event" >out &&
	test_line_count = 2 out &&
	test_grep "git repack" out &&
	trace2 list --since 2026-11-21T07:20:00.592Z "$traces/gc.event" >out &&
	test_line_count = 3 out &&
	trace2 list --until 2026-11-21T07:20:00.564Z "$traces/gc.event" >out &&
	test_line_count = 2 out
'

test_expect_success 'list --cmd shows the children of a process that it hides' '
	trace2 list --cmd "*pack*" "$traces/gc.event" >out &&
	sed "s/.*[0-9]  //" out | cut -c 1-22 >actual &&
	test_grep "^├ git pack-objects" actual &&
	test_grep "^└ git pack-objects" actual
'

test_expect_success JQ 'list as JSON has every number without rounding' '
	trace2 list --format=json "$traces/gc.event" >out &&
	echo "[2,15564,7392000,0,\"pack-objects\",\"pid\",\"2026-11-21T07:20:00.577248Z\",\"pack-objects\"]" |
	test_prints jq -c ".processes[6] | [.depth, .pid, .wall_ns, .code, .name, .join, .start, .argv[1]]" out
'

test_expect_success 'list as CSV quotes fields where needed' '
	trace2 list --format=csv "$traces/alias.event" >out &&
	test_grep "^depth,start,wall_ns,cpu_ns,pid,name,argv,end,code,signal" out &&
	test_line_count = 3 out
'

test_expect_success 'list uses colour on a terminal or on request only' '
	esc=$(printf "\\033") &&
	test -n "$esc" &&
	trace2 list "$traces/error.event" >out &&
	! grep "$esc" out &&
	trace2 list --color=always "$traces/error.event" >out &&
	test_grep "$esc\[31m1$esc\[m" out
'

test_expect_success GIT 'list names the signal that killed a child' '
	cat >killed.event <<-\EOF &&
	{"event":"version","sid":"s","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"s","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.000000,"argv":["p"]}
	{"event":"signal","sid":"s","thread":"main","time":"2026-11-21T07:20:00.500000Z","file":"a.c","line":1,"t_abs":0.500000,"signo":15}
	EOF
	trace2 list killed.event >out &&
	test_grep "SIGTERM" out
'

test_expect_success TTY 'a missing pager and a dumb terminal do no harm' '
	sane_unset TRACE2_PAGER &&
	trace2 list "$traces/error.event" >expect &&
	test_file_not_empty expect &&
	TERM=xterm COLUMNS=500 PAGER=no-such-pager \
		test_terminal trace2 list --color=never \
		"$traces/error.event" >actual 2>err &&
	test_grep "no-such-pager" err &&
	test_cmp expect actual &&
	TERM=dumb COLUMNS=500 PAGER="echo paged" \
		test_terminal trace2 list "$traces/error.event" >actual &&
	test_cmp expect actual
'

# durations WALL…: a session of each duration, with a region as long.
durations () {
	n=0
	for wall
	do
		n=$((n + 1)) &&
		head="\"sid\":\"20261121T072000.000000Z-H0a7c9cdf-P$(printf "%08x" $n)\",\"thread\":\"main\"" &&
		cat <<-EOF || return 1
		{"event":"version",$head,"evt":"4","exe":"1"}
		{"event":"start",$head,"t_abs":0.000000,"argv":["p$n"]}
		{"event":"region_enter",$head,"nesting":1,"category":"c","label":"$wall"}
		{"event":"region_leave",$head,"t_rel":$wall,"nesting":1,"category":"c","label":"$wall"}
		{"event":"atexit",$head,"t_abs":$wall,"code":0}
		EOF
	done
}

test_expect_success 'list: the largest duration decides the unit' '
	while read -r longest expect
	do
		durations 0.000001 "$longest" >round.event &&
		trace2 list round.event >out &&
		sed -n "1s/.*WALL \([a-z]*\).*/\1/p; s/^[0-9:.]*  *\([0-9.]*\)  *0 .*/\1/p" \
			out | xargs >actual &&
		echo "$expect" >expect &&
		test_cmp expect actual || return 1
	done <<-\EOF
	0.000005 us 1 5
	0.000999499 us 1.000 999.499
	0.0009995 ms 0.001 1.000
	0.0010005 ms 0.001 1.001
	0.9994994 ms 0.001 999.499
	0.9995 s 0.000 1.000
	59.9995 s 0.000 60.000
	5399.999999 s 0.000 5400.000
	EOF
'

test_expect_success 'report --regions picks a unit in which the shortest call is not 0, if possible' '
	while read -r shortest longest expect
	do
		durations "$shortest" "$longest" >round.event &&
		trace2 report --regions -s p50 round.event >out &&
		sed -n "1s/.* MAX \([a-z]*\) .*/\1/p; s/.* \([0-9.]*\)  c\/[0-9].*/\1/p" \
			out | xargs >actual &&
		echo "$expect" | test_cmp - actual || return 1
	done <<-\EOF
	0.000001 2.000000 ms 2000.000 0.001
	0.000000999 0.2 us 200000.000 0.999
	0.001 1.5 s 1.500 0.001
	0.000001 3598.2 s 3598.200 0.000
	EOF
'

test_done
