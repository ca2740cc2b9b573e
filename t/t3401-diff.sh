#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 diff: two recordings, or two sets of them'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stat.sh

PATH=$GIT_BUILD_DIR/build/bin:$PATH

# ps_of <PAIRS: print the p of diff for the times of two lists of runs, for each
# line "BASE NEW".
ps_of () {
	rm -rf sets && mkdir sets && : >out &&
	nr=0 &&
	set -- &&
	while read -r base new
	do
		nr=$((nr + 1)) &&
		set -- "$@" "sets/b$nr" "wall=$base" -- "sets/n$nr" "wall=$new" -- ||
		return 1
	done &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3401/runs.perl "$@" &&
	for i in $(test_seq "$nr")
	do
		trace2 diff --only run --format=json "sets/b$i" "sets/n$i" >>out ||
		return 1
	done &&
	jq -r ".differences[] | select(.name == \"wall\") | .p" out >values &&
	awk "{ printf \"%.9f\\n\", \$1 }" values
}

test_expect_success 'diff shows base, new, delta and ratio of runs, events, regions, timers, counters' '
	runs base wall=10000,11000,12000,13000,14000 \
		page-faults=200,200,200,200,200 region:index/read=4000,4000,4000,4000,4000 \
		region:index/write=1000,1000,1000,1000,1000 timer:io/read=500,500,500,500,500 \
		counter:io/bytes=7,7,7,7,7 &&
	runs new wall=20000,21000,22000,23000,24000 \
		page-faults=150,150,150,150,150 region:index/read=9000,9000,9000,9000,9000 \
		region:index/write=1000,1000,1000,1000,1000 timer:io/read=250,250,250,250,250 \
		counter:io/bytes=14,14,14,14,14 &&
	cat >expect <<-\EOF &&
	   BASE     NEW    DELTA  RATIO      P     RUN
	12.000 ms  22.000 ms  +10.000 ms   1.83  0.008  *  wall
	     1       1        0   1.00            processes

	BASE  NEW  DELTA  RATIO      P     EVENT
	 200  150    -50   0.75  0.008  *  page-faults

	BASE ms  NEW ms   DELTA ms  RATIO      P     PROCESS (SUM)
	 6.000  11.000  +5.000   1.83  0.008  *  prog

	BASE ms  NEW ms    DELTA ms  RATIO      P     REGION (SUM)
	 4.000  9.000  +5.000   2.25  0.008  *  index/read
	 1.000  1.000     0.000   1.00            index/write

	BASE us  NEW us   DELTA us  RATIO      P     TIMER (SUM)
	 500  250  -250   0.50  0.008  *  io/read

	BASE  NEW  DELTA  RATIO      P     COUNTER
	   7   14     +7   2.00  exact  *  io/bytes

	Medians of 5 and 5 runs. * P < 0.05.
	P: test of Mann and Whitney, by Holm for all of a kind.
	Counts: 5 are the same in every run, 1 differs exactly, 1 varies.

	slower: wall +83.3% (+53.8% to +120%), from index/read 4.00ms -> 9.00ms, +7 counter io/bytes
	EOF
	trace2 diff -n 9 base new >actual &&
	tr -s " " <expect >expect.words && tr -s " " <actual >actual.words &&
	test_cmp expect.words actual.words
'

# runs_of_states DIR CPU...: make a set of recordings of prog, which computes for
# so many us, waits for 50 us, and has no CPU for 7 us.
runs_of_states () {
	local set="$1" cpu &&
	shift &&
	mkdir "$set" &&
	for cpu
	do
		"$PERL_PATH" "$TEST_DIRECTORY"/t3130/kernel.perl "$set/run-$cpu" \
			<<-EOF || return 1
		0 0 fork 10 10 1 1
		1 0 comm 10 10 prog exec
		7 0 in 10 10
		$((7 + cpu)) 0 out 10 10
		$((57 + cpu)) 0 in 10 10
		$((58 + cpu)) 0 exit 10 10
		EOF
	done
}

test_expect_success JQ 'diff marks which of the states cpu, wait and ready of a process changed' '
	runs_of_states short 21 22 23 24 25 &&
	runs_of_states long 41 42 43 44 45 &&
	trace2 diff --only cpu,wait,ready --format=json short long >out &&
	test_prints jq -c ".differences[] |
		[.kind, .name, .base, .new, .significant == true]" out <<-\EOF
	["cpu","prog",24000,44000,true]
	["wait","prog",50000,50000,false]
	["ready","prog",7000,7000,false]
	EOF
'

test_expect_success 'diff of two sets of runs shows summed CPU times, and summed waits with -n' '
	for set in slow slower
	do
		cpu=20 && { test $set = slow || cpu=40; } &&
		mkdir $set &&
		for i in 1 2 3 4 5
		do
			cat >records <<-EOF &&
			0 0 fork 10 10 1 1
			1 0 comm 10 10 prog exec
			2 0 in 10 10
			$((cpu + i)) 0 out 10 10
			$((cpu * 5 + i * 2)) 0 in 10 10
			$((cpu * 6 + i * 3)) 0 exit 10 10
			EOF
			"$PERL_PATH" "$TEST_DIRECTORY"/t3130/kernel.perl $set/run-000$i \
				<records || return 1
		done || return 1
	done &&
	trace2 diff slow slower >out &&
	test_grep "CPU (SUM)" out &&
	test_grep ! "WAIT (SUM)" out &&
	trace2 diff -n 9 slow slower >out &&
	test_grep "WAIT (SUM)" out
'

test_expect_success JQ 'diff: p equals the exact Mann-Whitney test, counted over all divisions' '
	cat >pairs <<-\EOF &&
	1,2,3,4 5,6,7,8
	1,3,5,7 2,4,6,8
	1,2,2,3,9 2,4,4,8,9,10
	5,5,5,5 5,5,5,6
	1,1,1,1,2 1,2,2,2,2,2,2
	7 1,2,3,4,5,6,8,9
	10,20,30 10,20,30,40,50,60,70
	1,2,3,4,5,6,7,8 101,102,3,4,5,106,107,108
	9,9,9,2,2,2,1 2,2,9,9,9,9
	EOF
	xargs -n 2 "$PERL_PATH" "$TEST_DIRECTORY"/t3401/mann-whitney.perl \
		<pairs >expect &&
	ps_of <pairs >actual &&
	test_cmp expect actual
'

# Hollander and Wolfe, 1973, table 4.1: permeability of membranes. The one-sided
# p is printed there as 0.1272; it is 382 of 3003 ways.
test_expect_success JQ 'diff: p of a textbook example is the same as in the book' '
	echo 80,83,189,104,145,138,191,164,73,146 115,88,90,74,121 | ps_of >actual &&
	echo 0.254412254 | test_cmp - actual
'

test_expect_success JQ 'diff: p of many runs is the normal approximation with ties' '
	base=$(test_seq 1 40 | tr "\n" "," | sed "s/,$//") &&
	new=$(test_seq 4 53 | awk "{ print int(\$1 / 2) * 2 }" | tr "\n" "," |
		sed "s/,$//") &&
	echo "$base $new" | ps_of >actual &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3401/normal-p.perl "$base" "$new" >expect &&
	awk "{ printf \"%.8f\n\", \$1 }" actual >rounded &&
	test_cmp expect rounded
'

test_expect_success 'diff finds no difference between runs that do not differ' '
	runs a wall=10100,10900,10200,10800,10300,10700,10400,10600,10500,12000 \
		region:x/y=500,510,520,530,540,550,560,570,580,590 &&
	runs b wall=10150,10850,10250,10750,10350,10650,10450,10550,10000,13000 \
		region:x/y=505,515,525,535,545,555,565,575,585,500 &&
	trace2 diff --fail-above 0% a b >actual &&
	! grep " \* " actual &&
	test_grep "No difference is significant (P < 0.05).$" actual
'

# 60 pairs of sets of one distribution, always the same, of which 3 may be reported
# as different by chance (and more than 8 with a probability below 1 in 100). A
# usual run compares the first 8.
pairs=8
test_have_prereq !EXPENSIVE || pairs=60
test_expect_success JQ 'diff reports a difference in at most 8 of 60 pairs that differ by chance' '
	"$PERL_PATH" "$TEST_DIRECTORY"/t3401/same-pairs.perl | head -n $pairs >some &&
	ps_of <some >ps &&
	test_line_count = $pairs ps &&
	nr=$(awk "\$1 < 0.05" ps | wc -l) &&
	test "$nr" -le $((pairs * 8 / 60)) &&
	# P is not always 1, either.
	awk "\$1 < 0.5" ps >half &&
	test_line_count -gt $((pairs / 6)) half
'

test_expect_success JQ 'diff corrects p for the number of names compared' '
	up=11,12,13,14,15 && low=1,2,3,4,5 && mixed=1,12,3,14,5 && other=2,11,4,13,6 &&
	runs b region:a/a=$low region:a/b=$mixed region:a/c=$mixed &&
	runs n region:a/a=$up region:a/b=$other region:a/c=$other &&
	trace2 diff --only region --format=json b n >out &&
	# 2 of 252 ways, three times; the others are near 1 anyway.
	test_prints jq -r "(.differences[] | \"\(.name) \(.p * 252 | round) \(.significant)\"),
		(.tests[] | tojson)" out <<-\EOF
	a/a 6 true
	a/b 252 false
	a/c 252 false
	{"kind":"region","tested":3,"can_tell":true,"runs_needed":5}
	EOF
'

test_expect_success 'diff shows measures of runs in fixed order, not by difference' '
	runs b wall=1000,1000,1000,1000 a-count=1,1,1,1 z-count=5,5,5,5 &&
	runs n wall=1001,1001,1001,1001 a-count=2,2,2,2 z-count=900,900,900,900 &&
	trace2 diff -n 9 b n >actual &&
	sed -n "/^Medians/q; s/.* \\(wall\\|processes\\|[az]-count\\)$/\\1/p" actual >names &&
	test_write_lines wall processes a-count z-count | test_cmp - names
'

# With 40 names the least P is 40 times 2 of 252: no difference could be marked.
test_expect_success 'diff reports too many names for significance, and --fail-above ignores them' '
	for i in $(test_seq 10 49)
	do
		printf "%s " "region:a/$i=1,2,3,4,5" >>few.b &&
		printf "%s " "region:a/$i=11,12,13,14,15" >>few.n || return 1
	done &&
	# shellcheck disable=SC2046 # words
	runs b wall=1,1,1,1,1 $(cat few.b) &&
	# shellcheck disable=SC2046 # words
	runs n wall=1,1,1,1,1 $(cat few.n) &&
	trace2 diff --only region b n >actual &&
	sed -n "/^Medians/,/^Use at/p" actual >legend &&
	test_cmp - legend <<-\EOF &&
	Medians of 5 and 5 runs. No difference is significant (P < 0.05).
	P: test of Mann and Whitney, by Holm for all of a kind.
	40 regions: too few runs to tell a difference from chance in any of them.
	Use at least 7 on each side, or fewer regions (-N, -t).
	EOF
	test_expect_code 2 trace2 diff --only region --fail-above 5% b n >out 2>err &&
	test_grep "^trace2: warning: --fail-above ignores 40 regions: 5 and 5 runs .*use -r 7 or more" err &&
	test_expect_code 1 trace2 diff --only region,process --fail-above 5% \
		b n >out 2>err &&
	test_grep "process .prog. grew" err &&
	test_grep "ignores 40 regions" err
'

# Only names that were selected are tested.
test_expect_success 'diff -N: p is smaller if fewer names are compared' '
	test_expect_code 1 trace2 diff -N "a/1[0-4]" --only region --fail-above 5% \
		b n >out 2>err &&
	! grep "fail-above ignores" err &&
	test_grep " 0.040  \*  a/10$" out &&
	trace2 diff -N a/10 --only region b n >out &&
	test_grep " 0.008  \\*  a/10$" out
'

test_expect_success 'diff of one run on each side reports that it cannot judge' '
	runs a wall=1000 && runs b wall=9000 &&
	test_prints trace2 diff --only run a b <<-\EOF &&
	    BASE       NEW      DELTA  RATIO      P  RUN
	1.000 ms  9.000 ms  +8.000 ms   9.00  1.000  wall
	       1         1          0   1.00         processes

	One run each cannot tell a difference from
	chance: use at least four on each side (trace2 stat -r 10).

	cannot tell: 1 and 1 runs are too few (-r 10)
	EOF
	test_expect_code 2 trace2 diff --fail-above 5% a b 2>err &&
	test_grep "fail-above: 1 and 1 runs are too few" err
'

test_expect_success 'diff judges four runs on each side, but not three' '
	runs a wall=1,2,3 && runs b wall=7,8,9 &&
	trace2 diff a b >actual &&
	test_grep "^Medians of 3 and 3 runs. So few runs cannot tell" actual &&
	runs one wall=1 &&
	trace2 diff one b >actual &&
	test_grep "^Medians of 1 and 3 runs. So few runs cannot tell" actual &&
	test_expect_code 2 trace2 diff --fail-above 5% a b 2>err &&
	runs a wall=1000,2000,3000,4000 && runs b wall=6000,7000,8000,9000 &&
	test_expect_code 1 trace2 diff --only run --fail-above 5% a b 2>err &&
	echo "trace2: run '\''wall'\'' grew from 2.00ms to 7.00ms, by more than 5% (p = 0.029)" >expect &&
	test_cmp expect err
'

test_expect_success 'diff compares sides with different numbers of runs' '
	runs a wall=1000,2000,3000 && runs b wall=6000,7000,8000,9000,9500,9600,9700 &&
	trace2 diff --only run a b >actual &&
	test_grep "^2.000 ms  9.000 ms  +7.000 ms   4.50  0.017  \*  wall$" actual &&
	test_grep "^Medians of 3 and 7 runs. \* P < 0.05.$" actual
'

test_expect_success 'diff --fail-above counts only significant growth above the limit' '
	runs a wall=1000,1010,1020,1030,1040 page-faults=1,2,3,4,5 &&
	runs b wall=1100,1110,1120,1130,1140 page-faults=1,2,3,4,5 &&
	test_expect_code 1 trace2 diff --only run --fail-above 5% a b &&
	trace2 diff --only run --fail-above 15% a b &&
	trace2 diff --only run --fail-above 5% b a &&
	trace2 diff --only event --fail-above 5% a b &&
	runs b wall=900,1110,1120,1130,1000 &&
	trace2 diff --only run --fail-above 1% a b
'

test_expect_success JQ 'diff shows a measure that only one side has as new or gone, without p' '
	runs a wall=1,1,1,1,1 region:old/name=5000,5000,5000,5000,5000 task-clock=1,-,1,1,1 &&
	runs b wall=1,1,1,1,1 region:new/name=6000,6000,6000,6000,6000 &&
	trace2 diff --only region,event a b >actual &&
	test_grep "6.000  *+6.000 .* new .*new/name$" actual &&
	test_grep "5.000 .* -5.000 .* gone .*old/name$" actual &&
	test_grep "gone .*task-clock$" actual &&
	trace2 diff --only region --fail-above 0% a b &&
	trace2 diff --only region --format=json a b >out &&
	test_prints jq -c ".differences[] | [.name, .side, .base, .new, .delta, .p, .significant]" out <<-\EOF
	["new/name","new",null,6000000,6000000,null,null]
	["old/name","base",5000000,null,-5000000,null,null]
	EOF
'

test_expect_success JQ 'diff counts a region as 0 in a run that did not enter it' '
	runs a region:x/y=100,100,0,0,0 && runs b region:x/y=100,100,100,0,0 &&
	trace2 diff --only region --format=json a b >out &&
	jq -c ".differences[] | [.base, .new, .base_calls, .new_calls]" out >actual &&
	echo "[0,100000,0,1]" | test_cmp - actual &&
	trace2 diff --only region a b >actual &&
	test_grep "0 -> 1 .*x/y$" actual
'

test_expect_success 'diff shows the largest difference first' '
	runs a region:a/a=100 region:a/b=100 region:a/c=100 region:a/d=900 &&
	runs b region:a/a=150 region:a/b=400 region:a/c=110 region:a/d=100 &&
	trace2 diff --only region a b >out &&
	test_write_lines a/d a/b a/a a/c |
	test_prints awk "/a\// { print \$NF }" out &&
	trace2 diff --only region -n 2 a b >out &&
	test_write_lines a/d a/b | test_prints awk "/a\// { print \$NF }" out
'

test_expect_success 'diff: -N, -t and --only select rows' '
	trace2 diff -N "a/[ab]" --only region a b >out &&
	test_write_lines a/b a/a | test_prints awk "/a\// { print \$NF }" out &&
	trace2 diff -t 200us --only region a b >out &&
	test_write_lines a/d a/b | test_prints awk "/a\// { print \$NF }" out &&
	test_expect_code 2 trace2 diff --only regions a b 2>err &&
	test_grep "^trace2: invalid kind .regions.: --only takes run, event" err
'

test_expect_success 'diff --format=md prints a table' '
	runs a wall=1000,1000,1000,1000 "region:a|b/c_d=5,5,5,5" &&
	runs b wall=3000,3000,3000,3000 "region:a|b/c_d=5,5,5,5" &&
	test_prints trace2 diff --only run,region --format=md a b <<-\EOF
	| BASE | NEW | DELTA | RATIO | P |  | RUN |
	|--:|--:|--:|--:|--:|:--|:--|
	| 1.000 ms | 3.000 ms | +2.000 ms | 3.00 | 0.029 | \* | wall |
	| 1 | 1 | 0 | 1.00 |  |  | processes |

	| BASE us | NEW us | DELTA us | RATIO | REGION (SUM) |
	|--:|--:|--:|--:|:--|
	| 5 | 5 | 0 | 1.00 | a\|b/c\_d |

	Medians of 4 and 4 runs. * P < 0.05.
	P: test of Mann and Whitney, by Holm for all of a kind.
	Counts: 2 are the same in every run, 0 differ exactly, 0 vary.

	**slower**: wall +200% (+200% to +200%), 2 counts are the same
	EOF
'

test_expect_success 'diff --format=csv prints a table' '
	test_prints trace2 diff --only run,region --format=csv a b <<-\EOF
	kind,unit,base,new,delta,ratio,p,significant,exact,side,base_calls,new_calls,exact_calls,base_at_least,new_at_least,name
	run,ns,1000000,3000000,2000000,3,0.0285714285714,true,,both,,,,false,false,wall
	run,,1,1,0,1,,false,same,both,,,,false,false,processes
	region,ns,5000,5000,0,1,,,,both,1,1,same,false,false,a|b/c_d
	EOF
'

test_expect_success 'diff: all inputs given by -i are the base, all arguments are the new side' '
	runs a wall=1000,2000 && runs b wall=5000,6000 &&
	trace2 diff --only run -i a/run-0001 -i a/run-0002 b/run-0001 b/run-0002 \
		>actual &&
	trace2 diff --only run a b >expect &&
	test_cmp expect actual &&
	trace2 diff --only run -i a/run-0001 b >actual &&
	test_grep "^Medians of 1 and 2 runs" actual
'

test_expect_success 'diff leaves replaced recordings (.old) out of a set' '
	cp -R b/run-0001 b/run-0001.old &&
	trace2 diff --only run a b >actual &&
	test_grep "^Medians of 2 and 2 runs" actual
'

test_expect_success 'diff compares inputs without meta.json' '
	trace2 diff -n 100 "$TEST_DIRECTORY"/traces/status.event \
		"$TEST_DIRECTORY"/traces/status.event >actual &&
	test_grep " 0.000 .*index/refresh$" actual &&
	test_grep " 0.000 ms .*wall$" actual
'

test_expect_success 'diff reports usage errors and missing inputs' '
	test_expect_code 2 trace2 diff a 2>err &&
	test_grep "^trace2: needs two words, BASE and NEW" err &&
	test_expect_code 2 trace2 diff -i a 2>err &&
	test_grep "^trace2: no new runs given" err &&
	test_expect_code 128 trace2 diff a nowhere 2>err &&
	test_grep "^trace2: cannot read .nowhere.: No such file" err &&
	for value in much 5 1 -5%
	do
		test_expect_code 2 trace2 diff --fail-above $value a b 2>err &&
		test_grep "is not a value of --fail-above: it takes a percentage such as 5%" err ||
		return 1
	done
'

# meta_says DIR TEXT: add this to the recordings of a set.
meta_says () {
	text=$2 "$PERL_PATH" -pi -e "s/\\}\$/,\$ENV{text}}/" "$1"/run-*/meta.json
}

test_expect_success 'diff refuses a side without a run' '
	mkdir -p nothing &&
	test_expect_code 128 trace2 diff --fail-above 5% nothing a >out 2>err &&
	test_must_be_empty out &&
	test_grep "^trace2: nothing to compare: the base has no runs (.trace2 record. and .trace2 stat -o DIR. make some)$" err &&
	test_expect_code 128 trace2 diff a nothing 2>err &&
	test_grep "^trace2: nothing to compare: the new side has no runs (" err &&
	mkdir blank && : >blank/one && : >blank/two &&
	test_expect_code 128 trace2 diff a blank 2>err &&
	test_grep "^trace2: warning: .blank.: 2 zero-sized files, nothing to do! " err &&
	test_expect_code 128 trace2 diff a blank/one 2>err &&
	test_grep "^trace2: warning: .blank/one.: zero-sized file, nothing to do! " err
'

test_expect_success 'diff reports a selection that matches nothing; with --fail-above it is an error' '
	runs a wall=1,1,1,1,1 region:x/y=1,1,1,1,1 &&
	trace2 diff --only region -N typo a a >out &&
	echo "Nothing measured matches --only, -N and -t." | test_cmp - out &&
	test_expect_code 2 trace2 diff --fail-above 5% --only region -N typo a a \
		2>err &&
	test_grep "^trace2: --fail-above: nothing measured matches --only" err
'

test_expect_success JQ 'diff reports sides from different machines' '
	runs a wall=1,2,3,4,5 && runs b wall=1,2,3,4,5 &&
	meta_says a "\"host\":\"one\",\"cpus\":64,\"kernel\":\"L\",\"programs\":{\"trace2\":\"9\"}" &&
	meta_says b "\"host\":\"two\",\"cpus\":2,\"kernel\":\"L\",\"programs\":{\"trace2\":\"9\"}" &&
	trace2 diff --only run a b >out &&
	sed -n "/^The two sides/,/^\$/p" out | sed "/^\$/d" >actual &&
	test_cmp - actual <<-\EOF &&
	The two sides differ in how they were made, which may explain the difference:
	- host: one -> two
	- cpus: 64 -> 2
	EOF
	trace2 diff --only run --format=md a b >out &&
	test_grep "^- host: .one. -> .two.$" out &&
	trace2 diff a a >out &&
	test_grep ! "^The two sides" out &&
	trace2 diff --format=json a b >out &&
	test_prints jq -c ".sides[]" out <<-\EOF &&
	{"side":"base","runs":5,"failed":0,"lost":0,"host":"one","machine":null,"cpus":64,"kernel":"L","trace2":"9"}
	{"side":"new","runs":5,"failed":0,"lost":0,"host":"two","machine":null,"cpus":2,"kernel":"L","trace2":"9"}
	EOF
	mv b/run-0001 a/run-0009 &&
	trace2 diff --only run a b >out &&
	test_grep "^- host: several -> two$" out
'

test_expect_success JQ 'diff counts and reports failed runs' '
	runs a wall=1,2,3,4,5 && runs b wall=1,2,3,4,5 &&
	meta_says a "\"exit_code\":0" && meta_says b "\"exit_code\":3" &&
	rm -r b/run-0005 && cp -R a/run-0005 b/ &&
	trace2 diff a b >out 2>err &&
	test_grep "^trace2: warning: 0 of 5 runs of the base and 4 of 5 new ones failed" err &&
	meta_says a "\"exit_signal\":9" &&
	trace2 diff --format=json a b 2>err >out &&
	echo "[5,4]" | test_prints jq -c "[.sides[].failed]" out
'

test_expect_success 'diff: hostile numbers in meta.json do no harm' '
	runs a wall=1000 &&
	for text in "{}" "{\"wall_ns\":-9223372036854775808}" \
		"{\"wall_ns\":18446744073709551615,\"counters\":{\"x\":[]}}" \
		"{\"counters\":{\"x\":{\"value\":\"1\",\"unit\":7}},\"rusage\":{\"user_ns\":null}}" \
		"{\"counters\":{\"x\":{\"value\":1,\"enabled_ns\":5,\"running_ns\":0}}}" \
		"{\"wall_ns\":9223372036854775807,\"rusage\":[]}"
	do
		echo "$text" >a/run-0001/meta.json &&
		trace2 diff a a >out 2>err &&
		test_grep "wall$" out || return 1
	done
'

test_expect_success SECCOMP,JQ 'diff shows the time of a process without a known end as >=' '
	for end in kill exit
	do
		denied all trace2 record -q --no-ptrace \
			-o $end -- sh -c "\"\$0\" 1 1 $end </dev/null >ready; exit 0" \
			"$GIT_BUILD_DIR/build/hosts/worker" || return 1
	done &&
	trace2 diff -n 9 kill exit >out &&
	test_grep "^ *>= [0-9.]* .* worker\$" out &&
	trace2 diff -n 9 exit kill >out &&
	test_grep "^ *[0-9.]*  *>= [0-9.]* .* worker\$" out &&
	trace2 diff --format=json exit kill >out &&
	jq -e ".differences[] | select(.name == \"worker\" and .kind == \"process\") |
		.base_at_least == false and .new_at_least == true" out &&
	cp -R kill/events stream &&
	trace2 diff exit stream >out &&
	test_grep ">= [0-9.]* .* wall\$" out
'

test_done
