#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='hosts with functions that have the names of the library

Git has functions called trace2_cmd_start_fl() and the like. The hosts here have
a function for every name of the library, which reports that it was called. The
calls of the library are those of `test-tool trace2`, built here once more.

Then examples/git replaces the tracer of a small program. It takes the place of
Git, whose source is not here, and has all functions, tables and lines of the
Makefile on which examples/git relies. make check CHECK=git tests Git itself.

Tests that compile the library again run under make check (GIT_TEST_LONG).
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless MAKE,!INSTRUMENTED

# make takes no directory with blanks in its name.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9025.XXXXXX") || exit 1
library=$top/into/library
test_atexit 'rm -rf "$top"'
so=$GIT_BUILD_DIR/build/lib/libtrace2.so
FLAGS="-std=c11 -D_GNU_SOURCE -pthread"

# All is built with the same variables, so that it is built once; without
# optimisation, which takes longest.
make=$(command -v make)
mkdir bin && write_script bin/make <<EOF
exec "$make" "\$@" CC="$CC" CFLAGS=-O0 CPPFLAGS= LDFLAGS= DEVELOPER= SANITIZE= \\
	SHELL_PATH="$SHELL_PATH"
EOF

# with_make COMMAND...
with_make () {
	PATH="$TRASH_DIRECTORY/bin:$PATH" "$@" >out 2>&1
}

make_lib () {
	with_make make "$@" || { cat out && return 1; }
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
test_expect_success 'setup: the sources of a program that makes all calls' '
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
test_expect_success !MUSL 'the library calls its own functions, even if the host defines the same names' '
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

test_expect_success 'PREFIX_NAMES: each name in the library and the public headers gets the prefix' '
	make_lib -C "$GIT_BUILD_DIR" PREFIX_NAMES=lib BUILD="$top/named" \
		"$top/named/lib/libnames.h" "$top/named/include/libtrace2_metric.h" &&
	nm -g --defined-only "$GIT_BUILD_DIR/build/lib/libtrace2.a" |
	awk "NF == 3 { print \"#define\", \$3, \"lib\" \$3 }" | sort -u >names &&
	test_line_count -gt 400 names &&
	sort "$top/named/lib/libnames.h" >defined &&
	comm -23 names defined >missing &&
	test_must_be_empty missing &&
	tr -cs "A-Za-z0-9_" "\n" <"$top/named/include/libtrace2_metric.h" >words &&
	test_grep "^LIBTRACE2_TIMER$" words &&
	test_grep ! -i "^trace2_" words
'

# In full by make check, which compiles the library once more. Copies of what a
# project needs of the tree.
test_expect_success EXPENSIVE 'setup: a sub-make of another project with names of its own' '
	mkdir "$top/sub" &&
	cp -R "$GIT_BUILD_DIR/Makefile" "$GIT_BUILD_DIR/lib" "$top/sub" &&
	(cd "$top/sub" && find . | LC_ALL=C sort) >before &&
	echo "lib: ; +\$(MAKE) -C sub PREFIX_NAMES=lib BUILD=$library lib" \
		>"$top/Makefile" &&
	make_lib -C "$top" lib
'

test_expect_success EXPENSIVE 'a build with other names writes only into the given directory' '
	(cd "$top/sub" && find . | LC_ALL=C sort) >actual &&
	test_cmp before actual &&
	(cd "$library" && find . -type f ! -path "./obj/*" -o -name "*.so*") |
	LC_ALL=C sort >actual &&
	test_cmp - actual <<-\EOF
	./build-options
	./include/libtrace2.h
	./include/libtrace2.hpp
	./include/libtrace2_control.h
	./include/libtrace2_metric.h
	./include/libtrace2_perf.h
	./include/libtrace2_span.h
	./lib/liblibtrace2.a
	./lib/liblibtrace2.map
	./lib/liblibtrace2.so
	./lib/liblibtrace2.so.1
	./lib/liblibtrace2.so.1.0.0
	./lib/libnames.h
	EOF
'

test_expect_success EXPENSIVE 'a renamed library has the prefix on all its symbols' '
	nm -g --defined-only "$library/lib/liblibtrace2.a" |
	awk "NF == 3 { print \$3 }" >actual &&
	test_line_count -gt 400 actual &&
	test_grep ! -v "^libtr" actual &&
	nm -D --defined-only "$library/lib/liblibtrace2.so" |
	awk "{ print \$3 }" >actual &&
	test_line_count -gt 60 actual &&
	test_grep ! -v -e "^libtrace2_" -e "^LIBTRACE2_1" actual &&
	cat "$library"/include/* | tr -cs "A-Za-z0-9_" "\n" >words &&
	test_grep "^LIBTRACE2_TIMER$" words &&
	test_grep ! -i "^trace2_" words
'

# The caller, with these names, and functions of the usual ones.
test_expect_success EXPENSIVE 'setup: a host of the renamed library' '
	mkdir my &&
	for file in tool/*
	do
		sed -e "s/\<trace2_/lib&/g" -e "s/\<TRACE2_/LIB&/g" \
			-e "s/\"trace2\.h/\"libtrace2.h/" "$file" \
			>"my/${file#tool/}" || return 1
	done &&
	nm -g --defined-only "$library/lib/liblibtrace2.a" |
	sed -n "s/.* T lib//p" | grep -v "^tr2_cmd_" >names &&
	test_line_count -gt 400 names &&
	functions_of_host <names >functions.c &&
	mkdir objects &&
	(cd objects && $CC $FLAGS -I"$library/include" -c ../my/*.c ../functions.c)
'

test_expect_success EXPENSIVE 'a host may make all calls of a renamed archive' '
	$CC $FLAGS objects/*.o -o host "$library/lib/liblibtrace2.a" &&
	makes_all_calls ./host
'

test_expect_success EXPENSIVE 'a host may make all calls of a renamed shared library' '
	$CC $FLAGS -rdynamic objects/*.o -o host -L"$library/lib" \
		-llibtrace2 -Wl,-rpath,"$library/lib" &&
	LC_ALL=C readelf -d host >dynamic &&
	test_grep "NEEDED.*liblibtrace2.so.1]" dynamic &&
	makes_all_calls ./host
'

cat >both.c <<'EOT'
#include <trace2.h>
#include <libtrace2.h>
#ifdef __cplusplus
#include <trace2.hpp>
#include <libtrace2.hpp>
static trace2::timing *theirs_too;
static libtrace2::timing *mine_too;
#endif
TRACE2_COUNTER(theirs, "both", "theirs", 0);
LIBTRACE2_COUNTER(mine, "both", "mine", 0);
int main(void)
{
	struct libtrace2_options options = { 0 };

#ifdef __cplusplus
	(void)theirs_too;
	(void)mine_too;
#endif
	options.prefix = "MY";
	trace2_initialize();
	libtrace2_initialize_with(&options);
	trace2_counter_add(theirs, 1);
	libtrace2_counter_add(mine, 2);
	return libtrace2_cmd_exit(trace2_cmd_exit(0));
}
EOT

test_expect_success EXPENSIVE,PKG_CONFIG 'a renamed library and the original work in one program' '
	make_lib -C "$top/sub" install-lib PREFIX_NAMES=lib \
		BUILD="$library" DESTDIR=/ PREFIX="$top/usr" &&
	test_path_is_missing "$top/usr/bin" &&
	export PKG_CONFIG_PATH="$top/usr/lib/pkgconfig" &&
	pkg-config --print-requires libtrace2-perf >actual &&
	echo libtrace2 | test_cmp - actual &&
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
			$(pkg-config --cflags --libs libtrace2) &&
		LD_LIBRARY_PATH="$top/usr/lib" GIT_TRACE2="$PWD/theirs" \
			MY="$PWD/mine" ./both &&
		sed -n "s/.* counter //p" theirs mine >actual &&
		test_cmp expect actual || return 1
	done
'

# ---- examples/git ----------------------------------------------------------

build () {
	with_make "$GIT_BUILD_DIR/examples/git/build" --source "$top/like-git" \
		--into "$top/into" --only adapted
}

test_expect_success 'examples/git reports a function that the adapter lacks' '
	cp -R "$TEST_DIRECTORY/t9025" "$top/like-git" &&
	echo "void trace2_new_fl(const char *file, int line);" \
		>>"$top/like-git/trace2.h" &&
	test_must_fail build &&
	test_grep "^build: the adapter has no function trace2_new_fl()" out &&
	cp "$TEST_DIRECTORY/t9025/trace2.h" "$top/like-git"
'

test_expect_success 'examples/git refuses sources without the tracer of Git' '
	mv "$top/like-git/run-command.h" kept &&
	test_must_fail build &&
	test_grep "is not the source of Git" out &&
	mv kept "$top/like-git/run-command.h"
'

test_expect_success EXPENSIVE 'examples/git builds git with libtrace2 in place of its own tracer' '
	{ build || { cat out && false; }; } &&
	test_grep "^build: $top/into/adapted: git version 7.8.9\$" out &&
	test_path_is_missing "$top/into/adapted/trace2.c" &&
	test_cmp "$TEST_DIRECTORY/t9025/git.c" "$top/into/adapted/git.c"
'

test_expect_success EXPENSIVE 'a renamed library writes nothing with tracing off' '
	"$top/into/adapted/git" log >out 2>err &&
	echo "git version 7.8.9" | test_cmp - out &&
	test_must_be_empty err
'

test_expect_success EXPENSIVE,JQ 'examples/git: events of all kinds have the source file of their call' '
	GIT_TRACE2_CONFIG_PARAMS="core.*" trace_to event:e -- \
		"$top/into/adapted/git" log &&
	expect_valid_stream e &&
	trace2_jq "all(.file == \"git.c\" or (.event |
		test(\"timer|counter|atexit|cmd_ancestry\")))" e &&
	jq -c "[.event, .exe // .name // .param // .worktree // .argv // .label //
		.key // .code, .repo // .child_id // .intervals // .count // .value]" e |
	grep -v "\"start\"" >actual &&
	test_cmp - actual <<-\EOF
	["version","7.8.9",null]
	["cmd_name","log",null]
	["def_param","core.wanted","yes"]
	["def_repo","/some where",1]
	["region_enter","load",1]
	["data_json","j",1]
	["region_leave","load",1]
	["child_start",["git","log","-1"],0]
	["child_exit",3,0]
	["child_start",["git","log","-1"],1]
	["child_exit",3,1]
	["exit",0,null]
	["th_counter","objects",42]
	["timer","read",1]
	["counter","objects",42]
	["atexit",0,null]
	EOF
'

test_expect_success EXPENSIVE,JQ 'examples/git: a child that continues in the background keeps the session' '
	trace_to event:e -- "$top/into/adapted/git" gc &&
	trace2_jq "map(.sid) | unique | length == 1" e &&
	jq -c "select(.event == \"child_start\").child_id" e >actual &&
	test_write_lines 0 1 | test_cmp - actual
'

test_expect_success EXPENSIVE 'examples/git reports a table of metrics that it cannot read' '
	sed "s/\.name = \"read\"/.name = 0/" "$TEST_DIRECTORY/t9025/trace2/tr2_tmr.c" \
		>"$top/like-git/trace2/tr2_tmr.c" &&
	test_must_fail build &&
	test_grep "^build: cannot read the metrics in trace2/tr2_tmr.c" out
'

test_done
