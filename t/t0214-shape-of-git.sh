#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='our streams compared with those of Git, field by field

t/traces has streams of a real Git. Each command that test-tool can repeat is
repeated here under the same settings. Both streams go through the same
scrubber, and the differences are compared with the list below. Every difference
is explained; there must be no other.

Times, pids, SIDs and places in the source are tokens on both sides: the
scrubbers check their form. Ancestry is left out, since it depends on the caller
of the command.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# The settings with which the commands were recorded.
GIT_TRACE2_ENV_VARS=HOME,LANG
export GIT_TRACE2_ENV_VARS

# repeat CODE ARG...: write streams of test-tool to ours.{normal,perf,event}.
repeat () {
	code=$1 &&
	shift &&
	rm -f ours.* &&
	test_env HOME=/home/dev LANG=C.UTF-8 GIT_TRACE2="$(pwd)/ours.normal" \
		GIT_TRACE2_PERF="$(pwd)/ours.perf" \
		GIT_TRACE2_EVENT="$(pwd)/ours.event" \
		test_expect_code "$code" test-tool "$@" 2>err
}

# by_thread TARGET: group the lines of each thread. The order in which threads
# write depends on the scheduler.
by_thread () {
	case "$1" in
	normal) cat ;;
	perf) LC_ALL=C sort -s -t"|" -k2,2 ;;
	event) sed "/\"thread\"/!s/^/main /; s/^.*\"thread\":\"\([^\"]*\)/\1 &/" |
		LC_ALL=C sort -s -k1,1 | sed "s/^[^ ]* //" ;;
	esac
}

# scrubbed TARGET FILE: the scrubber must accept every line of Git's, too.
scrubbed () {
	perl "$TEST_DIRECTORY/../scrub/$1.perl" "$2" >"$2.scrubbed.tmp" &&
	sed "s/,\"sid\":\"\(_SID[^\"]*\)\",\"thread\":\"main\",\"time\":\"_TIME_\"/ @\1/" \
		"$2.scrubbed.tmp"
}

# differences TRACE TARGET [cat]: print the lines that only Git has after "<",
# and those that only we have after ">".
differences () {
	cat "$traces/$1.$2" >"theirs.$2" &&
	scrubbed "$2" "theirs.$2" >theirs.all &&
	scrubbed "$2" "ours.$2" >ours.all &&
	test_file_not_empty theirs.all &&
	"${3:-by_thread}" "$2" <theirs.all >theirs &&
	"${3:-by_thread}" "$2" <ours.all >ours || return 1
	diff theirs ours >diff.out
	sed -n "/^[<>]/p" diff.out
}

in_order () {
	cat
}

# The program reports its own version.
expect_version () {
	case "$1" in
	normal)
		cat <<-\EOF
		< version 2.55.0.618.g1a3e64c6c4
		> version test-tool 1.0
		EOF
		;;
	perf)
		cat <<-\EOF
		< d0|main|version|||||2.55.0.618.g1a3e64c6c4
		> d0|main|version|||||test-tool 1.0
		EOF
		;;
	event)
		cat <<-\EOF
		< {"event":"version" @_SID0_,"evt":"4","exe":"2.55.0.618.g1a3e64c6c4"}
		> {"event":"version" @_SID0_,"evt":"4","exe":"test-tool 1.0"}
		EOF
		;;
	esac
}

# Once for each of three nested processes.
expect_versions_of_3 () {
	for level in "0 _SID0_" "1 _SID0_/_SID1_" "2 _SID0_/_SID1_/_SID2_"
	do
		expect_version "$1" |
			sed "s/d0|/d${level%% *}|/; s|_SID0_|${level#* }|"
	done
}

test_expect_success 'events of timers have the fields that Git writes' '
	repeat 0 trace2 101timer 5 2 3 &&
	for target in normal perf event
	do
		differences timers $target >actual &&
		expect_version $target >expect &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'events of counters have the fields that Git writes' '
	repeat 0 trace2 201counter 7 13 3 &&
	for target in normal perf event
	do
		differences counters $target >actual &&
		expect_version $target >expect &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'events of nested processes have the fields that Git writes' '
	repeat 3 trace2 004child test-tool trace2 004child \
		test-tool trace2 001return 3 &&
	for target in normal perf event
	do
		differences nest $target in_order >actual &&
		expect_versions_of_3 $target >expect &&
		test_cmp expect actual || return 1
	done
'

# The repository of test-tool has no id: r0 and 0.
test_expect_success 'data events have the fields that Git writes' '
	repeat 0 trace2 006data cat k1 v1 cat k2 v2 &&
	for target in normal perf event
	do
		differences data $target >actual &&
		expect_version $target >expect &&
		test_cmp expect actual || return 1
	done
'

# Git itself ran here: `git -C project checkout no-such-branch`. The same calls
# are made one by one. The remaining differences: the version; the arguments of
# the program; test-tool names itself before, and formats messages with "%s";
# and its verb ends with code 0.
test_expect_success 'events of a command with an error have the fields that Git writes' '
	GIT_TRACE2_ENV_VARS= \
	repeat 0 trace2 call def_repo 1 /home/dev/project , \
		cmd_name checkout , \
		def_param local core.repositoryformatversion 0 , \
		def_param local core.filemode true , \
		def_param local core.bare false , \
		def_param local core.logallrefupdates true , \
		def_param command HOME /home/dev , \
		def_param command LANG C.UTF-8 , \
		cmd_mode path , \
		region_enter_printf index do_read_index 1 .git/index , \
		region_enter cache_tree read 1 , \
		region_leave cache_tree read 1 , \
		data_string index read/version 2 1 , \
		data_string index read/cache_nr 300 1 , \
		region_leave_printf index do_read_index 1 .git/index , \
		cmd_error "pathspec '\''no-such-branch'\'' did not match any file(s) known to git" &&
	differences error normal >actual.all &&
	test_prints sed "s/^\(> start _EXE_ trace2\) .*/\1 .../" actual.all <<-\EOF &&
	< version 2.55.0.618.g1a3e64c6c4
	< start _EXE_ -C project checkout no-such-branch
	> version test-tool 1.0
	> start _EXE_ trace2 ...
	> cmd_name trace2 (trace2)
	< cmd_name checkout (checkout)
	> cmd_name checkout (trace2/checkout)
	< exit elapsed:_TIME_ code:1
	< atexit elapsed:_TIME_ code:1
	> exit elapsed:_TIME_ code:0
	> atexit elapsed:_TIME_ code:0
	EOF
	differences error perf >actual.all &&
	test_prints sed "s/^\(> .*_EXE_ trace2\) .*/\1 .../" actual.all <<-\EOF &&
	< d0|main|version|||||2.55.0.618.g1a3e64c6c4
	< d0|main|start||_T_ABS_|||_EXE_ -C project checkout no-such-branch
	> d0|main|version|||||test-tool 1.0
	> d0|main|start||_T_ABS_|||_EXE_ trace2 ...
	> d0|main|cmd_name|||||trace2 (trace2)
	< d0|main|cmd_name|||||checkout (checkout)
	> d0|main|cmd_name|||||checkout (trace2/checkout)
	< d0|main|exit||_T_ABS_|||code:1
	< d0|main|atexit||_T_ABS_|||code:1
	> d0|main|exit||_T_ABS_|||code:0
	> d0|main|atexit||_T_ABS_|||code:0
	EOF
	differences error event >actual.all &&
	test_prints sed "s/^\(> .*\"_EXE_\",\"trace2\"\).*/\1 .../" actual.all <<-\EOF
	< {"event":"version" @_SID0_,"evt":"4","exe":"2.55.0.618.g1a3e64c6c4"}
	< {"event":"start" @_SID0_,"t_abs":"_T_ABS_","argv":["_EXE_","-C","project","checkout","no-such-branch"]}
	> {"event":"version" @_SID0_,"evt":"4","exe":"test-tool 1.0"}
	> {"event":"start" @_SID0_,"t_abs":"_T_ABS_","argv":["_EXE_","trace2" ...
	> {"event":"cmd_name" @_SID0_,"name":"trace2","hierarchy":"trace2"}
	< {"event":"cmd_name" @_SID0_,"name":"checkout","hierarchy":"checkout"}
	> {"event":"cmd_name" @_SID0_,"name":"checkout","hierarchy":"trace2/checkout"}
	< {"event":"error" @_SID0_,"msg":"pathspec '\''no-such-branch'\'' did not match any file(s) known to git","fmt":"pathspec '\''%s'\'' did not match any file(s) known to git"}
	< {"event":"exit" @_SID0_,"t_abs":"_T_ABS_","code":1}
	< {"event":"atexit" @_SID0_,"t_abs":"_T_ABS_","code":1}
	> {"event":"error" @_SID0_,"msg":"pathspec '\''no-such-branch'\'' did not match any file(s) known to git","fmt":"%s"}
	> {"event":"exit" @_SID0_,"t_abs":"_T_ABS_","code":0}
	> {"event":"atexit" @_SID0_,"t_abs":"_T_ABS_","code":0}
	EOF
'

# Before any scrubbing: the positions in a line, after time and place.
test_expect_success !UNDER_VALGRIND 'normal and perf lines have the columns that Git writes' '
	repeat 0 trace2 101timer 5 2 3 &&
	for from in "$traces/timers" ours
	do
		cut -c51- "$from.normal" >lines &&
		cut -c45- "$from.perf" >>lines &&
		sed "s/[0-9]/9/g; /9\.99\.9/d; /test-tool 9/d; /ancestry/d" lines |
			sort -u >"layout.${from##*/}" || return 1
	done &&
	test_line_count -gt 15 layout.timers &&
	test_cmp layout.timers layout.ours
'

test_done
