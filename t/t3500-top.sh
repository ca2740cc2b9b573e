#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 top: a running process, seen through its ring'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-terminal.sh"

test_skip_unless JQ,PIPE 'no host program, no jq, or no fifos'

# start_worker DIR ARG...: start a worker whose ring is in DIR; it runs until
# end_worker, and its pid is in $worker.
start_worker () {
	dir=$1 &&
	shift &&
	mkdir -p "$dir" &&
	rm -f in out &&
	mkfifo in out &&
	{ GIT_TRACE2_RING="$(pwd)/$dir" "$hosts/worker" "$@" <in >out 2>err & } &&
	worker=$! &&
	exec 8>in 9<out &&
	read -r answer <&9 &&
	test "$answer" = ready
}

another_round () {
	echo >&8 && read -r answer <&9 && test "$answer" = round
}

# ended CODE PID: wait returns that code for it.
ended () {
	wait "$2"
	test $? = "$1"
}

# end_worker CODE: end it, with that code.
end_worker () {
	exec 8>&- 9<&-
	ended "$1" "$worker"
}

# Its threads wait, after they have said that they are ready.
until_it_waits () {
	wait_until waits
}
waits () {
	trace2 top --once --format=json -p "$worker" |
	jq -e ".processes[0].state == \"wait\""
}

# The first numbers of lines differ from run to run, and not every user is told
# what is waited for.
shape () {
	sed -e "s/\([A-Z]\) [mu]*s\\>/\1/g" \
	    -e "s/[0-9][0-9]*\\.[0-9][0-9][0-9]\\>/TIME/g" -e "s/[0-9][0-9.]*%/SHARE/g" \
	    -e "s/ *$worker/ PID/" -e "s/wait pipe/wait/" -e "s/  */ /g" -e "s/^ //" "$@"
}

# ThreadSanitizer has a thread of its own.
test_expect_success !TSAN 'top shows counters, timers, threads and open regions of a running process' '
	start_worker rings 2 5 exit &&
	until_it_waits &&
	trace2 top --once -p "$worker" >out.top &&
	shape out.top | sed "s/^[0-9][0-9]* \(TIME th0\)/TID \1/
		s/^10 [0-9]* /10 RATE /" | sort >actual &&
	sort >expect <<-\EOF &&
	PROCESSES RUN WAIT ENDED %CPU READY CPU WALL STATE
	1 0 1 0 SHARE SHARE TIME TIME running

	PID STATE %CPU READY CPU WALL THREADS LOST COMMAND
	PID wait SHARE SHARE TIME TIME 3 0 worker 2 5 exit

	TOTAL BUSY INTERVALS PER SECOND MEAN MAX RUNNING TIMER
	TIME SHARE 0 0 TIME TIME 2 worker/work

	VALUE PER SECOND COUNTER
	10 RATE worker/rounds

	TID SINCE THREAD FOR IN
	PID TIME main
	TID TIME th01:worker TIME worker/outer > worker/inner
	TID TIME th02:worker TIME worker/outer > worker/inner
	EOF
	test_cmp expect actual
'

test_expect_success 'top finds a process by the directory of its ring, and shows threads and metrics' '
	another_round && another_round &&
	trace2 top --once --format=json rings >top.json &&
	jq -e ".processes[0].pid == $worker and .counters[0].value == 12 and
		.timers[0].running == 2 and (.threads | length) == 3" top.json
'

test_expect_success 'top finds a process by the file of its ring' '
	ring=rings/$(ls rings) &&
	for by in "$ring" "-p $ring"
	do
		trace2 top --once --format=json $by >top.json &&
		jq -e ".sum[0].processes == 1 and .sum[0].ended == 0 and
			.processes[0].pid == $worker and
			.processes[0].state != \"ended\" and
			.counters[0].value == 12 and
			(.threads | length) == 3" top.json || return 1
	done
'

test_expect_success 'top computes rates between two updates' '
	>looks &&
	{ trace2 top --format=json -d 0.01 rings >>looks 8>&- 9<&- & } &&
	top=$! &&
	until jq -s -e "[.[1:][].counters[0].per_second] | max > 0" looks
	do
		another_round || return 1
	done &&
	kill -TERM $top && wait $top &&
	jq -s -e "[.[].counters[0].value] | . == sort" looks
'

# fold_lock NUMBER: write the header's lock. It is odd while the cells of an ended
# thread move into slot 0, and stays odd if the thread that does that has no CPU.
fold_lock () {
	"$PERL_PATH" -e "open my \$f, '+<', \$ARGV[0] or die;
		seek \$f, 240, 0; print \$f pack 'L', \$ARGV[1]" \
		"rings/$(ls rings)" "$1"
}

# looked NUMBER: the counter is shown by this many looks.
looked () {
	test "$(grep -c "\"value\"" looks)" -ge "$1"
}

test_expect_success 'top shows the earlier sums while the values of an ended thread are being added' '
	trace2 top --once --format=json rings >before &&
	>looks &&
	{ trace2 top --format=json -d 0.01 rings >>looks 8>&- 9<&- & } &&
	top=$! &&
	wait_until looked 1 &&
	fold_lock 1 &&
	another_round &&
	wait_until looked $(($(grep -c "\"value\"" looks) + 3)) &&
	kill -TERM $top && wait $top &&
	trace2 top --once --format=json rings >meanwhile &&
	fold_lock 2 &&
	trace2 top --once --format=json rings >after &&
	jq -s "[.[].counters[].value] | unique[]" before looks >values &&
	jq ".counters[].value" meanwhile >>values &&
	test_line_count = 1 values &&
	jq -e --argjson was "$(cat values)" ".counters[0].value == \$was + 1" after
'

test_expect_success 'top leaves the process running, and shows its exit code' '
	trace2 top -d 0.01 -p "$worker" >until-end 8>&- 9<&- &
	top=$! &&
	while ! test -s until-end
	do
		another_round || return 1
	done &&
	end_worker 3 &&
	wait $top &&
	test_grep "exited with code 3" until-end
'

# A thread that ends while it is read counts once: in its slot, or in the sum of
# ended threads.
looks=150
test_have_prereq !EXPENSIVE || looks=400
test_expect_success 'top counts each thread that comes and goes exactly once' '
	start_worker churn 8 1 churn &&
	mkfifo seen enough &&
	{ awk "{ print >\"looks\" }
		/\"value\"/ && ++n == $looks { print; fflush() }" \
		<seen >enough 8>&- 9<&- & } &&
	awk=$! &&
	{ trace2 top --format=json -d 0.0001 churn >seen 8>&- 9<&- & } &&
	top=$! &&
	read -r line <enough &&
	exec 8>&- &&
	read -r total <&9 &&
	exec 9<&- &&
	ended 3 "$worker" &&
	wait $top && wait $awk &&
	jq -r ".counters[].value" looks >values &&
	test_line_count -ge $looks values &&
	sort -n values >sorted &&
	test_cmp sorted values &&
	test -n "$total" &&
	test "$(tail -n 1 values)" = "$total"
'

test_expect_success 'top reads the ring of an ended process' '
	ls rings >names &&
	trace2 top --once "rings/$(cat names)" >actual &&
	test_grep "exited with code 3" actual &&
	test_grep ! ">=" actual &&
	test_grep "worker/rounds" actual &&
	test_grep ! "THREAD " actual
'

test_expect_success 'top shows two processes of a directory, and reports a directory without any' '
	test_must_fail trace2 top --once rings 2>err &&
	test_grep "no process with a ring in .rings. is running (.trace2 report rings. reads the rings of ended ones)" err &&
	start_worker rings 1 2 exit &&
	one=$worker &&
	exec 6>&8 7<&9 &&
	start_worker rings 1 3 exit &&
	trace2 top --once rings >actual &&
	exec 6>&- 7<&- 8>&- 9<&- &&
	ended 3 $one &&
	ended 3 $worker &&
	test_grep "^ *$one  .*  worker 1 2 exit" actual &&
	test_grep "^ *$one  .*  worker/work" actual &&
	test_grep "^ *$one  *2 .*  worker/rounds" actual &&
	test_grep "^ *$one .* th01:worker .* worker/outer > worker/inner" actual &&
	test_grep "^ *$worker  *3 .*  worker/rounds" actual
'

test_expect_success 'top shows the last values of a process that was killed' '
	rm -rf killed &&
	start_worker killed 1 3 kill &&
	end_worker 137 &&
	trace2 top --once "killed/$(ls killed)" >actual &&
	test_grep "ended without a record: killed.* >= [0-9]" actual &&
	test_grep "^ *3 .* worker/rounds" actual &&
	test_grep "LOST  COMMAND" actual &&
	test_grep "  worker$" actual
'

test_expect_success 'top reports a missing ring, process or column' '
	test_must_fail trace2 top --once -p 4000000 2>err &&
	test_grep "there is no process 4000000" err &&
	test_must_fail trace2 top --once 4000000 2>err &&
	echo "trace2: there is no file '\''4000000'\'' (to watch a process: -p 4000000)" >expect &&
	test_cmp expect err &&
	test_must_fail trace2 top --once /etc/passwd 2>err &&
	test_grep "cannot read ./etc/passwd.: it is not a ring" err &&
	mkdir blank && : >blank/file &&
	test_must_fail trace2 top --once blank/file 2>err &&
	test_grep "blank/file.: zero-sized file, nothing to watch! .*GIT_TRACE2_RING=DIR" err &&
	test_must_fail trace2 top --once blank 2>err &&
	test_grep "blank.: no ring in this directory, nothing to watch! GIT_TRACE2_RING=DIR" err &&
	test_expect_code 2 trace2 top --once -s colour "killed/$(ls killed)" 2>err &&
	test_grep "no table has a column .colour. to sort by" err
'

test_expect_success 'top shows distributions and gauges' '
	GIT_TRACE2_RING="$PWD/ended.ring" test-tool trace2 call distribution_add bytes 2 , \
		distribution_add bytes 3001 , gauge_set busy 9 , \
		gauge_set busy -3 &&
	trace2 top --once ended.ring >out.top &&
	sed -n "/DISTRIBUTION/,/^\$/p; /GAUGE/,/^\$/p" out.top | shape |
		sed "s/^2 [0-9]* /2 RATE /" >actual &&
	test_cmp - actual <<-\EOF &&
	COUNT PER SECOND MEAN MIN MAX UNIT DISTRIBUTION
	2 RATE 1501 2 3001 bytes tool/size

	NOW MIN MAX UNIT GAUGE
	-3 -3 9 workers tool/busy
	EOF
	trace2 top --once --format=json ended.ring >values.json &&
	jq -e ".distributions[0].sum == 3003 and .gauges[0].last == -3 and
		(.timers + .counters == [])" values.json
'

test_done
