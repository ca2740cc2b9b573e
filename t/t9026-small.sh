#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a small library, without rings, samples and opened counters

Scripts of this suite run in a tree of links, in which test-tool alone is
another: it is linked with the small library. As that is compiled here, this runs
under make check (GIT_TEST_LONG).
'

. ./test-lib.sh

test_skip_unless EXPENSIVE,MAKE,!INSTRUMENTED

# make takes no directory with blanks in its name.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9026.XXXXXX") || exit 1
test_atexit 'rm -rf "$top"'

# Make links to all files of the first directory in the second.
link_files () {
	mkdir -p "$2" &&
	for file in "$1"/*
	do
		test -d "$file" && test "$1" = "$TEST_DIRECTORY/helper" ||
		ln -s "$file" "$2" || return 1
	done
}

# The objects are those of the usual test-tool: the public headers are the same.
test_expect_success 'setup: a tree with another test-tool' '
	make -C "$GIT_BUILD_DIR" SMALL=1 BUILD="$top/out" CC="$CC" CFLAGS=-O0 \
		CPPFLAGS= LDFLAGS= DEVELOPER= SANITIZE= lib >out 2>&1 &&
	link_files "$GIT_BUILD_DIR" "$top/tree" &&
	rm "$top/tree/t" &&
	link_files "$TEST_DIRECTORY" "$top/tree/t" &&
	rm -rf "$top/tree/t/helper" "$top"/tree/t/trash* &&
	cat >others.c <<-\EOF &&
	#include "test-tool.h"
	#define NONE(name) int name(int argc, const char **argv) \
		{ (void)argc; (void)argv; return 1; }
	NONE(tr2_cmd_perf) NONE(tr2_cmd_ring)
	EOF
	mkdir "$top/tree/t/helper" &&
	(
		cd "$GIT_BUILD_DIR" &&
		$CC -rdynamic -Ilib -It/helper "$OLDPWD/others.c" \
			$(ls t/helper/*.c | grep -v -e perf -e ring |
				sed "s|\(.*\)c\$|build/obj/$CONFIG/\1o|") \
			-o "$top/tree/t/helper/test-tool" "$top/out/lib/libtrace2.a" \
			$LINK_FLAGS -Wl,--gc-sections
	)
'

# Their chains are read where they run by themselves.
for script in t0210-normal t0212-event t0300-settings t0301-destinations \
	t0211-perf t0213-ancestry t0215-all-events t0302-params t0303-sid
do
	test_expect_success "$script: as with the whole library" '
		(
			cd "$top/tree/t" &&
			GIT_TEST_CHAIN_LINT=0 sh "$script.sh"
		) >out 2>&1 || { cat out && return 1; }
	'
done

small () {
	"$top/tree/t/helper/test-tool" trace2 "$@"
}

test_expect_success 'what it lacks is reported where something else is traced' '
	mkdir rings &&
	GIT_TRACE2="$PWD/n" GIT_TRACE2_BRIEF=1 GIT_TRACE2_RING="$PWD/rings" \
		GIT_TRACE2_COUNTERS=task-clock \
		GIT_TRACE2_SAMPLE=app/test/test1/:1 \
		small 200counter 1 2>err &&
	sed -n "s/^error //p" n >actual &&
	cat >expect <<-\EOF &&
	trace2: this library is built without rings
	trace2: this library is built without opened counters
	trace2: this library is built without samples
	EOF
	test_cmp expect actual &&
	test_must_be_empty err
'

test_expect_success 'a ring alone switches nothing on, in silence' '
	GIT_TRACE2_RING="$PWD/rings" small 093session_id >out 2>err &&
	test_grep "^0 " out &&
	test_must_be_empty err &&
	test_dir_is_empty rings
'

test_expect_success 'GIT_TRACE2_DST_DEBUG says why' '
	GIT_TRACE2_DST_DEBUG=1 GIT_TRACE2_RING="$PWD/rings" \
		small 001return 0 2>err &&
	test_grep "rings.*[Nn]ot supported" err
'

test_expect_success 'it has neither their code nor their header' '
	nm -D --defined-only "$top/out/lib/libtrace2.so" |
	sed -n "s/.* \(trace2_[a-z0-9_]*\)@@.*/\1/p" | sort >actual &&
	nm -D --defined-only "$GIT_BUILD_DIR/build/lib/libtrace2.so" |
	sed -n "s/.* \(trace2_[a-z0-9_]*\)@@.*/\1/p" | grep -v trace2_perf_ |
	sort >expect &&
	test_cmp expect actual &&
	nm "$top/out/lib/libtrace2.a" >names &&
	test_grep ! -e tr2_ring_reserve -e tr2_perfevent names &&
	test_path_is_missing "$top/out/include/trace2_perf.h"
'

test_done
