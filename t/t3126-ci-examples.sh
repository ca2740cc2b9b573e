#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the examples for CI: the steps of examples/github-action run'

. ./test-lib.sh

action=$GIT_BUILD_DIR/examples/github-action

# step NAME: as the runner runs it.
step () {
	GITHUB_ACTION_PATH=$action GITHUB_STEP_SUMMARY=$PWD/summary.md \
		PATH=$PWD/bin:$PATH sh "$action/$1.sh"
}

# The machine's settings stay as they are.
test_expect_success 'sudo that is not permitted' '
	mkdir bin &&
	write_script bin/sudo <<-\EOF
	exit 1
	EOF
'

test_expect_success 'a recorded step ends as its command, and has a summary and a page' '
	TRACE2_RUN="true one; exit 3" && export TRACE2_RUN &&
	test_expect_code 3 step record >out 2>err &&
	test_grep "^critical path: " out &&
	step summary &&
	test_grep "^| " summary.md &&
	test_grep -i "<!doctype html>" trace2.html
'

test_expect_success 'a step that recorded nothing has no summary, and is no error' '
	rm -rf trace2.data summary.md &&
	step summary &&
	test_path_is_missing summary.md
'

test_expect_success 'each script of the steps is in the action' '
	for script in "$action"/*.sh
	do
		test_grep "GITHUB_ACTION_PATH/${script##*/}\"" "$action/action.yml" ||
		return 1
	done
'

test_done
