#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 export: viewers of time (chrome, folded), and files

mix.event has a process with two children at once, one of them a session that
failed, a thread, a region that goes on beside the children, and secrets.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/t3300/lib-export.sh
. "$TEST_DIRECTORY"/lib-stream.sh

unchecked 'a region that no thread entered' wrong.event

test_expect_success 'chrome: slices have their process, thread and times' '
	trace2 export --to chrome -o out.json "$MIX" &&
	test_prints jq -r ".traceEvents[] | select(.ph == \"X\")
		| \"\(.pid) \(.ts) \(.dur) \(.cat) \(.name)\"" out.json <<-\EOF
	100 0 20000 process work
	100 2000 6000 load load/all
	100 10000 8000 child child helper
	100 11000 6000 child child helper
	100 13000 6000 wait wait/both
	100 3000 4000 thread th01:reader
	100 3100 3000 read read/file
	102 12000 4000 process helper
	EOF
'

test_expect_success 'chrome: children that ran side by side are on separate rows' '
	test_prints jq -r "([.traceEvents[] | select(.ph == \"M\" and .name == \"thread_name\")
		| {key: \"\(.pid).\(.tid)\", value: .args.name}] | from_entries)
			as \$names
		| .traceEvents[] | select(.ph == \"X\")
		| \"\(\$names[\"\(.pid).\(.tid)\"]) | \(.name)\"" out.json <<-\EOF
	main | work
	main | load/all
	main: children 1 | child helper
	main: children 2 | child helper
	main | wait/both
	th01:reader | th01:reader
	th01:reader | read/file
	main | helper
	EOF
'

test_expect_success 'chrome: flows, counters and names are exported' '
	jq -r "(.traceEvents[] | select(.ph | IN(\"s\", \"f\", \"C\"))
			| \"\(.ph) \(.pid) \(.ts) \(.id // .args.value) \(.bp // \"\")\"),
		.otherData.start,
		(.traceEvents[] | select(.cat == \"timer\")
			| \"\(.ts | floor) \(.args)\"),
		(.traceEvents[] | select(.name == \"process_labels\")
			| .args.labels)" out.json >actual &&
	test_grep "\"args\":{\"value\":18446744073709551615}" out.json &&
	test_cmp - actual <<-\EOF
	C 100 0 0 
	C 100 20000 18446744073709552000 
	s 100 11000 2 
	f 102 12000 2 e
	2026-11-21T09:00:00.000000Z
	20000 {"intervals":4,"total_ns":2000000,"min_ns":100000,"max_ns":1000000}
	/opt/bin/prog work https://joe:hunter2@example.com/x
	helper two
	EOF
'

# Times are in microseconds. Both ends of an arrow are inside a slice.
test_expect_success 'chrome: states of threads and wake-ups are exported' '
	waiting_recording &&
	trace2 export --to chrome -i r >out.json &&
	jq -r -f "$TEST_DIRECTORY"/t3300/nesting.jq out.json >bad &&
	test_must_be_empty bad &&
	test_prints jq -r "[.traceEvents[] | select(.cat == \"state\")] as \$states
		| ([.traceEvents[] | select(.name == \"thread_name\")
			| \"\(.pid) \(.args.name)\"] | sort[]),
		(.traceEvents[] | select(.cat == \"state\" and .pid == 12)
			| \"\(.ts) \(.dur) \(.name) \(.cname) \(.args.ended_by // .args.cpu_had // \"-\")\"),
		(.traceEvents[] | select(.cat == \"wake-up\") as \$e
			| [\$states[] | select(.tid == \$e.tid and .ts <= \$e.ts
				and \$e.ts < .ts + .dur)]
			| \"\(\$e.ph) \(\$e.pid) \(\$e.ts) in \(.[0].name)\")" out.json <<-\EOF &&
	10 main
	10 main: states
	11 main
	11 main: states
	12 main
	12 main: states
	12 reader: states
	6 4 no CPU thread_state_runnable top
	10 12 run thread_state_running -
	22 30 wait pipe thread_state_sleeping writer
	52 1 no CPU thread_state_runnable -
	53 29 run thread_state_running -
	12 1 no CPU thread_state_runnable writer
	13 1 run thread_state_running -
	s 12 80 in run
	f 10 80 in no CPU
	s 11 52 in run
	f 12 52 in no CPU
	EOF
	trace2 export --to chrome --no-states -i r >out.json &&
	test_grep ! state out.json
'

test_expect_success 'chrome: every event except names has a time' '
	for trace in alias clone data error
	do
		trace2 export --to chrome "$TRACES/$trace.event" >$trace.json || return 1
	done &&
	test_prints jq -r ".traceEvents | map(select(.ph != \"M\") | .ts | type) | unique |
		\"\(input_filename) \(.)\"" \
		alias.json clone.json data.json error.json <<-\EOF
	alias.json ["number"]
	clone.json ["number"]
	data.json ["number"]
	error.json ["number"]
	EOF
'

test_expect_success 'chrome: slices nest in all traces' '
	mkdir nest &&
	for trace in alias clone commit counters data error fetch gc nest push \
		status timers
	do
		for form in event perf
		do
			trace2 export --to chrome "$TRACES/$trace.$form" \
				>nest/$trace.$form || return 1
		done || return 1
	done &&
	jq -r -f "$TEST_DIRECTORY"/t3300/nesting.jq nest/* >bad &&
	test_must_be_empty bad
'

test_expect_success 'chrome: a stream with wrong nesting gives slices that nest' '
	sed "/region_leave.*all/d; s/\"thread\":\"th01:reader\"/\"thread\":\"main\"/" \
		"$MIX" >wrong.event &&
	trace2 export --to chrome wrong.event >out.json 2>err &&
	jq -r -f "$TEST_DIRECTORY"/t3300/nesting.jq out.json >bad &&
	test_must_be_empty bad
'

test_expect_success GIT 'chrome: a live git command with many children is exported' '
	git init -q repo &&
	test_commit -C repo one &&
	trace2 record -o git.data -- git clone -q --no-local repo copy 2>err &&
	trace2 export --to chrome git.data >out.json &&
	jq -r -f "$TEST_DIRECTORY"/t3300/nesting.jq out.json >bad &&
	test_must_be_empty bad &&
	jq -e "[.traceEvents[] | select(.name == \"process_name\").args.name] as \$names |
		any(\$names[]; . == \"clone\") and any(\$names[]; . == \"upload-pack\") and
		[.traceEvents[] | select(.ph == \"s\") | .id] ==
			[.traceEvents[] | select(.ph == \"f\") | .id]" out.json
'

test_expect_success 'folded: a stack has processes first, then threads and regions' '
	test_prints trace2 export --to folded "$MIX" <<-\EOF
	work 5000
	work;helper 12000
	work;helper;[spawn] 2000
	work;load/all 6000
	work;wait/both 6000
	work;reader 1000
	work;reader;read/file 3000
	EOF
'

test_expect_success 'folded: a git command and its wrapper have one frame' '
	test_prints trace2 export --to folded "$TRACES/clone.event" <<-\EOF
	clone 6449
	clone;upload-pack 5128
	EOF
'

test_expect_success 'folded: a semicolon or a newline in a name is replaced' '
	sed "s/\"label\":\"all\"/\"label\":\"a;b\\\\nc\"/g" "$MIX" >odd.event &&
	trace2 export --to folded odd.event >actual &&
	test_grep "^work;load/a:b c 6000$" actual &&
	test_line_count = 7 actual
'

test_expect_success 'folded: filters select what is exported' '
	test_prints trace2 export --to folded --cmd helper "$MIX" <<-\EOF &&
	work;helper 12000
	work;helper;[spawn] 2000
	EOF
	trace2 export --to chrome -N "load/*" "$MIX" >out.json &&
	jq -r ".traceEvents[] | select(.ph == \"X\") | .name" out.json >actual &&
	test_write_lines work load/all th01:reader helper | test_cmp - actual
'

test_expect_success 'export: a file gets its name when it is complete' '
	echo before >file &&
	chmod 640 file &&
	ln -s file link &&
	trace2 export --to folded -o link "$MIX" &&
	test_path_is_symlink link &&
	trace2 export --to folded "$MIX" >expect &&
	test_cmp expect file &&
	ls -l file >mode &&
	test_grep "^-rw-r-----" mode &&
	ls >files &&
	test_grep ! "file[.]" files
'

test_expect_success 'export: a path that cannot be written is named' '
	test_expect_code 128 trace2 export --to folded -o none/out "$MIX" 2>err &&
	cat >expect <<-\EOF &&
	trace2: cannot write '\''none/out'\'': No such file or directory
	EOF
	test_cmp expect err
'

test_expect_success DEV_FULL 'export: a full disk is reported' '
	for to in chrome folded otlp csv git-event
	do
		test_expect_code 128 trace2 export --to $to -o /dev/full "$MIX" \
			2>err &&
		test_grep "^trace2: cannot write ./dev/full.: No space" err &&
		test_expect_code 128 trace2 export --to $to "$MIX" \
			>/dev/full 2>err &&
		test_grep "cannot write .standard output.: No space" err ||
		return 1
	done
'

# The log of valgrind is a growing file, too.
test_expect_success !UNDER_VALGRIND 'export: the old file stays if the new one exceeds the size limit' '
	echo before >file &&
	cp file expect &&
	(
		ulimit -f 1 &&
		trap "" XFSZ &&
		test_expect_code 128 trace2 export --to chrome -o file \
			"$TRACES/gc.event" 2>err
	) &&
	test_grep "cannot write .file.: File too large" err &&
	test_cmp expect file &&
	ls >files &&
	test_grep ! "file[.]" files
'

# Within the limit the input can be read, but not be put into one request.
# Sanitizers and valgrind reserve more than that.
test_expect_success !INSTRUMENTED 'export: the old file stays if memory runs out' '
	echo before >file &&
	cp file expect &&
	"$PERL_PATH" -e "
		print qq({\"event\":\"version\",\"sid\":\"a\",\"evt\":\"4\"}\n);
		print qq({\"event\":\"data\",\"sid\":\"a\",\"key\":\"\$_\"),
			qq(,\"value\":\"), \$_ x 75e4, qq(\"}\n) for 10 .. 49;
	" >large.event &&
	(
		ulimit -v 160000 &&
		trace2 list large.event >list &&
		test_expect_code 128 trace2 export --to otlp -o file large.event 2>err
	) &&
	rm large.event &&
	echo "trace2: out of memory" >expect.err &&
	test_cmp expect.err err &&
	test_cmp expect file &&
	ls >files &&
	test_grep ! "file[.]" files
'

test_expect_success PIPE 'export: a reader that closes the pipe ends the export' '
	mkfifo pipe &&
	{ head -c 1 pipe >/dev/null & } &&
	(
		trap "" PIPE &&
		for i in 1 2 3 4 5 6 7 8 9
		do
			sed "s/P0000/P000$i/g" "$TRACES/gc.event" || exit 1
		done >big.event &&
		test_might_fail trace2 export --to chrome -o pipe big.event 2>err
	) &&
	wait &&
	{ test_grep "cannot write .pipe.: Broken pipe" err ||
		test_must_be_empty err; }
'

test_expect_success 'wrong options of export are refused' '
	test_expect_code 2 trace2 export "$MIX" 2>err &&
	test_grep "^trace2: --to FORMAT is required" err &&
	test_expect_code 2 trace2 export --to pdf "$MIX" 2>err &&
	test_grep "it takes chrome|perfetto|folded|otlp|sqlite|" err &&
	test_expect_code 2 trace2 export --to sqlite "$MIX" 2>err &&
	test_grep "needs -o FILE" err &&
	test_expect_code 2 trace2 export --to csv --url http://x "$MIX" 2>err &&
	test_grep "cannot be sent to a URL" err &&
	while IFS="|" read -r options formats
	do
		test_expect_code 2 trace2 export --to git-event $options "$MIX" 2>err &&
		test_grep "^trace2: ${options%% *} needs --to=$formats\$" err || return 1
	done <<-\EOF &&
	--database x|clickhouse
	--cluster x|clickhouse
	--table spans|csv
	--compat trace2receiver|otlp
	--sample 1/2|otlp
	--slower 1s|otlp
	--states|folded
	--no-states|sqlite, clickhouse, chrome and perfetto
	EOF
	>empty &&
	trace2 export --to chrome -o none.json empty &&
	test_path_is_missing none.json
'

test_done
