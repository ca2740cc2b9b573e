#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2: commands, options, help'

. ./test-lib.sh

traces=$TEST_DIRECTORY/traces

test_expect_success 'without a command: the list of commands, and exit 2' '
	test_expect_code 2 trace2 >out &&
	test_grep "^Usage: trace2 COMMAND" out &&
	trace2 help >out &&
	test_grep "^  report    Shows where the time went" out &&
	trace2 --help >actual &&
	test_cmp out actual
'

test_expect_success 'a command that is not there' '
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

test_expect_success 'one table makes help, asciidoc and completion' '
	trace2 report -h >help &&
	trace2 help --asciidoc report >adoc &&
	trace2 help --completion bash >completion &&
	test_grep "  -g, --group BY " help &&
	test_grep "^\`--group\` _BY_::" adoc &&
	test_grep "report) words=.* -g --group " completion
'

test_expect_success 'options that are wrong' '
	test_expect_code 2 trace2 report --frob 2>err &&
	test_grep "unknown option .--frob." err &&
	test_grep "^Usage: trace2 report" err &&
	test_expect_code 2 trace2 report -n 2>err &&
	test_grep "option .-n. needs a value" err &&
	test_expect_code 2 trace2 report -n x 2>err &&
	test_grep ".x. is not a value of --lines: it takes a number" err &&
	test_expect_code 2 trace2 report --format=xml 2>err &&
	test_grep "it takes text|json|csv" err &&
	test_expect_code 2 trace2 list -t soon 2>err &&
	test_grep ".soon. is not a value of --min-time: .* such as 20us" err &&
	test_expect_code 2 trace2 list --since soon 2>err &&
	test_grep ".soon. is not a value of --since: .* 14:30, .* as 5min" err &&
	test_expect_code 2 trace2 list --no-pager=yes 2>err &&
	test_grep "option .--no-pager. takes no value" err
'

test_expect_success 'an option that is mistyped, cut short or unlike all others' '
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

test_expect_success 'a word too many is not passed over' '
	for words in "help stat diff" "help --commands diff" \
		"help --completion bash diff" "version diff" "--version diff"
	do
		test_prints test_expect_code 2 trace2 $words </dev/null 2>err &&
		test_grep "^trace2: unexpected word .diff.$" err || return 1
	done
'

test_expect_success 'version' '
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

test_expect_success 'help on a setting, by its variable or its key; and on all' '
	test_prints trace2 help GIT_TRACE2_EVENT_NESTING <<-\EOF &&
	GIT_TRACE2_EVENT_NESTING, trace2.eventNesting (default: 2)
	    deepest region that the event target shows
	EOF
	trace2 help TRACE2.eventnesting >actual &&
	test_cmp expect actual &&
	trace2 help settings >all &&
	test_grep "^GIT_TRACE2_EVENT_NESTING, trace2.eventNesting (default: 2)$" all &&
	test_expect_code 2 trace2 help GIT_TRACE2_NESTING 2>err &&
	test_grep "neither a command nor a setting" err
'

test_done
