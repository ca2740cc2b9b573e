#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='faults: the trace cannot be written, or nobody reads it

The host behaves as without tracing. Earlier lines are whole and readable. The
targets that still work report the number of lost events.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

# Wait for readers of descriptors as long as for readers of sockets.
GIT_TRACE2_PATIENCE=0
export GIT_TRACE2_PATIENCE

test_skip_unless JQ

# A socket has at most 107 bytes of path, too few for a trash directory.
sockets=$(mktemp -d "${TMPDIR:-/tmp}/t0505.XXXXXX") &&
test_atexit "rm -rf \"$sockets\""

# everywhere VALUE [COMMAND...]: all targets go to VALUE, the host is run by
# COMMAND; it makes every call, prints errno, and writes a lot.
everywhere () {
	value=$1 &&
	shift &&
	for verb in 016allevents 015errno "030events 300 1000" 062quick_exit\ 4
	do
		# shellcheck disable=SC2086 # words
		rm -f "$sockets"/* &&
		unharmed GIT_TRACE2="$value" GIT_TRACE2_PERF="$value" \
			GIT_TRACE2_EVENT="$value" "$@" test-tool trace2 $verb &&
		test_grep "^code" traced.ends ||
		{
			echo "it was: $verb"
			return 1
		}
	done
}

# losing VALUE [COMMAND...]: the event target goes to VALUE and loses lines; the
# normal target, in a file, reports that at its end.
losing () {
	value=$1 &&
	shift &&
	rm -f n "$sockets"/* &&
	unharmed GIT_TRACE2="$(pwd)/n" GIT_TRACE2_BRIEF=1 \
		GIT_TRACE2_EVENT="$value" \
		"$@" test-tool trace2 030events 2000 1000 &&
	tail -n 1 n >actual &&
	test_grep "^atexit elapsed:[0-9.]* code:0 lost:[1-9][0-9]*\$" actual
}

test_expect_success 'a full device switches the target off' '
	everywhere /dev/full &&
	losing /dev/full
'

test_expect_success 'a file at its size limit: no SIGXFSZ, and earlier lines are whole' '
	everywhere "$(pwd)/limited" test-tool fault rlimit-fsize 2000 &&
	rm -f e &&
	losing "$(pwd)/e" test-tool fault rlimit-fsize 4000 &&
	echo 4000 | test_prints test_file_size e &&
	intact e &&
	test_grep "^ *\$" e
'

test_expect_success TMPFS 'a full disk loses lines, and their number is reported' '
	mkdir small &&
	write_script on-small-disk <<-\EOF &&
	mount -t tmpfs -o size=16k none small &&
	"$@"
	code=$?
	cp small/e whole-disk 2>/dev/null
	exit $code
	EOF
	losing "$(pwd)/small/e" unshare -rm ./on-small-disk &&
	test_line_count -gt 5 whole-disk &&
	intact whole-disk
'

test_expect_success 'descriptor 2 may be closed, or may be the destination' '
	everywhere 1 test-tool fault close-fd 2 &&
	everywhere "$(pwd)/fd2" test-tool fault close-fd 2
'

test_expect_success 'a full non-blocking descriptor does not stop the host' '
	everywhere 9 test-tool fault nonblock-pipe 9 &&
	losing 9 test-tool fault nonblock-pipe 9
'

test_expect_success 'a pipe whose reader has gone raises no SIGPIPE' '
	everywhere 9 test-tool fault dead-pipe 9 &&
	losing 9 test-tool fault dead-pipe 9
'

test_expect_success 'a pipe that is full, or fills up, and is never read does not stop the host' '
	everywhere 9 test-tool fault full-pipe 9 &&
	everywhere 9 test-tool fault stalled-pipe 9 &&
	losing 9 test-tool fault full-pipe 9 &&
	losing 9 test-tool fault stalled-pipe 9
'

test_expect_success PIPE 'a fifo that is held open and never read does not stop the host' '
	everywhere "$sockets/f" test-tool fault read-fifo --never-read "$sockets/f" &&
	losing "$sockets/f" test-tool fault read-fifo --never-read "$sockets/f"
'

test_expect_success UNIX_SOCKETS 'a stream socket that accepts and never reads does not stop the host' '
	everywhere "af_unix:stream:$sockets/s" \
		test-tool fault listen-stream --never-read "$sockets/s" &&
	losing "af_unix:stream:$sockets/s" \
		test-tool fault listen-stream --never-read "$sockets/s"
'

test_expect_success UNIX_SOCKETS 'a datagram socket that is never read does not stop the host' '
	everywhere "af_unix:dgram:$sockets/d" \
		test-tool fault listen-dgram --never-read "$sockets/d" &&
	losing "af_unix:dgram:$sockets/d" \
		test-tool fault listen-dgram --never-read "$sockets/d"
'

# hangs_up KIND VALUE: the reader ends after 2,500 bytes, in the middle of a
# line; the lines before it are whole.
hangs_up () {
	losing "$2" test-tool fault "$1" --hang-up-after=2500 --output=ignored \
		"$sockets/r" &&
	GIT_TRACE2_EVENT="$2" test-tool fault "$1" --hang-up-after=2500 \
		--output=got "$sockets/r" test-tool trace2 030events 2000 1000 &&
	test_file_size got >actual &&
	echo 2500 | test_cmp - actual &&
	whole_lines got >whole &&
	test_line_count -gt 1 whole &&
	intact whole
}

test_expect_success UNIX_SOCKETS 'a socket whose reader dies in the middle of a line gets whole lines before that' '
	hangs_up listen-stream "af_unix:stream:$sockets/r"
'

test_expect_success PIPE 'a fifo whose reader dies in the middle of a line gets whole lines before that' '
	hangs_up read-fifo "$sockets/r"
'

test_expect_success 'a host is unharmed if the directory or the file of a target is removed' '
	mkdir d &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/d" \
		test-tool trace2 004child rm -rf d &&
	test_path_is_missing d &&
	: >f &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/f" \
		test-tool trace2 004child rm -f f &&
	test_path_is_missing f
'

test_expect_success 'destinations that are circles of links, or do not exist, do no harm' '
	ln -s loop loop &&
	ln -s loop/x through &&
	ln -s missing/deep dangling &&
	for value in loop through dangling loop/e dangling/e
	do
		everywhere "$(pwd)/$value" || return 1
	done &&
	test_path_is_missing missing
'

test_expect_success 'config files that are circles of links do no harm' '
	unharmed GIT_CONFIG_GLOBAL="$(pwd)/loop" GIT_TRACE2_EVENT="$(pwd)/c1" \
		test-tool trace2 016allevents &&
	intact c1 &&
	printf "[include]\n\tpath = loop\n[trace2]\n\teventTarget = %s\n" \
		"$(pwd)/c2" >config &&
	unharmed GIT_CONFIG_GLOBAL="$(pwd)/config" \
		test-tool trace2 016allevents &&
	ln -s config config-link &&
	unharmed GIT_CONFIG_GLOBAL="$(pwd)/config-link" \
		test-tool trace2 016allevents
'

test_expect_success '8 writers append lines of 20 KB to one file without tearing any' '
	rm -f e &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 033writers 8 25 20000 &&
	intact e &&
	trace2_jq "[.[] | select(.event == \"data\")]
		| length == 200 and all(.value | length == 20000)" e
'

test_done
