#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='handlers that leave the library in any way

They return, jump out or end the process; and threads are cancelled.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

test_skip_unless JQ

# handled CODE VERB
handled () {
	rm -f e &&
	GIT_TRACE2_EVENT="$(pwd)/e" test_expect_code "$1" \
		"$hosts/handlers" "$2" >out
}

said_after () {
	trace2_jq "([.[] | select(.value == \"after\")] | length == 1) and
		(.[-1].event == \"atexit\")" e
}

test_expect_success 'a handler of the program may chain to the handler of the library, and continue' '
	GIT_TRACE2_SIGNALS=PIPE handled 0 chained &&
	echo "handled 2" | test_cmp - out &&
	said_after
'

test_expect_success 'SIGPIPE in a thread that only counted is recorded' '
	GIT_TRACE2_SIGNALS=PIPE handled 141 dies-in-thread &&
	trace2_jq "[.[-1] | .event, .signo] == [\"signal\", 13]" e
'

test_expect_success 'signals that do not end the program do not end the trace' '
	for list in 17,28 CHLD,WINCH
	do
		GIT_TRACE2_SIGNALS=$list handled 0 child-ends &&
		said_after || return 1
	done
'

test_expect_success !INSTRUMENTED 'a SIGSEGV handler may map the memory of a text that a call is recording' '
	handled 0 reads-lazily &&
	said_after &&
	mkdir rings &&
	GIT_TRACE2_RING="$(pwd)/rings" "$hosts/handlers" reads-lazily &&
	trace2 script --git-event rings >e &&
	said_after &&
	trace2_jq "[.[] | select(.event | startswith(\"cmd_\")) |
		.name // .path] == [\"mode\", \"/path\", \"name\"]" e
'

# musl has no such heap.
test_expect_success !INSTRUMENTED,!MUSL 'a SIGSEGV handler may map pages of the heap in a forked child' '
	handled 0 guards-heap &&
	trace2_jq "[.[] | .value // empty] == [\"child\", \"after\"]" e
'

test_expect_success !INSTRUMENTED 'after siglongjmp() out of calls, main and new threads are recorded' '
	handled 0 jumps &&
	grep -v "\"in a loop\"" e >rest &&
	trace2_jq "[.[] | .value // empty] == [\"after\", \"thread\"] and
		.[-1].event == \"atexit\"" rest
'

test_expect_success !INSTRUMENTED 'the stream ends with atexit after siglongjmp() out of writes to a pipe' '
	GIT_TRACE2_EVENT=9 "$hosts/handlers" jumps-often 9>&1 |
	tail -n 2 >e &&
	trace2_jq "[.[0].value, .[1].event] == [\"after\", \"atexit\"]" e
'

test_expect_success !INSTRUMENTED 'siglongjmp() while threads start and end does no harm' '
	handled 0 jumps-in-threads &&
	trace2_jq ".[-1].event == \"atexit\"" e
'

# musl cleans up after an asynchronously cancelled thread on a stack with an
# alignment that compilers do not expect.
test_expect_success !INSTRUMENTED,!MUSL 'threads may be cancelled anywhere in the library' '
	handled 0 cancels &&
	trace2_jq ".[-1].event == \"atexit\"" e
'

# 10 is SIGUSR1.
test_expect_success INJECT,UNIX_SOCKETS 'a thread that ends during a write does not stop the writes of other threads' '
	sockets=$(mktemp -d "${TMPDIR:-/tmp}/t0502.XXXXXX") &&
	test_when_finished "rm -rf \"$sockets\"" &&
	test-tool fault listen-stream --output=e "$sockets/s" \
		env GIT_TRACE2_EVENT="af_unix:stream:$sockets/s" \
		LD_PRELOAD="$inject" INJECT_RAISE=10 \
		"$hosts/handlers" ends-in-a-write &&
	trace2_jq "([.[] | select(.value == \"after\")] | length == 20) and
		(.[-1].event == \"atexit\")" e
'

test_expect_success !INSTRUMENTED 'exit() during a write: atexit gets a line of its own' '
	GIT_TRACE2_EVENT=9 test_expect_code 5 \
		"$hosts/handlers" exits-in-a-line >lines &&
	tail -n 1 lines >e &&
	trace2_jq "[.[] | .event, .lost] == [\"atexit\", 1]" e &&
	tail -n 2 lines | head -n 1 >e &&
	trace2_jq "[.[] | .event, .count] == [\"counter\", 3]" e
'

# fits PROGRAM VARIABLE=VALUE: neither a call in a handler nor the kernel takes
# more than 4 KB of stack. Two exceptions take more: registers beyond AVX-512
# (AMX), and the first call, in which the dynamic linker saves the registers.
fits () {
	env "$2" "$1" >depths &&
	awk "
		\$1 == \"kernel\" { large = \$2 > 4096; next }
		\$1 == \"binding\" { first = large ? \$2 + 1024 : 4096; next }
		\$2 > (first > 4096 ? first : 4096) || \$3 > 4096 { print }
	" depths >deep &&
	test_line_count -eq 16 depths &&
	grep "^binding [0-9]" depths &&
	test_must_be_empty deep ||
	{
		cat depths
		return 1
	}
}

fits_with_targets () {
	rm -rf painted &&
	mkdir painted &&
	for target in GIT_TRACE2 GIT_TRACE2_PERF GIT_TRACE2_EVENT GIT_TRACE2_RING
	do
		fits "$1" $target="$(pwd)/painted" || return 1
	done &&
	rm -f failed &&
	{
		fits "$1" GIT_TRACE2_EVENT=9 9>&1 >&3 || : >failed
	} | cat >piped &&
	test_path_is_missing failed
} 3>&1

test_expect_success !INSTRUMENTED 'calls in handlers take at most 4 KB of stack' '
	fits_with_targets "$hosts/painted"
'

test_expect_success !INSTRUMENTED,CC 'calls in handlers take at most 4 KB of stack, also with the archive and lazy binding' '
	"$CC" -O1 -D_GNU_SOURCE -I"$GIT_BUILD_DIR/lib" \
		"$GIT_BUILD_DIR/t/helper/hosts/painted.c" -o lazy \
		"$GIT_BUILD_DIR/build/lib/libtrace2.a" -Wl,-z,lazy -pthread &&
	fits_with_targets ./lazy
'

test_done
