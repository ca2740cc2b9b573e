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

# sudo_is CODE: make a sudo that only writes its arguments into the file
# `asked`, and exits with CODE. The settings of the machine stay unchanged.
mkdir bin
sudo_is () {
	write_script bin/sudo <<-EOF
	echo "\$*" >>asked
	exit $1
	EOF
}

test_expect_success 'github-action: a step has the exit code of the command, a summary, a page' '
	sudo_is 1 &&
	test_when_finished "rm -f asked" &&
	TRACE2_RUN="true one; exit 3" && export TRACE2_RUN &&
	test_expect_code 3 step record >out 2>err &&
	test_grep "^critical path: " out &&
	step summary &&
	test_grep "^| " summary.md &&
	test_grep -i "<!doctype html>" trace2.html
'

test_expect_success 'github-action: recording uses sudo only if that needs no password' '
	test_when_finished "rm -f asked" &&
	TRACE2_RUN=true && export TRACE2_RUN &&
	sudo_is 1 &&
	step record &&
	echo "-n true" | test_cmp - asked &&
	rm asked &&
	sudo_is 0 &&
	step record &&
	test_grep "^-n sysctl .*kernel.perf_event_paranoid=1$" asked
'

test_expect_success 'github-action: a step that recorded nothing has no summary, and does not fail' '
	rm -rf trace2.data summary.md trace2.html &&
	step summary &&
	test_path_is_missing summary.md &&
	test_path_is_missing trace2.html
'

test_expect_success 'github-action: the action contains each script of the steps' '
	ls "$action"/*.sh | sed "s,.*/,," >expect &&
	sed -n "s/.*\$GITHUB_ACTION_PATH\/\([^\"]*\)\".*/\1/p" "$action/action.yml" |
		sort >actual &&
	test_cmp expect actual
'

test_done
