#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: tables (csv, sqlite)'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh

test_expect_success 'csv has a header, rows, and quotes' '
	trace2 export --to csv "$MIX" >out.csv &&
	! grep -q "$CR" out.csv &&
	test_prints cut -d, -f1-7 out.csv <<-\EOF &&
	id,session_id,thread_id,parent_id,kind,category,label
	1,1,1,,region,load,all
	3,1,1,,child,,
	4,1,1,,child,,
	5,1,1,,region,wait,both
	2,1,2,,region,read,file
	EOF
	test_grep ",\"from \"\"a\"\", b\"," out.csv
'

test_expect_success 'csv has every table' '
	for table in recordings processes kernel_threads states sessions threads \
		spans events data timers counters samples
	do
		trace2 export --to csv --table $table "$MIX" >$table.csv &&
		echo "$table $(wc -l <$table.csv | tr -d " ")" || return 1
	done >actual &&
	test_cmp - actual <<-\EOF &&
	recordings 2
	processes 4
	kernel_threads 1
	states 1
	sessions 3
	threads 4
	spans 6
	events 4
	data 2
	timers 2
	counters 3
	samples 1
	EOF
	test_grep "^1,,read,blocks,18446744073709551615" counters.csv
'

test_expect_success 'csv: regions, events and data have their source lines and repositories' '
	sed -e "s/\"line\":4,/&\"repo\":1,/" -e "s/\"line\":6,/&\"repo\":2,/" \
		-e "s/\"line\":9,/&\"repo\":3,/" "$MIX" >repos.event &&
	for table in spans events data
	do
		trace2 export --to csv --table $table repos.event >out.csv &&
		"$PERL_PATH" -MText::ParseWords -ne "
			chomp;
			my @c = map { \$_ // q() } parse_line(q(,), 0, \$_);
			@at{@c} = 0 .. \$#c, next if \$. == 1;
			print qq($table \$c[\$at{line}] \$c[\$at{repo}]\n) if \$c[\$at{repo}];
		" out.csv || return 1
	done >actual &&
	test_write_lines "spans 6 2" "events 4 1" "data 9 3" | test_cmp - actual
'

test_expect_success 'csv: an unknown table is answered with the names of all' '
	test_expect_code 2 trace2 export --to csv --table nodes "$MIX" 2>err &&
	test_grep "recordings|processes|.*|sessions|threads|spans|trace_spans|events" err
'

test_expect_success 'the manual page names every table' '
	sed -n "s/.*it takes //p" err | tr "|" "\n" >names &&
	nr=$(grep -c ^TR2_TABLE "$GIT_BUILD_DIR"/tool/export/tables.def) &&
	test_line_count = $nr names &&
	while read -r table
	do
		grep -F "\`$table\`" "$GIT_BUILD_DIR"/Documentation/trace2-export.adoc ||
		return 1
	done <names
'

counts () {
	for table in sessions threads spans events data timers counters
	do
		echo "$table $(sqlite3 "$1" "select count(*) from $table")"
	done
}

test_expect_success SQLITE3 'sqlite has the same rows as csv' '
	trace2 export --to sqlite -o mix.db "$MIX" &&
	test_prints counts mix.db <<-\EOF &&
	sessions 2
	threads 3
	spans 5
	events 3
	data 1
	timers 1
	counters 2
	EOF
	sqlite3 -csv -header mix.db "select * from spans order by rowid" |
		tr -d "\r" | cut -d, -f1-7 | sort >actual &&
	trace2 export --to csv "$MIX" | cut -d, -f1-7 | sort >expect &&
	test_cmp expect actual &&
	test "$(sqlite3 mix.db "pragma user_version; select version from schema")" = "1
1" &&
	test "$(sqlite3 mix.db "pragma integrity_check")" = ok
'

# Session 0 of a sample is none.
test_expect_success SQLITE3 'sqlite: each id that a row refers to exists in its table' '
	made kernel <"$TEST_DIRECTORY"/t3300/states.records &&
	trace2 export --to sqlite -o all.db kernel "$MIX" &&
	for to in process kernel_thread session thread span parent
	do
		for table in $TABLES
		do
			case $to in
			parent) of=$table ;;
			process) of=processes ;;
			*) of=${to}s ;;
			esac &&
			if ids=$(sqlite3 all.db "select ${to}_id from $table
				where ${to}_id is not null and ${to}_id <> 0 and
				${to}_id not in (select id from $of)" 2>err)
			then
				echo "$table.${to}_id" $ids
			else
				grep "no such column" err >no || return 1
			fi || return 1
		done || return 1
	done >actual &&
	test_line_count -gt 15 actual &&
	test_grep ! " " actual &&
	test "$(sqlite3 all.db "select count(*) from states")" -gt 5
'

test_expect_success SQLITE3 'sqlite: a second export adds no row twice' '
	counts mix.db >expect &&
	trace2 export --to sqlite -o mix.db "$MIX" &&
	counts mix.db >actual &&
	test_cmp expect actual &&
	test_prints sqlite3 mix.db "select tree, ms, spawn_ms, code from process_tree" <<-\EOF
	work|20.0||1
	  helper|8.0||0
	  helper|4.0|2.0|3
	EOF
'

test_expect_success SQLITE3 'sqlite: a later export completes a session that was open' '
	test_when_finished "rm -f cut.db" &&
	sed "/\"code\":1}/d; /wait.*both.*}/d" "$MIX" >cut.event &&
	trace2 export --to sqlite -o cut.db cut.event &&
	test "$(sqlite3 cut.db "select end from sessions order by id")" = "open
exit" &&
	trace2 export --to sqlite -o cut.db "$MIX" &&
	test "$(sqlite3 cut.db "select end, code from sessions order by id")" = "exit|1
exit|3" &&
	test "$(sqlite3 cut.db "select count(*) from spans")" = 5
'

test_expect_success SQLITE3 'sqlite: a child that was exported before the parent is joined to it' '
	test_when_finished "rm -f apart.db" &&
	grep P00000066 "$MIX" >child.event &&
	grep -v P00000066 "$MIX" >parent.event &&
	trace2 export --to sqlite -o apart.db child.event &&
	trace2 export --to sqlite -o apart.db parent.event &&
	sqlite3 apart.db "select c.name, p.name from sessions c
		join sessions p on p.id = c.parent_id" >actual &&
	echo "helper|work" | test_cmp - actual
'

# Typical queries over ten recordings.
test_expect_success SQLITE3 'sqlite: the three queries of the manual give the expected answers' '
	for trace in alias clone commit data error fetch gc nest push status
	do
		trace2 export --to sqlite -o ten.db "$TRACES/$trace.event" ||
		return 1
	done &&
	sqlite3 ten.db "select category, label, ms, process from slowest_regions
		limit 10" >actual &&
	test_line_count = 10 actual &&
	head -n 1 actual >first &&
	jq -r -n "[inputs | select(.event == \"region_leave\") | .t_rel * 1000]
		| max" "$TRACES"/alias.event "$TRACES"/clone.event \
		"$TRACES"/commit.event "$TRACES"/data.event "$TRACES"/error.event \
		"$TRACES"/fetch.event "$TRACES"/gc.event "$TRACES"/nest.event \
		"$TRACES"/push.event "$TRACES"/status.event >longest &&
	test_grep -F "|$(cat longest)|" first &&
	sqlite3 ten.db "select process, code from failures" >actual &&
	jq -r "select(.event == \"atexit\" and .code != 0) | .code" \
		"$TRACES"/*.event >codes &&
	test $(wc -l <codes) = $(wc -l <actual) &&
	test_file_not_empty actual &&
	test "$(sqlite3 ten.db "select count(*) > 0 and min(share) >= 0 and
		max(share) <= 1 from spawn_overhead")" = 1
'

# The log of valgrind is a growing file, too.
test_expect_success SQLITE3,!UNDER_VALGRIND 'sqlite: a failed export removes a new file, and no other file' '
	mkfifo pipe &&
	test_expect_code 128 trace2 export --to sqlite -o pipe "$MIX" 2>err &&
	test_cmp - err <<-\EOF &&
	trace2: cannot write '\''pipe'\'': not a regular file
	EOF
	test -p pipe &&
	>mine &&
	ln -s mine link &&
	(
		ulimit -f 1 &&
		trap "" XFSZ &&
		test_expect_code 128 trace2 export --to sqlite -o link "$MIX" &&
		test_expect_code 128 trace2 export --to sqlite -o new "$MIX"
	) &&
	test_path_is_symlink link &&
	test_path_is_file mine &&
	test_path_is_missing new
'

test_expect_success SQLITE3 'sqlite: databases of other programs are refused, and unchanged' '
	sqlite3 other.db "create table mine(x)" &&
	cp other.db before &&
	test_expect_code 128 trace2 export --to sqlite -o other.db "$MIX" 2>err &&
	test_grep "other.db. is a database of another program" err &&
	test_cmp_bin before other.db &&
	sqlite3 mix.db "pragma user_version = 7" &&
	test_expect_code 128 trace2 export --to sqlite -o mix.db "$MIX" 2>err &&
	test_grep "has schema version 7, and this trace2 writes 1" err &&
	echo "this is a text, and long enough not to be taken for something" >text.db &&
	test_expect_code 128 trace2 export --to sqlite -o text.db "$MIX" 2>err &&
	test_grep "cannot write .text.db.: file is not a database" err
'

test_expect_success SQLITE3,!UNDER_VALGRIND 'sqlite: a failed export leaves no new database' '
	(
		ulimit -f 20 &&
		trap "" XFSZ &&
		test_expect_code 128 trace2 export --to sqlite -o big.db \
			"$TRACES"/*.event 2>err
	) &&
	test_grep "cannot write .big.db." err &&
	test_path_is_missing big.db &&
	test_expect_code 128 trace2 export --to sqlite -o none/x.db "$MIX" 2>err &&
	test_grep "cannot write .none/x.db." err
'

test_done
