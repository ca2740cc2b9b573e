#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record: what it leaves in a working tree, and says'

. ./test-lib.sh

test_skip_unless JQ

test_expect_success GIT 'a recording in a working tree is nothing to Git' '
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

test_expect_success READS_STREAMS 'the recording before the last one goes, with its .gitignore' '
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

test_expect_success 'a .gitignore that is no file is not removed' '
	trace2 record -o odd -- true &&
	rm odd/.gitignore &&
	mkdir odd/.gitignore &&
	trace2 record -o odd -- true &&
	test_expect_code 128 trace2 record -o odd -- true 2>err &&
	test_grep "it holds .\.gitignore." err &&
	test_path_is_dir odd.old/.gitignore
'

test_expect_success 'nothing is left of a recording that could not begin' '
	test_expect_code 128 trace2 record -o gone --listen /no/where/at/all \
		2>err &&
	test_path_is_missing gone
'

test_expect_success TASKS,READS_STREAMS 'programs without Trace2: says what is known all the same' '
	trace2 record -o quiet -- sh -c "sh -c :; :" 2>err &&
	cat >expect <<-\EOF &&
	trace2 record: no program of this run writes Trace2 events; SQtrace2 listSQ shows 2 processes from the kernelSQs records
	EOF
	sed "s/'\''/SQ/g" err | head -n 1 >actual &&
	test_cmp expect actual &&
	test_line_count = 2 err &&
	trace2 list quiet >out &&
	test "$(grep -c "^[0-9]" out)" = 2
'

test_expect_success 'programs with Trace2: no such line' '
	trace2 record -o spoke -- test-tool trace2 001return 0 2>err &&
	test_line_count = 1 err
'

test_expect_success 'a command that was killed: by what' '
	test_expect_code 143 trace2 record -o killed -- \
		sh -c "kill -TERM \$\$" 2>err &&
	test_grep "; 0 lost, exit 143 (SIGTERM) ]$" err &&
	test_expect_code 143 trace2 record -o killed -- \
		sh -c "exit 143" 2>err &&
	test_grep "; 0 lost, exit 143 ]$" err
'

test_done
