#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 stat: a command several times, and its costs'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-perf.sh
. "$TEST_DIRECTORY"/lib-stat.sh
. "$TEST_DIRECTORY"/lib-terminal.sh

PATH=$GIT_BUILD_DIR/build/bin:$PATH
test_lazy_prereq NO_CYCLES 'trace2 stat -e list | grep "^cpu-cycles.* no "'

# Print the value of a measure: $1 an expression of jq, $2 its name; from JSON
# in out.
measure () {
	jq -r ".measures[] | select(.name == \"$2\" or .name == \"$2:u\") | $1" out
}

test_expect_success 'stat runs CMD the requested number of times, and warm-ups do not count' '
	write_script once <<-\EOF &&
	echo run >>runs
	echo "to stdout"
	EOF
	trace2 stat -r 3 --warmup 2 ./once >out 2>err &&
	test_line_count = 5 runs &&
	test_line_count = 5 out &&
	test_grep "^./once: 3 runs after 2 warm-up runs$" err &&
	test_grep "MEAN  *±  *P50  *P90  *P99  *MAX  RUN$" err &&
	test_grep " processes$" err
'

test_expect_success 'stat of one run shows one value' '
	trace2 stat ./once >out 2>err &&
	test_grep "^./once: 1 run$" err &&
	test_grep "^ *VALUE  RUN$" err &&
	! grep "±" err &&
	LC_ALL=C trace2 stat -r 3 true 2>err &&
	test_grep "MEAN  *+-  *P50" err &&
	test_grep "^+- is the standard error of the mean" err &&
	! grep "±" err
'

test_expect_success 'stat -q shows the report in place of the output of CMD' '
	trace2 stat -q ./once >out 2>err &&
	test_grep "^./once: 1 run$" out &&
	! grep "to stdout" out &&
	test_must_be_empty err
'

test_expect_success JQ 'stat computes mean, error and percentiles from the recordings' '
	trace2 stat -q -r 7 -o set --format=json ./once >out &&
	# Nanoseconds may be rounded either way.
	jq -s --slurpfile out out "map(.wall_ns) | sort | . as \$v | (add / 7) as \$mean |
		[\$mean, (map((. - \$mean) * (. - \$mean)) | add / 6 / 7 | sqrt),
		 .[0], .[3], .[6], .[6], .[6]] as \$expect |
		\$out[0].measures[] | select(.name == \"wall\") |
		[.mean, .error, .min, .p50, .p90, .p99, .max] as \$actual |
		([\$expect, \$actual] | map(map(round)) | transpose |
			map(.[0] - .[1] | fabs) | max <= 1), .runs" \
		set/run-*/meta.json >actual &&
	test_write_lines true 7 | test_cmp - actual
'

test_expect_success JQ,COUNT 'stat counts events in CMD and its children' '
	write_script children <<-\EOF &&
	for i in $*
	do
		env true
	done
	EOF
	for children in "" "$(test_seq 20)"
	do
		trace2 stat -q -e page-faults,task-clock --format=json \
			./children $children || return 1
	done >outs &&
	# Each of the programs has its own pages, more than 20 of them.
	jq -s -c "(map([.measures[] | select(.name | test(\"^page-faults(:u)?\$\")).mean]) |
			length == 2 and all(length == 1) and
			.[0][0] > 20 and .[1][0] - .[0][0] > 20 * 20),
		[.[1].measures[] | select(.name | test(\"^task-clock(:u)?\$\")).unit]" outs >actual &&
	test_write_lines true "[\"ns\"]" | test_cmp - actual
'

test_expect_success JQ,COUNT,PERF_STAT 'stat counts as many page faults as perf stat' '
	trace2 stat -q -r 3 -e page-faults --format=json -- perl -e "1" >out &&
	perf stat -x, -r 3 -e page-faults perl -e "1" 2>perf &&
	theirs=$(cut -d, -f1 perf) && test -n "$theirs" &&
	# The address of the stack is random, which changes the number by some
	# pages.
	echo true |
	test_prints measure ".mean - $theirs | fabs < 25" page-faults
'

test_expect_success JQ,COUNT 'stat shows an event that is given by two names once' '
	trace2 stat -q -e cs,context-switches,faults:u --format=json true >out &&
	jq -r ".measures[] | select(.kind == \"event\") | .name" out |
		sed "s/:u$//" >actual &&
	test_write_lines context-switches page-faults | test_cmp - actual
'

test_expect_success JQ,NO_CYCLES 'stat: an event that the machine cannot count is reported, not shown as 0' '
	trace2 stat -e cycles true >out 2>err &&
	test_grep "^ *-  cpu-cycles (not supported)$" err &&
	trace2 record -e cycles,page-faults -o cycles true &&
	trace2 report --counters cycles 2>err &&
	echo "trace2: warning: event .cpu-cycles. was not counted: not supported" >expect &&
	test_grep "^$(cat expect)$" err &&
	trace2 diff --only event cycles cycles >out &&
	test_grep "page-faults" out &&
	! grep cycles out &&
	trace2 stat -q -e cycles --format=json true >out &&
	echo "[0,null,\"not supported\"]" |
	test_prints measure "[.runs, .mean, .note] | tojson" cpu-cycles
'

test_expect_success 'stat -e passes events of programs to CMD in GIT_TRACE2_COUNTERS' '
	trace2 stat -e task-clock,app/odb/unzip/,process/maxrss/ -- \
		sh -c "echo \"\$GIT_TRACE2_COUNTERS\"" >actual 2>err &&
	echo app/odb/unzip/,process/maxrss/ | test_cmp - actual &&
	GIT_TRACE2_COUNTERS=mine trace2 stat -e task-clock -- \
		sh -c "echo \"\$GIT_TRACE2_COUNTERS\"" >actual 2>err &&
	echo mine | test_cmp - actual
'

test_expect_success 'stat: events that no program counted are reported' '
	trace2 stat -q -e process/maxrss/,app/odb/none/ -- true >out 2>err &&
	cat >expect <<-\EOF &&
	trace2: warning: no program with libtrace2 counted '\''process/maxrss/'\'' (to see why: '\''trace2 record -e'\'', then '\''trace2 list -v --errors'\'')
	trace2: warning: no program with libtrace2 counted '\''app/odb/none/'\'' (to see why: '\''trace2 record -e'\'', then '\''trace2 list -v --errors'\'')
	EOF
	test_cmp expect err &&
	trace2 stat -q -e process/maxrss/,app/odb/none/ -- \
		test-tool trace2 001return 0 >out 2>err &&
	test_grep "perf/process/maxrss/" out &&
	sed 1d expect >expect.one &&
	test_cmp expect.one err
'

test_expect_success 'stat: a list without an event is refused' '
	for list in "" , "{}"
	do
		test_expect_code 2 trace2 stat -e "$list" true 2>err &&
		echo "trace2: no event in '\''$list'\'' ('\''-e list'\'' lists them)" >expect &&
		test_cmp expect err || return 1
	done &&
	test_expect_code 2 trace2 record -e "" true 2>err &&
	test_grep "no event in" err
'

test_expect_success COUNT 'stat: impossible groups and duplicates are refused' '
	trace2 stat -q -e "{nosuch/event/,page-faults}" true >out &&
	test_grep "^ *-  nosuch/event/ (this machine has no PMU of that name)$" out &&
	test_grep "^ *-  page-faults (the first event of its group could not be counted)$" out &&
	trace2 stat -q -e "page-faults:u,nosuch/event/,{page-faults:u,minor-faults:u}" true >out &&
	test_grep "^ *[0-9]*  minor-faults:u$" out
'

test_expect_success 'stat and record: a counted event with a period is refused' '
	for command in stat record
	do
		test_expect_code 2 trace2 $command -e cs,page-faults:u:10 true 2>err &&
		echo "trace2: event '\''page-faults:u:10'\'': a counted event takes no period (to sample, set GIT_TRACE2_SAMPLE)" >expect &&
		test_cmp expect err || return 1
	done
'

test_expect_success 'stat: an event unknown to the machine is reported with the reason' '
	trace2 stat -q -e nosuch/event/ true >out &&
	test_grep "^ *-  nosuch/event/ (this machine has no PMU of that name)$" out
'

test_expect_success COUNT 'stat: a pinned group is counted' '
	trace2 stat -q -e "{task-clock,page-faults:u}:D" true >out &&
	test_grep "page-faults:u" out &&
	test_grep ! "page-faults.*(" out
'

test_expect_success 'stat and record: -e list lists events' '
	trace2 stat -e list >out &&
	test_grep "^EVENT  *KIND  *UNIT  *HERE  *WHAT IT COUNTS$" out &&
	test_grep "^page-faults  *software .* page faults; also faults$" out &&
	test_grep "^process/maxrss/  *process  *bytes  *program" out &&
	trace2 record -e list >actual &&
	test_cmp out actual
'

test_expect_success JQ,COUNT 'record -e counts events of the command' '
	trace2 record -e page-faults -o counted true 2>err &&
	jq ".counters | to_entries[0].value.value > 10" counted/meta.json >actual &&
	echo true | test_cmp - actual &&
	trace2 report --counters -i counted >out &&
	test_grep "^VALUE  COUNTER$" out &&
	test_grep "^ *[0-9][0-9]*  page-faults\(:u\)*$" out &&
	trace2 diff counted counted >out &&
	test_grep " page-faults\(:u\)*$" out
'

test_expect_success 'stat: invalid events and other usage errors are refused' '
	test_expect_code 2 trace2 stat -e no-such-event true 2>err &&
	test_grep "^trace2: event .no-such-event.: .*-e list. lists the named" err &&
	test_expect_code 2 trace2 record -e no-such-event true 2>err &&
	test_grep "^trace2: event .no-such-event.: " err &&
	test_expect_code 2 trace2 stat 2>err &&
	test_grep "^trace2: no command given" err &&
	test_expect_code 2 trace2 stat -r 0 true 2>err &&
	test_grep "^trace2: -r must be at least 1" err &&
	test_expect_code 2 trace2 stat --fail-above 5% true 2>err &&
	test_grep "^trace2: --fail-above needs a --baseline or --against" err &&
	test_expect_code 2 trace2 stat --baseline . --against true true 2>err &&
	test_grep "^trace2: --baseline and --against exclude each other" err &&
	test_expect_code 2 trace2 stat --against "a | b" true 2>err &&
	test_grep "^trace2: --against .a | b.: quote it, or run a shell: sh -c" err &&
	test_expect_code 127 trace2 stat --against no-such-command true 2>err &&
	test_grep "cannot run .no-such-command.: command not found" err &&
	test_expect_code 128 trace2 stat --baseline nowhere true 2>err &&
	test_grep "^trace2: cannot read .nowhere.: No such file" err
'

test_expect_success 'stat exits with the first code of CMD that is not 0' '
	write_script fails <<-\EOF &&
	echo run >>fails.runs
	test $(wc -l <fails.runs) -ne 2 || exit 3
	test $(wc -l <fails.runs) -ne 4 || exit 4
	EOF
	test_expect_code 3 trace2 stat -r 5 ./fails 2>err &&
	test_grep "^./fails: 5 runs; 2 failed, the first with exit 3$" err &&
	test_expect_code 143 trace2 stat -- sh -c "kill -TERM \$\$" 2>err &&
	test_grep "1 failed, the first with exit 143" err
'

test_expect_success JQ 'stat: JSON says which runs failed' '
	write_script every-second <<-\EOF &&
	echo x >>odd-and-even
	exit $(($(wc -l <odd-and-even) % 2 * 5))
	EOF
	test_expect_code 5 trace2 stat -q -r 4 --warmup 1 --format=json \
		./every-second >out &&
	echo "[[0,5,0,5],2,5]" |
	test_prints jq -c "[[.runs[].code], .stat[0].failed, .stat[0].code]" out
'

test_expect_success 'stat: a CMD that cannot run leaves the earlier set of runs, and creates none' '
	test_expect_code 127 trace2 stat -o kept no-such-command 2>err &&
	test_grep "cannot run .no-such-command.: command not found" err &&
	test_path_is_missing kept &&
	echo text >plain &&
	test_expect_code 126 trace2 stat -o set ./plain 2>err &&
	test_path_is_file set/run-0007/meta.json
'

test_expect_success 'stat: an interrupt ends the runs, and complete ones are shown' '
	write_script interrupted <<-EOF &&
	echo run >>int.runs
	test \$(wc -l <int.runs) -ne 3 || {
		kill -INT \$PPID
		exec sleep 1000
	}
	EOF
	test_expect_code 130 trace2 stat -r 5 -o int ./interrupted 2>err &&
	test_grep "^./interrupted: 2 runs; interrupted, 5 were requested$" err &&
	test_line_count = 3 int.runs &&
	test_write_lines run-0001 run-0002 | test_prints ls int
'

test_expect_success 'stat: an interrupt in the first run shows nothing' '
	write_script at-once <<-EOF &&
	kill -TERM \$PPID
	exec sleep 1000
	EOF
	test_expect_code 143 trace2 stat -r 5 ./at-once 2>err &&
	echo "trace2: interrupted before a run was complete" | test_cmp - err
'

test_expect_success 'stat: later runs start with the same signal mask as the first' '
	trace2 stat -r 3 -- "$PERL_PATH" -e "open F, q(/proc/self/status);
		/^Sig(Blk|Ign)/ and print for <F>" >out 2>err &&
	test_line_count = 6 out &&
	sort -u out >actual &&
	test_line_count = 2 actual
'

test_expect_success 'stat -o moves an earlier set of runs to DIR.old, and refuses other directories' '
	trace2 stat -r 2 -o again true 2>err &&
	trace2 stat -r 1 -o again true 2>err &&
	test_prints ls again again.old <<-\EOF &&
	again:
	run-0001

	again.old:
	run-0001
	run-0002
	EOF
	trace2 stat -r 1 -o again/ true 2>err &&
	echo run-0001 | test_prints ls again.old &&
	echo precious >again/mine &&
	test_expect_code 128 trace2 stat -o again true 2>err &&
	test_grep "^trace2: will not replace .again.: it holds .mine., which is not a run" err &&
	test_path_is_file again/mine &&
	test_expect_code 128 trace2 stat -o plain true 2>err &&
	test_grep "^trace2: cannot keep runs in .plain.: Not a directory" err
'

test_expect_success 'stat -o: each run can be read as a recording, the set of runs cannot' '
	trace2 list -i again.old/run-0001 >out &&
	test_grep "true" out &&
	test_prints trace2 list -i again.old </dev/null 2>err &&
	test_grep "recordings, nothing to do! Name one of them, such as .again.old/run-0001.$" err
'

test_expect_success 'stat: a directory that cannot be created is reported once' '
	test_expect_code 128 env TMPDIR="$PWD/nowhere" trace2 stat -q true 2>err &&
	test_line_count = 1 err &&
	test_grep "^trace2: cannot create directory .*No such file.*use -o DIR" err &&
	test_expect_code 128 trace2 stat -q -o nowhere/set true 2>err &&
	test_line_count = 1 err &&
	test_grep "^trace2: cannot create .nowhere/set.: No such file" err
'

test_expect_success 'stat reports that --only, -N or -t matches nothing measured' '
	trace2 stat -r 2 -q --only timer true >out &&
	test_cmp - out <<-\EOF

	true: 2 runs

	Nothing measured matches --only, -N and -t.
	EOF
'

test_expect_success 'stat without -o leaves no files' '
	mkdir tmp &&
	TMPDIR="$PWD/tmp" trace2 stat -r 3 --warmup 1 true 2>err &&
	test_prints ls tmp </dev/null &&
	test_path_is_missing trace2.data
'

test_expect_success 'stat: --baseline and --fail-above judge a run' '
	"$PERL_PATH" "$TEST_DIRECTORY"/t3401/runs.perl fast wall=1,2,3,4,5,6 &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3401/runs.perl slow \
		wall=900000000,910000000,920000000,930000000,940000000 &&
	trace2 stat -q -r 6 --baseline slow --only run --fail-above 5% true >out 2>err &&
	test_must_be_empty err &&
	test_grep "^Compared with slow:$" out &&
	test_grep " \* .*wall$" out &&
	trace2 stat -q -r 6 --baseline fast --only run true >out &&
	test_expect_code 1 trace2 stat -q -r 6 --baseline fast --only run \
		--fail-above 5% true >out 2>err &&
	test_grep "^trace2: run .wall. grew from 3us to .*, by more than 5% (p = " err &&
	test_expect_code 7 trace2 stat -q -r 6 --baseline fast --only run \
		--fail-above 5% -- sh -c "exit 7" >out 2>err &&
	test_expect_code 2 trace2 stat -q --baseline fast --only run \
		--fail-above 5% true >out 2>err &&
	test_grep "fail-above: 6 and 1 runs are too few" err
'

test_expect_success 'stat: errors of a baseline are reported before CMD runs' '
	mkdir -p nothing &&
	test_expect_code 128 trace2 stat -q --baseline nothing -- touch ran 2>err &&
	test_path_is_missing ran &&
	test_grep "^trace2: nothing to compare with: the baseline has no runs (.trace2 stat -o DIR. makes some)$" err &&
	cp -R slow worse &&
	for run in worse/run-*
	do
		sed "s/}\$/,\"host\":\"elsewhere\",\"exit_code\":3}/" \
			"$run"/meta.json >meta.new &&
		mv meta.new "$run"/meta.json || return 1
	done &&
	trace2 stat -q -r 4 --baseline worse --only run true >out 2>err &&
	test_grep "^- host: elsewhere -> " out &&
	test_grep "warning: 5 of 5 runs of the base and 0 of 4 new ones failed" err &&
	trace2 stat -q -r 4 -o worse --baseline worse --only run true >out 2>err &&
	test_grep "^- host: elsewhere -> " out
'

test_expect_success JQ 'stat: JSON has runs, measures and differences' '
	trace2 stat -q -r 6 --baseline fast --format=json true >out &&
	test_prints jq -c "keys, .stat[0].runs, .stat[0].command, [.runs[].run]" out <<-\EOF
	["differences","measures","notes","runs","sides","stat","tests","verdict"]
	6
	["true"]
	[1,2,3,4,5,6]
	EOF
'

test_expect_success 'stat names an outlier, and keeps it in the numbers' '
	write_script wild <<-EOF &&
	echo run >>wild.runs
	test \$(wc -l <wild.runs) -ne 9 ||
		"$PERL_PATH" -e "select undef, undef, undef, 1"
	EOF
	trace2 stat -r 9 -o wild.set ./wild 2>err &&
	test_grep -E "^(1 of 9 runs stands|[2-9] of 9 runs stand) apart:.* run 9 took [1-9][0-9]*\.[0-9]{3} s" err &&
	# It is the longest.
	test_grep -E " ([0-9]{4,}[0-9.]* ms|[0-9.]+ s)  wall$" err
'

test_expect_success JQ '--against: the commands take turns, in random order' '
	write_script turn <<-\EOF &&
	echo "$*" >>turns
	EOF
	trace2 stat -r 4 --warmup 1 -q -o pair --only run --against "./turn \"the base\"" \
		./turn new >out 2>err &&
	test_must_be_empty err &&
	printf "the base\tnew\nnew\tthe base\n" | sort >expect &&
	paste - - <turns | sort -u >actual &&
	if ! cmp expect actual
	then
		trace2 stat -r 60 -q --against "./turn \"the base\"" ./turn new >more &&
		paste - - <turns | sort -u >actual &&
		test_cmp expect actual
	fi &&
	test_grep "^./turn new: 4 runs in turns after 1 warm-up run$" out &&
	test_grep "^Compared with ./turn .the base.: 4 runs in turns after 1 warm-up run$" out &&
	test_grep "^Medians of 4 and 4 runs" out &&
	test_prints ls pair pair.base <<-\EOF &&
	pair:
	run-0001
	run-0002
	run-0003
	run-0004

	pair.base:
	run-0001
	run-0002
	run-0003
	run-0004
	EOF
	trace2 diff --only run --format=csv pair.base pair >expect &&
	trace2 stat -r 4 -q --format=json --against true false >out ||
	test $? = 1 &&
	test_prints jq -c "[.stat[] | [.side, .command, .runs, .failed, .code, .in_turns]],
		[.runs[] | [.side, .run]]" out <<-\EOF
	[["cmd",["false"],4,4,1,true],["base",["true"],4,0,0,true]]
	[["cmd",1],["cmd",2],["cmd",3],["cmd",4],["base",1],["base",2],["base",3],["base",4]]
	EOF
'

test_expect_success '--against reports a difference of two commands, and none for the same command' '
	write_script works <<-\EOF &&
	i=0
	while test $i -lt $1
	do
		/bin/true
		i=$((i + 1))
	done
	EOF
	trace2 stat -r 5 -q --only process --fail-above 100% \
		--against "./works 2" ./works 2 >out &&
	test_expect_code 1 trace2 stat -r 5 -q -e page-faults --only event \
		--fail-above 100% --against "./works 1" ./works 20 >out 2>err &&
	test_grep "^trace2: event .page-faults.* grew from .* by more than 100%" err &&
	test_expect_code 3 trace2 stat -r 2 -q --against "sh -c \"exit 3\"" true >out &&
	test_grep "2 runs in turns; 2 failed, the first with exit 3$" out
'

test_expect_success '--against: after an interrupt the complete runs of both commands are shown' '
	write_script halts <<-EOF &&
	echo run >>halts.runs
	test \$(wc -l <halts.runs) -ne 6 || {
		kill -INT \$PPID
		exec sleep 1000
	}
	EOF
	test_expect_code 130 trace2 stat -r 5 -q -o halted --against "./halts base" \
		./halts new >out 2>err &&
	new=2 base=3 &&
	if test -d halted/run-0003
	then
		new=3 base=2
	fi &&
	test_grep "^./halts new: $new runs in turns; interrupted, 5 were requested$" out &&
	test_grep "^Compared with ./halts base: $base runs in turns$" out &&
	test_grep "^Medians of $base and $new runs" out &&
	ls halted halted.base | grep -c run >actual &&
	echo 5 | test_cmp - actual
'

# The first run waits, the others do not.
test_expect_success JQ 'stat reports a slow first run, and advises --warmup' '
	write_script cold <<-EOF &&
	echo run >>cold.runs
	test \$(wc -l <cold.runs) -ne 1 ||
		"$PERL_PATH" -e "select undef, undef, undef, 1"
	EOF
	trace2 stat -r 8 ./cold 2>err &&
	test_grep "^The first run took [0-9]*% longer than the others, perhaps because$" err &&
	test_grep "^caches were empty. --warmup 1 leaves such runs out.$" err &&
	rm cold.runs &&
	trace2 stat -q -r 8 --format=json ./cold >out &&
	jq -r ".notes[] | select(.note == \"first-run\") | .side, .share > 1" out >actual &&
	test_write_lines cmd true | test_cmp - actual
'

# test_terminal makes descriptors 0 to 2 a terminal.
test_expect_success TTY 'stat draws its progress on a terminal and removes it, and draws none in a pipe' '
	TERM=xterm test_terminal trace2 stat -r 3 --warmup 1 -q true >out 2>err &&
	"$PERL_PATH" -pe "s/\\r/<CR>/g; s/\\e\\[K/<EL>/g" err >drawn &&
	test_grep "^<CR>run 1 of 4 \[ *\] <EL><CR>" drawn &&
	test_grep "<CR><EL>$" drawn &&
	test_grep "true.*: 3 runs" out &&
	trace2 stat -r 3 -q true >out 2>err &&
	test_must_be_empty err &&
	! grep "run 1 of" out &&
	# Nothing is drawn over the output of CMD on a terminal.
	TERM=xterm test_terminal trace2 stat -r 3 true >out 2>err &&
	test_grep "true.*: 3 runs" err &&
	! grep "run 1 of" err
'

test_expect_success 'stat --format=csv prints the table of measures' '
	trace2 stat -q -r 2 --format=csv -- true >out &&
	head -n 1 out >actual &&
	test_grep "^kind,unit,runs,mean," actual &&
	test_grep ! "^side," out
'

# Nobody reports the end of a child that is killed, if its parent does not, and
# the kernel's records are refused.
test_expect_success SECCOMP,JQ 'stat shows the time of a process without a known end as >=' '
	denied all trace2 stat -q -r 2 --only process,run -- \
		sh -c "\"\$0\" 1 1 kill </dev/null; exit 0" "$GIT_BUILD_DIR/build/hosts/worker" >out &&
	test_grep "^ *>= [0-9].* worker" out &&
	test_grep ! ">=.* wall" out &&
	denied all trace2 stat -q -r 2 --format=json -- \
		sh -c "\"\$0\" 1 1 kill </dev/null; exit 0" "$GIT_BUILD_DIR/build/hosts/worker" >out &&
	jq -c "[.measures[] | select(.name == \"worker\" or .name == \"wall\") |
		[.name, .at_least]] | sort" out >actual &&
	echo "[[\"wall\",false],[\"worker\",true]]" | test_cmp - actual
'

# One process computes, one waits: for these numbers of milliseconds.
compute_and_wait () {
	write_script "$1" <<-EOF
	"$PERL_PATH" -e "do { 1 for 1 .. 10000 } while (times)[0] < $2 / 1000; exit"
	sleep 0.0$3
	sleep 0.0$3
	EOF
}

# The values are those of t3401. How long a process computes or waits depends on
# the load; which processes there are, and how often, does not.
test_expect_success JQ,STATES 'stat --states shows computing and waiting by kind of process' '
	compute_and_wait work 30 20 &&
	trace2 stat -q -r 3 --states -o both --format=json ./work >out &&
	trace2 stat -q --format=json ./work >without &&
	test_prints jq -s -c "def kind(\$name; \$kind): .[0].measures[] |
			select(.kind == \$kind and .name == \$name);
		[kind(\"perl -e\"; \"cpu\") | .p50 > 0, .calls, .runs],
		[kind(\"sleep\"; \"wait\") | .p50 > 0, .calls, .runs],
		[kind(\"sleep\"; \"self\", \"ready\") | .runs],
		[kind(\"sh work\"; \"wait\", \"self\") | .p50 > 0],
		(.[1:] | [kind(\"sleep\"; \"cpu\")])" out without <<-\EOF
	[true,1,3]
	[true,2,3]
	[3,3]
	[true,true]
	[]
	EOF
'

test_expect_success STATES 'stat --states on a terminal has a row for each kind' '
	trace2 stat -q -r 2 --states ./work >out &&
	test_grep "^ *CPU m*s  *± *WAIT m*s  *±  *READY m*s  *±  *SHARE  COUNT  KIND OF PROCESS (SUM)\$" out &&
	test_grep "^ *[0-9.]*  *[0-9.]*%  *[0-9.]*  *[0-9.]*%  *[0-9.]* .*%  *2  sleep\$" out &&
	sed -n "/KIND OF PROCESS/,/^\$/p" out >rows &&
	test_line_count = 5 rows &&
	trace2 stat -q --states --only wait -n 1 ./work >out &&
	sed -n "/KIND OF PROCESS/,/^\$/p" out >rows &&
	test_grep "^ *CPU m*s  *WAIT m*s  *READY m*s" rows &&
	test_grep "1  sh work\$" rows &&
	test_grep ! "sleep" rows
'

# Which difference is significant depends on the load: t3401 says that of
# recordings whose times are known.
test_expect_success JQ,STATES 'stat --states --against compares the states of both commands' '
	compute_and_wait less 3 20 &&
	trace2 stat -q -r 5 --states --only cpu,wait --format=json \
		--against ./less ./work >out &&
	test_prints jq -c "(.differences[] | select(.name == \"perl -e\") |
			[.kind, .side, .base_calls, .new_calls]),
		(.differences[] | select(.name == \"sleep\" and .kind == \"wait\") |
			[.base, .new] | map(. > 0)),
		[.tests[].kind]" out <<-\EOF
	["cpu","both",1,1]
	["wait","both",1,1]
	[true,true]
	["cpu","wait"]
	EOF
'

test_expect_success JQ,STATES 'stat: states are compared only if both sides recorded them' '
	trace2 stat -q -r 3 --baseline both --format=json ./work >out &&
	jq -r ".differences[].kind" out | sort -u >actual &&
	test_grep process actual &&
	test_grep ! "cpu\|wait\|ready\|self" actual
'

test_expect_success STATES 'stat --states: later runs start with the same signal mask as the first' '
	trace2 stat -r 3 --states -- "$PERL_PATH" -e "open F, q(/proc/self/status);
		/^Sig(Blk|Ign)/ and print for <F>" >out 2>err &&
	test_line_count = 6 out &&
	sort -u out >actual &&
	test_line_count = 2 actual
'

test_expect_success SECCOMP 'stat --states without permission warns' '
	denied all trace2 stat -q -r 2 --states true >out 2>err &&
	test_grep ! "KIND OF PROCESS" out &&
	test_grep "^trace2: warning: no states were recorded" err
'

test_done
