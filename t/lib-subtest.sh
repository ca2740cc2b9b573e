# SPDX-License-Identifier: MIT
#
# For the tests of the harness itself: run generated scripts in each shell that
# the harness supports.
#
# shellcheck shell=sh

# Print the path of PROGRAM; busybox sh prints a bare name for "command -v".
find_in_path () (
	IFS=:
	set -f
	for dir in $PATH
	do
		if test -x "$dir/$1"
		then
			printf '%s\n' "$dir/$1"
			exit 0
		fi
	done
	exit 1
)

# test_subtest_shells [PREFERRED]: set $subtest_shells. In `make check` that is
# each shell which the harness supports; otherwise one, the preferred one if it
# is installed. Each has a directory entry under the name used in reports.
test_subtest_shells () {
	mkdir -p "$TRASH_DIRECTORY/shells" || return 1
	subtest_shells=
	for name in ${1-} dash bash busybox
	do
		path=$(find_in_path "$name") || continue
		link=$name
		if test "$name" = busybox
		then
			"$path" ash -c : 2>/dev/null || continue
			link=ash
		fi
		case "$subtest_shells " in
		*" $link "*) continue ;;
		esac
		ln -sf "$path" "$TRASH_DIRECTORY/shells/$link" || return 1
		subtest_shells="$subtest_shells $link"
		test_have_prereq EXPENSIVE || return 0
	done
	if test -z "$subtest_shells"
	then
		ln -sf "$SHELL_PATH" "$TRASH_DIRECTORY/shells/sh" || return 1
		subtest_shells=' sh'
	fi
}

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

# run_subtest SHELL NAME [OPTION...]: write out and err, return its code.
run_subtest () (
	subtest_shell="$TRASH_DIRECTORY/shells/$1"
	subtest_name=$2
	shift 2
	unset HARNESS_ACTIVE GIT_TEST_CHAIN_LINT GIT_TEST_OPTS
	test -n "${subtest_keeps_skip-}" || unset GIT_SKIP_TESTS
	TEST_OUTPUT_DIRECTORY=$TRASH_DIRECTORY
	TEST_NO_TEST_TOOL=${subtest_no_tool-t}
	TEST_NO_CREATE_REPO=t
	export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL TEST_NO_CREATE_REPO
	"$subtest_shell" "$subtest_name.sh" "$@" \
		>out.raw 2>err.raw </dev/null
	code=$?
	scrub_subtest <out.raw >out
	scrub_subtest <err.raw >err
	exit $code
)

# check_subtest CODE NAME [OPTION...] <EXPECT: in every shell the script exits
# with CODE and prints the expected output.
check_subtest () {
	subtest_code=$1
	shift
	test -n "$subtest_shells" || BUG "no test_subtest_shells before"
	cat >expect.subtest
	for shell in $subtest_shells
	do
		run_subtest "$shell" "$@"
		code=$?
		if test $code != "$subtest_code" ||
		   ! test_cmp expect.subtest out
		then
			echo "$shell: exit code $code, not $subtest_code"
			cat err
			return 1
		fi
	done
}
