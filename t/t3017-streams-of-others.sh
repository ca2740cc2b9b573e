#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='streams of producers other than Git, and streams with pasted text'

TEST_NO_CREATE_REPO=t
. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-trace2.sh

test_skip_unless JQ

# Scripts of this test write streams that are not ours.
unchecked foreign '*'

# stream FILE: write the events on stdin, lines of TIME NAME MEMBERS, where TIME is
# seconds after 11:00 on 14 March 2026.
stream () {
	perl -ne '
		my ($s, $name, $rest) = /^(\S+) (\S+) ?(.*)/ or die;
		printf qq({"event":"%s","sid":"%s","thread":"main",) .
			qq("time":"2026-03-14T11:00:%09.6fZ"%s}\n), $name,
			"20260314T110000.000000Z-H0a7c9cdf-P00003000", $s,
			$rest eq "" ? "" : ",$rest"' >"$1"
}

# session TIME: write a session of 2 s whose times are written as TIME is. In
# TIME, SS stands for the seconds.
session () {
	for event in "00 version \"evt\":\"4\",\"exe\":\"1\"" \
		"00 start \"t_abs\":0,\"argv\":[\"prog\"]" \
		"02 atexit \"t_abs\":2,\"code\":0"
	do
		at=${event%% *} rest=${event#* }
		echo "{\"event\":\"${rest%% *}\",\"sid\":\"some-P00003000\"," \
			"\"thread\":\"main\"," \
			"\"time\":\"${1%SS*}$at${1#*SS}\",${rest#* }}"
	done
}

processes () {
	trace2 list --format=json "$@" >json 2>err &&
	listed
}

# listed: of those in the file json. One jq serves many lists.
listed () {
	jq -r '.processes[] |
		[.start, .wall_ns / 1e6, .code, .argv[0]] |
		map(. // "-" | tostring) | join(" ")' json
}

test_expect_success 'times: ISO 8601 in all variants gives the same time' '
	cat >forms <<-\EOF &&
	2026-03-14T10:15:SSZ
	2026-03-14T10:15:SS.0Z
	2026-03-14T10:15:SS.000Z
	2026-03-14T10:15:SS.0000000Z
	2026-03-14T10:15:SS.000000000Z
	2026-03-14T10:15:SS.000000+00:00
	2026-03-14T10:15:SS.000000+00:00Z
	2026-03-14T10:15:SS+00
	2026-03-14T12:15:SS.00+02:00
	2026-03-14T12:15:SS.0+0200
	2026-03-14T04:45:SS.000000-05:30
	2026-03-13T23:15:SS.000000-11:00
	2026-03-15T00:15:SS.000000+14:00
	2026-03-14 10:15:SS,000
	2026-03-14t10:15:SS.000000z
	20260314T1015SSZ
	EOF
	while read -r form
	do
		session "$form" >one.event &&
		trace2 list --format=json one.event || return 1
	done <forms >json 2>err &&
	listed >actual &&
	sed "s/.*/2026-03-14T10:15:00.000000Z 2000 0 prog/" forms >expect &&
	test_cmp expect actual &&
	test_must_be_empty err
'

test_expect_success 'times: an invalid time is reported, and the start shown as unknown' '
	for form in "2026-02-30T10:15:SS.000000Z" "2026-03-14T25:15:SS.000000Z" \
		"2026-03-14T10:15:SS.Z" "2026-03-14T10:15:SS.000000+1" \
		"14.03.2026 10:15:SS" "2026-03-14T10:15:SSZ and more" "SS" "SS "
	do
		session "2026-03-14T10:15:SSZ" |
		sed "s/some/other/" >good.event &&
		session "$form" >bad.event &&
		processes good.event bad.event >unsorted &&
		test_prints sort -r unsorted <<-\EOF &&
		2026-03-14T10:15:00.000000Z 2000 0 prog
		- 2000 0 prog
		EOF
		test_grep "bad.event.: line 1: a time that cannot be read" err &&
		test_expect_code 1 trace2 check bad.event || return 1
	done >checked &&
	test_grep ! "brief stream" checked &&
	trace2 report good.event bad.event >report &&
	test_grep "^2 commands, 4.000 s altogether in a span of 2.000 s" report &&
	test_grep ! background report
'

test_expect_success 'times: a process without readable times began at the time in its SID' '
	session "SS" | sed "s/some/20260314T101500.250000Z-Habc/" >own.event &&
	processes own.event >actual &&
	echo "2026-03-14T10:15:00.250000Z 2000 0 prog" | test_cmp - actual
'

test_expect_success 'times: check warns where Git wrote 1900-00-00' '
	stream failed.event <<-\EOF &&
	0 version "evt":"4","exe":"1"
	0 start "t_abs":0,"argv":["prog"]
	1 printf "t_abs":1,"msg":"now"
	2 exit "t_abs":2,"code":0
	2 atexit "t_abs":2,"code":0
	EOF
	sed "3s/\"time\":\"[^\"]*/\"time\":\"1900-00-00T00:00:00.000000Z/" \
		failed.event >now.event &&
	test_expect_code 1 trace2 check now.event >out &&
	test_grep "3: warning: the program could not tell the time" out &&
	test_grep ! brief out &&
	processes now.event >actual &&
	echo "2026-03-14T11:00:00.000000Z 2000 0 prog" | test_cmp - actual
'

test_expect_success 'brief: the start of a process is the time of version less t_abs of start' '
	stream full.event <<-\EOF &&
	0.70 version "evt":"3","exe":"1"
	0.70 start "t_abs":0.09,"argv":["prog"]
	0.70 region_enter "nesting":1,"category":"a","label":"b"
	0.71 region_leave "t_rel":0.01,"nesting":1,"category":"a","label":"b"
	0.72 exit "t_abs":0.11,"code":0
	0.72 atexit "t_abs":0.11,"code":0
	EOF
	sed "/version\|atexit/!s/\"time\":\"[^\"]*\",\{0,1\}//" \
		full.event >brief.event &&
	processes brief.event >actual &&
	echo "2026-03-14T11:00:00.610000Z 110 0 prog" | test_cmp - actual &&
	trace2 report --regions --format=json brief.event |
	jq -r ".regions[] | [.region, .total_ns / 1e6] | join(\" \")" |
	sort >actual &&
	test_write_lines "(in no region) 100" "a/b 10" | test_cmp - actual &&
	trace2 export --to git-event brief.event >exported &&
	jq -r .time exported >times &&
	sort times >sorted &&
	test_cmp sorted times
'

test_expect_success 'children: a child with child_ready and child_exit is shown as one process' '
	stream ready.event <<-\EOF &&
	0 version "evt":"4","exe":"1"
	0 start "t_abs":0,"argv":["server"]
	1 child_start "child_id":0,"child_class":"?","use_shell":false,"argv":["git"]
	2 child_ready "child_id":0,"pid":4711,"ready":"ready","t_rel":1.0
	4 child_exit "child_id":0,"pid":4711,"code":3,"t_rel":3.0
	5 exit "t_abs":5,"code":0
	5 atexit "t_abs":5,"code":0
	EOF
	test_prints processes ready.event <<-\EOF &&
	2026-03-14T11:00:00.000000Z 5000 0 server
	2026-03-14T11:00:01.000000Z 3000 3 git
	EOF
	test_must_be_empty err
'

# regions FILE: print region, calls, sum and self in ms.
regions () {
	trace2 report --regions --format=json "$1" 2>err |
	jq -r '.regions[] | [.region, .calls, .total_ns / 1e6, .self_ns / 1e6] |
		join(" ")' | sort
}

test_expect_success 'regions: if the outer region is left first, each region counts once' '
	stream crossed.event <<-\EOF &&
	0 version "evt":"4","exe":"1"
	0 start "t_abs":0,"argv":["prog"]
	1 region_enter "nesting":1,"category":"x","label":"outer"
	2 region_enter "nesting":2,"category":"x","label":"inner"
	4 region_leave "t_rel":3.0,"nesting":1,"category":"x","label":"outer"
	5 region_enter "nesting":1,"category":"x","label":"next"
	6 region_leave "t_rel":1.0,"nesting":1,"category":"x","label":"next"
	7 region_leave "t_rel":5.0,"nesting":2,"category":"x","label":"inner"
	8 exit "t_abs":8,"code":0
	8 atexit "t_abs":8,"code":0
	EOF
	test_prints regions crossed.event <<-\EOF &&
	(in no region) 1 2000 2000
	x/inner 1 5000 4000
	x/next 1 1000 1000
	x/outer 1 3000 1000
	EOF
	trace2 export --to chrome crossed.event 2>/dev/null |
	jq -r ".traceEvents[] | select(.ph == \"X\" and .name == \"x/inner\") |
		.name" >slices &&
	test_line_count = 1 slices
'

test_expect_success 'regions: overlapping regions of one thread are reported as overlapping' '
	stream overlap.event <<-\EOF &&
	0 version "evt":"4","exe":"1"
	0 start "t_abs":0,"argv":["server"]
	1 region_enter "nesting":1,"category":"http","label":"serve"
	2 region_enter "nesting":1,"category":"http","label":"serve"
	4 region_leave "t_rel":3.0,"nesting":1,"category":"http","label":"serve"
	7 region_leave "t_rel":5.0,"nesting":1,"category":"http","label":"serve"
	8 exit "t_abs":8,"code":0
	8 atexit "t_abs":8,"code":0
	EOF
	test_prints regions overlap.event <<-\EOF &&
	(in no region) 1 2000 2000
	http/serve 2 8000 6000
	EOF
	test_grep "line 4: regions of one thread overlap" err &&
	test_grep ! "clock" err
'

# A session of 2.005 s with a child, as Git writes it.
cat >plain.perf <<\EOF
09:30:00.000200 common-main.c:48             | d0 | main                     | version      |     |           |           |              | 2.47.0
09:30:00.000300 common-main.c:49             | d0 | main                     | start        |     |  0.000300 |           |              | git fetch
09:30:02.000000 run-command.c:739            | d0 | main                     | child_start  |     |  2.000000 |           |              | [ch0] class:? argv:[git gc]
09:30:02.003000 common-main.c:48             | d1 | main                     | version      |     |           |           |              | 2.47.0
09:30:02.003100 common-main.c:49             | d1 | main                     | start        |     |  0.000300 |           |              | git gc
09:30:02.003500 trace2/tr2_tgt_perf.c:213    | d1 | main                     | atexit       |     |  0.000700 |           |              | code:0
09:30:02.004000 run-command.c:995            | d0 | main                     | child_exit   |     |  2.004000 |  0.004000 |              | [ch0] pid:4000 code:0
09:30:02.005000 trace2/tr2_tgt_perf.c:213    | d0 | main                     | atexit       |     |  2.005000 |           |              | code:0
EOF

test_expect_success 'perf text: text pasted before each line is ignored' '
	processes plain.perf >expect &&
	cat >known <<-\EOF &&
	1970-01-01T09:30:00.000000Z 2005 0 git
	1970-01-01T09:30:02.002800Z 0.7 0 git
	EOF
	test_cmp known expect &&
	for before in "> " "    " "	" "| " "2026-11-27T21:52:02.1234567Z " \
		"2026-11-27T21:52:02.123456Z " "[21:52:02.123456] " \
		"21:52:02.123456 job " "remote: "
	do
		sed "s/^/$before/" plain.perf >pasted.perf &&
		trace2 list --format=json pasted.perf &&
		cat known >&9 || return 1
	done >json 2>err 9>expect &&
	listed >actual &&
	test_cmp expect actual &&
	test_must_be_empty err
'

test_expect_success 'perf text: brief lines are found after pasted text' '
	sed "s/^.*| \(d[0-9] \)/\1/" plain.perf >brief.perf &&
	processes brief.perf >expect &&
	test_line_count = 3 expect &&
	for before in "> " "    " "	" "2026-11-27T21:52:02.1234567Z "
	do
		sed "s/^/$before/" brief.perf >pasted.perf &&
		processes pasted.perf >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'perf text: messages and columns of another producer are read' '
	cat >other.perf <<-\EOF &&
	10:35:00.200000 Trace2.cs:180                | d0 | main                     | version      |     |           |           |              | 2.6.0
	10:35:00.201000 Trace2.cs:190                | d0 | main                     | start        |     |  0.001000 |           |              | C:\tools\cred\helper.exe get
	10:35:00.250000 Process.cs:99                | d0 | main                     | child_start  |     |  0.050000 |           |              | [ch1] git config --list
	10:35:00.300000 Process.cs:120               | d0 | main                     | child_exit   |     |  0.100000 |  0.050000 |              | [ch1] pid:8100 code:7 elapsed:0.05
	11:51:40.200000 Trace2.cs:200                | d0 | main                     | data         | r1  |4600.000000|4599.000000| a            | b:c
	11:51:40.300000 Trace2.cs:210                | d0 | main                     | exit         |     |4600.100000|           |              | elapsed:4600.1 code:255
	EOF
	test_prints processes other.perf <<-\EOF &&
	1970-01-01T10:35:00.200000Z 4600100 255 C:\tools\cred\helper.exe
	1970-01-01T10:35:00.250000Z 50 7 git
	EOF
	test_must_be_empty err
'

test_expect_success 'kinds: git.exe, and git below a path of Windows, count as git' '
	cat >programs <<-\EOF &&
	/usr/bin/git
	git
	git.exe
	\\\\host\\share\\git.exe
	C:\\Program Files\\bin\\git.exe
	C:/Program Files/bin/git.exe
	tools\\git.exe
	D:\\git
	EOF
	while read -r program
	do
		words="[\"$program\",\"version\"]" &&
		stream windows.event <<-EOF &&
		0 version "evt":"4","exe":"1"
		0 start "t_abs":0,"argv":$words
		2 atexit "t_abs":2,"code":0
		EOF
		trace2 report -g cmd --format=json windows.event || return 1
	done <programs >json &&
	jq -r ".groups[].group" json >actual &&
	sed "s/.*/git version/" programs >expect &&
	test_cmp expect actual
'

test_expect_success 'list ends an incomplete command line with …; JSON has cut: true' '
	mkdir -p cut/events &&
	cat >cut/meta.json <<-\EOF &&
	{"format":"trace2-recording","start_wall_ns":1795262400000000000,"start_monotonic_ns":1000000000,"task_records":"kernel"}
	EOF
	cat >cut/tasks.jsonl <<-\EOF &&
	{"type":"fork","time_ns":1000000000,"pid":7,"tid":7,"ppid":1,"ptid":1}
	{"type":"argv","time_ns":1001000000,"pid":7,"argv":["sh","-c","some wor"],"cut":true}
	{"type":"exit","time_ns":1002000000,"pid":7,"tid":7,"ppid":1,"ptid":1}
	EOF
	trace2 list cut >out &&
	test_grep "sh -c .some wor.…" out &&
	trace2 list --format=json cut >json &&
	jq -e ".processes[0].cut and .processes[0].segments[0].cut" json
'

test_expect_success EXIT_CODES 'record: a long last argument keeps its beginning' '
	long=$(printf %05000d 0) &&
	trace2 record -q -o long -- sh -c ": \"\$1\"; exit 0" x "$long" &&
	trace2 list --format=json long >json &&
	jq -r ".processes[0].argv | [.[0], .[3], (.[4] | length > 4000)] |
		@csv" json >actual &&
	echo "\"sh\",\"x\",true" | test_cmp - actual
'

test_expect_success 'UTF-16 is refused by name, a byte order mark of UTF-8 is skipped' '
	for form in UTF-16 UTF-16LE UTF-16BE
	do
		iconv -f UTF-8 -t $form plain.perf >wide &&
		test_must_fail trace2 list wide 2>err &&
		test_grep "it is text in UTF-16: convert it" err || return 1
	done &&
	session "2026-03-14T10:15:SSZ" >good.event &&
	{ printf "\357\273\277" && cat good.event; } >marked.event &&
	processes good.event >expect &&
	processes marked.event >actual &&
	test_cmp expect actual &&
	test_must_be_empty err
'

test_done
