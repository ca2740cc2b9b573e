# SPDX-License-Identifier: MIT
#
# Write event streams in a test; read this after test-lib.sh:
#
#	event SID MS NAME [MEMBERS]
#		an event so long after noon, of the thread $thread (main)
#	begin SID MS PROGRAM
#		version and start
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

send () {
	"$PERL_PATH" "$TEST_DIRECTORY/t3100/send.perl" "$@"
}
