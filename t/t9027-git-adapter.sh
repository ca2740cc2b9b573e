#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='examples/git: the tracer of a program like Git is replaced

A small program takes the place of Git, whose source is not here: it has the
functions, tables and lines of its Makefile that examples/git relies on. With Git
itself it is tested by: make check CHECK=git
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless MAKE,JQ,!INSTRUMENTED

# make takes no directory with blanks in its name.
top=$(mktemp -d "${TMPDIR:-/tmp}/t9027.XXXXXX") || exit 1
test_atexit 'rm -rf "$top"'

# Without optimisation, which takes longest.
make=$(command -v make)
mkdir bin && write_script bin/make <<EOF
exec "$make" "\$@" CFLAGS=-O0
EOF

build () {
	PATH="$PWD/bin:$PATH" "$GIT_BUILD_DIR/examples/git/build" --source "$top/like-git" \
		--into "$top/into" --only adapted "$@" >out 2>&1
}

test_expect_success 'the tracer is swapped; its tables of metrics are read' '
	cp -R "$TEST_DIRECTORY/t9027" "$top/like-git" &&
	{ build || { cat out && false; }; } &&
	test_grep "^build: $top/into/adapted: git version 7.8.9\$" out &&
	test_path_is_missing "$top/into/adapted/trace2.c" &&
	test_cmp "$TEST_DIRECTORY/t9027/git.c" "$top/into/adapted/git.c"
'

test_expect_success 'with tracing off, nothing is written' '
	"$top/into/adapted/git" log >out 2>err &&
	echo "git version 7.8.9" >expect &&
	test_cmp expect out &&
	test_must_be_empty err
'

test_expect_success 'events of all kinds, with the call sites of the program' '
	GIT_TRACE2_CONFIG_PARAMS="core.*" trace_to event:e -- \
		"$top/into/adapted/git" log &&
	expect_valid_stream e &&
	trace2_jq "all(.file == \"git.c\" or (.event |
		test(\"timer|counter|atexit|cmd_ancestry\")))" e &&
	jq -c "[.event, .exe // .name // .param // .worktree // .argv // .label //
		.key // .code, .repo // .child_id // .intervals // .count // .value]" e |
	grep -v "\"start\"" >actual &&
	cat >expect <<-\EOF &&
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
	test_cmp expect actual
'

test_expect_success 'a child that goes on in the background is the same session' '
	trace_to event:e -- "$top/into/adapted/git" gc &&
	trace2_jq "map(.sid) | unique | length == 1" e &&
	jq -c "select(.event == \"child_start\").child_id" e >actual &&
	test_write_lines 0 1 >expect &&
	test_cmp expect actual
'

test_expect_success 'a function that the adapter lacks, a table that cannot be read' '
	cp "$top/like-git/trace2.h" kept &&
	echo "void trace2_new_fl(const char *file, int line);" \
		>>"$top/like-git/trace2.h" &&
	test_must_fail build &&
	test_grep "^build: the adapter has no function trace2_new_fl()" out &&
	cp kept "$top/like-git/trace2.h" &&
	sed "s/\.name = \"read\"/.name = 0/" "$TEST_DIRECTORY/t9027/trace2/tr2_tmr.c" \
		>"$top/like-git/trace2/tr2_tmr.c" &&
	test_must_fail build &&
	test_grep "^build: cannot read the metrics in trace2/tr2_tmr.c" out
'

test_expect_success 'a source that is not such a program is refused' '
	rm "$top/like-git/run-command.h" &&
	test_must_fail build &&
	test_grep "is not the source of Git" out
'

test_done
