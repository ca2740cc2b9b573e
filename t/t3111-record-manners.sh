#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record: its messages, and its files in a working tree'

. ./test-lib.sh

test_skip_unless JQ

test_expect_success GIT 'Git ignores a recording in a working tree' '
	git init -q repo &&
	(
		cd repo &&
		trace2 record -- git version &&
		trace2 record -- git version &&
		test_path_is_dir trace2.data.old &&
		git status --porcelain >../actual &&
		git add . &&
		git ls-files >>../actual
	) &&
	test_must_be_empty actual
'

test_expect_success 'the recording before the last one is removed with its .gitignore' '
	trace2 record -o kept -- true &&
	trace2 record -o kept -- true &&
	trace2 record -o kept -- true &&
	echo "*" >expect &&
	test_cmp expect kept/.gitignore &&
	test_cmp expect kept.old/.gitignore &&
	rm kept/.gitignore &&
	trace2 record -o kept -- true &&
	trace2 list kept.old >out &&
	trace2 record -o kept -- true &&
	test_path_is_file kept.old/.gitignore
'

test_expect_success 'a recording whose .gitignore is a directory is not removed' '
	trace2 record -o odd -- true &&
	rm odd/.gitignore &&
	mkdir odd/.gitignore &&
	trace2 record -o odd -- true &&
	test_expect_code 128 trace2 record -o odd -- true 2>err &&
	test_grep "it holds .\.gitignore." err &&
	test_path_is_dir odd.old/.gitignore
'

test_expect_success 'a recording that cannot begin leaves no directory' '
	test_expect_code 128 trace2 record -o gone --listen /no/where/at/all \
		2>err &&
	test_path_is_missing gone
'

test_expect_success TASKS 'record of programs without Trace2 prints only the line of totals' '
	trace2 record -o quiet -- sh -c "sh -c :; :" 2>err &&
	sed -e "/: not recorded: /d; /: for more: /d" \
		-e "s/[0-9.]* [KM]*i*B/SIZE/" err >lines &&
	echo "[ trace2 record: 2 processes, SIZE -> quiet; exit 0 ]" |
	test_cmp - lines &&
	trace2 list quiet >out &&
	test "$(grep -c "^[0-9]" out)" = 2
'

test_expect_success 'record of a program with Trace2 prints only the line of totals' '
	trace2 record -o spoke -- test-tool trace2 001return 0 2>err &&
	sed "/: not recorded: /d; /: for more: /d" err >lines &&
	test_line_count = 1 lines
'

test_expect_success 'record names the signal that killed the command' '
	test_expect_code 143 trace2 record -o killed -- \
		sh -c "kill -TERM \$\$" 2>err &&
	test_grep "; exit 143 (SIGTERM) ]$" err &&
	test_expect_code 143 trace2 record -o killed -- \
		sh -c "exit 143" 2>err &&
	test_grep "; exit 143 ]$" err
'

test_expect_success JQ 'record gives the command a TRACEPARENT, and keeps it in meta.json' '
	sane_unset TRACEPARENT GIT_TRACE2_SPANS &&
	trace2 record -o traced -- sh -c "echo \$TRACEPARENT; test-tool trace2 001return 0" >out &&
	jq -r ".trace | \"00-\" + .trace_id + \"-\" + .span_id + \"-01\"" traced/meta.json >expect &&
	test_cmp expect out &&
	trace2 export --to otlp traced >otlp &&
	jq -s -e ".[0].trace as \$trace
		| [.[1:][].resourceSpans[].scopeSpans[].spans[]] as \$all
		| \$trace.parent_id == null
		and (\$all | map(.traceId) | unique) == [\$trace.trace_id]
		and (\$all[0] | .name == \"trace2 record\" and .parentSpanId == null)
		and (\$all | length > 1)
		and ([\$all[1:][] | .parentSpanId] - [\$all[] | .spanId] == [])" \
		traced/meta.json otlp
'

test_expect_success JQ 'record continues an inherited TRACEPARENT; with GIT_TRACE2_SPANS it sets none' '
	parent=00-0123456789abcdef0123456789abcdef-fedcba9876543210 &&
	TRACEPARENT=$parent-00 trace2 record -o traced -- sh -c "echo \$TRACEPARENT" >out &&
	jq -r ".trace | \"00-\" + .trace_id + \"-\" + .span_id + \"-00\", .parent_id" \
		traced/meta.json >actual &&
	echo fedcba9876543210 >>out &&
	test_cmp out actual &&
	test_grep "^00-0123456789abcdef0123456789abcdef-" out &&
	GIT_TRACE2_SPANS=1/100 trace2 record -o traced -- sh -c "echo x\$TRACEPARENT" >out &&
	echo x | test_cmp - out &&
	jq -e ".trace == null" traced/meta.json
'

test_done
