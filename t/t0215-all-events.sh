#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='every event of the table, in every format, full and brief

test-tool trace2 allevents makes each event; its streams are compared with the
text in this script. If an event is added to the table, and not to allevents and
to this text, the first test fails.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"


# allevents VARIABLE=VALUE...: write normal, perf and event streams to n, p, e.
allevents () {
	rm -f n p e &&
	test_env GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/p" \
		GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_EVENT_NESTING=10 "$@" \
		test-tool trace2 allevents
}

test_expect_success JQ 'the programs of this script emit every event of the event table' '
	allevents &&
	mkdir full &&
	: >full/1 &&
	GIT_TRACE2_EVENT="$(pwd)/full" GIT_TRACE2_MAX_FILES=1 \
		test-tool trace2 001return 0 &&
	test_expect_code 143 env GIT_TRACE2_EVENT="$(pwd)/e-signal" \
		GIT_TRACE2_SIGNALS=TERM test-tool trace2 allevents TERM &&
	jq -r .event e full/git-trace2-discard e-signal | sort -u >actual &&
	perl -I"$TEST_DIRECTORY/../scrub/lib" -MTrace2::Events \
		-e "print \"\$_->{name}\\n\" for @Trace2::Events::EVENTS" |
		sort >expect &&
	test_file_not_empty expect &&
	test_cmp expect actual
'

test_expect_success 'the normal target has each event' '
	allevents &&
	perl "$TEST_DIRECTORY/../scrub/normal.perl" --keep=cmd_path <n >actual &&
	cat >expect <<-\EOF &&
	version test-tool 1.0
	start _EXE_ trace2 allevents
	cmd_name trace2 (trace2)
	cmd_path /usr/bin/test tool
	alias lo -> log '\''--one line'\''
	cmd_mode all
	error cannot open '\''file'\''
	def_param scope:local core.pager=less -R
	def_param scope:unknown core.flag
	child_start[0] cd '\''/a dir'\''; pre-commit '\''it'\''\'\'''\''s'\'' '\'''\''
	child_exit[0] pid:_PID_ code:3 elapsed:_TIME_
	child_start[1] daemon
	child_ready[1] pid:_PID_ ready:ready elapsed:_TIME_
	exec[0] prog daemon
	exec_result[0] code:2 err:No such file or directory
	th_timer test/test2 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	th_counter test/test2 value:20
	worktree _WORKTREE_
	text of printf
	exit elapsed:_TIME_ code:0
	th_timer test/test2 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	th_counter test/test2 value:2
	timer test/test1 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	timer test/test2 intervals:2 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	counter test/test1 value:1
	counter test/test2 value:22
	atexit elapsed:_TIME_ code:0
	EOF
	test_cmp expect actual &&
	test_grep " cmd_ancestry make <- my shell\$" n &&
	test_grep " worktree /work/tree\$" n &&
	test_grep " child_exit\[0\] pid:4711 code:3 elapsed:0\.[0-9]\{6\}\$" n
'

test_expect_success 'the brief normal target has each event' '
	allevents GIT_TRACE2_BRIEF=1 &&
	perl "$TEST_DIRECTORY/../scrub/normal.perl" --keep=cmd_path <n >actual &&
	test_cmp expect actual &&
	sed "/^start\|^cmd_anc/d; s/[0-9]\.[0-9]\{6\}/N/g" n >actual.raw &&
	test_prints sed -n 1,4p actual.raw <<-\EOF
	version test-tool 1.0
	cmd_name trace2 (trace2)
	cmd_path /usr/bin/test tool
	alias lo -> log '\''--one line'\''
	EOF
'

test_expect_success 'the perf target has each event' '
	allevents &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" --keep=cmd_path <p >actual &&
	cat >expect <<-\EOF &&
	d0|main|version|||||test-tool 1.0
	d0|main|start||_T_ABS_|||_EXE_ trace2 allevents
	d0|main|cmd_name|||||trace2 (trace2)
	d0|main|cmd_path|||||/usr/bin/test tool
	d0|main|alias|||||alias:lo argv:[log '\''--one line'\'']
	d0|main|cmd_mode|||||all
	d0|main|error|||||cannot open '\''file'\''
	d0|main|def_param||||scope:local|core.pager:less -R
	d0|main|def_param||||scope:unknow|core.flag
	d0|main|child_start||_T_ABS_|||[ch0] class:hook hook:pre-commit cd:'\''/a dir'\'' argv:[pre-commit '\''it'\''\'\'''\''s'\'' '\'''\'']
	d0|main|child_exit||_T_ABS_|_T_REL_||[ch0] pid:_PID_ code:3
	d0|main|child_start||_T_ABS_|||[ch1] class:? argv:[daemon]
	d0|main|child_ready||_T_ABS_|_T_REL_||[ch1] pid:_PID_ ready:ready
	d0|main|exec||_T_ABS_|||id:0 argv:[prog daemon]
	d0|main|exec_result||_T_ABS_|||id:0 code:2 err:No such file or directory
	d0|th01:worker|thread_start||_T_ABS_|||
	d0|th01:worker|th_timer||||test|name:test2 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d0|th01:worker|th_counter||||test|name:test2 value:20
	d0|th01:worker|thread_exit||_T_ABS_|_T_REL_||
	d0|main|def_repo|r1||||worktree:_WORKTREE_
	d0|main|region_enter|r1|_T_ABS_||outer|label:label
	d0|main|region_enter|r1|_T_ABS_||inner|..label:label 1 of 2
	d0|main|data|r1|_T_ABS_|_T_REL_|cat|....string:a | b\nc
	d0|main|data||_T_ABS_|_T_REL_|cat|....intmax:-7
	d0|main|data_json||_T_ABS_|_T_REL_|cat|....json:{"a": [1, true, null]}
	d0|main|data_json||_T_ABS_|_T_REL_|cat|....not-json:{a
	d0|main|printf||_T_ABS_|||....text of printf
	d0|main|region_leave|r1|_T_ABS_|_T_REL_|inner|..label:label done
	d0|main|region_leave|r1|_T_ABS_|_T_REL_|outer|label:label
	d0|main|exit||_T_ABS_|||code:0
	d0|main|th_timer||||test|name:test2 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d0|main|th_counter||||test|name:test2 value:2
	d0|main|timer||||test|name:test1 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d0|main|timer||||test|name:test2 intervals:2 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d0|main|counter||||test|name:test1 value:1
	d0|main|counter||||test|name:test2 value:22
	d0|main|atexit||_T_ABS_|||code:0
	EOF
	test_cmp expect actual &&
	test_grep " | ancestry:\[make '\''my shell'\''\]\$" p
'

test_expect_success 'the brief perf target has each event' '
	allevents GIT_TRACE2_PERF_BRIEF=1 &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" --keep=cmd_path <p >actual &&
	test_cmp expect actual &&
	test_grep ! -v "^d0 | " p
'

test_expect_success 'the event target has each event' '
	allevents &&
	perl "$TEST_DIRECTORY/../scrub/event.perl" --keep=cmd_path <e |
		sed "s/,\"sid\":\"_SID0_\",\"thread\":\"main\",\"time\":\"_TIME_\"/ @/" >actual &&
	test_cmp - actual <<-\EOF &&
	{"event":"version" @,"evt":"4","exe":"test-tool 1.0"}
	{"event":"start" @,"t_abs":"_T_ABS_","argv":["_EXE_","trace2","allevents"]}
	{"event":"cmd_name" @,"name":"trace2","hierarchy":"trace2"}
	{"event":"cmd_path" @,"path":"/usr/bin/test tool"}
	{"event":"alias" @,"alias":"lo","argv":["log","--one line"]}
	{"event":"cmd_mode" @,"name":"all"}
	{"event":"error" @,"msg":"cannot open '\''file'\''","fmt":"cannot %s '\''%s'\''"}
	{"event":"def_param" @,"scope":"local","param":"core.pager","value":"less -R"}
	{"event":"def_param" @,"scope":"unknown","param":"core.flag"}
	{"event":"child_start" @,"child_id":0,"child_class":"hook","hook_name":"pre-commit","cd":"/a dir","use_shell":false,"argv":["pre-commit","it'\''s",""]}
	{"event":"child_exit" @,"child_id":0,"pid":"_PID_","code":3,"t_rel":"_T_REL_"}
	{"event":"child_start" @,"child_id":1,"child_class":"?","use_shell":true,"argv":["daemon"]}
	{"event":"child_ready" @,"child_id":1,"pid":"_PID_","ready":"ready","t_rel":"_T_REL_"}
	{"event":"exec" @,"exec_id":0,"exe":"prog","argv":["daemon"]}
	{"event":"exec_result" @,"exec_id":0,"code":2}
	{"event":"thread_start","sid":"_SID0_","thread":"th01:worker","time":"_TIME_"}
	{"event":"th_timer","sid":"_SID0_","thread":"th01:worker","time":"_TIME_","category":"test","name":"test2","intervals":1,"t_total":"_T_TOTAL_","t_min":"_T_MIN_","t_max":"_T_MAX_"}
	{"event":"th_counter","sid":"_SID0_","thread":"th01:worker","time":"_TIME_","category":"test","name":"test2","count":20}
	{"event":"thread_exit","sid":"_SID0_","thread":"th01:worker","time":"_TIME_","t_rel":"_T_REL_"}
	{"event":"def_repo" @,"repo":1,"worktree":"_WORKTREE_"}
	{"event":"region_enter" @,"repo":1,"nesting":1,"category":"outer","label":"label"}
	{"event":"region_enter" @,"repo":1,"nesting":2,"category":"inner","label":"label","msg":"1 of 2"}
	{"event":"data" @,"repo":1,"t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":3,"category":"cat","key":"string","value":"a | b\nc"}
	{"event":"data" @,"t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":3,"category":"cat","key":"intmax","value":"-7"}
	{"event":"data_json" @,"t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":3,"category":"cat","key":"json","value":{"a":[1,true,null]}}
	{"event":"data_json" @,"t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":3,"category":"cat","key":"not-json","value":"{a"}
	{"event":"printf" @,"t_abs":"_T_ABS_","msg":"text of printf"}
	{"event":"region_leave" @,"repo":1,"t_rel":"_T_REL_","nesting":2,"category":"inner","label":"label","msg":"done"}
	{"event":"region_leave" @,"repo":1,"t_rel":"_T_REL_","nesting":1,"category":"outer","label":"label"}
	{"event":"exit" @,"t_abs":"_T_ABS_","code":0}
	{"event":"th_timer" @,"category":"test","name":"test2","intervals":1,"t_total":"_T_TOTAL_","t_min":"_T_MIN_","t_max":"_T_MAX_"}
	{"event":"th_counter" @,"category":"test","name":"test2","count":2}
	{"event":"timer" @,"category":"test","name":"test1","intervals":1,"t_total":"_T_TOTAL_","t_min":"_T_MIN_","t_max":"_T_MAX_"}
	{"event":"timer" @,"category":"test","name":"test2","intervals":2,"t_total":"_T_TOTAL_","t_min":"_T_MIN_","t_max":"_T_MAX_"}
	{"event":"counter" @,"category":"test","name":"test1","count":1}
	{"event":"counter" @,"category":"test","name":"test2","count":22}
	{"event":"atexit" @,"t_abs":"_T_ABS_","code":0}
	EOF
	test_grep "\"event\":\"cmd_ancestry\".*,\"ancestry\":\[\"make\",\"my shell\"\]}\$" e &&
	expect_valid_stream e
'

test_expect_success JQ 'the brief event target has the same events without time, file and line' '
	jq -c "del(.file, .line, .sid)
		| if .event | IN(\"version\", \"atexit\") then . else del(.time) end
		| with_entries(if (.key | startswith(\"t_\")) or .key == \"time\"
			then .value = 0 else . end)" e >expect &&
	allevents GIT_TRACE2_EVENT_BRIEF=1 &&
	test_grep ! "\"file\":\|\"line\":" e &&
	jq -c "del(.sid)
		| with_entries(if (.key | startswith(\"t_\")) or .key == \"time\"
			then .value = 0 else . end)" e >actual &&
	test_cmp expect actual &&
	expect_valid_stream e
'

test_expect_success 'a full directory gets a sentinel file with two events' '
	for variable in GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE2
	do
		rm -rf full &&
		mkdir full &&
		: >full/1 &&
		test_env $variable="$(pwd)/full" GIT_TRACE2_MAX_FILES=1 \
			test-tool trace2 001return 0 &&
		cp full/git-trace2-discard sentinel.$variable || return 1
	done &&
	perl "$TEST_DIRECTORY/../scrub/event.perl" <sentinel.GIT_TRACE2_EVENT >actual &&
	test_cmp - actual <<-\EOF &&
	{"event":"version","sid":"_SID0_","thread":"main","time":"_TIME_","evt":"4","exe":"test-tool 1.0"}
	{"event":"too_many_files","sid":"_SID0_","thread":"main","time":"_TIME_"}
	EOF
	expect_valid_stream sentinel.GIT_TRACE2_EVENT &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" <sentinel.GIT_TRACE2_PERF >actual &&
	echo "d0|main|version|||||test-tool 1.0" | test_cmp - actual &&
	perl "$TEST_DIRECTORY/../scrub/normal.perl" <sentinel.GIT_TRACE2 >actual &&
	echo "version test-tool 1.0" | test_cmp - actual
'

test_expect_success 'the last event of a program that a signal ends is signal' '
	rm -f n p e &&
	test_expect_code 143 env GIT_TRACE2="$(pwd)/n" \
		GIT_TRACE2_PERF="$(pwd)/p" GIT_TRACE2_EVENT="$(pwd)/e" \
		GIT_TRACE2_SIGNALS=TERM test-tool trace2 080raise TERM &&
	perl "$TEST_DIRECTORY/../scrub/normal.perl" <n | tail -n 1 >actual &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" <p | tail -n 1 >>actual &&
	perl "$TEST_DIRECTORY/../scrub/event.perl" <e | tail -n 1 >>actual &&
	test_cmp - actual <<-\EOF
	signal elapsed:_TIME_ code:15
	d0|main|signal||_T_ABS_|||signo:15
	{"event":"signal","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","signo":15}
	EOF
'

test_done
