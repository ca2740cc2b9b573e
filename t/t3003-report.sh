#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report: the parts of the wall time'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-terminal.sh"

traces=$TEST_DIRECTORY/traces

# A session of 1 s: 100 ms of a child that reports 60 ms itself, a region of 400
# ms with one of 150 ms in it, and a thread joined in that.
test_expect_success 'setup: write a session of one second' '
	cat >known.event <<-\EOF
	{"event":"version","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.000000,"argv":["/usr/bin/top","-x"]}
	{"event":"child_start","sid":"P","thread":"main","time":"2026-11-21T07:20:00.100000Z","file":"a.c","line":1,"child_id":0,"child_class":"?","use_shell":false,"argv":["kid"]}
	{"event":"version","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:00.120000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:00.120000Z","file":"a.c","line":1,"t_abs":0.000000,"argv":["kid"]}
	{"event":"exit","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:00.180000Z","file":"a.c","line":1,"t_abs":0.060000,"code":0}
	{"event":"atexit","sid":"P/C-P0000002a","thread":"main","time":"2026-11-21T07:20:00.180000Z","file":"a.c","line":1,"t_abs":0.060000,"code":0}
	{"event":"child_exit","sid":"P","thread":"main","time":"2026-11-21T07:20:00.200000Z","file":"a.c","line":1,"child_id":0,"pid":42,"code":0,"t_rel":0.100000}
	{"event":"region_enter","sid":"P","thread":"main","time":"2026-11-21T07:20:00.300000Z","file":"a.c","line":1,"nesting":1,"category":"c","label":"outer"}
	{"event":"region_enter","sid":"P","thread":"main","time":"2026-11-21T07:20:00.400000Z","file":"a.c","line":1,"nesting":2,"category":"c","label":"inner"}
	{"event":"thread_start","sid":"P","thread":"th01:work","time":"2026-11-21T07:20:00.410000Z","file":"a.c","line":1}
	{"event":"region_enter","sid":"P","thread":"th01:work","time":"2026-11-21T07:20:00.420000Z","file":"a.c","line":1,"nesting":1,"category":"c","label":"piece"}
	{"event":"region_leave","sid":"P","thread":"th01:work","time":"2026-11-21T07:20:00.520000Z","file":"a.c","line":1,"t_rel":0.100000,"nesting":1,"category":"c","label":"piece"}
	{"event":"thread_exit","sid":"P","thread":"th01:work","time":"2026-11-21T07:20:00.540000Z","file":"a.c","line":1,"t_rel":0.130000}
	{"event":"region_leave","sid":"P","thread":"main","time":"2026-11-21T07:20:00.550000Z","file":"a.c","line":1,"t_rel":0.150000,"nesting":2,"category":"c","label":"inner"}
	{"event":"region_leave","sid":"P","thread":"main","time":"2026-11-21T07:20:00.700000Z","file":"a.c","line":1,"t_rel":0.400000,"nesting":1,"category":"c","label":"outer"}
	{"event":"exit","sid":"P","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"t_abs":1.000000,"code":0}
	{"event":"atexit","sid":"P","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"t_abs":1.000000,"code":0}
	EOF
'

test_expect_success 'report shows processes, spawn overhead and the critical path' '
	test_prints trace2 report known.event <<-\EOF
	1.000 s wall
	2 processes, 18 events
	40.000 ms (4.0%) spawning

	TIME ms  SHARE  CRITICAL PATH
	540.000  54.0%  top -x
	 60.000   6.0%  ├ kid
	250.000  25.0%  └ c/outer
	 50.000   5.0%    └ c/inner
	100.000  10.0%      └ c/piece
	(without states of threads, processes that only waited are on the path, too)

	WALL s  SELF s   SHARE  SPAWN s  PROCESS
	 1.000   0.940  100.0%           top -x
	 0.060   0.060    6.0%    0.040  └ kid
	EOF
'

test_expect_success 'the times on the critical path add up to the wall time' '
	for f in "$traces"/*.event
	do
		trace2 report --format=json "$f" >>reports 2>/dev/null &&
		echo true || return 1
	done >expect &&
	jq "([.processes[] | select(.depth == 0).wall_ns] | max) as \$whole
		| \$whole > 0 and \$whole ==
		([.critical_path[].time_ns] | add)" reports >actual &&
	test_cmp expect actual
'

test_expect_success 'report --regions has self times and percentiles' '
	test_prints trace2 report --regions known.event <<-\EOF
	SUM WALL ms  SUM SELF ms  SHARE  CALLS   P50 ms   P90 ms   P99 ms   MAX ms  REGION
	    660.000      560.000  56.0%      2   60.000  600.000  600.000  600.000  (in no region)
	    400.000      250.000  25.0%      1  400.000  400.000  400.000  400.000  c/outer
	    150.000      150.000  15.0%      1  150.000  150.000  150.000  150.000  c/inner
	    100.000      100.000  10.0%      1  100.000  100.000  100.000  100.000  c/piece
	EOF
'

test_expect_success JQ 'report: percentiles are computed by nearest rank' '
	{
		sed -n 1,2p known.event &&
		"$PERL_PATH" -e "for my \$i (1..100) {
			my \$h = q({\"event\":\"region_%s\",\"sid\":\"P\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:00.%06dZ\",\"file\":\"a\",\"line\":1,%s\"nesting\":1,\"category\":\"c\",\"label\":\"l\"});
			printf \"\$h\\n\", q(enter), \$i * 1000, q();
			printf \"\$h\\n\", q(leave), \$i * 1000, sprintf(q(\"t_rel\":0.%06d,), \$i);
		}" &&
		tail -n 2 known.event
	} >ranks.event &&
	trace2 report --regions -N c/l --format=json ranks.event >out &&
	jq -c ".regions[0] | [.calls,.p50_ns,.p90_ns,.p99_ns,.max_ns,.total_ns]" out >actual &&
	echo "[100,50000,90000,99000,100000,5050000]" | test_cmp - actual
'

test_expect_success 'report --threads shows how busy threads were' '
	test_prints trace2 report --threads known.event <<-\EOF
	WALL s  IN REGIONS s   BUSY  REGIONS  FROM s  THREAD     PROCESS
	 1.000         0.400  40.0%        2   0.000  main       top
	 0.130         0.100  76.9%        1   0.410  th01:work  top
	 0.060         0.000   0.0%        0   0.000  main       kid
	EOF
'

test_expect_success 'report: --timers, --counters and --errors each show their table' '
	test_prints trace2 report --timers --counters --errors "$traces/timers.event" \
		"$traces/counters.event" "$traces/commit.event" \
		"$traces/error.event" 2>err <<-\EOF
	SUM ms  INTERVALS  MEAN ms  MIN ms  MAX ms  TIMER
	31.132         15    2.075   2.041   2.166  test/test2

	VALUE  PROCESSES  COUNTER
	    4          2  fsync/hardware-flush
	   60          1  test/test2

	TIME               PID  PROCESS   MESSAGE
	07:20:00.598721  15568  checkout  pathspec '\''no-such-branch'\'' did not match any file(s) known to git
	EOF
'

test_expect_success 'report --data shows values in order of time' '
	trace2 report --data "$traces/clone.event" >out &&
	test_prints head -n 3 out <<-\EOF &&
	TIME               PID  PROCESS      NAME                         VALUE
	07:19:59.788158  15201  upload-pack  transfer/negotiated-version  2
	07:19:59.788352  15199  clone        transfer/negotiated-version  2
	EOF
	cat >points.event <<-\EOF &&
	{"event":"version","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.000000,"argv":["top"]}
	{"event":"printf","sid":"P","thread":"main","time":"2026-11-21T07:20:00.200000Z","file":"a.c","line":2,"t_abs":0.200000,"msg":"hello"}
	{"event":"data_json","sid":"P","thread":"main","time":"2026-11-21T07:20:00.100000Z","file":"a.c","line":3,"t_abs":0.100000,"t_rel":0.100000,"nesting":1,"category":"c","key":"k","value":[1]}
	{"event":"error","sid":"P","thread":"main","time":"2026-11-21T07:20:00.300000Z","file":"a.c","line":4,"msg":"no","fmt":"no"}
	{"event":"signal","sid":"P","thread":"main","time":"2026-11-21T07:20:00.400000Z","file":"a.c","line":5,"t_abs":0.400000,"signo":15}
	EOF
	test_prints trace2 report --data --format=csv points.event <<-\EOF
	time,pid,process,name,value,file,line,sid
	2026-11-21T07:20:00.100000Z,,top,c/k,[1],a.c,3,P
	2026-11-21T07:20:00.200000Z,,top,message,hello,a.c,2,P
	2026-11-21T07:20:00.400000Z,,top,signal,15,a.c,5,P
	EOF
'

# The buckets of the 10th, 18th and 20th of 20 intervals; the bucket of the
# largest ends with it. Two processes had "mixed", one kept no buckets.
test_expect_success JQ 'report --timers has percentiles if all intervals are in a histogram' '
	cat >buckets.event <<-\EOF &&
	{"event":"version","sid":"A","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"A","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.000000,"argv":["a"]}
	{"event":"timer","sid":"A","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"category":"t","name":"both","intervals":10,"t_total":0.003000,"t_min":0.000001,"t_max":0.001000,"histogram":[[0.000001023,8],[0.000011263,1],[0.001015807,1]]}
	{"event":"timer","sid":"A","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"category":"t","name":"mixed","intervals":2,"t_total":0.002000,"t_min":0.001000,"t_max":0.001000,"histogram":[[0.001015807,2]]}
	{"event":"timer","sid":"A","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"category":"t","name":"short","intervals":3,"t_total":0.000001,"t_min":0.000000,"t_max":0.000000,"histogram":[[0.000000447,3]]}
	{"event":"atexit","sid":"A","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"t_abs":1.000000,"code":0}
	{"event":"version","sid":"B","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"B","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.000000,"argv":["b"]}
	{"event":"timer","sid":"B","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"category":"t","name":"both","intervals":10,"t_total":0.000020,"t_min":0.000002,"t_max":0.000002,"histogram":[[0.000002047,10]]}
	{"event":"timer","sid":"B","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"category":"t","name":"mixed","intervals":1,"t_total":0.001000,"t_min":0.001000,"t_max":0.001000}
	{"event":"atexit","sid":"B","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"t_abs":1.000000,"code":0}
	EOF
	trace2 report --timers --format=json buckets.event >out &&
	trace2 report --timers --format=json -g cmd -s timer buckets.event >>out &&
	test_prints jq -s -c "(.[0].timers[] | [.timer,.total_ns,.intervals,.mean_ns,.min_ns,
			.p50_ns,.p90_ns,.p99_ns,.max_ns]),
		(.[1].timers[] | [.timer,.group,.p50_ns,.p90_ns,.p99_ns])" \
		out <<-\EOF
	["t/both",3020000,20,151000,1000,2047,2047,1000000,1000000]
	["t/mixed",3000000,3,1000000,1000000,null,null,null,1000000]
	["t/short",1000,3,333,0,447,447,447,0]
	["t/both","a",1023,11263,1000000]
	["t/both","b",2000,2000,2000]
	["t/mixed","a",1000000,1000000,1000000]
	["t/mixed","b",null,null,null]
	["t/short","a",447,447,447]
	EOF
'

test_expect_success JQ 'report --per-thread has a row for each thread' '
	trace2 report --counters --per-thread --format=json \
		"$traces/counters.event" >out &&
	jq -c ".counters[] | [.value,.processes,.thread,.counter]" out |
	sort >actual &&
	test_cmp - actual <<-\EOF
	[20,1,"th01:ut_201","test/test2"]
	[20,1,"th02:ut_201","test/test2"]
	[20,1,"th03:ut_201","test/test2"]
	EOF
'

test_expect_success JQ 'report: JSON contains the totals (wall, CPU, errors), CSV leaves them out' '
	trace2 report --format=json known.event >out &&
	trace2 report --format=json "$traces/error.event" >>out &&
	# It continues in the background, and lost three.
	sed -e "s/07:20:00.180000Z/07:20:02.000000Z/; s/\"t_abs\":0.060000/\"t_abs\":1.880000/" \
		-e "/\"atexit\",\"sid\":\"P\",/s/}/,\"lost\":3}/" \
		known.event >behind.event &&
	trace2 report --format=json behind.event >>out &&
	test_prints jq -s -c "map(.summary) | .[0][], (.[1][] | [.failed,.code,.errors]),
		(.[2][] | [.background_ns,.lost])" out <<-\EOF &&
	{"argv":["/usr/bin/top","-x"],"wall_ns":1000000000,"cpu_ns":null,"waiting_ns":null,"ready_ns":null,"recorder_ready_ns":null,"recorder_cpu_ns":null,"throttled_ns":null,"cpu_limit_millicpu":null,"peak_memory_bytes":null,"peak_memory_at_ns":null,"processes":2,"events":18,"spawning_ns":40000000,"background_ns":0,"lost":0,"states_lost":null,"failed":0,"code":0,"signal":null,"errors":0,"commands":1,"span_ns":1000000000,"at_least":false}
	[1,1,1]
	[1000000000,3]
	EOF
	trace2 report --format=csv known.event >out &&
	test_grep ! spawning_ns out
'

test_expect_success 'report -g cmd groups processes by command' '
	test_prints trace2 report -g cmd -n 3 "$traces/gc.event" <<-\EOF &&
	SUM WALL ms  SUM SELF ms  SHARE  SUM SPAWN ms  COUNT  P50 ms  P90 ms  P99 ms  MAX ms  GROUP
	     32.446        9.015  27.8%             -      1  32.446  32.446  32.446  32.446  git gc
	     15.236        6.273  19.3%         0.939      1  15.236  15.236  15.236  15.236  git repack
	      8.963        8.963  27.6%         2.035      2   1.571   7.392   7.392   7.392  git pack-objects
	EOF
	trace2 report -g cmd --cmd "git repack" --format=csv "$traces/gc.event" >actual &&
	sed 1d actual >rows &&
	test_line_count = 1 rows
'

test_expect_success 'the kind of a process includes the subcommand or the script' '
	. "$TEST_DIRECTORY/lib-stream.sh" &&
	child () {
		event P "$1" child_start "\"child_id\":$1,\"child_class\":\"?\",\"use_shell\":$2,\"argv\":[$3]" &&
		event P "$1" child_exit "\"child_id\":$1,\"pid\":$1,\"code\":0,\"t_rel\":0.0"
	} &&
	sed "s/[[:space:]]*[#].*//; s/[^|]*/\"&\"/g; s/|/,/g" >words <<-\EOF &&
	/usr/bin/git|-C|dir|-c|a.b=c|fetch|-q	# git fetch
	/usr/lib/git-core/git-upload-pack|dir	# git upload-pack
	git|--version	# git
	/bin/sh|-e|-o|errexit|/a/build.sh|x	# sh build.sh
	bash|-ec|true	# bash -c
	-dash|-l	# dash
	/usr/bin/perl|-w|-I|lib|/usr/bin/prove|-j2	# perl prove
	perl|-Mstrict|-ne|1	# perl -e
	python3|-X|dev|-m|venv	# python3 -m
	ssh|-c|host|git-upload-pack	# ssh
	/usr/lib/gcc/cc1|-quiet|a.c	# cc1
	EOF
	{
		begin P 0 top && i=1 &&
		while read -r argv
		do
			child "$i" false "$(printf "%s" "$argv")" &&
			i=$((i + 1)) || return 1
		done <words &&
		child 12 true "\"/usr/bin/git show HEAD | cat\"" &&
		child 13 true "\"exec /bin/x\"" &&
		event P 90 cmd_name "\"name\":\"name\",\"hierarchy\":\"name\"" &&
		event P 100 atexit
	} >kinds.event &&
	trace2 report -g cmd --format=json kinds.event >out &&
	jq -r ".groups[].group" out | sort >actual &&
	sort >expect <<-\EOF &&
	bash -c
	cc1
	dash
	exec
	git
	git fetch
	git show
	git upload-pack
	perl -e
	perl prove
	python3 -m
	sh build.sh
	ssh
	top name
	EOF
	test_cmp expect actual
'

# Two processes of one name overlap for 40 ms, their regions of one name for 10,
# and one of these is inside another of that name. A third process goes on after
# the first one.
test_expect_success JQ 'SHARE is a part of the wall time, and counts each moment once' '
	. "$TEST_DIRECTORY/lib-stream.sh" &&
	region () {
		event "$1" "$2" region_$3 "\"nesting\":1,\"category\":\"c\",\"label\":\"r\""
	} &&
	{
		begin P 0 top && begin P/A 10 kid && region P/A 20 enter &&
		region P/A 30 enter && region P/A 40 leave && region P/A 50 leave &&
		event P/A 60 atexit && begin P/B 20 kid && region P/B 40 enter &&
		region P/B 70 leave && event P/B 80 atexit &&
		begin P/C 90 late && event P/C 150 atexit && event P 100 atexit
	} >parallel.event &&
	trace2 report -g cmd --format=json parallel.event >out &&
	trace2 report --regions --format=json parallel.event >>out &&
	test_prints jq -c "def ms: if . then . / 1e6 else . end;
		(.groups // .regions)[] | [.region // .group, .calls // .processes,
		(.total_ns, .self_ns | ms), .share, .spawn_ns,
		(.p50_ns, .p90_ns, .p99_ns, .max_ns | ms)]" out <<-\EOF
	["kid",2,110,110,0.7,null,50,60,60,60]
	["top",1,100,20,0.2,null,100,100,100,100]
	["late",1,60,60,0.1,null,60,60,60,60]
	["(in no region)",4,210,130,0.8,null,30,100,100,100]
	["c/r",3,70,60,0.5,null,30,30,30,30]
	EOF
'

test_expect_success 'report -s sorts, -n limits the rows' '
	trace2 report --regions -s calls -n 1 "$traces/gc.event" >actual &&
	test_line_count = 2 actual &&
	test_grep " 9 .*(in no region)" actual &&
	trace2 report --regions -s region -n 1 "$traces/gc.event" >actual &&
	test_grep "(in no region)" actual
'

test_expect_success 'report: an unknown column is named' '
	test_expect_code 2 trace2 report --regions -s speed "$traces/gc.event" 2>err &&
	echo "trace2: cannot sort by '\''speed'\'': the columns are total, self, share, cpu, wait, ready, calls, p50, p90, p99, max, group, region" >expect &&
	test_cmp expect err
'

test_expect_success JQ 'report: JSON has all views in one object' '
	trace2 report --regions --threads --timers --counters --errors \
		--format=json "$traces/timers.event" >out 2>/dev/null &&
	trace2 report --format=json known.event >>out &&
	test_prints jq -s -r "(.[] | keys | join(\" \")),
		(.[1].processes[1] | [.wall_ns,.spawn_ns,.share] | tojson)" out <<-\EOF
	counters errors regions threads timers
	critical_path processes summary
	[60000000,40000000,0.06]
	EOF
'

test_expect_success GIT 'report of a real git clone shows git-upload-pack and the critical path' '
	git init -q origin &&
	git -C origin -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m one &&
	mkdir live &&
	GIT_TRACE2_EVENT="$PWD/live" git clone -q "file://$PWD/origin" copy &&
	trace2 report live >out &&
	test_grep "git clone -q .*file:" out &&
	test_grep "\[git-upload-pack" out &&
	test_grep "CRITICAL PATH" out
'

test_expect_success 'report shows failures first' '
	trace2 report "$traces/error.event" >out &&
	sed -n 2p out >first &&
	test_grep "events; exit 1; 1 error (report --errors)$" first &&
	trace2 report "$traces/clone.event" >out &&
	sed -n 2p out >first &&
	test_grep ! "exit" first
'

test_expect_success TTY 'report on a narrow terminal keeps the names of regions, and drops percentiles' '
	TERM=dumb COLUMNS=70 test_terminal trace2 report --regions \
		"$traces/gc.event" >out &&
	test_grep "CALLS  *MAX ms  REGION$" out &&
	test_grep "^P50, P90, P99 left out: this terminal is too narrow$" out &&
	TERM=dumb COLUMNS=200 test_terminal trace2 report --regions \
		"$traces/gc.event" >out &&
	test_grep "CALLS  *P50 ms  *P90 ms  *P99 ms  *MAX ms  REGION$" out &&
	test_grep ! "left out" out
'

test_expect_success JQ 'report --path shows the critical path alone, also as CSV' '
	trace2 report --format=json known.event >out &&
	trace2 report --path --format=json known.event >>out &&
	jq -s -r "(if (.[1] | tojson) == (.[0] | {critical_path} | tojson) then \"the same\" else .[1] end),
		(.[1].critical_path[] | \"\(.depth),\(.time_ns)\")" out >both &&
	echo "the same" | test_prints head -n 1 both &&
	sed 1d both >steps &&
	trace2 report --path --format=csv known.event >out &&
	sed 1d out | cut -d, -f1,2 >actual &&
	test_cmp steps actual &&
	trace2 report known.event >out &&
	sed -n "/CRITICAL PATH/,/without states/p" out >expect &&
	trace2 report --path known.event >actual &&
	test_cmp expect actual &&
	trace2 report --path -s time -n 1 --format=csv known.event >out &&
	cut -d, -f2 out >actual &&
	{
		echo time_ns &&
		cut -d, -f2 steps | sort -rn | head -n 1
	} >expect &&
	test_cmp expect actual &&
	test_expect_code 2 trace2 report --path --cmd kid known.event 2>err &&
	test_grep "path cannot be combined with filters" err
'

test_expect_success 'report: CSV has a single table' '
	trace2 report --format=csv known.event >out &&
	test_grep "^depth,wall_ns" out &&
	test_grep ! "^depth,time_ns" out &&
	test_expect_code 2 trace2 report --format=csv --regions --timers \
		known.event 2>err &&
	test_grep "csv has one table: give one view" err
'

test_expect_success 'report: filters that match nothing are an error with the closest names' '
	nothing () {
		test_expect_code 128 trace2 report "$@" known.event >out 2>err &&
		test_must_be_empty out &&
		cat err
	} &&
	{
		nothing --cmd kad &&
		nothing --cmd to &&
		nothing --cmd unlike &&
		nothing --pid 4242 &&
		nothing --sid X &&
		nothing --regions -N c/outre &&
		nothing --regions -N unlike &&
		nothing --cmd kid --sid P
	} >actual &&
	test_cmp - actual <<-\EOF &&
	trace2: no process matches --cmd '\''kad'\''. Did you mean '\''kid'\''?
	trace2: no process matches --cmd '\''to'\''. Did you mean '\''*to*'\''?
	trace2: no process matches --cmd '\''unlike'\'': '\''trace2 list'\'' shows their names
	trace2: no process has the pid 4242: '\''trace2 list'\'' shows the pids
	trace2: no session id is '\''X'\'', or begins with it: '\''trace2 list --format=csv'\'' shows the ids
	trace2: no region matches -N '\''c/outre'\''. Did you mean '\''c/outer'\''?
	trace2: no region matches -N '\''unlike'\'': '\''trace2 report --regions'\'' shows their names
	trace2: no process matches all of --cmd, --sid and --pid
	EOF
	trace2 list -t 1h known.event >out 2>err &&
	test_must_be_empty out &&
	test_grep "no process and no region is as long as -t asks" err &&
	trace2 list --until 2001-01-01 known.event >out 2>err &&
	test_must_be_empty out &&
	test_grep "is in the time of --since and --until" err &&
	trace2 report --cmd "k*" known.event >out &&
	trace2 report --regions -N "*/inner" -t 1h known.event >out
'

test_expect_success TTY 'list and report on a terminal of 45 columns drop numbers, not rows' '
	for width in 45 50
	do
		for command in list report "report --regions"
		do
			TERM=dumb COLUMNS=$width test_terminal trace2 $command \
				"$traces/clone.event" >out &&
			"$PERL_PATH" -CI -ne "chomp; s/\\r//;
				print if length > $width &&
				!/ left out: | is not instrumented|likely, but|^[0-9.]+ ms wall|^\\(without/" \
				<out >wide &&
			test_must_be_empty wide || return 1
		done
	done &&
	TERM=dumb COLUMNS=45 test_terminal trace2 list "$traces/clone.event" >out &&
	test_grep "^ *WALL ms  EXIT  *PID  *COMMAND" out &&
	test_grep "^START left out: this terminal is too narrow" out &&
	TERM=dumb COLUMNS=60 test_terminal trace2 list "$traces/clone.event" >out &&
	test_grep "^START " out
'

test_done
