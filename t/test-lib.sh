# SPDX-License-Identifier: MIT
#
# The core of the test harness. A test script sets test_description, reads this
# file with ". ./test-lib.sh" from within t/, contains its tests, and ends with
# test_done. The names and their behaviour are those of Git's test library, so
# that a script written for one runs on the other.
#
# The harness guarantees:
#  - a script runs in a new directory, "$TRASH_DIRECTORY", which is
#    also its $HOME and, if Git is installed, a repository (not with
#    TEST_NO_CREATE_REPO), and which is removed if every test passed;
#  - the environment is clean: C locale, UTC, no GIT_* or *TRACE2* variable,
#    test-tool and the built commands first in $PATH;
#  - a test's output goes to descriptors 3 (stdout) and 4 (stderr) and is shown
#    with -v only; stdout contains nothing but TAP;
#  - the script fails, whatever its results, if it ends without test_done,
#    contains no test, uses a title twice, or leaves a process running.
#
# The files: this one parses options, prepares the environment and ends the
# script; test-lib-functions.sh has the functions for scripts; lib-run.sh runs
# one test, which chainlint.awk checks before; lib-prereq.sh has the common
# prerequisites; lib-leftover.sh finds processes that were left running;
# lib-kept.sh, lib-timeline.sh, lib-valgrind.sh and lib-sanitizer.sh are read only
# if needed.
#
# shellcheck shell=sh

# ---------------------------------------------------------------------------
# Directories

# A script of another tree that is run by a test starts afresh. In another
# project, tests are in one place and this file in another, which testkit.sh has
# set.
if test -n "${test_kit_-}"
then
	TEST_LIB_DIRECTORY=$test_kit_/t
elif test -z "${TEST_DIRECTORY-}" || test -f ./test-lib.sh
then
	TEST_DIRECTORY=$(pwd)
	test -z "${TEST_LIB_RUN_ID-}" || GIT_BUILD_DIR=
else
	TEST_DIRECTORY=$(cd "$TEST_DIRECTORY" && pwd) || exit 1
fi
test -n "${test_kit_-}" || TEST_LIB_DIRECTORY=$TEST_DIRECTORY
if ! test -f "$TEST_LIB_DIRECTORY/test-lib-functions.sh"
then
	echo >&2 "error: '$TEST_LIB_DIRECTORY' is not the test directory: run the" \
		"script from within t/, or set TEST_DIRECTORY"
	exit 1
fi
: "${TEST_OUTPUT_DIRECTORY:=$TEST_DIRECTORY}"
: "${GIT_BUILD_DIR:=${TEST_DIRECTORY%/t}}"

test_script_=$PWD/$0
test "${0#/}" = "$0" || test_script_=$0
TEST_NAME=${0##*/}
TEST_NAME=${TEST_NAME%.sh}
this_test=${TEST_NAME%%-*}

# How the project was built: SANITIZE, PERL_PATH, SHELL_PATH, ... The
# environment has priority, so that one run can use another perl or shell.
if test -z "${test_kit_-}" && test -f "$GIT_BUILD_DIR/build/build-options"
then
	test_env_perl_=${PERL_PATH-} test_env_shell_=${SHELL_PATH-}
	. "$GIT_BUILD_DIR/build/build-options"
	PERL_PATH=${test_env_perl_:-${PERL_PATH-}}
	SHELL_PATH=${test_env_shell_:-${SHELL_PATH-}}
	unset test_env_perl_ test_env_shell_
fi
: "${SHELL_PATH:=/bin/sh}"
if test -z "${PERL_PATH-}"
then
	PERL_PATH=perl
	test ! -x /usr/bin/perl || PERL_PATH=/usr/bin/perl
fi

# ---------------------------------------------------------------------------
# Options: those in $GIT_TEST_OPTS first, then those of the command line

debug='' immediate='' help='' verbose='' trace=''
run_list='' root='' valgrind=''

test_usage () {
	cat <<-EOT
	usage: sh $0 [<option>...]

	    -v, --verbose         show what the tests print
	    -x                    trace the commands of the tests (implies -v)
	    -i, --immediate       stop at the first failure, keep the trash directory
	    -d, --debug           keep the trash directory in any case
	    -r, --run=<sel>       run only the selected tests
	    --root=<dir>          make trash directories below <dir>
	    --valgrind[=<tool>]   run test-tool under valgrind, fail on its errors
	    -l, --long-tests      run tests marked EXPENSIVE as well
	    -h, --help            describe the script and these options

	<sel> is a list with commas: numbers (3), ranges (2-5, -4, 7-), parts of
	titles or patterns for them (setup, 'merge*fails'); a ! before an item
	takes it away.
	EOT
}

test_bad_option () {
	echo >&2 "error: $1 (see sh $0 --help)"
	exit 1
}

# The variable for the value of the last option, if it is a separate argument.
store_arg_to=

parse_option () {
	case "$1" in
	-d|--debug) debug=t ;;
	-i|--immediate) immediate=t ;;
	-l|--long|--long-tests) GIT_TEST_LONG=t; export GIT_TEST_LONG ;;
	-r|--run) store_arg_to=run_list ;;
	--run=*) run_list=${1#--*=} ;;
	-h|--help) help=t ;;
	-v|--verbose) verbose=t ;;
	-x) trace=t ;;
	--root) store_arg_to=root ;;
	--root=*) root=${1#--*=} ;;
	--valgrind) valgrind=memcheck ;;
	--valgrind=*) valgrind=${1#--*=} ;;
	-[!-]?*)	# several in one, as in -vx
		test_rest_=${1#-?}
		parse_option "${1%"$test_rest_"}"
		parse_option "-${1#-?}"
		;;
	*) test_bad_option "unknown test option '$1'" ;;
	esac
}

parse_options () {
	for opt
	do
		if test -n "$store_arg_to"
		then
			eval "$store_arg_to=\$opt"
			store_arg_to=
		else
			parse_option "$opt"
		fi
	done
	test -z "$store_arg_to" ||
	test_bad_option "option --${store_arg_to%_list} needs a value"
}

set -f
# Options are words: splitting is intended.
# shellcheck disable=SC2086
parse_options ${GIT_TEST_OPTS-}
set +f
parse_options "$@"

if test -n "$help"
then
	printf '%s\n\n' "${test_description-}"
	test_usage
	exit 0
fi
test -z "$trace" || verbose=t

if test -z "${test_description-}"
then
	echo >&2 "error: $0 sets no test_description"
	exit 1
fi

# ---------------------------------------------------------------------------
# Runs of the script within a run of the script

# A trace must not mix with the stderr that tests capture. Only bash can send it
# to another descriptor; so -x runs the script in bash if it is installed,
# unless $TEST_SHELL_PATH names another shell.
if test -z "${TEST_LIB_IN_SHELL-}"
then
	test_want_shell_=${TEST_SHELL_PATH-}
	if test -z "$test_want_shell_" && test -n "$trace" &&
	   test -z "${BASH_VERSION-}" && command -v bash >/dev/null
	then
		test_want_shell_=bash
	fi
	if test -n "$test_want_shell_"
	then
		if ! command -v "$test_want_shell_" >/dev/null
		then
			echo >&2 "error: TEST_SHELL_PATH='$test_want_shell_'" \
				"is no command"
			exit 1
		fi
		TEST_LIB_IN_SHELL=t
		export TEST_LIB_IN_SHELL
		exec "$test_want_shell_" "$0" "$@"
	fi
fi
: "${TEST_SHELL_PATH:=${BASH:-$SHELL_PATH}}"

# GIT_TEST_TRACE2=DIR records the script, unless it is recorded already. Scripts
# that prove runs in parallel share the directory, and record themselves alone.
if test -n "${GIT_TEST_TRACE2-}" && test -z "${GIT_TRACE2_EVENT-}"
then
	if test -n "${HARNESS_ACTIVE-}"
	then
		mkdir -p "$GIT_TEST_TRACE2" &&
		GIT_TRACE2_EVENT=$(cd "$GIT_TEST_TRACE2" && pwd) || exit 1
	else
		PATH=$GIT_BUILD_DIR/build/bin:$PATH
		exec trace2 record -o "$GIT_TEST_TRACE2" -- \
			"$TEST_SHELL_PATH" "$0" "$@"
	fi
fi

# ---------------------------------------------------------------------------
# Environment

test_timeline_=
test -z "${GIT_TRACE2_EVENT-}" || test -n "${TRACE2_PROVE-}" ||
. "$TEST_LIB_DIRECTORY/lib-timeline.sh"

# $1 is "export -p" as printed by dash, bash or busybox sh. A line in the middle
# of a value names, at worst, a variable that is not set.
test_clean_environment () {
	local line name IFS='
'
	set -f
	for line in $1
	do
		line=${line#export }
		line=${line#declare -x }
		name=${line%%=*}
		case "$name" in
		''|[0-9]*|*[!A-Za-z0-9_]*)
			;;
		*TRACE2*)
			unset "$name" ;;
		GIT_TEST_OPTS)
			unset "$name" ;;
		GIT_TEST_*|GIT_SKIP_TESTS|GIT_BUILD_DIR|GIT_PERF_*)
			;;
		GIT_*|XDG_*|TEST_LIB_IN_SHELL)
			unset "$name" ;;
		esac
	done
	set +f
}
test_clean_environment "$(export -p)"
unset CDPATH BASH_ENV ENV GREP_OPTIONS GREP_COLOR GREP_COLORS LANGUAGE \
	VISUAL EMAIL COLUMNS LINES MAKEFLAGS MFLAGS MAKELEVEL PERL5OPT \
	POSIXLY_CORRECT TRACEPARENT

test_original_term_=${TERM-}
LANG=C LC_ALL=C.UTF-8 TZ=UTC TERM=dumb PAGER=cat EDITOR=:
export LANG LC_ALL TZ TERM PAGER EDITOR PERL_PATH SHELL_PATH
umask 022
# shellcheck disable=SC3045 # all three shells have it
ulimit -c 0 2>/dev/null

GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=author@example.com
GIT_COMMITTER_NAME='C O Mitter' GIT_COMMITTER_EMAIL=committer@example.com
GIT_AUTHOR_DATE='1112354055 +0200' GIT_COMMITTER_DATE='1112354055 +0200'
GIT_MERGE_VERBOSITY=5 GIT_MERGE_AUTOEDIT=no GIT_ADVICE=1
export GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
	GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_AUTHOR_DATE \
	GIT_COMMITTER_DATE GIT_MERGE_VERBOSITY GIT_MERGE_AUTOEDIT GIT_ADVICE

# glibc fills memory at malloc and free, so that using it uninitialised or freed
# has an effect.
if test -z "${TEST_NO_MALLOC_CHECK-}"
then
	MALLOC_PERTURB_=165
	export MALLOC_PERTURB_
fi

test -n "${test_kit_-}" ||
PATH=$GIT_BUILD_DIR/t/helper:$GIT_BUILD_DIR/build/bin:$PATH
export PATH

# The harness's own tests run before anything is built, and set this.
if test -z "${TEST_NO_TEST_TOOL-}${test_kit_-}" &&
   ! test -x "$GIT_BUILD_DIR/t/helper/test-tool"
then
	echo "Bail out! t/helper/test-tool is not built: run 'make'" \
		"in '$GIT_BUILD_DIR' first"
	exit 1
fi

# ---------------------------------------------------------------------------
# Output

color=
if test -t 1 && test -n "$test_original_term_" &&
   test "$test_original_term_" != dumb
then
	color=t
fi

# say_color STYLE TEXT...: STYLE is error, skip, warn, pass or info; an empty
# one is plain text.
say_color () {
	local style="$1"
	shift
	if test -z "$color"
	then
		printf '%s\n' "$*"
		return
	fi
	case "$style" in
	error) style='1;31' ;;
	skip) style=34 ;;
	warn) style=33 ;;
	pass) style=32 ;;
	info) style=36 ;;
	*) style=0 ;;
	esac
	printf '\033[%sm%s\033[m\n' "$style" "$*"
}

say () {
	say_color info "$*"
}

# run-tests gives a descriptor for what tests print, so that it can show the
# output of one that failed. Scripts that tests run shall not write there, too.
test_output_=${GIT_TEST_OUTPUT-}
unset GIT_TEST_OUTPUT
if test -n "$test_output_"
then
	exec 3>&"$test_output_" 4>&3
	case "$test_output_" in
	[5-9]) eval "exec $test_output_>&-" ;;
	esac
else
	exec 3>/dev/null 4>/dev/null
fi
exec 5>&1 6<&0 7>&2
if test -n "$verbose"
then
	if test -n "${HARNESS_ACTIVE-}"
	then
		# prove would take the tests' output for TAP.
		exec 3>&2 4>&2
	else
		exec 3>&1 4>&2
	fi
fi

if test -n "$trace"
then
	if test -n "${BASH_VERSION-}"
	then
		# shellcheck disable=SC3028 # only bash comes here
		BASH_XTRACEFD=4
	elif test -n "${test_untraceable-}"
	then
		echo >&2 "warning: -x is ignored: only bash can trace this script"
		trace=
	fi
fi

# ---------------------------------------------------------------------------
# The end of the script, expected or not

test_count=0
test_success=0
test_failure=0
test_fixed=0
test_broken=0
test_titles_='
'
test_atexit_cleanup=
test_logs_dir_=
test_kept_=
skip_all=
GIT_EXIT_OK=

. "$TEST_LIB_DIRECTORY/test-lib-functions.sh"
. "$TEST_LIB_DIRECTORY/lib-run.sh"
. "$TEST_LIB_DIRECTORY/lib-prereq.sh"
. "$TEST_LIB_DIRECTORY/lib-leftover.sh"

# test_at_shell_exit [CODE]: runs when the shell ends, in any way.
test_at_shell_exit () {
	local code="${1-$?}"
	{ set +x; } 2>/dev/null
	test_run_atexit_
	if test -n "$GIT_EXIT_OK"
	then
		exit "$code"
	fi
	test_check_leftover_
	printf '%s\n' "FATAL: Unexpected exit with code $code" >&5
	if test "$code" = 0
	then
		echo "# (a test that exits, or no test_done at the end)" >&5
		code=1
	fi
	test_say_trash_
	exit "$code"
}

test_at_signal () {
	{ set +x; } 2>/dev/null
	exit "$1"
}
if test -n "$test_timeline_"
then
	trap 'test_timeline_at_exit_ "$?"' EXIT
else
	trap test_at_shell_exit EXIT
fi
trap 'test_at_signal 130' INT
trap 'test_at_signal 143' TERM
trap 'test_at_signal 129' HUP

test_run_atexit_ () {
	local script="$test_atexit_cleanup"
	test_atexit_cleanup=
	test -n "$script" || return 0
	test_cleanup_ret_=
	test_eval_ "$script"
	test -z "$test_cleanup_ret_" ||
	say_color error "# a test_atexit command failed" >&5
}

test_say_trash_ () {
	test ! -d "$TRASH_DIRECTORY" ||
	say_color info "# trash directory kept: $TRASH_DIRECTORY" >&5
}

test_exit_ () {
	GIT_EXIT_OK=t
	exit "$1"
}

# Remove DIR, even if a test made parts of it unwritable.
test_remove_dir_ () {
	test -e "$1" || test -h "$1" || return 0
	command rm -rf "$1" 2>/dev/null && return
	chmod -R u+rwX "$1" 2>/dev/null
	command rm -rf "$1"
}

# Report an error outside a test, and end the script.
error () {
	say_color error "error: $*" >&7
	test_exit_ 1
}

BUG () {
	error "bug in the test script: $*"
}

test_summary_ () {
	local rest
	test "$test_fixed" = 0 ||
	say_color warn "# $test_fixed known breakage(s) vanished;" \
		"please update test(s)"
	test "$test_broken" = 0 ||
	say_color warn "# still have $test_broken known breakage(s)"
	if test "$test_broken" != 0 || test "$test_fixed" != 0
	then
		rest=$((test_count - test_broken - test_fixed))
		rest="remaining $rest test(s)"
	else
		rest="$test_count test(s)"
	fi
	if test "$test_failure" = 0
	then
		test "$test_count" = 0 || say_color pass "# passed all $rest"
	else
		say_color error "# failed $test_failure among $rest"
	fi
}

# End the script: print the plan, remove the trash directory if all tests
# passed, and exit with 1 if one failed.
test_done () {
	{ set +x; } 2>/dev/null
	test_run_atexit_
	test_check_leftover_ || test_failure=$((test_failure + 1))
	test -z "$test_kept_" || test_check_kept_
	if test "$test_count" = 0 && test -z "$skip_all" &&
	   test "$test_failure" = 0
	then
		say_color error "FATAL: $TEST_NAME holds no test" >&5
		test_exit_ 1
	fi
	test_summary_
	if test "$test_count" = 0 && test -n "$skip_all"
	then
		say_color skip "1..0 # SKIP $skip_all"
	else
		printf '%s\n' "1..$test_count${skip_all:+ # SKIP $skip_all}"
	fi
	if test "$test_failure" != 0
	then
		test_say_trash_
		test_exit_ 1
	fi
	if test -n "$debug"
	then
		test_say_trash_
	else
		cd / && test_remove_dir_ "$TRASH_DIRECTORY"
		if test -e "$TRASH_DIRECTORY"
		then
			say_color error "FATAL: cannot remove" \
				"'$TRASH_DIRECTORY'" >&5
			test_exit_ 1
		fi
	fi
	test -z "$test_kept_" || test_remove_dir_ "$test_kept_"
	test -z "$valgrind" || test_remove_dir_ "$TRASH_DIRECTORY.valgrind"
	test -z "$test_logs_dir_" || test_remove_dir_ "$test_logs_dir_"
	test_exit_ 0
}

# ---------------------------------------------------------------------------
# The trash directory

TRASH_DIRECTORY="trash directory.$TEST_NAME"
case "$root" in
'') TRASH_DIRECTORY=$TEST_OUTPUT_DIRECTORY/$TRASH_DIRECTORY ;;
/*) TRASH_DIRECTORY=$root/$TRASH_DIRECTORY ;;
*) TRASH_DIRECTORY=$TEST_OUTPUT_DIRECTORY/$root/$TRASH_DIRECTORY ;;
esac
if ! test_remove_dir_ "$TRASH_DIRECTORY" ||
   ! mkdir -p "$TRASH_DIRECTORY" || ! cd -P "$TRASH_DIRECTORY"
then
	error "cannot make '$TRASH_DIRECTORY': use --root=<a directory that" \
		"you may write>"
fi
HOME=$TRASH_DIRECTORY
GNUPGHOME=$HOME/gnupg-home-not-used
GIT_CEILING_DIRECTORIES=$TRASH_DIRECTORY/..
export HOME GNUPGHOME GIT_CEILING_DIRECTORIES TRASH_DIRECTORY TEST_DIRECTORY \
	GIT_BUILD_DIR
if test -z "${TEST_NO_CREATE_REPO-}" && command -v git >/dev/null
then
	test_create_repo >/dev/null || error "cannot make a repository"
fi

test_start_leftover_
if test -n "$valgrind"
then
	. "$TEST_LIB_DIRECTORY/lib-valgrind.sh"
	test_valgrind_start
elif test -n "${SANITIZE-}"
then
	. "$TEST_LIB_DIRECTORY/lib-sanitizer.sh"
	test_sanitizer_start
fi

# Users of the test kit write their streams themselves, and as they like.
if test -z "${test_kit_-}${TEST_NO_TEST_TOOL-}"
then
	. "$TEST_LIB_DIRECTORY/lib-kept.sh"
	test_start_kept_
fi

# A script that is skipped as a whole reports that and ends.
if test_match_script_list_ "$this_test" "${GIT_SKIP_TESTS-}"
then
	skip_all="skip all tests in $this_test"
	test_done
fi
