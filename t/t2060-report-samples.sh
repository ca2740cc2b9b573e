#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='report --samples and export --to perf: which calls led to a count'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_lazy_prereq JSON 'jq --version'
test_lazy_prereq PERF 'perf report -h >/dev/null 2>&1 || test $? = 129'
test_lazy_prereq STRIP 'strip --version'
test_lazy_prereq TREESUM '
	test -x "$GIT_BUILD_DIR/build/examples/treesum" &&
	nm "$GIT_BUILD_DIR/build/examples/treesum" | grep " sum_files$"
'
test_lazy_prereq LIBDW '
	trace2 report --samples "$TRASH_DIRECTORY/r" 2>err >/dev/null &&
	! grep "without libdw" err
'

if ! test_have_prereq TREESUM
then
	skip_all='the example is not built, or without symbols'
	test_done
fi

# One worker, so that the numbers are the same each time.
sampled () {
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_SAMPLE="$1" GIT_TRACE2_RING="$(pwd)/r" \
		./treesum -j 1 tree >/dev/null
}

# The copies find the library there.
LD_LIBRARY_PATH=$GIT_BUILD_DIR/build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

test_expect_success 'setup' '
	cp "$GIT_BUILD_DIR/build/examples/treesum" . &&
	mkdir tree &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12
	do
		echo "$i" >tree/$i.txt || return 1
	done &&
	sampled app/treesum/files/:4
'

test_expect_success LIBDW 'what counted, and who called it, with names' '
	trace2 report --samples r >out 2>err &&
	head -n 2 out >actual &&
	cat >expect <<-\EOF &&
	COUNT   SHARE  SAMPLES  COUNTED IN, CALLED BY
	   12  100.0%        3  app/treesum/files/:4
	EOF
	test_cmp expect actual &&
	grep "12  100.0%        3   *└ sum_files$" out &&
	! grep treesum err
'

test_expect_success LIBDW,JSON 'as data: depth, function and file' '
	trace2 report --samples --format=json r >json 2>err &&
	jq -r ".callers[] | select(.function == \"sum_files\") |
		\"\(.event) \(.count) \(.samples) \(.module)\"" json >actual &&
	echo "app/treesum/files/:4 12 3 $(pwd)/treesum" >expect &&
	test_cmp expect actual &&
	jq -e ".callees[0].depth == 0 and .callees[0].count == 12" json
'

test_expect_success 'a program that was replaced since names nothing, and it is said' '
	mv treesum kept &&
	cp kept treesum &&
	trace2 report --samples r >out 2>err &&
	mv kept treesum &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	! grep sum_files out &&
	grep "functions of .*/treesum. have no names: it was changed or replaced after the process began" err
'

test_expect_success 'one that is gone, too' '
	mv treesum kept &&
	trace2 report --samples r >out 2>err &&
	mv kept treesum &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	grep "treesum. have no names: it is gone" err
'

test_expect_success LIBDW,STRIP 'one without symbols' '
	strip treesum &&
	sampled app/treesum/files/:4 &&
	trace2 report --samples r >out 2>err &&
	grep "└ treesum+0x[0-9a-f]*$" out &&
	grep "treesum. have no names: it was stripped" err
'

test_expect_success 'without samples both say what to do' '
	rm -rf r &&
	GIT_TRACE2_RING="$(pwd)/r" ./treesum -j 1 tree &&
	trace2 report --samples r 2>err &&
	grep "set GIT_TRACE2_SAMPLE and GIT_TRACE2_RING" err &&
	test_must_fail trace2 export --to perf -o no.data r 2>err &&
	grep "set GIT_TRACE2_SAMPLE and GIT_TRACE2_RING" err &&
	test_path_is_missing no.data
'

test_expect_success PERF 'perf reads it: events, counts, threads and calls' '
	cp "$GIT_BUILD_DIR/build/examples/treesum" . &&
	sampled app/treesum/files/:4,app/treesum/bytes/:10 &&
	trace2 export --to perf -o perf.data r &&
	perf script -i perf.data -F comm,period,event 2>/dev/null >script &&
	sed -n "/files/s/^ *//; s/   */ /gp" script >actual &&
	grep -c "^th01:sum 4 app/treesum/files/: *$" actual >count &&
	test "$(cat count)" = 3 &&
	grep "app/treesum/bytes/" script &&
	perf script -i perf.data 2>/dev/null >script &&
	grep "sum_files+0x[0-9a-f]* (.*treesum)" script &&
	perf report --stdio -i perf.data >report 2>/dev/null &&
	grep "of event .app/treesum/files/." report &&
	grep "Event count (approx.): 12" report
'

test_done
