#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='rings: short records of events at places with constant strings

The event target writes the same events for comparison. While it is on, rings
have long records.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

unchecked 'regions are left by other names, on purpose' '*'

sites=$GIT_BUILD_DIR/build/hosts/sites

test_skip_unless JQ

# run HOW [VARIABLE=VALUE...]: into the ring r, and into the event stream e.
run () {
	how=$1 &&
	shift &&
	rm -rf r e &&
	env GIT_TRACE2_EVENT_NESTING=100000 "$@" \
		GIT_TRACE2_EVENT="$(pwd)/e" "$sites" "$how" &&
	env "$@" GIT_TRACE2_RING="$(pwd)/r" "$sites" "$how" &&
	trace2 script --git-event r >from-ring
}

# Leave out values that differ between runs, or between constants and variables.
steady () {
	"$PERL_PATH" -pe 's/"(?:time|sid|file)":"[^"]*",*//g; s/"argv":\[[^]]*\],*//;
		s/"(?:t_abs|t_rel|line)":[0-9.]*,*//g' "$1"
}

same () {
	steady "$1" >expect &&
	steady "$2" >actual &&
	test_line_count -gt 10 expect &&
	test_cmp expect actual
}

# shorts RING: how many short records there are.
shorts () {
	test-tool ring dump "$1" >records &&
	grep -c " site=" records
}

test_expect_success 'short records give the same events as long ones and as the event target' '
	run variables &&
	cp from-ring variables &&
	! shorts r &&
	run constants &&
	test "$(shorts r)" -gt 10 &&
	same e from-ring &&
	same variables from-ring &&
	jq -r "[.file, .line] | @csv" e >e.places &&
	jq -r "[.file, .line] | @csv" from-ring >r.places &&
	test_cmp e.places r.places
'

# The fastest path begins once the clock has a scale, after a millisecond.
test_expect_success 'thousands of events from the same call sites are the same in a ring as in a file' '
	run often GIT_TRACE2_RING_SIZE=4m &&
	test_line_count -gt 10000 from-ring &&
	same e from-ring &&
	test_grep "\"t_rel\":[0-9.]" from-ring &&
	test_grep ! "\"t_rel\":\([6-9]\|[0-9][0-9]\)[0-9]" from-ring
'

test_expect_success 'events from a ring show secrets in constants only if redaction is off' '
	run constants GIT_TRACE2_REDACT=0 &&
	grep "me:secret@host" from-ring &&
	same e from-ring &&
	run constants &&
	! grep "secret" from-ring
'

test_expect_success 'the file of a ring has secrets in constants only if redaction is off' '
	run constants &&
	! grep -a "secret@" r &&
	run constants GIT_TRACE2_REDACT=0 &&
	grep -a "secret@" r
'

test_expect_success 'a brief ring has no file and line' '
	run constants GIT_TRACE2_RING_BRIEF=1 &&
	! shorts r &&
	! jq -e "select(.line != 0)" from-ring
'

test_expect_success 'events of call sites beyond the table of a ring are written as long records' '
	run many GIT_TRACE2_RING_SIZE=4m &&
	same e from-ring &&
	nr=$(shorts r) &&
	test "$nr" -gt 1000 &&
	test "$nr" -lt 6000
'

test_expect_success 'the ring of a forked child has a separate table of call sites' '
	rm -rf rings && mkdir rings &&
	GIT_TRACE2_RING="$(pwd)/rings" "$sites" fork &&
	ls rings/* >list &&
	test_line_count = 2 list &&
	for ring in rings/*
	do
		test "$(shorts "$ring")" -gt 10 &&
		trace2 script --git-event "$ring" >from-ring &&
		grep "\"category\":\"category\",\"label\":\"label\"" from-ring ||
		return 1
	done
'

test_expect_success 'regions too deep for a short record are written as long ones' '
	run deep GIT_TRACE2_RING_SIZE=4m &&
	same e from-ring &&
	nr=$(shorts r) &&
	test "$nr" -gt 30000 &&
	test "$nr" -lt 32800
'

test_expect_success 'a region entered at a call site may be left by trace2_region_leave_fl()' '
	run mixed &&
	same e from-ring
'

test_expect_success 'a damaged table of call sites loses names, but no event' '
	run constants &&
	cp r bad &&
	# strings_used
	at=$(test-tool ring where strings_used) &&
	printf "\100\000\000\000\000\000\000\000" |
		dd of=bad bs=1 seek="$at" conv=notrunc 2>/dev/null &&
	trace2 script --git-event bad >from-bad 2>err &&
	test "$(wc -l <from-bad)" = "$(wc -l <from-ring)"
'

test_expect_success 'call sites whose strings are out of range have empty names, and lose no event' '
	run constants &&
	"$PERL_PATH" -0777 -pe \
		"s/(..\x33\x54.{16}).{4}/\$1\xf0\xff\xff\x7f/sg" r >bad &&
	! test_cmp r bad &&
	trace2 script --git-event bad >from-bad 2>err &&
	test "$(wc -l <from-bad)" = "$(wc -l <from-ring)" &&
	test_grep "\"category\":\"\",\"label\":\"\"" from-bad
'

test_expect_success 'call sites and counters may be defined at the same time' '
	for round in 1 2 3 4 5 6 7 8 9 10
	do
		rm -f r &&
		GIT_TRACE2_RING="$(pwd)/r" \
			"$GIT_BUILD_DIR/build/hosts/sites-and-metrics" &&
		trace2 script --git-event r >>from-rings || return 1
	done &&
	jq -r "select(.event == \"data\" and .category == \"sites\") |
		.key == .value" from-rings >equal &&
	test_line_count = 12010 equal &&
	test_grep ! false equal
'

test_done
