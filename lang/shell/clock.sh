# SPDX-License-Identifier: MIT
#
# The clock: trace2_us_, microseconds since 1970. dash has none: there it counts
# from `date` at the start, in the hundredths of a second of /proc/uptime.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

trace2_clock_start_ () {
	if [ -n "${EPOCHREALTIME-}" ]
	then
		trace2_now_ () {
			# The script may use EPOCHREALTIME for a value of its
			# own.
			case ${EPOCHREALTIME-} in
			''|*[!0-9.,]*)
				trace2_on_=
				return ;;
			esac
			trace2_t_=1${EPOCHREALTIME#*[.,]}
			trace2_us_=$((${EPOCHREALTIME%[.,]*} * 1000000 +
				trace2_t_ - 1000000))
		}
		trace2_us_=
		trace2_now_
		[ -n "$trace2_us_" ]
		return
	fi
	trace2_uptime_ || return
	trace2_base_=$(command date +%s.%N 2>/dev/null) || return
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
	# Test the file first: redirecting the error message would take six
	# system calls.
	[ -r /proc/uptime ] &&
	command read -r trace2_up_ </proc/uptime || return
	trace2_up_=${trace2_up_%% *}
	trace2_t_=1${trace2_up_#*.}
	trace2_up_=$((${trace2_up_%.*} * 1000000 + (trace2_t_ - 100) * 10000))
}

# Set trace2_s_ to the seconds of a number of microseconds. A negative number,
# after the clock was set back, counts as 0.
trace2_seconds_ () {
	[ "$1" -ge 0 ] || set -- 0
	trace2_t_=$(($1 % 1000000 + 1000000))
	trace2_s_=$(($1 / 1000000)).${trace2_t_#1}
}

# Set trace2_date_ for a day since 1970; "era" counts 400 years, whose years
# begin in March.
trace2_day_=
trace2_civil_ () {
	trace2_day_=$1
	set -- "$(($1 + 719468))"
	set -- "$(($1 / 146097))" "$(($1 % 146097))"
	set -- "$1" "$2" \
		"$((($2 - $2 / 1460 + $2 / 36524 - $2 / 146096) / 365))"
	set -- "$(($1 * 400 + $3))" \
		"$(($2 - (365 * $3 + $3 / 4 - $3 / 100)))"
	set -- "$1" "$2" "$(((5 * $2 + 2) / 153))"
	set -- "$(($1 + $3 / 10))" "$(($3 < 10 ? $3 + 3 : $3 - 9))" \
		"$(($2 - (153 * $3 + 2) / 5 + 1))"
	set -- "$1" "$(($2 + 100))" "$(($3 + 100))"
	trace2_date_=$1-${2#1}-${3#1}
}

# Set trace2_utc_ to the time of day of trace2_us_.
trace2_second_=
trace2_utc_time_ () {
	[ "$trace2_second_" = "$((trace2_us_ / 1000000))" ] ||
	trace2_utc_second_ "$((trace2_us_ / 1000000))"
	trace2_t_=$((trace2_us_ % 1000000 + 1000000))
	trace2_utc_=$trace2_hms_.${trace2_t_#1}Z
}

trace2_utc_second_ () {
	trace2_second_=$1
	[ "$trace2_day_" = "$(($1 / 86400))" ] || trace2_civil_ "$(($1 / 86400))"
	set -- "$(($1 % 86400 / 3600 + 100))" "$(($1 % 3600 / 60 + 100))" \
		"$(($1 % 60 + 100))"
	trace2_hms_=${trace2_date_}T${1#1}:${2#1}:${3#1}
}
