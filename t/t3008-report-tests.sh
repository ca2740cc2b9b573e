#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report --tests'

. ./test-lib.sh

# suite ID [CODE [RESULT [REASON]]] <TESTS: the stream of a script that exits with
# CODE, whose tests are the lines FROM TO TOOK RESULT TITLE; without a RESULT, a
# test has no end. One with "child" in its TITLE starts one, which has its main
# 50 ms later.
suite () {
	head="\"sid\":\"20200101T000000.000000Z-H00000000-P0000000$1\",\"thread\":\"main\",\"time\":\"2020-01-01T00:00:0" &&
	echo "{\"event\":\"version\",${head}0.000000Z\",\"evt\":\"4\",\"exe\":\"1\"}" &&
	echo "{\"event\":\"start\",${head}0.000000Z\",\"t_abs\":0.0,\"argv\":[\"t000$1.sh\"]}" &&
	echo "{\"event\":\"cmd_name\",${head}0.000000Z\",\"name\":\"t000$1.sh\",\"hierarchy\":\"t000$1.sh\"}" &&
	while read -r from to took result title
	do
		name="\"category\":\"test\",\"label\":\"$title\"" &&
		echo "{\"event\":\"region_enter\",$head${from}00000Z\",\"nesting\":1,$name}" &&
		case "$title" in
		*child*)
			echo "{\"event\":\"child_start\",$head${from}00000Z\",\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"sh\"]}" &&
			below=$(echo "$head" | sed "s/\",/\/20200101T000001.000000Z-H00000000-P00000007&/") &&
			echo "{\"event\":\"version\",$below${from}50000Z\",\"evt\":\"4\",\"exe\":\"1\"}" &&
			echo "{\"event\":\"start\",$below${from}50000Z\",\"t_abs\":0.0,\"argv\":[\"sh\"]}" &&
			echo "{\"event\":\"atexit\",$below${to}00000Z\",\"t_abs\":0.95,\"code\":0}" &&
			echo "{\"event\":\"child_exit\",$head${to}00000Z\",\"child_id\":0,\"pid\":7,\"code\":0,\"t_rel\":$took}" ;;
		esac &&
		if test "$result" != -
		then
			echo "{\"event\":\"data\",$head${to}00000Z\",\"t_abs\":$to,\"t_rel\":$took,\"nesting\":2,\"category\":\"test\",\"key\":\"result\",\"value\":\"$result\"}" &&
			echo "{\"event\":\"region_leave\",$head${to}00000Z\",\"t_rel\":$took,\"nesting\":1,$name}"
		fi || return 1
	done &&
	if test -n "${4-}"
	then
		echo "{\"event\":\"error\",${head}9.000000Z\",\"msg\":\"$4\",\"fmt\":\"$4\"}"
	fi &&
	if test -n "${3-}"
	then
		echo "{\"event\":\"data\",${head}9.000000Z\",\"t_abs\":9.0,\"t_rel\":9.0,\"nesting\":1,\"category\":\"test\",\"key\":\"script\",\"value\":\"$3\"}"
	fi &&
	echo "{\"event\":\"atexit\",${head}9.000000Z\",\"t_abs\":9.0,\"code\":${2-0}}"
}

test_expect_success 'report --tests shows failed tests, the slowest tests, and the scripts' '
	{
		suite 1 <<-\EOF &&
		1.0 2.0 1.0 ok 1 - quick
		2.0 5.0 3.0 ok 2 - slow
		5.0 5.5 0.5 skipped 3 - not here
		EOF
		suite 2 <<-\EOF
		0.0 1.0 1.0 failed 1 - wrong
		1.0 3.0 2.0 broken 2 - known
		8.0 - - - 3 - cut
		EOF
	} >e &&
	trace2 report --tests e >actual.all &&
	test_prints sed "s/  */ /g; s/^ //; s/ $//" actual.all <<-\EOF
	WALL s RESULT SCRIPT TEST
	1.000 failed t0002.sh 1 - wrong
	1.000 no end t0002.sh 3 - cut

	WALL s RESULT SCRIPT TEST
	3.000 ok t0001.sh 2 - slow
	2.000 broken t0002.sh 2 - known
	1.000 ok t0001.sh 1 - quick
	1.000 failed t0002.sh 1 - wrong
	1.000 no end t0002.sh 3 - cut
	0.500 skipped t0001.sh 3 - not here

	WALL s OUTSIDE s TESTS FAILED SKIPPED RESULT SCRIPT
	9.000 4.500 3 1 ok t0001.sh
	9.000 5.000 3 2 failed t0002.sh
	EOF
'

test_expect_success JQ 'report --tests gives the reason for a script that failed by exit code or plan' '
	{
		echo "1.0 2.0 1.0 ok 1 - one" | suite 1 2 &&
		suite 2 0 failed "No plan" </dev/null &&
		echo "1.0 2.0 1.0 failed 1 - one" | suite 3 1 failed &&
		echo "1.0 2.0 1.0 failed 1 - one" | suite 4 2 failed "Bad plan" &&
		echo "1.0 2.0 1.0 failed 1 - one" | suite 5 1 &&
		echo "1.0 2.0 1.0 ok 1 - one" | suite 6 3 ok &&
		suite 7 0 skipped </dev/null &&
		echo "1.0 - - - 1 - cut" | suite 8 2 &&
		suite 9 3 "" "no script" </dev/null
	} >e &&
	trace2 report --tests --format=json e >all &&
	jq -r ".scripts[] | [.script, .tests, .result, .reason] | tojson" all \
		>actual &&
	test_cmp - actual <<-\EOF &&
	["t0001.sh",1,"failed","exited with 2"]
	["t0002.sh",0,"failed","No plan"]
	["t0003.sh",1,"failed",null]
	["t0004.sh",1,"failed","Bad plan"]
	["t0005.sh",1,"failed",null]
	["t0006.sh",1,"ok",null]
	["t0007.sh",0,"skipped",null]
	["t0008.sh",1,"failed","exited with 2"]
	EOF
	trace2 report --tests e >actual.all &&
	test_prints sed "s/  */ /g; s/^ //; s/ $//; /^$/,\$d" actual.all <<-\EOF
	WALL s TESTS FAILED RESULT SCRIPT REASON
	9.000 1 failed t0001.sh exited with 2
	9.000 0 failed t0002.sh No plan
	9.000 1 1 failed t0004.sh Bad plan
	9.000 1 1 failed t0008.sh exited with 2
	EOF
'

test_expect_success JQ 'report --tests counts a child for the test that ran then in the same script' '
	{
		suite 1 <<-\EOF &&
		1.0 2.0 1.0 ok 1 - first
		2.0 3.0 1.0 ok 2 - one child
		EOF
		suite 2 <<-\EOF
		1.0 2.0 1.0 ok 1 - none
		2.0 3.0 1.0 ok 2 - a child
		EOF
	} >e &&
	trace2 report --tests --format=json e >all &&
	test_prints jq -r ".tests[] | [.test, .spawn_ns] | tojson" all <<-\EOF
	["1 - first",null]
	["2 - one child",50000000]
	["1 - none",null]
	["2 - a child",50000000]
	EOF
'

test_expect_success 'report --tests shows ten tests as text, or the number of -n; CSV and JSON all' '
	test_seq -f "1.0 2.0 1.0 ok %d - one" 15 | suite 1 >e &&
	trace2 report --tests e >actual &&
	test_grep -c "one" actual >count &&
	test "$(cat count)" = 10 &&
	trace2 report --tests -n 12 e >actual &&
	test_grep -c "one" actual >count &&
	test "$(cat count)" = 12 &&
	trace2 report --tests --format=json e >actual &&
	test_grep -o "\"test\":\"[^\"]*\"" actual >titles &&
	test_line_count = 15 titles
'

test_expect_success 'a recording without tests is reported' '
	suite 1 </dev/null >e &&
	test_prints trace2 report --tests e </dev/null 2>err &&
	test_grep "no tests in this recording" err
'

# Its parent is a zombie until prove has read all.
test_expect_success TASKS,PROVE,JQ 'a test result that comes after the exit of the script is recorded' '
	cat >late.sh <<-\EOF &&
	echo 1..2
	(
		until grep -q "^State:.Z" /proc/$$/status
		do
			sleep 0.02
		done
		echo ok 1
		echo ok 2
	) &
	EOF
	PERL5LIB="$GIT_BUILD_DIR/lang/perl" trace2 record -q -o late -- \
		prove -PTrace2 --exec "$SHELL_PATH" late.sh &&
	trace2 report --tests --format=json -i late >all &&
	jq -e ".scripts[0].wall_ns as \$all | .tests[0].wall_ns <= \$all and
		.tests[1].wall_ns == 0 and .scripts[0].outside_ns >= 0" all
'

# bash knows microseconds.
test_expect_success TASKS,BASH 'report --tests counts the processes that a test started' '
	cat >script.sh <<-\EOF &&
	test_description="processes"
	. "$TEST_DIRECTORY/test-lib.sh"
	test_expect_success "none" ":"
	test_expect_success "five" "
		sleep 0.01 && sh -c \"env; env; sleep 0.01; :\"
	"
	test_done
	EOF
	(
		# Not below prove: the script records itself.
		unset HARNESS_ACTIVE TRACE2_PROVE &&
		TEST_OUTPUT_DIRECTORY=$PWD GIT_TEST_TRACE2=rec &&
		GIT_TEST_CHAIN_LINT=0 TEST_NO_TEST_TOOL=t &&
		export TEST_OUTPUT_DIRECTORY GIT_TEST_TRACE2 \
			GIT_TEST_CHAIN_LINT TEST_NO_TEST_TOOL &&
		bash script.sh
	) &&
	trace2 report --tests --format=csv -i rec >csv &&
	test_grep "^[0-9]*,[0-9]*,[0-9]*,0,ok,script.sh,1 - none" csv &&
	test_grep "^[0-9]*,[0-9]*,[0-9]*,5,ok,script.sh,2 - five" csv
'

test_done
