#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='make static: the command as one file, for machines that have nothing else

The command is the only program, beside busybox, in an empty root directory,
without /proc, /tmp, passwd and locales. The command for aarch64 runs under
qemu, which knows neither perf_event_open nor ptrace: it reads a recording that
was made outside of qemu.

Tests that compile the command again run under make check (GIT_TEST_LONG).
'

. ./test-lib.sh

test_skip_unless EXPENSIVE,MAKE,!INSTRUMENTED

# make takes no directory with blanks in its name.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9027.XXXXXX") || exit 1
test_atexit 'rm -rf "$top"'
root=$top/root
recording=$top/recording

test_lazy_prereq CHROOT 'unshare -r chroot / true'
# A cross compiler with its C library, and what runs its programs.
test_lazy_prereq AARCH64 '
	echo "int main(void) { return 0; }" >a.c &&
	aarch64-linux-gnu-gcc -static -o a a.c &&
	qemu-aarch64-static ./a
'
test_lazy_prereq STATIC_BUSYBOX '
	mkdir empty && cp "$(command -v busybox)" empty/busybox &&
	unshare -r chroot empty /busybox true
'

# make_static NAME VARIABLE...: $top/NAME/bin/trace2; a warning is an error.
make_static () {
	name=$1 &&
	shift &&
	(
		unset MAKEFLAGS MFLAGS MAKELEVEL &&
		make -s -j2 -C "$GIT_BUILD_DIR" static BUILD="$top/$name" \
			CPPFLAGS= LDFLAGS= DEVELOPER= SANITIZE= "$@"
	) >out 2>err || { cat out err && return 1; }
	sed "/^trace2: built without/d" err >warnings &&
	test_must_be_empty warnings
}

inside () {
	unshare -r chroot "$root" "$@"
}

test_expect_success 'make static makes the command without a warning, below 3 MB' '
	cp "$GIT_BUILD_DIR/build/build-options" "$top" &&
	make_static here CC="$CC" &&
	test "$(wc -c <"$top/here/bin/trace2")" -lt 3000000 &&
	"$top/here/bin/trace2" --version >actual &&
	trace2 --version >expect &&
	test_cmp expect actual
'

test_expect_success 'make static leaves the ordinary build unchanged' '
	test_cmp "$top/build-options" "$GIT_BUILD_DIR/build/build-options"
'

test_expect_success CHROOT,STATIC_BUSYBOX 'the static command records and reads in an empty root directory' '
	mkdir "$root" &&
	cp "$top/here/bin/trace2" "$(command -v busybox)" "$root" &&
	test_expect_code 3 inside /trace2 record -o /run -- \
		/busybox sh -c "/busybox true; exit 3" 2>err &&
	test_grep "2 processes" err &&
	inside /trace2 report /run >out &&
	test_grep "CRITICAL PATH" out &&
	inside /trace2 list /run >out &&
	test_grep busybox out &&
	inside /trace2 export --to=folded /run >out &&
	test_grep "^busybox" out
'

test_expect_success CHROOT,STATIC_BUSYBOX 'check --record works in an empty root directory' '
	{ inside /trace2 check --record >out || test $? = 1; } &&
	test_grep "^critical path: " out
'

test_expect_success AARCH64 'make static makes the command for aarch64' '
	make_static there CC=aarch64-linux-gnu-gcc CXX= CFLAGS=-O1 &&
	qemu-aarch64-static "$top/there/bin/trace2" --version >actual &&
	trace2 --version >expect &&
	test_cmp expect actual
'

test_expect_success AARCH64 'the aarch64 command reads a recording of this machine, and streams of Git' '
	trace2 record -q -o "$recording" -- sh -c "sleep 0.01; ls >/dev/null" &&
	for input in "$recording" "$TEST_DIRECTORY/traces/clone.event"
	do
		for format in text json
		do
			trace2 report --format=$format "$input" >expect &&
			qemu-aarch64-static "$top/there/bin/trace2" report \
				--format=$format "$input" >actual &&
			test_cmp expect actual || return 1
		done
	done
'

test_expect_success AARCH64 'trace2 for aarch64 under qemu records only the command itself, and says why' '
	test_expect_code 3 qemu-aarch64-static "$top/there/bin/trace2" record \
		-o "$top/alone" -- sh -c "true; exit 3" 2>err &&
	test_grep "ptrace: Function not implemented" err &&
	test_grep "1 process, .* exit 3 ]" err &&
	test_expect_code 1 qemu-aarch64-static "$top/there/bin/trace2" check --record >out &&
	test_grep "^critical path: the command is its only row" out
'

test_done
