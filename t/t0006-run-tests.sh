#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='run-tests: tests that hang, fail or fail once'

TEST_NO_TEST_TOOL=t
. ./test-lib.sh

# suite VARIABLE=VALUE...: run the scripts of tree/t as a suite of its own.
suite () {
	(
		sane_unset HARNESS_ACTIVE HARNESS_VERSION GIT_BUILD_DIR \
			TEST_DIRECTORY TRASH_DIRECTORY GIT_TEST_LONG FLAKY T &&
		env JOBS=1 GIT_TEST_PATIENCE=1 "$@" tree/t/run-tests
	) >out 2>&1
}

add () {
	{
		printf '%s\n' '#!/bin/sh' "test_description='$1'" \
			'TEST_NO_TEST_TOOL=t' '. ./test-lib.sh' &&
		cat &&
		echo test_done
	} >"tree/t/$1.sh"
}

# In make check the hanging test computes, which takes a CPU for seconds.
hanging="sleep 1001" state=S
test_have_prereq !EXPENSIVE || hanging="cat /dev/zero" state=R

test_expect_success 'setup: make a suite with passing, failing and hanging tests' '
	test_when_finished "rm -f flag" &&
	mkdir -p tree/t &&
	ln -s "$TEST_LIB_DIRECTORY"/run-tests "$TEST_LIB_DIRECTORY"/*.perl \
		"$TEST_LIB_DIRECTORY"/*lib*.sh \
		"$TEST_LIB_DIRECTORY"/chainlint.awk tree/t/ &&
	add t1-passes <<-\EOF &&
	test_expect_success "it passes" true
	EOF
	add t2-once <<-\EOF &&
	test_expect_success "it passes first" "echo unwanted"
	test_expect_success "it fails once" "
		echo how it failed &&
		test -f \"\$TEST_DIRECTORY/../again\" ||
		! >\"\$TEST_DIRECTORY/../again\"
	"
	EOF
	add t3-fails <<-\EOF &&
	test_expect_success "it fails" "echo broken indeed && false"
	EOF
	add t4-hangs <<-EOF
	test_expect_success "it hangs" "
		{ (cd / && exec sleep 1000) & } &&
		$hanging >/dev/null
	"
	EOF
'

test_expect_success 'a test that fails once is reported, but the run passes' '
	suite T="t1 t2" &&
	tail -n 2 out >last &&
	test_grep "^trace2: test: FLAKY: t2-once.sh failed beside" last &&
	test_grep "2 scripts, 3 tests, all passed in .*, of these 1 at" last &&
	test_grep "^# > how it failed" tree/build/flaky/t2-once.sh &&
	test_grep ! unwanted tree/build/flaky/t2-once.sh
'

test_expect_success 'FLAKY=fail: a test that fails once makes the run fail' '
	rm tree/again &&
	test_expect_code 1 suite T="t1 t2" FLAKY=fail &&
	test_grep "^trace2: test: FAILED: t2-once.sh (" out
'

test_expect_success 'a test that fails twice makes the run fail, with its output' '
	rm tree/again &&
	test_expect_code 1 suite T="t1 t2 t3" &&
	tail -n 2 out >last &&
	test_grep "FLAKY: t2-once.sh (" last &&
	test_grep "FAILED: t3-fails.sh (" last &&
	test_grep "^# > broken indeed" out
'

test_expect_success 'a test that hangs is ended, and its processes are shown' '
	test_expect_code 1 suite T="t4" FLAKY=fail &&
	test_grep "t4-hangs.sh printed nothing for 3 s in test 1 .it hangs." \
		out &&
	test_grep "^#   [0-9]* S sleep 1000.* system call [0-9]" out &&
	test_grep "^#   [0-9]* $state $hanging" out &&
	test_grep "FAILED: t4-hangs.sh (" out
'

test_done
