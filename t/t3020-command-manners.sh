#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='what a command leaves alone when it fails, and what it says'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

unchecked 'forged' bad lines actual

test_expect_success 'a recording that cannot begin leaves the one before in its place' '
	trace2 record -- true 2>err &&
	cp trace2.data/meta.json before &&
	test_expect_code 128 trace2 record --listen missing/s -- true 2>err &&
	test_grep "cannot listen on .missing/s." err &&
	test_cmp before trace2.data/meta.json &&
	test_path_is_missing trace2.data.old &&
	trace2 record -- true 2>err &&
	test_cmp before trace2.data.old/meta.json
'

test_expect_success 'a command that is cut short: those that may be meant' '
	test_expect_code 2 trace2 rep 2>err &&
	echo "trace2: '\''rep'\'' is not a command. Did you mean '\''report'\''?" >expect &&
	test_cmp expect err &&
	test_expect_code 2 trace2 re 2>err &&
	test_grep "Did you mean .record. or .report.?$" err
'

# Any user with permission to write to the directory chooses the names.
test_expect_success FUNNYNAMES 'names of files cannot forge a line, nor speak to the terminal' '
	mkdir anybodys &&
	name=$(printf "x\033]0;y\007\ntrace2: error") &&
	echo garbage >"anybodys/$name" &&
	cat >expect <<-\EOF &&
	trace2: warning: '\''anybodys/x\x1b]0;y\x07\ntrace2: error'\'': neither event JSON, nor perf text, nor a ring, nor a recording
	EOF
	trace2 list anybodys 2>actual &&
	test_cmp expect actual &&
	printf "{\"event\":\"version\"}\n{\n" >"anybodys/$name" &&
	test_expect_code 1 trace2 check anybodys >actual 2>&1 &&
	test_grep "anybodys/x.x1b]0;y.x07.ntrace2: error:" actual &&
	tr -d "\012\040-\176" <actual >control &&
	test_must_be_empty control
'

# Each string of a stream tries to, also by U+009B, which is ESC [ in one.
test_expect_success JQ 'nothing in a stream can do so either' '
	GIT_TRACE2_EVENT="$(pwd)/good" test-tool trace2 016allevents &&
	jq -c "with_entries(if .key | IN(\"event\", \"time\", \"evt\") then .
		else .value |= walk(if type == \"string\"
			then . + \"\\u001b[31m\\u009b2J\\u007f\\n\" else . end)
		end)" good >bad &&
	grep "u001b.31m" bad >lines &&
	test_line_count -gt 30 lines &&
	all=time,sid,cmd,thread,event,repo,category,message,file &&
	for view in "check" "list" "list -v" "list --events" "list --known" \
		"list --errors" "report" "report --regions" "report --threads" \
		"report --timers --per-thread" "report --counters" \
		"report --errors" "report -g sid" "script" "script -F $all" \
		"script --git-normal" "script --git-perf"
	do
		{ trace2 $view bad >actual || test $? = 1; } &&
		test_file_not_empty actual &&
		tr -d "\012\040-\176\200-\377" <actual >control &&
		test_must_be_empty control &&
		test_grep ! "$(printf "\302\233")" actual ||
		{
			echo "it was: $view"
			return 1
		}
	done &&
	test_grep "[^ ].x1b.31m.xc2.x9b2J.x7f.n" actual
'

test_expect_success 'a closed standard stream is not taken for a file' '
	events=$TEST_DIRECTORY/traces/gc.event &&
	trace2 export --to chrome -o expect "$events" &&
	trace2 export --to chrome -o actual "$events" >&- &&
	test_cmp expect actual &&
	trace2 export --to chrome -o actual "$events" <&- >&- 2>&- &&
	test_cmp expect actual &&
	test_expect_code 128 trace2 list "$events" >&- 2>err &&
	test_grep "cannot write the output: Bad file descriptor" err &&
	test_expect_code 128 trace2 list - <&- 2>err &&
	test_grep "Bad file descriptor" err &&
	trace2 record -o closed -- "$SHELL_PATH" -c "echo unseen; :" <&- >&- 2>&- &&
	trace2 check closed &&
	! grep -r unseen closed/events
'

test_done
