#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: event JSON for consumers of Git, and --redact'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-trace2.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

for trace in alias clone commit counters data error fetch gc nest push status timers
do
	test_expect_success "git-event: the stream of $trace comes back byte for byte" '
		trace2 export --to git-event "$TRACES/$trace.event" >actual &&
		sort "$TRACES/$trace.event" >expect &&
		sort actual >sorted &&
		test_cmp expect sorted
	'

done

# kinds FILE: how many events of each kind it has, sorted.
kinds () {
	awk '
		match($0, /"event":"[a-z_]*"/) { nr[substr($0, RSTART, RLENGTH)]++ }
		END { for (kind in nr) print nr[kind], kind | "sort" }
	' "$1"
}

# In the others a process forks and goes on in the middle of a region.
for trace in alias clone counters data error gc nest status timers
do
	test_expect_success "git-event: perf text of $trace becomes a valid stream" '
		trace2 export --to git-event "$TRACES/$trace.perf" >out.event &&
		expect_valid_stream --killed out.event &&
		kinds "$TRACES/$trace.event" >expect &&
		kinds out.event >actual &&
		test_file_not_empty expect &&
		test_cmp expect actual
	'
done

test_expect_success 'git-event: missing times are added, and members put in the order of Git' '
	cat >odd.event <<-\EOF &&
	{"sid":"20261121T090000.000000Z-H0a7c9cdf-P00000064", "event":"version", "thread":"main","time":"2026-11-21T09:00:00.000000Z","evt":"4","exe":"1"}
	{"event":"start","sid":"20261121T090000.000000Z-H0a7c9cdf-P00000064","thread":"main","t_abs":0.5,"argv":["x", "y"],"new":{"a": [1, 2]}}
	EOF
	test_prints trace2 export --to git-event odd.event 2>err <<-\EOF
	{"event":"version","sid":"20261121T090000.000000Z-H0a7c9cdf-P00000064","thread":"main","time":"2026-11-21T09:00:00.000000Z","evt":"4","exe":"1"}
	{"event":"start","sid":"20261121T090000.000000Z-H0a7c9cdf-P00000064","thread":"main","time":"2026-11-21T09:00:00.000000Z","t_abs":0.500000,"argv":["x","y"],"new":{"a":[1,2]}}
	EOF
'

test_expect_success 'git-event: filters select what is exported' '
	trace2 export --to git-event --cmd helper "$MIX" >actual &&
	grep P00000066 "$MIX" >expect &&
	test_cmp expect actual
'

for to in chrome folded otlp "otlp --compat trace2receiver" "csv --table sessions" \
	"csv --table events" git-event
do
	test_expect_success "export --redact hides secrets: $to" '
		trace2 export --to $to "$MIX" >open &&
		trace2 export --to $to --redact "$MIX" >hidden &&
		test_grep ! -e hunter2 -e s3cr3t hidden &&
		if test "$to" != folded
		then
			test_grep -e hunter2 -e s3cr3t open &&
			test_grep "<REDACTED>" hidden
		fi
	'
done

test_expect_success SQLITE3 'export --redact hides secrets: sqlite' '
	trace2 export --to sqlite -o open.db "$MIX" &&
	trace2 export --to sqlite -o hidden.db --redact "$MIX" &&
	sqlite3 open.db .dump >open &&
	sqlite3 hidden.db .dump >hidden &&
	test_grep hunter2 open &&
	test_grep s3cr3t open &&
	test_grep ! -e hunter2 -e s3cr3t hidden
'

test_expect_success 'export --redact hides secrets: perf text' '
	printf "%s\n" "d0 | main                     | version      |     |           |           |              | 1" \
		"d0 | main                     | start        |     |  0.001000 |           |              | x https://joe:hunter2@example.com/" \
		"d0 | main                     | def_param    |     |           |           | scope:global | remote.token:s3cr3t" >x.perf &&
	trace2 export --to git-event x.perf >open 2>err &&
	test_grep hunter2 open &&
	test_grep s3cr3t open &&
	trace2 export --to git-event --redact x.perf >hidden 2>err &&
	test_grep ! -e hunter2 -e s3cr3t hidden
'

test_done
