# SPDX-License-Identifier: MIT
#
# For the tests of the harness itself: run generated scripts in the shell of the
# tests. `make check` runs them in others.
#
# shellcheck shell=sh

# write_subtest NAME <TESTS: write the script, without test_done.
write_subtest () {
	{
		cat <<-EOT
		test_description='$1, a script to test the harness with'
		. "\$TEST_DIRECTORY/test-lib.sh"
		EOT
		cat
	} >"$1.sh"
}

# Replace values that differ from run to run.
scrub_subtest () {
	sed -e "s|$TRASH_DIRECTORY|TRASH|g" -e 's/process [0-9]*/process PID/'
}

# run_subtest NAME [OPTION...]: write out and err, return its code.
run_subtest () (
	subtest_name=$1
	shift
	unset HARNESS_ACTIVE GIT_TEST_CHAIN_LINT GIT_TEST_OPTS
	test -n "${subtest_keeps_skip-}" || unset GIT_SKIP_TESTS
	TEST_OUTPUT_DIRECTORY=$TRASH_DIRECTORY
	TEST_NO_TEST_TOOL=${subtest_no_tool-t}
	TEST_NO_CREATE_REPO=t
	export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL TEST_NO_CREATE_REPO
	"$TEST_SHELL_PATH" "$subtest_name.sh" "$@" \
		>out.raw 2>err.raw </dev/null
	code=$?
	scrub_subtest <out.raw >out
	scrub_subtest <err.raw >err
	exit $code
)

# check_subtest CODE NAME [OPTION...] <EXPECT: the script exits with CODE and prints
# the expected output.
check_subtest () {
	subtest_code=$1
	shift
	cat >expect.subtest
	run_subtest "$@"
	code=$?
	test $code = "$subtest_code" && test_cmp expect.subtest out && return
	echo "exit code $code, not $subtest_code"
	cat err
	return 1
}
