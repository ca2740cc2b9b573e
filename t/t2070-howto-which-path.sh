#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the examples of "Which path does the work?" are true'

. ./test-lib.sh

page=$GIT_BUILD_DIR/Documentation/howto-which-path.adoc

# commands WORD: print the commands in the page that contain WORD.
commands () {
	sed -n 's/^    \$ //p' "$page" | grep -e "$1"
}

# shown WORD: print the output in the page below such a command, without
# numbers.
shown () {
	sed -n "/^    \\$ .*$1/,/^\$/s/^    //p" "$page" | sed 1d | words
}

words () {
	sed 's/[0-9][0-9.]*//g; s/   */ /g; s/^ *//; s/ *$//'
}

PATH=$GIT_BUILD_DIR/build/examples:$PATH

test_expect_success 'howto-which-path: the program is sampled' '
	mkdir src &&
	cp "$GIT_BUILD_DIR"/lib/base/*.[ch] "$GIT_BUILD_DIR"/lib/session/*.[ch] src &&
	commands mkdir >run.sh &&
	commands GIT_TRACE2_RING >>run.sh &&
	test_line_count = 2 run.sh &&
	sh ./run.sh >table &&
	grep "^\.c " table
'

test_expect_success TREESUM,LIBDW 'howto-which-path: report prints the output shown' '
	commands "report --samples rings" >run.sh &&
	test_line_count = 1 run.sh &&
	sh ./run.sh | words >out &&
	shown "report --samples rings" >expect &&
	test_line_count = 7 expect &&
	# Below the thread, frames have names of the C library.
	sed -n "1,5p" expect >expect.5 &&
	sed -n "1,5p" out >actual.5 &&
	test_cmp expect.5 actual.5
'

test_expect_success TREESUM,LIBDW 'howto-which-path: record keeps all samples' '
	commands "record --ring" >run.sh &&
	commands "report --samples$" >>run.sh &&
	test_line_count = 2 run.sh &&
	sh ./run.sh >out &&
	bytes=$(cat src/* | wc -c) &&
	grep "^ *$((bytes / 4096 * 4096))  100.0%  *[0-9]*  app/treesum/bytes/:4096$" out
'

test_expect_success TREESUM,LIBDW,SQLITE3 'howto-which-path: the queries give the answers shown' '
	commands "export --to sqlite" >run.sh &&
	commands "^sqlite3 paths.db" >>run.sh &&
	commands "^sqlite3 -sep" >>run.sh &&
	test_line_count = 3 run.sh &&
	sh ./run.sh >out &&
	# Below the thread, frames have names of the C library.
	sed "s/.*;run_thread;/run_thread;/" out | words >actual &&
	{
		shown "sqlite3 paths.db" &&
		shown "sqlite3 -sep" | sed "s/.*;run_thread;/run_thread;/"
	} >expect &&
	test_line_count = 2 expect &&
	test_cmp expect actual
'

test_expect_success TREESUM,LIBDW,PERF 'howto-which-path: perf prints the output shown' '
	commands "export --to perf" >run.sh &&
	commands "^perf report" >>run.sh &&
	test_line_count = 2 run.sh &&
	sh ./run.sh 2>err >report &&
	words <report >actual &&
	for line in "# Samples: of event .app/treesum/bytes/." \
		"# Overhead Command Shared Object Symbol" \
		"% th:sum treesum \[\.\] sum_file" \
		"sum_files" "start_thread"
	do
		shown "perf report" | grep -e "$line" &&
		grep -e "$line" actual || return 1
	done
'

test_done
