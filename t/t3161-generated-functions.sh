#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='names of functions that recorded programs generate'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-stream.sh"

# Print the functions of the recording r, with their samples.
counted () {
	trace2 report --functions --format=json -i r >json 2>err &&
	jq -r ".functions[] | \"\(.function) \(.samples)\"" json | sort
}

# dumped LINE... -- OPTION...: the functions of samples at these addresses, with
# these records of a jitdump.
dumped () {
	rm -f lines &&
	while test "$1" != --
	do
		echo "$1" >>lines && shift || return 1
	done &&
	shift &&
	made r <<-\EOF &&
	top node
	2 0 map 10 10 100000 10000 //anon
	3 0 sample 10 10 100018
	6 0 sample 10 10 100018
	9 0 sample 10 10 100018
	9 0 sample 10 10 100038
	20 0 exit 10 10
	EOF
	mkdir r/maps &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3161/jitdump.perl" "$@" <lines \
		>r/maps/10-5000000000.dump &&
	counted
}

test_expect_success JQ 'jitdump: a sample gets the function that was at the address at that time' '
	for order in "" --swap
	do
		dumped "load 1 100010 10 1 first" "other 2" \
			"load 5 100010 10 2 second" "move 8 100030 10 1" \
			"load 8 100000 20 3 third" -- $order >actual &&
		test_write_lines "first 2" "second 1" "third 1" |
		test_cmp - actual &&
		test_must_be_empty err || return 1
	done
'

test_expect_success JQ 'jitdump with times of another clock: the last function at an address is named' '
	dumped "load 1 100010 10 1 first" "load 5 100010 10 2 second" -- --clock \
		>actual &&
	test_write_lines "0x100038 1" "second 3" | test_cmp - actual &&
	dumped "load -9 100010 10 1 first" "load 99 100010 10 2 second" -- \
		>actual &&
	test_write_lines "0x100038 1" "second 3" | test_cmp - actual
'

test_expect_success JQ 'jitdump: entries written by a child process are ignored' '
	dumped "load 1 100010 10 1 first" -- --pid=11 >actual &&
	test_write_lines "0x100018 3" "0x100038 1" | test_cmp - actual
'

test_expect_success JQ 'jitdump: functions before damage have names, and the damage is reported' '
	dumped "load 1 100010 10 1 first" "load 1 100030 10 2 second" -- \
		>actual &&
	dump=r/maps/10-5000000000.dump &&
	head -c 170 $dump >cut && mv cut $dump &&
	counted >actual &&
	test_write_lines "0x100038 1" "first 3" | test_cmp - actual &&
	test_grep "10-5000000000.dump.*later ones have no names" err
'

test_expect_success JQ 'report advises NODE_OPTIONS for generated code of node that is named npm' '
	made r <<-\EOF &&
	top npm
	2 0 map 10 10 100000 10000 //anon
	3 0 sample 10 10 100018
	20 0 exit 10 10
	EOF
	counted >actual &&
	test_grep ! NODE_OPTIONS err &&
	echo "{\"type\":\"argv\",\"time_ns\":5000001000,\"pid\":10,\"argv\":[\"/usr/bin/node\",\"npm\"]}" \
		>>r/tasks.jsonl &&
	counted >actual &&
	test_grep "anon.*at run time (with NODE_OPTIONS=--perf-basic-prof" err
'

test_expect_success JQ 'a removed library of a Java program is reported as removed, not as generated' '
	made r <<-\EOF &&
	top java
	2 0 map 10 10 100000 10000 /none/libz.so
	3 0 sample 10 10 100018
	20 0 exit 10 10
	EOF
	counted >actual &&
	test_grep "/none/libz.so.: no longer there" err
'

test_expect_success CC,TASKS,LIBDW 'samples in Python: the report says how Python 3.12 names its functions' '
	for version in 3.11 3.12
	do
		"${CC:-cc}" -O2 -g -o python$version \
			-Dmix=_PyEval_EvalFrameDefault \
			"$TEST_DIRECTORY/t3160/hot.c" &&
		trace2 record -q -o r --profile -- ./python$version &&
		trace2 report --functions -i r >out 2>err-$version || return 1
	done &&
	test_grep ! PYTHONPERFSUPPORT err-3.11 &&
	test_grep "the interpreter of Python: with PYTHONPERFSUPPORT=1" err-3.12
'

# Do not believe a /tmp/perf-PID.map of another owner, or from before the
# process.
test_expect_success TASKS 'record --profile keeps a /tmp/perf-PID.map written during the recording' '
	cat >writes <<-\EOF &&
	echo "1000 10 $1" >/tmp/perf-$$.map
	touch -d "$2" /tmp/perf-$$.map
	sh -c : # so that the shell does not exec the last command
	rm -f pid && echo $$ >pid
	EOF
	test_when_finished "rm -f /tmp/perf-\$(cat pid).map" &&
	trace2 record -q -o r --profile -- sh writes mine now &&
	test_prints cat r/maps/"$(cat pid)"-*.map <<-\EOF &&
	1000 10 mine
	EOF
	rm /tmp/perf-"$(cat pid)".map &&
	trace2 record -q -o r --profile -- sh writes stale "1 hour ago" &&
	test_path_is_missing r/maps &&
	rm /tmp/perf-"$(cat pid)".map &&
	trace2 record -q -o r -- sh writes none now &&
	test_path_is_missing r/maps
'

test_expect_success TASKS,CC 'record --profile keeps a jitdump that a process maps, from any directory' '
	"${CC:-cc}" -o jit "$TEST_DIRECTORY/t3161/jit.c" &&
	mkdir place &&
	trace2 record -q -o r --profile -- sh -c "cd place && ../jit; :" &&
	test_prints cat r/maps/*.dump <<-\EOF &&
	the whole dump
	EOF
	trace2 record -q -o r -- ./jit &&
	test_path_is_missing r/maps
'

test_done
