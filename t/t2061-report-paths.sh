#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='report --samples of C++, inlined functions, recursion, code that comes and goes'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-perf.sh"

paths=$GIT_BUILD_DIR/build/hosts/paths
module=$GIT_BUILD_DIR/build/modules/bare-metrics.so

# reported LIST COMMAND...: write the report of its samples to out, callers from
# the innermost call on to callers, callees from the outermost call on to
# callees.
reported () {
	sampled "$@" &&
	trace2 report --samples r >out 2>err &&
	sed -n "1,/^\$/p" out >callers &&
	sed "1,/^\$/d" out >callees
}

test_lazy_prereq NAMES '
	reported app/demo/steps/:1 "$paths" inlined &&
	grep " main$" out
'
# elfutils 0.188 does not find functions inlined by clang 14, nor does addr2line
# of binutils 2.40: their places are lists of ranges.
test_lazy_prereq INLINED 'case "$CC" in *clang*) false ;; esac'

test_skip_unless NAMES 'no C++ compiler, no libdw, or no symbols'

test_expect_success INLINED 'names of C++ and inlined functions are shown' '
	reported app/demo/steps/:1 "$paths" inlined 3 &&
	sed -n 2,5p callers | sed "s/^ *[0-9]* *100.0% *[0-9]* *//" >actual &&
	test_cmp - actual <<-\EOF &&
	app/demo/steps/:1
	└ zoo::Animal<long>::eat(long) (inlined)
	zoo::Animal<long>::feast(int)
	main
	EOF
	test_grep "  └ _*start" callees &&
	sed -n "\$s/.*%  *3  *//p" callees >actual &&
	echo "zoo::Animal<long>::eat(long) (inlined)" | test_cmp - actual
'

test_expect_success 'a hundred recursive calls are one row, marked as recursive' '
	reported app/demo/steps/:1 "$paths" recursion 100 &&
	grep -c recurse callers >count &&
	echo 1 | test_cmp - count &&
	test_grep "zoo::recurse(int, zoo::Animal<long>&) (recursive)$" callers
'

test_expect_success 'the paths of a hundred mutual calls stay within 80 columns' '
	reported app/demo/steps/:1 "$paths" both 100 &&
	grep -c "p[io]ng(int" callers >count &&
	test 90 -lt "$(cat count)" &&
	awk "length > 80" out >wide &&
	test_must_be_empty wide &&
	trace2 report --samples --format=csv r >csv 2>err &&
	test_grep "^[1-9][0-9]," csv
'

test_expect_success INLINED 'report --samples shows where paths of callers branch' '
	rm -rf r &&
	mkdir r &&
	for verb in inlined lambda
	do
		GIT_TRACE2_SAMPLE=app/demo/steps/:1 GIT_TRACE2_RING="$(pwd)/r" \
			"$paths" $verb 2 || return 1
	done &&
	trace2 report --samples r >out 2>err &&
	sed -n "1,/^\$/p" out | grep -e feast -e "main::" -e " main\$" |
		sed "s/^ *//; s/   */ /g; s/main::.*/main::LAMBDA/" >actual &&
	test_cmp - actual <<-\EOF
	4 100.0% 4 zoo::Animal<long>::feast(int)
	2 50.0% 2 ├ main
	2 50.0% 2 └ main::LAMBDA
	2 50.0% 2 main
	EOF
'

test_expect_success X86_64 'generated code is shown by address, and the reason is reported' '
	reported app/demo/steps/:1 "$paths" made-code &&
	grep "from_made_code" callers &&
	grep " 0x[0-9a-f]*$" callers &&
	test_grep "of .//anon.: generated at run time" err
'

test_expect_success 'the mapping of a loaded module is recorded before the first sample in it' '
	reported app/test/test1/:10 test-tool trace2 212module "$module" &&
	grep " module_use$" callers &&
	test-tool ring dump r/* >dump.txt &&
	sed -n "s/.* MMAP .* time=\([0-9]*\) .*filename=.*metrics.so.*/mapped \1/p; s/.* SAMPLE .* time=\([0-9]*\) .*/sampled \1/p" \
		dump.txt | sort -s -k 2n | sed "s/ .*//" >actual &&
	test_write_lines mapped sampled sampled | test_cmp - actual
'

test_expect_success PERF 'perf shows the same paths of callers' '
	trace2 export --to perf -o perf.data r &&
	perf script -i perf.data >script 2>/dev/null &&
	grep -c " module_use+.*metrics.so" script >count &&
	echo 2 | test_cmp - count
'

test_done
