#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: the table of samples (csv, sqlite)'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh
. "$TEST_DIRECTORY/lib-perf.sh"

test_skip_unless TREESUM 'the example is not built, or without symbols'

# summed LIST [PROGRAM]: one worker, so that the numbers are the same each time.
summed () {
	sampled "$1" "${2:-./treesum}" -j 1 tree >/dev/null
}

# samples INPUT: write its rows without the headings to samples.csv.
samples () {
	trace2 export --to csv --table samples "$1" >all.csv &&
	sed 1d all.csv >samples.csv
}

ask () {
	sqlite3 all.db "$1"
}

test_expect_success 'setup: record samples of treesum by files and time' '
	copy_treesum &&
	summed app/treesum/files/:4,app/treesum/read:ns/:1
'

test_expect_success 'csv of samples has a row with the count for each sample' '
	samples r &&
	test_prints head -n 1 all.csv <<-\EOF &&
	session_id,thread_id,time_ns,event,count,is_time,function,stack,readings,process_id,kernel_thread_id,recording
	EOF
	cut -d, -f1,2,4-6 samples.csv | grep files >actual &&
	test_write_lines "1,2,app/treesum/files/:4,4,0" \
		"1,2,app/treesum/files/:4,4,0" \
		"1,2,app/treesum/files/:4,4,0" >expect &&
	test_cmp expect actual &&
	cut -d, -f1,2,4,6 samples.csv | grep read >actual &&
	test_line_count -gt 1 actual &&
	! grep -v "^1,2,app/treesum/read:ns/:1,1\$" actual
'

# Both give functions the same names, or none.
test_expect_success SQLITE3 'totals by function are the same in sqlite as in report' '
	trace2 report --samples --format=json r >json &&
	jq -r ".callers[] | select(.depth == 1) |
		\"\(.event)|\(.function)|\(.count)|\(.samples)\"" json |
		sort >expect &&
	test_line_count -ge 2 expect &&
	trace2 export --to sqlite -o all.db r &&
	ask "SELECT event, function, sum(count), count(*) FROM samples
		GROUP BY event, function" | sort >actual &&
	test_cmp expect actual &&
	echo th01:sum | test_prints ask "SELECT DISTINCT t.name FROM samples s
		JOIN threads t ON t.id = s.thread_id" &&
	echo 0 | test_prints ask "SELECT count(*) FROM samples s JOIN sessions p
		ON p.id = s.session_id WHERE s.time_ns < p.start_ns
		OR s.time_ns > p.end_ns"
'

test_expect_success LIBDW 'the column stack goes from the outermost function to the sampled one' '
	samples r &&
	trace2 report --samples --format=json r >json &&
	jq -r "[.callers[] | select(.event == \"app/treesum/files/:4\" and
		.depth > 0) | .function] | \"\(.[0]),\(reverse | join(\";\"))\"" \
		json >expect &&
	grep "sum_files" expect &&
	grep files samples.csv | cut -d, -f7,8 | sort -u >actual &&
	test_cmp expect actual
'

test_expect_success SQLITE3 'sqlite has the same rows as csv' '
	samples r &&
	sed "s/,[^,]*\$//" samples.csv >expect &&
	sqlite3 -csv all.db "SELECT * FROM samples ORDER BY rowid" |
		tr -d "\r" | sed "s/,1\$//" >actual &&
	test_cmp expect actual
'

test_expect_success SQLITE3 'exporting again adds no duplicates, exporting another recording adds rows' '
	ask "SELECT session_id, count(*), sum(count) FROM samples" >expect &&
	trace2 export --to sqlite -o all.db r &&
	ask "SELECT session_id, count(*), sum(count) FROM samples" >actual &&
	test_cmp expect actual &&
	mv r one &&
	summed app/treesum/files/:6 &&
	trace2 export --to sqlite -o all.db r &&
	trace2 export --to sqlite -o all.db one r &&
	ask "SELECT session_id, event, sum(count), count(*) FROM samples
		WHERE event LIKE '\''%files%'\'' GROUP BY session_id" >actual &&
	test_write_lines "1|app/treesum/files/:4|12|3" \
		"2|app/treesum/files/:6|12|2" >expect &&
	test_cmp expect actual
'

test_expect_success 'samples of processes that a filter leaves out are not exported' '
	samples one &&
	test_file_not_empty samples.csv &&
	trace2 export --to csv --table samples -t 1h one >actual &&
	test_line_count = 1 actual
'

test_expect_success 'calls at addresses without code are [unknown]' '
	rm -rf nowhere &&
	cp -R r nowhere &&
	perl -0777 -pi -e "
		my \$pid = substr \$_, 36, 4;
		s/\\x0a\\0\\0\\0(..(?:..)\\Q\$pid\\E)/\\xff\\xff\\x32\\x54\$1/sg;
	" nowhere/* &&
	samples nowhere 2>err &&
	test_must_be_empty err &&
	cut -d, -f7,8 samples.csv | sort -u >actual &&
	grep "^\[unknown\],\[unknown\];\(\[unknown\];\)*\[unknown\]\$" actual &&
	test_line_count = 1 actual
'

test_expect_success LIBDW 'a function without a name is file+offset, and the reason is reported' '
	cp treesum "tree;sum" &&
	summed app/treesum/files/:4 "./tree;sum" &&
	rm "tree;sum" &&
	samples r 2>err &&
	grep ": no longer there" err >said &&
	test_line_count = 1 said &&
	cut -d, -f7 samples.csv | sort -u >actual &&
	grep "^tree:sum+0x[0-9a-f]*\$" actual &&
	test_line_count = 1 actual &&
	grep ";$(cat actual)," samples.csv
'

test_expect_success 'secrets in file names are redacted' '
	mkdir odd &&
	cp treesum "odd/password=hunter2" &&
	summed app/treesum/files/:4 "./odd/password=hunter2" &&
	rm "odd/password=hunter2" &&
	samples r &&
	grep hunter2 samples.csv &&
	trace2 export --to csv --redact --table samples r >hidden.csv &&
	test_line_count = 4 hidden.csv &&
	! grep hunter2 hidden.csv
'

test_expect_success SQLITE3,KERNEL_EVENTS 'perf prints the values of a group' '
	rm -f all.db &&
	summed "{app/treesum/files/:4,page-faults,app/treesum/bytes/}" &&
	trace2 export --to sqlite -o all.db r &&
	ask "SELECT readings FROM samples" >readings &&
	test_prints jq -c "[.\"app/treesum/files/:4\", (.\"page-faults\" | type)]" \
		readings <<-\EOF
	[4,"number"]
	[8,"number"]
	[12,"number"]
	EOF
'

test_expect_success CC,TASKS,LIBDW,SQLITE3 'samples of a process without Trace2 are exported' '
	"${CC:-cc}" -O2 -g -fno-omit-frame-pointer -o hot \
		"$TEST_DIRECTORY/t3160/hot.c" &&
	trace2 record -o kernel --profile -- ./hot &&
	trace2 export --to sqlite -o kernel.db kernel &&
	trace2 export --to sqlite -o kernel.db kernel &&
	sqlite3 kernel.db "SELECT count(*) - count(DISTINCT time_ns),
		count(*) - count(process_id), max(session_id),
		count(*) > 0 FROM samples" >actual &&
	echo "0|0|0|1" | test_cmp - actual &&
	sqlite3 kernel.db "SELECT kind FROM functions LIMIT 1" >actual &&
	echo hot | test_cmp - actual
'

test_done
