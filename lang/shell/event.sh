# SPDX-License-Identifier: MIT
#
# Events of the script itself, its regions and its data.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

# Begin an event: note whether this is a new subshell, and the time. Return
# false if tracing is off.
trace2_begin_ () {
	[ -n "$trace2_on_" ] || return
	[ -z "$trace2_hold_" ] || return 0
	[ "$trace2_proc_" -ef "$trace2_self_" ] || trace2_forked_
	trace2_now_
	[ -n "$trace2_on_" ]
}

# trace2_together_ COMMAND [ARG...]: run a command, give its events one time,
# and write them at once. In dash, each time and each write takes tens of system
# calls.
trace2_hold_='' trace2_held_=''
trace2_together_ () {
	trace2_begin_ || return 0
	trace2_hold_=t
	"$@"
	trace2_hold_=
	[ -z "$trace2_held_" ] || trace2_write_ "$trace2_held_"
	trace2_held_=
}

# Set trace2_place_ to the caller's file and line, which only bash knows.
trace2_place_=''
trace2_place_of_ () { :; }
[ -z "${BASH_VERSION-}" ] || eval '
trace2_place_of_ () {
	[ "${trace2_source_-}" = "${BASH_SOURCE[2]-}" ] || {
		trace2_source_=${BASH_SOURCE[2]-}
		trace2_json_of_ "$trace2_source_"
		trace2_source_json_=$trace2_json_
	}
	trace2_place_=",\"file\":\"${trace2_source_json_-}\",\"line\":${BASH_LINENO[1]-0}"
}'

# trace2_emit_ EVENT [MEMBERS]
trace2_emit_ () {
	[ -z "$trace2_brief_" ] || trace2_place_=
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
	trace2_seconds_ "$((trace2_us_ - trace2_start_))"
	trace2_abs_=",\"t_abs\":$trace2_s_"
}

trace2_region_enter () {
	trace2_begin_ || return 0
	trace2_depth_=$((trace2_depth_ + 1))
	trace2_json_of_ "${1-}"
	trace2_names_=",\"category\":\"$trace2_json_\""
	trace2_json_of_ "${2-}"
	trace2_names_="$trace2_names_,\"label\":\"$trace2_json_\""
	eval "trace2_us_$trace2_depth_=\$trace2_us_ trace2_names_$trace2_depth_=\$trace2_names_"
	[ "$trace2_depth_" -le "$trace2_nesting_" ] || return 0
	trace2_place_of_
	trace2_emit_ region_enter ",\"nesting\":$trace2_depth_$trace2_names_"
}

# Leave the innermost region. The arguments are only for readers of the script.
trace2_region_leave () {
	trace2_begin_ || return 0
	[ "$trace2_depth_" -gt 0 ] || return 0
	eval "trace2_since_=\$trace2_us_$trace2_depth_ trace2_names_=\$trace2_names_$trace2_depth_"
	trace2_depth_=$((trace2_depth_ - 1))
	[ "$trace2_depth_" -lt "$trace2_nesting_" ] || return 0
	trace2_seconds_ "$((trace2_us_ - trace2_since_))"
	trace2_place_of_
	trace2_emit_ region_leave ",\"t_rel\":$trace2_s_,\"nesting\":$((trace2_depth_ + 1))$trace2_names_"
}

# trace2_data CATEGORY KEY VALUE
trace2_data () {
	trace2_begin_ || return 0
	[ "$trace2_depth_" -lt "$trace2_nesting_" ] || return 0
	trace2_place_of_
	trace2_since_=$trace2_start_
	[ "$trace2_depth_" = 0 ] || eval "trace2_since_=\$trace2_us_$trace2_depth_"
	trace2_abs_of_
	trace2_seconds_ "$((trace2_us_ - trace2_since_))"
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
	trace2_hierarchy_=${GIT_TRACE2_PARENT_NAME:+$GIT_TRACE2_PARENT_NAME/}${1-}
	trace2_export_ GIT_TRACE2_PARENT_NAME "$trace2_hierarchy_"
	trace2_json_of_ "${1-}"
	trace2_names_=$trace2_json_
	trace2_json_of_ "$trace2_hierarchy_"
	trace2_emit_ cmd_name ",\"name\":\"$trace2_names_\",\"hierarchy\":\"$trace2_json_\""
}

trace2_cmd_mode () {
	trace2_begin_ || return 0
	trace2_json_of_ "${1-}"
	trace2_emit_ cmd_mode ",\"name\":\"$trace2_json_\""
}
