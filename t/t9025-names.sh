#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='hosts with functions that have the names of the library

Git has functions called trace2_cmd_start_fl() and the like. The hosts here have
one for every name of the library, which says that it was called. The calls of
the library are those of `test-tool trace2`, built here once more.
'

. ./test-lib.sh

test_skip_unless MAKE,!INSTRUMENTED

# make takes no directory with blanks in its name.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9025.XXXXXX") || exit 1
test_atexit 'rm -rf "$top"'
so=$GIT_BUILD_DIR/build/lib/libtrace2.so
FLAGS="-std=c11 -D_GNU_SOURCE -pthread"

# make_lib ARGUMENT...: without optimisation, which takes longest.
make_lib () {
	make CC="$CC" CFLAGS=-O0 CPPFLAGS= LDFLAGS= DEVELOPER= SANITIZE= \
		SHELL_PATH="$SHELL_PATH" "$@" >out 2>&1 ||
	{ cat out && return 1; }
}

# Write functions of a host, of the names on standard input.
functions_of_host () {
	echo "#include <stdio.h>" &&
	echo "#include <stdlib.h>" &&
	sed 's/.*/void &(void); void &(void) { puts("the host: &"); abort(); }/'
}

# Run verbs that make each public call, with each target.
makes_all_calls () {
	for target in "" _PERF _EVENT _RING
	do
		for verb in errno nulls
		do
			rm -f ./trace &&
			if test "$target" = _RING
			then
				mkdir trace
			fi &&
			env GIT_TRACE2$target="$PWD/trace" "$@" trace2 $verb \
				>out 2>&1 || { cat out && return 1; }
			test_must_be_empty out &&
			test -s trace || return 1
			rm -rf trace
		done || return 1
	done
}

# test-tool without the commands that use the library's private functions.
test_expect_success 'setup: the sources of a caller' '
	mkdir tool &&
	(cd "$TEST_DIRECTORY/helper" && cp *.h cmd-trace2* test-tool*.c \
		"$OLDPWD/tool") &&
	cat >tool/others.c <<-\EOF
	#include "test-tool.h"
	#define NONE(name) int name(int argc, const char **argv) \
		{ (void)argc; (void)argv; return 1; }
	NONE(tr2_cmd_config) NONE(tr2_cmd_events) NONE(tr2_cmd_fault)
	NONE(tr2_cmd_keep) NONE(tr2_cmd_perf) NONE(tr2_cmd_ring)
	void tool_report_repository(void) { }
	EOF
'

cat >host.c <<'EOT'
#include <dlfcn.h>
#include <stdio.h>

/* The module finds the functions of the library, which finds the host's. */
int main(int argc, const char **argv)
{
	void *module = dlopen("./caller.so", RTLD_NOW | RTLD_DEEPBIND);
	int (*caller)(int, const char **);

	if (!module) {
		puts(dlerror());
		return 1;
	}
	*(void **)&caller = dlsym(module, "caller");
	return caller(argc, argv);
}
EOT

# musl does not know RTLD_DEEPBIND.
test_expect_success !MUSL 'the shared library never calls functions of the host' '
	nm -D --defined-only "$so" |
	awk "\$2 == \"T\" { sub(/@.*/, \"\", \$3); print \$3 }" >names &&
	test_line_count -gt 60 names &&
	functions_of_host <names >functions.c &&
	$CC $FLAGS -shared -fPIC -Dmain=caller -I"$GIT_BUILD_DIR/lib" \
		tool/*.c -o caller.so -L"${so%/*}" -ltrace2 &&
	$CC $FLAGS -rdynamic host.c functions.c -o host -Wl,--no-as-needed \
		-L"${so%/*}" -ltrace2 -Wl,-rpath,"${so%/*}" &&
	makes_all_calls ./host
'

# Copies of what a project needs of the tree.
test_expect_success 'setup: a sub-make of another project, with names of its own' '
	mkdir "$top/sub" &&
	cp -R "$GIT_BUILD_DIR/Makefile" "$GIT_BUILD_DIR/lib" "$top/sub" &&
	(cd "$top/sub" && find . | LC_ALL=C sort) >before &&
	echo "lib: ; +\$(MAKE) -C sub PREFIX_NAMES=my_ BUILD=$top/out lib" \
		>"$top/Makefile" &&
	make_lib -C "$top" lib
'

test_expect_success 'it wrote into its own directory alone' '
	(cd "$top/sub" && find . | LC_ALL=C sort) >actual &&
	test_cmp before actual &&
	cat >expect <<-\EOF &&
	./build-options
	./include/my_trace2.h
	./include/my_trace2.hpp
	./include/my_trace2_control.h
	./include/my_trace2_metric.h
	./include/my_trace2_perf.h
	./include/my_trace2_span.h
	./lib/libmy_trace2.a
	./lib/libmy_trace2.map
	./lib/libmy_trace2.so
	./lib/libmy_trace2.so.1
	./lib/libmy_trace2.so.1.0.0
	./lib/my_names.h
	EOF
	(cd "$top/out" && find . -type f ! -path "./obj/*" -o -name "*.so*") |
	LC_ALL=C sort >actual &&
	test_cmp expect actual
'

test_expect_success 'all its names begin so' '
	nm -g --defined-only "$top/out/lib/libmy_trace2.a" |
	awk "NF == 3 { print \$3 }" >actual &&
	test_line_count -gt 400 actual &&
	test_grep ! -v "^my_tr" actual &&
	nm -D --defined-only "$top/out/lib/libmy_trace2.so" |
	awk "{ print \$3 }" >actual &&
	test_line_count -gt 60 actual &&
	test_grep ! -v -e "^my_trace2_" -e "^MY_TRACE2_1" actual &&
	cat "$top"/out/include/* | tr -cs "A-Za-z0-9_" "\n" >words &&
	test_grep "^MY_TRACE2_TIMER$" words &&
	test_grep ! -i "^trace2_" words
'

# The caller, with these names, and functions of the usual ones.
test_expect_success 'setup: a host of it' '
	mkdir my &&
	for file in tool/*
	do
		sed -e "s/\<trace2_/my_&/g" -e "s/\<TRACE2_/MY_&/g" \
			-e "s/\"trace2\.h/\"my_trace2.h/" "$file" \
			>"my/${file#tool/}" || return 1
	done &&
	nm -g --defined-only "$top/out/lib/libmy_trace2.a" |
	sed -n "s/.* T my_//p" | grep -v "^tr2_cmd_" >names &&
	test_line_count -gt 400 names &&
	functions_of_host <names >functions.c &&
	mkdir objects &&
	(cd objects && $CC $FLAGS -I"$top/out/include" -c ../my/*.c ../functions.c)
'

test_expect_success 'with the archive' '
	$CC $FLAGS objects/*.o -o host "$top/out/lib/libmy_trace2.a" &&
	makes_all_calls ./host
'

test_expect_success 'with the shared library' '
	$CC $FLAGS -rdynamic objects/*.o -o host -L"$top/out/lib" \
		-lmy_trace2 -Wl,-rpath,"$top/out/lib" &&
	LC_ALL=C readelf -d host >dynamic &&
	test_grep "NEEDED.*libmy_trace2.so.1]" dynamic &&
	makes_all_calls ./host
'

cat >both.c <<'EOT'
#include <trace2.h>
#include <my_trace2.h>
#ifdef __cplusplus
#include <trace2.hpp>
#include <my_trace2.hpp>
static trace2::timing *theirs_too;
static my_trace2::timing *mine_too;
#endif
TRACE2_COUNTER(theirs, "both", "theirs", 0);
MY_TRACE2_COUNTER(mine, "both", "mine", 0);
int main(void)
{
	struct my_trace2_options options = { 0 };

#ifdef __cplusplus
	(void)theirs_too;
	(void)mine_too;
#endif
	options.prefix = "MY";
	trace2_initialize();
	my_trace2_initialize_with(&options);
	trace2_counter_add(theirs, 1);
	my_trace2_counter_add(mine, 2);
	return my_trace2_cmd_exit(trace2_cmd_exit(0));
}
EOT

test_expect_success PKG_CONFIG 'installed beside the library itself, in one program' '
	make_lib -C "$top/sub" install-lib PREFIX_NAMES=my_ \
		BUILD="$top/out" DESTDIR=/ PREFIX="$top/usr" &&
	test_path_is_missing "$top/usr/bin" &&
	export PKG_CONFIG_PATH="$top/usr/lib/pkgconfig" &&
	pkg-config --print-requires my_trace2-perf >actual &&
	echo my_trace2 >expect &&
	test_cmp expect actual &&
	languages=c &&
	if test_have_prereq !MUSL
	then
		languages="c c++"
	fi &&
	cat >expect <<-\EOF &&
	both/theirs value:1
	both/mine value:2
	EOF
	for language in $languages
	do
		rm -f theirs mine &&
		$CC -x $language -I"$GIT_BUILD_DIR/lib" both.c -x none -o both \
			"$GIT_BUILD_DIR/build/lib/libtrace2.a" \
			$(pkg-config --cflags --libs my_trace2) &&
		LD_LIBRARY_PATH="$top/usr/lib" GIT_TRACE2="$PWD/theirs" \
			MY="$PWD/mine" ./both &&
		sed -n "s/.* counter //p" theirs mine >actual &&
		test_cmp expect actual || return 1
	done
'

test_done
