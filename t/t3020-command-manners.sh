#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='what a command leaves alone when it fails, and what it says'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

if ! test_have_prereq READS_STREAMS
then
	skip_all='the command cannot read streams: simdjson is missing'
	test_done
fi

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

test_expect_success 'a command that is cut short: the one that is meant, if it is one alone' '
	test_expect_code 2 trace2 rep 2>err &&
	echo "trace2: '\''rep'\'' is not a command. Did you mean '\''report'\''?" >expect &&
	test_cmp expect err &&
	test_expect_code 2 trace2 re 2>err &&
	test_grep ! "report" err
'

# Whoever may write to the directory that is read names them.
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

test_done
