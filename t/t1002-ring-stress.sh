#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='rings under threads, signal handlers, a live reader, and kills'

. ./test-lib.sh

# With GIT_TEST_LONG, set by `make check`, the numbers that are promised.
records=300000 kills=15
if test_have_prereq EXPENSIVE
then
	records=100000000 kills=1000
fi
if test_have_prereq INSTRUMENTED
then
	records=100000 kills=15
fi

test_expect_success "$records records are read correctly while they are written" '
	test-tool ring stress "$(pwd)/r" $records 3 >out &&
	cat out &&
	test_grep "^[0-9]* written, [1-9][0-9]* by handlers; [1-9][0-9]* read, [0-9]* lost and counted\$" out
'

test_expect_success "$kills killed processes leave all records that they wrote" '
	test-tool ring kill "$(pwd)/k" $kills >out &&
	cat out &&
	test_grep "^$kills kills, [1-9][0-9]* records read back\$" out
'

test_done
