#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the harness: how scripts run, what they report, how they fail'

TEST_NO_TEST_TOOL=t
. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-subtest.sh

# ---------------------------------------------------------------------------
# TAP

test_expect_success 'a script whose tests pass exits with 0' '
	write_subtest pass <<-\EOF &&
	test_expect_success "one" "true"
	test_expect_success "two" "test_path_is_missing nothing"
	test_done
	EOF
	check_subtest 0 pass <<-\EOF &&
	ok 1 - one
	ok 2 - two
	# passed all 2 test(s)
	1..2
	EOF
	test_must_be_empty err &&
	test_path_is_missing "trash directory.pass"
'

test_expect_success 'a test that fails prints its body' '
	write_subtest fail <<-\EOF &&
	test_expect_success "one" "true"
	test_expect_success "two" "
		echo hidden &&
		false
	"
	test_expect_success "three" "true"
	test_done
	EOF
	check_subtest 1 fail <<-\EOF &&
	ok 1 - one
	not ok 2 - two
	#	
	#	echo hidden &&
	#	false
	#	
	ok 3 - three
	# failed 1 among 3 test(s)
	1..3
	# trash directory kept: TRASH/trash directory.fail
	EOF
	test_path_is_dir "trash directory.fail"
'

test_expect_success '-i stops at the failure and keeps the trash directory' '
	write_subtest immediate <<-\EOF &&
	test_expect_success "one" "
		test_when_finished \"rm kept\" &&
		>kept &&
		false
	"
	test_expect_success "two" "true"
	test_done
	EOF
	check_subtest 1 immediate -i <<-\EOF &&
	not ok 1 - one
	#	
	#	test_when_finished "rm kept" &&
	#	>kept &&
	#	false
	#	
	1..1
	# trash directory kept: TRASH/trash directory.immediate
	EOF
	test_path_is_file "trash directory.immediate/kept"
'

test_expect_success 'test_expect_failure reports a known breakage, and one that has vanished' '
	write_subtest todo <<-\EOF &&
	test_expect_failure "broken" "false"
	test_expect_failure "mended" "true"
	test_expect_success "fine" "true"
	test_done
	EOF
	check_subtest 0 todo <<-\EOF
	not ok 1 - broken # TODO known breakage
	ok 2 - mended # TODO known breakage vanished
	ok 3 - fine
	# 1 known breakage(s) vanished; please update test(s)
	# still have 1 known breakage(s)
	# passed all remaining 1 test(s)
	1..3
	EOF
'

test_expect_success 'skip_all skips the whole script' '
	write_subtest skipall <<-\EOF &&
	skip_all="nothing to do here"
	test_done
	EOF
	check_subtest 0 skipall <<-\EOF
	1..0 # SKIP nothing to do here
	EOF
'

test_expect_success 'prerequisites may be set, negated, combined, or evaluated when first used' '
	write_subtest prereq <<-\EOF &&
	test_set_prereq HAVE
	test_lazy_prereq LAZY "echo ran >>../lazy-ran"
	test_lazy_prereq LAZY_NOT "false"
	test_lazy_prereq LAZY_NO "false"
	test_lazy_prereq LAZY_UNUSED ">../lazy-unused-ran"
	test_expect_success HAVE "have" "true"
	test_expect_success DONT "do not have" "false"
	test_expect_success !HAVE "negated" "false"
	test_expect_success !DONT,HAVE "both" "true"
	test_expect_success HAVE,!HAVE,DONT "some" "false"
	test_expect_success LAZY,!LAZY_NOT "lazy" "true"
	test_expect_success LAZY "lazy again" "true"
	test_expect_success LAZY_UNUSED,!LAZY,DONT "known" "false"
	test_expect_success LAZY_NO,LAZY_UNUSED "probed" "false"
	test_expect_success MINGW "windows" "false"
	test_set_prereq !HAVE
	test_expect_success HAVE "no more" "false"
	test_set_prereq LAZY_NOT
	test_expect_success LAZY_NOT "set by hand" "
		test_path_is_missing ../lazy-unused-ran &&
		test_line_count = 1 lazy-ran &&
		rm lazy-ran
	"
	test_done
	EOF
	check_subtest 0 prereq <<-\EOF
	ok 1 - have
	ok 2 # skip do not have (missing DONT)
	ok 3 # skip negated (missing !HAVE)
	ok 4 - both
	ok 5 # skip some (missing !HAVE,DONT of HAVE,!HAVE,DONT)
	ok 6 - lazy
	ok 7 - lazy again
	ok 8 # skip known (missing !LAZY,DONT of LAZY_UNUSED,!LAZY,DONT)
	ok 9 # skip probed (missing LAZY_NO of LAZY_NO,LAZY_UNUSED)
	ok 10 # skip windows (missing MINGW)
	ok 11 # skip no more (missing HAVE)
	ok 12 - set by hand
	# passed all 12 test(s)
	1..12
	EOF
'

test_expect_success 'the body of a test may come on standard input' '
	write_subtest stdin <<-\EOF &&
	test_expect_success "quotes" - <<\EOT
		echo "it'\''s" >actual &&
		cat >expect <<-\INNER &&
		it'\''s
		INNER
		test_cmp expect actual
	EOT
	test_expect_success MINGW "skipped" - <<\EOT
		false
	EOT
	test_expect_failure "broken" - <<\EOT
		false
	EOT
	test_done
	EOF
	check_subtest 0 stdin <<-\EOF
	ok 1 - quotes
	ok 2 # skip skipped (missing MINGW)
	not ok 3 - broken # TODO known breakage
	# still have 1 known breakage(s)
	# passed all remaining 2 test(s)
	1..3
	EOF
'

test_expect_success 'prove understands the output of scripts' '
	if command -v prove >/dev/null
	then
		(
			TEST_OUTPUT_DIRECTORY=$TRASH_DIRECTORY &&
			export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL &&
			prove -j4 --exec "$TEST_SHELL_PATH" pass.sh todo.sh \
				skipall.sh prereq.sh >out &&
			test_grep "^All tests successful" out &&
			test_must_fail prove --exec sh pass.sh fail.sh >out &&
			test_grep "^Failed 1/3 subtests" out
		)
	fi
'

# ---------------------------------------------------------------------------
# Faults of a script that fail it, whatever the results of its tests

test_expect_success 'a script without a test fails' '
	write_subtest empty <<-\EOF &&
	test_done
	EOF
	check_subtest 1 empty <<-\EOF
	FATAL: empty holds no test
	EOF
'

test_expect_success 'a title used twice fails' '
	write_subtest twice <<-\EOF &&
	test_expect_success "one" "true"
	test_expect_success "two" "true"
	test_expect_success "one" ">../ran"
	test_expect_success MINGW "two" "true"
	test_done
	EOF
	check_subtest 1 twice <<-\EOF &&
	ok 1 - one
	ok 2 - two
	not ok 3 - one
	#	>../ran
	# duplicate title: an earlier test has it already
	ok 4 # skip two (missing MINGW)
	# failed 1 among 4 test(s)
	1..4
	# trash directory kept: TRASH/trash directory.twice
	EOF
	test_path_is_missing ran
'

test_expect_success 'a script without test_done fails' '
	write_subtest nodone <<-\EOF &&
	test_expect_success "one" "true"
	EOF
	check_subtest 1 nodone <<-\EOF
	ok 1 - one
	FATAL: Unexpected exit with code 0
	# (a test that exits, or no test_done at the end)
	# trash directory kept: TRASH/trash directory.nodone
	EOF
'

test_expect_success 'a test that exits fails the script' '
	write_subtest exits <<-\EOF &&
	test_expect_success "one" "true"
	test_expect_success "two" "exit 0"
	test_done
	EOF
	check_subtest 1 exits <<-\EOF &&
	ok 1 - one
	FATAL: Unexpected exit with code 0
	# (a test that exits, or no test_done at the end)
	# trash directory kept: TRASH/trash directory.exits
	EOF
	write_subtest exits5 <<-\EOF &&
	test_expect_success "one" "exit 5"
	test_done
	EOF
	check_subtest 5 exits5 <<-\EOF
	FATAL: Unexpected exit with code 5
	# trash directory kept: TRASH/trash directory.exits5
	EOF
'

# Is there no such process, or has its new parent not reaped it yet? A killed
# process that is no child of this shell may need a CPU to die.
is_gone () {
	test -n "$1" && {
		! test -f "/proc/$1/stat" ||
		grep -q -s "^[0-9]* (.*) Z" "/proc/$1/stat"
	}
}

test_expect_success 'a process left running fails the script' '
	write_subtest leftover <<-\EOF &&
	test_expect_success "one" "
		sleep 1000 &
		echo \$! >../pid
	"
	test_done
	EOF
	check_subtest 1 leftover <<-\EOF &&
	ok 1 - one
	# left running: process PID: sleep 1000 
	# failed 1 among 1 test(s)
	1..1
	# trash directory kept: TRASH/trash directory.leftover
	EOF
	wait_until is_gone "$(cat pid)"
'

# Ways to hide: an orphan, a new session, a shell that forked without running a
# program.
test_expect_success 'processes left running are found, also in another session or directory' '
	cat >expect.title <<-\EOF &&
	# left running: process PID: sleep 1001 
	# left running: process PID: sleep 1002 
	EOF
	write_subtest hidden <<-\EOF &&
	test_expect_success "orphan" "(sleep 1001 &)"
	test_expect_success "session" "(setsid sleep 1002 </dev/null >/dev/null 2>&1 &)"
	test_expect_success "fork" "
		mkfifo fifo &&
		mkdir sub &&
		{ read -r line <fifo & } &&
		echo \$! >../pid1 &&
		(
			cd sub &&
			{ (read -r line <../fifo && :) & } &&
			echo \$! >../../pid2
		) &&
		{ (cd / && read -r line <\"\$OLDPWD/fifo\") & } &&
		echo \$! >../pid3
	"
	test_done
	EOF
	test_expect_code 1 run_subtest hidden &&
	grep "left running.*sleep" out | sort >actual &&
	test_cmp expect.title actual &&
	grep "left running" out >actual &&
	test_line_count = 5 actual &&
	for file in pid1 pid2 pid3
	do
		wait_until is_gone "$(cat $file)" || return 1
	done
'

test_expect_success 'processes that the script did not start are left alone' '
	write_subtest others <<-\EOF &&
	test_expect_success "one" "true"
	test_done
	EOF
	{ sleep 1000 & } &&
	pid=$! &&
	test_when_finished "kill $pid; wait $pid || :" &&
	run_subtest others &&
	kill -0 $pid
'

test_expect_success 'a process that ends by itself right after the script is not reported' '
	write_subtest ending <<-\EOF &&
	test_expect_success "one" "sleep 0.3 &"
	test_done
	EOF
	check_subtest 0 ending <<-\EOF
	ok 1 - one
	# passed all 1 test(s)
	1..1
	EOF
'

test_expect_success 'a wrong call of the harness, or no test_description, fails with the reason' '
	write_subtest bug <<-\EOF &&
	test_expect_success "one"
	test_done
	EOF
	check_subtest 1 bug </dev/null &&
	test_grep "bug in the test script: not 2 or 3 parameters" err &&
	write_subtest env <<-\EOF &&
	test_expect_success "one" "test_env A=b"
	test_done
	EOF
	check_subtest 1 env <<-\EOF &&
	not ok 1 - one
	#	test_env A=b
	# failed 1 among 1 test(s)
	1..1
	# trash directory kept: TRASH/trash directory.env
	EOF
	test_grep "bug in the test script: test_env: no command" err &&
	echo ". \"\$TEST_DIRECTORY/test-lib.sh\"" >nodescription.sh &&
	check_subtest 1 nodescription </dev/null &&
	test_grep "sets no test_description" err
'

test_expect_success 'a script that a signal ends fails' '
	write_subtest signal <<-\EOF &&
	test_atexit ">../atexit-ran"
	test_expect_success "one" "kill -TERM \$\$"
	test_done
	EOF
	rm -f atexit-ran &&
	test_expect_code 143 run_subtest signal &&
	test_grep "FATAL: Unexpected exit with code 143" out &&
	test_path_is_file atexit-ran
'

test_expect_success 'a missing test-tool is reported with the remedy' '
	mkdir -p unbuilt/t &&
	(
		GIT_BUILD_DIR=$(pwd)/unbuilt &&
		TEST_OUTPUT_DIRECTORY=$(pwd) &&
		export GIT_BUILD_DIR TEST_OUTPUT_DIRECTORY &&
		sane_unset TEST_NO_TEST_TOOL &&
		test_expect_code 1 "$TEST_SHELL_PATH" pass.sh >actual
	) &&
	test_grep "^Bail out! t/helper/test-tool is not built: run .make" \
		actual
'

# ---------------------------------------------------------------------------
# Chain lint

test_expect_success 'a broken chain fails before the body runs' '
	write_subtest chain <<-\EOF &&
	test_expect_success "broken" "
		>../ran
		true
	"
	test_expect_failure "broken as well" "
		for i in 1 2
		do
			>../ran
		done
	"
	test_done
	EOF
	check_subtest 1 chain <<-\EOF &&
	not ok 1 - broken
	#	
	#	>../ran
	#	true
	#	
	# line 2: no && after the command that ends here: >../ran
	not ok 2 - broken as well
	#	
	#	for i in 1 2
	#	do
	#	>../ran
	#	done
	#	
	# line 5: the loop'\''s body does not end in || return 1 (in a subshell || exit 1): done
	# failed 2 among 2 test(s)
	1..2
	# trash directory kept: TRASH/trash directory.chain
	EOF
	test_path_is_missing ran
'

# ---------------------------------------------------------------------------
# Selection

test_expect_success 'setup of scripts to select from' '
	write_subtest select <<-\EOF
	test_expect_success "setup of things" "true"
	test_expect_success "make x" "true"
	test_expect_success "break x" "true"
	test_expect_success "make y" "true"
	test_expect_success "break y" "true"
	test_done
	EOF
'

# ran OPTION NUMBERS: with OPTION these tests run, the others are skipped.
ran () {
	run_subtest select "$1" &&
	for number in $2
	do
		echo "$number" || return 1
	done >expect.ran &&
	sed -n "s/^ok \([0-9]*\) - .*/\1/p" out >actual.ran &&
	test_cmp expect.ran actual.ran &&
	test_grep "^1\.\.5\$" out
}

test_expect_success '--run selects by number, range and title; the last match decides' '
	ran "--run=1, 4" "1 4" &&
	ran --run=2-4 "2 3 4" &&
	ran --run=-2 "1 2" &&
	ran --run=4- "4 5" &&
	ran --run=!3 "1 2 4 5" &&
	ran --run=1-4,!2 "1 3 4" &&
	ran --run=!1-4,2 "2 5" &&
	ran --run=setup,make "1 2 4" &&
	ran "--run=break*y" "5" &&
	ran "--run=!make x" "1 3 4 5" &&
	ran "--run=nowhere" ""
'

test_expect_success 'a skipped test is reported with the reason' '
	GIT_SKIP_TESTS="select.2" &&
	subtest_keeps_skip=t &&
	export GIT_SKIP_TESTS &&
	test_when_finished "unset GIT_SKIP_TESTS subtest_keeps_skip" &&
	check_subtest 0 select --run=!3 <<-\EOF
	ok 1 - setup of things
	ok 2 # skip make x (GIT_SKIP_TESTS)
	ok 3 # skip break x (--run)
	ok 4 - make y
	ok 5 - break y
	# passed all 5 test(s)
	1..5
	EOF
'

test_expect_success 'GIT_SKIP_TESTS leaves out a whole script' '
	GIT_SKIP_TESTS="pas?" &&
	subtest_keeps_skip=t &&
	export GIT_SKIP_TESTS &&
	test_when_finished "unset GIT_SKIP_TESTS subtest_keeps_skip" &&
	check_subtest 0 pass <<-\EOF
	1..0 # SKIP skip all tests in pass
	EOF
'

test_done
