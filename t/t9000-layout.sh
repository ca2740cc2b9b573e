#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the rules of make lint

The rules that keep the library a guest run on a small tree that is made here:
each fails, and names the place and the reason. make lint itself shows that all
rules accept a good tree. The other rules have no test: their complaints are
easy to check.

Rules that need a compiler are tested by make check (GIT_TEST_LONG).
'

. ./test-lib.sh

SPDX="SPDX-License-""Identifier: MIT"

# file PATH: write standard input to tree/PATH, below the licence.
file () {
	mkdir -p "tree/$(dirname "$1")" &&
	case "$1" in
	*.sh) echo "# $SPDX" ;;
	*) echo "/* $SPDX */" ;;
	esac >"tree/$1" &&
	cat >>"tree/$1"
}

# tree: make a tree in which all rules hold, and in it the files on standard
# input, each after a line "== PATH".
tree () {
	rm -rf tree &&
	cat >added &&
	cat >files <<-\EOF &&
	== lib/trace2.h
	/* For the rules to hold. */
	#ifdef __cplusplus
	extern "C" {
	#endif
	__attribute__((visibility("default"))) int trace2_one(const char *fmt,
							      ...);
	extern __attribute__((visibility("default"))) int trace2_level;
	static inline int trace2_two(void)
	{
		return trace2_one("two");
	}
	#ifdef __cplusplus
	}
	#endif
	== lib/base/buf.h
	/* For the rules to hold. */
	int tr2_buf_size(void);
	== lib/base/buf.c
	/* For the rules to hold. */
	#include "base/buf.h"

	int tr2_buf_size(void)
	{
		return 1;
	}
	== lib/api/one.c
	/* For the rules to hold. */
	#include "trace2.h"

	#include "base/buf.h"

	int trace2_level;

	int trace2_one(const char *fmt, ...)
	{
		return fmt && tr2_buf_size();
	}
	EOF
	cat files added | awk '
		/^== / { if (name) close(name); name = "part." ++nr; print $2; next }
		{ print >name }' >names &&
	nr=0 &&
	while read -r name
	do
		nr=$((nr + 1)) &&
		touch part.$nr &&
		file "$name" <part.$nr || return 1
	done <names &&
	rm -f part.*
}

# compile NAME...: compile lib/NAME.c, as a build named x.
compile () (
	cd tree &&
	for source
	do
		mkdir -p "build/obj/x/lib/${source%/*}" &&
		"${CC:-cc}" -Ilib -c -o "build/obj/x/lib/$source.o" \
			"lib/$source.c" || return 1
	done &&
	echo "CONFIG='x'" >build/build-options
)

lint () (
	cd tree &&
	"$PERL_PATH" "$TEST_DIRECTORY/lint/$1.perl"
)

# complains RULE <EXPECT: the rule fails and prints exactly that.
complains () {
	test_expect_code 1 lint "$1" >said &&
	test_cmp - said
}

# Print the folders that the table permits a folder.
uses_of () {
	"$PERL_PATH" -I "$TEST_DIRECTORY/lint" -MLayers \
		-e 'print uses_of(@ARGV)' "$1"
}

build_lib () (
	cd tree &&
	mkdir -p build/lib &&
	${CC:-cc} -Ilib -fPIC -shared -o build/lib/libtrace2.so "$@" &&
	for source
	do
		${CC:-cc} -Ilib -c -o "build/$(basename "$source").o" "$source" ||
		return 1
	done &&
	ar rcs build/lib/libtrace2.a build/*.o
)

test_expect_success 'layers: a folder may include folders below it, and itself' '
	tree <<-\EOF &&
	== lib/metric/cell.h
	== lib/metric/cell.c
	#include "cell.h"
	#include "base/buf.h"
	#include "metric/cell.h"
	#include <stdio.h>
	EOF
	lint includes
'

test_expect_success 'layers: an include of a higher folder or of a missing file is reported' '
	tree <<-\EOF &&
	== lib/metric/cell.h
	== lib/ring/layout.h
	== lib/ring/ring.h
	== tool/cmd/list.h
	== examples/x.c
	#include "trace2.h"
	#include "base/buf.h"
	== lib/trace2_perf.h
	#include <base/buf.h>
	== lib/base/up.c
	#include "metric/cell.h"
	#include "base/gone.h"
	== lib/odd/x.c
	#include "base/buf.h"
	== lib/target/side.c
	#include "../metric/cell.h"
	== tool/read/load.c
	#include "ring/layout.h"
	#include "base/buf.h"
	#include "ring/ring.h"
	#include "cmd/list.h"
	EOF
	complains includes <<-EOF
	examples/x.c:3: include of lib/base/buf.h: an example shows what a user has: the public headers
	lib/base/up.c:2: include of lib/metric/cell.h: lib/base may include only: lib/base
	lib/base/up.c:3: include "base/gone.h": there is no such file
	lib/odd/x.c:2: include of lib/base/buf.h: lib/odd is in no row of the table
	lib/target/side.c:2: include of lib/metric/cell.h: lib/target may include only: $(uses_of lib/target)
	lib/trace2_perf.h:2: include of lib/base/buf.h: a public header includes nothing of ours
	tool/read/load.c:4: include of lib/ring/ring.h: tool/read may include only: $(uses_of tool/read)
	tool/read/load.c:5: include of tool/cmd/list.h: tool/read may include only: $(uses_of tool/read)
	EOF
'

test_expect_success EXPENSIVE,CC 'layers: a call of a higher folder, declared by hand, is reported' '
	tree <<-\EOF &&
	== lib/base/up.c
	int tr2_upper(void);
	int tr2_up(void);
	int tr2_up(void)
	{
		return tr2_upper();
	}
	== lib/api/upper.c
	#include "base/buf.h"

	int tr2_upper(void);
	int tr2_upper(void)
	{
		return tr2_buf_size();
	}
	EOF
	compile base/buf base/up api/upper &&
	complains calls <<-\EOF
	lib/base/up.c:1: tr2_upper: lib/base may not use lib/api
	    2 uses of other folders
	EOF
'

test_expect_success EXPENSIVE,CC 'layers: two files that call each other are reported' '
	tree <<-\EOF &&
	== lib/base/one.c
	int tr2_two(void);
	int tr2_one(void);
	int tr2_one(void)
	{
		return tr2_two();
	}
	== lib/base/two.c
	int tr2_one(void);
	int tr2_two(void);
	int tr2_two(void)
	{
		return tr2_one();
	}
	EOF
	compile base/one base/two &&
	complains calls <<-\EOF
	lib/base/one.c:1: lib/base/one.c lib/base/two.c: they call one another
	    0 uses of other folders
	EOF
'

test_expect_success 'lint finds banned calls' '
	tree <<-\EOF &&
	== lib/base/x.c
	/* strcpy(a, b) in words */
	static const char text[] = "abort()";
	#if TR2_DEVELOPER
	void f(void) { abort(); printf("x"); strcpy(a, b); }
	#else
	void f(void) { exit(1); }
	#endif
	#ifndef TR2_DEVELOPER
	void g(void) { perror (text); }
	#endif
	void h(void) { t->exit(1); tr2_abort(); }
	EOF
	complains banned <<-\EOF
	lib/base/x.c:5: strcpy(): it does not know where its buffer ends; use tr2_buf
	lib/base/x.c:7: exit(): the library never ends its host
	lib/base/x.c:10: perror(): the library never prints through its host'\''s stdio
	EOF
'

test_expect_success 'functions: a name of one word in two files is reported' '
	tree <<-\EOF &&
	== lib/base/x.c
	static void release(void)
	{
	}
	== tool/out/y.c
	static void release_y(void)
	{
	}
	EOF
	lint functions &&
	sed "s/release_y/release/" tree/tool/out/y.c >y.c &&
	mv y.c tree/tool/out/y.c &&
	complains functions <<-\EOF
	tool/out/y.c:3: release() is also in lib/base/x.c: name its object
	    5 functions, half of them under 2 lines; the longest is trace2_one at lib/api/one.c:10 with 1
	EOF
'

test_expect_success 'lint finds a function or prerequisite defined twice, and one that is undefined' '
	tree <<-\EOF &&
	== t/t1.sh
	test_lazy_prereq ONE true
	f () {
		true
	}
	== t/t2.sh
	f () {
		false
	}
	EOF
	lint once &&
	cp tree/t/t1.sh tree/t/t3.sh &&
	complains once <<-\EOF &&
	t/t3.sh:2: ONE: t/t1.sh:2 defines it, too: t/lib-prereq.sh is the place
	t/t3.sh:3: f (): t/t1.sh:3 has the same: a t/lib-*.sh is the place
	EOF
	printf "test_expect_success ONE,!TWO '\''title'\'' : \n" >tree/t/t3.sh &&
	echo "t/t3.sh:1: TWO: nobody defines it: the test is always skipped" |
		complains once
'

test_expect_success EXPENSIVE,CC 'lint finds a header that does not compile alone' '
	tree <<-\EOF &&
	== lib/trace2_perf.h
	size_t trace2_four(void);
	EOF
	echo "int trace2_three(int class);" >>tree/lib/trace2.h &&
	lines=$(wc -l <tree/lib/trace2.h | tr -d " ") &&
	test_expect_code 1 lint header >said &&
	test_grep "^lib/trace2_perf.h:2: gcc -std=c99: .*size_t" said &&
	if command -v g++ >/dev/null
	then
		test_grep "^lib/trace2.h:$lines: g++ -std=c++11: " said
	fi &&
	test_grep ! "lib/trace2.h.*-std=c[1-9]" said
'

test_expect_success EXPENSIVE,CC,!MUSL 'lint finds an undeclared symbol, and a missing one' '
	tree <<-\EOF &&
	== lib/base/x.c
	__attribute__((visibility("hidden"))) int helper;
	== lib/base/buf.c
	__attribute__((visibility("hidden"))) int tr2_buf_size(void) { return 1; }
	EOF
	echo "int trace2_three(void);" >>tree/lib/trace2.h &&
	lines=$(wc -l <tree/lib/trace2.h | tr -d " ") &&
	build_lib lib/api/one.c lib/base/buf.c lib/base/x.c &&
	complains symbols <<-EOF
	build/lib/libtrace2.a:1: helper: a name in the archive begins with trace2_ or tr2_
	lib/trace2.h:$lines: trace2_three: build/lib/libtrace2.so does not have it
	    3 names declared, 2 shown
	EOF
'

test_expect_success 'english: a title or a comment without a subject, and a long line, are reported' '
	tree <<-\EOF &&
	== lib/base/x.c
	/* Of the two, the one that was told.
	 * This line of a comment has eighty-one columns, so that it is too long by one. */
	int x;
	== t/t0001-x.sh
	test_expect_success '\''nor a title'\'' '\'':'\''
	test_expect_success CC \
		"of one more" "
	EOF
	complains english <<-\EOF
	t/t0001-x.sh:2: title '\''nor a title'\'': name the subject, then the result
	t/t0001-x.sh:3: title '\''of one more'\'': name the subject, then the result
	lib/base/x.c:3: 83 columns: a line has at most 80
	lib/base/x.c:2: comment begins with '\''Of'\'': name the subject
	lib/base/x.c:2: '\''told'\'': reported, recorded, passed
	EOF
'

test_expect_success 'sentences: long sentences and long paragraphs are named' '
	tree <<-\EOF &&
	== README.md

	One two three four five six seven eight nine ten eleven twelve thirteen fourteen
	fifteen sixteen seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three
	twenty-four twenty-five twenty-six twenty-seven twenty-eight twenty-nine thirty
	thirty-one.
	EOF
	complains sentences <<-\EOF
	README.md:3: '\''One two three four five six ...'\'' has 31 words: at most 30
	EOF
'

test_expect_success 't/lint/run names each failed rule at the end' '
	tree </dev/null &&
	mkdir -p tree/t/lint &&
	for file in Lint.pm run spdx.perl length.perl markers.perl
	do
		cp "$TEST_DIRECTORY/lint/$file" tree/t/lint/ || return 1
	done &&
	(cd tree && sh t/lint/run) >actual &&
	test_grep "^trace2: lint: all rules hold" actual &&
	marker=$(printf "FIX%s" ME) &&
	echo "int x; /* $marker */" >tree/lib/base/x.c &&
	test_must_fail sh -c "cd tree && sh t/lint/run" >actual &&
	test_cmp - actual <<-EOF
	    LINT length
	    LINT markers: FAILED
	lib/base/x.c:1: $marker: do it, or file an issue
	    LINT spdx: FAILED
	lib/base/x.c:1: no licence: one of the first three lines says '\''$SPDX'\''
	trace2: lint: FAILED: markers spdx (see build/lint-output)
	EOF
'

test_done
