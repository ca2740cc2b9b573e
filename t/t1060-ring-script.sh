#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='events of a ring, written anew, have all their fields'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

# Both targets record the same run.
test_expect_success 'the histogram of a timer is what the event target says' '
	GIT_TRACE2_EVENT="$(pwd)/event" GIT_TRACE2_RING="$(pwd)/ring" \
		test-tool trace2 110timer_histogram 1 2 4 8 &&
	trace2 script --git-event ring >from-ring &&
	jq -r "select(.event == \"timer\" or .event == \"th_timer\")
		| \"\(input_filename) \(del(.time))\"" event from-ring >timers &&
	sed -n "s/^event //p" timers >event.timers &&
	sed -n "s/^from-ring //p" timers >from-ring.timers &&
	test_line_count = 2 event.timers &&
	test_grep "\"histogram\":\[\[0\.[0-9]*,[1-4]\],\[" event.timers &&
	test_cmp event.timers from-ring.timers
'

test_expect_success 'export says it, too' '
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

test_expect_success 'a timer without one has none' '
	rm -f ring &&
	GIT_TRACE2_RING="$(pwd)/ring" test-tool trace2 100timer 3 1 &&
	trace2 script --git-event ring >from-ring &&
	test_grep "\"event\":\"timer\"" from-ring &&
	test_grep ! histogram from-ring
'

test_done
