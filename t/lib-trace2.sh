# SPDX-License-Identifier: MIT
#
# Assertions on trace2 streams; read this after test-lib.sh:
#
#	have_timer_event THREAD EVENT CATEGORY NAME INTERVALS FILE
#	have_counter_event THREAD EVENT CATEGORY NAME VALUE FILE
#		in a perf stream that was scrubbed by perf.perl
#	trace2_jq ASSERTION FILE [JQ-OPTION...]
#	count_events EVENT FILE
#	expect_valid_stream [--killed] [--scrub] FILE
#	event_members MEMBERS EVENTS FILE...
#		in an event stream, as written by the program
#	no_problems FILE|DIRECTORY
#		for trace2 check, if it was built with what reads streams: one
#		session, whole
#
# and functions that write such streams:
#
#	trace_to TARGET:FILE... -- COMMAND...
#		runs it with these targets (normal, perf, event) going to these
#		files, after removing older streams from them
#	event_line NAME SID MEMBERS
#		prints a line of the event target
#	traced [--TARGET | --valid] [CODE] COMMAND...
#		run it with the normal target in n, perf in p, event in e; it must
#		exit with CODE, or 0. Leave what TARGET has in `actual`, without
#		what differs from run to run; an event stream must be valid, too.
#		--valid requires that, and leaves nothing
#
# Arguments that cannot be intended (an empty one, an unknown event, a missing
# file) are a bug in the test and end the script: with a mere failure, "!
# have_timer_event ..." would pass for a misspelt variable.
#
# shellcheck shell=sh
# "local" is not POSIX, but dash, bash and busybox sh all have it.
# shellcheck disable=SC3043

trace2_scrub_=${TEST_LIB_DIRECTORY:?}/../scrub

# The programs of t/helper/hosts, and streams of a real Git.
if test -z "${test_kit_-}"
then
	hosts=$GIT_BUILD_DIR/build/hosts
	traces=$TEST_DIRECTORY/traces
fi

# trace2_args_ FUNCTION NUMBER ARG...: require NUMBER arguments, none of them
# empty.
trace2_args_ () {
	local name="$1" nr="$2" arg
	shift 2
	test $# = "$nr" || BUG "$name wants $nr arguments, not $#: $*"
	for arg
	do
		test -n "$arg" || BUG "$name: an argument is empty: $*"
	done
}

trace2_file_ () {
	test -f "$2" || BUG "$1: '$2' is not a file"
}

trace2_number_ () {
	case "$2" in
	*[!0-9]*) BUG "$1: '$2' is not a number" ;;
	esac
}

trace_to () {
	(
		older=
		while test "${1?}" != --
		do
			test ! -e "${1#*:}" || older="$older ${1#*:}"
			case "$1" in
			*[[:blank:]]*) BUG "trace_to: a blank in '$1'" ;;
			normal:?*) export GIT_TRACE2="$PWD/${1#*:}" ;;
			perf:?*) export GIT_TRACE2_PERF="$PWD/${1#*:}" ;;
			event:?*) export GIT_TRACE2_EVENT="$PWD/${1#*:}" ;;
			*) BUG "trace_to: '$1' is no TARGET:FILE" ;;
			esac
			shift
		done
		shift
		# shellcheck disable=SC2086 # several files
		test -z "$older" || rm -f $older || exit 1
		unset older
		"$@"
	)
}

traced () {
	local target='' code=0
	case "${1-}" in
	--normal|--perf|--event|--valid) target=${1#--} && shift ;;
	--*) BUG "traced: $1 is no target" ;;
	esac
	case "${1-}" in
	[0-9]*) code=$1 && shift ;;
	esac
	trace_to normal:n perf:p event:e -- test_expect_code "$code" "$@" &&
	case "$target" in
	normal) perl "$trace2_scrub_/normal.perl" <n >actual ;;
	perf) perl "$trace2_scrub_/perf.perl" <p >actual ;;
	event) expect_valid_stream --scrub e ;;
	valid) expect_valid_stream e ;;
	esac
}

# event_line NAME SID MEMBERS: print a line of the event target.
event_line () {
	printf '{"event":"%s","sid":"%s","thread":"main","time":"%s","file":"a.c","line":1%s}\n' \
		"$1" "$2" 2026-11-21T07:20:00.123456Z "${3:+,$3}"
}

# Require exactly one line LINE in FILE.
trace2_one_line_ () {
	local file="$1" line="$2" nr
	nr=$(grep -c -F -x -e "$line" "$file")
	test "$nr" = 1 && return 0
	echo >&4 "error: '$file' has $nr lines of, not one:"
	printf >&4 '%s\n' "$line"
	echo >&4 "It has these of the kind:"
	grep >&4 -E '\|(th_)?(timer|counter)\|' "$file"
	return 1
}

# Print the columns of a metric; perf shows 12 bytes of a category.
trace2_metric_ () {
	printf 'd0|%s|%s||||%.12s|name:%s ' "$1" "$2" "$3" "$4"
}

have_timer_event () {
	trace2_args_ have_timer_event 6 "$@"
	case "$2" in
	timer|th_timer) ;;
	*) BUG "have_timer_event: '$2' is no event of a timer" ;;
	esac
	trace2_number_ have_timer_event "$5"
	trace2_file_ have_timer_event "$6"
	trace2_one_line_ "$6" "$(trace2_metric_ "$@")intervals:$5\
 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_"
}

have_counter_event () {
	trace2_args_ have_counter_event 6 "$@"
	case "$2" in
	counter|th_counter) ;;
	*) BUG "have_counter_event: '$2' is no event of a counter" ;;
	esac
	trace2_number_ have_counter_event "$5"
	trace2_file_ have_counter_event "$6"
	trace2_one_line_ "$6" "$(trace2_metric_ "$@")value:$5"
}

# ASSERTION gets the array of all events and must return one true; nothing, or
# several results, or no events at all, is a failure.
trace2_jq () {
	local assertion="${1-}" file="${2-}"
	test $# -ge 2 || BUG "trace2_jq wants an assertion and a file"
	trace2_args_ trace2_jq 2 "$assertion" "$file"
	trace2_file_ trace2_jq "$file"
	shift 2
	if ! test -s "$file"
	then
		echo >&4 "error: trace2_jq: '$file' is empty"
		return 1
	fi
	jq -s -e "$@" "[ $assertion
		] == [true]" "$file" >/dev/null && return 0
	echo >&4 "error: this is not true of '$file': $assertion"
	echo >&4 "It gives:"
	jq >&4 -s -c "$@" "$assertion" "$file"
	cat >&4 "$file"
	return 1
}

# Print the number of events of this name.
count_events () {
	trace2_args_ count_events 2 "$@"
	trace2_file_ count_events "$2"
	perl -I"$trace2_scrub_/lib" -MTrace2::Events -e '
		exit !grep { $_->{name} eq $ARGV[0] } @Trace2::Events::EVENTS
	' "$1" ||
	BUG "count_events: '$1' is no event"
	jq -n --arg event "$1" \
		'reduce (inputs | select(.event == $event)) as $e (0; . + 1)' "$2"
}

# --killed: the program could not end its sessions. (A session that ends with a
# signal event is complete.) --scrub: leave the scrubbed stream in `actual`.
expect_valid_stream () {
	local killed='' scrub='' breaches
	if test "${1-}" = --killed
	then
		killed=--killed
		shift
	fi
	if test "${1-}" = --scrub
	then
		scrub=t
		shift
	fi
	trace2_args_ expect_valid_stream 1 "$@"
	trace2_file_ expect_valid_stream "$1"
	if ! test -s "$1"
	then
		echo >&4 "error: expect_valid_stream: '$1' is empty"
		return 1
	fi
	if test -n "$scrub"
	then
		breaches=$(perl "$trace2_scrub_/event.perl" --strict $killed \
			"$1" 2>&1 >actual) && return 0
	else
		breaches=$(perl "$trace2_scrub_/event.perl" --rules $killed \
			"$1") || return 1
		test -n "$breaches" || return 0
	fi
	echo >&4 "error: '$1' breaks rules of the event target:"
	printf >&4 '%s\n' "$breaches"
	return 1
}

# event_members MEMBERS EVENTS FILE...: for each event whose whole name matches
# EVENTS, print its values of MEMBERS. "a|b" means a, or b if the event has no
# a. Strings stay as they are in JSON. Members that are lists or objects, or are
# inside one, are not supported. (jq takes ten times as long to start.)
event_members () {
	test $# -ge 3 || BUG "event_members wants members, events and a file"
	trace2_members_=$1 trace2_events_=$2
	shift 2
	awk -v members="$trace2_members_" -v events="^($trace2_events_)\$" '
	function member(name) {
		if (!match($0, "[{,]\"" name "\":(\"([^\"\\\\]|\\\\.)*\"|[^\",}[]*)"))
			return 0
		value = substr($0, RSTART + length(name) + 4,
			RLENGTH - length(name) - 4)
		gsub(/^"|"$/, "", value)
		return 1
	}
	BEGIN { nr = split(members, wanted, " ") }
	member("event") && value ~ events {
		line = ""
		for (i = 1; i <= nr; i++) {
			nr_names = split(wanted[i], names, "|")
			for (j = 1; j <= nr_names && !member(names[j]); j++)
				;
			if (j <= nr_names)
				line = line (line == "" ? "" : " ") value
		}
		print line
	}' "$@"
}

no_problems () {
	trace2 check "$1" >checked &&
	test_grep "^1 session, .*: no problems\$" checked
}

# daemon_values FILE...: print the numbers that each worker of the verbs 26x
# emitted, one a line.
daemon_values () {
	awk -F \" '/"category":"daemon","key":/ {
		for (i = 1; $i != "key"; i++)
			;
		print $(i + 2), $(i + 6)
	}' "$@"
}
