#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the rules of make lint

Each rule runs on a small tree that is made here: it holds on a good one, and
on a bad one it fails and says where and why.

Rules that need a compiler are tested by make check (GIT_TEST_LONG).
'

. ./test-lib.sh

SPDX="SPDX-License-""Identifier: MIT"

# source_file PATH: write standard input there, below the licence.
source_file () {
	case "$1" in
	*/*) test -d "${1%/*}" || mkdir -p "${1%/*}" ;;
	esac &&
	case "$1" in
	*.sh|*.perl|*.pm|*.py)
		echo "# $SPDX" >"$1" ;;
	*)
		echo "/* $SPDX */" >"$1" ;;
	esac &&
	cat >>"$1"
}

# Create a tree in which every rule holds, and enter it.
good_tree () {
	rm -rf "$TRASH_DIRECTORY/tree" &&
	mkdir "$TRASH_DIRECTORY/tree" &&
	cd "$TRASH_DIRECTORY/tree" &&
	source_file lib/trace2.h <<-\EOF &&
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
	EOF
	source_file lib/base/buf.h <<-\EOF &&
	/* For the rules to hold. */
	int tr2_buf_size(void);
	EOF
	source_file lib/base/buf.c <<-\EOF &&
	/* For the rules to hold. */
	#include "base/buf.h"

	int tr2_buf_size(void)
	{
		return 1;
	}
	EOF
	source_file lib/api/one.c <<-\EOF
	/* For the rules to hold. */
	#include "trace2.h"

	#include "base/buf.h"

	int trace2_level;

	int trace2_one(const char *fmt, ...)
	{
		return fmt && tr2_buf_size();
	}
	EOF
}

# compile NAME...: compile lib/NAME.c, as a build named x.
compile () {
	for source
	do
		mkdir -p "build/obj/x/lib/${source%/*}" &&
		"${CC:-cc}" -Ilib -c -o "build/obj/x/lib/$source.o" \
			"lib/$source.c" || return 1
	done &&
	echo "CONFIG='x'" >build/build-options
}

lint () {
	"$PERL_PATH" "$TEST_DIRECTORY/lint/$1.perl"
}

# complains RULE EXPECTED...: the rule fails and prints exactly these lines.
complains () {
	rule=$1 &&
	shift &&
	printf "%s\n" "$@" >"$TRASH_DIRECTORY/expect" &&
	test_expect_code 1 lint "$rule" >"$TRASH_DIRECTORY/actual" &&
	test_cmp "$TRASH_DIRECTORY/expect" "$TRASH_DIRECTORY/actual"
}

# Print the folders that the table permits a folder.
uses_of () {
	"$PERL_PATH" -I "$TEST_DIRECTORY/lint" -MLayers \
		-e 'print uses_of(@ARGV)' "$1"
}

build_lib () {
	mkdir -p build/lib &&
	${CC:-cc} -Ilib -fPIC -shared -o build/lib/libtrace2.so "$@" &&
	for source
	do
		${CC:-cc} -Ilib -c -o "build/$(basename "$source").o" "$source" ||
		return 1
	done &&
	rm -f build/lib/libtrace2.a &&
	ar rcs build/lib/libtrace2.a build/*.o
}

test_lazy_prereq SHELLCHECK 'command -v shellcheck'

for rule in "$TEST_DIRECTORY"/lint/*.perl
do
	rule=${rule##*/}
	rule=${rule%.perl}
	case "$rule" in
	header) prereq=,CC ;;
	*) prereq= ;;
	esac
	# As it does on this one: make lint.
	test_expect_success EXPENSIVE$prereq "$rule holds on a good tree" "
		(
			good_tree &&
			lint $rule
		)
	"
done

test_expect_success 'a folder may include those below it, and its own' '
	(
		good_tree &&
		source_file lib/metric/cell.h </dev/null &&
		source_file lib/metric/cell.c <<-\EOF &&
		#include "cell.h"
		#include "base/buf.h"
		#include "metric/cell.h"
		#include <stdio.h>
		EOF
		lint includes
	)
'

test_expect_success 'an include that points up, or to a file that is not there' '
	(
		good_tree &&
		for file in lib/metric/cell.h lib/ring/layout.h lib/ring/ring.h \
			tool/cmd/list.h
		do
			source_file $file </dev/null || return 1
		done &&
		echo "#include <base/buf.h>" >>lib/trace2.h &&
		lines=$(wc -l <lib/trace2.h | tr -d " ") &&
		source_file examples/x.c <<-\EOF &&
		#include "trace2.h"
		#include "base/buf.h"
		EOF
		source_file lib/base/up.c <<-\EOF &&
		#include "metric/cell.h"
		#include "base/gone.h"
		EOF
		source_file lib/odd/x.c <<-\EOF &&
		#include "base/buf.h"
		EOF
		source_file lib/target/side.c <<-\EOF &&
		#include "../metric/cell.h"
		EOF
		source_file tool/read/load.c <<-\EOF &&
		#include "ring/layout.h"
		#include "base/buf.h"
		#include "ring/ring.h"
		#include "cmd/list.h"
		EOF
		complains includes \
			"examples/x.c:3: include of lib/base/buf.h: an example shows what a user has: the public headers" \
			"lib/base/up.c:2: include of lib/metric/cell.h: lib/base may include only: lib/base" \
			"lib/base/up.c:3: include \"base/gone.h\": there is no such file" \
			"lib/odd/x.c:2: include of lib/base/buf.h: lib/odd is in no row of the table" \
			"lib/target/side.c:2: include of lib/metric/cell.h: lib/target may include only: lib/arena lib/base lib/event lib/ring lib/site lib/target" \
			"lib/trace2.h:$lines: include of lib/base/buf.h: a public header includes nothing of ours" \
			"tool/read/load.c:4: include of lib/ring/ring.h: tool/read may include only: $(uses_of tool/read)" \
			"tool/read/load.c:5: include of tool/cmd/list.h: tool/read may include only: $(uses_of tool/read)"
	)
'

test_expect_success 'a crowded folder, and a name that occurs twice in the command' '
	(
		good_tree &&
		for nr in $(test_seq 21)
		do
			source_file tool/model/f$nr.c </dev/null || return 1
		done &&
		source_file tool/read/f2.c </dev/null &&
		complains rooms \
			"tool/read/f2.c:1: f2.c: tool/model/f2.c has this name" \
			"tool/model:1: 21 C files: a folder has at most 20"
	)
'

test_expect_success 'pages: a file, a folder and a function that do not exist are named' '
	(
		good_tree &&
		mkdir -p Documentation/technical &&
		echo "int tr2_here(void);" | source_file lib/base/here.h &&
		cat >Documentation/technical/decisions.adoc <<-\EOF &&
		`tr2_here()` in `lib/base/here.h`, or `base/here.h`: `lib/base`, `-h`
		`tr2_gone()` in `lib/base/gone.h`: `lib/gone`
		EOF
		page=Documentation/technical/decisions.adoc &&
		complains pages \
			"$page:2: tr2_gone(): there is none" \
			"$page:2: lib/base/gone.h: there is none" \
			"$page:2: lib/gone: there is none"
	)
'

test_expect_success 'home: a function of another file in a header is named' '
	(
		good_tree &&
		source_file lib/base/a.h <<-\EOF &&
		void tr2_a(void);
		int tr2_a_more(int x);
		char *tr2_b(void);
		EOF
		printf "void tr2_a(void)\n{\n}\n" | source_file lib/base/a.c &&
		printf "int tr2_a_more(int x)\n{\n}\n" |
			source_file lib/base/a_more.c &&
		printf "char *tr2_b(void)\n{\n}\n" | source_file lib/base/b.c &&
		complains home \
			"lib/base/a.h:4: tr2_b: it is defined in lib/base/b.c"
	)
'

test_expect_success EXPENSIVE,CC 'a call that points up, declared by hand' '
	(
		good_tree &&
		source_file lib/base/up.c <<-\EOF &&
		int tr2_upper(void);
		int tr2_up(void);
		int tr2_up(void)
		{
			return tr2_upper();
		}
		EOF
		source_file lib/api/upper.c <<-\EOF &&
		#include "base/buf.h"

		int tr2_upper(void);
		int tr2_upper(void)
		{
			return tr2_buf_size();
		}
		EOF
		compile base/buf base/up api/upper &&
		test_prints test_expect_code 1 lint calls <<-\EOF
		lib/base/up.c:1: tr2_upper: lib/base may not use lib/api
		    2 uses of other folders
		EOF
	)
'

test_expect_success EXPENSIVE,CC 'two files that call one another' '
	(
		good_tree &&
		source_file lib/base/one.c <<-\EOF &&
		int tr2_two(void);
		int tr2_one(void);
		int tr2_one(void)
		{
			return tr2_two();
		}
		EOF
		source_file lib/base/two.c <<-\EOF &&
		int tr2_one(void);
		int tr2_two(void);
		int tr2_two(void)
		{
			return tr2_one();
		}
		EOF
		compile base/one base/two &&
		test_prints test_expect_code 1 lint calls <<-\EOF
		lib/base/one.c:1: lib/base/one.c lib/base/two.c: they call one another
		    0 uses of other folders
		EOF
	)
'

test_expect_success 'a source without its licence' '
	(
		good_tree &&
		echo "int x;" >lib/base/x.c &&
		printf "#!/bin/sh\necho\n" >script &&
		complains spdx \
			"lib/base/x.c:1: no licence: one of the first three lines says '\''$SPDX'\''" \
			"script:1: no licence: one of the first three lines says '\''$SPDX'\''"
	)
'

test_expect_success 'a file that does not say what it is for' '
	(
		good_tree &&
		source_file lib/base/x.c <<-\EOF &&
		/* Say hello. */
		int x;
		EOF
		source_file t/x.sh <<-\EOF &&
		#
		# Say hello.
		EOF
		source_file t/t1234-x.sh <<-\EOF &&
		test_description="says hello"
		EOF
		lint purpose &&
		source_file lang/x.py <<-\EOF &&
		"""Say hello."""
		EOF
		lint purpose &&
		sed -i 2d lib/base/x.c &&
		sed -i 2,3d t/x.sh &&
		sed -i 2d lang/x.py &&
		complains purpose \
			"lang/x.py:2: no purpose: a comment behind the licence says what the file is for" \
			"lib/base/x.c:2: no purpose: a comment behind the licence says what the file is for" \
			"t/x.sh:2: no purpose: a comment behind the licence says what the file is for"
	)
'

test_expect_success 'a file that is too long' '
	(
		good_tree &&
		test_seq 799 | sed "s/.*/int x&;/" | source_file lib/base/x.c &&
		lint length &&
		echo "int last;" >>lib/base/x.c &&
		complains length \
			"lib/base/x.c:801: 801 lines: a file has at most 800; one concern a file"
	)
'

test_expect_success 'a function that is too long' '
	(
		good_tree &&
		{
			printf "int tr2_x(int a,\n\t  int b)\n{\n" &&
			test_seq 60 | sed "s/.*/	a += b * &;/" &&
			printf "}\n"
		} | source_file lib/base/x.c &&
		lint functions >actual &&
		test_grep "the longest is tr2_x at lib/base/x.c:4 with 60" actual &&
		rm actual &&
		sed "s/^}/	return a;\n}/" lib/base/x.c >x &&
		mv x lib/base/x.c &&
		test_expect_code 1 lint functions >../actual &&
		test_grep "^lib/base/x.c:4: tr2_x has 61 lines: a function has at most 60\$" ../actual
	)
'

test_expect_success 'white space' '
	(
		good_tree &&
		printf "int x; \nint f(int a,\n      int b);\nint g(void)\n{\n        x = 1;\n\tx = 2;\n  x = 3;\n}\n\n" |
		source_file lib/base/x.c &&
		complains whitespace \
			"lib/base/x.c:2: white space at the end: it shows in every diff" \
			"lib/base/x.c:11: blank line at the end: it shows in every diff" \
			"lib/base/x.c:7: spaces before the code: indent with tabs of 8" \
			"lib/base/x.c:9: indented with spaces: indent with tabs of 8"
	)
'

test_expect_success 'white space in text that a test expects is text' '
	(
		good_tree &&
		printf "cat >expect <<-\\\\EOF &&\n\ta \n\tEOF\ntrue\n" |
			source_file t/t1.sh &&
		lint whitespace &&
		printf "true \n" >>t/t1.sh &&
		complains whitespace \
			"t/t1.sh:6: white space at the end: it shows in every diff"
	)
'

test_expect_success 'notes to self' '
	(
		good_tree &&
		printf "/* TO%s: more */\nint x;\n/* FIX%s */\n" DO ME |
			source_file lib/base/x.c &&
		printf "echo \"not ok 1 - x # TO%s known breakage\"\nmktemp XXXXXX\n" DO |
			source_file t/t1.sh &&
		complains markers \
			"lib/base/x.c:2: TO""DO: do it, or file an issue" \
			"lib/base/x.c:4: FIX""ME: do it, or file an issue"
	)
'

test_expect_success 'banned calls' '
	(
		good_tree &&
		source_file lib/base/x.c <<-\EOF &&
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
		complains banned \
			"lib/base/x.c:5: strcpy(): it does not know where its buffer ends; use tr2_buf" \
			"lib/base/x.c:7: exit(): the library never ends its host" \
			"lib/base/x.c:10: perror(): the library never prints through its host'\''s stdio"
	)
'

test_expect_success 'duplicates in several test scripts' '
	(
		good_tree &&
		printf "test_lazy_prereq ONE true\nf () {\n\ttrue\n}\n" |
			source_file t/t1.sh &&
		printf "f () {\n\tfalse\n}\n" | source_file t/t2.sh &&
		lint once &&
		cp t/t1.sh t/t3.sh &&
		complains once \
			"t/t3.sh:2: ONE: t/t1.sh:2 defines it, too: t/lib-prereq.sh is the place" \
			"t/t3.sh:3: f (): t/t1.sh:3 has the same: a t/lib-*.sh is the place" &&
		printf "test_expect_success ONE,!TWO '\''title'\'' : \n" >t/t3.sh &&
		complains once \
			"t/t3.sh:1: TWO: nobody defines it: the test is always skipped"
	)
'

test_expect_success 'one tag for two types' '
	(
		good_tree &&
		printf "struct tr2_one {\n};\nstruct row {\n};\n" |
			source_file lib/base/x.h &&
		printf "struct tr2_two {\n};\nstruct row {\n};\n" |
			source_file tool/read/x.c &&
		lint tags &&
		printf "enum tr2_one {\n};\n" | source_file tool/read/y.c &&
		complains tags \
			"tool/read/y.c:2: tr2_one: lib/base/x.h:2 has the same tag"
	)
'

test_expect_success SHELLCHECK 'shell that shellcheck objects to' '
	(
		good_tree &&
		printf "rm -r \$1\n" | source_file examples/x.sh &&
		test_expect_code 1 lint shell >../actual &&
		test_grep "^examples/x.sh:1: SC2148: " ../actual &&
		test_grep "^examples/x.sh:2: SC2086: " ../actual
	)
'

test_expect_success 'Perl' '
	(
		good_tree &&
		printf "use strict;\nuse warnings;\nmy \$x = ;\n" |
			source_file scrub/bad.perl &&
		printf "use strict;\nuse No::Such;\n" |
			source_file scrub/lib/Bad.pm &&
		test_expect_code 1 lint perl >../actual &&
		test_grep "^scrub/bad.perl:4: perl -c: syntax error" ../actual &&
		test_grep "^scrub/lib/Bad.pm:3: use of No::Such: only core modules and our own" ../actual &&
		test_grep "^scrub/lib/Bad.pm:1: no .use warnings.: every Perl file has it" ../actual
	)
'

test_expect_success EXPENSIVE,CC 'a header that does not compile everywhere' '
	(
		good_tree &&
		echo "int trace2_three(int class);" >>lib/trace2.h &&
		lines=$(wc -l <lib/trace2.h | tr -d " ") &&
		echo "size_t trace2_four(void);" | source_file lib/trace2_perf.h &&
		test_expect_code 1 lint header >../actual &&
		test_grep "^lib/trace2_perf.h:2: gcc -std=c99: .*size_t" ../actual &&
		if command -v g++ >/dev/null
		then
			test_grep "^lib/trace2.h:$lines: g++ -std=c++11: " ../actual
		fi &&
		test_grep ! "lib/trace2.h.*-std=c[1-9]" ../actual
	)
'

test_expect_success EXPENSIVE,CC,!MUSL 'symbols: a foreign name, and one that is missing' '
	(
		good_tree &&
		echo "int trace2_three(void);" >>lib/trace2.h &&
		lines=$(wc -l <lib/trace2.h | tr -d " ") &&
		echo "__attribute__((visibility(\"hidden\"))) int helper;" |
			source_file lib/base/x.c &&
		echo "__attribute__((visibility(\"hidden\"))) int tr2_buf_size(void) { return 1; }" |
			source_file lib/base/buf.c &&
		build_lib lib/api/one.c lib/base/buf.c lib/base/x.c &&
		complains symbols \
			"build/lib/libtrace2.a:1: helper: a name in the archive begins with trace2_ or tr2_" \
			"lib/trace2.h:$lines: trace2_three: build/lib/libtrace2.so does not have it" \
			"    3 names declared, 2 shown"
	)
'

test_expect_success 'run names each rule that failed, after all of them' '
	(
		good_tree &&
		mkdir -p t/lint &&
		cp "$TEST_DIRECTORY"/lint/Lint.pm "$TEST_DIRECTORY"/lint/run \
			"$TEST_DIRECTORY"/lint/spdx.perl \
			"$TEST_DIRECTORY"/lint/length.perl \
			"$TEST_DIRECTORY"/lint/markers.perl t/lint/ &&
		sh t/lint/run >../actual &&
		test_grep "^trace2: lint: all rules hold" ../actual &&
		marker=$(printf "FIX%s" ME) &&
		echo "int x; /* $marker */" >lib/base/x.c &&
		test_expect_code 1 sh t/lint/run >../actual &&
		cat >../expect <<-EOF &&
		    LINT length
		    LINT markers: FAILED
		lib/base/x.c:1: $marker: do it, or file an issue
		    LINT spdx: FAILED
		lib/base/x.c:1: no licence: one of the first three lines says '\''$SPDX'\''
		trace2: lint: FAILED: markers spdx (see build/lint-output)
		EOF
		test_cmp ../expect ../actual
	)
'

test_done
