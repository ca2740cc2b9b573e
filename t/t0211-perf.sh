#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the perf target: columns for people and for awk

GIT_TRACE2_PERF writes these lines. t0400 to t0402 have the lines of threads and
metrics.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_expect_success 'child processes have depth, class and id in the perf target' '
	traced --perf test-tool trace2 004child test-tool trace2 004child test-tool trace2 001return 0 &&
	test_cmp - actual <<-\EOF
	d0|main|version|||||test-tool 1.0
	d0|main|start||_T_ABS_|||_EXE_ trace2 004child test-tool trace2 004child test-tool trace2 001return 0
	d0|main|cmd_name|||||trace2 (trace2)
	d0|main|child_start||_T_ABS_|||[ch0] class:? argv:[test-tool trace2 004child test-tool trace2 001return 0]
	d1|main|version|||||test-tool 1.0
	d1|main|start||_T_ABS_|||_EXE_ trace2 004child test-tool trace2 001return 0
	d1|main|cmd_name|||||trace2 (trace2/trace2)
	d1|main|child_start||_T_ABS_|||[ch0] class:? argv:[test-tool trace2 001return 0]
	d2|main|version|||||test-tool 1.0
	d2|main|start||_T_ABS_|||_EXE_ trace2 001return 0
	d2|main|cmd_name|||||trace2 (trace2/trace2/trace2)
	d2|main|exit||_T_ABS_|||code:0
	d2|main|atexit||_T_ABS_|||code:0
	d1|main|child_exit||_T_ABS_|_T_REL_||[ch0] pid:_PID_ code:0
	d1|main|exit||_T_ABS_|||code:0
	d1|main|atexit||_T_ABS_|||code:0
	d0|main|child_exit||_T_ABS_|_T_REL_||[ch0] pid:_PID_ code:0
	d0|main|exit||_T_ABS_|||code:0
	d0|main|atexit||_T_ABS_|||code:0
	EOF
'

test_expect_success 'the name of a hook is shown for class hook only' '
	traced --perf test-tool trace2 020spawn --class=pager --hook=pre-push true &&
	sed -n "/|child_start/p" actual >actual.child &&
	echo "d0|main|child_start||_T_ABS_|||[ch0] class:pager argv:[true]" >expect &&
	test_cmp expect actual.child
'

test_expect_success 'def_repo shows the id in the repository column, and quotes the worktree' '
	traced --perf test-tool trace2 call def_repo 1 /a , def_repo 2 "/b c" &&
	test_prints sed -n "s/.* | def_repo  *| //p" p <<-\EOF &&
	r1  |           |           |              | worktree:/a
	r2  |           |           |              | worktree:'\''/b c'\''
	EOF
	traced --normal test-tool trace2 call def_repo 2 "/b c" &&
	sed -n "s/.* *worktree/worktree/p" n >actual &&
	echo "worktree '\''/b c'\''" | test_cmp - actual
'

# Git does the same: only atexit is at the top.
test_expect_success 'a region may be left after cmd_exit' '
	traced --perf test-tool trace2 call region_enter c l , cmd_exit 0 , \
		data_string c k v , region_leave c l , data_string c k2 v &&
	test_prints sed -n "/|cmd_name|/,/|error|/p" actual <<-\EOF
	d0|main|cmd_name|||||trace2 (trace2)
	d0|main|region_enter||_T_ABS_||c|label:l
	d0|main|exit||_T_ABS_|||..code:0
	d0|main|data||_T_ABS_|_T_REL_|c|..k:v
	d0|main|region_leave||_T_ABS_|_T_REL_|c|label:l
	d0|main|data||_T_ABS_|_T_REL_|c|k2:v
	d0|main|error|||||trace2: cmd_exit a second time
	EOF
'

test_expect_success 'regions may lack a category, a label, or a message' '
	traced --perf test-tool trace2 call region_enter NULL NULL , \
		region_enter cat NULL , region_enter_printf NULL NULL NULL msg , \
		region_leave NULL NULL , region_leave cat NULL , \
		region_leave NULL NULL &&
	test_prints sed -n "/|region/p" actual <<-\EOF
	d0|main|region_enter||_T_ABS_|||
	d0|main|region_enter||_T_ABS_||cat|..
	d0|main|region_enter||_T_ABS_|||.... msg
	d0|main|region_leave||_T_ABS_|_T_REL_||....
	d0|main|region_leave||_T_ABS_|_T_REL_|cat|..
	d0|main|region_leave||_T_ABS_|_T_REL_||
	EOF
'

# t_rel of data is the time since the innermost enter: after a leave, it counts
# from the region around it.
test_expect_success 't_rel of a data event is the time since the region around it began' '
	rm -f p &&
	GIT_TRACE2_PERF="$(pwd)/p" GIT_TRACE2_PERF_BRIEF=1 \
		test-tool trace2 call sleep_ms 20 , region_enter a outer , \
		region_enter b inner , data_string c in 1 , \
		region_leave b inner , sleep_ms 20 , region_leave a outer , \
		data_string c out 1 &&
	awk -F " *[|] *" "
		/in:1/ { inside = \$6 + 0 }
		/out:1/ { outside = \$6 + 0; abs = \$5 + 0 }
		END {
			# No sleep is shorter than requested.
			exit !(outside >= 0.04 && outside <= abs &&
				inside < outside - 0.03)
		}" p
'

test_expect_success !UNDER_VALGRIND 'lines have columns of fixed width' '
	traced --perf test-tool trace2 call region_enter category label , \
		data_string c k v , def_param command p v &&
	grep -v " cmd_ancestry " p | cut -c45- |
		sed -e "s/[0-9]\.[0-9]\{6\} /S.SSSSSS /g" >actual &&
	test_cmp - actual <<-\EOF
	 | d0 | main                     | version      |     |           |           |              | test-tool 1.0
	 | d0 | main                     | start        |     |  S.SSSSSS |           |              | test-tool trace2 call region_enter category label , data_string c k v , def_param command p v
	 | d0 | main                     | cmd_name     |     |           |           |              | trace2 (trace2)
	 | d0 | main                     | region_enter |     |  S.SSSSSS |           | category     | label:label
	 | d0 | main                     | data         |     |  S.SSSSSS |  S.SSSSSS | c            | ..k:v
	 | d0 | main                     | def_param    |     |           |           | scope:comman | ..p:v
	 | d0 | main                     | exit         |     |  S.SSSSSS |           |              | ..code:0
	 | d0 | main                     | atexit       |     |  S.SSSSSS |           |              | code:0
	EOF
'

# A place has 28 columns; a longer one has three dots and its last 25 bytes.
test_expect_success 'file and line of an event are those of the call in the program' '
	rm -f p trace.event &&
	GIT_TRACE2_PERF="$(pwd)/p" GIT_TRACE2_EVENT="$(pwd)/trace.event" \
		test-tool trace2 call cmd_mode mode &&
	cut -c1-44 p >places &&
	test_grep ! -v "^[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]\{6\} " places &&
	cut -c17- places >actual &&
	jq -r "\"\(.file):\(.line)\"" trace.event >full &&
	sed "s/.*\(.\{25\}\)\$/...\1/" full >cut &&
	awk "{
		place = \$0
		getline cut <\"cut\"
		printf \"%-28s\\n\", (length(place) > 28) ? cut : place
	}" full >expect &&
	test_cmp expect actual &&
	test_grep "^\.\.\..*cmd-trace2-calls.def:[0-9]*\$" actual &&
	test_grep "^t/helper/test-tool.c:[0-9]* *\$" actual
'

test_expect_success !UNDER_VALGRIND 'brief lines begin with the depth' '
	rm -f p &&
	GIT_TRACE2_PERF="$(pwd)/p" GIT_TRACE2_PERF_BRIEF=1 \
		test-tool trace2 001return 0 &&
	grep -v " cmd_ancestry " p |
		sed -e "s/[0-9]\.[0-9]\{6\} /S.SSSSSS /g" >actual &&
	test_cmp - actual <<-\EOF
	d0 | main                     | version      |     |           |           |              | test-tool 1.0
	d0 | main                     | start        |     |  S.SSSSSS |           |              | test-tool trace2 001return 0
	d0 | main                     | cmd_name     |     |           |           |              | trace2 (trace2)
	d0 | main                     | exit         |     |  S.SSSSSS |           |              | code:0
	d0 | main                     | atexit       |     |  S.SSSSSS |           |              | code:0
	EOF
'

test_expect_success 'a category is cut to at most 12 bytes, between characters' '
	traced --perf test-tool trace2 call data_string exactlytwelv k 1 , \
		data_string thirteenbytes k 2 , data_string "elevenbytesé" k 3 &&
	sed -n "/ data  /s/.* | \(.\{11,12\}\) | k:[123]\$/\1/p" p >actual &&
	sed "s/ \$//" actual >actual.trimmed &&
	test_write_lines exactlytwelv thirteenbyte elevenbytes >expect &&
	test_cmp expect actual.trimmed
'

test_expect_success 'the name of a thread is cut to at most 24 bytes' '
	traced --perf test-tool trace2 040thread "a_name_longer_than_the_column_is" &&
	sed -n "/|th01/p" actual | cut -d"|" -f2,3 >actual.thread &&
	test_cmp - actual.thread <<-\EOF
	th01:a_name_longer_than_|thread_start
	th01:a_name_longer_than_|data
	th01:a_name_longer_than_|thread_exit
	EOF
'

test_expect_success 'a thread function that runs on the main thread is a region' '
	traced --perf test-tool trace2 044thread_on_main &&
	test_prints sed -n "/|region\|data/p" actual <<-\EOF &&
	d0|main|region_enter||_T_ABS_|||thread-proc on main: on_main
	d0|main|data||_T_ABS_|_T_REL_|thread|..runs:between
	d0|main|region_leave||_T_ABS_|_T_REL_||thread-proc on main
	EOF
	test_grep " |  thread-proc on main: on_main\$" p
'

test_expect_success 'a repository without an id is r0' '
	traced --perf test-tool trace2 006data cat k v &&
	sed -n "/|data/p" actual >actual.data &&
	echo "d0|main|data|r0|_T_ABS_|_T_REL_|cat|k:v" | test_cmp - actual.data
'

# The lines of a program that never leaves its regions would grow without limit.
test_expect_success 'open regions are shown as dots, at most 200' '
	rm -f p &&
	GIT_TRACE2_PERF_BRIEF=1 GIT_TRACE2_PERF="$(pwd)/p" \
		test-tool trace2 031nest 300 &&
	sed -n "s/.* region_enter .* | \(\.*\)[^.].*/\1/p" p |
		awk "{ print length }" >actual &&
	test_seq 0 299 | awk "{ print \$1 < 100 ? 2 * \$1 : 200 }" >expect &&
	test_cmp expect actual
'

test_done
