#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='report --samples and export --to perf: the calls that led to a count'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

test_lazy_prereq STRIP 'strip --version'

test_skip_unless TREESUM 'the example is not built, or without symbols'

# summed LIST: one worker, so that the numbers are the same each time.
summed () {
	sampled "$1" ./treesum -j 1 tree >/dev/null
}

test_expect_success 'setup: record samples of treesum' '
	copy_treesum &&
	summed app/treesum/files/:4
'

test_expect_success LIBDW 'report --samples shows functions with counts, and the callers of each' '
	trace2 report --samples r >out 2>err &&
	test_prints head -n 2 out <<-\EOF &&
	COUNT   SHARE  SAMPLES  COUNTED IN, CALLED BY
	   12  100.0%        3  app/treesum/files/:4
	EOF
	grep "12  100.0%        3  .* sum_files$" out &&
	! grep treesum err
'

test_expect_success LIBDW,JQ 'report --samples as JSON has depth, function and file' '
	trace2 report --samples --format=json r >json 2>err &&
	echo "app/treesum/files/:4 12 3 $(pwd)/treesum" |
	test_prints jq -r ".callers[] | select(.function == \"sum_files\") |
		\"\(.event) \(.count) \(.samples) \(.module)\"" json &&
	jq -e ".callees[0].depth == 0 and .callees[0].count == 12" json
'

# another_build FILE: change the build id of a program.
another_build () {
	perl -0777 -pi -e '
		s/(\x04\0{3}\x14\0{3}\x03\0{3}GNU\0)(.{20})/$1 . ~$2/se or
			die "no build id\n"
	' "$1"
}

# without_id FILE: hide the build id of a program from readers.
without_id () {
	perl -0777 -pi -e '
		s/(\x04\0{3}\x14\0{3})\x03(\0{3}GNU\0)/$1\x99$2/s or
			die "no build id\n"
	' "$1"
}

test_lazy_prereq BUILD_ID '
	cp "$TRASH_DIRECTORY/treesum" . &&
	another_build treesum
'
test_lazy_prereq OBJCOPY 'objcopy --version'

test_expect_success !MUSL 'report --samples joins calls at addresses without code as [unknown]' '
	cp -R r nowhere &&
	perl -0777 -pi -e "
		my \$pid = substr \$_, 36, 4;
		s/\\x0a\\0\\0\\0(..(?:..)\\Q\$pid\\E)/\\xff\\xff\\x32\\x54\$1/sg;
	" nowhere/* &&
	trace2 report --samples nowhere >out 2>err &&
	test_cmp - out <<-\EOF &&
	COUNT   SHARE  SAMPLES  COUNTED IN, CALLED BY
	   12  100.0%        3  app/treesum/files/:4
	   12  100.0%        3  └ [unknown]

	COUNT   SHARE  SAMPLES  FROM THE OUTSIDE IN
	   12  100.0%        3  app/treesum/files/:4
	   12  100.0%        3  └ [unknown]
	EOF
	test_must_be_empty err
'

test_expect_success LIBDW,BUILD_ID 'functions of a program with a new date but the same code are still named' '
	touch treesum &&
	trace2 report --samples r >out 2>err &&
	grep " sum_files$" out &&
	! grep treesum err
'

test_expect_success LIBDW,BUILD_ID 'a program built anew at the same path gets a warning and no function names' '
	cp treesum kept &&
	another_build treesum &&
	touch -d 2001-01-01 treesum &&
	trace2 report --samples r >out 2>err &&
	mv kept treesum &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	! grep sum_files out &&
	grep "without names, of .*/treesum.: replaced by another build since" err
'

test_expect_success LIBDW 'functions of a removed file are shown as offsets, and a warning names the file' '
	mv treesum kept &&
	trace2 report --samples r >out 2>err &&
	mv kept treesum &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	grep "treesum.: no longer there" err
'

test_expect_success LIBDW 'one warning lists the files without names of functions, the most sampled first' '
	rm -rf r &&
	mkdir r &&
	for name in one three two three four three
	do
		cp treesum $name &&
		GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_SAMPLE=app/treesum/files/:4 \
			./$name -j 1 tree >/dev/null || return 1
	done &&
	rm one two three four &&
	trace2 report --samples r 2>err &&
	summed app/treesum/files/:4 &&
	echo "trace2: warning: 100.0% of the samples are in functions without names, of three (50.0%), four (16.7%), one (16.7%) and 1 more: no longer there" >expect &&
	# libc may have no names, either.
	sed "/callers .* of .*libc.so.6.: stripped/d" err | test_cmp expect -
'

test_expect_success LIBDW,BUILD_ID '--debuginfod may fetch a removed file from a server' '
	id=$(perl -0777 -ne "/\x04\0{3}\x14\0{3}\x03\0{3}GNU\0(.{20})/s && print unpack q(H*), \$1" treesum) &&
	mkdir -p server/buildid/$id &&
	mv treesum server/buildid/$id/executable &&
	DEBUGINFOD_URLS="file://$(pwd | sed "s/ /%20/g")/server" &&
	DEBUGINFOD_CACHE_PATH="$(pwd)/cache" &&
	export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH &&
	trace2 report --samples --debuginfod r >out 2>err &&
	{ grep " sum_files$" out || ! ls /usr/lib/*/libdebuginfod.so.1; } &&
	trace2 export --to csv --table samples --debuginfod r >csv 2>err &&
	{ grep ";sum_files;" csv || ! ls /usr/lib/*/libdebuginfod.so.1; } &&
	# Without the option nobody asks the server.
	rm -rf cache &&
	trace2 report --samples r >out 2>err &&
	trace2 export --to csv --table samples r >csv 2>err &&
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH &&
	mv server/buildid/$id/executable treesum &&
	test_grep ! " sum_files$" out &&
	test_grep ! ";sum_files;" csv &&
	test_path_is_missing cache
'

test_expect_success LIBDW,BUILD_ID,STRIP 'a stripped program has no function names, and a warning reports that' '
	cp treesum kept &&
	strip treesum &&
	trace2 report --samples r >out 2>err &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	grep "treesum.*: stripped to exported symbols, and there is no debug file\$" err &&
	DEBUGINFOD_URLS=x trace2 report --samples r 2>err &&
	grep "no debug file; --debuginfod asks servers for one\$" err
'

test_expect_success LIBDW,BUILD_ID,STRIP,OBJCOPY 'a debug file gives the names for a stripped program' '
	objcopy --only-keep-debug kept treesum.debug &&
	objcopy --add-gnu-debuglink=treesum.debug treesum &&
	trace2 report --samples r >out 2>err &&
	rm treesum.debug &&
	mv kept treesum &&
	grep " sum_files$" out &&
	! grep treesum err
'

test_expect_success LIBDW,BUILD_ID 'a file without a build id is used only if it is older than the process' '
	without_id treesum &&
	summed app/treesum/files/:4 &&
	trace2 report --samples r >out 2>err &&
	grep " sum_files$" out &&
	cp -p treesum kept &&
	mv kept treesum &&
	trace2 report --samples r >out 2>err &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	grep "treesum.: changed or replaced after the process began" err
'

test_expect_success LIBDW 'report and export say how to record samples if there are none' '
	rm -rf r &&
	GIT_TRACE2_RING="$(pwd)/r" ./treesum -j 1 tree &&
	trace2 report --samples r 2>err &&
	test_grep "record it with .trace2 record --profile.*; or of counters, with --ring and GIT_TRACE2_SAMPLE set" err &&
	test_must_fail trace2 export --to perf -o no.data r 2>err &&
	test_grep "record it with .trace2 record --profile.*; or of counters, with --ring and GIT_TRACE2_SAMPLE set" err &&
	test_path_is_missing no.data
'

test_expect_success PERF,LIBDW 'perf reads samples: events, counts, threads and calls' '
	cp "$GIT_BUILD_DIR/build/examples/treesum" . &&
	summed app/treesum/files/:4,app/treesum/bytes/:10 &&
	trace2 export --to perf -o perf.data r &&
	perf script -i perf.data -F comm,period,event 2>/dev/null >script &&
	sed -n "/files/s/^ *//; s/   */ /gp" script >actual &&
	grep -c "^th01:sum 4 app/treesum/files/: *$" actual >count &&
	test "$(cat count)" = 3 &&
	grep "app/treesum/bytes/" script &&
	perf script -i perf.data 2>/dev/null >script &&
	grep "sum_files+0x[0-9a-f]* (.*treesum)" script &&
	perf report --stdio -i perf.data >report 2>/dev/null &&
	grep "of event .app/treesum/files/." report &&
	grep "Event count (approx.): 12" report
'

test_expect_success PERF,LIBDW 'export to perf: threads begin before the samples, and end after them' '
	perf script -i perf.data --show-task-events 2>/dev/null >script &&
	test_prints sed -n "s/.*: PERF_RECORD_\(FORK\|EXIT\|COMM\)[:( ].*/\1/p; s/.*app.treesum.files.*/sample/p" \
		script <<-\EOF &&
	COMM
	FORK
	COMM
	sample
	sample
	sample
	EXIT
	EXIT
	EOF
	grep "EXIT([0-9]*:\([0-9]*\)):" script | sed "s/.*EXIT(\([0-9]*\):\([0-9]*\)).*/\1 \2/" >ends &&
	awk "NR == 1 && \$1 == \$2 || NR == 2 && \$1 != \$2" ends >wrong &&
	test_must_be_empty wrong
'

test_expect_success PERF,LIBDW,BUILD_ID 'export to perf: perf names no functions of a program that was built again' '
	perf script -i perf.data -F event,ip,sym 2>/dev/null >script &&
	grep sum_files script &&
	perf script -i perf.data --show-mmap-events 2>/dev/null >maps &&
	grep "PERF_RECORD_MMAP2 .* <[0-9a-f]\{40\}>.*/treesum\$" maps &&
	perf buildid-list -i perf.data 2>/dev/null | grep "^[0-9a-f]* $(pwd)/treesum$" &&
	cp treesum kept &&
	another_build treesum &&
	perf script -i perf.data -F event,ip,sym 2>/dev/null >script &&
	mv kept treesum &&
	! grep sum_files script
'

test_expect_success PERF,LIBDW,KERNEL_EVENTS 'export to perf: perf shows the values of all events in a group' '
	summed "{app/treesum/files/:4,page-faults,app/treesum/bytes/}" &&
	trace2 export --to perf -o perf.data r &&
	perf script -i perf.data -F period,event 2>/dev/null >script &&
	awk "NF == 2 { sum[\$2] += \$1 } END { print sum[\"app/treesum/files/:\"], sum[\"app/treesum/bytes/:\"] }" script >actual &&
	# The last sample comes before its file is read.
	test_write_lines "12 22" | test_cmp - actual &&
	grep " page-faults: *$" script &&
	perf report --stdio --group -g none -i perf.data >report 2>/dev/null &&
	grep "of events . { app/treesum/files/, page-faults, app/treesum/bytes/ }" report
'

test_done
