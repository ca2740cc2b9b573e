#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the system calls that a sandbox must leave to the library

trace2-api.adoc lists the calls that a host makes with tracing and not without,
once it is initialized. Programs that are killed for other calls rely on this
list.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

page=$GIT_BUILD_DIR/Documentation/trace2-api.adoc

# Other processors and C libraries use other calls for the same purpose.
if ! test_have_prereq !INSTRUMENTED,!MUSL,STRACE || test "$(uname -m)" != x86_64 ||
	! test -x "$hosts/changes"
then
	skip_all='a plain build for x86-64 with glibc, and strace, are needed'
	test_done
fi

verb=from-now-on

# calls VARIABLE=VALUE...: print the calls of the host after its mark
calls () {
	rm -f log &&
	env "$@" strace -f -o log "$hosts/changes" "$verb" >/dev/null 2>&1 &&
	sed -n "/getsid(/,\$s/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p" log | sort -u
}

# listed TARGET...: print the calls in the document for them
listed () {
	for target in any "$@"
	do
		sed -n "s/^|$target |//p" "$page" >row &&
		test_file_not_empty row &&
		tr -d " " <row | tr , "\n" || return 1
	done | sort -u
}

# within TARGET... -- VARIABLE=VALUE...: no call is missing in the list
# shellcheck disable=SC2086 # words
within () {
	targets= &&
	while test "$1" != --
	do
		targets="$targets $1" &&
		shift || return 1
	done &&
	shift &&
	calls "$@" >with &&
	comm -13 without with >new &&
	test_file_not_empty new &&
	listed $targets >allowed &&
	comm -23 new allowed >actual &&
	test_must_be_empty actual
}

test_expect_success 'setup: list the system calls made without tracing' '
	calls GIT_TRACE2=0 >without &&
	test_file_not_empty without &&
	mkdir rings
'

test_expect_success 'tracing into a file needs only the system calls that trace2-api lists' '
	within file -- GIT_TRACE2_EVENT="$(pwd)/e" &&
	within file -- GIT_TRACE2_EVENT=9 9>nine
'

test_expect_success 'tracing into a pipe needs only the system calls that trace2-api lists' '
	{ within pipe -- GIT_TRACE2_EVENT=9 9>&1 >&3 | cat >piped; } 3>&1 &&
	test_grep "atexit" piped &&
	test_must_be_empty actual
'

test_expect_success 'a ring and samples need only the system calls that trace2-api lists' '
	within ring -- GIT_TRACE2_RING="$(pwd)/rings" &&
	within ring -- GIT_TRACE2_RING="$(pwd)/rings" \
		GIT_TRACE2_SAMPLE=app/changes/counted/:1
'

test_expect_success 'GIT_TRACE2_COUNTERS needs only the system calls that trace2-api lists' '
	within file counters -- GIT_TRACE2_EVENT="$(pwd)/c" \
		GIT_TRACE2_COUNTERS=task-clock,page-faults,process/maxrss/,process/open-fds/,process/threads/,app/changes/counted/
'

test_expect_success 'reopen and process data need only the system calls that trace2-api lists' '
	verb=reopen-from-now-on &&
	within file reopen -- GIT_TRACE2_EVENT="$(pwd)/e" &&
	verb=info-from-now-on &&
	within file information -- GIT_TRACE2_EVENT="$(pwd)/e" &&
	verb=from-now-on
'

test_expect_success 'tracing into a socket needs only the system calls that trace2-api lists' '
	sockets=$(mktemp -d "${TMPDIR:-/tmp}/t0516.XXXXXX") &&
	test_when_finished "rm -rf \"$sockets\"" &&
	within socket -- test-tool fault listen-stream "$sockets/s" \
		env GIT_TRACE2_EVENT="af_unix:$sockets/s"
'

test_done
