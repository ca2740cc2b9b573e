#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='fork: a child that does not exec is a session of its own'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

# told CODE ARG...: run test-tool, and write its events to actual, one a line:
# SID, event, value.
told () {
	code=$1 &&
	shift &&
	traced --event "$code" test-tool trace2 "$@" &&
	event_members "sid event nesting label|value|code|intervals|count|signo" \
		".*" actual >lines &&
	mv lines actual
}

test_expect_success 'a forked child has a version, a start, its own events, and metrics from 0' '
	told 5 070fork &&
	test_cmp - actual <<-\EOF
	_SID0_ version
	_SID0_ start
	_SID0_ cmd_name
	_SID0_ region_enter 1 around
	_SID0_/_SID1_ version
	_SID0_/_SID1_ start
	_SID0_/_SID1_ data 1 child
	_SID0_/_SID1_ region_enter 1 in child
	_SID0_/_SID1_ region_leave 1 in child
	_SID0_/_SID1_ exit 5
	_SID0_/_SID1_ timer 1
	_SID0_/_SID1_ counter 100
	_SID0_/_SID1_ atexit 5
	_SID0_ data 2 parent
	_SID0_ region_leave 1 around
	_SID0_ exit 5
	_SID0_ timer 1
	_SID0_ counter 1
	_SID0_ atexit 5
	EOF
'

test_expect_success 'a forked child starts with the arguments of the program, and times from 0' '
	# The child lived between two events of its parent.
	trace2_jq "
		def t(\$event): [.[] | select(.event == \$event).t_abs][0];
		.[0].sid as \$parent
		| map(select(.sid == \$parent)) as \$ours
		| map(select(.sid != \$parent)) as \$its
		| ([.[] | select(.event == \"start\").argv] |
			length == 2 and .[0] == .[1] and .[0][1] == \"trace2\" and
			(.[0][0] | test(\"(^|/)test-tool\$\"))) and
		(\$its | t(\"atexit\")) + (\$ours | t(\"start\")) <=
			(\$ours | t(\"data\")) + 0.000003" e
'

test_expect_success 'a forked child has thread main, and a depth one greater than the parent' '
	rm -f p &&
	GIT_TRACE2_PERF="$(pwd)/p" GIT_TRACE2_PERF_BRIEF=1 \
		test_expect_code 5 test-tool trace2 070fork &&
	perl "$TEST_DIRECTORY/../scrub/perf.perl" p | sed -n "/^d1/p" >actual &&
	test_cmp - actual <<-\EOF
	d1|main|version|||||test-tool 1.0
	d1|main|start||_T_ABS_|||_EXE_ trace2 070fork
	d1|main|data||_T_ABS_|_T_REL_|fork|who:child
	d1|main|region_enter||_T_ABS_||fork|label:in child
	d1|main|region_leave||_T_ABS_|_T_REL_|fork|label:in child
	d1|main|exit||_T_ABS_|||code:5
	d1|main|timer||||test|name:test1 intervals:1 total:_T_TOTAL_ min:_T_MIN_ max:_T_MAX_
	d1|main|counter||||test|name:test1 value:100
	d1|main|atexit||_T_ABS_|||code:5
	EOF
'

# repos FILE: print the events about repositories, and the data's value.
repos () {
	perl "$TEST_DIRECTORY/../scrub/event.perl" "$1" |
		sed -n "/\"repo\":/p" |
		event_members "sid repo event value" ".*" -
}

test_expect_success "a forked child emits def_repo again for a repository that the parent defined" '
	traced test-tool trace2 069fork_repos again &&
	test_prints repos e <<-\EOF
	_SID0_ 1 def_repo
	_SID0_ 2 def_repo
	_SID0_ 3 def_repo
	_SID0_ 1 region_enter
	_SID0_ 2 data of a copy
	_SID0_ 3 data no worktree
	_SID0_ 1 region_leave
	_SID0_ 2 data without a site
	_SID0_/_SID1_ 1 def_repo
	_SID0_/_SID1_ 1 region_enter
	_SID0_/_SID1_ 2 def_repo
	_SID0_/_SID1_ 2 data of a copy
	_SID0_/_SID1_ 0 data no worktree
	_SID0_/_SID1_ 1 region_leave
	_SID0_/_SID1_ 2 data without a site
	_SID0_/_SID1_ 4 def_repo
	_SID0_/_SID1_/_SID2_ 1 def_repo
	_SID0_/_SID1_/_SID2_ 1 region_enter
	_SID0_/_SID1_/_SID2_ 2 def_repo
	_SID0_/_SID1_/_SID2_ 2 data of a copy
	_SID0_/_SID1_/_SID2_ 0 data no worktree
	_SID0_/_SID1_/_SID2_ 1 region_leave
	_SID0_/_SID1_/_SID2_ 2 data without a site
	_SID0_/_SID1_/_SID2_ 5 def_repo
	EOF
'

test_expect_success 'repositories of forked children are the same in a ring as in a file' '
	mkdir rings &&
	GIT_TRACE2_RING="$(pwd)/rings" test-tool trace2 069fork_repos again &&
	trace2 script --git-event rings >e &&
	mv expect expect.file &&
	repos e >actual &&
	test_cmp expect.file actual
'

test_expect_success 'a forked child without events writes nothing' '
	told 0 071fork_silent &&
	cut -d" " -f1 actual | sort -u >actual.sids &&
	echo _SID0_ | test_cmp - actual.sids
'

test_expect_success 'a forked child without events that calls exit() writes no atexit' '
	told 0 071fork_silent exit &&
	cut -d" " -f1 actual | sort -u >actual.sids &&
	echo _SID0_ | test_cmp - actual.sids &&
	test "$(grep -c "^{\"event\":\"atexit\"" e)" = 1
'

test_expect_success 'a forked child that only counts emits the counter at its end' '
	told 0 072fork_counter &&
	sed -n "/_SID1_/p" actual >actual.child &&
	test_cmp - actual.child <<-\EOF &&
	_SID0_/_SID1_ version
	_SID0_/_SID1_ start
	_SID0_/_SID1_ counter 100
	_SID0_/_SID1_ atexit 0
	EOF
	test_grep "^_SID0_ counter 1\$" actual
'

test_expect_success 'a forked child that only sets a gauge emits the gauge at its end' '
	traced --event 0 test-tool trace2 072fork_gauge &&
	jq -r "select(.event == \"data_json\" and .value.name == \"children\") |
		[(.sid | split(\"/\") | length), .value.last, .value.max] | @tsv" \
		e >actual &&
	printf "2\t-3\t-3\n" | test_cmp - actual
'

test_expect_success 'a forked child that execs at once writes nothing' '
	told 0 073fork_exec true &&
	cut -d" " -f1 actual | sort -u >actual.sids &&
	echo _SID0_ | test_cmp - actual.sids
'

test_expect_success 'a traced program that a forked child execs has a SID below the parent' '
	told 3 073fork_exec test-tool trace2 001return 3 &&
	test_prints sed -n "/version/p" actual <<-\EOF
	_SID0_ version
	_SID0_/_SID1_ version
	EOF
'

test_expect_success 'a forked child of a forked child has a session of its own' '
	told 5 074fork_twice &&
	test_prints sed -n "/ data\| counter\| version/p" actual <<-\EOF
	_SID0_ version
	_SID0_/_SID1_ version
	_SID0_/_SID1_ data 1 first child
	_SID0_/_SID1_/_SID2_ version
	_SID0_/_SID1_/_SID2_ data 1 child
	_SID0_/_SID1_/_SID2_ counter 100
	_SID0_/_SID1_ data 1 first child again
	_SID0_ data 2 parent
	_SID0_ counter 1
	EOF
'

test_expect_success 'a fork in a thread makes that thread main in the child' '
	told 5 075fork_in_thread &&
	trace2_jq "[.[] | select(.event == \"data\") | [.thread, .value]] ==
			[[\"main\", \"child\"]] and
		[.[] | select(.thread != \"main\").event] ==
			[\"thread_start\", \"thread_exit\"]" e
'

test_expect_success 'vfork with exec makes no session' '
	told 4 076vfork test-tool trace2 001return 4 &&
	test_prints sed -n "/ data\|version/p" actual <<-\EOF
	_SID0_ version
	_SID0_ data 1 before
	_SID0_/_SID1_ version
	_SID0_ data 1 after
	EOF
'

# The parents end without an event; the daemon keeps the pipe open to its end.
test_expect_success 'a program that goes into the background is still traced' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 077daemon | cat &&
	expect_valid_stream --killed --scrub e &&
	test_prints event_members "sid event value" "data|atexit" actual <<-\EOF
	_SID0_ data before
	_SID0_/_SID1_ data daemon
	_SID0_/_SID1_ atexit
	EOF
'

# resumed FILE: print the events of both processes.
resumed () {
	perl "$TEST_DIRECTORY/../scrub/event.perl" "$1" |
		sed "/^{\"event\":\"cmd_name\"/d" |
		event_members "sid event nesting child_id label value" ".*" -
}

cat >expect.resumed <<-\EOF
_SID0_ version
_SID0_ start
_SID0_ def_repo
_SID0_ child_start 0
_SID0_ child_exit 0
_SID0_ region_enter 1 outer
_SID0_ region_enter 2 inner
_SID0_ data 3 before
_SID0_ data 3 daemon
_SID0_ region_leave 2 inner
_SID0_ child_start 1
_SID0_ child_exit 1
_SID0_ region_leave 1 outer
_SID0_ exit
_SID0_ atexit
EOF

test_expect_success 'a daemon continues the session of its parent on request' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" GIT_TRACE2_EVENT_NESTING=9 \
		test-tool trace2 068daemon_resumes | cat &&
	resumed e >actual &&
	test_cmp expect.resumed actual &&
	expect_valid_stream e &&
	jq -s -e "[.[].t_abs // empty] | . == sort" e
'

test_expect_success 'a daemon continues the file of its parent in a directory' '
	mkdir same &&
	GIT_TRACE2_EVENT="$(pwd)/same" GIT_TRACE2_EVENT_NESTING=9 \
		test-tool trace2 068daemon_resumes | cat &&
	test_stdout_line_count = 1 ls same &&
	resumed same/* >actual &&
	test_cmp expect.resumed actual
'

test_expect_success 'a forked child with a ring has a session of its own' '
	rm -rf rings e &&
	mkdir rings &&
	GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool trace2 068daemon_resumes | cat &&
	test_stdout_line_count = 2 ls rings &&
	resumed e >actual &&
	test_grep "^_SID0_/_SID1_ version" actual &&
	test_grep "^_SID0_/_SID1_ .*daemon" actual
'

test_expect_success 'a program may have all forked children continue its session' '
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool --forks-go-on trace2 077daemon | cat &&
	test_prints resumed e <<-\EOF &&
	_SID0_ version
	_SID0_ start
	_SID0_ data 1 before
	_SID0_ data 1 daemon
	_SID0_ exit
	_SID0_ atexit
	EOF
	expect_valid_stream e
'

test_expect_success 'a signal that kills a forked child is recorded by the child, not by the parent' '
	traced 143 env GIT_TRACE2_SIGNALS=TERM \
		test-tool trace2 079fork_killed TERM &&
	expect_valid_stream --scrub e &&
	test_prints event_members "sid event" "signal|atexit" actual <<-\EOF
	_SID0_/_SID1_ signal
	_SID0_ atexit
	EOF
'

test_expect_success 'a forked child has its own file in a directory' '
	mkdir dir &&
	GIT_TRACE2_EVENT="$(pwd)/dir" test_expect_code 5 test-tool trace2 070fork &&
	test_stdout_line_count = 2 ls dir &&
	for file in dir/*
	do
		echo "$file $(basename "$file")" || return 1
	done >expect &&
	jq -r "\"\(input_filename) \(.sid | sub(\".*/\"; \"\"))\"" dir/* | sort -u >actual &&
	test_cmp expect actual &&
	cat dir/* >e &&
	expect_valid_stream e
'

test_expect_success 'a forked child without events creates no file in a directory' '
	rm -r dir &&
	mkdir dir &&
	GIT_TRACE2_EVENT="$(pwd)/dir" test-tool trace2 071fork_silent &&
	test_stdout_line_count = 1 ls dir &&
	rm -r dir &&
	mkdir dir &&
	GIT_TRACE2_EVENT="$(pwd)/dir" test-tool trace2 071fork_silent exit &&
	test_stdout_line_count = 1 ls dir
'

test_expect_success UNIX_SOCKETS 'a forked child has its own connection to a socket' '
	sockets=$(mktemp -d "${TMPDIR:-/tmp}/t0403.XXXXXX") &&
	test_when_finished "rm -rf \"$sockets\"" &&
	test_expect_code 5 test-tool fault listen-stream --output=e "$sockets/s" \
		env GIT_TRACE2_EVENT="af_unix:$sockets/s" test-tool trace2 070fork &&
	expect_valid_stream e &&
	test "$(grep -c "^{\"event\":\"atexit\"" e)" = 2
'

test_expect_success 'a forked child writes to the standard error of its parent' '
	GIT_TRACE2_EVENT=2 test_expect_code 5 test-tool trace2 070fork 2>e &&
	expect_valid_stream e &&
	test "$(grep -c "^{\"event\":\"atexit\"" e)" = 2
'

test_expect_success 'forks are safe while other threads are inside the library' '
	traced test-tool trace2 078fork_busy 20 &&
	grep "\"thread\":\"main\"" e >main.e &&
	expect_valid_stream main.e &&
	trace2_jq "([.[] | select(.event == \"atexit\")] | length == 21) and
		[.[] | select(.event == \"counter\" and .name == \"test1\").count] ==
		[range(20) | 100]" main.e
'

test_expect_success 'a forked child writes nothing into a directory that is full' '
	mkdir gone &&
	GIT_TRACE2_EVENT="$(pwd)/gone" GIT_TRACE2_MAX_FILES=1 \
		test_expect_code 5 test-tool trace2 070fork &&
	ls gone | grep -v "^20" >actual &&
	echo git-trace2-discard | test_cmp - actual &&
	expect_valid_stream gone/2* &&
	expect_valid_stream gone/git-trace2-discard
'

test_done
