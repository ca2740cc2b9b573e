#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the verdict of stat and diff: exact counts, times, the gate'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stat.sh
. "$TEST_DIRECTORY"/lib-perf.sh

PATH=$GIT_BUILD_DIR/build/bin:$PATH
# can_count OPTION. A crash is no missing feature.
can_count () {
	trace2 stat -q "$1" true 2>err >out
	case $? in 0) ! test -s err ;; *) test $? -gt 128 ;; esac
}
test_lazy_prereq SYSCALLS 'can_count --syscalls'
test_lazy_prereq ALLOCATIONS 'can_count --allocations'
test_lazy_prereq SETPRIV 'setpriv --bounding-set=-bpf,-perfmon,-sys_admin true'
test_lazy_prereq INSTRUCTIONS 'trace2 stat -e list | grep "^instructions.* yes "'

# The last line of OUT is this verdict.
verdict () {
	echo "$1" >expect.verdict &&
	tail -n 1 out >actual.verdict &&
	test_cmp expect.verdict actual.verdict
}

same=5000,5010,5020,5030,5040,5050,5060,5070,5080,5090

test_expect_success 'verdict: a count that is equal in every run is exact, and any difference counts' '
	runs a wall=$same task-clock=$same counter:odb/unzip=1000,1000,1000,1000 &&
	runs b wall=$same task-clock=$same counter:odb/unzip=1001,1001,1001,1001 &&
	for dir in a b
	do
		rm -r $dir/run-0005 $dir/run-0006 $dir/run-0007 $dir/run-0008 \
			$dir/run-0009 $dir/run-0010 || return 1
	done &&
	trace2 diff a b >out &&
	test_grep "^1000  1001  *+1  *1.00  exact  \*  odb/unzip$" out &&
	test_grep "^Counts: 2 are the same in every run, 1 differs exactly, 0 vary.$" out &&
	verdict "more work: +1 counter odb/unzip; time: task-clock 0% (-0.6% to +0.6%)" &&
	trace2 diff b a >out &&
	verdict "less work: -1 counter odb/unzip; time: task-clock 0% (-0.6% to +0.6%)"
'

test_expect_success 'verdict: a counter that varies, or has only three runs, is not exact' '
	runs a counter:odb/unzip=10,10,10,10,10 &&
	runs b counter:odb/unzip=11,11,11,10,10 &&
	trace2 diff --only counter a b >out &&
	test_grep ! exact out &&
	verdict "no difference" &&
	runs b counter:odb/unzip=11,11,11,11,10 &&
	trace2 diff --only counter a b >out &&
	verdict "more work: odb/unzip +10.0% (0% to +10.0%)" &&
	rm -r a/run-0004 a/run-0005 b/run-0004 b/run-0005 &&
	trace2 diff --only counter a b >out &&
	verdict "cannot tell: 3 and 3 runs are too few (-r 10)"
'

test_expect_success 'verdict: a count that depends on the machine is never exact' '
	runs a maxrss=1,1,1,1 context-switches=3,3,3,3 cpu-migrations:u=1,1,1,1 &&
	runs b maxrss=1,1,1,1 context-switches=5,5,5,5 cpu-migrations:u=2,2,2,2 &&
	trace2 diff --only event a b >out &&
	test_grep "^ *3  *5 .* 0\.[0-9]*  .*context-switches$" out &&
	test_grep "^ *1  *2 .* 0\.[0-9]*  .*cpu-migrations:u$" out &&
	test_grep ! "^other\|^more" out
'

test_expect_success JQ 'verdict: numbers of regions and processes are counts' '
	r=100,100,100,100 &&
	runs a wall=$r region:index/read=1,2,3,4 region:dir/old=1,2,3,4 &&
	runs b wall=$r region:index/read=1,2,3,4 region:dir/new=4,1,3,4 &&
	trace2 diff --format=json a b >out &&
	test_prints jq -c "([.differences[] | select(.kind == \"region\" or .kind == \"process\") |
			[.name, .base_calls, .new_calls, .exact_calls]] | sort[]),
		(.verdict[] | [.verdict, .counts_more, .counts_less, .counts_same])" out <<-\EOF
	["dir/new",0,1,"differs"]
	["dir/old",1,0,"differs"]
	["index/read",1,1,"same"]
	["prog",1,1,"same"]
	["other work",1,1,3]
	EOF
'

test_expect_success 'verdict: a slower run is reported with amount and region' '
	runs a task-clock=$same region:a/all=7000,7001,7002,7003,7004,7005 \
		region:a/part=500,501,502,503,504,505 region:a/other=20,21,22,23,24,25 &&
	runs b task-clock=6000,6010,6020,6030,6040,6050 \
		region:a/all=8000,8001,8002,8003,8004,8005 \
		region:a/part=1490,1491,1492,1493,1494,1495 \
		region:a/other=20,21,22,23,24,25 &&
	rm -r a/run-0007 a/run-0008 a/run-0009 a/run-0010 &&
	trace2 diff a b >out &&
	verdict "slower: task-clock +19.9% (+19.3% to +20.5%), from a/part 502us -> 1.49ms, 5 counts are the same" &&
	trace2 diff b a >out &&
	test_grep "^faster: task-clock -16.6% (-17.0% to -16.2%), from a/part 1.49ms -> 502us" out
'

test_expect_success 'verdict: no difference if only the medians differ, not the test' '
	base=5001,5002,5003,5004,5005,5006,5007,5008,5009,5010,5100,5101,5102,5103,5104,5105,5106,5107,5108,5109,5110 &&
	new=5050,5051,5052,5053,5054,5055,5056,5057,5058,5059,5099,5200,5201,5202,5203,5204,5205,5206,5207,5208,5209 &&
	runs a wall=$base task-clock=$base &&
	runs b wall=$new task-clock=$new &&
	trace2 diff a b >out &&
	test_grep "^no difference: task-clock +" out &&
	test_grep ! "\*" out &&
	trace2 diff --fail-above 0 b a
'

test_expect_success JQ 'verdict: task-clock decides, or wall without it; instructions are shown beside' '
	runs a wall=$same task-clock=$same instructions=$same &&
	runs b wall=$same task-clock=$same instructions=$(echo $same | sed s/50/60/g) &&
	trace2 diff a b >out &&
	test_grep "^no difference: task-clock 0% (.*), instructions +19.[0-9]% (.*), [0-9]* counts are the same; marked (\*), but not decisive: instructions$" out &&
	runs a wall=$same && runs b wall=$(echo $same | sed s/50/60/g) &&
	trace2 diff --format=json a b >out &&
	jq -c "[.verdict[] |
		.verdict, .time, .ratio > 1.15, .ratio_low < .ratio, .ratio < .ratio_high, .text]" out >actual &&
	test_grep "^\[\"slower\",\"wall\",true,true,true,\"slower: wall +19" actual
'

test_expect_success '--fail-above judges time and exact counts, events of the machine on request' '
	slow=$(echo $same | sed s/50/60/g) &&
	runs a wall=$same task-clock=$same context-switches=$same counter:x/y=10,10,10,10,10,10,10,10,10,10 &&
	runs b wall=$slow task-clock=$same context-switches=$slow counter:x/y=10,10,10,10,10,10,10,10,10,10 &&
	trace2 diff --fail-above 5% a b &&
	trace2 diff --fail-above 5% --only event a b &&
	test_expect_code 1 trace2 diff --fail-above 5% --only context-switches a b 2>err &&
	test_grep "^trace2: event .context-switches. grew" err &&
	test_expect_code 1 trace2 diff --fail-above 5% --only wall a b >out 2>err &&
	test_grep "^trace2: run .wall. grew from .* by more than 5% (p = " err &&
	test_grep ! processes out &&
	runs b wall=$slow task-clock=$slow &&
	test_expect_code 1 trace2 diff --fail-above 5% a b 2>err &&
	test_grep "^trace2: event .task-clock. grew" err &&
	runs b wall=$same task-clock=$same counter:x/y=11,11,11,11,11,11,11,11,11,11 &&
	test_expect_code 1 trace2 diff --fail-above 5% a b 2>err &&
	test_grep "^trace2: counter .x/y. grew from 10 to 11, by more than 5% (the same in every run)$" err &&
	trace2 diff --fail-above 15% a b
'

test_expect_success '--fail-above fails for a region that is entered more often' '
	for i in a b
	do
		runs $i wall=$same region:x/y=5,5,5,5,5,5,5,5,5,5 || return 1
	done &&
	for run in b/run-*
	do
		grep region_ $run/events/1 >twice &&
		sed "/region_leave/r twice" $run/events/1 >more &&
		mv more $run/events/1 || return 1
	done &&
	test_expect_code 1 trace2 diff --fail-above 5% a b >out 2>err &&
	test_grep "^trace2: number of region .x/y. grew from 1 to 2, by more than 5% (the same in every run)$" err &&
	test_grep "^more work: +1 region x/y; time: wall 0%" out
'

test_expect_success 'diff on a terminal shows the largest measures, -n shows all' '
	set -- &&
	for i in $(test_seq 10 60)
	do
		set -- "$@" region:a/r$i=1$i,2$i,1$i,1$i,1$i counter:c/c$i=$i,$i,$i,$i,$i || return 1
	done &&
	runs a wall=$same task-clock=$same "$@" &&
	set -- &&
	for i in $(test_seq 10 60)
	do
		set -- "$@" region:a/r$i=3$i,4$i,3$i,3$i,3$i counter:c/c$i=2$i,2$i,2$i,2$i,2$i || return 1
	done &&
	runs b wall=$same task-clock=$same "$@" &&
	for i in 6 7 8 9
	do
		rm -r a/run-000$i b/run-000$i || return 1
	done &&
	rm -r a/run-0010 b/run-0010 &&
	trace2 diff a b >out &&
	test_line_count -le 28 out &&
	test_grep "^Not shown: [0-9]* other rows (-n 100, or --format=json).$" out &&
	trace2 diff -n 100 a b >out &&
	test_line_count -gt 100 out &&
	test_grep ! "^Not shown" out
'

# $1 times, read 10 bytes and write 20.
writes () {
	write_script "$1" <<-EOF
	exec "$PERL_PATH" -e "open F, q(/dev/zero);
		sysread F, \\\$b, 10 and syswrite STDOUT, q(x) x 20 for 1..\$1"
	EOF
}

test_expect_success IO,JQ 'record and stat count reads and writes, calls and bytes, also in children' '
	writes both &&
	trace2 record -q -o io -- sh -c "./both 700 | cat >copy" &&
	jq -c ".io | [.written_bytes, .read_bytes >= 21000,
		.reads >= 701, .writes >= 701]" io/meta.json >actual &&
	trace2 stat -r 4 -q --format=json ./both 100 >out &&
	jq -c ".measures[] | select(.name == \"bytes-written\" or .name == \"writes\") |
		[.name, .min == .max]" out >>actual &&
	test_cmp - actual <<-\EOF
	[28000,true,true,true]
	["bytes-written",true]
	["writes",true]
	EOF
'

test_expect_success IO,ORDINARY_USER,JQ 'an ordinary user gets the same counts of reading and writing as root' '
	writes alike && chmod 755 alike &&
	mkdir -p ordinary && chmod 777 ordinary &&
	trace2 record -q -o io -- ./alike 70 >/dev/null &&
	as_ordinary trace2 record -q -o ordinary/io -- ./alike 70 >/dev/null &&
	jq -c .io io/meta.json >expect &&
	jq -c .io ordinary/io/meta.json >actual &&
	test_grep written_bytes actual &&
	test_cmp expect actual
'

test_expect_success 'diff warns of a measure in --only that was not measured; --fail-above refuses it' '
	runs a wall=$same task-clock=$same &&
	runs b wall=$same task-clock=$same &&
	trace2 diff --only wall,bytes-read a b >out 2>err &&
	test_grep "^trace2: warning: .bytes-read. was not measured$" err &&
	test_expect_code 2 trace2 diff --fail-above 1% --only wall,bytes-read a b \
		>out 2>err &&
	test_grep "^trace2: --fail-above: .bytes-read. was not measured$" err
'

longer=50000,50100,50200,50300,50400,50500,50600,50700,50800,50900

# The text names the measures that the gate judges.
test_expect_success '--fail-above with --only judges each selected measure' '
	runs a wall=$same task-clock=$same &&
	runs b wall=$longer task-clock=$same &&
	test_expect_code 1 trace2 diff --fail-above 5% --only wall,task-clock a b \
		>out 2>err &&
	test_grep "^trace2: run .wall. grew from 5.04ms to 50.4ms" err &&
	verdict "slower: wall +900% (+894% to +906%)"
'

test_expect_success 'verdict: wall decides for a command that mostly waits' '
	runs c wall=$(echo $longer | sed s/50/60/g) task-clock=$same &&
	trace2 diff b c >out &&
	verdict "slower: wall +19.9% (+19.2% to +20.6%), task-clock 0% (-0.6% to +0.6%), 2 counts are the same" &&
	test_expect_code 1 trace2 diff --fail-above 5% b c >out 2>err &&
	test_grep "^trace2: run .wall. grew from 50.4ms to 60.4ms" err &&
	trace2 diff a b >out &&
	verdict "no difference: task-clock 0% (-0.6% to +0.6%), 2 counts are the same; marked (*), but not decisive: wall"
'

test_expect_success 'verdict: failed and incomplete runs are counted in the verdict' '
	sed "s/\"version\":1/&,\"exit_code\":3/" b/run-0002/meta.json >meta &&
	test_grep exit_code meta &&
	mv meta b/run-0002/meta.json &&
	for file in a/run-0001/events/*
	do
		echo garbage >>"$file" || return 1
	done &&
	trace2 diff --only task-clock a b >out 2>err &&
	verdict "no difference: task-clock 0% (-0.6% to +0.6%); 1 of 10 new runs failed; 1 of 10 runs of the base are incomplete"
'

# The lines of its events have times, whose length varies.
# ThreadSanitizer writes, too.
test_expect_success IO,JQ,!TSAN 'bytes of trace events do not count as bytes-written of CMD' '
	trace2 record -q -o io -- test-tool trace2 001return 0 &&
	jq ".event_bytes > 100 and .io.written_bytes == 0 and .io.writes == 0" \
		io/meta.json >actual &&
	echo true | test_cmp - actual
'

test_expect_success IO 'stat finds one percent more reads and writes, since the counts are exact' '
	writes work &&
	trace2 stat -q -r 4 --against "./work 1000" ./work 1010 >out &&
	test_grep "^[a-z ]*: .*+200 bytes written, +100 bytes read, +10 reads, and 1 more count" out &&
	test_grep "^./work 1010: 4 runs in turns$" out &&
	test_expect_code 1 trace2 stat -q -r 4 --fail-above 0.5% --against "./work 1000" \
		./work 1010 >out 2>err &&
	test_grep "run .writes. grew from 1000 to 1010, by more than 0.5% (the same in every run)" err &&
	trace2 stat -q -r 4 --fail-above 0.5% --only writes,reads,bytes-read,bytes-written \
		--against "./work 1000" ./work 1000
'

test_expect_success 'stat names the program of which more processes ran' '
	write_script starts <<-\EOF &&
	i=0
	while test $i -lt $1
	do
		env true
		i=$((i + 1))
	done
	EOF
	trace2 stat -q -r 4 --against "./starts 3" ./starts 13 >out &&
	test_grep "^[a-z ]*: .*+10 processes (true)" out
'

test_expect_success SYSCALLS,JQ '--syscalls counts system calls by kind in all processes' '
	writes work &&
	trace2 stat -r 4 -q --syscalls --format=json sh -c "./work 300; ./work 400" >out &&
	test_write_lines "[\"syscall\",true,true]" true |
	test_prints jq -c "(.measures[] | select(.name == \"write\") |
			[.kind, .min == .max, .mean >= 700 and .mean < 720]),
		([.measures[] | select(.kind == \"syscall\") | .mean] | add) ==
			(.measures[] | select(.name == \"system-calls\") | .mean)" out
'

test_expect_success SYSCALLS '--syscalls shows kinds of system calls that differ, or that one side lacks' '
	writes work &&
	trace2 stat -q -r 4 --syscalls --against "./work 1000" ./work 1010 >out &&
	test_grep "^[a-z ]*: .*+10 read, +10 write, " out &&
	trace2 stat -r 4 -q --syscalls --only system-calls,syscall \
		--against "$PERL_PATH -e 1" -- "$PERL_PATH" -e "mkdir q(d) for 1..9" >out &&
	test_grep "^[a-z ]*: +9 mkdir, +9 system-calls$" out &&
	test_grep "^ *0  *9  *+9  *exact  \*  mkdir$" out &&
	trace2 stat -q -r 4 -o kept --syscalls true &&
	trace2 stat -q -r 4 -o kept-without true &&
	trace2 diff --only syscall kept kept-without >out &&
	test_grep "^Nothing measured" out &&
	trace2 diff --only syscall kept kept >out &&
	test_grep " execve$" out
'

test_expect_success SYSCALLS '--syscalls shows the sum, and with -n each kind of system call' '
	trace2 stat -q --syscalls true >out &&
	test_grep "^  *[1-9][0-9]*  system-calls$" out &&
	test_grep ! execve out &&
	trace2 stat -q --syscalls -n 100 true >out &&
	test_grep "execve$" out
'

test_expect_success SYSCALLS '--syscalls does not count a process that outlives its run in the next run' '
	write_script leaves <<-\EOF &&
	if mkdir begun 2>/dev/null
	then
		"$PERL_PATH" -e "
			do {
				\$over = -e q(over) || ! -d q(begun);
				rmdir q(none);
				select undef, undef, undef, 0.001;
			} until \$over;
			mkdir q(left)" >/dev/null 2>&1 &
	else
		>over
		until test -d left
		do
			sleep 0.01
		done
	fi
	EOF
	PERL_PATH="$PERL_PATH" trace2 stat -r 2 -q -o left-over --syscalls ./leaves &&
	test_grep "\"syscalls\":.*\"rmdir\":" left-over/run-0001/meta.json &&
	test_grep "\"syscalls\":" left-over/run-0002/meta.json &&
	test_grep ! "\"rmdir\":" left-over/run-0002/meta.json
'

test_expect_success SYSCALLS,SETPRIV '--syscalls without permission warns, and stat shows the other measures' '
	setpriv --bounding-set=-bpf,-perfmon,-sys_admin trace2 stat -q --syscalls true >out 2>err &&
	echo "trace2: warning: system calls are not counted: not permitted (it needs CAP_BPF and CAP_PERFMON)" >expect &&
	test_cmp expect err &&
	test_grep wall out &&
	test_grep ! system-calls out
'

cat >allocates.c <<'EOF'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Make each kind of call NR times, in this process and in a child. */
int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 0;
	pid_t child = fork();
	void *p;

	for (; nr > 0; nr--) {
		free(malloc(10));
		free(realloc(calloc(1, 10), 1000));
		free(aligned_alloc(64, 64));
		if (!posix_memalign(&p, 64, 64))
			free(p);
	}
	return child <= 0 ? 0 : waitpid(child, NULL, 0) != child;
}
EOF

test_expect_success ALLOCATIONS,CC '--allocations counts malloc, calloc and the like in all processes' '
	"$CC" -O0 -o allocates allocates.c &&
	trace2 stat -r 4 -q --allocations --only allocations \
		--against "./allocates 100" ./allocates 110 >out &&
	test_grep "^more work: +100 allocations\$" out &&
	trace2 stat -q --allocations ./allocates 1000 >out &&
	allocations=$(sed -n "s/^ *\([0-9]*\)  allocations\$/\1/p" out) &&
	test "$allocations" -ge 10000 &&
	test "$allocations" -lt 11000
'

# Print the probes of all commands, by a mount of our own.
probes () {
	mkdir -p tracefs &&
	unshare -m sh -c "mount -t tracefs none \"\$1\" && cat \"\$1/uprobe_events\"" \
		- "$PWD/tracefs"
}

no_probes_are_left () {
	trace2 stat -q --allocations true >out &&
	probes >after &&
	! grep "trace2_" after
}

test_lazy_prereq PROBES 'probes'
test_expect_success ALLOCATIONS,PROBES '--allocations leaves no probes, even after the command was killed' '
	mkfifo shell go &&
	# Files of the killed command go with the trash directory.
	{ TMPDIR=$PWD trace2 stat -q --allocations \
		sh -c "echo begun >shell; read answer <go" >/dev/null 2>&1 & } &&
	stat=$! &&
	read -r answer <shell &&
	probes >before &&
	test_grep "trace2_[0-9a-f]*_[0-9a-f]*/malloc" before &&
	kill -s KILL $stat &&
	{ wait $stat || :; } &&
	echo over >go &&
	# The probes can be removed once the shell has ended.
	wait_until no_probes_are_left
'

test_expect_success ALLOCATIONS,PROBES '--allocations may be used by two commands at a time' '
	{ trace2 stat -r 10 -q --allocations --only allocations sh -c : >one & } &&
	for i in 1 2 3 4
	do
		trace2 stat -q --allocations --only allocations sh -c : >two 2>err &&
		test_must_be_empty err &&
		test_grep "  allocations\$" two || return 1
	done &&
	wait $! &&
	test_grep "^ *\([0-9]*\)  *0.0%  *\1  .*  allocations\$" one
'

test_expect_success SETPRIV,ORDINARY_USER '--allocations without permission warns, and stat shows the other measures' '
	as_ordinary trace2 stat -q --allocations true >out 2>err &&
	test_grep "^trace2: warning: allocations are not counted: /sys/kernel/tracing: .*CAP_PERFMON, is needed)\$" err &&
	test_grep wall out &&
	test_grep ! allocations out
'

test_expect_success 'stat --against compares in pairs, and names the test of Wilcoxon' '
	trace2 stat -q --against true true >out &&
	test_grep "^P: test of Wilcoxon (pairs)" out
'

# W+ of the differences is 6 of 36: in 26 of 256 cases one as far from the middle.
# The changes from 0 would be the largest ratios.
test_expect_success JQ 'stat compares pairs of runs by difference, not ratio, if a value is 0' '
	write_script counts <<-\EOF &&
	echo "$1" >>"turns.$1"
	shift "$(wc -l <"turns.$1")"
	exec test-tool trace2 200counter "$1"
	EOF
	trace2 stat -q -r 8 --format=json \
		--against "./counts base 100 0 100 0 0 100 100 100" \
		./counts new 50 1 50 1 1 50 50 50 >out &&
	echo "[\"test/test1\",100,50,0.1015625]" |
	test_prints jq -c ".differences[] | select(.kind == \"counter\") |
		[.name, .base, .new, .p]" out
'

test_expect_success INSTRUCTIONS,JQ 'stat counts instructions if the machine can' '
	trace2 stat -q -r 2 --format=json true >out &&
	jq -e ".measures[] | select(.name | startswith(\"instructions\")) | .mean > 1000" out
'

test_expect_success !INSTRUCTIONS 'stat does not name instructions if the machine cannot count them' '
	trace2 stat -q -r 2 -n 100 true >out &&
	test_grep ! instructions out
'

# One computes ten times as much as the other.
test_expect_success COUNT '--until-decided stops when the time is decided' '
	write_script computes <<-EOF &&
	exec "$PERL_PATH" -e "1 for 1 .. \$1"
	EOF
	trace2 stat -q --until-decided --against "./computes 10" ./computes 1000000 >out &&
	test_grep "^\./computes 1000000: 7 runs in turns$" out &&
	test_grep "^Decided after 7 of at most 100 pairs; a wrong verdict" out &&
	test_grep "^slower: .*task-clock" out &&
	trace2 stat -q -r 3 --until-decided --against true true >out &&
	test_grep "^Not decided after 3 of at most 3 pairs" out &&
	test_grep "^cannot tell: " out &&
	trace2 stat -q --until-decided --fail-above 1000% --against true true >out &&
	test_grep "^Decided after [0-9]* of" out &&
	test_expect_code 2 trace2 stat --until-decided true 2>err &&
	test_grep "^trace2: --until-decided needs --against" err
'

# Each run computes twice as much as its pair. Every other pair computes eight
# times as much as the pair before.
test_expect_success COUNT '--until-decided compares runs in pairs, so that changing load does not matter' '
	write_script alike <<-EOF &&
	echo "\$1" >>"turns.\$1"
	test \$((\$(wc -l <"turns.\$1") % 2)) = 0 || set -- "\$1" \$((\$2 * 8))
	exec "$PERL_PATH" -e "1 for 1 .. \$2"
	EOF
	rm -f turns.* &&
	trace2 stat -q -r 9 --only task-clock --until-decided \
		--against "./alike base 100000" ./alike new 400000 >out &&
	test_grep "^Decided after [79] of at most 9 pairs" out &&
	test_grep "^slower: task-clock" out
'

test_done
