# SPDX-License-Identifier: MIT
#
# Check the output of a script's programs with `trace2 check`: each event
# stream, perf stream and ring that a test removes with rm, and those that exist
# at the end. A warning is no failure: streams of killed programs have no end.
#
#	unchecked REASON PATTERN...
#		these need not pass: a test damages them, or writes them
#		itself. A pattern is for the path below the trash directory.
#
# Streams written by lib-stream.sh or a scrubber are not checked.
#
# shellcheck shell=sh

test_unchecked_=

unchecked () {
	test $# -ge 2 || BUG "unchecked wants a reason and a pattern"
	shift
	test_unchecked_="$test_unchecked_$(printf '%s\n' "$@" | tr / +)
"
}

# Is the file with this name, which is NUMBER.PATH, excluded?
test_is_unchecked_ () {
	local pattern IFS='
'
	set -f
	for pattern in $test_unchecked_
	do
		# shellcheck disable=SC2254 # it is a pattern
		case "${1#*.}" in
		$pattern) set +f; return 0 ;;
		esac
	done
	set +f
	return 1
}

# Is this an rm -f of files that are missing?
test_needs_no_rm_ () {
	case "${1-}" in
	-f|-rf|-fr) shift ;;
	*) return 1 ;;
	esac
	while test $# -gt 0
	do
		case "$1" in
		''|-*) return 1 ;;
		esac
		if test -e "$1" || test -h "$1"
		then
			return 1
		fi
		shift
	done
}

# Keep nothing if it cannot be checked.
test_start_kept_ () {
	test_kept_=$TRASH_DIRECTORY.kept
	test_remove_dir_ "$test_kept_"
	test -x "$GIT_BUILD_DIR/build/bin/trace2" &&
	test -x "$GIT_BUILD_DIR/t/helper/test-tool" || return 0
	# A test that runs as another user must be able to write there.
	mkdir -m 1777 "$test_kept_" || error "cannot make '$test_kept_'"
	rm () {
		! test_needs_no_rm_ "$@" || return 0
		"$GIT_BUILD_DIR/t/helper/test-tool" keep "$test_kept_" \
			"$test_count" rm "$@"
	}
}

# Fail, as an additional test, if there is an error in one of them.
test_check_kept_ () {
	local file errors
	test -d "$test_kept_" || return 0
	cd "$TRASH_DIRECTORY" &&
	"$GIT_BUILD_DIR/t/helper/test-tool" keep "$test_kept_" end true . &&
	cd "$test_kept_" || return
	# There may be thousands of files: appending to a long argument list is
	# slow.
	set --
	test -z "$test_unchecked_" ||
	for file in *
	do
		! test_is_unchecked_ "$file" || set -- "$@" "$file"
	done
	test $# = 0 || command rm -f -- "$@"
	set -- *
	test -f "$1" || return 0
	# Without the environment: it may switch tracing on.
	errors=$(env -i "$GIT_BUILD_DIR/build/bin/trace2" check -- "$@" 2>&1)
	test $? -gt 1 || errors=$(printf '%s\n' "$errors" | grep ' error: ')
	test -n "$errors" || return 0
	test_count=$((test_count + 1))
	test_failure=$((test_failure + 1))
	say_color error "not ok $test_count - what was written passes trace2 check"
	printf '%s\n' "$errors" | sed 's/^/#	/'
	say_color info "# in $test_kept_: NUMBER.FILE, by the number of the test"
}
