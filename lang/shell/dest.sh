# SPDX-License-Identifier: MIT
#
# Destinations: files, files in a directory, and the script's descriptors, if
# they are files or terminals. A shell can neither connect to a socket nor write
# to a pipe without the risk of waiting, or of dying by SIGPIPE.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

trace2_refuse_ () {
	case ${GIT_TRACE2_DST_DEBUG-} in
	''|0|[Ff]alse|[Nn]o) ;;
	*) echo "warning: trace2: cannot use GIT_TRACE2_EVENT: '$GIT_TRACE2_EVENT': $1" >&2 ;;
	esac
	return 1
}

trace2_open_ () {
	trace2_fd_=
	case $GIT_TRACE2_EVENT in
	1|[Tt][Rr][Uu][Ee]) trace2_open_fd_ 2 ;;
	[2-9]) trace2_open_fd_ "$GIT_TRACE2_EVENT" ;;
	/dev/stderr|/dev/fd/2|/proc/self/fd/2) trace2_open_fd_ 2 ;;
	/dev/stdout|/dev/fd/1|/proc/self/fd/1) trace2_open_fd_ 1 ;;
	/dev/fd/[3-9]|/proc/self/fd/[3-9])
		trace2_open_fd_ "${GIT_TRACE2_EVENT##*/}" ;;
	/*) trace2_open_path_ "$GIT_TRACE2_EVENT" ;;
	af_unix:*) trace2_refuse_ 'a script cannot connect to a socket' ;;
	*)
		echo "warning: trace2: unknown value for 'GIT_TRACE2_EVENT': '$GIT_TRACE2_EVENT'" >&2
		return 1 ;;
	esac
}

# The script may use the number for another file later: remember which it is.
trace2_open_fd_ () {
	trace2_file_=$(readlink "/proc/self/fd/$1") || :
	if test -t "$1"
	then
		test -w "$trace2_file_" || trace2_refuse_ 'another user has the terminal'
		return
	fi
	test -f "$trace2_file_" || test -c "$trace2_file_" ||
	trace2_refuse_ 'a script writes to no pipe and to no socket' || return
	trace2_fd_=$1
}

# A killed process may have left the last line incomplete. One that another process
# is appending grows at the end: look until the size stays.
trace2_is_cut_ () {
	trace2_before_=
	while test -n "$(tail -c 1 "$1" 2>/dev/null)"
	do
		trace2_size_=$(wc -c 2>/dev/null <"$1")
		test "$trace2_size_" != "$trace2_before_" || return 0
		trace2_before_=$trace2_size_
	done
	return 1
}

trace2_open_path_ () {
	trace2_file_=$1
	if test -d "$1"
	then
		trace2_open_directory_ "$1"
	elif test -f "$1" || test -c "$1" || ! test -e "$1"
	then
		test ! -s "$1" || test ! -f "$1" || ! trace2_is_cut_ "$1" ||
		printf '\n' 2>/dev/null >>"$1" || :
	else
		trace2_refuse_ 'a script writes to no pipe and to no socket'
	fi
}

trace2_open_directory_ () {
	trace2_sentinel_=$1/git-trace2-discard
	trace2_full_=
	if test "${GIT_TRACE2_MAX_FILES:-0}" -gt 0 2>/dev/null
	then
		test ! -e "$trace2_sentinel_" ||
		trace2_refuse_ 'the directory has too many files' || return
		trace2_is_full_ "$1" && trace2_full_=t
	fi
	trace2_file_=$1/$trace2_own_
	test -z "$trace2_full_" || trace2_file_=$trace2_sentinel_
	trace2_create_ || trace2_refuse_ 'cannot create a file there'
}

# If the name is taken, append .1 to .9.
trace2_create_ () {
	set -- "$trace2_file_" 0
	while test "$2" -le 9
	do
		test "$2" = 0 || trace2_file_=$1.$2
		(set -C && : >"$trace2_file_") 2>/dev/null && return
		test -e "$trace2_file_" || return 1
		set -- "$1" $(($2 + 1))
	done
	return 1
}

trace2_is_full_ () (
	set +f
	set -- "$1"/*
	test -e "$1" || set --
	test $# -ge "$GIT_TRACE2_MAX_FILES"
)

# The size of files may be limited: then a write ends the script (SIGXFSZ).
trace2_has_limit_ () {
	test "$(ulimit -f)" != unlimited &&
	! trace2_refuse_ 'the size of files is limited'
}

# Write a line, or switch tracing off.
# shellcheck disable=SC2261 # the descriptor may be 2: only then is it redirected
trace2_write_ () {
	if test -n "$trace2_hold_"
	then
		trace2_held_="$trace2_held_${trace2_held_:+
}$1"
	elif test -z "$trace2_fd_"
	then
		printf '%s\n' "$1" 2>/dev/null >>"$trace2_file_"
	else
		test "/proc/self/fd/$trace2_fd_" -ef "$trace2_file_" &&
		printf '%s\n' "$1" >&"$trace2_fd_" 2>/dev/null
	fi || trace2_on_=
}
