#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: into a real ClickHouse, one server and two shards'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh
. "$TEST_DIRECTORY"/lib-clickhouse.sh

test_skip_unless CLICKHOUSE 'clickhouse-server or libcurl is missing'
sane_unset CLICKHOUSE_USER CLICKHOUSE_PASSWORD
test_lazy_prereq CLICKHOUSE_CLIENT 'command -v clickhouse-client'

unchecked 'sessions of real ones, some of them cut' fleet.event more.event

page=$GIT_BUILD_DIR/Documentation/howto-fleet.adoc

stop () {
	kill -9 "$1" &&
	{ wait "$1" || :; }
}
test_atexit_servers () {
	kill -9 "$pid1" "$pid2" 2>/dev/null
	wait
}

test_expect_success 'setup: start two ClickHouse servers' '
	prepare_servers &&
	start_server s1 "$url1" &&
	pid1=$started &&
	start_server s2 "$url2" &&
	pid2=$started &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3310/fleet.perl 20 5 3 \
		"$TRACES"/*.event >fleet.event &&
	for name in ${TABLES#recordings }
	do
		trace2 export --to csv --table $name fleet.event >$name.csv &&
		nr=$("$PERL_PATH" -0777 -ne "s/\"[^\"]*\"//g; print tr/\n//" $name.csv) &&
		printf "$name\\t%d\\n" $((nr - 1)) || return 1
	done >expect &&
	test_grep "^spans	[0-9][0-9][0-9]" expect
'

test_expect_success 'clickhouse server: a second export of the same streams adds no row' '
	trace2 export --to clickhouse --url "$url1" --database one fleet.event &&
	counts "$url1" one >actual &&
	test_cmp expect actual &&
	trace2 export --to clickhouse --url "$url1" --database one fleet.event &&
	counts "$url1" one >actual &&
	test_cmp expect actual &&
	ask "$url1" "SELECT category, label, sum(duration_ns), max(self_ns)
		FROM one.spans WHERE kind = '\''region'\''
		GROUP BY category, label ORDER BY category, label" >regions &&
	test_line_count -gt 10 regions &&
	ask "$url1" "SELECT uniqExact(day), uniqExact(host) FROM one.sessions" >days &&
	echo "3	5" >expect.days &&
	test_cmp expect.days days &&
	ask "$url1" "SELECT count() FROM one.sessions
		WHERE toDate(start) != day" >days &&
	echo 0 >expect.days &&
	test_cmp expect.days days
'

test_expect_success 'clickhouse server: a second export of a recording does not change the views' '
	made kernel <"$TEST_DIRECTORY"/t3300/states.records &&
	for i in 1 2
	do
		trace2 export --to clickhouse --url "$url1" --database kernel \
			kernel || return 1
	done &&
	ask "$url1" "SELECT comm, any(life), sum(duration_ns) FROM kernel.states
		ANY LEFT JOIN (SELECT id AS kernel_thread_id, comm,
		duration_ns AS life FROM kernel.kernel_threads)
		USING kernel_thread_id GROUP BY comm ORDER BY comm" >actual &&
	test_write_lines "reader	76000	76000" "top	90000	90000" \
		"writer	55000	55000" >expect &&
	test_cmp expect actual &&
	test_prints ask "$url1" "SELECT recording, kind, cause, by, count, ms
		FROM kernel.waits ORDER BY ms" <<-\EOF &&
	2023-11-14T22:13:20.000000Z-	reader	pipe	writer	1	0.04
	2023-11-14T22:13:20.000000Z-	top	child	reader	1	0.073
	EOF
	test_write_lines "reader	1	0.04" "top	1	0.073" "writer	1	0" |
	test_prints ask "$url1" "SELECT kind, processes, wait_ms FROM kernel.kinds
		ORDER BY kind"
'

test_expect_success TREESUM 'clickhouse server: samples exported twice are the same rows as in csv' '
	mkdir rings tree &&
	for i in 1 2 3 4
	do
		echo x >tree/$i || return 1
	done &&
	GIT_TRACE2_SAMPLE=app/treesum/files/:1 GIT_TRACE2_RING="$(pwd)/rings" \
		"$GIT_BUILD_DIR/build/examples/treesum" -j 1 tree &&
	trace2 export --to csv --table samples rings |
		sed "1d; s/^[^,]*,[^,]*,//; s/\\(,[^,]*\\)\\{4\\}\$//" >expect.samples &&
	test_line_count = 4 expect.samples &&
	trace2 export --to clickhouse --url "$url1" --database before rings &&
	trace2 export --to clickhouse --url "$url1" --database before rings &&
	ask "$url1" "SELECT time_ns, event, count, is_time, function, stack
		FROM before.samples ORDER BY row" | tr "\t" , >actual &&
	test_cmp expect.samples actual
'

test_expect_success TREESUM 'clickhouse server: a second export to a cluster adds no samples' '
	trace2 export --to clickhouse --cluster two --url "$url1" --url "$url2" \
		--database spread rings &&
	trace2 export --to clickhouse --url "$url1" --database spread rings &&
	ask "$url2" "SELECT count() FROM spread.samples" >actual &&
	echo 4 >expect.spread &&
	test_cmp expect.spread actual
'

test_expect_success 'clickhouse server: a session that continued is one row with FINAL' '
	sed "/\"code\":1}/d; /wait.*both.*}/d" "$MIX" >cut.event &&
	trace2 export --to clickhouse --url "$url1" --database on cut.event &&
	trace2 export --to clickhouse --url "$url1" --database on "$MIX" &&
	ask "$url1" "SELECT end, code FROM on.sessions FINAL ORDER BY code" >actual &&
	test_write_lines "exit	1" "exit	3" >expect.on &&
	test_cmp expect.on actual &&
	ask "$url1" "SELECT count() FROM on.spans FINAL" >actual &&
	echo 5 >expect.on &&
	test_cmp expect.on actual
'

test_expect_success 'clickhouse server: an export repeated after a shard failed gives each row once' '
	trace2 export --to clickhouse --cluster two --url "$url1" --url "$url2" \
		--database two "$MIX" &&
	ask "$url2" "RENAME TABLE two.spans_local TO two.gone" &&
	test_expect_code 128 trace2 export --to clickhouse --url "$url1" \
		--database two fleet.event 2>err &&
	test_grep "answered [45][0-9][0-9]: Code: .*two.spans_local" err &&
	ask "$url1" "SELECT count() FROM two.threads" >threads &&
	ask "$url1" "SELECT count() FROM two.sessions" >sessions &&
	test "$(cat threads)" -gt 200 &&
	test "$(cat sessions)" = 2 &&
	ask "$url2" "RENAME TABLE two.gone TO two.spans_local" &&
	trace2 export --to clickhouse --url "$url1" --database two \
		fleet.event "$MIX" &&
	trace2 export --to clickhouse --url "$url1" --database both \
		fleet.event "$MIX" &&
	counts "$url1" both >expect.two &&
	counts "$url1" two >actual &&
	test_cmp expect.two actual &&
	ask "$url1" "SELECT count() > 20 FROM two.sessions_local" >some &&
	ask "$url2" "SELECT count() > 20 FROM two.sessions_local" >>some &&
	test_write_lines 1 1 >expect.some &&
	test_cmp expect.some some
'

test_expect_success 'clickhouse server: an export without a shard fails, and a later one completes it' '
	"$PERL_PATH" "$TEST_DIRECTORY"/t3310/fleet.perl 3 2 1 "$TRACES"/*.event |
		sed s/Z-Ha/Z-Hb/g >more.event &&
	counts "$url1" two >before &&
	stop "$pid2" &&
	test_expect_code 128 trace2 export --to clickhouse --url "$url1" \
		--database two more.event 2>err &&
	test_grep "$url1. answered [45][0-9][0-9]: Code: " err &&
	start_server s2 "$url2" &&
	pid2=$started &&
	counts "$url1" two >actual &&
	test_cmp before actual &&
	trace2 export --to clickhouse --url "$url1" --database two more.event &&
	trace2 export --to clickhouse --url "$url1" --database both more.event &&
	counts "$url1" both >expect &&
	counts "$url1" two >actual &&
	test_cmp expect actual
'

# Streams like those for which the page was written: of the commands of Git, and
# as many of each.
test_expect_success 'clickhouse server: the queries of howto-fleet give the answers shown' '
	for name in alias clone commit error fetch gc push status
	do
		echo "$TRACES/$name.event" || return 1
	done >files &&
	tr "\n" "\0" <files |
		xargs -0 "$PERL_PATH" "$TEST_DIRECTORY"/t3310/fleet.perl 6 2 3 |
		trace2 export --to clickhouse --cluster two --url "$url1" \
			--url "$url2" --database trace2 - &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3310/page.perl "$page" questions &&
	test_line_count -gt 4 questions &&
	while read -r nr
	do
		ask "$url1" "$(cat "question.$nr") FORMAT TSVWithNames" >answer &&
		"$PERL_PATH" "$TEST_DIRECTORY"/t3310/page.perl --shape \
			"	" <answer >actual &&
		"$PERL_PATH" "$TEST_DIRECTORY"/t3310/page.perl --shape \
			"  +" <"answer.$nr" >expect &&
		test_line_count -gt 1 expect &&
		test_cmp expect actual || return 1
	done <questions
'

# The port for the client is not the port for HTTP.
client_of () {
	port=$(sed -n "s/.*<tcp_port>\([0-9]*\)<.*/\1/p" "$1"/config.xml) &&
	test -n "$port" &&
	write_script bin/clickhouse-client <<-EOF
	exec $(command -v clickhouse-client) --host 127.0.0.1 --port $port "\$@"
	EOF
}

test_expect_success CLICKHOUSE_CLIENT 'clickhouse server: the command in howto-fleet drops one day from all tables' '
	sed -n "/^    \\$ clickhouse-client/,/^\$/p" "$page" |
		sed -e "s/^    \\$ //" \
		    -e "s/today() - 90/toDate('\''2026-11-20'\'')/" >drop &&
	test_grep "toDate(.2026-11-20.)" drop &&
	days="SELECT table, partition FROM system.parts WHERE active AND
		database = '\''trace2'\'' AND rows > 0
		GROUP BY table, partition ORDER BY table, partition" &&
	mkdir bin &&
	real=$PATH &&
	for shard in s1 s2
	do
		case $shard in
		s1) url=$url1 ;;
		s2) url=$url2 ;;
		esac &&
		ask "$url" "$days" >before &&
		grep -v 2026-11-19 before >expect &&
		test_grep "^spans_local	2026-11-19" before &&
		test_grep "^schema	" before &&
		client_of $shard &&
		PATH=$PWD/bin:$real sh -e drop &&
		ask "$url" "$days" >actual &&
		test_cmp expect actual &&
		rm bin/clickhouse-client || return 1
	done &&
	echo 0 | test_prints ask "$url1" "SELECT count() FROM trace2.sessions
		WHERE toDate(start) < '\''2026-11-20'\''"
'

# Older servers do not know the keyword.
test_expect_success 'clickhouse server: days expire as howto-fleet says' '
	sed -n "s/^    \(ALTER TABLE .* MODIFY TTL .*\)/\1/p" "$page" |
		sed -e "s/spans/spans_local/" -e "s/90 DAY/1 DAY/" >ttl &&
	test_line_count = 1 ttl &&
	ask "$url1" "SELECT toUInt16(splitByChar('\''.'\'', version())[1]) * 100 +
		toUInt16(splitByChar('\''.'\'', version())[2]) >= 1906" >knows &&
	case "$(cat knows)" in
	1)
		ask "$url1" "$(cat ttl)" &&
		ask "$url1" "OPTIMIZE TABLE trace2.spans_local FINAL" &&
		ask "$url1" "SELECT count() FROM trace2.spans_local" >actual &&
		echo 0 | test_cmp - actual
		;;
	0)
		! ask "$url1" "$(cat ttl)" >answer &&
		test_grep "Syntax error.*TTL day" answer
		;;
	*)
		return 1
		;;
	esac
'

test_atexit_servers
test_done
