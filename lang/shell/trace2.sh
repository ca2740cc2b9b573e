#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Trace a shell script: source this file in dash, bash or busybox sh.
#
#	. trace2.sh
#
# The functions trace2_* without a '_' at the end are the interface; trace2.sh(3)
# describes them. With tracing off they do nothing, trace2_child, trace2_exec and
# trace2_on_exit apart. With tracing on, an event is one printf and starts no
# process. Names that end in '_' are private.
#
# The script's IFS, options, traps and positional parameters stay as they are;
# it may use set -eu.
#
# EPOCHREALTIME is in bash and busybox.
# shellcheck shell=dash disable=SC3028

# Off: these stay. A child is a program, never a function: a function would run
# without set -e here.
trace2_region_enter () { :; }
trace2_region_leave () { :; }
trace2_data () { :; }
trace2_error () { :; }
trace2_cmd_name () { :; }
trace2_cmd_mode () { :; }
trace2_child () {
	test "$1" != -c || shift 2
	(exec "$@")
}
trace2_exec () { exec "$@"; }
# shellcheck disable=SC2064 # the argument is a command
trace2_on_exit () { trap "$1" EXIT; }

trace2_on_=
case ${GIT_TRACE2_EVENT-} in
''|0|[Ff][Aa][Ll][Ss][Ee]) return 0 ;;
esac
# An interactive shell is no session.
case $- in *i*) return 0 ;; esac

# ---------------------------------------------------------------------------
# The clock: trace2_us_, microseconds since 1970. dash has none: there it counts
# from `date` at the start, in the hundredths of a second of /proc/uptime.

trace2_clock_start_ () {
	if test -n "${EPOCHREALTIME-}"
	then
		trace2_now_ () {
			trace2_t_=1${EPOCHREALTIME#*[.,]}
			trace2_us_=$((${EPOCHREALTIME%[.,]*} * 1000000 +
				trace2_t_ - 1000000))
		}
		trace2_now_
		return
	fi
	trace2_uptime_ || return
	trace2_base_=$(date +%s.%N 2>/dev/null) || return
	case $trace2_base_ in
	*[!0-9.]*|.*) return 1 ;;
	*.?????????) ;;
	*) trace2_base_=${trace2_base_%.}.000000000 ;;
	esac
	trace2_t_=${trace2_base_#*.}
	trace2_t_=1${trace2_t_%???}
	trace2_base_=$((${trace2_base_%.*} * 1000000 + trace2_t_ - 1000000 -
		trace2_up_))
	trace2_now_ () {
		trace2_uptime_ || trace2_on_=
		trace2_us_=$((trace2_base_ + trace2_up_))
	}
	trace2_now_
}

trace2_uptime_ () {
	IFS=' ' read -r trace2_up_ trace2_t_ 2>/dev/null </proc/uptime || return
	trace2_t_=1${trace2_up_#*.}
	trace2_up_=$((${trace2_up_%.*} * 1000000 + (trace2_t_ - 100) * 10000))
}

# Set trace2_s_ to seconds for so many microseconds. The clock may be set back.
trace2_seconds_ () {
	test "$1" -ge 0 || set -- 0
	trace2_t_=$(($1 % 1000000 + 1000000))
	trace2_s_=$(($1 / 1000000)).${trace2_t_#1}
}

# Set trace2_date_ for a day since 1970; "era" counts 400 years, whose years
# begin in March.
trace2_day_=
trace2_civil_ () {
	trace2_day_=$1
	set -- $(($1 + 719468))
	set -- $(($1 / 146097)) $(($1 % 146097))
	set -- "$1" "$2" \
		$((($2 - $2 / 1460 + $2 / 36524 - $2 / 146096) / 365))
	set -- $(($1 * 400 + $3)) \
		$(($2 - (365 * $3 + $3 / 4 - $3 / 100)))
	set -- "$1" "$2" $(((5 * $2 + 2) / 153))
	set -- $(($1 + $3 / 10)) $(($3 < 10 ? $3 + 3 : $3 - 9)) \
		$(($2 - (153 * $3 + 2) / 5 + 1))
	set -- "$1" $(($2 + 100)) $(($3 + 100))
	trace2_date_=$1-${2#1}-${3#1}
}

# Set trace2_utc_ to the time of day of trace2_us_.
trace2_second_=
trace2_utc_time_ () {
	test "$trace2_second_" = $((trace2_us_ / 1000000)) ||
	trace2_utc_second_ $((trace2_us_ / 1000000))
	trace2_t_=$((trace2_us_ % 1000000 + 1000000))
	trace2_utc_=$trace2_hms_.${trace2_t_#1}Z
}

trace2_utc_second_ () {
	trace2_second_=$1
	test "$trace2_day_" = $(($1 / 86400)) || trace2_civil_ $(($1 / 86400))
	set -- $(($1 % 86400 / 3600 + 100)) $(($1 % 3600 / 60 + 100)) \
		$(($1 % 60 + 100))
	trace2_hms_=${trace2_date_}T${1#1}:${2#1}:${3#1}
}

# ---------------------------------------------------------------------------
# Text: JSON strings, and secrets

# The characters of which JSON is made, in each locale, and those of strings
# without secrets; "[" is not before ".", ":" or "=", which would begin a class.
trace2_simple_='][!#$%&()*+,./;<>?@^_`{|}~ 0123456789abcdefghijklmnopqrstuvwxyz'
trace2_simple_=$trace2_simple_"'ABCDEFGHIJKLMNOPQRSTUVWXYZ-"
trace2_plain_=${trace2_simple_%-}:=-

# Set trace2_json_ to the inside of a JSON string.
trace2_json_of_ () {
	trace2_json_=$1
	case $1 in
	*[!$trace2_simple_]*) ;;
	*) return 0 ;;
	esac
	test -z "$trace2_redact_" || trace2_redact_ "$1"
	case $trace2_json_ in
	*[!$trace2_plain_]*) trace2_escape_ "$trace2_json_" ;;
	esac
}

# Hide what looks like a secret. This hides more than the library does, which
# shows the rest of a URL.
trace2_redact_ () {
	case $1 in
	*://*@*|*[Aa][Uu][Tt][Hh][Oo][Rr][Ii][Zz][Aa][Tt][Ii][Oo][Nn]*:*)
		trace2_json_='<REDACTED>' ;;
	*[Tt][Oo][Kk][Ee][Nn]*=*|*[Ss][Ee][Cc][Rr][Ee][Tt]*=*|\
	*[Pp][Aa][Ss][Ss][Ww]*[Dd]*=*|*[Kk][Ee][Yy]*=*|\
	*[Ss][Ii][Gg][Nn][Aa][Tt][Uu][Rr][Ee]*=*)
		trace2_json_="${1%%=*}=<REDACTED>" ;;
	esac
}

# Characters are bytes here, so that invalid UTF-8 can be told from valid.
trace2_escape_ () {
	trace2_locale_=${LC_ALL-unset}
	LC_ALL=C
	test -n "${trace2_bytes_-}" || trace2_bytes_start_
	trace2_json_='' trace2_rest_=$1 trace2_wanted_=0
	# shellcheck disable=SC2295 # it is a part of the pattern
	while trace2_t_=${trace2_rest_%%[!$trace2_plain_]*}
	do
		if test -n "$trace2_t_"
		then
			trace2_sequence_end_
			trace2_json_=$trace2_json_$trace2_t_
			trace2_rest_=${trace2_rest_#"$trace2_t_"}
		fi
		test -n "$trace2_rest_" || break
		trace2_c_=${trace2_rest_%"${trace2_rest_#?}"}
		trace2_rest_=${trace2_rest_#?}
		trace2_escape_byte_ "$trace2_c_"
	done
	trace2_sequence_end_
	if test "$trace2_locale_" = unset
	then
		unset LC_ALL
	else
		LC_ALL=$trace2_locale_
	fi
}

# The bytes 1 to 31 and 127 to 255, in this order.
trace2_bytes_start_ () {
	trace2_bytes_=$(
		i=0
		while test $((i += 1)) -lt 256
		do
			test $i -lt 32 || test $i -gt 126 || continue
			# shellcheck disable=SC2059 # the format is an octal number
			printf "\\$((i / 64))$((i / 8 % 8))$((i % 8))"
		done
		echo .
	)
	trace2_bytes_=${trace2_bytes_%.}
}

trace2_escape_byte_ () {
	case $1 in
	\") trace2_sequence_end_; trace2_json_=$trace2_json_\\\" ; return ;;
	\\) trace2_sequence_end_; trace2_json_=$trace2_json_\\\\ ; return ;;
	esac
	trace2_t_=${trace2_bytes_%%"$1"*}
	set -- "$1" $((${#trace2_t_} + 1))
	if test "$2" -ge 32
	then
		trace2_utf8_byte_ "$1" $(($2 + 95))
		return
	fi
	trace2_sequence_end_
	case $2 in
	9) trace2_json_=$trace2_json_\\t ;;
	10) trace2_json_=$trace2_json_\\n ;;
	13) trace2_json_=$trace2_json_\\r ;;
	*) trace2_hex_ "$2" 4; trace2_json_=$trace2_json_\\u$trace2_hex_text_ ;;
	esac
}

# A byte of UTF-8, and its value. trace2_sequence_ has the beginning of a
# character, which wants so many bytes more, the next in a range.
trace2_utf8_byte_ () {
	if test "$trace2_wanted_" -gt 0 && test "$2" -ge "$trace2_low_" &&
		test "$2" -le "$trace2_high_"
	then
		trace2_sequence_=$trace2_sequence_$1
		trace2_wanted_=$((trace2_wanted_ - 1))
		trace2_low_=128 trace2_high_=191
		test "$trace2_wanted_" -gt 0 ||
		trace2_json_=$trace2_json_$trace2_sequence_
		return 0
	fi
	trace2_sequence_end_
	trace2_sequence_=$1 trace2_low_=128 trace2_high_=191
	case $2 in
	127) trace2_json_=$trace2_json_$1; return ;;
	19[4-9]|20?|21?|22[0-3]) trace2_wanted_=1; return ;;
	22[4-9]|23?) trace2_wanted_=2 ;;
	24[0-4]) trace2_wanted_=3 ;;
	*) trace2_json_=$trace2_json_\\ufffd; return ;;
	esac
	case $2 in
	224) trace2_low_=160 ;;
	237) trace2_high_=159 ;;
	240) trace2_low_=144 ;;
	244) trace2_high_=143 ;;
	esac
}

# An unfinished character is invalid.
trace2_sequence_end_ () {
	test "$trace2_wanted_" = 0 || trace2_json_=$trace2_json_\\ufffd
	trace2_wanted_=0
}

# Set trace2_hex_text_ to a number in so many hexadecimal digits.
trace2_hex_ () {
	trace2_hex_text_='' trace2_n_=$1
	set -- "$2"
	while test ${#trace2_hex_text_} -lt "$1"
	do
		case $((trace2_n_ % 16)) in
		10) trace2_t_=a ;; 11) trace2_t_=b ;; 12) trace2_t_=c ;;
		13) trace2_t_=d ;; 14) trace2_t_=e ;; 15) trace2_t_=f ;;
		*) trace2_t_=$((trace2_n_ % 16)) ;;
		esac
		trace2_hex_text_=$trace2_t_$trace2_hex_text_
		trace2_n_=$((trace2_n_ / 16))
	done
}

# Set trace2_argv_ to a JSON array of strings.
trace2_argv_of_ () {
	trace2_argv_=
	for trace2_word_
	do
		trace2_json_of_ "$trace2_word_"
		trace2_argv_="$trace2_argv_,\"$trace2_json_\""
	done
	trace2_argv_="[${trace2_argv_#,}]"
}

# ---------------------------------------------------------------------------
# Destinations: files, files in a directory, and the script's descriptors, if
# they are files or terminals. A shell can neither connect to a socket nor write
# to a pipe without the risk of waiting, or of dying by SIGPIPE.

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

trace2_open_path_ () {
	trace2_file_=$1
	if test -d "$1"
	then
		trace2_open_directory_ "$1"
	elif test -f "$1" || test -c "$1" || ! test -e "$1"
	then
		# A killed process may have left the last line incomplete.
		test ! -s "$1" || test ! -f "$1" ||
		test -z "$(tail -c 1 "$1" 2>/dev/null)" ||
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
		case $- in
		*C*) : 2>/dev/null >"$trace2_file_" && return ;;
		*)
			set -C
			if : 2>/dev/null >"$trace2_file_"
			then
				set +C
				return 0
			fi
			set +C ;;
		esac
		test -e "$trace2_file_" || return 1
		set -- "$1" $(($2 + 1))
	done
	return 1
}

trace2_is_full_ () {
	trace2_t_=$-
	set +f
	set -- "$1"/*
	case $trace2_t_ in *f*) set -f ;; esac
	test -e "$1" || set --
	test $# -ge "$GIT_TRACE2_MAX_FILES"
}

# The size of files may be limited: then a write ends the script (SIGXFSZ).
trace2_has_limit_ () {
	test "$(ulimit -f)" != unlimited &&
	! trace2_refuse_ 'the size of files is limited'
}

# Write a line, or switch tracing off.
# shellcheck disable=SC2261 # the descriptor may be 2: only then is it redirected
trace2_write_ () {
	if test -z "$trace2_fd_"
	then
		printf '%s\n' "$1" 2>/dev/null >>"$trace2_file_"
	else
		test "/proc/self/fd/$trace2_fd_" -ef "$trace2_file_" &&
		printf '%s\n' "$1" >&"$trace2_fd_" 2>/dev/null
	fi || trace2_on_=
}

# ---------------------------------------------------------------------------
# Events

# Begin an event: is it a subshell's, and when is it? false: tracing is off.
trace2_begin_ () {
	test -n "$trace2_on_" || return
	test "$trace2_proc_" -ef "$trace2_self_" || trace2_forked_
	trace2_now_
	test -n "$trace2_on_"
}

# Set trace2_place_ to the caller's file and line, which only bash knows.
trace2_place_=''
trace2_place_of_ () { :; }
test -z "${BASH_VERSION-}" || eval '
trace2_place_of_ () {
	test "${trace2_source_-}" = "${BASH_SOURCE[2]-}" || {
		trace2_source_=${BASH_SOURCE[2]-}
		trace2_json_of_ "$trace2_source_"
		trace2_source_json_=$trace2_json_
	}
	trace2_place_=",\"file\":\"${trace2_source_json_-}\",\"line\":${BASH_LINENO[1]-0}"
}'

# trace2_emit_ EVENT [MEMBERS]
trace2_emit_ () {
	test -z "$trace2_brief_" || trace2_place_=
	case $trace2_brief_$1 in
	[!1]*|1version|1atexit)
		trace2_utc_time_
		trace2_place_=",\"time\":\"$trace2_utc_\"$trace2_place_" ;;
	esac
	trace2_write_ "{\"event\":\"$1\",$trace2_head_$trace2_place_${2-}}"
	trace2_place_=
}

# Set trace2_abs_ to the member t_abs.
trace2_abs_of_ () {
	trace2_seconds_ $((trace2_us_ - trace2_start_))
	trace2_abs_=",\"t_abs\":$trace2_s_"
}

trace2_region_enter () {
	trace2_begin_ || return 0
	trace2_depth_=$((trace2_depth_ + 1))
	trace2_names_=
	if test $# -gt 0
	then
		trace2_json_of_ "$1"
		trace2_names_=",\"category\":\"$trace2_json_\""
	fi
	if test $# -gt 1
	then
		trace2_json_of_ "$2"
		trace2_names_="$trace2_names_,\"label\":\"$trace2_json_\""
	fi
	eval "trace2_us_$trace2_depth_=\$trace2_us_ trace2_names_$trace2_depth_=\$trace2_names_"
	test "$trace2_depth_" -le "$trace2_nesting_" || return 0
	trace2_place_of_
	trace2_emit_ region_enter ",\"nesting\":$trace2_depth_$trace2_names_"
}

# The innermost region, whatever the arguments are: they are for readers of the
# script.
trace2_region_leave () {
	trace2_begin_ || return 0
	test "$trace2_depth_" -gt 0 || return 0
	eval "trace2_since_=\$trace2_us_$trace2_depth_ trace2_names_=\$trace2_names_$trace2_depth_"
	trace2_depth_=$((trace2_depth_ - 1))
	test "$trace2_depth_" -lt "$trace2_nesting_" || return 0
	trace2_seconds_ $((trace2_us_ - trace2_since_))
	trace2_place_of_
	trace2_emit_ region_leave ",\"t_rel\":$trace2_s_,\"nesting\":$((trace2_depth_ + 1))$trace2_names_"
}

# trace2_data CATEGORY KEY VALUE
trace2_data () {
	trace2_begin_ || return 0
	test "$trace2_depth_" -lt "$trace2_nesting_" || return 0
	trace2_place_of_
	trace2_since_=$trace2_start_
	test "$trace2_depth_" = 0 || eval "trace2_since_=\$trace2_us_$trace2_depth_"
	trace2_abs_of_
	trace2_seconds_ $((trace2_us_ - trace2_since_))
	trace2_json_of_ "${1-}"
	trace2_data_="$trace2_abs_,\"t_rel\":$trace2_s_,\"nesting\":$((trace2_depth_ + 1)),\"category\":\"$trace2_json_\""
	trace2_json_of_ "${2-}"
	trace2_data_="$trace2_data_,\"key\":\"$trace2_json_\""
	trace2_json_of_ "${3-}"
	trace2_emit_ data "$trace2_data_,\"value\":\"$trace2_json_\""
}

trace2_error () {
	trace2_begin_ || return 0
	trace2_json_of_ "${1-}"
	trace2_names_=$trace2_json_
	trace2_place_of_
	trace2_emit_ error ",\"msg\":\"$trace2_names_\",\"fmt\":\"$trace2_names_\""
}

trace2_cmd_name () {
	trace2_begin_ || return 0
	GIT_TRACE2_PARENT_NAME=${GIT_TRACE2_PARENT_NAME:+$GIT_TRACE2_PARENT_NAME/}${1-}
	export GIT_TRACE2_PARENT_NAME
	trace2_json_of_ "${1-}"
	trace2_names_=$trace2_json_
	trace2_json_of_ "$GIT_TRACE2_PARENT_NAME"
	trace2_emit_ cmd_name ",\"name\":\"$trace2_names_\",\"hierarchy\":\"$trace2_json_\""
}

trace2_cmd_mode () {
	trace2_begin_ || return 0
	trace2_json_of_ "${1-}"
	trace2_emit_ cmd_mode ",\"name\":\"$trace2_json_\""
}

# Choose a descriptor that the script does not use, for trace2_run_. It runs a
# program, which tells its process id by a pipe: the shell's here-document. That
# has no other writer, so reading never waits.
trace2_digit_=
trace2_choose_digit_ () {
	test -z "$trace2_digit_" || test -e "/proc/self/fd/$trace2_digit_" || return 0
	for trace2_digit_ in 9 8 7 6 5 4 3 ''
	do
		test -e "/proc/self/fd/${trace2_digit_:-none}" || break
	done
	test -n "$trace2_digit_" || return 0
	eval "trace2_run_ () {
		{
			(
				set +f
				for trace2_t_ in /proc/self/task/*
				do
					echo \"\${trace2_t_##*/}\"
				done 2>/dev/null >/proc/self/fd/$trace2_digit_
				exec \"\$@\" $trace2_digit_<&-
			) || trace2_status_=\$?
			while IFS= read -r trace2_child_pid_ <&$trace2_digit_ &&
				test -z \"\$trace2_child_pid_\"
			do
				:
			done
		} $trace2_digit_<<-\\EOF

		EOF
	}"
}

# trace2_child [-c CLASS] PROGRAM [ARGUMENT...]. A trap of the script may run
# meanwhile, and start another.
trace2_child () {
	local trace2_status_=0 trace2_id_ trace2_began_
	if ! trace2_begin_
	then
		test "$1" != -c || shift 2
		(exec "$@")
		return
	fi
	trace2_names_='?'
	if test "$1" = -c
	then
		trace2_json_of_ "$2"
		trace2_names_=$trace2_json_
		shift 2
	fi
	trace2_argv_of_ "$@"
	trace2_began_=$trace2_us_
	trace2_id_=$trace2_child_
	trace2_child_=$((trace2_child_ + 1))
	trace2_place_of_
	trace2_emit_ child_start ",\"child_id\":$trace2_id_,\"child_class\":\"$trace2_names_\",\"use_shell\":false,\"argv\":$trace2_argv_"
	trace2_child_pid_=0
	trace2_choose_digit_
	if test -n "$trace2_digit_"
	then
		trace2_run_ "$@"
	else
		(exec "$@") || trace2_status_=$?
	fi
	if trace2_begin_
	then
		trace2_seconds_ $((trace2_us_ - trace2_began_))
		trace2_place_of_
		trace2_emit_ child_exit ",\"child_id\":$trace2_id_,\"pid\":${trace2_child_pid_:-0},\"code\":$trace2_status_,\"t_rel\":$trace2_s_"
	fi
	return "$trace2_status_"
}

# If the program cannot be run, the shell ends.
trace2_exec () {
	if trace2_begin_
	then
		trace2_argv_of_ "$@"
		trace2_abs_of_
		trace2_place_of_
		trace2_emit_ exec ",\"exec_id\":0,\"argv\":$trace2_argv_"
	fi
	exec "$@"
}

# ---------------------------------------------------------------------------
# The session

# Set trace2_host_ to the last part of the session ids of this machine.
trace2_host_of_ () {
	case ${GIT_TRACE2_PARENT_SID-} in
	*-H????????-P????????)
		trace2_host_=${GIT_TRACE2_PARENT_SID##*-H}
		trace2_host_=H${trace2_host_%%-*}
		return ;;
	esac
	trace2_host_=Localhost
	IFS= read -r trace2_t_ 2>/dev/null </proc/sys/kernel/hostname || return 0
	trace2_t_=$(printf %s "$trace2_t_" | sha1sum 2>/dev/null) || return 0
	test -z "$trace2_t_" || trace2_host_=H${trace2_t_%"${trace2_t_#????????}"}
}

# Append this process to the session id: trace2_own_ is its component.
trace2_name_session_ () {
	trace2_utc_time_
	trace2_own_=$trace2_utc_
	for trace2_t_ in - - : :
	do
		trace2_own_=${trace2_own_%%"$trace2_t_"*}${trace2_own_#*"$trace2_t_"}
	done
	trace2_hex_ "$trace2_pid_" 8
	trace2_own_=$trace2_own_-$trace2_host_-P$trace2_hex_text_
	GIT_TRACE2_PARENT_SID=${GIT_TRACE2_PARENT_SID:+$GIT_TRACE2_PARENT_SID/}$trace2_own_
	export GIT_TRACE2_PARENT_SID
}

# Begin a session in this process, whose command line is given.
trace2_open_session_ () {
	trace2_start_=$trace2_us_ trace2_depth_=0 trace2_child_=0
	trace2_full_=
	trace2_name_session_
	trace2_open_ || return
	trace2_json_of_ "$GIT_TRACE2_PARENT_SID"
	trace2_head_="\"sid\":\"$trace2_json_\",\"thread\":\"main\""
	trace2_on_=t
	trace2_emit_ version ',"evt":"4","exe":"unknown"'
	if test -n "$trace2_full_"
	then
		trace2_emit_ too_many_files
		trace2_on_=
		return
	fi
	trace2_emit_ start ",\"t_abs\":0.000000,\"argv\":$trace2_command_"
}

# A subshell is a process: it has a session of its own.
trace2_forked_ () {
	IFS=' ' read -r trace2_pid_ trace2_t_ 2>/dev/null </proc/self/stat || {
		trace2_on_=
		return
	}
	trace2_self_=/proc/$trace2_pid_
	trace2_now_
	trace2_open_session_ || trace2_on_=
	trace2_read_traps_
	# In bash, those of the parent are listed and have no effect.
	case $trace2_exit_trap_ in
	''|*trace2_end_*) trap 'trace2_end_ "$?"' EXIT ;;
	esac
}

# Set trace2_traps_ to what the shell lists, and trace2_exit_trap_ to the command
# of the EXIT trap. In dash, a command substitution has no traps; the pipe of a
# here-document passes the list on.
trace2_read_traps_ () {
	trace2_traps_=$(trap)
	test -n "$trace2_traps_" || test -n "${BASH_VERSION-}" || {
		{ trap; echo end of traps; } 2>/dev/null >/proc/self/fd/9 &&
		while IFS= read -r trace2_t_ && test "$trace2_t_" != 'end of traps'
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

# trace2_on_exit COMMANDS: the script's EXIT trap. The session ends first; then
# the commands find the status in $?. It is that of a condition, so that set -e
# does not end the shell there.
trace2_on_exit () {
	trace2_host_trap_=$1
	trap 'if trace2_end_ "$?"
then
	eval "$trace2_host_trap_"
else
	eval "$trace2_host_trap_"
fi' EXIT
}

# Return the status that is given.
trace2_end_ () {
	if test -n "$trace2_on_" && test "$trace2_proc_" -ef "$trace2_self_"
	then
		trace2_now_
		trace2_abs_of_
		trace2_emit_ exit "$trace2_abs_,\"code\":$1"
		test -z "$trace2_on_" ||
		trace2_emit_ atexit "$trace2_abs_,\"code\":$1"
		trace2_on_=
	fi
	return "$1"
}

# A signal that ends the script, if GIT_TRACE2_SIGNALS names it and the script
# has no trap for it.
trace2_watch_signals_ () {
	test -n "${GIT_TRACE2_SIGNALS-}" || return 0
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
	kill -s "$1" "$trace2_pid_"
}

trace2_start_session_ () {
	trace2_pid_=$$ trace2_proc_=/proc/self trace2_self_=/proc/$$
	test "$trace2_proc_" -ef "$trace2_self_" || {
		trace2_refuse_ 'it needs /proc'
		return
	}
	trace2_has_limit_ && return
	trace2_clock_start_ || {
		trace2_refuse_ 'there is no clock'
		return
	}
	trace2_nesting_=2
	test "${GIT_TRACE2_EVENT_NESTING:-2}" -gt 0 2>/dev/null &&
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
}

trace2_start_session_ "$0" "$@" || trace2_on_=
