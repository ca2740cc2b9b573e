#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2: commands, options, help'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_expect_success 'trace2 without a command lists the commands, and exits with 2' '
	test_expect_code 2 trace2 >out &&
	test_grep "^Usage: trace2 COMMAND" out &&
	trace2 help >out &&
	test_grep "^  report    Shows where the time went" out &&
	trace2 --help >actual &&
	test_cmp out actual
'

test_expect_success 'an unknown command is named, with the closest one' '
	test_expect_code 2 trace2 lst 2>err &&
	echo "trace2: '\''lst'\'' is not a command. Did you mean '\''list'\''?" >expect &&
	test_cmp expect err &&
	test_expect_code 2 trace2 frobnicate 2>err &&
	test_grep "trace2 help. lists them" err
'

test_expect_success 'every command answers -h, --help and help in 80 columns' '
	trace2 help --commands >commands &&
	test -s commands &&
	while read -r command
	do
		trace2 $command -h >out &&
		test_grep "^Usage: trace2 $command" out &&
		trace2 $command --help >actual &&
		test_cmp out actual &&
		trace2 help $command >actual &&
		test_cmp out actual &&
		"$PERL_PATH" -CSD -ne "chomp; die qq(\$_\n) if length > 80" out ||
		return 1
	done <commands
'

test_expect_success '-h, help --asciidoc and help --completion name the same option' '
	trace2 report -h >help &&
	trace2 help --asciidoc report >adoc &&
	trace2 help --completion bash >completion &&
	test_grep "  -g, --group BY " help &&
	test_grep "^\`--group\` _BY_::" adoc &&
	test_grep "report) words=.* -g --group " completion
'

test_expect_success 'an unknown option is named, with the usage' '
	test_expect_code 2 trace2 report --frob 2>err &&
	test_grep "unknown option .--frob." err &&
	test_grep "^Usage: trace2 report" err &&
	! grep -n ".\{81\}" err &&
	test_expect_code 2 trace2 report -n 2>err &&
	test_grep "option .-n. needs a value" err &&
	test_expect_code 2 trace2 report -n x 2>err &&
	test_grep ".x. is not a value of -n: it takes a number" err &&
	test_expect_code 2 trace2 report --format=xml 2>err &&
	test_grep "it takes text|json|csv" err &&
	test_expect_code 2 trace2 list -t soon 2>err &&
	test_grep ".soon. is not a value of -t: .* such as 20us" err &&
	test_expect_code 2 trace2 list --since soon 2>err &&
	test_grep ".soon. is not a value of --since: .* 14:30, .* as 5min" err &&
	test_expect_code 2 trace2 list --no-pager=yes 2>err &&
	test_grep "option .--no-pager. takes no value" err
'

test_expect_success 'an option that is mistyped or abbreviated is answered with the closest ones' '
	test_expect_code 2 trace2 report --regoin=x 2>err &&
	head -n 1 err >actual &&
	echo "trace2: unknown option '\''--regoin'\''. Did you mean '\''--region'\''?" \
		>expect &&
	test_cmp expect actual &&
	test_expect_code 2 trace2 report --t 2>err &&
	test_grep "unknown option .--t.\. Did you mean .--tests., .--threads. or .--timers.?$" err &&
	test_expect_code 2 trace2 report --xylophone 2>err &&
	test_grep "unknown option .--xylophone.$" err
'

test_expect_success 'an extra argument is an error' '
	for words in "help stat diff" "help --commands diff" \
		"help --completion bash diff" "version diff" "--version diff"
	do
		test_prints test_expect_code 2 trace2 $words </dev/null 2>err &&
		test_grep "^trace2: unexpected word .diff.$" err || return 1
	done
'

test_expect_success 'version prints the version' '
	trace2 version >out &&
	test_grep "^trace2 version [0-9]" out &&
	trace2 --version >actual &&
	test_cmp out actual
'

test_expect_success 'output that cannot be written is an error' '
	test -w /dev/full &&
	test_expect_code 128 trace2 list "$traces/gc.event" >/dev/full 2>err &&
	test_grep "cannot write the output" err
'

test_expect_success 'help accepts a setting by variable or key; help settings lists all' '
	test_prints trace2 help GIT_TRACE2_EVENT_NESTING <<-\EOF &&
	GIT_TRACE2_EVENT_NESTING, trace2.eventNesting (default: 2)
	    deepest region that the event target shows
	EOF
	trace2 help TRACE2.eventnesting >actual &&
	test_cmp expect actual &&
	trace2 help settings >all &&
	test_grep "^GIT_TRACE2_EVENT_NESTING, trace2.eventNesting (default: 2)$" all &&
	test_expect_code 2 trace2 help GIT_TRACE2_NESTING 2>err &&
	test_grep "neither a command nor a setting" err &&
	test_expect_code 2 trace2 help GIT_TRACE2_EVEN 2>err &&
	test_grep "Did you mean .GIT_TRACE2_EVENT." err
'

# ---------------------------------------------------------------------------
# Commands that fail: their messages, and files that they leave alone

unchecked 'forged' bad lines actual

test_expect_success 'a recording that cannot begin does not move the earlier one' '
	trace2 record -- true 2>err &&
	cp trace2.data/meta.json before &&
	test_expect_code 128 trace2 record --listen missing/s -- true 2>err &&
	test_grep "cannot listen on .missing/s." err &&
	test_cmp before trace2.data/meta.json &&
	test_path_is_missing trace2.data.old &&
	trace2 record -- true 2>err &&
	test_cmp before trace2.data.old/meta.json
'

test_expect_success 'an abbreviated command is answered with the possible ones' '
	test_expect_code 2 trace2 rep 2>err &&
	echo "trace2: '\''rep'\'' is not a command. Did you mean '\''report'\''?" >expect &&
	test_cmp expect err &&
	test_expect_code 2 trace2 re 2>err &&
	test_grep "Did you mean .record. or .report.?$" err
'

# Any user with permission to write to the directory chooses the names.
test_expect_success FUNNYNAMES 'names of files cannot forge a line or send escapes to the terminal' '
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

# Each string of a stream tries to send an escape, also by U+009B, which stands
# for ESC [.
test_expect_success JQ 'events cannot forge a line or send escapes to the terminal' '
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

test_expect_success 'an output file gets no other text when a standard stream is closed' '
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
