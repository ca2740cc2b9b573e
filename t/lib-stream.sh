# SPDX-License-Identifier: MIT
#
# Write event streams in a test; read this after test-lib.sh:
#
#	event SID MS NAME [MEMBERS]
#		an event MS milliseconds after noon, of the thread $thread (main)
#	begin SID MS PROGRAM
#		version and start
#	recording DIR
#		a recording with the events of standard input; its tasks.jsonl
#		from:
#	forked MS PID PPID; execed MS PID COMM; ended MS PID [STATUS]
#	task TYPE MS PID [MEMBERS]
#		records of the kernel
#	made DIR [OPTION...]
#		a recording of the kernel's records on standard input, see
#		t3130/kernel.perl
#	event_us SID US NAME [MEMBERS]
#		an event US microseconds after its start
#	waiting_recording
#		make the recording r, in which one process waits for another's
#		data, and its parent for its end
#	send WHAT PATH [ARGUMENT...]
#		a client of an event socket, see t3100/send.perl
#	finished
#		end the recorder $pid; the rest of what descriptor 8 has from it is
#		in the file `rest`
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

finished () {
	kill -TERM "$pid" &&
	cat <&8 >rest &&
	wait "$pid"
}

made () {
	local dir="$1" && shift &&
	rm -rf "$dir" &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3130/kernel.perl" "$@" "$dir"
}

event_us () {
	printf '{"event":"%s","sid":"%s","thread":"%s",' "$3" "$1" "${thread:-main}"
	printf '"time":"2023-11-14T22:13:20.%06dZ","file":"a.c","line":1%s}\n' \
		"$2" "${4:+,$4}"
}

# nested_recording SCALE: make the recording r of a thread that runs from 0 to 60,
# and from 90 to 100, each times SCALE us. The region outer is from 20 to 95,
# inner from 30 to 40 and from 70 to 80.
nested_recording () {
	local scale="$1" &&
	while read -r time rest
	do
		echo "$((time * scale)) $rest" || return 1
	done <<-\EOF | made r &&
	0 0 fork 10 10 1 1
	0 0 in 10 10
	1 0 comm 10 10 top exec
	60 0 sleep 10 10 0 swapper schedule,io_schedule
	90 0 in 10 10
	100 0 exit 10 10
	EOF
	while read -r time event fields
	do
		event_us A-P0000000a $((time * scale)) "$event" "$fields" ||
		return 1
	done >r/events/A-P0000000a <<-EOF
	1 version "evt":"4","exe":"1"
	1 start "t_abs":0.0,"argv":["top"]
	20 region_enter "nesting":1,"category":"c","label":"outer"
	30 region_enter "nesting":2,"category":"c","label":"inner"
	40 region_leave "nesting":2,"category":"c","label":"inner"
	70 region_enter "nesting":2,"category":"c","label":"inner"
	80 region_leave "nesting":2,"category":"c","label":"inner"
	95 region_leave "nesting":1,"category":"c","label":"outer"
	99 atexit "code":0
	EOF
}

waiting_recording () {
	made r <<-\EOF
	top top
	5 0 fork 11 11 10 10
	6 0 fork 12 12 10 10
	7 0 sleep 10 10 12 reader schedule,do_wait
	8 1 in 11 11
	9 1 comm 11 11 writer exec
	10 0 in 12 12
	11 0 comm 12 12 reader exec
	12 0 fork 12 13 10 12
	13 1 in 12 13
	14 1 exit 12 13
	22 0 sleep 12 12 0 swapper schedule,anon_pipe_read
	52 1 waking 11 11 12
	53 0 in 12 12
	60 1 exit 11 11
	80 0 waking 12 12 10
	81 1 in 10 10
	82 0 exit 12 12
	90 1 exit 10 10
	EOF
}
