#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='stopwatch timers'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# timers: print the fields of each timer in e, without its times.
timers () {
	jq -c 'select(.event | test("timer"))
		| [.event, .thread, .category, .name, .intervals, .unfinished]' e
}

test_expect_success 'intervals of the main thread are summed up in one event' '
	traced --perf test-tool trace2 100timer 5 0 &&
	have_timer_event main timer test test1 5 actual &&
	test_grep ! th_timer actual
'

test_expect_success 'intervals of all threads are summed up in one event' '
	traced --perf test-tool trace2 100timer 5 0 3 &&
	have_timer_event main timer test test1 15 actual &&
	test_grep ! th_timer actual
'

test_expect_success 'a timer may have an event for each thread, and one for the sum' '
	traced --perf test-tool trace2 101timer 5 0 3 &&
	have_timer_event main timer test test2 15 actual &&
	have_timer_event th01:ut_101 th_timer test test2 5 actual &&
	have_timer_event th02:ut_101 th_timer test test2 5 actual &&
	have_timer_event th03:ut_101 th_timer test test2 5 actual
'

test_expect_success JQ 'a timer reported for each thread has a th_timer event for main, then the sum' '
	traced test-tool trace2 call timer_start test2 , timer_stop test2 &&
	test_prints timers <<-\EOF
	["th_timer","main","test","test2",1,null]
	["timer","main","test","test2",1,null]
	EOF
'

# A sleep is never shorter than requested.
test_expect_success JQ 'a timer event has the right t_min, t_max and t_total' '
	traced test-tool trace2 100timer 3 10 &&
	trace2_jq "
		.[] | select(.event == \"timer\") |
		.t_min >= 0.01 and .t_max >= .t_min and
		.t_total >= 0.03 and
		.t_total + 0.000002 >= .t_min * 2 + .t_max and
		.t_total - 0.000002 <= .t_max * 2 + .t_min" e &&
	traced test-tool trace2 110timer_histogram 5 30 &&
	trace2_jq "
		.[] | select(.event == \"timer\") |
		.t_min >= 0.005 and .t_max >= 0.03 and
		(.t_total - .t_min - .t_max | fabs) <= 0.000002" e
'

test_expect_success JQ 'a timer that is started twice counts the outer interval only' '
	traced test-tool trace2 call timer_start test1 , sleep_ms 10 , timer_start test1 , \
		sleep_ms 10 , timer_stop test1 , sleep_ms 10 , timer_stop test1 &&
	trace2_jq "[.[] | select(.event | test(\"timer\"))] | length == 1 and (.[0] |
		[.event, .thread, .category, .name, .intervals, .unfinished] ==
			[\"timer\", \"main\", \"test\", \"test1\", 1, null] and
		.t_total >= 0.03 and .t_min == .t_total and .t_max == .t_total)" e
'

test_expect_success JQ 'a timer does not count the time between intervals' '
	traced test-tool trace2 call timer_start test1 , timer_stop test1 , sleep_ms 50 , \
		timer_start test1 , timer_stop test1 &&
	trace2_jq "
		(.[] | select(.event == \"timer\")) as \$timer
		| (.[] | select(.event == \"exit\").t_abs) - \$timer.t_total >= 0.05" e
'

test_expect_success JQ 'a timer that runs when the program ends is counted as unfinished' '
	traced test-tool trace2 call timer_start test1 , timer_stop test1 , timer_start test1 , \
		sleep_ms 10 &&
	trace2_jq "
		.[] | select(.event == \"timer\") |
		.unfinished == 1 and .t_total >= 0.01" e &&
	traced test-tool trace2 112timer_unfinished &&
	timers >actual &&
	test_grep "^\[\"timer\",\"main\",\"test\",\"test2\",[0-9]*,1\]\$" actual
'

test_expect_success JQ 'a timer that runs when the thread ends is counted as unfinished' '
	traced test-tool trace2 112timer_unfinished 3 &&
	expect_valid_stream e &&
	test_write_lines "th_timer 1" "th_timer 1" "th_timer 1" "timer 3" |
	test_prints event_members "event unfinished" "(th_)?timer" e
'

test_expect_success JQ 'timer_stop without start: one error event with the number of calls' '
	traced test-tool trace2 call --repeat=3 timer_stop test1 &&
	test_prints event_members "event msg|unfinished" "error|timer" e <<-\EOF
	error trace2: timer '\''test1'\'' stopped without a start
	timer 3
	EOF
'

test_expect_success JQ 'a timer started in one thread and stopped in another is unfinished in both' '
	traced test-tool trace2 111timer_handed &&
	test "$(event_members "name unfinished" timer e)" = "handed 2"
'

test_expect_success JQ 'a timer that was never started emits no event' '
	traced test-tool trace2 001return 0 &&
	test_prints timers </dev/null
'

# ---------------------------------------------------------------------------
# Histograms

test_expect_success JQ 'a timer has a histogram only if it is defined with TRACE2_HISTOGRAM' '
	traced test-tool trace2 call timer_start hist , timer_stop hist , timer_start plain , \
		timer_stop plain &&
	trace2_jq "
		[.[] | select(.event == \"timer\") | [.name, has(\"histogram\")]] | sort ==
		[[\"hist\", true], [\"plain\", false]]" e &&
	test_grep ! histogram p
'

test_expect_success JQ 'a histogram: counts sum up to the intervals; bounds grow, and enclose min and max' '
	traced test-tool trace2 call --repeat=1000 timer_start hist , timer_stop hist &&
	trace2_jq "
		.[] | select(.event == \"timer\") |
		.intervals == 1000 and
		([.histogram[][1]] | add == 1000 and min > 0) and
		([.histogram[][0]] | . == (. | unique)) and
		.histogram[-1][0] >= .t_max - 0.000001 and
		.histogram[-1][0] <= (.t_max + 0.000001) * 1.0625 and
		.histogram[0][0] >= .t_min - 0.000001 and
		.histogram[0][0] <= (.t_min + 0.000001) * 1.0625" e
'

# The bound is the largest value that its bucket counts: an interval is at most
# 6.25 % shorter.
test_expect_success JQ 'a bound of a histogram is at most 6.25 % above the values it counts' '
	for ms in 0 1 3 7 20
	do
		traced test-tool trace2 110timer_histogram $ms &&
		cat e >>all || return 1
	done &&
	trace2_jq "
		[.[] | select(.event == \"timer\")] | length == 5 and all(
			(.histogram | length == 1 and .[0][1] == 1) and
			.histogram[0][0] >= .t_total - 0.000001 and
			.histogram[0][0] <= (.t_total + 0.000001) * 1.0625)" all
'

test_expect_success JQ 'histograms are reported for each thread and for all' '
	traced test-tool trace2 110timer_histogram 1 1 2 &&
	trace2_jq "
		[.[] | select(.event | test(\"timer\"))] |
		map(.event) == [\"th_timer\", \"timer\"] and
		.[0].histogram == .[1].histogram and
		([.[0].histogram[][1]] | add) == 3" e
'

# ---------------------------------------------------------------------------

test_expect_success JQ 'timers above the limit of 512 are reported in one error' '
	traced test-tool trace2 113timer_many 600 &&
	expect_valid_stream e &&
	trace2_jq "
		[.[] | select(.event == \"timer\")] as \$timers |
		[.[] | select(.event == \"error\").msg] as \$errors |
		(\$timers | length > 490 and length <= 512 and all(.intervals == 1)) and
		(\$errors | length == 1) and
		(\$errors[0] | test(\"^trace2: [0-9]+ metrics do not count: more than 512 timers and distributions, 64 distributions, 1024 counters or 128 gauges are defined\$\")) and
		(\$timers | length) + (\$errors[0] | split(\" \")[1] | tonumber) == 600" e
'

test_expect_success JQ 'histograms above the limit are reported in one error' '
	traced test-tool trace2 113timer_many --histograms 55 &&
	trace2_jq "[.[] | select(.event == \"error\")] == [] and
		[.[] | select(.histogram).name] == [range(55) | \"t\(.)\"]" e &&
	traced test-tool trace2 113timer_many --histograms 80 &&
	expect_valid_stream e &&
	trace2_jq "
		[.[] | select(.event == \"error\").msg] as \$errors |
		([.[] | select(.event == \"timer\")] | length == 80) and
		(\$errors | length == 1) and
		(\$errors[0] | test(\"^trace2: [0-9]+ timers have no histogram: more than 64 are to have one\$\")) and
		([.[] | select(.histogram)] | length) +
			(\$errors[0] | split(\" \")[1] | tonumber) == 80" e
'

test_expect_success JQ 'timers and histograms above their limits are reported in one error each' '
	traced test-tool trace2 113timer_many --histograms 600 &&
	jq -r "select(.event == \"error\").msg" e |
		sed "s/^trace2: [0-9][0-9]*/trace2: N/" >actual &&
	test_cmp - actual <<-\EOF
	trace2: N metrics do not count: more than 512 timers and distributions, 64 distributions, 1024 counters or 128 gauges are defined
	trace2: N timers have no histogram: more than 64 are to have one
	EOF
'

test_expect_success JQ 'timers are reported in the order of their registration' '
	traced test-tool trace2 113timer_many 50 &&
	jq -r "select(.event == \"timer\") | .name" e >actual &&
	test_seq -f "t%d" 0 49 >expect &&
	test_cmp expect actual
'

# reported TIMER: add to the file `reports` this name, the two numbers in the file
# `taken`, and the report of the ring.
reported () {
	{
		echo "\"$1\"" &&
		cat taken &&
		trace2 report --timers --format=json ring
	} >>reports
}

# within NUMBER [CONDITION]: there are NUMBER groups of four. In each, the
# report of the timer lies between the two numbers, with a thousandth and 100 ns
# an interval more or less, and CONDITION is true.
within () {
	jq -s -c "[range(0; length; 4) as \$i | .[\$i:\$i + 4] |
		. as [\$name, \$inner, \$outer, \$report] |
		[\$report.timers[] | select(.timer == \$name) |
			(.intervals + .unfinished) as \$nr |
			.total_ns >= \$inner * 0.999 - 100 * \$nr and
			.total_ns <= \$outer * 1.001 + 100 * \$nr and
			.min_ns <= .max_ns and .max_ns <= .total_ns and
			(${2-true})] as \$within |
		. + [\$within] | select(\$within != [true])
		], length / 4" reports >actual &&
	printf "%s\n" "[]" "$1" | test_cmp - actual
}

# Some processes end before the rate of the counter is known.
test_expect_success JQ 'timers agree with the clock' '
	rm -f reports &&
	for how in inline called histogram
	do
		name=tool/clocked &&
		if test $how = histogram; then name=tool/histogram; fi &&
		for intervals in "1 1" "1 50" "40 5" "1 5000" "3 700 2000" \
			"2000 10 2000" "3 30000 2000" "1 1200000 2000"
		do
			rm -f ring &&
			GIT_TRACE2_RING="$PWD/ring" test-tool trace2 \
				114timer_clock $how $intervals >taken &&
			reported $name || return 1
		done || return 1
	done &&
	within 24
'

test_expect_success JQ 'a killed process: a running timer lasts until the last event in the ring' '
	rm -f reports &&
	for before in 0 5000
	do
		rm -f ring &&
		test_expect_code 137 env GIT_TRACE2_RING="$PWD/ring" \
			sh -c "test-tool trace2 114timer_clock killed 1 3000 $before >taken" &&
		reported tool/clocked || return 1
	done &&
	within 2 ".unfinished == 1"
'

# in-ns.perl IN OUT: the ring of IN as a machine without a counter would have
# written it, with starts of timers in ns.
cat >in-ns.perl <<\EOT
use strict;
use warnings;

my ($from, $to) = @ARGV;
open my $in, '<:raw', $from or die "$from: $!";
my $file = do { local $/; <$in> };
my ($slots, $size) = unpack 'x144 Q< Q<', $file;
my ($nr, $cell_bytes) = unpack 'x160 V V', $file;
for my $slot (map { $slots + $_ * $size } 0 .. $nr - 1) {
	my (undef, undef, $ticks, $ns, $rate) =
		unpack 'V2 Q<3', substr $file, $slot + 576, 32;
	for my $cell (map { $slot + 12288 + $_ * $cell_bytes } 0 .. 511) {
		my (undef, $nest, $start) = unpack 'V2 Q<', substr $file, $cell, 16;
		next if !$nest;
		$start = $ns + int(($start - $ticks) * $rate / 2**32)
			if !($nest & 0x80000000);
		$nest &= 0x7fffffff;
		$nest |= 0x80000000;
		$nest = 0xffffffff if $ENV{BUSY};
		substr $file, $cell + 4, 12, pack 'V Q<', $nest, $start;
	}
}
open my $out, '>:raw', $to or die "$to: $!";
print $out $file;
close $out or die "$to: $!";
EOT

test_expect_success JQ 'report also reads rings that store the start of a running timer in ns' '
	mv ring new &&
	rm -f reports &&
	perl in-ns.perl new ring &&
	reported tool/clocked &&
	within 1 ".unfinished == 1"
'

test_expect_success JQ 'report: a timer of a process killed while adding an interval is left out' '
	BUSY=1 perl in-ns.perl new ring &&
	trace2 report --timers --format=json ring >timers &&
	jq -e "[.timers[] | select(.timer == \"tool/clocked\")] == []" timers
'

test_expect_success 'timers do nothing while tracing is off' '
	test-tool trace2 101timer 5 0 3 >out 2>&1 &&
	test_must_be_empty out
'

test_done
