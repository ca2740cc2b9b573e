#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='static analysis, and functions that are banned

An analyser finds a bug. A file without findings is not analysed again until it,
its headers or the checks change.

make check runs the analysers (GIT_TEST_LONG); make test compiles calls of
banned functions.
'

. ./test-lib.sh

test_lazy_prereq CLANG_TIDY 'command -v clang-tidy'

# compile WHERE TEXT: compile a function body as a developer's build does.
compile () {
	printf 'void f(char *a, const char *b);\nvoid f(char *a, const char *b)\n' >banned.c &&
	printf '{\n\t(void)a;\n\t(void)b;\n\t%s\n}\n' "$2" >>banned.c &&
	$TEST_CC -std=c11 -D_GNU_SOURCE -Werror -D"$1" \
		-include "$TEST_DIRECTORY/lint/banned.h" -c banned.c 2>err
}
TEST_CC=$(. "$GIT_BUILD_DIR/build/build-options" && echo "$CC")

for call in 'strcpy(a, b)' 'strcat(a, b)' 'stpcpy(a, b)' 'sprintf(a, b)' \
	'strtok(a, b)' 'alloca(3)' 'mktemp(a)' 'system(b)' 'signal(1, SIG_IGN)' \
	'sleep(1)' 'usleep(1)' 'strerror(1)' 'chdir(b)' 'umask(0)'
do
	test_expect_success "the library cannot call ${call%%(*}()" '
		test_must_fail compile TR2_IN_LIBRARY "$call;" &&
		test_grep "banned_${call%%(*}_[a-z_]* *[^a-z_]" err
	'
done

test_expect_success 'calls that are not banned, and intended calls of banned functions, compile' '
	compile TR2_IN_LIBRARY "memcpy(a, b, 1);" &&
	compile TR2_IN_LIBRARY "(signal)(SIGINT, SIG_IGN);" &&
	compile TR2_IN_COMMAND "a[0] = strerror(1)[0];" &&
	compile TR2_IN_TESTS "signal(SIGINT, SIG_IGN);"
'

# Create a tree with one file, without errors.
make_tree () {
	rm -rf tree &&
	mkdir -p tree/t/lint tree/lib/base tree/build/lint &&
	cp "$TEST_DIRECTORY"/lint/analyse "$TEST_DIRECTORY"/lint/cppcheck.list \
		tree/t/lint/ &&
	cp "$GIT_BUILD_DIR/.clang-tidy" tree/ &&
	echo "lib/base/one.o: lib/base/one.c lib/base/one.h" >tree/one.d &&
	echo "one.d lib/base/one.c" >tree/build/lint/files &&
	cat >tree/lib/base/one.h <<-\EOF &&
	int one(int a);
	EOF
	cat >tree/lib/base/one.c <<-\EOF
	#include <stdlib.h>
	#include <string.h>
	#include "base/one.h"

	int one(int a)
	{
		return a + 1;
	}
	EOF
}

analyse () {
	LINT_FLAGS='-std=c11 -D_GNU_SOURCE -Ilib' LINT_DEEP=${1-} \
		sh tree/t/lint/analyse >actual 2>&1
}

test_expect_success 'analysis: a file without findings is analysed once' '
	make_tree &&
	analyse &&
	test_grep "1 files under.*, 1 looked at anew" actual &&
	analyse &&
	test_grep "1 files under.*, 0 looked at anew" actual
'

test_expect_success EXPENSIVE 'analysis: a file is analysed again when it, its header or the checks change' '
	for file in lib/base/one.c lib/base/one.h .clang-tidy t/lint/cppcheck.list
	do
		case $file in
		lib/*) echo "/* more */" ;;
		*) echo "# more" ;;
		esac >>"tree/$file" &&
		analyse &&
		test_grep "1 looked at anew" actual || return 1
	done
'

test_expect_success EXPENSIVE,CLANG_TIDY 'analysis: clang-tidy finds a bug' '
	make_tree &&
	cat >>tree/lib/base/one.c <<-\EOF &&
	int two(int x);
	int two(int x)
	{
		if (x == 1);
			x++;
		return x;
	}
	EOF
	# Until the file is mended.
	for time in first second
	do
		test_must_fail analyse &&
		test_grep "lib/base/one.c:1[0-9]:.*\[bugprone-suspicious-semi" actual ||
		return 1
	done
'

test_done
