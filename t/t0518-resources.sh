#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='what a process has only so much of: mappings, memory, descriptors'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

host=$GIT_BUILD_DIR/build/hosts/resources

# Sanitizers and valgrind have memory of their own for all that is mapped.
if ! test_have_prereq !INSTRUMENTED || ! test -x "$host"
then
	skip_all='build/hosts/resources is needed, without a sanitizer'
	test_done
fi

# mappings NR [VARIABLE=VALUE...]: how many there are with so many threads
mappings () {
	nr=$1 &&
	shift &&
	env "$@" "$host" mappings "$nr"
}

# Without the library a thread has two.
test_expect_success 'threads take no mappings of their own' '
	plain=$(mappings 600) &&
	traced=$(mappings 600 GIT_TRACE2=/dev/null GIT_TRACE2_PERF=/dev/null \
		GIT_TRACE2_EVENT=/dev/null) &&
	test "$plain" -gt 600 &&
	test $((traced - plain)) -lt 100
'

test_expect_success 'and with a ring no more than it has slots' '
	plain=$(mappings 600) &&
	traced=$(mappings 600 GIT_TRACE2_RING="$(pwd)/r" \
		GIT_TRACE2_RING_SIZE=4k) &&
	rm r &&
	test $((traced - plain)) -lt 356
'

# long_lines VERB BYTES [VARIABLE=VALUE...]: how much memory 20 threads that
# said so much have afterwards, in KB, and how much is there when they ended.
long_lines () {
	verb=$1 bytes=$2 &&
	shift 2 &&
	env "$@" "$host" "$verb" 20 "$bytes" >out &&
	cat out &&
	living=$(sed -n 1p out) &&
	ended=$(sed -n 2p out)
}

test_expect_success 'memory for a line of 1 MB is given back, to the last page' '
	for verb in long-lines long-lines-odd
	do
		long_lines $verb 1000000 GIT_TRACE2_EVENT=/dev/null \
			GIT_TRACE2_PERF=/dev/null &&
		test "$living" -lt 3000000 &&
		test "$ended" -lt 1000000 || return 1
	done
'

test_expect_success 'that for one of 50 KB when the thread ends, at the latest' '
	long_lines long-lines 50000 GIT_TRACE2_EVENT=/dev/null &&
	test "$ended" -lt 1000000
'

test_expect_success 'and when it has said usual ones since' '
	long_lines long-lines 50000 GIT_TRACE2_EVENT=/dev/null \
		RESOURCES_SAY=40 &&
	test "$living" -lt 1000000
'

test_expect_success 'regions that were open at once, when the thread ends' '
	GIT_TRACE2_EVENT=/dev/null GIT_TRACE2_EVENT_NESTING=1 \
		"$host" deep-regions 20 >out &&
	cat out &&
	test "$(sed -n 1p out)" -gt 5000000 &&
	test "$(sed -n 2p out)" -lt 1000000
'

test_done
