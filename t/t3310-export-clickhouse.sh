#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: rows for a ClickHouse server

The server is a stand-in, which keeps rows and fails on request; t3311 uses a
real one.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_skip_unless LIBCURL 'built without libcurl'
SQ=\'
sane_unset CLICKHOUSE_USER CLICKHOUSE_PASSWORD

# server [TABLE=FAULT...]: start a new one, without rows; its URL is in $url.
server () {
	rm -rf server &&
	mkdir server &&
	start_server "$@"
}
start_server () {
	rm -f server/port &&
	{ "$PERL_PATH" "$TEST_DIRECTORY"/t3310/stand-in.perl server "$@" \
		>server.out 2>&1 & } &&
	server_pid=$! &&
	wait_until test -e server/port &&
	url=http://127.0.0.1:$(cat server/port)
}
stop () {
	kill "$server_pid"
	wait "$server_pid" || :
}
load () {
	trace2 export --to clickhouse --url "$url" "$@"
}
# Print the rows of each table, and how many of them are different.
counts () {
	set -- &&
	for name in $TABLES
	do
		test ! -e "server/$name" || set -- "$@" "server/$name" || return 1
	done &&
	awk '
		FNR == 1 { tables[++nr] = FILENAME }
		{ rows[nr]++ }
		!seen[nr, $0]++ { different[nr]++ }
		END {
			for (i = 1; i <= nr; i++) {
				sub("server/", "", tables[i])
				print tables[i], rows[i], different[i]
			}
		}
	' "$@" /dev/null
}

cat >once <<-\EOF
processes 3 3
sessions 2 2
threads 3 3
spans 5 5
events 3 3
data 1 1
timers 1 1
counters 2 2
EOF

test_expect_success 'clickhouse: threads are sent first, sessions last, and rows have day and host' '
	server &&
	test_when_finished stop &&
	load "$MIX" 2>err &&
	echo "[ trace2 export: 3 processes, 2 sessions, 20 rows -> $url, database trace2; 0 sessions were there ]" \
		>expect &&
	test_cmp expect err &&
	counts >actual &&
	test_cmp once actual &&
	test_write_lines 1 3 4 5 2 | sed "s/^/2026-11-21	H0a7c9cdf	/" |
	test_prints cut -f1,2,5 server/spans &&
	sed -n "s/^insert //p" server/log >actual &&
	test_write_lines "threads 3" "processes 3" "spans 5" "events 3" "data 1" "timers 1" \
		"counters 2" "sessions 2" >expect &&
	test_cmp expect actual &&
	test_line_count = 23 server/schema.sql &&
	test_grep "ReplacingMergeTree(revision) PARTITION BY day ORDER BY (host, unit, row)" \
		server/schema.sql
'

test_expect_success 'clickhouse: tables have the columns of csv' '
	server &&
	test_when_finished stop &&
	load "$MIX" &&
	for table in $TABLES
	do
		trace2 export --to csv --table $table "$MIX" >csv &&
		read -r header <csv &&
		echo "$table $header" || return 1
	done >headers &&
	sort headers >expect &&
	cat >columns.perl <<-\EOF &&
	while (<>) {
		my ($table, $columns) = /^CREATE TABLE IF NOT EXISTS `trace2`\.`(\w+)` \((.*)/
			or next;
		my @own = map { / ALIAS / || !/^`?([a-z_]*)` [A-Z]/ ? () : $1 }
			split /, (?=`)/, $columns;
		splice @own, 0, 6;
		print "$table ", join(",", @own), "\n" if @own > 4;
	}
	EOF
	"$PERL_PATH" columns.perl server/schema.sql >columns &&
	sort columns >actual &&
	test_cmp expect actual
'

test_expect_success 'clickhouse: text is sent unchanged' '
	server &&
	test_when_finished stop &&
	cat >sed.odd <<-\EOF &&
	s/from \\"a\\", b/\\ta\\tb\\nc\\\\d/
	EOF
	sed -f sed.odd "$MIX" >odd.event &&
	cat >expect <<-\EOF &&
	\ta\tb\nc\\d
	EOF
	load odd.event &&
	cut -f14 server/spans | grep -x -F -f expect >actual &&
	test_cmp expect actual &&
	test_grep "	18446744073709551615	" server/counters
'

test_expect_success 'clickhouse: a second export sends nothing' '
	server &&
	test_when_finished stop &&
	load "$MIX" &&
	load "$MIX" 2>err &&
	test_grep "0 sessions, 0 rows .* 2 sessions were there" err &&
	counts >actual &&
	test_cmp once actual
'

# The first table, one in the middle and the last have faults; with
# GIT_TEST_LONG each table has both faults.
faults="threads=refuse spans=lose sessions=refuse sessions=lose"
test_have_prereq !EXPENSIVE || faults=$(for table in threads spans events data timers counters sessions
do
	echo "$table=refuse $table=lose"
done)
test_expect_success 'clickhouse: an interrupted export is completed by the next' '
	for fault in $faults
	do
		server $fault &&
		test_expect_code 128 trace2 export --to clickhouse \
			--url $url "$MIX" 2>err &&
		test_grep "127.0.0.1" err &&
		trace2 export --to clickhouse --url $url "$MIX" &&
		stop &&
		counts >actual &&
		test_cmp once actual || return 1
	done
'

test_expect_success 'clickhouse: rows of states are numbered from 1 for each process' '
	made kernel <"$TEST_DIRECTORY"/t3300/states.records &&
	server &&
	test_when_finished stop &&
	load kernel 2>err &&
	echo "[ trace2 export: 3 processes, 0 sessions, 19 rows -> $url, database trace2; 0 sessions were there ]" \
		>expect &&
	test_cmp expect err &&
	test_prints counts <<-\EOF &&
	recordings 1 1
	processes 3 3
	kernel_threads 3 3
	states 12 12
	EOF
	cut -f 5 server/states | sort -n | uniq -c | awk "{ print \$1, \$2 }" |
		head -n 1 >actual &&
	echo 3 1 | test_cmp - actual
'

test_expect_success 'clickhouse: a request to a busy server is repeated without doubling rows' '
	for fault in busy unsure parts
	do
		server spans=$fault &&
		load "$MIX" &&
		stop &&
		counts >actual &&
		test_cmp once actual || return 1
	done
'

test_expect_success 'clickhouse: a session that continued is sent again with the keys of its rows' '
	server &&
	test_when_finished stop &&
	sed "/\"code\":1}/d; /wait.*both.*}/d" "$MIX" >cut.event &&
	load cut.event &&
	load "$MIX" &&
	test_line_count = 3 server/sessions &&
	cut -f1-5 server/sessions | sort -u >actual &&
	test_line_count = 2 actual &&
	cut -f1-5 server/spans | sort -u >actual &&
	test_line_count = 5 actual &&
	load cut.event &&
	load "$MIX" &&
	test_line_count = 3 server/sessions
'

test_expect_success 'clickhouse: a running session is sent again only if it has more events' '
	server &&
	test_when_finished stop &&
	sed "/\"code\":1}/d" "$MIX" >more.event &&
	sed "/wait.*both.*}/d" more.event >less.event &&
	load less.event &&
	load more.event 2>err &&
	test_grep "^. trace2 export: 0 processes, 1 sessions, .* 1 sessions were there" err &&
	load less.event 2>err &&
	test_grep "^. trace2 export: 0 processes, 0 sessions, 0 rows" err
'

test_expect_success 'clickhouse: parents and children may be exported separately' '
	server &&
	test_when_finished stop &&
	grep P00000066 "$MIX" >child.event &&
	load child.event &&
	load "$MIX" &&
	parent=$(sed -n "s/^[^	]*	[^	]*	[^	]*	\([0-9]*\)	.*	prog work	.*/\1/p; s/^[^	]*	[^	]*	[^	]*	\([0-9]*\)	.*opt.bin.prog work.*/\1/p" \
		server/sessions | sort -u) &&
	test -n "$parent" &&
	cut -f10 server/sessions | grep -c -x "$parent" >actual &&
	echo 2 | test_cmp - actual
'

test_expect_success 'clickhouse: a recording that is exported twice sends its processes once' '
	server &&
	test_when_finished stop &&
	trace2 record -o rec -- sh -c "trace2 version; trace2 version" &&
	load rec &&
	load rec &&
	trace2 export --to csv --table processes rec >processes.csv &&
	counts >actual &&
	nr=$(($(wc -l <processes.csv) - 1)) &&
	test $nr -gt 2 &&
	test_grep "^processes $nr $nr\$" actual
'

test_expect_success 'clickhouse: a cluster gets local and distributed tables' '
	server &&
	test_when_finished stop &&
	load --cluster two --database fleet "$MIX" &&
	test_line_count = 39 server/schema.sql &&
	test_grep "CREATE TABLE IF NOT EXISTS .fleet.\..spans. AS .fleet.\..spans_local. ENGINE = Distributed(.two., .fleet., .spans_local., tree)" \
		server/schema.sql &&
	load --database fleet "$MIX" &&
	test_expect_code 128 trace2 export --to clickhouse --url $url \
		--cluster three --database fleet "$MIX" 2>err &&
	test_grep "not made for the cluster .three." err
'

# A server keeps one of several rows with one number.
test_expect_success 'clickhouse: no two rows of one table have the same key' '
	server &&
	test_when_finished stop &&
	load "$MIX" "$TEST_DIRECTORY"/t3300/spans.event &&
	counts >actual &&
	test_grep "^trace_spans 3 3$" actual &&
	for table in $TABLES
	do
		test ! -e server/$table ||
		cut -f 1,2,4,5 server/$table | sort | uniq -d || return 1
	done >double &&
	test_must_be_empty double
'

test_expect_success 'clickhouse: a database of another version is refused' '
	server &&
	test_when_finished stop &&
	echo "7	" >server/schema &&
	test_expect_code 128 trace2 export --to clickhouse --url $url \
		"$MIX" 2>err &&
	test_grep "has schema version 7, and this trace2 writes 1" err
'

# without_samples RINGS: as if nothing had been sampled.
without_samples () {
	perl -0777 -pi -e "
		my \$pid = substr \$_, 36, 4;
		s/\\x09\\0\\0\\0(..(?:..).{8}\\Q\$pid\\E)/\\xff\\xff\\x32\\x54\$1/sg;
	" "$1"/*
}

test_expect_success TREESUM 'clickhouse: samples are sent once, also when a session got more of them' '
	server &&
	test_when_finished stop &&
	mkdir rings tree &&
	for i in 1 2 3 4
	do
		echo x >tree/$i || return 1
	done &&
	GIT_TRACE2_SAMPLE=app/treesum/files/:1 GIT_TRACE2_RING="$(pwd)/rings" \
		"$GIT_BUILD_DIR/build/examples/treesum" -j 1 tree &&
	cp -R rings less &&
	without_samples less &&
	load less &&
	test_path_is_missing server/samples &&
	load rings &&
	counts >actual &&
	test_grep "^samples 4 4\$" actual &&
	load rings 2>err &&
	test_grep "0 sessions, 0 rows .* 1 sessions were there" err &&
	cut -f 5,10-12 server/samples >actual &&
	test_write_lines "1	app/treesum/files/:1	1	0" \
		"2	app/treesum/files/:1	1	0" \
		"3	app/treesum/files/:1	1	0" \
		"4	app/treesum/files/:1	1	0" >expect &&
	test_cmp expect actual
'

test_expect_success 'clickhouse: the user comes from the environment, and is not shown' '
	server &&
	test_when_finished stop &&
	CLICKHOUSE_USER=joe CLICKHOUSE_PASSWORD=hunter2 \
		trace2 export --to clickhouse --url $url "$MIX" &&
	test_grep "X-ClickHouse-User: joe" server/headers &&
	test_grep "X-ClickHouse-Key: hunter2" server/headers &&
	test_expect_code 128 trace2 export --to clickhouse \
		--url http://joe:hunter2@127.0.0.1:1 "$MIX" 2>err &&
	test_grep "cannot send to .http://.*127.0.0.1:1" err &&
	test_grep ! hunter2 err
'

test_expect_success 'clickhouse: unsupported options are refused' '
	test_expect_code 2 trace2 export --to clickhouse "$MIX" 2>err &&
	test_grep "needs --url" err &&
	test_expect_code 2 trace2 export --to clickhouse --url http://x \
		--database "a\`b" "$MIX" 2>err &&
	test_grep "invalid database name" err &&
	test_expect_code 2 trace2 export --to clickhouse --url http://x \
		--url http://y "$MIX" 2>err &&
	test_grep "several --url need --cluster" err &&
	test_expect_code 2 trace2 export --to otlp --url http://x \
		--url http://y "$MIX" 2>err &&
	test_grep "takes only one --url" err &&
	test_expect_code 2 trace2 export --to otlp --url http://x \
		--cluster two "$MIX" 2>err &&
	test_grep "cluster needs --to=clickhouse" err
'

test_done
