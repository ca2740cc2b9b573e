# SPDX-License-Identifier: MIT
#
# Write event streams in a test; read this after test-lib.sh:
#
#	event SID MS NAME [MEMBERS]
#		an event so long after noon, of the thread $thread (main)
#	begin SID MS PROGRAM
#		version and start
#	recording DIR
#		a recording with the events of standard input; its tasks.jsonl
#		from:
#	forked MS PID PPID; execed MS PID COMM; ended MS PID [STATUS]
#	task TYPE MS PID [MEMBERS]
#		records of the kernel
#	send WHAT PATH [ARGUMENT...]
#		a client of an event socket, see t3100/send.perl
#
# shellcheck shell=sh

event () {
	printf '{"event":"%s","sid":"%s","thread":"%s",' "$3" "$1" "${thread:-main}"
	printf '"time":"2026-11-21T12:00:%02d.%03d000Z","file":"a.c","line":1' \
		"$(($2 / 1000))" "$(($2 % 1000))"
	printf '%s}\n' "${4:+,$4}"
}

begin () {
	event "$1" "$2" version '"evt":"4","exe":"1"' &&
	event "$1" "$2" start "\"t_abs\":0.0,\"argv\":[\"$3\"]"
}

# task TYPE MS PID [MEMBERS]: a record of the kernel. The clocks differ by a
# second.
task () {
	printf '{"type":"%s","time_ns":%d,"pid":%d%s}\n' "$1" \
		"$((1000000000 + $2 * 1000000))" "$3" "${4:+,$4}"
}
forked () {
	task fork "$1" "$2" "\"tid\":$2,\"ppid\":$3,\"ptid\":$3"
}
execed () {
	task comm "$1" "$2" "\"tid\":$2,\"comm\":\"$3\",\"exec\":true"
}
# ended MS PID [STATUS]
ended () {
	task exit "$1" "$2" "\"tid\":$2,\"ppid\":1,\"ptid\":1" &&
	{ test -z "${3-}" || task status "$1" "$2" "$3,\"from\":\"connector\""; }
}
# recording DIR: make one with events from standard input
recording () {
	mkdir -p "$1/events" &&
	cat >"$1/events/stream" &&
	echo '{"format":"trace2-recording","start_wall_ns":1795262400000000000,"start_monotonic_ns":1000000000,"task_records":"kernel"}' \
		>"$1/meta.json"
}

send () {
	"$PERL_PATH" "$TEST_DIRECTORY/t3100/send.perl" "$@"
}
