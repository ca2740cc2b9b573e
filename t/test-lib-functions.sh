# SPDX-License-Identifier: MIT
#
# The functions that a test may call, besides test_expect_success and the
# prerequisite functions (lib-run.sh). test-lib.sh reads this file.
#
# The functions that run a command for a test end in "7>&2 2>&4" and run it with
# "2>&7": the command's stderr goes to the destination that the test chose, and
# output of the function itself or its trace goes to the terminal.
#
# A function that checks something returns 1 and prints why if the check fails.
# A wrong call is reported through BUG, which ends the script.
#
# shellcheck shell=sh

# ---------------------------------------------------------------------------
# Cleaning up

# Are we in a subshell? Variables set there are lost when it ends.
test_in_subshell_ () {
	local pid
	test -n "$test_has_proc_" || return 1
	read -r pid _ </proc/self/stat
	test "$pid" != $$
}

# test_when_finished SCRIPT: run SCRIPT when the test ends, passed or failed, in
# reverse order. The test fails if SCRIPT fails.
test_when_finished () {
	! test_in_subshell_ ||
	BUG "test_when_finished does nothing in a subshell"
	test_cleanup="{ $*
	} || test_cleanup_ret_=\$?
	$test_cleanup"
}

# test_atexit SCRIPT: run SCRIPT when the script ends, in any way.
test_atexit () {
	! test_in_subshell_ ||
	BUG "test_atexit does nothing in a subshell"
	test_atexit_cleanup="{ $*
	} || test_cleanup_ret_=\$?
	$test_atexit_cleanup"
}

# ---------------------------------------------------------------------------
# How a command ends

# Is ITEM in the comma-separated list?
list_contains () {
	case ",$1," in
	*",$2,"*) return 0 ;;
	esac
	return 1
}

# test_match_signal NUMBER CODE: does exit code CODE mean that the command died
# of the signal?
test_match_signal () {
	test "$2" = $((128 + $1)) || test "$2" = $((256 + $1))
}

# test_must_fail [ok=success,sigpipe] COMMAND...: COMMAND must fail, and in an
# orderly way: not by a signal, not because it is missing, not by an error that
# valgrind found.
test_must_fail () {
	local ok='' code
	case "$1" in
	ok=*)
		ok=${1#ok=}
		shift
		;;
	esac
	"$@" 2>&7
	code=$?
	if test $code = 0
	then
		list_contains "$ok" success && return 0
		echo >&4 "test_must_fail: command succeeded: $*"
	elif test_match_signal 13 $code && list_contains "$ok" sigpipe
	then
		return 0
	elif test $code -gt 129 && test $code -le 192
	then
		echo >&4 "test_must_fail: died by signal $((code - 128)): $*"
	elif test $code = 127
	then
		echo >&4 "test_must_fail: command not found: $*"
	elif test $code = 126
	then
		echo >&4 "test_must_fail: not executable, or valgrind error: $*"
	else
		return 0
	fi
	return 1
} 7>&2 2>&4

# Like test_must_fail, but COMMAND may succeed, too.
test_might_fail () {
	test_must_fail ok=success "$@" 2>&7
} 7>&2 2>&4

# test_expect_code N COMMAND...
test_expect_code () {
	local want="$1" code
	shift
	"$@" 2>&7
	code=$?
	test "$code" = "$want" && return 0
	echo >&4 "test_expect_code: command exited with $code, wanted $want: $*"
	return 1
} 7>&2 2>&4

# test_env [VAR=value...] COMMAND...: for a COMMAND that is a shell function,
# for which a plain assignment would remain after the call.
test_env () (
	while test $# -gt 0
	do
		case "$1" in
		*=*)
			eval "${1%%=*}=\${1#*=}; export ${1%%=*}"
			shift
			;;
		*)
			{ "$@" 2>&7; } 7>&2 2>&4
			exit
			;;
		esac
	done
	BUG "test_env: no command"
)

# The perl of the project's configuration.
perl () {
	command "$PERL_PATH" "$@" 2>&7
} 7>&2 2>&4

# sort reads from a pipe into 30 MB of memory, which glibc would fill first.
sort () {
	MALLOC_PERTURB_='' command sort "$@" 2>&7
} 7>&2 2>&4

# ---------------------------------------------------------------------------
# Files and text

# test_cmp EXPECT ACTUAL: compare, and show the difference.
test_cmp () {
	test $# = 2 || BUG "2 parameters required for test_cmp"
	if test -n "${GIT_TEST_CMP-}"
	then
		eval "$GIT_TEST_CMP" '"$@"'
	elif command -v diff >/dev/null
	then
		diff -u "$@"
	else
		cmp "$@"
	fi
}

# test_prints COMMAND... <EXPECT: COMMAND succeeds and prints that text, which stays
# in `actual`. COMMAND may read an `actual` from before.
test_prints () {
	cat >expect &&
	{ "$@" >"$TRASH_DIRECTORY/.printed" </dev/null 2>&7; } 7>&2 2>&4 &&
	mv "$TRASH_DIRECTORY/.printed" actual &&
	test_cmp expect actual
}

# For binary files.
test_cmp_bin () {
	test $# = 2 || BUG "2 parameters required for test_cmp_bin"
	cmp "$@"
}

# Is one of the patterns, each after a newline, empty? Such a pattern matches
# every line.
test_has_empty_pattern_ () {
	case "$1$test_newline_" in
	*"$test_newline_$test_newline_"*) return 0 ;;
	esac
	return 1
}

# Extract the patterns from the arguments of a grep; each is put after a newline
# in $test_grep_pattern_. Fails if there is none.
test_grep_patterns_ () {
	local first=''
	test_grep_pattern_=''
	while test $# -gt 1
	do
		case "$1" in
		-e)
			test_grep_pattern_=$test_grep_pattern_$test_newline_$2
			shift
			;;
		-f)
			test -s "$2" || return 1
			test_grep_pattern_=$test_grep_pattern_$test_newline_$(cat "$2")
			shift
			;;
		--regexp=*)
			test_grep_pattern_=$test_grep_pattern_$test_newline_${1#*=} ;;
		--)
			first=${first:-$test_newline_$2}
			break
			;;
		--*) ;;
		-[ABCmdD]) shift ;;
		-?*e)	# several in one
			shift
			set -- option -e "$@"
			;;
		-?*) ;;
		*) first=${first:-$test_newline_$1} ;;
		esac
		shift
	done
	test_grep_pattern_=${test_grep_pattern_:-$first}
	test -n "$test_grep_pattern_"
}

# test_grep [!] [GREP-OPTION...] PATTERN FILE: show FILE if PATTERN is not in it
# or, with "!", if it is in it. A missing file and an empty pattern, as from a
# misspelt variable, fail in either case.
test_grep () {
	local not='' file code
	if test "${1-}" = !
	then
		not='!'
		shift
	fi
	test $# -ge 2 || BUG "test_grep wants a pattern and a file"
	eval "file=\${$#}"
	if ! test -f "$file"
	then
		echo >&4 "error: test_grep: '$file' is not a file"
		return 1
	fi
	if ! test_grep_patterns_ "$@" ||
	   test_has_empty_pattern_ "$test_grep_pattern_"
	then
		echo >&4 "error: test_grep: empty pattern in: grep $*"
		return 1
	fi
	grep "$@"
	code=$?
	case "$not,$code" in
	,0|!,1) return 0 ;;
	,1) echo >&4 "error: 'grep $*' found no match in:" ;;
	!,0) echo >&4 "error: '! grep $*' found a match in:" ;;
	*) echo >&4 "error: 'grep $*' failed with code $code" ; return 1 ;;
	esac
	if test -s "$file"
	then
		cat >&4 "$file"
	else
		echo >&4 "<an empty file>"
	fi
	return 1
}

# test_line_count OP N FILE, as in: test_line_count = 3 actual
test_line_count () {
	local lines
	test $# = 3 || BUG "3 parameters required for test_line_count"
	lines=$(wc -l <"$3") || return 1
	test "$lines" "$1" "$2" && return 0
	echo >&4 "test_line_count: $3 has $((lines)) line(s), not $1 $2:"
	cat >&4 "$3"
	return 1
}

# test_stdout_line_count OP N COMMAND...
test_stdout_line_count () {
	local ops="$1" want="$2" lines
	shift 2
	test $# -gt 0 || BUG "a command is required for test_stdout_line_count"
	lines=$("$@" >"$TRASH_DIRECTORY/.stdout-lines" &&
		wc -l <"$TRASH_DIRECTORY/.stdout-lines") || return 1
	test "$lines" "$ops" "$want" && return 0
	echo >&4 "$* printed $((lines)) line(s), not $ops $want"
	return 1
}

# Print the size of FILE in bytes.
test_file_size () {
	test $# = 1 || BUG "1 parameter required for test_file_size"
	test -f "$1" && echo $(($(wc -c <"$1")))
}

test_must_be_empty () {
	test $# = 1 || BUG "1 parameter required for test_must_be_empty"
	test_path_is_file "$1" || return 1
	test ! -s "$1" && return 0
	echo "'$1' is not empty, it contains:"
	cat "$1"
	return 1
}

# $1 is a primary of test, $2 the path, $3 the message on failure.
test_path_ () {
	test "$1" "$2" && return 0
	echo "$3: $2"
	ls -ld "$2" 2>&1
	return 1
}

test_path_is_file () {
	test $# = 1 || BUG "1 parameter required for test_path_is_file"
	test_path_ -f "$1" "not a file"
}

test_path_is_dir () {
	test $# = 1 || BUG "1 parameter required for test_path_is_dir"
	test_path_ -d "$1" "not a directory"
}

test_path_exists () {
	test $# = 1 || BUG "1 parameter required for test_path_exists"
	test_path_ -e "$1" "missing"
}

test_path_is_symlink () {
	test $# = 1 || BUG "1 parameter required for test_path_is_symlink"
	test_path_ -h "$1" "not a symbolic link"
}

test_path_is_executable () {
	test $# = 1 || BUG "1 parameter required for test_path_is_executable"
	test_path_ -x "$1" "not executable"
}

test_file_not_empty () {
	test $# = 1 || BUG "1 parameter required for test_file_not_empty"
	test_path_ -s "$1" "empty or missing"
}

# A dangling symbolic link is not missing.
test_path_is_missing () {
	test $# = 1 || BUG "1 parameter required for test_path_is_missing"
	! test -e "$1" && ! test -h "$1" && return 0
	echo "exists: $1"
	ls -ld "$1"
	return 1
}

test_dir_is_empty () {
	test $# = 1 || BUG "1 parameter required for test_dir_is_empty"
	test_path_is_dir "$1" || return 1
	test -n "$(ls -A "$1")" || return 0
	echo "directory '$1' is not empty, it contains:"
	ls -lA "$1"
	return 1
}

# wait_until COMMAND...: return when COMMAND succeeds, which is tried 50 times a
# second. This is the only place in which the suite gives up waiting: after as
# many tries as make $GIT_TEST_PATIENCE seconds, which run-tests scales with the
# speed of the machine. A busy machine tries less often, and so waits longer.
# COMMAND may be a function, or "eval" with a script.
wait_until () {
	local tries=$((${GIT_TEST_PATIENCE:-60} * 50))
	until "$@"
	do
		tries=$((tries - 1))
		if test "$tries" -le 0
		then
			echo >&4 "error: waited in vain until: $*"
			return 1
		fi
		sleep 0.02
	done
}

# test_seq [-f FORMAT] [FIRST] LAST
test_seq () {
	local format='%d\n' i=1
	if test "$1" = -f
	then
		format=$2\\n
		shift 2
	fi
	case $# in
	1) set -- 1 "$1" ;;
	2) ;;
	*) BUG "not 1 or 2 parameters to test_seq" ;;
	esac
	i=$1
	while test "$i" -le "$2"
	do
		# shellcheck disable=SC2059 # the format is the caller's
		printf "$format" "$i"
		i=$((i + 1))
	done
}

# Print each argument on a line.
test_write_lines () {
	printf '%s\n' "$@"
}

# write_script FILE [SHELL] <BODY: write an executable script.
write_script () {
	{
		printf '#!%s\n' "${2-$SHELL_PATH}"
		cat
	} >"$1" &&
	chmod +x "$1"
}

# test_copy_bytes N: copy the first N bytes of standard input.
test_copy_bytes () {
	head -c "$1"
}

# ---------------------------------------------------------------------------
# Variables and settings

# unset without an error for variables that are not set.
sane_unset () {
	unset "$@"
	return 0
}

test_export () {
	# shellcheck disable=SC2163 # the names are in the arguments
	export "$@"
}

# test_skip_unless PREREQ [REASON]: end the script as skipped if it is missing.
test_skip_unless () {
	test_have_prereq "$1" && return
	skip_all=${2-missing $1}
	test_done
}

# test_config_global KEY VALUE: set it in the $HOME of the test, until its end.
test_config_global () {
	local section="${1%.*}" file="$HOME/.gitconfig" sub
	test $# = 2 || BUG "test_config_global wants a key and a value"
	sub=${section#"${section%%.*}"}
	if ! test -e "$file.before"
	then
		: >>"$file" && cp "$file" "$file.before" &&
		test_when_finished 'mv "$HOME/.gitconfig.before" "$HOME/.gitconfig"'
	fi &&
	printf '[%s%s]\n\t%s = "%s"\n' "${section%%.*}" "${sub:+ \"${sub#.}\"}" \
		"${1##*.}" "$(printf '%s' "$2" | sed 's/[\\"]/\\&/g')" >>"$file"
}

# ---------------------------------------------------------------------------
# Git, if it is installed (prerequisite GIT)

test_tick () {
	test_tick=${test_tick+$((test_tick + 60))}
	: "${test_tick:=1112911993}"
	GIT_COMMITTER_DATE="$test_tick -0700"
	GIT_AUTHOR_DATE="$test_tick -0700"
	export GIT_COMMITTER_DATE GIT_AUTHOR_DATE
}

# Make the files of `git init`, without the dozen of examples that it copies into each.
# By hand, as each script begins with it.
test_create_repo () {
	local dir="${1-.}/.git"
	mkdir -p "$dir/hooks" "$dir/info" "$dir/objects/info" \
		"$dir/objects/pack" "$dir/refs/heads" "$dir/refs/tags" &&
	echo "ref: refs/heads/main" >"$dir/HEAD" &&
	printf '[core]\n\t%s\n' "repositoryformatversion = 0" >"$dir/config" &&
	printf '\t%s\n' "filemode = true" "bare = false" \
		"logallrefupdates = true" >>"$dir/config"
}

# test_commit [-C DIR] MESSAGE [FILE [CONTENTS [TAG]]]
test_commit () {
	local dir=. file
	if test "$1" = -C
	then
		dir=$2
		shift 2
	fi
	file=${2:-"$1.t"}
	printf '%s\n' "${3-$1}" >"$dir/$file" &&
	git -C "$dir" add -- "$file" &&
	test_tick &&
	git -C "$dir" commit -q -m "$1" &&
	git -C "$dir" tag "${4:-$1}"
}
