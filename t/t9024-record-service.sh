#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --listen as a service

--rotate puts streams aside at a size: they are whole and stay unchanged, and no
line is lost. The answer to SIGUSR1 is one line of counts.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"

test_skip_unless JQ

test_lazy_prereq SYSTEMD 'systemd-analyze --version'

# A short path, since that of a socket has at most 107 bytes.
sock=$(mktemp -d "${TMPDIR:-/tmp}/t9024.XXXXXX") || exit 1
test_atexit 'rm -rf "$sock"'

# listening DIR [OPTION...]: start a recorder and wait for it; its later output
# can be read from descriptor 8.
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

# Print this many lines of 1000 bytes.
numbered () {
	awk "BEGIN { while (n++ < $1)
		printf(\"{\\\"sid\\\":\\\"s-many\\\",\\\"n\\\":%-977d}\\n\", n) }" </dev/null
}

# All that was sent has arrived when the answer of the recorder contains it.
counts_are () {
	wait_until says "* $1 events, * 0 waiting *"
}
# says PATTERN: the recorder's answer matches PATTERN.
# shellcheck disable=SC2254 # a pattern
says () {
	kill -USR1 "$pid" &&
	read -r line <&8 &&
	case "$line" in $1) : ;; *) false ;; esac
}

bytes_in () {
	cat "$1"/* | wc -c
}

test_expect_success '--rotate starts a new directory before the size is exceeded, with whole lines' '
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
		test $(bytes_in $one) -gt 0 || return 1
	done <dirs &&
	! grep -v "^{.*}\$" l/events*/s-many &&
	cat l/events.*/s-many l/events/s-many | jq -r "\"\(.sid) \(.n)\"" >actual &&
	test_seq -f "s-many %d" 100 >expect &&
	test_cmp expect actual &&
	jq -e ".events == 100 and .lost == 0" l/meta.json
'

test_expect_success '--rotate with many clients loses, doubles and mixes nothing' '
	listening l --rotate 20k &&
	send many "$sock/s" 20 &&
	counts_are 400 &&
	finished &&
	test_grep " 400 events, .*; 0 lost" rest &&
	for i in $(test_seq 20)
	do
		{ cat l/events.*/s-$i l/events/s-$i >>all 2>/dev/null || :; } &&
		test_seq -f "parent/s-$i %d" 20 || return 1
	done >expect &&
	jq -r "\"\(.sid) \(.n)\"" all >actual &&
	test_cmp expect actual
'

test_expect_success '--rotate gives a line longer than the size its own directory' '
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

test_expect_success '--rotate: earlier directories may be removed during recording' '
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

test_expect_success GIT '--rotate: a session across directories is read as one' '
	listening l --rotate 300 &&
	GIT_TRACE2_EVENT="af_unix:stream:$sock/s" git version &&
	GIT_TRACE2_EVENT="af_unix:stream:$sock/s" git version &&
	finished &&
	test_path_is_dir l/events.000002 &&
	trace2 list -i l --format=json >list &&
	trace2 check l >check &&
	jq -s -e "(.[0].processes | length == 2) and
		(.[1] | .processes == 2 and .files > 2)" list l/meta.json
'

test_expect_success 'record replaces a rotated recording, unless it holds foreign files' '
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
	test_grep "it holds .events.000001/mine., which is not part" err
'

test_expect_success 'SIGUSR1 prints one line of counts' '
	listening l &&
	kill -USR1 $pid &&
	read -r line <&8 &&
	echo "trace2 record: 0 of 0 clients connected, 0 events, 0 bytes, 0 waiting for the disk, 0 lost" |
	test_prints echo "$line" &&
	send lines "$sock/s" 10 &&
	counts_are 10 &&
	test_grep ! . out &&
	finished &&
	test_grep " 10 events" rest
'

# all_are_counted NR: NR lines arrived or are lost.
all_are_counted () {
	says "*" &&
	test "$1" = $(($(echo "$line" |
		sed "s/.* \([0-9]*\) events, .* \([0-9]*\) lost.*/\1 + \2/")))
}

test_expect_success 'SIGUSR1: the line of counts has losses by cause' '
	listening l --max-size 3000 &&
	numbered 20 | send stream "$sock/s" &&
	wait_until all_are_counted 20 &&
	echo "$line" >actual &&
	test_grep ", \([0-9]*\) lost (over_max_size \1)$" actual &&
	finished
'

test_expect_success 'record --listen with a command forwards SIGUSR1 to the command' '
	rm -rf l &&
	test_expect_code 7 trace2 record -o l --listen "$sock/s" -- sh -c "
		trap \"exit 7\" USR1
		kill -USR1 \$PPID
		while :; do :; done" 2>err &&
	test_grep ! "clients connected" err
'

# With a line of 1000 bytes and room for ten of them in each.
test_expect_success '--keep removes the oldest directory, and counts it' '
	listening l --rotate 10500 --keep 2 &&
	numbered 55 | send stream "$sock/s" &&
	counts_are 55 &&
	case "$line" in *"; 3 directories removed") : ;; *) return 1 ;; esac &&
	finished &&
	ls -d l/events* >actual &&
	test_write_lines l/events l/events.000004 l/events.000005 | test_cmp - actual &&
	test_grep "^trace2 record: --keep removed 3 directories (3 files, .* KiB)$" rest &&
	test_grep " 55 events, .*; 0 lost" rest &&
	cat l/events.*/s-many l/events/s-many | jq .n >actual &&
	test_seq 31 55 >expect &&
	test_cmp expect actual &&
	jq -e ".directories_removed == 3 and .options.keep == 2 and .events == 55" l/meta.json
'

test_expect_success '--keep: missing directories are no error, and other files stay' '
	listening l --rotate 10500 --keep 1 &&
	numbered 25 | send stream "$sock/s" &&
	counts_are 25 &&
	echo l/events.000002 | test_prints ls -d l/events.* &&
	rm -r l/events.000002 &&
	numbered 20 | send stream "$sock/s" &&
	counts_are 45 &&
	finished &&
	test_grep ! "cannot put" rest &&
	listening l --rotate 10500 --keep 1 &&
	numbered 45 | send stream "$sock/s" &&
	counts_are 45 &&
	mkdir l/events.000004/mine &&
	numbered 10 | send stream "$sock/s" &&
	counts_are 55 &&
	finished &&
	ls -d l/events.* l/events.*/* >actual &&
	test_write_lines l/events.000004 l/events.000004/mine l/events.000005 \
		l/events.000005/s-many >expect &&
	test_cmp expect actual &&
	test_grep "cannot rotate .*/l/events., or remove old files: " rest &&
	test_grep "removed 3 directories" rest
'

# managed ADDRESS: start a process that reads the messages to a service manager;
# they can be read from descriptor 7.
managed () {
	rm -f told &&
	mkfifo told &&
	{ "$PERL_PATH" -MSocket -e '
		my $name = shift;
		$name =~ s/^@/\0/;
		socket(S, AF_UNIX, SOCK_DGRAM, 0) && bind(S, sockaddr_un($name))
			or die "$name: $!\n";
		$| = 1;
		print "open\n";
		while (defined recv(S, my $text, 4096, 0)) {
			print "$text\n";
			last if $text eq "STOPPING=1";
		}' "$1" >told & } &&
	exec 7<told &&
	read -r line <&7 &&
	test "$line" = open
}

for address in "$sock/n" "@t9024.$$"
do
	case "$address" in
	@*) kind='an abstract name' ;;
	*) kind='a path' ;;
	esac
	test_expect_success "record notifies the service manager: $kind" '
		managed "$address" &&
		NOTIFY_SOCKET=$address &&
		export NOTIFY_SOCKET &&
		test_when_finished "unset NOTIFY_SOCKET" &&
		listening l &&
		read -r line <&7 &&
		test "$line" = READY=1 &&
		send lines "$sock/s" 3 &&
		counts_are 3 &&
		finished &&
		cat <&7 >rest.told &&
		# The recorder may not have noticed yet that the client has
		# closed.
		sed "s/=[01] of/=N of/" rest.told | tail -n 2 >actual &&
		test_cmp - actual <<-\EOF
		STATUS=N of 1 clients connected, 3 events, 2.9 KiB, 0 waiting for the disk, 0 lost
		STOPPING=1
		EOF
	'
done

test_expect_success 'a missing service manager, or an invalid NOTIFY_SOCKET, does no harm' '
	for NOTIFY_SOCKET in "$sock/nobody" relative @ / "@$(printf "%0200d" 0)"
	do
		export NOTIFY_SOCKET &&
		listening l &&
		send lines "$sock/s" 1 &&
		counts_are 1 &&
		finished &&
		test_grep " 1 events*, .*; 0 lost" rest || return 1
	done &&
	unset NOTIFY_SOCKET
'

test_expect_success 'record with a command sends nothing to NOTIFY_SOCKET, and passes it on' '
	rm -f "$sock/n" &&
	managed "$sock/n" &&
	NOTIFY_SOCKET="$sock/n" trace2 record -o told.data --listen "$sock/s" -- \
		"$PERL_PATH" -MSocket -e "
			socket(S, AF_UNIX, SOCK_DGRAM, 0) or die;
			send(S, \$_, 0, sockaddr_un(\$ENV{NOTIFY_SOCKET})) or die
				for qw(READY=1 STOPPING=1)" 2>err &&
	cat <&7 >actual &&
	test_write_lines READY=1 STOPPING=1 | test_cmp - actual
'

# The shortest interval, so that a report comes soon: but only if there is news.
test_expect_success '--report-every prints new counts, and nothing if they are unchanged' '
	listening l --report-every 1ms &&
	read -r line <&8 &&
	echo "trace2 record: 0 of 0 clients connected, 0 events, 0 bytes, 0 waiting for the disk, 0 lost" |
	test_prints echo "$line" &&
	send lines "$sock/s" 2 &&
	while read -r line <&8
	do
		case "$line" in *"0 of 1 clients connected, 2 events, "*" 0 waiting"*) break ;; esac &&
		echo "$line" >>lines || return 1
	done &&
	test -n "$line" &&
	touch lines &&
	finished &&
	sort lines | uniq -d >twice &&
	test_must_be_empty twice &&
	test_grep ! "clients connected" rest
'

test_expect_success STATES,GIT '--keep and --profile together lose no samples of the command' '
	trace2 record -o l --listen "$sock/s" --rotate 300 --keep 1 --profile -- \
		sh -c "i=0; while test \$i -lt 100000; do i=\$((i + 1)); done
			git version; git version; git version" &&
	trace2 list -i l --format=json >list.json &&
	trace2 report --functions --format=json l >json 2>err &&
	jq -s -e "(.[0] | .directories_removed > 0 and .lost == 0) and
		(.[1].processes | length == 4) and
		(.[2] | ([.functions[].samples] | add >= 5) and
			(.coverage[0] | .sampled_ns > .cpu_ns / 2))" l/meta.json list.json json
'

test_expect_success 'unsuitable options of a service are refused' '
	test_expect_code 2 trace2 record -o m --listen "$sock/s" --profile 2>err &&
	test_grep "^trace2: --profile needs a command, or -p" err &&
	test_expect_code 2 trace2 record -o m --listen "$sock/s" -e cs 2>err &&
	test_grep "^trace2: -e needs a command" err &&
	test_expect_code 2 trace2 record -o m --listen "$sock/s" --keep 3 2>err &&
	test_grep "^trace2: --keep needs --rotate" err &&
	test_expect_code 2 trace2 record -o m --report-every 1s -- true 2>err &&
	test_grep "^trace2: --report-every needs --listen, and no CMD" err &&
	test_expect_code 2 trace2 record -o m --listen "$sock/s" --report-every 1s -- true 2>err &&
	test_grep "^trace2: --report-every needs --listen, and no CMD" err
'

test_expect_success '--rotate without --listen is refused' '
	test_expect_code 2 trace2 record -o m --rotate 1M -- true 2>err &&
	test_grep "^trace2: --rotate needs --listen" err &&
	test_path_is_missing m
'

test_expect_success SYSTEMD 'systemd accepts the unit' '
	sed "s,/usr/bin/trace2,$(command -v cat)," \
		"$GIT_BUILD_DIR/examples/trace2-record.service" \
		>trace2-record.service &&
	test_grep "ExecStart=.*--rotate .*--keep .*--report-every" trace2-record.service &&
	test_grep "^Type=notify" trace2-record.service &&
	XDG_RUNTIME_DIR=$PWD systemd-analyze --user verify ./trace2-record.service >err 2>&1 ||
	{ cat err && return 1; } &&
	test_must_be_empty err
'

# A unit of howto-fleet: the indented block below the line that names its file.
unit_of_page () {
	sed -n "/^.\/etc\/systemd\/system\/$1.:\$/,/^[^ ]/s/^    //p" \
		"$GIT_BUILD_DIR"/Documentation/howto-fleet.adoc
}

test_expect_success SYSTEMD 'systemd accepts the units of howto-fleet' '
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

# Run the command line of the unit as systemd would, with the variables that
# systemd replaces.
test_expect_success 'the recorder started by the unit collects events' '
	test_when_finished "kill -KILL \$unit 2>/dev/null; wait \$unit || :" &&
	mkdir "$sock/run" state &&
	sed -n "s/^ExecStart=//p" "$GIT_BUILD_DIR/examples/trace2-record.service" >line &&
	test_line_count = 1 line &&
	sed -e "s,/usr/bin/trace2,trace2," -e "s,%t,$sock/run,g" -e "s,%%,%,g" \
		-e "s,\\$\\$,\\$,g" line >command &&
	{ STATE_DIRECTORY="$PWD/state" sh -c "exec $(cat command)" 2>said & } &&
	unit=$! &&
	wait_until test -S "$sock/run/trace2.sock" &&
	echo "{\"sid\":\"one\"}" | send stream "$sock/run/trace2.sock" &&
	kill -TERM $unit &&
	wait $unit &&
	echo "{\"sid\":\"one\"}" | test_prints cat state/*/events/one
'

test_done
