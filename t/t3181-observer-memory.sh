#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='memory of processes, as the recorder saw it while they ran

The first tests record a program with a known amount of memory, which it holds
until the recorder has seen it. The others read recordings made of records
(t3130/kernel.perl), with times in microseconds.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-page.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_skip_unless JQ

# peak_of DIR: print the peak of all processes, in MiB.
peak_of () {
	jq -s '[.[] | select(.type == "memory") | .tree_bytes // 0] | max // 0 |
		. / 1048576 | floor' "$1/tasks.jsonl"
}

has_peak () {
	test "$(peak_of "$1" 2>/dev/null)" -ge "$2"
}

test_expect_success PLAIN_MEMORY 'record: the peak of two programs, one after the other, is that of the larger' '
	mkfifo one two &&
	{ trace2 record -q -o r2 -- sh -c "
		\"\$1\" take=100 hold=0 <one; \"\$1\" take=60 hold=0 <two" sh \
		"$GIT_BUILD_DIR/build/hosts/memory" & } &&
	pid=$! &&
	exec 9>one &&
	wait_until has_peak r2 95 &&
	exec 9>&- &&
	exec 9>two &&
	sees_second () {
		jq -s -e "[.[] | select(.type == \"memory\" and .pid > 0 and
			.rss_bytes > 60e6) | .pid] | unique | length == 2" \
			r2/tasks.jsonl
	} &&
	wait_until sees_second &&
	exec 9>&- &&
	wait "$pid" &&
	test "$(peak_of r2)" -le 107
'

# Make a control group with 50 MiB: its directory, in v1 or v2.
make_group () {
	for group in /sys/fs/cgroup/memory/trace2-test.$$ /sys/fs/cgroup/trace2-test.$$
	do
		mkdir "$group" 2>/dev/null || continue
		if echo 52428800 >"$group/memory.limit_in_bytes" ||
			{ echo 52428800 >"$group/memory.max" &&
			echo 0 >"$group/memory.swap.max"; }
		then
			return 0
		fi
		rmdir "$group"
	done 2>/dev/null
	return 1
}
test_lazy_prereq MEMORY_LIMIT 'make_group && rmdir "$group"'
# kernel.dmesg_restrict does not apply to root.
test_lazy_prereq LOG 'test -r /dev/kmsg'

ends () {
	trace2 list --format=json oom >json &&
	jq -r ".processes[] | select(.signal) | [.name, .signal_name, .oom] |
		join(\" \")" json
}

test_expect_success MEMORY_LIMIT,LOG,EXIT_CODES 'record names the process that the kernel killed for lack of memory' '
	make_group &&
	test_when_finished "rmdir \"$group\"" &&
	sh -c "echo \$\$ >\"\$1/cgroup.procs\" && shift && exec \"\$@\"" sh "$group" \
		trace2 record -q -o oom -- sh -c "
		\"\$1\" take=200
		sh -c \"kill -9 \\\$\\\$\"
		true" sh "$GIT_BUILD_DIR/build/hosts/memory" 2>err &&
	test_prints ends <<-\EOF &&
	memory SIGKILL named
	sh SIGKILL 
	EOF
	trace2 report oom >out &&
	sed -n 1p out >first &&
	test_grep "; memory killed (OOM)$" first &&
	trace2 report --memory oom >out &&
	test_grep "; memory killed (OOM)$" out
'

# A recording of an ordinary user has the number alone.
counted () {
	made c <<-\EOF &&
	top make
	1000 0 memory 0 1024
	5000 0 fork 11 11 10 10
	6000 0 fork 12 12 10 10
	10000 0 exit 11 11
	10000 0 exit 12 12
	20000 0 exit 10 10
	EOF
	for pid in "$@"
	do
		echo "{\"type\":\"status\",\"time_ns\":5010000000,\"pid\":$pid,\"signal\":9,\"from\":\"connector\"}" || return 1
	done >>c/tasks.jsonl &&
	jq ".oom_kills = 1" c/meta.json >meta &&
	mv meta c/meta.json
}

test_expect_success 'record: the only killed process is shown as likely OOM if the kernel counted one' '
	counted 11 &&
	trace2 list c >out &&
	test_grep "SIGKILL (OOM?)  *11 " out &&
	test_grep "root sees their names" out &&
	trace2 report --html page.html c &&
	page_data page.html >data &&
	jq -e ".strings | index(\"SIGKILL (OOM?)\")" data
'

test_expect_success 'record: no process is shown as OOM if two were killed and the kernel counted one' '
	counted 11 12 &&
	trace2 list c >out &&
	test_grep "SIGKILL  *11 " out &&
	! grep OOM out
'

# A build: make starts two compilers, and an assembler after one.
built () {
	made b <<-\EOF
	top make
	5000 0 memory 10 2048 1024
	5001 0 memory 0 1024
	10000 0 fork 11 11 10 10
	10000 1 fork 12 12 10 10
	10001 0 comm 11 11 cc1 exec
	10001 1 comm 12 12 cc1 exec
	20000 0 memory 11 204800 184320
	20000 0 memory 12 102400 81920
	20001 0 memory 0 267264
	40000 0 memory 11 307200 286720
	40001 0 memory 0 369664
	50000 0 exit 11 11
	50002 0 memory 0 82944
	51000 0 fork 13 13 10 10
	51001 0 comm 13 13 as exec
	55000 1 exit 12 12
	60000 0 memory 13 30720
	60001 0 memory 0 31744
	70000 0 exit 13 13
	100000 0 exit 10 10
	EOF
}

test_expect_success 'report: the first line has the peak of memory and its time' '
	built &&
	trace2 report b >out &&
	sed -n "1s/.*; //p" out >actual &&
	echo "peak memory 361.0 MiB at 40.001 ms" | test_cmp - actual
'

test_expect_success 'report: a recording without memory records shows no memory' '
	made none <<-\EOF &&
	top make
	100 0 exit 10 10
	EOF
	trace2 report none >out &&
	! grep memory out &&
	trace2 report --memory none >out 2>err &&
	test_must_be_empty out &&
	test_grep "no memory in this recording" err
'

test_expect_success '--memory shows the kinds at the peak, and the curve' '
	built &&
	LC_ALL=C trace2 report --memory b >out &&
	test_prints cat out <<-\EOF
	peak memory 361.0 MiB at 40.001 ms
	   _________*************########......_________________________

	  AT PEAK    LARGEST   AT ms  PROCESS
	360.0 MiB  300.0 MiB  40.000  cc1 x 2
	  1.0 MiB    2.0 MiB   5.000  make
	            30.0 MiB  60.000  as
	EOF
'

test_expect_success '--memory draws the curve in block characters in a UTF-8 locale' '
	built &&
	LC_ALL=C.UTF-8 trace2 report --memory b >out &&
	test_grep "▁▆▆*██*▂▂*▁▁" out
'

test_expect_success '--memory: JSON and CSV have bytes and nanoseconds' '
	built &&
	trace2 report --memory --format=json b >json &&
	echo "{\"peak_bytes\":378535936,\"at_ns\":40001000}" |
	test_prints jq -c ".memory_peak[0]" json &&
	jq -e "(.memory_curve | length) == 64 and
		([.memory_curve[].most_bytes] | max) == 378535936" json &&
	trace2 report --memory --format=csv b >out &&
	test_prints cat out <<-\EOF
	peak_bytes,count,largest_bytes,largest_at_ns,largest_pid,kind
	377487360,2,314572800,40000000,11,cc1
	1048576,1,2097152,5000000,10,make
	,0,31457280,60000000,13,as
	EOF
'

test_expect_success '--memory with a filter shows selected kinds, and the peak of all processes' '
	built &&
	trace2 report --memory --cmd make --format=json b >json &&
	echo "378535936 make" |
	test_prints jq -r "\"\(.memory_peak[0].peak_bytes) \(.memory[].kind)\"" json
'

# Another process got the pid.
test_expect_success '--memory ignores memory of a pid after the process has ended' '
	built &&
	echo "{\"type\":\"memory\",\"time_ns\":5065000000,\"pid\":11,\"rss_bytes\":9000000000}" \
		>>b/tasks.jsonl &&
	trace2 report --memory --format=csv b >out &&
	test_grep "^377487360,2,314572800" out
'

test_expect_success 'diff compares peak-memory, and finds a significant growth' '
	built &&
	for i in 1 2 3 4
	do
		mkdir -p runs-a runs-b &&
		cp -R b runs-a/$i &&
		cp -R b runs-b/$i &&
		sed "s/\"tree_bytes\":378535936/\"tree_bytes\":478535936/" \
			b/tasks.jsonl >runs-b/$i/tasks.jsonl || return 1
	done &&
	trace2 diff --only peak-memory --format=json runs-a runs-b >json &&
	echo "bytes 378535936 478535936 true" |
	test_prints jq -r ".differences[] | select(.name == \"peak-memory\") |
		\"\(.unit) \(.base) \(.new) \(.significant)\"" json
'

test_expect_success 'report -j shows the memory of the largest job, and of jobs at the same time' '
	built &&
	trace2 report -j 2 b >out &&
	test_grep "^memory: at most 361.0 MiB, the largest job 280.0 MiB$" out &&
	trace2 report -j 1 --format=json b >json &&
	echo "294649856 293601280" |
	test_prints jq -r ".what_if[0] |
		\"\(.memory_at_most_bytes) \(.largest_job_bytes)\"" json
'

test_expect_success 'export: the peak of memory is in every format' '
	built &&
	trace2 export --to prometheus b >out &&
	test_grep "^trace2_peak_memory_bytes 378535936$" out &&
	trace2 export --to otlp b >json &&
	jq -e "[.. | .attributes? // [] | .[] |
		select(.key == \"trace2.peak_memory_bytes\").value.intValue] ==
		[\"378535936\"]" json &&
	trace2 export --to chrome b >json &&
	echo "5 378535936" |
	test_prints jq -r "[.traceEvents[] | select(.ph == \"C\" and
		.name == \"memory\") | .args.bytes] | \"\(length) \(max)\"" json
'

test_expect_success 'page: the memory of each kind is shown over time' '
	built &&
	trace2 report --html page.html b &&
	page_data page.html >data &&
	test_prints jq -c ".strings as \$s | [.memoryKinds[] | \$s[.]],
		(.memory | length, .[0], (.[320], .[440] | add))" data <<-\EOF
	["cc1","as","make"]
	800
	[0,0,0,0]
	369664
	82944
	EOF
'

test_expect_success 'csv: memory has a row for each sample that changed' '
	built &&
	trace2 export --to csv --table memory b | cut -d, -f3-5 | sort >actual &&
	test_cmp - actual <<-\EOF
	,,1048576
	,,273678336
	,,32505856
	,,378535936
	,,84934656
	104857600,83886080,
	2097152,1048576,
	209715200,188743680,
	31457280,31457280,
	314572800,293601280,
	rss_bytes,share_bytes,all_bytes
	EOF
'

test_expect_success SQLITE3 'sqlite: memory of each kind is stored once' '
	built &&
	rm -f db &&
	trace2 export --to sqlite -o db b &&
	trace2 export --to sqlite -o db b &&
	sqlite3 db "SELECT p.kind, max(m.share_bytes) FROM memory m
		JOIN processes p ON p.id = m.process_id GROUP BY p.kind;
		SELECT count(*), max(all_bytes) FROM memory" >actual &&
	test_write_lines "as|31457280" "cc1|293601280" "make|1048576" \
		"10|378535936" | test_cmp - actual
'

test_done
