#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the harness: streams of a script pass trace2 check'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-subtest.sh

subtest_no_tool=
unchecked 'wrong on purpose' '*'

test_expect_success 'setup: write tests with good and kept streams' '
	cat >tests <<-\EOF
	test_expect_success "good ones" "
		GIT_TRACE2_EVENT=\$PWD/e GIT_TRACE2_RING=\$PWD/r \
			test-tool trace2 001return 0 &&
		rm e
	"
	test_expect_success "a kept stream in a directory is compared" "
		mkdir -p \"a dir/below\" &&
		GIT_TRACE2_EVENT=\$PWD/e test-tool trace2 001return 0 &&
		sed s/,.code.:0// e >\"a dir/below/e\" &&
		(cd \"a dir\" && rm -r below)
	"
	test_expect_success "two of one name, and one that stays" "
		GIT_TRACE2_PERF=\$PWD/p.full test-tool trace2 001return 0 &&
		sed s/code:0/code:x/ p.full >p && rm p &&
		sed s/code:0/code:x/ p.full >p && rm p &&
		head -c 8 /dev/zero | dd of=r bs=1 seek=196736 conv=notrunc
	"
	EOF
'

test_expect_success 'each invalid stream is reported by name' '
	{ cat tests && echo test_done; } | write_subtest wrong &&
	check_subtest 1 wrong <<-\EOF
	ok 1 - good ones
	ok 2 - a kept stream in a directory is compared
	ok 3 - two of one name, and one that stays
	not ok 4 - what was written passes trace2 check
	#	2.a dir+below+e:5: error: exit has no code (2 times)
	#	3-1.p:5: error: a malformed message (2 times)
	#	3.p:5: error: a malformed message (2 times)
	#	end.r: error: the first event of a session is not version
	#	end.r: error: a ring'\''s head and tail are invalid
	# in TRASH/trash directory.wrong.kept: NUMBER.FILE, by the number of the test
	# failed 1 among 4 test(s)
	1..4
	# trash directory kept: TRASH/trash directory.wrong
	EOF
'

test_expect_success 'streams that a script lists as unchecked may be invalid' '
	{
		echo "unchecked \"wrong on purpose\" \"a dir/*/e\" p r" &&
		cat tests &&
		echo test_done
	} | write_subtest left-out &&
	check_subtest 0 left-out <<-\EOF
	ok 1 - good ones
	ok 2 - a kept stream in a directory is compared
	ok 3 - two of one name, and one that stays
	# passed all 3 test(s)
	1..3
	EOF
'

test_expect_success 'a stream listed as unchecked without a reason is a bug in the test script' '
	{ echo "unchecked e" && cat tests && echo test_done; } |
		write_subtest no-reason &&
	check_subtest 1 no-reason </dev/null &&
	test_grep "bug in the test script: unchecked wants a reason" err
'

test_done
