#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the command reads rings: of processes that ended and that were killed'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

unchecked 'damaged' bad

# both COMMAND...: record the same run as event stream (event) and ring (ring).
both () {
	rm -rf event ring &&
	{ GIT_TRACE2_EVENT="$(pwd)/event" GIT_TRACE2_EVENT_NESTING=100 \
	  GIT_TRACE2_RING="$(pwd)/ring" "$@" >/dev/null 2>err || :; } &&
	trace2 script --git-event ring >from-ring
}

# Times are rounded differently, and a file has the events of several threads in
# the order in which they were written; all else is the same.
same_events () {
	jq -rn --slurpfile event event --slurpfile ring from-ring "
		([\"event\", \$event], [\"ring\", \$ring]) as [\$from, \$events] |
		\$events | sort_by(.thread)[] | del(.time, .t_abs, .t_rel) |
		\"\(\$from) \(.)\"" >both.same &&
	sed -n "s/^event //p" both.same >event.same &&
	sed -n "s/^ring //p" both.same >from-ring.same &&
	test_line_count -gt 2 event.same &&
	test_cmp event.same from-ring.same
}

# killed COMMAND...: it ends by SIGKILL.
killed () {
	{ "$@" </dev/null >out 2>&1 || test $? = 137; }
}

# damage OFFSET BYTES: a copy of the ring in `bad` with other bytes, as printf's
# %b writes them.
damage () {
	cp ring bad &&
	overwrite "$@"
}

overwrite () {
	printf "%b" "$2" | dd of=bad bs=1 seek="$1" conv=notrunc 2>/dev/null
}

number_at () {
	od -An -t "$1" -j "$2" -N "${1#u}" ring | tr -d " "
}

for verb in '001return 7' '003error message text' \
	'004child test-tool trace2 001return 2' '006data test k1 v1 test k2 v2' \
	'100timer 3 1' '201counter 7 13 3' \
	'303redact_def_param url https://user:pwd@example.com' \
	'call data_string NULL NULL NULL , data_json NULL NULL NULL' \
	'call region_enter NULL NULL , region_enter a b , data_string a b c'
do
	test_expect_success JQ "a ring gives the events of the event target: $verb" '
		both test-tool trace2 $verb &&
		sid=$(sed -n "s/^{\"event\":\"version\",\"sid\":\"\([^\"]*\).*/\1/p" from-ring) &&
		test -n "$sid" &&
		grep -F "\"sid\":\"$sid\"," event >own &&
		mv own event &&
		same_events &&
		trace2 check event ring >out &&
		test_grep ": no problems\$" out
	'
done

test_expect_success 'a signal in a thread without events is in the ring as in the stream' '
	GIT_TRACE2_SIGNALS=PIPE both "$hosts/handlers" dies-in-thread &&
	same_events &&
	test_grep "\"signal\".*\"thread\":\"main\"" event.same &&
	trace2 check event ring >out &&
	test_grep ": no problems\$" out
'

test_expect_success JQ 'times in a ring and in a stream agree to a microsecond' '
	both test-tool trace2 006data test k1 v1 &&
	jq -r ".t_abs // empty" event >expect &&
	jq -r "select(.event != \"region_enter\") | .t_abs // empty" from-ring >actual &&
	test_line_count -gt 2 expect &&
	paste expect actual | awk "{
		d = \$1 - \$2
		if (d > 0.0000015 || d < -0.0000015) { print; bad = 1 }
	} END { exit bad }"
'

test_expect_success JQ 'the ring of a killed process has all events and the values of metrics' '
	rm -f ring &&
	GIT_TRACE2_RING="$(pwd)/ring" killed "$hosts/worker" 2 5 kill &&
	trace2 script -F thread,event,category,message ring >actual &&
	grep -c "region_enter *worker *worker label:round" actual >count &&
	echo 10 | test_cmp - count &&
	trace2 report --counters --format=json ring >reports &&
	trace2 report --timers --format=json ring >>reports &&
	jq -s -e "(.[0].counters[0] | .counter == \"worker/rounds\" and .value == 10) and
		(.[1].timers[0] | .timer == \"worker/work\" and .unfinished == 2 and
		.intervals == 0)" reports
'

# Byte 296 is in header.lost[TR2_LOST_DEFINITION].
test_expect_success 'check warns of lost metric names in a ring only if the process was killed' '
	damage 296 "\0003" &&
	test_expect_code 1 trace2 check bad >out &&
	test_grep "warning: .*lost.* (3)\$" out &&
	rm -f ring &&
	GIT_TRACE2_RING="$(pwd)/ring" test-tool trace2 001return 0 &&
	damage 296 "\0003" &&
	trace2 check bad
'

# metrics RING: reports of the timers and counters, of the process and of its
# threads.
metrics () {
	for what in timers counters "timers --per-thread" \
		"counters --per-thread"
	do
		# The words are options.
		# shellcheck disable=SC2086
		trace2 report --$what --format=json "$1" || return 1
	done 2>err
}

# stood_at REPORTS...: the values in them, without times, after the name of each
# file
stood_at () {
	jq -r ".timers, .counters | select(.) | sort_by(.thread)[] |
		\"\(input_filename) \({ thread, timer, counter, value, intervals })\"" "$@"
}

test_expect_success JQ 'a ring has timers and counters, however the process ended' '
	printf "a\nb\n" >lines &&
	for end in exit ended leave kill _exit
	do
		rm -f ring &&
		{ GIT_TRACE2_RING="$(pwd)/ring" "$hosts/worker" 2 5 $end \
			<lines >out 2>&1 || :; } &&
		test_grep ready out &&
		metrics ring >$end.json || return 1
	done &&
	stood_at exit.json ended.json leave.json kill.json _exit.json >stood &&
	for end in exit ended leave kill _exit
	do
		sed -n "s/^$end\.json //p" stood >$end || return 1
	done &&
	jq -r "[.counter // .timer, .thread, .value // .intervals] | @tsv" \
		exit >actual &&
	printf "%s\t%s\t%s\n" worker/work "" 2 worker/rounds "" 12 \
		worker/work th01:worker 1 worker/work th02:worker 1 \
		worker/rounds main 2 worker/rounds th01:worker 5 \
		worker/rounds th02:worker 5 >expect &&
	test_cmp expect actual &&
	test_cmp exit ended &&
	# In the others, the threads and their timers were not stopped.
	sed "s/\"intervals\":[12]/\"intervals\":0/" exit >expect &&
	test_cmp expect leave &&
	test_cmp expect kill &&
	test_cmp expect _exit
'

# Move the head of the ring of slot 1 back, one record after the other, as if
# the process had been killed before it wrote them.
cat >heads.perl <<\EOT
use strict;
use warnings;
my ($ring, $slot) = @ARGV;
open(my $in, "<:raw", $ring) or die "$ring: $!\n";
sub bytes {
	my ($at, $nr) = @_;
	seek($in, $at, 0) && read($in, my $bytes, $nr) == $nr or die "short";
	return $bytes;
}
my ($data, $size) = unpack("QQ", bytes(216, 16));
my $head = unpack("Q", bytes($slot + 128, 8));
my $at = unpack("Q", bytes($slot + 320, 8));
my @heads;
while ($at < $head) {
	unshift @heads, join("", map { sprintf("\\0%03o", $_) } unpack("C*", pack("Q", $at)));
	$at += unpack("S", bytes($slot + $data + $at % $size + 6, 2));
}
print "$_\n" for @heads;
EOT

test_expect_success JQ 'a process killed at any record of the exit has each timer and counter once' '
	rm -f ring &&
	{ GIT_TRACE2_RING="$(pwd)/ring" "$hosts/worker" 2 5 exit \
		<lines >out 2>&1 || test $? = 3; } &&
	# The count of main is in the sum of ended threads by then.
	metrics ring >whole.json &&
	slot=$(($(number_at u8 144) + $(number_at u8 152))) &&
	"$PERL_PATH" heads.perl ring "$slot" >heads &&
	head -n 8 heads >last &&
	test_line_count = 8 last &&
	set -- &&
	while read -r head
	do
		set -- "$@" $#.json &&
		damage $((slot + 128)) "$head" &&
		metrics bad >$(($# - 1)).json || return 1
	done <last &&
	stood_at whole.json "$@" >stood &&
	sed -n "/\"main\"/d; s/^whole\.json //p" stood >expect &&
	test_line_count = 6 expect &&
	for file
	do
		sed -n "/\"main\"/d; s/^$file //p" stood >actual &&
		test_cmp expect actual || return 1
	done &&
	trace2 script -F thread,event bad >out &&
	test_grep "^ *main *region_leave" out &&
	test_grep ! "^ *main *\(timer\|counter\|exit\|atexit\)" out
'

test_expect_success JQ 'a flight recorder keeps the newest records, and reports the overwritten ones' '
	rm -f ring &&
	GIT_TRACE2_RING_SIZE=4k GIT_TRACE2_RING="$(pwd)/ring" \
		killed "$hosts/worker" 1 1000 kill &&
	trace2 script ring >actual 2>err &&
	test_grep "i:999\$" actual &&
	test_grep ! "i:0\$" actual &&
	test_grep "newer records replaced the oldest [1-9][0-9]*" err &&
	trace2 report --counters --format=json ring >counters 2>err &&
	jq -e ".counters[0].value == 1000" counters &&
	test_expect_code 1 trace2 check ring >out &&
	test_grep "warning: newer records" out &&
	test_grep ! "error:" out
'

test_expect_success 'a child_exit whose child_start was overwritten is no error' '
	rm -f ring &&
	set -- &&
	for i in $(test_seq 100)
	do
		set -- "$@" , printf "a line of some length" || return 1
	done &&
	GIT_TRACE2_RING_SIZE=4k GIT_TRACE2_RING="$(pwd)/ring" \
		test-tool trace2 call cmd_mode m "$@" , child_start 0 true "$@" , \
		child_exit 0 0 &&
	test_expect_code 1 trace2 check ring >out &&
	test_grep "warning: newer records" out &&
	test_grep ! "not started" out
'

test_expect_success JQ 'a ring in mode oldest keeps its first events' '
	rm -f ring &&
	test_seq 1000 >lines &&
	{ GIT_TRACE2_RING_SIZE=4k GIT_TRACE2_RING="$(pwd)/ring" \
	  "$hosts/worker" 0 0 kill <lines >out 2>&1 || test $? = 137; } &&
	trace2 list --format=json ring >list 2>err &&
	test_grep "newer records" err &&
	jq -e ".processes[0].argv[1:] == [\"0\", \"0\", \"kill\"]" list &&
	trace2 script -F event ring >script 2>err &&
	echo version | test_prints sed -n "1s/ *\$//p" script
'

test_expect_success 'a directory of rings and streams is read as one recording' '
	mkdir both &&
	test_expect_code 1 env GIT_TRACE2_RING="$(pwd)/both" \
		test-tool trace2 001return 1 &&
	test_expect_code 2 env GIT_TRACE2_EVENT="$(pwd)/both" \
		test-tool trace2 001return 2 &&
	trace2 list both >list &&
	test_write_lines 1 2 | test_prints awk "NR > 1 { print \$3 }" list
'

test_expect_success 'GIT_TRACE2_RING_INSTEAD replaces the event stream if the ring can be opened' '
	rm -rf rings stream &&
	mkdir rings &&
	GIT_TRACE2_RING_INSTEAD=1 && export GIT_TRACE2_RING_INSTEAD &&
	test_when_finished "unset GIT_TRACE2_RING_INSTEAD" &&
	GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_EVENT="$(pwd)/stream" \
		GIT_TRACE2_PERF="$(pwd)/perf" test-tool trace2 001return 0 &&
	test_path_is_missing stream &&
	test_path_is_file perf &&
	trace2 check rings &&
	GIT_TRACE2_RING="$(pwd)/nowhere/rings" GIT_TRACE2_EVENT="$(pwd)/stream" \
		test-tool trace2 001return 0 &&
	test_grep "\"event\":\"atexit\"" stream
'

# ---- damage ----------------------------------------------------------------

test_expect_success 'setup: a valid ring' '
	rm -f ring &&
	GIT_TRACE2_RING="$(pwd)/ring" test-tool trace2 006data test k1 v1 \
		t k2 v2 t k3 v3 t k4 v4 t k5 v5 t k6 v6 t k7 v7 t k8 v8 &&
	trace2 check ring
'

test_expect_success 'a file of 0 bytes is not a ring' '
	: >empty &&
	test_prints trace2 list empty </dev/null 2>err &&
	test_grep "zero-sized file, nothing to do!" err
'

test_expect_success 'list reports a ring without magic as not yet written by the process' '
	damage 0 "\0000\0000\0000\0000\0000\0000\0000\0000" &&
	trace2 list bad >out 2>err &&
	test_grep "its process has not started to write, or was killed before" err
'

test_expect_success 'a ring of a newer version is refused' '
	damage 12 "\0011\0000\0000\0000" &&
	test_must_fail trace2 list bad 2>err &&
	test_grep "cannot read .bad.: its version is 9, and this trace2 reads up to 1: use a newer trace2" err
'

test_expect_success 'a ring written in the other byte order is refused' '
	damage 16 "\0001\0002\0003\0004" &&
	test_must_fail trace2 list bad 2>err &&
	test_grep "cannot read .bad.: its numbers are not little-endian" err
'

test_expect_success 'a ring that is cut within the header is refused' '
	head -c 100 ring >bad &&
	test_must_fail trace2 list bad 2>err &&
	test_grep "cannot read .bad.: it was cut short in its header" err
'

test_expect_success 'a ring that is cut within the slots is read up to the cut' '
	slots=$(number_at u8 144) && test -n "$slots" &&
	size=$(number_at u8 152) && test -n "$size" &&
	head -c $((slots + size)) ring >bad &&
	trace2 script -F event bad >out 2>err &&
	test_grep "it was cut short: threads are missing" err &&
	tr -d " " <out >actual &&
	test_write_lines version start cmd_ancestry cmd_name | test_cmp - actual
'

test_expect_success 'a record of invalid size ends the reading, and earlier records are shown' '
	data=$(number_at u8 216) && test -n "$data" &&
	first=$((slots + size + data)) &&
	len=$(number_at u2 $((first + 6))) &&
	test "$len" -gt 8 &&
	trace2 script -F event ring | tr -d " " >whole &&
	# 0 and 3 bytes, beyond the head, beyond the end of the buffer.
	for bytes_of_size in "\0000\0000" "\0003\0000" "\0000\0004" \
		"\0370\0377"
	do
		damage $((first + len + 6)) "$bytes_of_size" &&
		trace2 script -F event bad >out 2>err &&
		test_grep "the ring of slot 1 is damaged" err &&
		tr -d " " <out >actual &&
		# The first record of that ring, and the records of others.
		sed "/^data\$/q" whole >expect &&
		test_grep data expect &&
		test_cmp expect actual || return 1
	done
'

# After its 12 bytes a FILLER fills the space up to the next record.
test_expect_success 'a record whose size is no multiple of 8 ends the reading, whatever follows' '
	next=$((first + len)) &&
	rest=$(($(number_at u2 $((next + 6))) - 12)) &&
	test "$rest" -gt 8 && test "$rest" -lt 256 &&
	damage $((next + 6)) "\0014\0000" &&
	filler="\0377\0377\0062\0124\0000\0000" &&
	overwrite $((next + 12)) "$filler$(printf "\\\\0%03o" $rest)\0000" &&
	trace2 script -F event bad >out 2>err &&
	test_grep "the ring of slot 1 is damaged" err &&
	tr -d " " <out >actual &&
	test_cmp expect actual
'

test_expect_success 'a slot whose head lies before the tail is skipped' '
	damage $((slots + size + 128)) "\0000\0000\0000\0000\0000\0000\0000\0000" &&
	trace2 script bad >actual 2>err &&
	test_grep "head and tail are invalid" err
'

test_expect_success PIPE 'a ring cannot be read from a pipe' '
	trace2 list - <ring &&
	mkfifo pipe &&
	{ cat ring >pipe & } &&
	test_must_fail trace2 list - <pipe 2>err &&
	wait &&
	test_grep "cannot read .standard input.: a ring is read from its file, not from a pipe" err
'

# ---------------------------------------------------------------------------
# Events of a ring, written anew, have all their fields

# Both targets record the same run.
test_expect_success JQ 'a ring has the same histogram of a timer as the event target' '
	both test-tool trace2 110timer_histogram 1 2 4 8 &&
	jq -r "select(.event == \"timer\" or .event == \"th_timer\")
		| \"\(input_filename) \(del(.time))\"" event from-ring >timers &&
	sed -n "s/^event //p" timers >event.timers &&
	sed -n "s/^from-ring //p" timers >from-ring.timers &&
	test_line_count = 2 event.timers &&
	test_grep "\"histogram\":\[\[0\.[0-9]*,[1-4]\],\[" event.timers &&
	test_cmp event.timers from-ring.timers
'

test_expect_success JQ 'export reports a damaged ring, too' '
	trace2 export --to git-event ring >exported &&
	sed -n "/\"timer\"/s/.*\"histogram\"/histogram/p" event >expect &&
	sed -n "/\"timer\"/s/.*\"histogram\"/histogram/p" exported >actual &&
	test_grep "^histogram:\[\[0\.0" expect &&
	test_cmp expect actual &&
	trace2 export --to git-event event >again &&
	sort event >expect &&
	sort again >actual &&
	test_cmp expect actual
'

test_expect_success JQ 'events from a ring have no histogram for a timer defined without one' '
	rm -f ring &&
	GIT_TRACE2_RING="$(pwd)/ring" test-tool trace2 100timer 3 1 &&
	trace2 script --git-event ring >from-ring &&
	test_grep "\"event\":\"timer\"" from-ring &&
	test_grep ! histogram from-ring
'

test_done
