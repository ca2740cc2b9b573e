#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --listen: events of many clients, through sockets

Whatever clients do, the sockets are drained. Each session has one file with all
lines that were received, and lost lines are counted.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"

SQ=\'

test_skip_unless JQ

# A short path, since that of a socket has at most 107 bytes.
sock=$(mktemp -d "${TMPDIR:-/tmp}/t3101.XXXXXX") || exit 1
test_atexit 'rm -rf "$sock"'

# listening DIR N [OPTION...]: start a recorder that listens on N sockets, with
# $limit descriptors if that is set, and wait for it. Its pid is $pid, its
# output so far is in `said`, and the rest can be read from descriptor 8.
limit=''
running=''
listening () {
	dir=$1 &&
	nr=$2 &&
	shift 2 &&
	rm -rf "$dir" said pipe &&
	mkfifo pipe &&
	{ sh -c "${limit:+ulimit -n $limit &&} exec \"\$@\"" sh "$PERL_PATH" \
		-e '$SIG{$_} = "DEFAULT" for qw(INT QUIT); exec @ARGV' \
		trace2 record -o "$dir" "$@" >out 2>pipe & } &&
	pid=$! &&
	running=$pid &&
	test_when_finished stop_listening &&
	exec 8<pipe &&
	while test "$nr" -gt 0
	do
		read -r line <&8 &&
		echo "$line" >>said &&
		nr=$((nr - 1)) || return 1
	done
}

# After a test that failed.
stop_listening () {
	if test -n "$running"
	then
		kill -KILL "$running"
		wait "$running"
		rm -f "$sock"/*
		running=''
	fi
}

# finished [SIGNAL]: end it; the rest of its output is in `rest`.
finished () {
	kill -"${1:-TERM}" "$pid" &&
	cat <&8 >rest &&
	running='' &&
	wait "$pid"
}

lost () {
	jq -r ".losses | to_entries[] | select(.value > 0) |
		\"\(.key) \(.value)\"" "$1/meta.json"
}

test_expect_success 'record --listen prints its address, and the totals at the end' '
	listening l 2 --listen "$sock/s" --listen "af_unix:dgram:$sock/d" &&
	test -S "$sock/s" &&
	test -S "$sock/d" &&
	test_cmp - said <<-EOF &&
	trace2 record: listening on af_unix:stream:$sock/s
	trace2 record: listening on af_unix:dgram:$sock/d
	EOF
	echo "{\"event\":\"start\",\"sid\":\"a/one\"}" >one &&
	echo "{\"event\":\"start\",\"sid\":\"two\"}" >two &&
	send stream "$sock/s" <one &&
	send dgram "$sock/d" <two &&
	finished TERM &&
	echo "[ trace2 record: 2 processes, 2 events, 62 bytes -> l; 0 lost, exit 0 ]" \
		>expect &&
	test_cmp expect rest &&
	test_cmp one l/events/one &&
	test_cmp two l/events/two &&
	test_path_is_missing "$sock/s" &&
	test_path_is_missing "$sock/d"
'

test_expect_success 'SIGINT ends record --listen' '
	listening l 1 --listen "$sock/s" &&
	finished INT &&
	jq -e ".state == \"complete\" and .command == []" l/meta.json &&
	test_path_is_missing l/kernel.data
'

test_expect_success GIT 'real Git commands are recorded over both kinds of sockets' '
	listening l 2 --listen "af_unix:stream:$sock/s" \
		--listen "af_unix:dgram:$sock/d" &&
	GIT_TRACE2_EVENT="af_unix:stream:$sock/s" git version &&
	GIT_TRACE2_EVENT="af_unix:dgram:$sock/d" git version &&
	finished &&
	jq -r .event l/events/* >events &&
	echo 6 | test_prints grep -c -x -e version -e start -e atexit events
'

test_expect_success '50 clients at once: nothing is lost, torn or mixed' '
	listening l 1 --listen "$sock/s" &&
	send many "$sock/s" 50 &&
	finished &&
	test_grep "50 processes, 1000 events, " rest &&
	test_grep "; 0 lost, exit 0 ]" rest &&
	awk "BEGIN { for (n = 1; n <= 20; n++) print \"I\", n, 37 * n }" \
		</dev/null >model &&
	set -- &&
	for i in $(test_seq 50)
	do
		set -- "$@" l/events/s-$i &&
		sed "s/^I/parent\/s-$i/" model || return 1
	done >expect &&
	jq -r "\"\(.sid) \(.n) \(.value | length)\"" "$@" >actual &&
	test_cmp expect actual
'

test_expect_success 'a client that never closes delays no other client' '
	listening l 1 --listen "$sock/s" &&
	send idle "$sock/s" 10 "$PERL_PATH" "$TEST_DIRECTORY/t3100/send.perl" \
		many "$sock/s" 5 &&
	finished &&
	test_grep "5 processes, 100 events, " rest
'

# Valgrind keeps descriptors above the limit.
test_expect_success !UNDER_VALGRIND 'idle clients are closed if a new one finds no descriptor' '
	limit=32 &&
	test_when_finished "limit=" &&
	listening l 1 --listen "$sock/s" &&
	send idle "$sock/s" 40 "$PERL_PATH" \
		"$TEST_DIRECTORY/t3100/send.perl" lines "$sock/s" 100 &&
	finished &&
	test_grep "1 process, 100 events, " rest &&
	jq -e ".clients == 41 and .clients_evicted > 0" l/meta.json
'

test_expect_success 'record --listen writes events with an unsafe SID to a file named unknown-N' '
	listening l 1 --listen "$sock/s" &&
	echo precious >escaped &&
	while read -r sid
	do
		echo "{\"event\":\"x\",\"sid\":\"$sid\"}" |
		send stream "$sock/s" || return 1
	done <<-\EOF &&
	../../escaped
	a/..
	a/.
	a/
	.hidden
	a\u002fb
	with space
	git-trace2-discard
	unknown-1
	EOF
	printf "{\"sid\":\"%0200d\"}\n" 1 | send stream "$sock/s" &&
	printf "{\"sid\":\"cut" | send stream "$sock/s" &&
	finished &&
	ls l/events | LC_ALL=C sort >actual &&
	{ echo escaped && test_seq -f "unknown-%d" 10; } |
	LC_ALL=C sort >expect &&
	test_cmp expect actual &&
	echo precious | test_cmp - escaped &&
	ls -a . l >actual &&
	test_grep ! "hidden" actual
'

test_expect_success 'record --listen keeps garbage unchanged, and does not mix lines of two clients' '
	listening l 1 --listen "$sock/s" &&
	test_copy_bytes 100000 </dev/urandom | tr -d "\n{" >garbage &&
	send stream "$sock/s" <garbage &&
	printf "{\"sid\":\"x\",\"a\":1}\n{\"sid\":\"x\",\"a" | send stream "$sock/s" &&
	echo "{\"sid\":\"x\",\"b\":1}" | send stream "$sock/s" &&
	finished &&
	{ cat garbage && echo; } >expect &&
	test_cmp_bin expect l/events/unknown-1 &&
	LC_ALL=C sort l/events/x >actual &&
	LC_ALL=C sort >expect <<-\EOF &&
	{"sid":"x","a":1}
	{"sid":"x","a
	{"sid":"x","b":1}
	EOF
	test_cmp expect actual
'

# The peak memory of the recorder in KiB.
peak_kib () {
	sed -n "s/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p" "/proc/$pid/status"
}

test_expect_success 'a line of 100 MB counts as lost, and is not kept in memory' '
	listening l 1 --listen "$sock/s" &&
	before=$(peak_kib) &&
	send line "$sock/s" 100000000 &&
	echo "{\"sid\":\"after\"}" >after &&
	send stream "$sock/s" <after &&
	# The recorder kept less than a half of the line in memory.
	if ! test_have_prereq INSTRUMENTED
	then
		peak=$(peak_kib) &&
		test $((peak - before)) -lt 50000
	fi &&
	finished &&
	echo "too_long 1" | test_prints lost l &&
	test_grep "; 1 lost, exit 0 ]" rest &&
	test_cmp after l/events/after
'

# datagram SID BYTES: a line of that length, and a newline.
datagram () {
	printf "{\"sid\":\"%s\",\"value\":\"%0$(($2 - 21 - ${#1}))d\"}\n" "$1" 0
}

test_expect_success 'a datagram of 256 KiB is recorded, a larger one is counted as lost' '
	listening l 1 --listen "af_unix:dgram:$sock/d" &&
	datagram fits 262143 >fits &&
	datagram over 262144 >over &&
	tr -d "\n" <fits | send dgram "$sock/d" &&
	tr -d "\n" <over | send dgram "$sock/d" &&
	finished &&
	echo fits | test_prints ls l/events &&
	test_cmp_bin fits l/events/fits &&
	echo "too_long 1" | test_prints lost l
'

# Lines of 1000 bytes, more than the recorder keeps: make check sends three times as many.
lines=100000
test_have_prereq !EXPENSIVE || lines=300000
test_expect_success 'record --listen goes on reading while the disk hangs, and counts losses' '
	listening l 1 --listen "$sock/s" &&
	mkfifo l/events/s-many &&
	before=$(peak_kib) &&
	send lines "$sock/s" $lines &&
	# The recorder kept less than a half of the lines in memory.
	if test_have_prereq EXPENSIVE,!INSTRUMENTED
	then
		peak=$(peak_kib) &&
		test $((peak - before)) -lt $((lines / 2))
	fi &&
	kill -TERM $pid &&
	cat l/events/s-many >got &&
	cat <&8 >rest &&
	running= &&
	wait $pid &&
	lost=$(jq .losses.queue_full l/meta.json) &&
	test "$lost" -gt 0 &&
	test $(($(wc -l <got) + lost)) = $lines
'

test_expect_success '--max-size is exact to the byte' '
	listening l 1 --max-size 10500 --listen "$sock/s" &&
	send lines "$sock/s" 8 &&
	echo "{\"sid\":\"small\"}" | send stream "$sock/s" &&
	send lines "$sock/s" 8 &&
	finished &&
	test $(cat l/events/* | wc -c) -le 10500 &&
	lost=$(jq .losses.over_max_size l/meta.json) &&
	test "$lost" -gt 0 &&
	test $(($(wc -l <l/events/s-many) + lost)) = 16
'

test_expect_success 'record --listen gives a command its socket, and ends with the command' '
	listening l 1 --listen "$sock/s" -- sh -c "
		echo \"{\\\"sid\\\":\\\"sh\\\",\\\"to\\\":\\\"\$GIT_TRACE2_EVENT\\\"}\" |
			\"\$0\" \"\$1\" stream \"$sock/s\"
		exit 3" "$PERL_PATH" "$TEST_DIRECTORY/t3100/send.perl" &&
	cat <&8 >rest &&
	running= &&
	test_expect_code 3 wait $pid &&
	test_grep "1 event, .* 0 lost, exit 3 ]" rest &&
	test "$(jq -r .to l/events/sh)" = "af_unix:stream:$sock/s" &&
	test_path_is_missing "$sock/s"
'

test_expect_success 'record --listen refuses a socket in use and other files' '
	listening l 1 --listen "$sock/s" &&
	test_expect_code 128 trace2 record -o m --listen "$sock/s" 2>actual &&
	echo "trace2: cannot listen on ${SQ}$sock/s${SQ}: in use, or not a socket (choose another path)" \
		>expect &&
	test_cmp expect actual &&
	test_path_is_missing m &&
	test_expect_code 128 trace2 record -o m \
		--listen "af_unix:dgram:$sock/s" &&
	echo "{\"sid\":\"still\"}" | send stream "$sock/s" &&
	finished &&
	test_path_is_file l/events/still &&
	echo precious >"$sock/file" &&
	test_expect_code 128 trace2 record -o m --listen "$sock/file" &&
	echo precious >expect &&
	test_cmp expect "$sock/file"
'

test_expect_success 'record --listen replaces a socket that nobody listens on' '
	listening l 1 --listen "$sock/s" &&
	kill -KILL $pid &&
	running= &&
	{ wait $pid || :; } &&
	test -S "$sock/s" &&
	listening m 1 --listen "$sock/s" &&
	echo "{\"sid\":\"x\"}" | send stream "$sock/s" &&
	finished &&
	test_path_is_file m/events/x &&
	jq -e ".state == \"running\"" l/meta.json
'

test_expect_success 'record --listen does not remove a file that replaced its socket' '
	listening l 1 --listen "$sock/s" &&
	rm "$sock/s" &&
	>"$sock/s" &&
	finished &&
	test_path_is_file "$sock/s" &&
	rm "$sock/s"
'

test_expect_success 'record --listen refuses a socket path that is too long or in no directory' '
	long=$(printf "%0120d" 0) &&
	test_expect_code 128 trace2 record -o none --listen "$sock/$long" 2>actual &&
	test_grep "longer than 107 bytes" actual &&
	test_expect_code 128 trace2 record -o none --listen "$sock/no/s" 2>actual &&
	test_grep "No such file or directory" actual &&
	test_path_is_missing none
'

test_expect_success 'the socket of record --listen is writable for its user only' '
	listening l 1 --listen "$sock/s" &&
	ls -l "$sock/s" >actual &&
	finished &&
	test_grep "^srwx------" actual
'

test_done
