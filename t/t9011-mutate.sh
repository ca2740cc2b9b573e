#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='which mistakes t/mutate.perl makes

To run the tests on each of them takes long, and is for people to do.
'

. ./test-lib.sh

mutate () {
	"$PERL_PATH" "$TEST_DIRECTORY/mutate.perl" "$@"
}

test_expect_success PERL_TEST_HELPERS 'statements, comparisons, numbers; no text' '
	sed "s/^|//" >sample.c <<-\EOF &&
	|#define SIZE 4 + 1
	|int f(int a, struct thing *t)
	|{
	|	static int b = 7;
	|
	|	a = b;
	|	t->use(a, "1 == 2");
	|	t->nr++;
	|	if (a == 3 && t)
	|		return a; /* 5 < 6 */
	|	a = 0x10;
	|	return 1.5 > a;
	|}
	EOF
	cat >expect <<-\EOF &&
	sample.c:4: 7 became 8: 	static int b = 8;
	sample.c:6: left out: 	;
	sample.c:7: left out: 	;
	sample.c:8: left out: 	;
	sample.c:9: == became !=: 	if (a != 3 && t)
	sample.c:9: && became ||: 	if (a == 3 || t)
	sample.c:9: 3 became 4: 	if (a == 4 && t)
	sample.c:10: returned 0: 		return 0;
	sample.c:11: left out: 	;
	sample.c:12: > became >=: 	return 1.5 >= a;
	sample.c:12: > became <=: 	return 1.5 <= a;
	sample.c:12: returned 0: 	return 0;
	EOF
	mutate --list sample.c >actual &&
	test_cmp expect actual
'

test_expect_success PERL_TEST_HELPERS 'other lines do not change the choice' '
	mutate --list -n 6 sample.c | sed "s/:[0-9]*:/:/" >expect &&
	test_line_count = 6 expect &&
	{
		sed 2q sample.c &&
		echo "	int first = a;" &&
		sed 1,2d sample.c
	} >moved.c &&
	mv moved.c sample.c &&
	mutate --list -n 6 sample.c | sed "s/:[0-9]*:/:/" >actual &&
	test_cmp expect actual
'

test_expect_success PERL_TEST_HELPERS 'without a source there is nothing to do' '
	test_expect_code 255 mutate 2>err &&
	test_grep "usage: perl t/mutate.perl" err &&
	test_expect_code 255 mutate --list 2>err &&
	test_grep "usage: perl t/mutate.perl" err
'

test_done
