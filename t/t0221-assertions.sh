#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Test the assertions of lib-trace2.sh, on which other scripts rely.

test_description='assertions on streams'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

unchecked 'damaged on purpose' '*'

test_skip_unless PERL_TEST_HELPERS 'the scrubbers are written in perl'

scrub_dir=$TEST_DIRECTORY/../scrub

# is_bug COMMAND...: the assertion must report a bug in the test.
is_bug () {
	if ("$@" >out 2>&1 7>&1)
	then
		echo "this passed: $*"
		return 1
	fi
	test_grep "bug in the test script" out
}

test_expect_success 'have_timer_event and have_counter_event pass if the event is there' '
	perl "$scrub_dir/perf.perl" "$traces/timers.perf" "$traces/counters.perf" >actual &&
	have_timer_event main timer test test2 15 actual &&
	have_timer_event th02:ut_101 th_timer test test2 5 actual &&
	have_counter_event main counter test test2 60 actual &&
	have_counter_event th03:ut_201 th_counter test test2 20 actual
'

test_expect_success 'have_timer_event and have_counter_event fail for missing events' '
	! have_timer_event main timer test test2 14 actual &&
	! have_timer_event main timer test test2 1 actual &&
	! have_timer_event main timer test test 15 actual &&
	! have_timer_event main timer tes test2 15 actual &&
	! have_timer_event main timer test "test." 15 actual &&
	! have_timer_event th01:ut_101 timer test test2 15 actual &&
	! have_timer_event main th_timer test test2 15 actual &&
	! have_counter_event main counter test test2 6 actual &&
	! have_counter_event ".*" counter test test2 60 actual &&
	cat actual actual >twice &&
	! have_timer_event main timer test test2 15 twice
'

test_expect_success 'have_timer_event and have_counter_event stop at a bug in the test' '
	is_bug have_timer_event main timer test test2 15 &&
	is_bug have_counter_event main counter test test2 actual &&
	unset nothing &&
	is_bug have_timer_event "$nothing" timer test test2 15 actual &&
	is_bug have_timer_event main "$nothing" test test2 15 actual &&
	is_bug have_timer_event main timer "$nothing" test2 15 actual &&
	is_bug have_timer_event main timer test "$nothing" 15 actual &&
	is_bug have_timer_event main timer test test2 "$nothing" actual &&
	is_bug have_timer_event main timer test test2 15 "$nothing" &&
	is_bug have_timer_event main timr test test2 15 actual &&
	is_bug have_timer_event main counter test test2 15 actual &&
	is_bug have_timer_event main timer test test2 many actual &&
	is_bug have_timer_event main timer test test2 15 nosuch &&
	is_bug have_timer_event main timer test test2 15 actual more &&
	is_bug have_counter_event main timer test test2 60 actual &&
	is_bug have_counter_event main counter test test2 "$nothing" actual &&
	is_bug have_counter_event main counter test test2 -1 actual
'

test_expect_success JQ 'trace2_jq passes if the result is a single true' '
	trace2_jq "length == 10" "$traces/data.event" &&
	trace2_jq "any(.[]; .key == \$k and .value == \"v1\") # yes" "$traces/data.event" --arg k k1 &&
	trace2_jq "def n: length; n > 1" "$traces/data.event" &&
	! trace2_jq "length == 11" "$traces/data.event" &&
	! trace2_jq "length" "$traces/data.event" &&
	! trace2_jq "empty" "$traces/data.event" &&
	! trace2_jq ".[] | .event == \"atexit\"" "$traces/data.event" &&
	! trace2_jq "syntax error" "$traces/data.event" &&
	>nothing.event &&
	! trace2_jq "all(.[]; .event == \"x\")" nothing.event &&
	echo "{\"event\":" >cut.event &&
	! trace2_jq "true" cut.event &&
	is_bug trace2_jq "true" &&
	is_bug trace2_jq "" "$traces/data.event" &&
	is_bug trace2_jq "true" nosuch
'

test_expect_success JQ 'count_events counts by type' '
	test "$(count_events data "$traces/data.event")" = 2 &&
	test "$(count_events signal "$traces/data.event")" = 0 &&
	is_bug count_events dta "$traces/data.event" &&
	is_bug count_events data nosuch &&
	is_bug count_events data
'

# Three of these commands leave a process that goes on under its
# parent'\''s SID.
test_expect_success JQ 'expect_valid_stream accepts the streams of Git' '
	for trace in "$traces"/*.event
	do
		case "$trace" in
		*/commit.event|*/fetch.event|*/push.event)
			! expect_valid_stream "$trace" 4>err &&
			test_grep "rule 1: line [0-9]*: atexit of .*: is not last" err ;;
		*)
			expect_valid_stream "$trace" ;;
		esac || return 1
	done
'

# breaks RULE WHAT [SED-SCRIPT...]: the stream "good" with this change must be
# refused for that reason.
breaks () {
	local rule="$1" what="$2"
	shift 2
	sed "$@" good >bad &&
	! cmp -s good bad &&
	! expect_valid_stream bad 4>err &&
	test_grep -F "rule $rule: " err &&
	test_grep -F -e "$what" err
}

test_expect_success JQ 'expect_valid_stream reports each kind of broken rule' '
	{
		event_line version a "\"evt\":\"4\",\"exe\":\"1\"" &&
		event_line start a "\"t_abs\":0.000001,\"argv\":[\"x\"]" &&
		event_line region_enter a "\"nesting\":1,\"category\":\"c\",\"label\":\"l\"" &&
		event_line region_enter a "\"nesting\":2,\"category\":\"c\",\"label\":\"m\"" &&
		event_line region_leave a "\"t_rel\":0.000001,\"nesting\":2,\"category\":\"c\",\"label\":\"m\"" &&
		event_line region_leave a "\"t_rel\":0.000001,\"nesting\":1,\"category\":\"c\",\"label\":\"l\"" &&
		event_line thread_start a | sed "s/\"main\"/\"th01:x\"/" &&
		event_line data a "\"t_abs\":0.000001,\"t_rel\":0.000001,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"v\"" | sed "s/\"main\"/\"th01:x\"/" &&
		event_line child_start a "\"child_id\":0,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"y\"]" &&
		event_line version a/b "\"evt\":\"4\",\"exe\":\"1\"" &&
		event_line start a/b "\"t_abs\":0.000001,\"argv\":[\"y\"]" &&
		event_line signal a/b "\"t_abs\":0.000001,\"signo\":15" &&
		event_line child_exit a "\"child_id\":0,\"pid\":7,\"code\":143,\"t_rel\":0.000001" &&
		event_line exit a "\"t_abs\":0.000001,\"code\":0" &&
		event_line counter a "\"category\":\"c\",\"name\":\"n\",\"count\":1" &&
		event_line atexit a "\"t_abs\":0.000001,\"code\":0"
	} >good &&
	expect_valid_stream good &&
	sed "/\"start\".*\"y\"/d" good >early &&
	test_line_count = 15 early &&
	expect_valid_stream early &&
	breaks 1 "comes first" 1d &&
	breaks 1 "start is not second" 2d &&
	breaks 1 "comes twice" -e "2{p;p;}" &&
	breaks 1 "comes last" "\$d" &&
	breaks 1 "is not last" "\$p" &&
	breaks 1 "comes before exit" -e "14{h;d;}" -e "15G" &&
	breaks 2 "label does not follow category" "3s/\"category\":\"c\",\"label\":\"l\"/\"label\":\"l\",\"category\":\"c\"/" &&
	breaks 2 "key and value do not follow" "8s/\"key\":\"k\",\"value\":\"v\"/\"value\":\"v\",\"key\":\"k\"/" &&
	breaks 3 "time is null" "1s/\"time\":\"[^\"]*\",//" &&
	breaks 4 "is no file name" "s/a\/b/a\/../" &&
	breaks 4 "is no file name" "s/a\/b/a\/\/b/" &&
	breaks 4 "is part of several" "s/a\/b/a\/a/" &&
	breaks 5 "entered another" "5s/\"m\"/\"x\"/" &&
	breaks 5 "entered another" "5s/\"nesting\":2/\"nesting\":1/" &&
	breaks 5 "nothing is open" -e 3d -e 4d &&
	breaks 5 "nesting 2 inside 0" 3d &&
	breaks 6 "th01:x did not start" 7d &&
	breaks 7 "was not started" 9d &&
	breaks 7 "does not end" 13d &&
	breaks 7 "ends twice" 13p &&
	breaks 7 "is started twice" 9p &&
	breaks 7 "pid -1 with code 143" "13s/\"pid\":7/\"pid\":-1/"
'

test_expect_success 'expect_valid_stream --scrub reports a broken rule, and still writes actual' '
	perl "$scrub_dir/event.perl" <good >expect &&
	expect_valid_stream --scrub good &&
	test_cmp expect actual &&
	sed "\$d" good >bad &&
	sed "\$d" expect >expect.bad &&
	! expect_valid_stream --scrub bad 4>err &&
	test_grep "rule 1: .*comes last" err &&
	test_cmp expect.bad actual &&
	expect_valid_stream --killed --scrub bad &&
	test_cmp expect.bad actual &&
	echo "no JSON" >bad &&
	! expect_valid_stream --scrub bad 4>err &&
	test_grep "line 1: not a JSON object" err
'

test_expect_success 'event_members prints the values of members' '
	{
		event_line data a "\"nesting\":1,\"key\":\"\\\\\\\"key\\\":\\\"b\",\"value\":\"w\"" &&
		event_line child_exit a "\"pid\":-1,\"code\":3" &&
		event_line exit b "\"t_abs\":0.000001,\"code\":0"
	} >in &&
	test_prints event_members "event code|pid nesting key value" ".*" in <<-\EOF &&
	data 1 \\\"key\":\"b w
	child_exit 3
	exit 0
	EOF
	event_members "sid pid|value" "exit|data" in in >actual &&
	test_write_lines "a w" b "a w" b | test_cmp - actual
'

test_expect_success JQ 'expect_valid_stream accepts a killed session only with --killed' '
	sed "\$d" good >killed &&
	! expect_valid_stream killed &&
	expect_valid_stream --killed killed &&
	sed -n 1p good >discard &&
	event_line too_many_files a >>discard &&
	expect_valid_stream discard &&
	! expect_valid_stream nothing.event &&
	echo "no JSON" >text &&
	! expect_valid_stream text &&
	is_bug expect_valid_stream &&
	is_bug expect_valid_stream nosuch
'

test_done
