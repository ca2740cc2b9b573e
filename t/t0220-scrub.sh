#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Test the scrubbers with text written here, with hostile text, and with streams
# of a real Git; and the table from which they are generated.

test_description='scrubbers of streams'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

unchecked 'pieces of many streams' 'all.*' brief

test_skip_unless PERL_TEST_HELPERS 'the scrubbers are written in perl'

SQ="'"
scrub_dir=$TEST_DIRECTORY/../scrub

# scrub TARGET [ARG...]
scrub () {
	local target="$1"
	shift
	perl "$scrub_dir/$target.perl" "$@"
}

# perf DEPTH THREAD EVENT REPO T_ABS T_REL CATEGORY MESSAGE: a brief line.
perf () {
	printf 'd%s | %-24s | %-12s | %-3s | %9s | %9s | %-12.12s | %s\n' "$@"
}

# refuses TARGET: it must fail for the file "in", with the message in "expect".
refuses () {
	test_expect_code 1 scrub "$1" <in >out 2>actual &&
	test_cmp expect actual
}

# ---------------------------------------------------------------------------
# normal

test_expect_success 'normal: varying values become tokens' '
	cat >in <<-\EOF &&
	07:20:00.527744 common-init.c:77                  version 2.55.0
	07:20:00.527775 common-init.c:78                  start /usr/bin/prog trace2 001return 0
	07:20:00.528005 repository.c:255                  worktree /home/dev/project
	07:20:00.528062 a/very/long/path/to/some/source/file.c:503 cmd_name trace2 (trace2)
	07:20:00.528088 trace2.c:439                      def_param scope:local core.bare=false
	07:20:00.528100 run.c:740                         child_start[0] cd /tmp; sh -c '\''exit 3'\''
	07:20:00.528200 run.c:800                         child_ready[1] pid:77 ready:timeout elapsed:0.000123
	07:20:00.530000 run.c:1007                        child_exit[0] pid:15548 code:3 elapsed:0.004079
	07:20:00.530001 run.c:967                         child_exit[2] pid:-1 code:-1 elapsed:0.000629
	07:20:00.530100 thing.c:1                         th_timer test/test2 intervals:5 total:0.010355 min:0.002068 max:0.002079
	07:20:00.530945 git.c:785                         exit elapsed:0.004318 code:0
	07:20:00.530950 x.c:1                             timer test/test1 intervals:5 total:12345.678901 min:0.002068 max:0.002079
	07:20:00.530955 x.c:2                             counter test/test1 value:20
	07:20:00.530960 x.c:3                             signal elapsed:0.004338 code:15
	07:20:00.530965 x.c:128                           atexit elapsed:0.004338 code:0 lost:3
	EOF
	cat >expect <<-\EOF &&
	version 2.55.0
	start _EXE_ trace2 001return 0
	worktree _WORKTREE_
	cmd_name trace2 (trace2)
	def_param scope:local core.bare=false
	child_start[0] cd /tmp; sh -c '\''exit 3'\''
	child_ready[1] pid:_PID_ ready:timeout elapsed:_TIME_
	child_exit[0] pid:_PID_ code:3 elapsed:_TIME_
	child_exit[2] pid:-1 code:-1 elapsed:_TIME_
	th_timer test/test2 intervals:5 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	exit elapsed:_TIME_ code:0
	timer test/test1 intervals:5 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	counter test/test1 value:20
	signal elapsed:_TIME_ code:15
	atexit elapsed:_TIME_ code:0 lost:3
	EOF
	scrub normal <in >actual &&
	test_cmp expect actual
'

test_expect_success 'normal: brief lines, alone or mixed with full ones, scrub to the same text' '
	sed "s/^07:[^ ]* [^ ]* *//" in >brief &&
	test_grep "^version 2.55.0" brief &&
	scrub normal <brief >actual &&
	test_cmp expect actual &&
	cat in brief >both &&
	cat expect expect >expect.both &&
	scrub normal <both >actual &&
	test_cmp expect.both actual
'

test_expect_success 'normal: text that only looks like an event is left unchanged' '
	cat >in <<-\EOF &&
	error pid:7 code:1 elapsed:0.000001
	error
	error: not an event
	def_param scope:local k=exit elapsed:1.000000 code:1
	child_start[0] echo child_exit[0] pid:3 code:4 elapsed:0.000001
	child_ready[0] pid:_PID_ ready:x elapsed:0.000001 pid:3 elapsed:_TIME_
	exit stage left pid:3
	07:20:00.000001 is a time
	printf says 07:20:00.000001 a.c:1   version 3
	timers are fine, a total:0.000001 too
	EOF
	sed -e "s/pid:_PID_/pid:7/" -e "s/_TIME_/0.123456/" in >text &&
	scrub normal <text >actual &&
	test_cmp in actual
'

test_expect_success 'normal: the program of a start line may be quoted, or missing' '
	cat >in <<-\EOF &&
	start Q/tmp/my prog/itQBQQsQ a Qb cQ
	start /bin/a
	start
	EOF
	sed -e "s/Q/$SQ/g" -e "s/B/\\\\/" -e "s/^start$/start /" in >start &&
	test_grep "it$SQ\\\\$SQ${SQ}s$SQ a" start &&
	scrub normal <start >actual &&
	test_prints sed "s/ *$//" actual <<-\EOF
	start _EXE_ a '\''b c'\''
	start _EXE_
	start
	EOF
'

test_expect_success 'normal: a malformed event line is an error with the line number and the text' '
	for line in "exit elapsed:now code:0" "child_exit[0] pid:" \
		"start '\''open" "timer a/b intervals:x total:1 min:1 max:1" \
		"atexit elapsed:0.000001 code:0 lost:many"
	do
		printf "version 1\n%s\n" "$line" >in &&
		echo "scrub: line 2: malformed ${line%%[ []*}: '\''$line'\''" >expect &&
		refuses normal || return 1
	done
'

# ---------------------------------------------------------------------------
# perf

test_expect_success 'perf: columns are trimmed and joined, and values become tokens' '
	{
		perf 0 main version "" "" "" "" 2.55.0 &&
		perf 0 main start "" " 0.001147" "" "" "/usr/bin/prog trace2 100timer" &&
		perf 0 main def_repo r1 "" "" "" "worktree:/home/dev/project" &&
		perf 0 main def_param "" "" "" scope:command "HOME:/home/dev" &&
		perf 0 main region_enter r12 " 0.001598" "" index "label:read .git/index" &&
		perf 0 main data r12 " 0.001675" " 0.000077" index "..read/nr:300" &&
		perf 0 main child_start "" "1234567.000001" "" "" "..[ch0] class:hook hook:pre argv:[a b]" &&
		perf 0 main child_exit "" " 0.002047" " 0.000629" "" "..[ch0] pid:4711 code:0" &&
		perf 1 th01:abc th_timer "" "" "" test "name:test2 intervals:15 total:0.031132 min:0.002041 max:0.002079" &&
		perf 0 main th_counter "" "" "" test "name:test2 value:7" &&
		perf 0 main exit "" " 0.009000" "" "" code:0
	} >brief &&
	cat >expect <<-\EOF &&
	d0|main|version|||||2.55.0
	d0|main|start||_T_ABS_|||_EXE_ trace2 100timer
	d0|main|def_repo|r1||||worktree:_WORKTREE_
	d0|main|def_param||||scope:comman|HOME:/home/dev
	d0|main|region_enter|r12|_T_ABS_||index|label:read .git/index
	d0|main|data|r12|_T_ABS_|_T_REL_|index|..read/nr:300
	d0|main|child_start||_T_ABS_|||..[ch0] class:hook hook:pre argv:[a b]
	d0|main|child_exit||_T_ABS_|_T_REL_||..[ch0] pid:_PID_ code:0
	d1|th01:abc|th_timer||||test|name:test2 intervals:15 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d0|main|th_counter||||test|name:test2 value:7
	d0|main|exit||_T_ABS_|||code:0
	EOF
	scrub perf <brief >actual &&
	test_cmp expect actual
'

test_expect_success 'perf: full lines, alone or mixed with brief ones, scrub to the same text' '
	sed "s/^/07:20:00.123456 ...in\/multi-pack-index.c:180 | /" brief >full &&
	sed "s/^/07:20:00.123456 a.c:1                        | /" brief >>full &&
	cat brief >>full &&
	cat expect expect expect >expect.3 &&
	scrub perf <full >actual &&
	test_cmp expect.3 actual
'

test_expect_success 'perf: a thread, a category and a message may contain |' '
	{
		perf 0 "th01:a | b | exit | c" data "" " 0.000001" " 0.000002" "x | y" "k|e:v | d0 | main |" &&
		perf 0 main error "" "" "" "" "| pid:3 | 0.000001 ||" &&
		perf 0 main start "" " 0.000001" "" "" "/bin/a '\''b | c'\''" &&
		perf 0 "th02:123456789012345678 |" thread_start "" " 0.000001" "" "" ""
	} >in &&
	cat >expect <<-\EOF &&
	d0|th01:a | b | exit | c|data||_T_ABS_|_T_REL_|x | y|k|e:v | d0 | main |
	d0|main|error|||||| pid:3 | 0.000001 ||
	d0|main|start||_T_ABS_|||_EXE_ '\''b | c'\''
	d0|th02:123456789012345678 ||thread_start||_T_ABS_|||
	EOF
	scrub perf <in >actual &&
	test_cmp expect actual &&
	sed "s/^/07:20:00.123456 a | b.c:1                    | /" in >full &&
	scrub perf <full >actual &&
	test_cmp expect actual
'

test_expect_success 'perf: text that only looks like a time or an id is left unchanged' '
	{
		perf 0 main error "" "" "" "" "[ch0] pid:7 code:1" &&
		perf 0 main error "" "" "" "" "...and 0.123456 more" &&
		perf 0 main data "" " 0.000001" " 0.000002" cat "pid:7 elapsed:0.000001" &&
		perf 0 main start "" " 0.000001" "" "" "../bin/prog worktree:/x" &&
		perf 0 main timer "" "" "" cat \
			"name:a total:0.000009 intervals:1 total:0.000001 min:0.000001 max:0.000001"
	} >in &&
	scrub perf <in >actual &&
	test_cmp - actual <<-\EOF
	d0|main|error|||||[ch0] pid:7 code:1
	d0|main|error|||||...and 0.123456 more
	d0|main|data||_T_ABS_|_T_REL_|cat|pid:7 elapsed:0.000001
	d0|main|start||_T_ABS_|||_EXE_ worktree:/x
	d0|main|timer||||cat|name:a total:0.000009 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	EOF
'

test_expect_success 'perf: an unknown event is an error with the line number' '
	{
		perf 0 main version "" "" "" "" 1 &&
		perf 0 main foo "" "" "" "" 1 &&
		perf 0 main exit "" " 0.000001" "" "" code:0
	} >in &&
	echo "scrub: line 2: unknown event '\''foo'\''" >expect &&
	refuses perf &&
	echo "d0|main|version|||||1" | test_cmp - out
'

test_expect_success 'perf: a malformed message is an error' '
	perf 0 main exit "" " 0.000001" "" "" code:none >in &&
	echo "scrub: line 1: malformed exit: '\''code:none'\''" >expect &&
	refuses perf &&
	perf 0 main child_exit "" " 0.000001" " 0.000001" "" "[ch0] pid:x code:0" >in &&
	echo "scrub: line 1: malformed child_exit: '\''[ch0] pid:x code:0'\''" >expect &&
	refuses perf &&
	perf 0 main too_many_files "" "" "" "" "" >in &&
	echo "scrub: line 1: event '\''too_many_files'\'' is not one of the perf target" >expect &&
	refuses perf
'

test_expect_success 'perf: a line with broken columns is an error' '
	perf 0 main exit "" " 0.000001" "" "" code:0 >good &&
	scrub perf <good >/dev/null &&
	for damage in "s/^d0/0/" "s/ | / |/" "s/main /main/" "s/exit /exit/" \
		"s/000001/00001/" "s/ | code/| code/" "s/0\.0/x.0/" "s/.*//"
	do
		sed "$damage" good >in &&
		! cmp -s good in &&
		test_expect_code 1 scrub perf <in 2>err &&
		sed "s/target: .*/target/" err >actual &&
		echo "scrub: line 1: not a line of the perf target" | test_cmp - actual || return 1
	done
'

# ---------------------------------------------------------------------------
# event

test_expect_success 'event: values become tokens, and the rest is copied byte for byte' '
	{
		event_line version s1 "\"evt\":\"4\",\"exe\":\"2.55\"" &&
		event_line start s1 "\"t_abs\":0.001137,\"argv\":[\"/usr/bin/pr\\\"og\",\"a,b\",\"\"]" &&
		event_line def_repo s1 "\"repo\":1,\"worktree\":\"/home/dev\"" &&
		event_line child_exit s1 "\"child_id\":0,\"pid\":77,\"code\":3,\"t_rel\":0.000001" &&
		event_line child_exit s1 "\"child_id\":1,\"pid\":-1,\"code\":-1,\"t_rel\":0.000001" &&
		event_line data_json s1 "\"t_abs\":0.000001,\"t_rel\":0.000001,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":{\"pid\": 3,\"t_abs\":[1e9,\"\\u00e9\"]}" &&
		event_line timer s1 "\"category\":\"c\",\"name\":\"n\",\"intervals\":2,\"t_total\":0.000003,\"t_min\":0.000001,\"t_max\":0.000002,\"histogram\":[[0.000002,2]]" &&
		event_line error s1 "\"msg\":\"\\\"pid\\\":7,\\\"t_abs\\\":0.000001\",\"fmt\":\"%s\",\"new\":[null]"
	} >in &&
	scrub event <in >actual &&
	test_cmp - actual <<-\EOF
	{"event":"version","sid":"_SID0_","thread":"main","time":"_TIME_","evt":"4","exe":"2.55"}
	{"event":"start","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","argv":["_EXE_","a,b",""]}
	{"event":"def_repo","sid":"_SID0_","thread":"main","time":"_TIME_","repo":1,"worktree":"_WORKTREE_"}
	{"event":"child_exit","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":0,"pid":"_PID_","code":3,"t_rel":"_T_REL_"}
	{"event":"child_exit","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":1,"pid":-1,"code":-1,"t_rel":"_T_REL_"}
	{"event":"data_json","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":1,"category":"c","key":"k","value":{"pid": 3,"t_abs":[1e9,"\u00e9"]}}
	{"event":"timer","sid":"_SID0_","thread":"main","time":"_TIME_","category":"c","name":"n","intervals":2,"t_total":"_T_TOTAL_","t_min":"_T_MIN_","t_max":"_T_MAX_","histogram":"_HISTOGRAM_"}
	{"event":"error","sid":"_SID0_","thread":"main","time":"_TIME_","msg":"\"pid\":7,\"t_abs\":0.000001","fmt":"%s","new":[null]}
	EOF
'

test_expect_success 'event: file and line are kept when asked for' '
	event_line exit s1 "\"t_abs\":0.000001,\"code\":0" >in &&
	scrub event --keep-file <in >actual &&
	test_cmp - actual <<-\EOF
	{"event":"exit","sid":"_SID0_","thread":"main","time":"_TIME_","file":"a.c","line":1,"t_abs":"_T_ABS_","code":0}
	EOF
'

test_expect_success 'event: brief lines without time, file and line are accepted' '
	echo "{\"event\":\"exit\",\"sid\":\"x\",\"thread\":\"main\",\"t_abs\":0.000001,\"code\":0}" >in &&
	echo "{\"event\":\"exit\",\"sid\":\"_SID0_\",\"thread\":\"main\",\"t_abs\":\"_T_ABS_\",\"code\":0}" >expect &&
	scrub event <in >actual &&
	test_cmp expect actual
'

test_expect_success 'event: SIDs are numbered in order of appearance, with their parents' '
	for sid in a a/b c a/b/d a a/b odd//e
	do
		event_line thread_start "$sid" || return 1
	done >in &&
	scrub event <in >out &&
	test_prints sed "s/.*\"sid\":\"\([^\"]*\)\".*/\1/" out <<-\EOF
	_SID0_
	_SID0_/_SID1_
	_SID2_
	_SID0_/_SID1_/_SID3_
	_SID0_
	_SID0_/_SID1_
	_SID4_/_SID5_/_SID6_
	EOF
'

test_expect_success 'event: a line that is invalid JSON or no known event fails' '
	good="\"t_abs\":0.000001,\"code\":0" &&
	deep=$(perl -e "print q([) x 2000, q(]) x 2000") &&
	sid="\"event\":\"exit\",\"sid\":\"s\",\"thread\":\"main\"" &&
	cat >cases <<-EOF &&
	not a JSON object:	
	not a JSON object:	[1]
	no string where one must be:	{$sid,}
	not a JSON value:	{$sid,"t_abs":.5}
	not a JSON value:	{$sid,"t_abs":0.000001,"code":01}
	not a JSON value:	{$sid,"t_abs":0.000001,"code":nil}
	a string is not ended, or holds what it must not:	{$sid,"x":"a
	a string is not ended, or holds what it must not:	{$sid,"x":"\\q"}
	a string is not ended, or holds what it must not:	{$sid,"x":"	"}
	no '\'','\'' or '\''}'\'' after member '\''code'\'':	{$sid,$good
	no '\'','\'' or '\'']'\'' in a list:	{$sid,$good,"x":[1 2]}
	text after the JSON object:	{$sid,$good}}
	member '\''code'\'' comes twice:	{$sid,$good,"code":1}
	no string where one must be:	{ $sid,$good}
	no '\'':'\'' after member '\''x'\'':	{$sid,$good,"x" :1}
	nested too deeply:	{$sid,$good,"x":$deep}
	the first member is not '\''event'\'':	{"sid":"s","event":"exit","thread":"main",$good}
	the first member is not '\''event'\'':	{}
	unknown event '\''foo'\'':	{"event":"foo","sid":"s","thread":"main"}
	event '\''exit'\'' lacks '\''code'\'':	{$sid,"t_abs":0.000001}
	event '\''exit'\'' lacks '\''thread'\'':	{"event":"exit","sid":"s",$good}
	'\''sid'\'' is empty:	{"event":"exit","sid":"","thread":"main",$good}
	'\''t_abs'\'' cannot be '\''"abc"'\'':	{$sid,"t_abs":"abc","code":0}
	'\''t_abs'\'' cannot be '\''0.5'\'':	{$sid,"t_abs":0.5,"code":0}
	'\''code'\'' cannot be '\''"0"'\'':	{$sid,"t_abs":0.000001,"code":"0"}
	'\''time'\'' cannot be '\''"2026-11-21T07:20:00Z"'\'':	{$sid,"time":"2026-11-21T07:20:00Z",$good}
	'\''argv'\'' is not an array of strings:	{"event":"start","sid":"s","thread":"main","t_abs":0.000001,"argv":["a",1]}
	EOF
	while IFS="	" read -r why line
	do
		printf "%s\n" "$line" >in &&
		echo "scrub: line 1: ${why%:}" >expect &&
		refuses event || return 1
	done <cases &&
	printf "{%s,%s,\"x\":\"\\377\"}\n" "$sid" "$good" >in &&
	echo "scrub: line 1: not UTF-8" >expect &&
	refuses event
'

test_expect_success 'event: --summary prints a record for each process' '
	scrub event --summary "$traces/nest.event" "$traces/timers.event" >actual &&
	test_cmp "$TEST_DIRECTORY/t0220/summary.expect" actual
'

test_expect_success 'event: --summary decodes strings, counts equal lines once, and sorts lines' '
	{
		event_line printf s "\"t_abs\":0.000001,\"msg\":\"\\ud83d\\ude00 \\u00e9 \\ud83d \\\"q\\\" \\n\\u001b\"" &&
		event_line exec s "\"exec_id\":0,\"exe\":\"/bin/e\",\"argv\":[\"it'\''s\",\"\",\"a!\",\"b\\tc\"]" &&
		event_line thread_start s | sed "s/\"main\"/\"th02:x\"/" &&
		event_line thread_start s | sed "s/\"main\"/\"th01:x\"/" &&
		event_line cmd_mode s "\"name\":\"again\"" &&
		event_line cmd_mode s "\"name\":\"again\""
	} >in &&
	sed "s/Q/$SQ/g" >expect <<-EOF &&
	process _SID0_
	  cmd_mode again (2 times)
	  exec id:0 argv:[/bin/e QitQ\\QQsQ QQ QaQ\\!QQ Qb\\tcQ]
	  th01:x: thread_start
	  th02:x: thread_start
	  printf $(printf "\\360\\237\\230\\200 \\303\\251 \\357\\277\\275") "q" \\n\\x1b
	EOF
	scrub event --summary <in >actual &&
	test_cmp expect actual
'

# ---------------------------------------------------------------------------
# All three

test_expect_success 'events that depend on the machine are left out by default' '
	{
		perf 0 main cmd_path "" "" "" "" /bin/prog &&
		perf 0 main cmd_ancestry "" "" "" "" "ancestry:[sh]" &&
		perf 0 main data "" " 0.000001" " 0.000002" process "windows/debugger:1" &&
		perf 0 main data "" " 0.000001" " 0.000002" fsync "a:1" &&
		perf 0 main data "" " 0.000001" " 0.000002" mine "a:1" &&
		perf 0 main counter "" "" "" fsync "name:hardware-flush value:2"
	} >in.perf &&
	cat >expect <<-\EOF &&
	d0|main|cmd_path|||||/bin/prog
	d0|main|cmd_ancestry|||||ancestry:[sh]
	d0|main|data||_T_ABS_|_T_REL_|process|windows/debugger:1
	d0|main|data||_T_ABS_|_T_REL_|fsync|a:1
	d0|main|data||_T_ABS_|_T_REL_|mine|a:1
	d0|main|counter||||fsync|name:hardware-flush value:2
	EOF
	scrub perf <in.perf >actual &&
	sed -n 5p expect >expect.none && test_cmp expect.none actual &&
	scrub perf --keep "*" <in.perf >actual &&
	test_cmp expect actual &&
	scrub perf --keep cmd_path,data/process --keep=counter/fsync <in.perf >actual &&
	sed -n -e 1p -e 3p -e 5p -e 6p expect >expect.some && test_cmp expect.some actual &&
	scrub perf --drop data --keep "*/fsync" <in.perf >actual &&
	sed -n -e 4p -e 6p expect >expect.some && test_cmp expect.some actual &&
	perf 0 main data "" " 0.000001" " 0.000002" a_long_category "a:1" >in.perf &&
	scrub perf <in.perf >actual &&
	test_line_count = 1 actual &&
	scrub perf --drop data/a_long_category <in.perf >actual &&
	test_must_be_empty actual
'

test_expect_success 'the normal and event scrubbers leave out the same events' '
	cat >in <<-\EOF &&
	cmd_path /bin/prog
	cmd_ancestry sh <- sshd
	counter fsync/hardware-flush value:2
	counter mine/fsync value:3
	EOF
	sed -n 4p in >expect &&
	scrub normal <in >actual &&
	test_cmp expect actual &&
	scrub normal --keep "*" <in >actual &&
	test_cmp in actual &&
	{
		event_line cmd_path s "\"path\":\"/bin/prog\"" &&
		event_line cmd_ancestry s "\"ancestry\":[\"sh\"]" &&
		event_line counter s "\"category\":\"fsync\",\"name\":\"x\",\"count\":1" &&
		event_line counter s "\"category\":\"mine\",\"name\":\"x\",\"count\":1"
	} >in &&
	scrub event <in >actual &&
	test_line_count = 1 actual &&
	test_grep "\"mine\"" actual &&
	scrub event --keep "*" <in >actual &&
	test_line_count = 4 actual
'

test_expect_success 'an empty selection and a bad option fail, --help succeeds' '
	for target in normal perf event
	do
		test_expect_code 129 scrub $target --keep cmd_pth </dev/null 2>err &&
		test_grep "cmd_pth.* names no event" err &&
		test_expect_code 129 scrub $target --wrong </dev/null 2>err &&
		test_grep "^usage: perl $target.perl" err &&
		scrub $target --help >out &&
		test_grep "^Left out by default: cmd_ancestry, cmd_path" out || return 1
	done
'

test_expect_success 'a last line without newline is reported as cut short' '
	for target in normal perf event
	do
		sed -n 1,2p "$traces/nest.$target" >in &&
		sed -n 3p "$traces/nest.$target" | tr -d "\n" >>in &&
		echo "scrub: line 3: cut short: its newline is missing" >expect &&
		refuses $target &&
		test_line_count = 2 out || return 1
	done
'

test_expect_success 'messages name the file and the line within it' '
	perf 0 main version "" "" "" "" 1 >good &&
	perf 0 main foo "" "" "" "" 1 >bad &&
	test_expect_code 1 scrub perf good bad 2>actual >out &&
	echo "scrub: bad: line 1: unknown event '\''foo'\''" | test_cmp - actual &&
	test_line_count = 1 out &&
	test_must_fail scrub perf nosuch 2>actual &&
	echo "scrub: cannot read '\''nosuch'\'': No such file or directory" >expect &&
	test_cmp expect actual &&
	test_expect_code 1 scrub perf . 2>actual &&
	echo "scrub: .: line 0: cannot read on: Is a directory" | test_cmp - actual
'

test_expect_success 'a scrubber that cannot write fails' '
	if test -c /dev/full
	then
		test_must_fail scrub normal "$traces/nest.normal" >/dev/full 2>err &&
		test_grep "scrub: cannot write" err
	fi
'

test_expect_success 'long lines and many quotes are scrubbed' '
	perl -e "print \"start /bin/a\", \" word\" x 60000, q( '\''q!'\'') x 70000, qq(\n)" >in &&
	perl -e "print \"start _EXE_\", \" word\" x 60000, q( '\''q!'\'') x 70000, qq(\n)" >expect &&
	scrub normal <in >actual &&
	test_cmp expect actual &&
	perl -e "print \"start \", chr(39), (chr(39).chr(92).chr(39).chr(39)) x 30000, chr(39), qq( b\n)" >in &&
	scrub normal <in >actual 2>err &&
	echo "start _EXE_ b" | test_cmp - actual &&
	test_must_be_empty err &&
	value=$(perl -e "print chr(92).chr(110) x 50000") &&
	event_line error s "\"msg\":\"$value$value\"" >in &&
	scrub event --keep-file <in >actual 2>err &&
	test_must_be_empty err &&
	sed "s/\"_SID0_\"/\"s\"/;s/_TIME_/2026-11-21T07:20:00.123456Z/" actual >same &&
	test_cmp in same
'

test_expect_success 'scrubbers run from any directory, even one with spaces in its name' '
	mkdir "a place" &&
	cp -R "$scrub_dir" "a place/scrub dir" &&
	for target in normal perf event
	do
		scrub $target "$traces/nest.$target" >expect &&
		test_file_not_empty expect &&
		( cd / && perl "$TRASH_DIRECTORY/a place/scrub dir/$target.perl" ) \
			<"$traces/nest.$target" >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'each scrubber accepts a new event once the event table has it' '
	cp -R "$scrub_dir" new &&
	perl -p -e "s/^(our .EVENTS = \()/\$1 {
		name => q(foo), flags => [q(T_ABS)],
		fields => [ { name => q(bar), type => q(UINT), flags => [q(VOLATILE)] } ],
		normal => q(foo <{bar}>), perf_category => undef, perf_message => q(bar={bar}) },/" \
		"$scrub_dir/lib/Trace2/Events.pm" >new/lib/Trace2/Events.pm &&
	echo "foo <3>" >in && echo "foo <_BAR_>" >expect &&
	perl new/normal.perl <in >actual && test_cmp expect actual &&
	perf 0 main foo "" " 0.000001" "" "" "..bar=3" >in &&
	echo "d0|main|foo||_T_ABS_|||..bar=_BAR_" >expect &&
	perl new/perf.perl <in >actual && test_cmp expect actual &&
	event_line foo s "\"bar\":3" >in &&
	perl new/event.perl <in >actual && test_grep "\"bar\":\"_BAR_\"" actual
'

# ---------------------------------------------------------------------------
# A real Git's streams

# The streams are short: one process reads all of a kind.
test_expect_success 'streams of Git are scrubbed without error, and keep nothing that varies' '
	for target in normal perf event
	do
		cat "$traces"/*.$target >all.$target &&
		scrub $target --keep "*" "$traces"/*.$target >git.$target &&
		test_line_count = $(wc -l <all.$target) git.$target &&
		test_grep ! -E "[0-9]\.[0-9]{6}|pid:[0-9]|/home/dev/project$|[0-9]T[0-9]{6}\.|\"worktree\":\"/" git.$target ||
		return 1
	done
'

test_expect_success JQ 'a scrubbed event stays JSON, and keeps all members' '
	scrub event --keep "*" --keep-file <all.event >out &&
	jq -r "\"\(input_filename) \(keys_unsorted)\"" all.event out >keys &&
	sed -n "s/^all\.event //p" keys >expect &&
	sed -n "s/^out //p" keys >actual &&
	test_file_not_empty expect &&
	test_cmp expect actual
'

test_expect_success 'templates of the event table give the lines that Git writes' '
	for target in normal perf
	do
		perl "$TEST_DIRECTORY/t0220/render.perl" $target <all.event >text &&
		scrub $target --keep "*" <text >actual &&
		test_cmp git.$target actual || return 1
	done
'

# ---------------------------------------------------------------------------
# Generated from the table

test_expect_success 'scrub/lib/Trace2/Events.pm has the current event table' '
	test-tool events perl >actual &&
	test_cmp "$scrub_dir/lib/Trace2/Events.pm" actual
'

test_expect_success JQ 'test-tool events json has the template of the line in the normal target' '
	test-tool events json >json &&
	jq -e ".events[] | select(.name == \"child_exit\") |
		.normal == \"child_exit[{child_id}] pid:{pid} code:{code} elapsed:{t_rel}\"" json
'

test_expect_success 'test-tool events prints the usage for wrong arguments' '
	echo "usage: test-tool events (perl | adoc | json)" >expect &&
	test_expect_code 129 test-tool events 2>actual && test_cmp expect actual &&
	test_expect_code 129 test-tool events xml 2>actual && test_cmp expect actual &&
	test_expect_code 129 test-tool events perl adoc 2>actual && test_cmp expect actual
'

test_done
