#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='intervals that were measured elsewhere, and distributions'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-build.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# distributions: print the fields of each distribution in e.
distributions () {
	jq -c 'select(.event == "data_json" and .category == "trace2" and
		.key == "distribution").value' e
}

test_expect_success JQ 'a distribution has count, sum, least and greatest value, and buckets' '
	traced test-tool trace2 call register_distribution_ plain , distribution_add bytes 300 , \
		distribution_add bytes 1 , distribution_add bytes 70000 , \
		distribution_add plain 0 &&
	test_prints distributions <<-\EOF
	{"category":"tool","name":"size","unit":"bytes","count":3,"sum":70301,"min":1,"max":70000,"histogram":[[1,1],[303,1],[73727,1]]}
	{"category":"tool","name":"plain","count":1,"sum":0,"min":0,"max":0,"histogram":[[0,1]]}
	EOF
'

test_expect_success 'distributions are data events in the perf target, and absent from normal' '
	test_grep "| data_json .* | trace2 .* | distribution:{\"category\":\"tool\",\"name\":\"size\"" p &&
	test_grep ! size n
'

test_expect_success JQ 'values of all threads are in one distribution' '
	traced test-tool trace2 220values 3 300 1 70000 300 &&
	test_prints distributions <<-\EOF
	{"category":"tool","name":"size","unit":"bytes","count":12,"sum":211803,"min":1,"max":70000,"histogram":[[1,3],[303,6],[73727,3]]}
	EOF
'

test_expect_success JQ 'timer_add counts as an interval of the timer' '
	trace2_jq "
		[.[] | select(.event | test(\"timer\"))] |
		map(.intervals) == [4, 4, 4, 12] and
		.[3].t_total == 0.000212 and .[3].t_max == 0.00007 and
		([.[3].histogram[]] == [[0.000000001, 3], [0.000000303, 6], [0.000073727, 3]])" e
'

test_expect_success JQ 'timer_add may be called while the timer runs' '
	traced test-tool trace2 call timer_start hist , timer_add hist 7000000000 , \
		timer_stop hist &&
	trace2_jq "
		[.[] | select(.event == \"timer\")] | length == 1 and
		(.[0] | .intervals == 2 and (has(\"unfinished\") | not) and
		.t_max == 7 and .t_min < 7 and .t_total < 14)" e
'

test_expect_success JQ 'a total of timer_add stops at 2^63 - 1 ns' '
	set -- timer_add test2 9223372036854775807 &&
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" traced test-tool trace2 call "$@" , "$@" &&
	test_grep "\"t_total\":9223372036.854776,\"t_min\":9223372036.854776,\"t_max\":9223372036.854776" e &&
	trace2 check e &&
	trace2 report --timers --format=csv e r >report &&
	test_grep "9223372036854775807" report
'

test_expect_success JQ 'distribution values up to 2^63 - 1 are exact, and their sum stops there' '
	traced test-tool trace2 call register_distribution_ plain , distribution_add plain 9223372036854775807 , \
		distribution_add plain 9223372036854775806 &&
	test_grep "\"sum\":9223372036854775807,\"min\":9223372036854775806,\"max\":9223372036854775807,\"histogram\":\[\[9223372036854775807,2\]\]" e
'

test_expect_success JQ 'a timer and a distribution may have the same name' '
	traced test-tool trace2 call register_distribution_ plain , timer_add plain 5000 , distribution_add plain 6 , \
		counter_add plain 7 &&
	trace2_jq "
		[.[] | select(.event == \"timer\").t_total] == [0.000005] and
		[.[] | select(.event == \"counter\").count] == [7] and
		[.[] | select(.event == \"data_json\").value.sum] == [6]" e
'

test_expect_success JQ 'distributions above the limit are reported' '
	traced test-tool trace2 221distribution_many 55 &&
	trace2_jq "[.[] | select(.event == \"error\")] == []" e &&
	traced test-tool trace2 221distribution_many 80 &&
	expect_valid_stream e &&
	trace2_jq "
		[.[] | select(.event == \"error\").msg] as \$errors |
		map(select(.event == \"data_json\" and .category == \"trace2\" and
			.key == \"distribution\")) as \$distributions |
		\$errors |
		length == 1 and (.[0] | test(\"^trace2: [0-9]+ metrics do not count: more than 512 timers and distributions, 64 distributions, 1024 counters or 128 gauges are defined\$\")) and
		(.[0] | split(\" \")[1] | tonumber) + (\$distributions | length) == 80" e
'

test_expect_success JQ 'report adds up distributions of processes by bucket, separately for each unit' '
	rm -rf d && mkdir d &&
	for value in 10 20 1000
	do
		GIT_TRACE2_EVENT="$PWD/d" test-tool trace2 220values 2 $value $value || return 1
	done &&
	trace2 report --distributions --format=json d >actual &&
	jq -e ".distributions | length == 1 and (.[0] |
		.distribution == \"tool/size\" and .unit == \"bytes\" and
		.count == 12 and .sum == 4120 and .mean == 343 and .min == 10 and
		.p50 == 20 and .p90 == 1000 and .p99 == 1000 and .max == 1000 and
		.processes == 3)" actual &&
	sed s/bytes/KiB/ "$(ls d/* | sed 1q)" >other &&
	trace2 report --distributions --format=json d other >actual &&
	jq -e "[.distributions[] | [.unit, .count]] | sort ==
		[[\"KiB\", 4], [\"bytes\", 12]]" actual
'

test_expect_success JQ 'report shows the same distribution from ring and stream, even of a killed process' '
	GIT_TRACE2_RING="$PWD/ring" GIT_TRACE2_EVENT="$PWD/e2" \
		test-tool trace2 220values 2 5 6 700 &&
	trace2 report --distributions --format=json e2 >expect &&
	trace2 report --distributions --format=json ring >actual &&
	test_cmp expect actual &&
	rm -f ring &&
	test_expect_code 137 env GIT_TRACE2_RING="$PWD/ring" sh -c \
		"exec test-tool trace2 call distribution_add bytes 5 , \
			distribution_add bytes 700 , raise KILL" &&
	trace2 report --distributions --format=json ring >actual &&
	jq -e ".distributions | length == 1 and (.[0] | .unit == \"bytes\" and
		.count == 2 and .sum == 705 and .min == 5 and .max == 700 and
		.p50 == 5 and .p99 == 700)" actual
'

test_expect_success 'names and units of distributions may need escapes in JSON' '
	cat >odd.event <<-\EOF &&
	{"event":"version","sid":"20260101T000000.000000Z-H00000000-P00000001","thread":"main","time":"2026-01-01T00:00:00.000000Z","evt":"4","exe":"1"}
	{"event":"data_json","sid":"20260101T000000.000000Z-H00000000-P00000001","thread":"main","time":"2026-01-01T00:00:00.100000Z","t_abs":0.1,"t_rel":0.1,"nesting":1,"category":"trace2","key":"distribution","value":{"category":"a \"b\"","name":"c\\d/\u001be\t","unit":"}, [","count":1,"sum":4,"min":4,"max":4,"histogram":[[4,1]]}}
	EOF
	trace2 report --distributions --format=json odd.event >actual &&
	test_grep "\"unit\":\"}, \[\",.*\"distribution\":\"a ..b../c..d/.u001be.t\"" actual
'

test_expect_success JQ 'data_uintmax writes values up to 2^64 - 1' '
	traced test-tool trace2 call data_uintmax c k 18446744073709551615 , \
		data_uintmax c k 0 &&
	jq -r "select(.event == \"data\").value" e >actual &&
	test_write_lines 18446744073709551615 0 | test_cmp - actual
'

test_expect_success JQ 'data_double has the shortest text that reads back the same' '
	set -- 0.1 -1e+100 0.30000000000000004 4.94065645841247e-324 \
		1.7976931348623157e+308 0 -0 Infinity -Infinity NaN &&
	test_write_lines "$@" >expect &&
	traced test-tool trace2 call $(printf "data_double c k %s , " "$@") \
		printf end &&
	jq -r "select(.event == \"data\").value" e >actual &&
	test_cmp expect actual
'

cat >locale.c <<'EOF'
#include <locale.h>
#include <stdio.h>
#include "trace2.h"

int main(void)
{
	if (!setlocale(LC_ALL, ""))
		return 1;
	printf("%g\n", 0.5);
	trace2_initialize();
	trace2_data_double("c", NULL, "k", 0.5);
	trace2_data_double("c", NULL, "k", -1.25e100);
	trace2_data_double("c", NULL, "k", 7);
	return 0;
}
EOF

# Make the locale $1.UTF-8: "POSIX", but for the numbers of the system's $1. A whole
# one takes seconds; that others are missing is a warning.
locale_with_point_of () {
	for category in CTYPE COLLATE MONETARY TIME MESSAGES
	do
		test_write_lines LC_$category "copy \"POSIX\"" "END LC_$category"
	done >definition &&
	test_write_lines LC_NUMERIC "copy \"$1\"" "END LC_NUMERIC" >>definition &&
	{ localedef -c -i ./definition -f UTF-8 "$PWD/$1.UTF-8" || test $? = 1; } &&
	test -f "$1.UTF-8/LC_NUMERIC"
}

# The point of ps_AF has two bytes.
locales=ps_AF
test_have_prereq !EXPENSIVE || locales='de_DE ps_AF'

# They stay for the test.
# musl has the point in all locales.
test_lazy_prereq LOCALES '
	test_have_prereq !MUSL || return 1
	for locale in $locales
	do
		locale_with_point_of $locale || return 1
	done &&
	mv ./*.UTF-8 "$TRASH_DIRECTORY"
'

test_expect_success JQ,CC,LOCALES,!INSTRUMENTED 'data_double has a decimal point in any locale' '
	build "$CC" locale.c -std=gnu11 &&
	test_write_lines 0.5 -1.25e+100 7 >expect &&
	for locale in $locales
	do
		LOCPATH=$PWD LC_ALL=$locale.UTF-8 GIT_TRACE2_EVENT="$PWD/$locale.event" \
			./program >out &&
		! grep -q -F 0.5 out &&
		cat $locale.event >>all &&
		cat expect >>expect.all || return 1
	done &&
	jq -r "select(.event == \"data\").value" all >actual &&
	test_cmp expect.all actual
'

cat >misuse.c <<'EOF'
#include "trace2.h"
#ifdef __cplusplus
#include <atomic>
enum class state { idle, busy };
static std::atomic<long> number;
#endif
TRACE2_COUNTER(counter, "c", "c", 0);
TRACE2_TIMER(timer, "c", "t", 0);
TRACE2_DISTRIBUTION(sizes, "c", "s", "bytes");
#define BELOW (-1)
enum { MINUS = -2 };
void use(unsigned int u, int i, size_t size, unsigned char c, long l);
void use(unsigned int u, int i, size_t size, unsigned char c, long l)
{
	const int constant = -3;

	trace2_counter_add(counter, 0);
	trace2_counter_add(counter, 1u);
	trace2_counter_add(counter, ~(uint64_t)0);
	trace2_counter_add(counter, u);
	trace2_counter_add(counter, c);
	trace2_counter_add(counter, size * 2 - u);
	trace2_timer_add(timer, sizeof(counter));
	trace2_timer_add(timer, l < 0 ? 0 : (uint64_t)l);
	trace2_distribution_add(sizes, 4096);
	trace2_data_intmax("c", 0, "k", constant);
	trace2_data_intmax("c", 0, "k", size);
	trace2_data_intmax("c", 0, "k", INTMAX_MAX);
	trace2_data_intmax("c", 0, "k", i);
#ifdef __cplusplus
	trace2_data_intmax("c", 0, "k", state::busy);
	trace2_data_intmax("c", 0, "k", number);
#endif
#ifdef MISUSES
#include MISUSES
#endif
}
EOF

# compile COMPILER OPTION...
compile () {
	compiler=$1 &&
	shift &&
	case $compiler in
	*++) set -- -x c++ -std=c++11 "$@" ;;
	*) set -- -std=c99 "$@" ;;
	esac &&
	"$compiler" "$@" -Wall -Wextra -Wpedantic -Wtype-limits -Wfloat-equal \
		-Wsign-compare -Wshadow -Werror -I"$GIT_BUILD_DIR/lib" -c misuse.c \
		-o misuse.o
}

# refuses COMPILER OPTION REASON: the compiler refuses each call on standard
# input, even if it warns of nothing. It finds all in one run.
refuses () {
	cat >calls &&
	! compile "$1" "$2" -DMISUSES=\"calls\" -I. -w 2>errors &&
	grep "error:.*$3" errors >refused &&
	test "$(wc -l <refused)" = "$(wc -l <calls)"
}

# In a usual run gcc does not optimise, and g++ does. clang has its turn in make
# check.
usual=" $(first_of gcc clang) $(first_of g++ clang++)"
first=1
for compiler in gcc g++ clang clang++
do
	command -v $compiler >/dev/null || continue
	nr=$first
	first=$((3 - first))
	for level in -O0 -O2
	do
		turns $compiler $nr
		case "$usual " in
		*" $compiler "*) ;;
		*) rare=,EXPENSIVE ;;
		esac
		nr=$((nr + 1))
		test_expect_success "$rare" "negative and floating-point arguments are refused: $compiler $level" '
			compile $compiler $level &&
			for call in "counter_add(counter, " "timer_add(timer, " \
				"distribution_add(sizes, "
			do
				printf "trace2_$call%s);\n" -1 BELOW MINUS \
					-5000000000L >>negative &&
				printf "trace2_$call%s);\n" 0.5 1.0f "(double)u" \
					"1.0L * i" >>floating || return 1
			done &&
			refuses $compiler $level "a negative number" <negative &&
			refuses $compiler $level "a floating-point number" \
				<floating &&
			echo "trace2_data_intmax(\"c\", 0, \"k\", UINTMAX_MAX);" |
			refuses $compiler $level "use trace2_data_uintmax()" &&
			rm negative floating
		'
	done
done

test_expect_success JQ 'child_exit_status decodes the status of waitpid()' '
	traced test-tool trace2 call child_start 1 ls , child_exit_status 1 1792 , \
		child_start 1 ls , child_exit_status 1 9 &&
	jq -r "select(.event == \"child_exit\").code" e >actual &&
	test_write_lines 7 137 | test_cmp - actual
'

test_expect_success 'values and distributions do nothing while tracing is off' '
	test-tool trace2 220values 2 5 >out 2>&1 &&
	test_must_be_empty out
'

test_done
