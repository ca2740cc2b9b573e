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
	*) command echo "warning: trace2: cannot use GIT_TRACE2_EVENT: '$trace2_target_': $1" >&2 ;;
	esac
	return 1
}

trace2_open_ () {
	trace2_fd_=
	case $trace2_target_ in
	1|[Tt][Rr][Uu][Ee]) trace2_open_fd_ 2 ;;
	[2-9]) trace2_open_fd_ "$trace2_target_" ;;
	/dev/stderr|/dev/fd/2|/proc/self/fd/2) trace2_open_fd_ 2 ;;
	/dev/stdout|/dev/fd/1|/proc/self/fd/1) trace2_open_fd_ 1 ;;
	/dev/fd/[3-9]|/proc/self/fd/[3-9])
		trace2_open_fd_ "${trace2_target_##*/}" ;;
	/*) trace2_open_path_ "$trace2_target_" ;;
	af_unix:*) trace2_refuse_ 'a script cannot connect to a socket' ;;
	*)
		command echo "warning: trace2: unknown value for 'GIT_TRACE2_EVENT': '$trace2_target_'" >&2
		return 1 ;;
	esac
}

# Note which file the descriptor is: the script may use the number for another
# file later.
trace2_open_fd_ () {
	command -v readlink >/dev/null || trace2_refuse_ 'it needs readlink' || return
	trace2_file_=$(command readlink "/proc/self/fd/$1") || :
	if [ -t "$1" ]
	then
		[ -w "$trace2_file_" ] || trace2_refuse_ 'another user has the terminal'
		return
	fi
	[ -f "$trace2_file_" ] || [ -c "$trace2_file_" ] ||
	trace2_refuse_ 'a script writes to no pipe and to no socket' || return
	trace2_fd_=$1
}

# Does the last line lack its end, since its process was killed? A line that
# another process is still appending grows: so look until the size stays the
# same.
trace2_is_cut_ () {
	trace2_before_=
	while [ -n "$(command tail -c 1 "$1" 2>/dev/null)" ]
	do
		trace2_size_=$(command wc -c 2>/dev/null <"$1")
		[ "$trace2_size_" != "$trace2_before_" ] || return 0
		trace2_before_=$trace2_size_
	done
	return 1
}

trace2_open_path_ () {
	trace2_file_=$1
	if [ -d "$1" ]
	then
		trace2_open_directory_ "$1"
	elif [ -f "$1" ] || [ -c "$1" ] || ! [ -e "$1" ]
	then
		[ ! -s "$1" ] || [ ! -f "$1" ] || ! trace2_is_cut_ "$1" ||
		command printf '\n' 2>/dev/null >>"$1" || :
	else
		trace2_refuse_ 'a script writes to no pipe and to no socket'
	fi
}

trace2_open_directory_ () {
	trace2_sentinel_=$1/git-trace2-discard
	trace2_full_=
	if [ "${GIT_TRACE2_MAX_FILES:-0}" -gt 0 ] 2>/dev/null
	then
		[ ! -e "$trace2_sentinel_" ] ||
		trace2_refuse_ 'the directory has too many files' || return
		trace2_is_full_ "$1" && trace2_full_=t
	fi
	trace2_file_=$1/$trace2_own_
	[ -z "$trace2_full_" ] || trace2_file_=$trace2_sentinel_
	trace2_create_ || trace2_refuse_ 'cannot create a file there'
}

# Create the file. If the name exists, append .1 to .9.
trace2_create_ () {
	set -- "$trace2_file_" 0
	while [ "$2" -le 9 ]
	do
		[ "$2" = 0 ] || trace2_file_=$1.$2
		(set -C && : >"$trace2_file_") 2>/dev/null && return
		[ -e "$trace2_file_" ] || return 1
		set -- "$1" "$(($2 + 1))"
	done
	return 1
}

trace2_is_full_ () (
	set +f
	set -- "$1"/*
	[ -e "$1" ] || set --
	[ "$#" -ge "$GIT_TRACE2_MAX_FILES" ]
) 2>/dev/null

# Is there a limit that forbids tracing? A write beyond the limit of file sizes
# ends the script (SIGXFSZ). With few free descriptors the shell cannot
# redirect.
trace2_has_limit_ () {
	set -- "$(command ulimit -f)" "$(command ulimit -n)"
	if [ "$1" != unlimited ]
	then
		! trace2_refuse_ 'the size of files is limited'
	else
		[ "$2" != unlimited ] && [ "$2" -lt 20 ] &&
		! trace2_refuse_ 'it has too few descriptors'
	fi
}

# trace2_lowers_ [ARGUMENT...]: would ulimit with these arguments leave too
# little for the trace: a limit of file sizes, or fewer than 20 descriptors?
# Look before the call: after it, no command may work.
trace2_lowers_ () {
	trace2_limit_=f
	for trace2_t_
	do
		case $trace2_t_ in
		-*)
			trace2_c_=${trace2_t_%%[0-9]*}
			trace2_t_=${trace2_t_#"$trace2_c_"}
			case $trace2_c_ in
			*n*) trace2_limit_=n ;;
			*[!-HSaf]*) trace2_limit_='' ;;
			*f*) trace2_limit_=f ;;
			esac ;;
		esac
		case $trace2_limit_$trace2_t_ in
		f[0-9]*|n?|n1?) return 0 ;;
		esac
	done
	return 1
}

# Look at each ulimit call of the script: it may set a limit later.
trace2_watch_limits_ () {
	case $(type ulimit 2>/dev/null) in
	*function*|*alias*) return 0 ;;
	esac
	# Use eval: an alias named ulimit would be expanded when this is parsed.
	eval 'ulimit () {
		! trace2_lowers_ "$@" || trace2_on_=
		command ulimit "$@"
	}'
}

# Write a line, or switch tracing off.
# shellcheck disable=SC2261 # the descriptor may be 2: only then is it redirected
trace2_write_ () {
	if [ -n "$trace2_hold_" ]
	then
		trace2_held_="$trace2_held_${trace2_held_:+
}$1"
	elif [ -z "$trace2_fd_" ]
	then
		command printf '%s\n' "$1" 2>/dev/null >>"$trace2_file_"
	else
		[ "/proc/self/fd/$trace2_fd_" -ef "$trace2_file_" ] &&
		command printf '%s\n' "$1" >&"$trace2_fd_" 2>/dev/null
	fi || trace2_on_=
}
