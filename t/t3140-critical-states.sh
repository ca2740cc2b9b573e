#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the critical path over wake-ups

The first tests describe records of the kernel (t3130/kernel.perl), with times in
microseconds. The last ones record real programs.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stream.sh

test_skip_unless JQ

# path [RECORDING]: print the steps: DEPTH PROCESS[/REGION][@THREAD]
# STATE[:CAUSE][:BY][~] MICROSECONDS [+ those without a CPU]. They must be all of the
# wall time.
path () {
	trace2 report --format=json "${1-r}" >json &&
	jq -r '(.critical_path[] | select(.state) |
		"\(.depth) \(.process)" +
		(if .label then "/\(.label)" else "" end) +
		(if .thread then "@\(.thread)" else "" end) + " \(.state)" +
		(if .cause then ":\(.cause)" else "" end) +
		(if .by then ":\(.by)" else "" end) +
		(if .inferred then "~" else "" end) + " \(.time_ns / 1000)" +
		(if .no_cpu_ns > 0 then " + \(.no_cpu_ns / 1000)" else "" end)),
		([.critical_path[] | .time_ns + .no_cpu_ns] | add) as $sum | .summary[0].wall_ns |
		if . == $sum then empty else
			error("the steps are \($sum) of \(.) ns") end' json
}

test_expect_success 'the critical path leads from a woken thread to its waker, leaving out the wait' '
	made r <<-\EOF &&
	top top
	5 0 fork 11 11 10 10
	6 0 fork 12 12 10 10
	7 0 out 10 10
	8 1 run 11 11 writer
	10 0 run 12 12 reader
	12 0 sleep 12 12 0 swapper schedule,anon_pipe_read
	52 1 waking 11 11 12
	53 0 in 12 12
	60 1 exit 11 11
	80 0 waking 12 12 10
	81 1 in 10 10
	82 0 exit 12 12
	90 1 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top run 14 + 1
	1 writer run 44 + 3
	1 reader run 27 + 1
	EOF
'

test_expect_success 'a wait that no other thread ended is on the critical path, with its cause' '
	made r <<-\EOF &&
	top top
	10 0 sleep 10 10 0 swapper schedule,do_nanosleep
	60 0 in 10 10
	61 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	70 0 in 10 10
	71 0 sleep 10 10 0 swapper schedule,io_schedule
	91 0 in 10 10
	100 0 exit 10 10
	EOF
	test_prints path <<-\EOF &&
	0 top wait:sleep 50
	0 top run 21
	0 top wait:disk 20
	0 top wait:pipe 9
	EOF
	trace2 report r >out &&
	sed -n "/CRITICAL/,/^$/p" out | sed "/^$/d" >actual &&
	test_cmp - actual <<-\EOF
	TIME us  SHARE  WHY         CRITICAL PATH
	     50  50.0%  wait sleep  [top]
	     21  21.0%  run         [top]
	     20  20.0%  wait disk   [top]
	      9   9.0%  wait pipe   [top]
	EOF
'

test_expect_success 'the critical path names the thread that had the CPU while another waited for it' '
	made r <<-\EOF &&
	top top
	5 1 fork 11 11 10 10
	6 1 run 11 11 busy
	8 1 out 11 11
	10 0 waking 10 10 11
	20 0 lose 10 10 11 busy
	20 0 in 11 11
	50 0 lose 11 11 77 other
	60 0 in 10 10
	70 0 exit 10 10
	75 1 in 11 11
	80 1 exit 11 11
	EOF
	test_prints path <<-\EOF &&
	0 top run:busy 30 + 40
	EOF
	trace2 report r >out &&
	sed -n "/CRITICAL/,/^$/p" out | sed "/^$/d" >actual &&
	test_cmp - actual <<-\EOF
	TIME us  NO CPU us   SHARE  WHY           CRITICAL PATH
	     30         40  100.0%  no CPU: busy  [top]
	EOF
'

test_expect_success 'report distinguishes the recorder from other processes named trace2' '
	made r <<-\EOF &&
	top top
	100 0 lose 10 10 77 trace2
	200 0 in 10 10
	300 0 lose 10 10 78 trace2
	500 0 in 10 10
	600 0 lose 10 10 79 trace2
	1000 0 in 10 10
	1200 0 exit 10 10
	EOF
	sed "s/{/{\"recorder_pid\":77,\"looks_tid\":79,\"recorder_cpu_ns\":7000000,/" \
		r/meta.json >meta &&
	mv meta r/meta.json &&
	trace2 report --format=json r >json &&
	test_prints jq -c ".summary[0] | [.ready_ns, .recorder_ready_ns,
		.recorder_cpu_ns]" json <<-\EOF &&
	[700000,500000,7000000]
	EOF
	trace2 report r >out &&
	test_grep "; 500 us (41.7%) taken by the recorder$" out &&
	test_grep "no CPU: (trace2 record)" out
'

# no_cpu FORMAT: print by whom top lost the CPU, in milliseconds from the start.
no_cpu () {
	trace2 export --to chrome -o json r &&
	jq -r '[.traceEvents[] | select(.name == "no CPU" and .dur > 3000)] |
		(map(.ts) | min) as $first | sort_by(.ts)[] |
		"\((.ts - $first) / 1000 | round) \(.dur / 1000 | round) " +
		(if .args.throttled then "throttled" else .args.cpu_had end)' json
}

test_expect_success 'time without a CPU is shown as throttled only while the cgroup was throttled' '
	made r <<-\EOF &&
	top top
	5 1 fork 11 11 10 10
	6 1 run 11 11 busy
	8 1 out 11 11
	10 0 waking 10 10 11
	2000 0 lose 10 10 11 busy
	2000 0 in 11 11
	6000 0 lose 11 11 10 top
	6000 0 in 10 10
	10000 0 lose 10 10 0 swapper
	60000 0 in 10 10
	64000 0 lose 10 10 11 busy
	64000 0 in 11 11
	68000 0 lose 11 11 10 top
	68000 0 in 10 10
	70000 0 exit 10 10
	75000 1 in 11 11
	76000 1 exit 11 11
	EOF
	test_prints path <<-\EOF &&
	0 top run 12000 + 58000
	EOF
	sed "s/{/{\"cpu_limit_millicpu\":500,\"throttled_ns\":50000000,/" r/meta.json >meta &&
	mv meta r/meta.json &&
	echo "{\"type\":\"throttled\",\"time_ns\":5061000000,\"since_ns\":5055000000,\"throttled_ns\":50000000}" >>r/tasks.jsonl &&
	test_prints path <<-\EOF &&
	0 top run:throttled 12000 + 58000
	EOF
	trace2 report r >out &&
	test_grep "; 50.000 ms throttled (limit: 0.50 CPUs)$" out &&
	test_prints no_cpu <<-\EOF
	0 4 busy
	4 58 throttled
	8 50 throttled
	62 4 busy
	66 7 others
	EOF
'

test_expect_success SQLITE3 'sqlite: the table of states gives throttled as the reason for having no CPU' '
	trace2 export --to sqlite -o db r &&
	test_prints sqlite3 db "SELECT by, duration_ns / 1000000 FROM states
		WHERE state = '\''ready'\'' AND duration_ns > 3000000 ORDER BY start_ns" <<-\EOF
	busy|4
	throttled|58
	throttled|50
	busy|4
	others|7
	EOF
'

test_expect_success 'the critical path counts the start of a child for the thread that created it' '
	made r <<-\EOF &&
	top top
	5 0 fork 10 11 10 10
	6 0 sleep 10 10 0 swapper schedule,futex_do_wait
	7 1 in 10 11
	30 1 fork 12 12 10 11
	31 1 sleep 10 11 0 swapper schedule,do_wait
	33 0 run 12 12 kid
	50 0 exit 12 12
	52 1 in 10 11
	60 1 waking 10 11 10
	61 0 in 10 10
	62 1 exit 10 11
	70 0 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top@other threads run 31 + 2
	0 top run 14 + 1
	0 top@other threads wait:child:kid 2
	1 kid run 17 + 3
	EOF
'

test_expect_success 'JSON has inferred: true where the critical path follows a derived wake-up' '
	made r <<-\EOF &&
	top top
	5 0 fork 11 11 10 10
	7 0 out 10 10
	8 1 run 11 11 kid
	60 1 exit 11 11
	61 0 in 10 10
	90 0 exit 10 10
	EOF
	test_prints path <<-\EOF &&
	0 top run 34
	0 top wait:child:kid 1
	1 kid run~ 52 + 3
	EOF
	trace2 report r >out &&
	test_grep "^ *52  *3  *61.1%  *run  *└ .kid.$" out &&
	jq -e "[.critical_path[].doubtful] | any | not" json
'

# Another process may have had the CPU: only the thread that waited is known to
# be late.
test_expect_success 'the delay after a derived wake-up counts for the woken thread, not the waker' '
	made r <<-\EOF &&
	top top
	5 0 fork 11 11 10 10
	7 0 out 10 10
	8 1 run 11 11 kid
	1009 1 out 11 11
	7009 0 in 10 10
	7109 0 out 10 10
	18109 0 in 10 10
	18209 0 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top wait:unknown 17000
	0 top run 205
	1 kid run~ 1001 + 3
	EOF
'

test_expect_success 'a row of the critical path has ~ if another thread may have ended the wait' '
	made r <<-\EOF &&
	top top
	2 0 fork 11 11 10 10
	4 1 run 11 11 busy
	40 0 out 10 10
	90 0 in 10 10
	95 0 exit 10 10
	99 1 exit 11 11
	EOF
	path >actual &&
	grep "busy run~" actual &&
	jq -e ".critical_path[] | select(.process == \"busy\") | .doubtful" json &&
	trace2 report r >out &&
	test_grep "~run  *└ .busy.$" out &&
	test_grep "^(~ the thread that ended a wait was derived, and may be another one)" out
'

test_expect_success 'a process lasts past its exit record if wait4() reports more CPU time' '
	made r <<-\EOF &&
	top top
	5 0 fork 11 11 10 10
	6 1 run 11 11 kid
	10 0 sleep 10 10 0 swapper schedule,do_wait
	50 1 exit 11 11
	90 0 in 10 10
	100 0 exit 10 10
	EOF
	echo "{\"type\":\"status\",\"time_ns\":5000100000,\"pid\":10,\"code\":0,\"user_ns\":90000,\"system_ns\":4000}" >>r/tasks.jsonl &&
	test_prints path <<-\EOF &&
	0 top run 15
	0 top wait:child:kid 10
	1 kid run 74 + 1
	EOF
	jq -e ".summary[0].cpu_ns == 94000" json
'

test_expect_success 'report lists once, above the critical path, the data that were not recorded' '
	jq -c ". + {wait_causes: \"denied (a remedy)\", wakers: \"kernel\"}" \
		r/meta.json >meta &&
	cp meta r/meta.json &&
	trace2 report r >out &&
	grep -A 1 "^(not recorded: causes of waits$" out >said &&
	test_grep "^.trace2 check --record. says why, and what permits more)$" said &&
	jq -c ". + {remedy: \"do this\", wakers: \"denied\"}" meta >r/meta.json &&
	trace2 report r >out &&
	grep -A 1 "^(not recorded: causes of waits, and who woke whom, which is derived$" out >said &&
	test_grep "^for more: do this)$" said &&
	echo 1 | test_prints grep -c "not recorded" out &&
	sed "/CRITICAL PATH/q" out >above &&
	grep "not recorded" above
'

test_expect_success 'each moment on the critical path belongs to the innermost region' '
	nested_recording 1 &&
	test_prints path <<-\EOF
	0 top run 25
	1 top/outer run 35
	1 top/outer wait:disk 20
	2 top/inner run 10
	2 top/inner wait:disk 10
	EOF
'

test_expect_success '--what-if of a region speeds up the regions inside, too' '
	trace2 report --what-if c/outer=2x --format=json r >json &&
	jq -e ".what_if[0].then_ns == 62500 and
		([.critical_path[] | select(.label == \"inner\").time_ns] | add ==
			10000)" json &&
	trace2 report --what-if "c/in*=0" --format=json r >json &&
	trace2 report --what-if --format=json r >>json &&
	jq -s -e "(.[0].what_if[0].then_ns / 1000 | floor == 80) and
		([.[1].what_if[] | select(.what == \"c/inner\")] | length == 1 and
			(.[0].gain_ns / 1000 | round == 20))" json
'

test_expect_success 'report --regions divides self time into CPU, waiting and ready time' '
	trace2 report --regions --format=json r >json &&
	jq -r ".regions[] | \"\(.region) \(.self_ns) \(.cpu_ns) \(.wait_ns) \(.ready_ns)\"" \
		json | sort >actual &&
	test_cmp - actual <<-\EOF &&
	(in no region) 25000 25000 0 0
	c/inner 20000 10000 10000 0
	c/outer 55000 35000 20000 0
	EOF
	trace2 report --regions r >out &&
	test_grep "SHARE  *CPU us  *WAIT us  *READY us  *CALLS" out
'

test_expect_success '--waits has a row for each cause, process and region' '
	test_prints trace2 report --waits r <<-\EOF &&
	ON PATH us  SUM us  COUNT  P50 us  MAX us  WAIT  WOKEN BY   PROCESS  REGION
	        30      30      1      30      30  disk  ~(kernel)  top      c/outer
	EOF
	test_prints trace2 report --waits -N c/inner r </dev/null 2>err &&
	test_grep "no waits in this recording" err &&
	test_prints trace2 report --waits -t 31us r </dev/null 2>err
'

test_expect_success 'report begins with the CPU time and the waiting time of the critical path' '
	trace2 report r >out &&
	head -n 3 out >actual &&
	test_write_lines "100 us wall, 70 us CPU (0.70 CPUs)" "1 process, 9 events" \
		"30 us (30.0%) waiting" >expect &&
	test_cmp expect actual &&
	trace2 report --format=json r >json &&
	trace2 list --format=json r >>json &&
	jq -s -c "(.[0].summary[0] | [.cpu_ns, .waiting_ns, .ready_ns]),
		(.[0].processes[0] | [.cpu_ns, .wait_ns, .ready_ns]),
		.[1].processes[0].cpu_ns" json >actual &&
	test_write_lines "[70000,30000,0]" "[70000,30000,0]" 70000 >expect &&
	test_cmp expect actual &&
	trace2 list r >out &&
	test_grep " 100 *70     0   10  top$" out
'

test_expect_success '--waits names the waker that ended most of the waiting time' '
	made r <<-\EOF &&
	top reader
	2 0 fork 11 11 10 10
	3 1 run 11 11 writer
	5 0 fork 12 12 10 10
	6 0 sleep 10 10 12 reader schedule,anon_pipe_read
	6 0 run 12 12 other
	16 1 waking 11 11 10
	17 0 sleep 12 12 10 reader
	17 0 in 10 10
	20 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	50 1 waking 11 11 10
	50 0 in 10 10
	60 0 sleep 10 10 0 swapper schedule,anon_pipe_read
	61 0 in 12 12
	65 0 waking 12 12 10
	66 1 exit 11 11
	67 0 exit 12 12
	68 0 in 10 10
	70 0 exit 10 10
	EOF
	trace2 report --waits --cmd reader --format=json r >json &&
	trace2 report --waits -g cmd --format=json r >>json &&
	test_prints jq -s -c "(.[].waits[] | select(.process == \"reader\")) | [.total_ns, .count, .p50_ns,
		.max_ns, .cause, .woken_by, .inferred, .process, .group,
		.region]" json <<-\EOF &&
	[45000,3,10000,30000,"pipe","writer",0,"reader",null,null]
	[45000,3,10000,30000,"pipe","writer",0,"reader","reader",null]
	EOF
	test_prints jq -s -r ".[1].waits[] | \"\(.process) \(.on_path_ns) of \(.total_ns)\"" json <<-\EOF
	other 44000 of 44000
	reader 0 of 45000
	EOF
'

# kid START PID BY END: top starts it, waits for it, and goes on at END; 10 us after
# START it has no CPU, until 10 us before END.
kid () {
	cat <<-EOF
	$1 0 fork $2 $2 10 10
	$(($1 + 1)) 0 switch 10 10 0 swapper schedule,do_wait
	$(($1 + 1)) 0 out 10 10
	$(($1 + 1)) 0 in $2 $2
	$(($1 + 2)) 0 comm $2 $2 kid exec
	$(($1 + 10)) 0 switch $2 $2 77 $3
	$(($1 + 10)) 0 out $2 $2 preempted
	$(($4 - 10)) 0 in $2 $2
	$(($4 - 1)) 0 waking $2 $2 10
	$(($4 - 1)) 0 exit $2 $2
	$4 0 in 10 10
	EOF
}

test_expect_success 'report --summary names a program that had the CPU for over half of NO CPU time' '
	for end in 260 360
	do
		{
			test_write_lines "0 0 fork 10 10 1 1" "0 0 in 10 10" \
				"1 0 comm 10 10 top exec" &&
			kid 10 11 one 60 &&
			kid 100 12 two 150 &&
			kid 200 13 three $end &&
			echo "400 0 exit 10 10"
		} | made r &&
		trace2 report --summary --format=json r >json &&
		jq -r ".parts[] | select(.kind == \"kid\" and .state == \"run\") |
			\"\(.processes) \(.no_cpu_ns) \(.by)\"" json || return 1
	done >actual &&
	test_write_lines "3 103000 null" "3 203000 three" | test_cmp - actual
'

test_expect_success 'a program outside of the recording that had the CPU is shown in brackets' '
	{
		test_write_lines "top top" &&
		kid 10 11 nm 60 &&
		kid 100 12 trace2 150 &&
		echo "160 0 exit 10 10"
	} | made r &&
	cp r/meta.json meta &&
	for pid in 78 77
	do
		sed "s/{/&\"recorder_pid\":$pid,/" meta >r/meta.json &&
		trace2 report --path r >out &&
		sed -n "s/.*\(no CPU: .*)\).*/\1/p" out &&
		trace2 report --path --format=json r >json &&
		jq -r ".critical_path[] | select(.no_cpu_ns > 2000) | \"\(.by) \(.by_outside)\"" json ||
		return 1
	done >actual &&
	test_cmp - actual <<-\EOF
	no CPU: (nm)
	no CPU: (trace2)
	nm true
	trace2 true
	no CPU: (trace2 record)
	no CPU: (trace2 record)
	trace2 record true
	trace2 record true
	EOF
'

test_expect_success 'the critical path has a row for each program that a process executed' '
	made r <<-\EOF &&
	top script
	30 0 fork 11 11 10 10
	31 0 sleep 10 10 0 swapper schedule,do_wait
	31 0 run 11 11 early
	50 0 exit 11 11
	50 0 in 10 10
	60 0 comm 10 10 last exec
	65 0 fork 12 12 10 10
	66 0 sleep 10 10 0 swapper schedule,do_wait
	66 0 run 12 12 late
	90 0 exit 12 12
	90 0 in 10 10
	100 0 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 script run 40
	1 early run:last 19 + 1
	0 last run 15
	1 late run:last 24 + 1
	EOF
'

test_expect_success 'a process that outlives its first thread stays on the critical path' '
	made r <<-\EOF &&
	top top
	5 0 fork 10 11 10 10
	6 1 in 10 11
	20 0 exit 10 10
	40 1 sleep 10 11 0 swapper schedule,do_nanosleep
	70 1 in 10 11
	100 1 exit 10 11
	EOF
	test_prints path <<-\EOF
	0 top@other threads run 50
	0 top@other threads wait:sleep 30
	0 top run 20
	EOF
'

test_expect_success 'threads other than the first are grouped by name on the critical path' '
	made r <<-\EOF &&
	top top
	5 0 fork 10 11 10 10
	6 0 sleep 10 10 0 swapper schedule,futex_do_wait
	7 1 in 10 11
	8 1 comm 10 11 pool-1
	20 1 fork 10 12 10 11
	21 1 die 10 11 12 pool-1
	22 1 in 10 12
	23 1 comm 10 12 pool-22
	40 1 fork 10 13 10 12
	41 1 die 10 12 13 pool-22
	42 1 in 10 13
	43 1 comm 10 13 top
	70 1 waking 10 10 13
	71 0 in 10 10
	71 1 exit 10 13
	80 0 exit 10 10
	EOF
	test_prints path <<-\EOF &&
	0 top@pool-* run~ 31 + 4
	0 top@other threads run:pool-22~ 29 + 2
	0 top run 14
	EOF
	trace2 report r >out &&
	test_grep " run in pool-\* *\[top\]$" out &&
	test_grep " run in other threads *\[top\]$" out
'

test_expect_success 'the critical path does not follow a wake-up by a thread that had no CPU then' '
	made r <<-\EOF &&
	top top
	5 0 fork 11 11 10 10
	6 0 sleep 10 10 0 swapper schedule,futex_do_wait
	7 1 in 11 11
	8 1 out 11 11
	50 1 waking 11 11 10
	51 0 in 10 10
	60 0 exit 10 10
	70 1 in 11 11
	80 1 exit 11 11
	EOF
	test_prints path <<-\EOF
	0 top wait:lock:top 44
	0 top run 15 + 1
	EOF
'

test_expect_success 'a thread whose creation was not recorded is on the critical path' '
	made r <<-\EOF &&
	top top
	6 0 sleep 10 10 0 swapper schedule,futex_do_wait
	30 1 in 10 11
	60 1 waking 10 11 10
	61 0 in 10 10
	62 1 exit 10 11
	70 0 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top@other threads run 30
	0 top@other threads wait:unknown 30
	0 top run 9 + 1
	EOF
'

test_expect_success 'no waker is named if several processes ended during a wait' '
	made r <<-\EOF &&
	top top
	5 0 fork 11 11 10 10
	6 0 fork 12 12 10 10
	7 0 sleep 10 10 11 top schedule,do_wait
	8 0 run 11 11 reader
	10 0 out 11 11
	11 1 run 12 12 loop
	20 1 fork 13 13 12 12
	21 1 out 12 12
	22 1 run 13 13 true
	30 1 exit 13 13
	31 1 in 12 12
	32 1 fork 14 14 12 12
	33 1 out 12 12
	34 1 run 14 14 true
	50 1 exit 14 14
	51 1 in 11 11
	80 1 exit 11 11
	81 0 in 10 10
	90 0 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top run 14
	0 top wait:child:reader 1
	1 reader wait:unknown 41
	1 reader run:top 31 + 3
	EOF
'

test_expect_success 'no wake-ups recorded: the end of a thread or a writer ends a wait for it' '
	made r <<-\EOF &&
	top top
	5 0 fork 10 11 10 10
	6 0 fork 12 12 10 10
	7 1 in 10 11
	8 0 sleep 10 10 0 swapper schedule,futex_do_wait
	9 0 run 12 12 writer
	40 1 exit 10 11
	43 1 in 10 10
	44 1 sleep 10 10 0 swapper schedule,anon_pipe_read
	50 0 waking 12 12 99
	80 0 exit 12 12
	85 0 in 10 10
	100 0 exit 10 10
	EOF
	test_prints path <<-\EOF &&
	0 top run 21
	0 top wait:pipe:writer 5
	1 writer run:top~ 71 + 3
	EOF
	made r <<-\EOF &&
	top top
	5 0 fork 10 11 10 10
	7 1 in 10 11
	8 0 sleep 10 10 0 swapper schedule,futex_do_wait
	9 1 waking 10 11 99
	40 1 exit 10 11
	43 1 in 10 10
	50 1 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top@other threads run~ 33 + 2
	0 top run 12
	0 top wait:lock:top 3
	EOF
'

# make waits in pselect() until a child ends, whose signal no record has.
test_expect_success 'no wake-ups recorded: the end of a child ends a poll of the parent' '
	made r <<-\EOF &&
	top top
	6 0 fork 12 12 10 10
	8 0 sleep 10 10 0 swapper schedule,do_select
	9 0 run 12 12 kid
	50 0 waking 12 12 99
	80 0 exit 12 12
	85 0 in 10 10
	86 0 sleep 10 10 0 swapper schedule,do_poll
	95 0 in 10 10
	100 0 exit 10 10
	EOF
	test_prints path <<-\EOF
	0 top wait:poll 14
	0 top run 12
	1 kid run:top~ 71 + 3
	EOF
'

test_expect_success 'short rows of the critical path are summed up in a last row' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	1 0 run 10 10 top
	1000 0 sleep 10 10 0 swapper schedule,do_nanosleep
	1003 0 in 10 10
	2000 0 exit 10 10
	EOF
	trace2 report r >out &&
	test_grep "^ *0.003  *0.2%  *1 more, each less than 0.5%$" out
'

test_expect_success 'lost records are reported above the critical path, since sums may be wrong' '
	records="0 0 fork 10 10 1 1
	5 0 in 10 10
	20 0 out 10 10
	60 0 in 10 10
	100 0 exit 10 10" &&
	echo "$records" | made r &&
	trace2 report r >out &&
	test_grep ! "were lost" out &&
	echo "$records" | sed "3a\\
	40 0 lost 7" | made r &&
	trace2 report r >out 2>err &&
	test_grep "^(records of the kernel were lost: CPU, WAIT, READY" out &&
	trace2 report --format=json r >json &&
	jq -e ".processes[0].states_lost == true" json
'

test_expect_success 'report without states shows a critical path of processes, and a note about it' '
	made r <<-\EOF &&
	0 0 fork 10 10 1 1
	10 0 fork 11 11 10 10
	60 1 exit 11 11
	100 0 exit 10 10
	EOF
	trace2 report r >out &&
	test_grep "^(without states of threads, " out &&
	test_grep "^ *50  *50.0%  *└ .?.$" out &&
	trace2 report --format=json r >json &&
	jq -e ".critical_path[0] | .state == null and .inferred == null" json
'

# The reader waits when the sleep begins, for at least 100 ms.
test_expect_success PIPE,WAKERS 'the critical path of a pipeline shows sleep, writer and sort, not long waits' '
	cat >pipeline <<-\EOF &&
	mkfifo lines
	sort <lines >sorted &
	{
		until grep -q sort /proc/$!/comm && grep -q "^State:.S" /proc/$!/status
		do
			:
		done
		sleep 0.1
		seq 100000
	} >lines
	wait
	sleep 0.03
	EOF
	trace2 record -o pipe -- sh pipeline &&
	path pipe >actual &&
	test_grep " seq run" actual &&
	test_grep " sort run" actual &&
	awk "/ sort wait:pipe/ && \$NF >= 50000" actual >waits &&
	test_must_be_empty waits &&
	awk "/sleep wait:sleep/ && \$NF >= 100000" actual >long &&
	test_line_count = 1 long
'

test_expect_success GIT,WAKERS 'the critical path of a clone shows the sleep of the server, not a wait for it' '
	git init -q up &&
	git -C up -c user.name=A -c user.email=a@b commit -q --allow-empty -m one &&
	write_script late <<-\EOF &&
	# Until the other side waits for it.
	until grep -q "^State:.S" /proc/$PPID/status
	do
		:
	done
	sleep 0.1
	exec git-upload-pack "$@"
	EOF
	PATH="$PWD:$PATH" trace2 record -o clone -- \
		git clone -q -u late "file://$PWD/up" copy &&
	path clone >actual &&
	awk "/ sleep wait:sleep / && \$NF >= 100000" actual >long &&
	test_line_count = 1 long
'

test_done
