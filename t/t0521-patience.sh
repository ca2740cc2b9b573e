#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='descriptors and terminals that people look at: readers may pause

t0506 has the costs of a reader that never reads again.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

GIT_TRACE2_PERF_BRIEF=1
export GIT_TRACE2_PERF_BRIEF

# pauses KIND: 2,000 events to a reader that pauses, into p.
pauses () {
	GIT_TRACE2_PERF=9 "$PERL_PATH" "$TEST_DIRECTORY/t0521/pauses.perl" "$1" \
		test-tool trace2 030events 2000 100 >p
}

complete () {
	grep -c " | data  *| " p >actual &&
	echo 2000 | test_cmp - actual &&
	tail -n 1 p >last &&
	test_grep " atexit .* | code:0\$" last
}

test_expect_success 'the reader of a pipe pauses: no line is lost' '
	pauses pipe &&
	complete
'

test_expect_success 'the reader of a socket pauses: no line is lost' '
	pauses socket &&
	complete
'

test_expect_success 'a terminal that Ctrl-S stops for a while loses no line' '
	pauses terminal &&
	complete
'

test_expect_success 'a target with GIT_TRACE2_PATIENCE=0 loses lines' '
	for kind in pipe terminal
	do
		test_env GIT_TRACE2_PATIENCE=0 pauses $kind &&
		! complete || return 1
	done
'

test_expect_success 'patience can be set by a config key' '
	test_config_global trace2.patience 0 &&
	pauses pipe &&
	! complete &&
	test_env GIT_TRACE2_PATIENCE=600 pauses pipe &&
	complete
'

# Otherwise the program waits for 50 ms by a clock that stands at 0, or for ten
# minutes.
test_expect_success !TSAN 'a clock that stands still does not hold the host up' '
	echo alive >expect &&
	for seconds in 0 1
	do
		GIT_TRACE2_EVENT=9 GIT_TRACE2_PATIENCE=$seconds \
			"$hosts/stalls" still-clock >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'a signal that arrives during a wait ends the patience' '
	test_env GIT_TRACE2_EVENT=9 GIT_TRACE2_PATIENCE=600 \
		test_expect_code 143 "$hosts/stalls" signal
'

# Otherwise the second signal waits for ever for the first, by a clock that
# stands still.
test_expect_success !TSAN 'a second signal during a wait ends it, even if the clock stands still' '
	test_env GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_SIGNALS=INT,TERM \
		test_expect_code 143 "$hosts/stalls" two-signals &&
	test_grep "\"event\":\"start\"" e &&
	test_grep ! "\"event\":\"signal\"" e
'

test_done
