#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --ring: rings of all processes, and streams of those without'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ,PIPE 'no host program, no jq, or no fifos'

rounds () {
	trace2 script -F event,message "$@" 2>/dev/null |
	grep -c "region_enter *worker *label:round"
}

test_expect_success 'record --ring: events are in a ring, and not in a stream' '
	test_expect_code 3 trace2 record --ring -- \
		"$hosts/worker" 2 100 exit </dev/null >out 2>err &&
	test_grep "; 0 lost, exit 3" err &&
	ls trace2.data/events >streams &&
	test_must_be_empty streams &&
	ls trace2.data/rings >rings &&
	test_grep "[.]records\$" rings &&
	jq -e ".files == 1" trace2.data/meta.json &&
	# The search for leaks is a process of its own.
	{ test_have_prereq INSTRUMENTED ||
	  jq -e ".processes == 1" trace2.data/meta.json; } &&
	echo 200 | test_prints rounds &&
	trace2 check
'

test_expect_success 'record --ring frees the disk space of ring records that it has copied' '
	trace2 list --format=json >list &&
	jq -e ".processes | map(select(.code == 3)) | length == 1" list &&
	size=$(du -k trace2.data/rings/*[!s] | cut -f 1) &&
	test -n "$size" &&
	test "$size" -lt 1500
'

test_expect_success 'record --ring keeps all events of a killed program, and lists the signal' '
	test_expect_code 137 trace2 record --ring -- \
		"$hosts/worker" 1 1000 kill </dev/null >out 2>err &&
	echo 1000 | test_prints rounds &&
	trace2 report --counters --format=json >counters &&
	jq -e ".counters[0].value == 1000" counters &&
	trace2 list >actual &&
	test_grep "SIGKILL.*worker.* 1 1000 kill" actual
'

test_expect_success GIT 'record --ring lists processes with and without rings once each' '
	git init -q repo &&
	write_script both <<-EOF &&
	git -C repo status -s &&
	"$hosts/worker" 0 1 exit
	git -C repo log --oneline >/dev/null 2>&1
	exit 0
	EOF
	trace2 record --ring -- ./both </dev/null >out 2>err &&
	trace2 list --format=json >list &&
	jq -r ".processes[] | select(.sid != null) | .name" list >actual &&
	test_write_lines status worker log | test_cmp - actual &&
	ls trace2.data/events >streams &&
	test_line_count = 2 streams
'

test_expect_success 'record --ring: records beyond the size of the ring are copied or counted' '
	test_seq 20000 >lines &&
	test_expect_code 3 trace2 record --ring -- \
		"$hosts/worker" 0 0 exit <lines >out 2>err &&
	lost=$(sed -n "s/.*; \([0-9]*\) lost, exit 3.*/\1/p" err) &&
	test -n "$lost" &&
	trace2 script >script 2>/dev/null &&
	got=$(grep -c "label:round\|data  *worker" script) &&
	test -n "$got" &&
	# The end of the process may be among the lost records.
	echo "$got + $lost" &&
	test $((got + lost)) -ge 60000 &&
	test $((got + lost)) -le 60010 &&
	trace2 report --counters --format=json >counters 2>/dev/null &&
	jq -e ".counters[0].value == 20000" counters
'

test_expect_success 'record --ring: --max-size limits the records that it copies' '
	test_expect_code 3 trace2 record --ring --max-size 100k -- \
		"$hosts/worker" 0 0 exit <lines >out 2>err &&
	size=$(cat trace2.data/rings/*.records | wc -c) &&
	test "$size" -le 102400 &&
	test_grep "max-size was reached" err &&
	test_grep ! "; 0 lost" err
'

test_expect_success 'record --ring: a killed recorder loses nothing' '
	rm -f in out &&
	mkfifo in out &&
	{ trace2 record --ring -o killed -- \
		"$hosts/worker" 1 50 exit <in >out 2>err & } &&
	recorder=$! &&
	exec 8>in 9<out &&
	read -r answer <&9 &&
	test "$answer" = ready &&
	kill -KILL $recorder &&
	{ wait $recorder || :; } &&
	echo >&8 && read -r answer <&9 && test "$answer" = round &&
	exec 8>&- &&
	{ read -r answer <&9 || :; } &&
	exec 9<&- &&
	echo 51 | test_prints rounds killed
'

test_expect_success 'record --ring moves an earlier recording away' '
	trace2 record --ring -- true 2>err &&
	trace2 record -- true 2>err &&
	test_path_is_dir trace2.data.old/rings &&
	test_path_is_missing trace2.data/rings &&
	trace2 record -- true 2>err &&
	test_path_is_missing trace2.data.old/rings
'

test_expect_success 'record --ring and --listen exclude each other' '
	test_expect_code 2 trace2 record --ring --listen sock -- true 2>err &&
	test_grep "ring and --listen exclude each other" err
'

test_done
