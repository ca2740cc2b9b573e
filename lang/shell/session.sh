# SPDX-License-Identifier: MIT
#
# The session: its id, its first and last events, subshells, traps, signals.
# This part is the last one, and begins the session.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

# Set trace2_host_ to the last part of the session ids of this machine.
trace2_host_of_ () {
	case ${GIT_TRACE2_PARENT_SID-} in
	*-H????????-P????????)
		trace2_host_=${GIT_TRACE2_PARENT_SID##*-H}
		trace2_host_=H${trace2_host_%%-*}
		return ;;
	esac
	trace2_host_=Localhost
	command read -r trace2_t_ 2>/dev/null </proc/sys/kernel/hostname || return 0
	trace2_t_=$(command printf %s "$trace2_t_" | command sha1sum 2>/dev/null) || return 0
	[ -z "$trace2_t_" ] || trace2_host_=H${trace2_t_%"${trace2_t_#????????}"}
}

# trace2_export_ NAME VALUE: set a variable, unless the script has made it
# readonly.
trace2_export_ () {
	command export "$1=$2" 2>/dev/null || :
}

# Append this process to the session id, and set trace2_own_ to its component.
trace2_name_session_ () {
	trace2_utc_time_
	trace2_own_=$trace2_utc_
	for trace2_t_ in - - : :
	do
		trace2_own_=${trace2_own_%%"$trace2_t_"*}${trace2_own_#*"$trace2_t_"}
	done
	trace2_hex_ "$trace2_pid_" 8
	trace2_own_=$trace2_own_-$trace2_host_-P$trace2_hex_text_
	trace2_sid_=${GIT_TRACE2_PARENT_SID:+$GIT_TRACE2_PARENT_SID/}$trace2_own_
	trace2_export_ GIT_TRACE2_PARENT_SID "$trace2_sid_"
}

# Begin a session in this process; the arguments are its command line.
trace2_open_session_ () {
	trace2_start_=$trace2_us_ trace2_depth_=0 trace2_child_=0
	trace2_full_=
	trace2_name_session_
	trace2_open_ || return
	trace2_json_of_ "$trace2_sid_"
	trace2_head_="\"sid\":\"$trace2_json_\",\"thread\":\"main\""
	trace2_on_=t
	trace2_emit_ version ',"evt":"4","exe":"unknown"'
	if [ -n "$trace2_full_" ]
	then
		trace2_emit_ too_many_files
		trace2_on_=
		return
	fi
	trace2_emit_ start ",\"t_abs\":0.000000,\"argv\":$trace2_command_"
	trace2_open_trace_
}

# Begin a session in a subshell, which is a process of its own.
trace2_forked_ () {
	command read -r trace2_pid_ 2>/dev/null </proc/self/stat || {
		trace2_on_=
		return
	}
	trace2_pid_=${trace2_pid_%% *}
	trace2_may_assign_ || {
		trace2_on_=
		return
	}
	trace2_self_=/proc/$trace2_pid_
	trace2_now_
	trace2_open_session_ || trace2_on_=
	trace2_read_traps_
	# bash also lists the traps of the parent, which have no effect in a
	# subshell.
	case $trace2_exit_trap_ in
	''|*trace2_end_*) trap 'trace2_end_ "$?"' EXIT ;;
	esac
}

# Set trace2_traps_ to the traps that the shell lists, and trace2_exit_trap_ to
# the command of the EXIT trap. dash has no traps in a command substitution; so
# the list goes through the pipe of a here-document.
trace2_read_traps_ () {
	trace2_traps_=$(trap)
	[ -n "$trace2_traps_" ] || [ -n "${BASH_VERSION-}" ] || {
		{ trap; command echo end of traps; } 2>/dev/null >/proc/self/fd/9 &&
		while IFS= command read -r trace2_t_ && [ "$trace2_t_" != 'end of traps' ]
		do
			trace2_traps_="$trace2_traps_$trace2_t_
"
		done <&9
	} 9<<-\EOF
	EOF
	trace2_exit_trap_=
	case $trace2_traps_ in
	"trap -- '"*"' EXIT"*) ;;
	*) return 0 ;;
	esac
	trace2_t_=${trace2_traps_#trap -- }
	case $trace2_t_ in
	*"' EXIT
trap -- "*)
		trace2_t_=${trace2_t_%%"' EXIT
trap -- "*} ;;
	*)
		trace2_t_=${trace2_t_%"' EXIT"*} ;;
	esac
	eval "trace2_exit_trap_=$trace2_t_'"
}

# trace2_on_exit COMMANDS: set the script's EXIT trap. The session ends first;
# then COMMANDS run with the exit status in $?. The status comes from a
# condition, so that set -e does not end the shell there.
trace2_on_exit () {
	trace2_host_trap_=$1
	trap 'if trace2_end_ "$?"
then
	eval "$trace2_host_trap_"
else
	eval "$trace2_host_trap_"
fi' EXIT
}

# End the session of this process, and return the given status.
trace2_end_ () {
	if [ -n "$trace2_on_" ] && [ "$trace2_proc_" -ef "$trace2_self_" ]
	then
		trace2_now_
		while [ -n "$trace2_on_" ] && [ "$trace2_spans_" -gt 0 ]
		do
			trace2_emit_span_ ',"unfinished":true'
		done
		trace2_abs_of_
		trace2_emit_ exit "$trace2_abs_,\"code\":$1"
		[ -z "$trace2_on_" ] ||
		trace2_emit_ atexit "$trace2_abs_,\"code\":$1"
		trace2_on_=
	fi
	return "$1"
}

# Record a signal that ends the script, if GIT_TRACE2_SIGNALS names it and the
# script has no trap for it.
trace2_watch_signals_ () {
	[ -n "${GIT_TRACE2_SIGNALS-}" ] || return 0
	for trace2_t_ in HUP:1 INT:2 QUIT:3 ABRT:6 ALRM:14 TERM:15
	do
		case ,$GIT_TRACE2_SIGNALS, in
		*[,\ ]"${trace2_t_%:*}"[,\ ]*|*[,\ ]SIG"${trace2_t_%:*}"[,\ ]*|\
		*[,\ ]"${trace2_t_#*:}"[,\ ]*) ;;
		*) continue ;;
		esac
		case "$trace2_traps_
" in
		*"' ${trace2_t_%:*}
"*|*"' SIG${trace2_t_%:*}
"*) ;;
		*)
			# shellcheck disable=SC2064 # this signal's name and number
			trap "trace2_die_ ${trace2_t_%:*} ${trace2_t_#*:}" \
				"${trace2_t_%:*}" ;;
		esac
	done
}

trace2_die_ () {
	if trace2_begin_
	then
		trace2_abs_of_
		trace2_emit_ signal "$trace2_abs_,\"signo\":$2"
		trace2_on_=
	fi
	trap - "$1"
	command kill -s "$1" "$trace2_pid_"
}

# May the trace assign IFS and LC_ALL? If the script has made one of them
# readonly, an assignment would end the script.
trace2_may_assign_ () {
	# shellcheck disable=SC2034 # the assignment alone counts
	(IFS='' LC_ALL=C) 2>/dev/null || trace2_refuse_ 'IFS or LC_ALL is readonly'
}

trace2_start_session_ () {
	trace2_target_=$GIT_TRACE2_EVENT
	trace2_pid_=$$ trace2_proc_=/proc/self trace2_self_=/proc/$$
	[ "$trace2_proc_" -ef "$trace2_self_" ] || {
		trace2_refuse_ 'it needs /proc'
		return
	}
	! trace2_has_limit_ || return
	trace2_may_assign_ || return
	trace2_clock_start_ || {
		trace2_refuse_ 'there is no clock'
		return
	}
	trace2_nesting_=2
	[ "${GIT_TRACE2_EVENT_NESTING:-2}" -gt 0 ] 2>/dev/null &&
	trace2_nesting_=${GIT_TRACE2_EVENT_NESTING:-2}
	trace2_brief_=
	case ${GIT_TRACE2_EVENT_BRIEF-} in
	''|0|[Ff]alse|[Nn]o|[Oo]ff) ;;
	*) trace2_brief_=1 ;;
	esac
	trace2_redact_=t
	case ${GIT_TRACE2_REDACT-} in
	0|[Ff]alse|[Nn]o|[Oo]ff) trace2_redact_= ;;
	esac
	trace2_host_of_
	trace2_argv_of_ "$@"
	trace2_command_=$trace2_argv_
	trace2_open_session_ || return
	trace2_cmd_name "${1##*/}"
	trace2_read_traps_
	trace2_on_exit "$trace2_exit_trap_"
	trace2_watch_signals_
	trace2_watch_limits_
	trace2_reader_=$$
}

trace2_start_session_ "$0" "$@" || trace2_on_=
