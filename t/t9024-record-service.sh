#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --listen as a service

Streams that are put aside by size are whole and stay as they are, nothing is
lost on the way, and SIGUSR1 is answered by one line of counts.
'

. ./test-lib.sh

if ! test_have_prereq JQ
then
	skip_all='jq is missing'
	test_done
fi

test_lazy_prereq SYSTEMD 'systemd-analyze --version'

# A path of its own: that of a socket has at most 107 bytes.
sock=$(mktemp -d "${TMPDIR:-/tmp}/t9024.XXXXXX") || exit 1
test_atexit 'rm -rf "$sock"'

send () {
	what=$1 &&
	shift &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3100/send.perl" "$what" "$@"
}

# listening DIR [OPTION...]: starts a recorder and waits for it; what it says
# later can be read from descriptor 8.
listening () {
	dir=$1 &&
	shift &&
	rm -rf "$dir" "$dir.old" pipe &&
	mkfifo pipe &&
	{ trace2 record -o "$dir" --listen "$sock/s" "$@" >out 2>pipe & } &&
	pid=$! &&
	test_when_finished "kill -KILL $pid 2>/dev/null; wait $pid; rm -f \"$sock/s\"" &&
	exec 8<pipe &&
	read -r line <&8 &&
	case "$line" in *"listening on"*) : ;; *) return 1 ;; esac
}

finished () {
	kill -TERM "$pid" &&
	cat <&8 >rest &&
	wait "$pid"
}

# So many lines of 1000 bytes.
numbered () {
	awk "BEGIN { while (n++ < $1)
		printf(\"{\\\"sid\\\":\\\"s-many\\\",\\\"n\\\":%-977d}\\n\", n) }" </dev/null
}

# The recorder has taken what was sent when its answer says so.
counts_are () {
	while :
	do
		kill -USR1 "$pid" &&
		read -r line <&8 || return 1
		case "$line" in
		*" $1 events, "*" 0 waiting "*) break ;;
		esac
	done
}

bytes_in () {
	cat "$1"/* | wc -c
}

test_expect_success 'directories are put aside at the size, whole lines in each' '
	listening l --rotate 10500 &&
	numbered 100 | send stream "$sock/s" &&
	counts_are 100 &&
	finished &&
	test_grep "^\[ trace2 record: .* 100 events, .*; 0 lost, exit 0 \]" rest &&
	ls -d l/events* >dirs &&
	test_line_count -ge 10 dirs &&
	test_seq -f "l/events.%06d" $(($(wc -l <dirs) - 1)) >expect.dirs &&
	sed 1d dirs >actual.dirs &&
	test_cmp expect.dirs actual.dirs &&
	while read -r one
	do
		test $(bytes_in $one) -le 10500 &&
		test $(bytes_in $one) -gt 0 &&
		jq -e .sid $one/s-many >/dev/null || return 1
	done <dirs &&
	cat l/events.*/s-many l/events/s-many | jq .n >actual &&
	test_seq 1 100 >expect &&
	test_cmp expect actual &&
	jq -e ".events == 100 and .lost == 0" l/meta.json
'

test_expect_success 'many clients at once: nothing lost, doubled or mixed' '
	listening l --rotate 20k &&
	send many "$sock/s" 20 &&
	counts_are 400 &&
	finished &&
	test_grep " 400 events, .*; 0 lost" rest &&
	for i in $(test_seq 20)
	do
		cat l/events.*/s-$i l/events/s-$i 2>/dev/null |
		jq -r "\"\(.sid) \(.n)\"" >actual &&
		test_seq -f "parent/s-$i %d" 20 >expect &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'a line longer than the size has a directory of its own' '
	listening l --rotate 500 &&
	echo "{\"sid\":\"small\"}" | send stream "$sock/s" &&
	counts_are 1 &&
	send lines "$sock/s" 2 &&
	counts_are 3 &&
	finished &&
	test_line_count = 1 l/events.000001/small &&
	test_line_count = 1 l/events.000002/s-many &&
	test_line_count = 1 l/events/s-many &&
	test_path_is_missing l/events.000003
'

test_expect_success 'what is put aside may be taken away while it goes on' '
	listening l --rotate 10500 &&
	send lines "$sock/s" 50 &&
	counts_are 50 &&
	mkdir shipped &&
	mv l/events.00* shipped/ &&
	send lines "$sock/s" 50 &&
	counts_are 100 &&
	finished &&
	test_grep " 100 events, .*; 0 lost" rest &&
	test_path_is_missing l/events.000001 &&
	test $(cat shipped/*/* l/events*/* | wc -l) = 100
'

test_expect_success READS_STREAMS,GIT 'a recording is read with what was put aside, a session that was cut as one' '
	listening l --rotate 300 &&
	GIT_TRACE2_EVENT="af_unix:stream:$sock/s" git version &&
	GIT_TRACE2_EVENT="af_unix:stream:$sock/s" git version &&
	finished &&
	test_path_is_dir l/events.000002 &&
	trace2 list -i l --format=json >list &&
	trace2 check l >check &&
	jq -e ".processes | length == 2" list
'

test_expect_success 'a recording with such directories makes way for the next, and strangers in them are kept' '
	listening l --rotate 10500 &&
	send lines "$sock/s" 50 &&
	counts_are 50 &&
	finished &&
	trace2 record -o l -- true &&
	test_path_is_dir l.old/events.000001 &&
	trace2 record -o l -- true &&
	test_path_is_missing l.old/events.000001 &&
	mkdir l.old/events.000001 l.old/events.000001/mine &&
	test_expect_code 128 trace2 record -o l -- true 2>err &&
	test_grep "it holds .events.000001/mine., which is no part" err
'

test_expect_success 'SIGUSR1: one line of counts' '
	listening l &&
	kill -USR1 $pid &&
	read -r line <&8 &&
	echo "trace2 record: 0 of 0 clients connected, 0 events, 0 bytes, 0 waiting for the disk, 0 lost" >expect &&
	echo "$line" >actual &&
	test_cmp expect actual &&
	send lines "$sock/s" 10 &&
	counts_are 10 &&
	test_grep ! . out &&
	finished &&
	test_grep " 10 events" rest
'

test_expect_success 'its line says what was lost, and why' '
	listening l --max-size 3000 &&
	numbered 20 | send stream "$sock/s" &&
	sum=0 &&
	while test "$sum" != 20
	do
		kill -USR1 "$pid" &&
		read -r line <&8 &&
		sum=$(echo "$line" |
			sed "s/.* \([0-9]*\) events, .* \([0-9]*\) lost.*/\1 + \2/") &&
		sum=$(($sum)) || return 1
	done &&
	echo "$line" >actual &&
	test_grep ", \([0-9]*\) lost (over_max_size \1)$" actual &&
	finished
'

test_expect_success 'with a command, SIGUSR1 is for that' '
	rm -rf l &&
	test_expect_code 7 trace2 record -o l --listen "$sock/s" -- sh -c "
		trap \"exit 7\" USR1
		kill -USR1 \$PPID
		while :; do :; done" 2>err &&
	test_grep ! "clients connected" err
'

test_expect_success '--rotate without --listen makes no sense' '
	test_expect_code 2 trace2 record -o m --rotate 1M -- true 2>err &&
	test_grep "^trace2: --rotate goes with --listen" err &&
	test_path_is_missing m
'

test_expect_success SYSTEMD 'the unit is one that systemd takes' '
	sed "s,/usr/bin/trace2,$(command -v cat)," \
		"$GIT_BUILD_DIR/examples/trace2-record.service" \
		>trace2-record.service &&
	test_grep "ExecStart=.*--rotate" trace2-record.service &&
	XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify ./trace2-record.service >err 2>&1 ||
	{ cat err && return 1; } &&
	test_must_be_empty err
'

# A unit of howto-fleet: the indented block below the line that names its file.
unit_of_page () {
	sed -n "/^.\/etc\/systemd\/system\/$1.:\$/,/^[^ ]/s/^    //p" \
		"$GIT_BUILD_DIR"/Documentation/howto-fleet.adoc
}

test_expect_success SYSTEMD 'the units of howto-fleet are ones that systemd takes' '
	for unit in trace2-export.service trace2-export.timer
	do
		unit_of_page $unit | sed "s,/usr/bin/trace2,$(command -v cat)," >$unit &&
		test_grep "^Description=" $unit || return 1
	done &&
	test_grep "^ExecStart=" trace2-export.service &&
	test_grep "^OnCalendar=" trace2-export.timer &&
	! grep OnCalendar trace2-export.service &&
	XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify ./trace2-export.service \
		./trace2-export.timer >err 2>&1 ||
	{ cat err && return 1; } &&
	test_must_be_empty err
'

# The command line of the unit is run as systemd would, with the parts that
# systemd fills in.
test_expect_success 'what the unit runs collects' '
	test_when_finished "kill -KILL \$unit 2>/dev/null; wait \$unit || :" &&
	mkdir "$sock/run" state &&
	sed -n "s/^ExecStart=//p" "$GIT_BUILD_DIR/examples/trace2-record.service" >line &&
	test_line_count = 1 line &&
	sed -e "s,/usr/bin/trace2,trace2," -e "s,%t,$sock/run,g" -e "s,%%,%,g" \
		-e "s,\\$\\$,\\$,g" line >command &&
	{ STATE_DIRECTORY="$PWD/state" sh -c "exec $(cat command)" 2>said & } &&
	unit=$! &&
	while ! test -S "$sock/run/trace2.sock"
	do
		kill -0 $unit || return 1
	done &&
	echo "{\"sid\":\"one\"}" | send stream "$sock/run/trace2.sock" &&
	kill -TERM $unit &&
	wait $unit &&
	echo "{\"sid\":\"one\"}" >expect &&
	cat state/*/events/one >actual &&
	test_cmp expect actual
'

test_done
