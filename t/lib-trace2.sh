# SPDX-License-Identifier: MIT
#
# Assertions on trace2 streams, to be read after test-lib.sh:
#
#	have_timer_event THREAD EVENT CATEGORY NAME INTERVALS FILE
#	have_counter_event THREAD EVENT CATEGORY NAME VALUE FILE
#		of a perf stream that went through perf.perl
#	trace2_jq ASSERTION FILE [JQ-OPTION...]
#	count_events EVENT FILE
#	expect_valid_stream [--killed] FILE
#		of an event stream, as the program wrote it
#
# and what makes such streams:
#
#	trace_to TARGET:FILE... -- COMMAND...
#		runs it with these targets (normal, perf, event) going to these
#		files, from which older streams are removed
#
# What cannot be meant (an empty argument, a name that is no event, a file
# that is not there) is a bug in the test and ends the script: with a mere
# failure, "! have_timer_event ..." would pass for a misspelt variable.
#
# shellcheck shell=sh
# "local" is not POSIX, but dash, bash and busybox sh all have it.
# shellcheck disable=SC3043

trace2_scrub_=${TEST_LIB_DIRECTORY:?}/../scrub

# trace2_args_ FUNCTION NUMBER ARG...: so many arguments, none of them empty.
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
		while test "${1?}" != --
		do
			rm -f "${1#*:}" || exit 1
			case "$1" in
			normal:?*) export GIT_TRACE2="$PWD/${1#*:}" ;;
			perf:?*) export GIT_TRACE2_PERF="$PWD/${1#*:}" ;;
			event:?*) export GIT_TRACE2_EVENT="$PWD/${1#*:}" ;;
			*) BUG "trace_to: '$1' is no TARGET:FILE" ;;
			esac
			shift
		done
		shift
		"$@"
	)
}

# Exactly one line of FILE must be LINE.
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

# The columns of a metric; perf shows 12 bytes of a category.
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

# ASSERTION sees the array of all events and must give one true; nothing, or
# several answers, or no events at all, is a failure.
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

# Prints how many there are.
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

# The rules that consumers of a stream rely on, as a program that prints a
# line for each breach. $killed: the end of a session may be missing.
# shellcheck disable=SC2016 # the dollars are for jq
trace2_rules_='
def breach($rule; $what):
	"rule \($rule): line \(.["#"]): \(.event) of \(.sid): \($what)";
def is_metric: IN("timer", "counter");
def is_thread_metric: IN("th_timer", "th_counter");

def order_of_session:
	map(.event) as $names
	| ($names | index("exit")) as $exit
	| if $names == ["version", "too_many_files"] then empty
	elif $killed and $names == ["version"] then empty
	elif $names[0] != "version" then .[0] | breach(1; "comes first")
	elif $names[1] != "start" then .[1] // .[0] | breach(1; "start is not second")
	else
		(.[2:][] | select(.event | IN("version", "start"))
			| breach(1; "comes twice")),
		(.[:-1][] | select(.event | IN("atexit", "signal"))
			| breach(1; "is not last")),
		(.[-1] | select(($killed or (.event | IN("atexit", "signal"))) | not)
			| breach(1; "comes last")),
		(select($exit) | .[:$exit][]
			| select((.event | is_metric) or
				((.event | is_thread_metric) and .thread == "main"))
			| breach(1; "comes before exit"))
	end;

def order_of_members:
	keys_unsorted as $keys
	| ($keys | index("category")) as $category
	| (select($keys[0] != "event") | breach(2; "event is not the first key")),
	(select($category and has("label") and $keys[$category + 1] != "label")
		| breach(2; "label does not follow category")),
	(select($category and has("key")
			and $keys[$category + 1:$category + 3] != ["key", "value"])
		| breach(2; "key and value do not follow category"));

def form_of_time:
	select(has("time") or (.event | IN("version", "atexit")))
	| select((.time | type == "string" and test(
		"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$"))
		| not)
	| breach(3; "time is \(.time)");

def form_of_sid:
	(.sid | split("/")) as $parts
	| select(any($parts[]; . == "" or . == "." or . == ".."
		or length > 255 or test("[\\x{00}-\\x{1f}]")))
	| breach(4; "a component of the SID is no file name");

def parents_of_sids:
	[.[] | (.sid | split("/")) as $parts | range($parts | length) as $i
		| {line: ., part: $parts[$i], path: $parts[:$i + 1]}]
	| group_by(.part)[] | select(map(.path) | unique | length > 1)
	| .[0] as $first | $first.line | breach(4; "\($first.part) is part of several SIDs");

def regions_of_thread:
	reduce (.[] | select(.event | startswith("region_"))) as $e ({open: [], said: []};
		def say($what): .said += [$e | breach(5; $what)];
		if $e.event == "region_enter" then
			(if $e.nesting != (.open | length) + 1
				then say("nesting \($e.nesting) inside \(.open | length) regions") else . end)
			| .open += [$e]
		elif .open == [] then say("nothing is open")
		else
			.open[-1] as $enter
			| (if [$enter.nesting, $enter.category, $enter.label]
				!= [$e.nesting, $e.category, $e.label]
				then say("line \($enter["#"]) entered another") else . end)
			| .open |= .[:-1]
		end)
	| .said[];

def start_of_thread:
	.[0] | select(.thread != "main" and .event != "thread_start")
	| breach(6; "\(.thread) did not start before");

def children_of_session:
	.[-1].event as $last
	| map(select(.event | startswith("child_"))) | group_by(.child_id)[]
	| map(.event) as $names
	| (select($names[0] != "child_start") | .[0]
		| breach(7; "child \(.child_id) was not started")),
	(select(([$names[] | select(. == "child_start")] | length) > 1) | .[-1]
		| breach(7; "child \(.child_id) is started twice")),
	(select(($names | length) > 2) | .[-1]
		| breach(7; "child \(.child_id) ends twice")),
	(select($names == ["child_start"] and $last == "atexit") | .[0]
		| breach(7; "child \(.child_id) does not end")),
	(.[] | select(.event == "child_exit" and (.pid == -1) != (.code == -1))
		| breach(7; "pid \(.pid) with code \(.code)"));

[inputs | . + {"#": input_line_number}]
| (.[] | order_of_members, form_of_time),
(map(select(.event == "version")) | (.[] | form_of_sid), parents_of_sids),
(group_by(.sid)[] | order_of_session, children_of_session,
	(group_by(.thread)[] | regions_of_thread, start_of_thread))
'

# --killed: the program could not end its sessions. (A session that ends with
# a signal event is whole.)
expect_valid_stream () {
	local killed=false breaches
	if test "${1-}" = --killed
	then
		killed=true
		shift
	fi
	trace2_args_ expect_valid_stream 1 "$@"
	trace2_file_ expect_valid_stream "$1"
	if ! test -s "$1"
	then
		echo >&4 "error: expect_valid_stream: '$1' is empty"
		return 1
	fi
	perl "$trace2_scrub_/event.perl" --keep='*' "$1" >/dev/null || return 1
	breaches=$(jq -n -r --argjson killed "$killed" "$trace2_rules_" "$1") ||
	return 1
	test -z "$breaches" && return 0
	echo >&4 "error: '$1' breaks rules of the event target:"
	printf >&4 '%s\n' "$breaches"
	return 1
}
