#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the event target: JSON for programs

GIT_TRACE2_EVENT writes these lines, and keeps the rules on which their
consumers rely.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

test_expect_success 'a program that returns from main has exit and atexit in JSON' '
	traced --event 7 test-tool trace2 001return 7 &&
	test_cmp - actual <<-\EOF
	{"event":"version","sid":"_SID0_","thread":"main","time":"_TIME_","evt":"4","exe":"test-tool 1.0"}
	{"event":"start","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","argv":["_EXE_","trace2","001return","7"]}
	{"event":"cmd_name","sid":"_SID0_","thread":"main","time":"_TIME_","name":"trace2","hierarchy":"trace2"}
	{"event":"exit","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","code":7}
	{"event":"atexit","sid":"_SID0_","thread":"main","time":"_TIME_","t_abs":"_T_ABS_","code":7}
	EOF
'

test_expect_success !UNDER_VALGRIND 'file and line come right after the time of an event' '
	test_prints sed -n "s/.*\"time\":\"[^\"]*\",\"file\":\"[^\"]*\",\"line\":[1-9][0-9]*,/FL,/
		s/\"t_abs\":[0-9.]*,/\"t_abs\":N,/
		/ancestry/!p" e <<-\EOF &&
	FL,"evt":"4","exe":"test-tool 1.0"}
	FL,"t_abs":N,"argv":["test-tool","trace2","001return","7"]}
	FL,"name":"trace2","hierarchy":"trace2"}
	FL,"t_abs":N,"code":7}
	FL,"t_abs":N,"code":7}
	EOF
	trace2_jq "
		(map(.file) | unique) == [\"lib/session/close.c\", \"t/helper/test-tool.c\"] and
		all(.[].line; type == \"number\" and . > 0)" e
'

test_expect_success !UNDER_VALGRIND 'brief events have no file and line, and a time only in the first and last' '
	traced env GIT_TRACE2_EVENT_BRIEF=true \
		test-tool trace2 call region_enter cat label , data_string c k v &&
	grep -v cmd_ancestry e | sed "s/20[-0-9]*[.T][-:.0-9TZ]*[-HP0-9a-f]*/X/g
		s/\"t_\([a-z]*\)\":[0-9]*\.[0-9]\{6\}/\"t_\1\":N/g" >actual &&
	test_cmp - actual <<-\EOF
	{"event":"version","sid":"X","thread":"main","time":"X","evt":"4","exe":"test-tool 1.0"}
	{"event":"start","sid":"X","thread":"main","t_abs":N,"argv":["test-tool","trace2","call","region_enter","cat","label",",","data_string","c","k","v"]}
	{"event":"cmd_name","sid":"X","thread":"main","name":"trace2","hierarchy":"trace2"}
	{"event":"region_enter","sid":"X","thread":"main","nesting":1,"category":"cat","label":"label"}
	{"event":"data","sid":"X","thread":"main","t_abs":N,"t_rel":N,"nesting":2,"category":"c","key":"k","value":"v"}
	{"event":"exit","sid":"X","thread":"main","t_abs":N,"code":0}
	{"event":"atexit","sid":"X","thread":"main","time":"X","t_abs":N,"code":0}
	EOF
'

test_expect_success 'SIDs of a child and grandchild name their ancestors' '
	traced --event test-tool trace2 004child test-tool trace2 004child test-tool trace2 001return 0 &&
	jq -c "[.event, .sid, .hierarchy // .child_id // .code]" actual >actual.short &&
	test_cmp - actual.short <<-\EOF
	["version","_SID0_",null]
	["start","_SID0_",null]
	["cmd_name","_SID0_","trace2"]
	["child_start","_SID0_",0]
	["version","_SID0_/_SID1_",null]
	["start","_SID0_/_SID1_",null]
	["cmd_name","_SID0_/_SID1_","trace2/trace2"]
	["child_start","_SID0_/_SID1_",0]
	["version","_SID0_/_SID1_/_SID2_",null]
	["start","_SID0_/_SID1_/_SID2_",null]
	["cmd_name","_SID0_/_SID1_/_SID2_","trace2/trace2/trace2"]
	["exit","_SID0_/_SID1_/_SID2_",0]
	["atexit","_SID0_/_SID1_/_SID2_",0]
	["child_exit","_SID0_/_SID1_",0]
	["exit","_SID0_/_SID1_",0]
	["atexit","_SID0_/_SID1_",0]
	["child_exit","_SID0_",0]
	["exit","_SID0_",0]
	["atexit","_SID0_",0]
	EOF
'

test_expect_success 'child_exit has the pid that is in the SID of the child' '
	jq -s -e "
		. as \$all
		| [.[] | select(.event == \"child_exit\") | . as \$exit
			| [\$all[] | select(.event == \"version\") | .sid
				| select(startswith(\$exit.sid + \"/\"))
				| ltrimstr(\$exit.sid + \"/\") | select(contains(\"/\") | not)
				| explode | .[-8:]
				| map(if . > 57 then . - 87 else . - 48 end)
				| reduce .[] as \$d (0; . * 16 + \$d)] == [\$exit.pid]]
		| length == 2 and all" e
'

test_expect_success 'child_begin and child_end: the library numbers the children of a program' '
	traced --event test-tool trace2 call child_begin ls -l , child_end 3 , \
		child_begin sh , child_detach ready &&
	sed -n "/\"event\":\"child_/p" actual | sed "s/\"pid\":[^,]*/\"pid\":4711/" >shown &&
	test_cmp - shown <<-\EOF
	{"event":"child_start","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":0,"child_class":"begun","use_shell":false,"argv":["ls","-l"]}
	{"event":"child_exit","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":0,"pid":4711,"code":3,"t_rel":"_T_REL_"}
	{"event":"child_start","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":1,"child_class":"begun","use_shell":false,"argv":["sh"]}
	{"event":"child_ready","sid":"_SID0_","thread":"main","time":"_TIME_","child_id":1,"pid":4711,"ready":"ready","t_rel":"_T_REL_"}
	EOF
'

test_expect_success 'the time of a child is right while another child runs, too' '
	rm -f e p &&
	GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_PERF="$(pwd)/p" \
		GIT_TRACE2_PERF_BRIEF=1 test-tool trace2 call child_begin ls , \
		child_begin ls , sleep_ms 20 , child_end 0 &&
	# All times are of one clock, and each is rounded.
	awk -F " *[|] *" "
		/ child_start .*ch1/ { from = \$5 }
		/ child_exit .*ch1/ {
			print \$6
			d = \$5 - from - \$6
			good = from && d > -0.000003 && d < 0.000003
		}
		END { exit !good }" p >expect &&
	sed -n "s/.*\"child_exit\".*\"t_rel\":\([0-9.]*\)}/\1/p" e >actual &&
	test_file_not_empty expect &&
	test_cmp expect actual
'

# The process continues as another program: the first session has no end.
test_expect_success 'an exec of another traced program begins a session below the old one' '
	traced test-tool trace2 005exec trace2 001return 0 &&
	expect_valid_stream --killed e &&
	jq -r "select(.event == \"version\") | .sid | split(\"/\") | length" e >actual &&
	test_write_lines 1 2 | test_cmp - actual
'

test_expect_success 'data_intmax is a string, data_json is JSON, invalid JSON is a string' '
	traced --event test-tool trace2 call data_intmax c min -9223372036854775808 , \
		data_intmax c max 9223372036854775807 , \
		data_json c object "{\"a\": [1, 2.5e3, true, null, \"x\"]}" , \
		data_json c number " 17 " , data_json c broken "{\"a\":" , \
		data_json c null NULL , data_string c empty "" , \
		data_json c "two values" "1 2" &&
	sed -n "s/.*\"time\":\"_TIME_\",.*\"category\"/\"category\"/p" actual >actual.data &&
	test_cmp - actual.data <<-\EOF
	"category":"c","key":"min","value":"-9223372036854775808"}
	"category":"c","key":"max","value":"9223372036854775807"}
	"category":"c","key":"object","value":{"a":[1,2.5e3,true,null,"x"]}}
	"category":"c","key":"number","value":17}
	"category":"c","key":"broken","value":"{\"a\":"}
	"category":"c","key":"null","value":""}
	"category":"c","key":"empty","value":""}
	"category":"c","key":"two values","value":"1 2"}
	EOF
'

test_expect_success 'regions deeper than 2 are left out silently' '
	traced --valid test-tool trace2 031nest 4 &&
	trace2_jq "
		[.[] | select(.nesting) | [.event, .nesting, .label]] == [
			[\"region_enter\", 1, \"r1\"],
			[\"region_enter\", 2, \"r2\"],
			[\"region_leave\", 2, \"r2\"],
			[\"region_leave\", 1, \"r1\"]
		] and (.[-1] | has(\"lost\") | not)" e
'

test_expect_success 'GIT_TRACE2_EVENT_NESTING sets the limit of nesting' '
	GIT_TRACE2_EVENT_NESTING=5 &&
	export GIT_TRACE2_EVENT_NESTING &&
	test_when_finished "sane_unset GIT_TRACE2_EVENT_NESTING" &&
	traced --valid test-tool trace2 031nest 4 &&
	jq -c "select(.nesting) | [.event, .nesting, .label // .key]" e >actual.nest &&
	test_cmp - actual.nest <<-\EOF
	["region_enter",1,"r1"]
	["region_enter",2,"r2"]
	["region_enter",3,"r3"]
	["region_enter",4,"r4"]
	["data",5,"depth"]
	["region_leave",4,"r4"]
	["region_leave",3,"r3"]
	["region_leave",2,"r2"]
	["region_leave",1,"r1"]
	EOF
'

test_expect_success 'GIT_TRACE2_EVENT_NESTING=0, negative or not a number leaves the default' '
	for value in 0 -1 x 3x ""
	do
		GIT_TRACE2_EVENT_NESTING=$value &&
		export GIT_TRACE2_EVENT_NESTING &&
		traced --valid test-tool trace2 031nest 4 &&
		cat e >>all || return 1
	done &&
	sane_unset GIT_TRACE2_EVENT_NESTING &&
	trace2_jq "group_by(.sid) | map(map(.nesting // empty) | max) == [2, 2, 2, 2, 2]" all
'

test_expect_success 'regions nested thousands deep end in order' '
	GIT_TRACE2_EVENT_NESTING=100000 &&
	export GIT_TRACE2_EVENT_NESTING &&
	test_when_finished "sane_unset GIT_TRACE2_EVENT_NESTING" &&
	traced test-tool trace2 031nest 3000 &&
	trace2_jq "
		(map(select(.event == \"region_enter\") | .nesting) == [range(1; 3001)]) and
		(map(select(.event == \"region_leave\") | .nesting) == [range(3000; 0; -1)])
		" e
'

test_expect_success 'the member repo comes before worktree, nesting and other members of an event' '
	traced --event test-tool trace2 call def_repo 1 /a , def_repo 2 /b , def_repo 1 /a , \
		region_enter c l 2 , region_leave c l 2 , data_string c k v 1 , \
		data_string c k v 3 &&
	sed -n "/{\"event\":\"\(def_repo\|region\|data\)/s/.*_TIME_\",//p" actual >actual.repo &&
	test_cmp - actual.repo <<-\EOF
	"repo":1,"worktree":"_WORKTREE_"}
	"repo":2,"worktree":"_WORKTREE_"}
	"repo":2,"nesting":1,"category":"c","label":"l"}
	"repo":2,"t_rel":"_T_REL_","nesting":1,"category":"c","label":"l"}
	"repo":1,"t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":1,"category":"c","key":"k","value":"v"}
	"repo":0,"t_abs":"_T_ABS_","t_rel":"_T_REL_","nesting":1,"category":"c","key":"k","value":"v"}
	EOF
'

test_expect_success 'a region has no members for absent texts' '
	traced --event test-tool trace2 call region_enter NULL NULL , region_leave NULL NULL &&
	sed -n "/{\"event\":\"region/s/.*_TIME_\",//p" actual >actual.regions &&
	test_cmp - actual.regions <<-\EOF
	"nesting":1}
	"t_rel":"_T_REL_","nesting":1}
	EOF
'

test_expect_success 'regions open at the end of the program get no leave events' '
	traced --event test-tool trace2 call region_enter c l , region_enter c m &&
	jq -r .event actual >actual.names &&
	test_write_lines version start cmd_name region_enter region_enter \
		exit atexit >expect &&
	test_cmp expect actual.names
'

test_expect_success 'an event has the same time in every target' '
	rm -f e trace.perf trace.normal &&
	GIT_TRACE2="$(pwd)/trace.normal" GIT_TRACE2_PERF="$(pwd)/trace.perf" \
		GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_EVENT_NESTING=9 \
		test-tool trace2 allevents &&
	jq -r ".time[11:26] + if .event | test(\"region|data|^thread\") then
		\" in perf and event\" else \"\" end" e >times &&
	cut -c1-15 times >expect &&
	cut -c1-15 trace.perf >actual &&
	test_cmp expect actual &&
	sed "/ in perf and event/d" times >expect &&
	cut -c1-15 trace.normal >actual &&
	test_cmp expect actual
'

test_expect_success 'atexit is written once, also without an exit event, and with exit handlers' '
	traced --event 3 test-tool trace2 060exit_unrecorded 3 &&
	jq -c "[.event, .code]" actual | tail -n 2 >actual.end &&
	code=3 &&
	test_have_prereq !MUSL || code=0 &&
	test_write_lines "[\"cmd_name\",null]" "[\"atexit\",$code]" >expect &&
	test_cmp expect actual.end &&
	traced --event test-tool trace2 064exit_handler &&
	jq -r .event actual | sort | uniq -d >actual.twice &&
	test_must_be_empty actual.twice
'

test_expect_success !MUSL 'atexit has the exit code that the parent sees' '
	for code in 0 1 2 70 127 128 129 254 255
	do
		traced --event $code test-tool trace2 060exit_unrecorded $code &&
		tail -n 1 actual >>ends &&
		echo "[\"atexit\",$code]" || return 1
	done >expect &&
	jq -c "[.event, .code]" ends >actual.end &&
	test_cmp expect actual.end
'

test_expect_success '_exit() writes no atexit event, quick_exit() does' '
	traced 3 test-tool trace2 061_exit 3 &&
	expect_valid_stream --killed e &&
	test "$(tail -n 1 e | event_members "event code" ".*" -)" = "exit 3" &&
	traced --valid 3 test-tool trace2 062quick_exit 3 &&
	test "$(tail -n 1 e | event_members "event code" ".*" -)" = "atexit 3"
'

test_expect_success 'exit() in another thread, or a main thread that ends early, writes atexit for main' '
	traced --valid 5 test-tool trace2 065exit_in_thread 5 &&
	test "$(tail -n 1 e | event_members "event code thread" ".*" -)" = "atexit 5 main" &&
	traced --valid test-tool trace2 066main_leaves 0 &&
	test_grep "^{\"event\":\"data\",.*,\"thread\":\"th01:survivor\"," e &&
	test "$(tail -n 1 e | event_members "event code thread" ".*" -)" = "atexit 0 main"
'

test_done
