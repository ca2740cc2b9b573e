#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 reads streams: files, directories, pipes, good and bad

Good lines are kept, bad lines are counted and reported, and no content of a
file makes a command fail.
'

. ./test-lib.sh

unchecked 'lines of many streams, changed at random' reshaped.event crlf.event

traces=$TEST_DIRECTORY/traces

# event NAME SECONDS REST: print one line of session $sid.
sid=20261121T072000.000000Z-H0a7c9cdf-P00000007
event () {
	printf '{"event":"%s","sid":"%s","thread":"main",' "$1" "$sid" &&
	printf '"time":"2026-11-21T07:20:%s00000Z","file":"a.c","line":1%s}\n' \
		"$2" "$3"
}
begin () {
	event version 00.0 ',"evt":"4","exe":"1.0"' &&
	event start 00.1 ',"t_abs":0.100000,"argv":["prog","x y"]'
}
end () {
	event exit 01.0 ',"t_abs":1.000000,"code":0' &&
	event atexit 01.0 ',"t_abs":1.000000,"code":0'
}

test_expect_success 'a missing input is named' '
	test_expect_code 128 trace2 list missing 2>err &&
	echo "trace2: cannot read '\''missing'\'': No such file or directory" >expect &&
	test_cmp expect err
'

test_expect_success 'report without an input hints at record' '
	test_expect_code 128 trace2 list 2>err &&
	test_grep "trace2 record -- COMMAND" err
'

test_expect_success 'an empty file, pipe or directory has no events' '
	: >empty && mkdir nothing &&
	trace2 list empty 2>err &&
	echo "trace2: warning: '\''empty'\'': zero-sized file, nothing to do! No program wrote its events there ('\''trace2 check --env'\'' shows where they go)" >expect &&
	test_cmp expect err &&
	trace2 report - </dev/null 2>err &&
	test_grep "zero-sized file, nothing to do!" err &&
	trace2 script nothing 2>err &&
	test_grep "no event files in this directory, nothing to do!" err &&
	mkdir blank && : >blank/one &&
	test_prints trace2 report blank </dev/null 2>err &&
	test_grep "blank.: 1 zero-sized file, nothing to do!" err &&
	: >blank/two && mkdir recording recording/events &&
	cp blank/* recording/events &&
	for command in report list script check "export --to folded"
	do
		test_prints trace2 $command recording </dev/null 2>err &&
		test_grep "recording.: 2 zero-sized files, nothing to do!" err ||
		return 1
	done &&
	cp "$traces/status.event" blank/three &&
	trace2 list blank >out 2>err &&
	test_must_be_empty err
'

test_expect_success 'a binary file is refused' '
	"$PERL_PATH" -e "print map { chr(\$_ * 7 % 256) } 0..20000" >binary &&
	test_expect_code 128 trace2 list binary 2>err &&
	test_grep "cannot read .binary.: neither event JSON, nor perf text" err
'

test_expect_success 'text of the normal target is refused by name' '
	test_expect_code 128 trace2 list "$traces/gc.normal" 2>err &&
	test_grep "normal target" err
'

test_expect_success 'a stream gives the same list from a file, a directory, files and standard input' '
	trace2 list --format=json "$traces/gc.event" >expect &&
	trace2 list --format=json - <"$traces/gc.event" >actual &&
	test_cmp expect actual &&
	mkdir split &&
	"$PERL_PATH" -ne "m{\"sid\":\"([^\"]+)\"} or die; (my \$f = \$1) =~ s{.*/}{};
		open my \$out, q{>>}, \"split/\$f\" or die; print \$out \$_" \
		"$traces/gc.event" &&
	trace2 list --format=json split >actual &&
	test_cmp expect actual &&
	trace2 list --format=json split/* >actual &&
	test_cmp expect actual &&
	trace2 list --format=json -i split >actual &&
	test_cmp expect actual
'

test_expect_success 'inputs as arguments and by -i exclude each other' '
	test_expect_code 2 trace2 list -i split split 2>err &&
	test_grep "either with -i or as words" err
'

for parser in recogniser simdjson
do
	test_expect_success "all sample traces give the expected list: $parser" '
		if test $parser = simdjson
		then
			TRACE2_TEST_PARSER=simdjson &&
			export TRACE2_TEST_PARSER &&
			test_when_finished "unset TRACE2_TEST_PARSER"
		fi &&
		for f in "$traces"/*.event
		do
			name=$(basename "$f") &&
			{
				trace2 list --format=json "$f" &&
				trace2 report --regions --timers --counters \
					--errors --format=json "$f" &&
				trace2 script -F time,t_abs,t_rel,sid,thread,event,repo,nesting,category,message,file "$f"
			} >"$name.$parser" 2>&1 || return 1
		done
	'
done

test_expect_success 'both JSON parsers give the same list of each sample trace' '
	for f in "$traces"/*.event
	do
		name=$(basename "$f") &&
		test -s "$name.recogniser" &&
		test_cmp "$name.recogniser" "$name.simdjson" || return 1
	done
'

test_expect_success 'lines slightly unlike the usual form give the same events with both JSON parsers' '
	{
		begin &&
		event data 00.2 ",\"t_abs\":0.2,\"t_rel\":1e-1,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"a\\\\u0041\\\\n\"" &&
		event data 00.2 ",\"t_abs\":00.200000,\"t_rel\":0.100000,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"x\"" &&
		event data 00.2 ",\"t_abs\":0.200000,\"t_rel\":0.100000,\"nesting\":1,\"key\":\"k\",\"category\":\"c\",\"value\":\"swapped\"" &&
		event data 00.2 ",\"t_abs\":0.200000,\"t_rel\":0.100000,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"x\",\"more\":[1,{}]" &&
		event data 00.2 ",\"t_abs\":12345.678901,\"t_rel\":0.000001,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"\"" &&
		event data 00.2 ",\"t_abs\":-0,\"t_rel\":0.1,\"nesting\":1,\"category\":\"ä\",\"key\":\"k\",\"value\":7" &&
		event data 00.2 ",\"t_abs\":0.200000 ,\"t_rel\":0.100000,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"x\"" &&
		event counter 00.2 ",\"category\":\"c\",\"name\":\"n\",\"count\":18446744073709551615" &&
		event counter 00.2 ",\"category\":\"c\",\"name\":\"m\",\"count\":-1" &&
		event start 00.2 ",\"t_abs\":0.200000,\"argv\":[]" &&
		event start 00.2 ",\"t_abs\":0.200000,\"argv\":[\"\",\"a b\",\"\\\\\"\"]" &&
		event start 00.2 ",\"t_abs\":0.200000,\"argv\":[\"a\",1]" &&
		event start 00.2 ",\"t_abs\":0.200000,\"argv\":[\"a\",]" &&
		end
	} >odd.event &&
	trace2 script -F time,t_abs,t_rel,event,nesting,category,message odd.event >one 2>one.err &&
	trace2 report --counters --format=json odd.event >>one &&
	TRACE2_TEST_PARSER=simdjson trace2 script -F time,t_abs,t_rel,event,nesting,category,message odd.event >two 2>two.err &&
	TRACE2_TEST_PARSER=simdjson trace2 report --counters --format=json odd.event >>two &&
	test_cmp one two &&
	test_cmp one.err two.err &&
	test_grep "18446744073709551615" one &&
	test_grep "not a JSON object" one.err
'

# The line itself is between its broken copies, so that the line before, which a
# parser remembers, is the same, another one, and partly the same.
cat >mutate.pl <<\EOF
use strict;
use warnings;
my @other = ('"', '\\', '0', '9', '-', '.', ',', '}', ' ', 'e', "\x01",
	     "\x1f", "\x7f", "\xc3", "\xff", "\0", 'Z', '6', ':');
my ($n, %seen) = (0);
while (my $line = <>) {
	chomp $line;
	my ($event) = $line =~ /"event":"(\w+)"/ or next;
	next if $seen{$event}++;
	for my $i (0 .. length($line) - 1) {
		my $c = substr $line, $i, 1;
		for my $new ($other[$n++ % @other], '', "$c$c") {
			my $copy = $line;
			substr($copy, $i, 1) = $new;
			print "$copy\n";
		}
		print "$line\n" unless $i % 7;
	}
}
EOF

test_expect_success 'both JSON parsers read damaged lines (a byte changed, lost, doubled) alike' '
	"$PERL_PATH" mutate.pl "$traces"/*.event >mutated.event &&
	test "$(wc -l <mutated.event)" -gt 10000 &&
	test_when_finished "unset TRACE2_TEST_PARSER" &&
	for parser in recogniser simdjson
	do
		TRACE2_TEST_PARSER=$parser &&
		export TRACE2_TEST_PARSER &&
		{
			trace2 list --format=json mutated.event &&
			trace2 report --regions --timers --counters --errors \
				--format=json mutated.event &&
			trace2 script -F time,t_abs,t_rel,sid,thread,event,repo,nesting,category,message,file mutated.event
		} >"mutated.$parser" 2>&1 || return 1
	done &&
	test_cmp mutated.recogniser mutated.simdjson
'

# Every number and every string of a line of each event in other forms: at and
# beside the limits of machine words and of the fast parser.
cat >reshape.pl <<\EOF
use strict;
use warnings;
my @numbers = qw(0 -0 00 01 -1 1. .5 0.5 00.5 -0.0 -0.5 1e3 1.5e-3 0.0000001
	1.000000 9.999999 10.000000 9.9999999 12345678 123456789 -12345678
	1234567.123456789 1125899.906842 1125899.906843 999999999.9
	1000000000 4294967296 -9223372036854775808 123456789012345678
	1234567890123456789 18446744073709551615 18446744073709551616 1,5 1x
	true false tru null "1");
my %seen;
while (my $line = <>) {
	my ($event) = $line =~ /"event":"(\w+)"/ or next;
	next if $seen{$event}++;
	while ($line =~ /:(-?[\d.]+|true|false)[,}]/g) {
		my ($at, $len) = ($-[1], length $1);
		for my $new (@numbers) {
			my $copy = $line;
			substr($copy, $at, $len) = $new;
			print $copy;
		}
	}
	while ($line =~ /"([^"]*)"(?!:)/g) {
		my ($at, $len) = ($-[1], length $1);
		for my $n (0 .. 35, 63 .. 66, 300) {
			my $copy = $line;
			substr($copy, $at, $len) = 'x' x $n;
			print $copy;
			substr($copy, $at + $n - 1, 1) = ('\\"', "\x7f", "\xff",
				"\t", ' ', '\\u0041')[$n % 6] if $n;
			print $copy, $line;
		}
	}
}
EOF

test_expect_success 'numbers and strings of every shape are read by both parsers' '
	"$PERL_PATH" reshape.pl "$traces"/*.event >reshaped.event &&
	test "$(wc -l <reshaped.event)" -gt 10000 &&
	head -n 3000 reshaped.event | sed "s/\$/$(printf "\\r")/" >crlf.event &&
	cat reshaped.event >>crlf.event &&
	test_when_finished "unset TRACE2_TEST_PARSER" &&
	for parser in recogniser simdjson
	do
		TRACE2_TEST_PARSER=$parser &&
		export TRACE2_TEST_PARSER &&
		{
			trace2 list --format=json crlf.event &&
			trace2 report --regions --timers --counters --errors \
				--format=json crlf.event &&
			trace2 script -F time,t_abs,t_rel,sid,thread,event,repo,nesting,category,message,file crlf.event
		} >"reshaped.$parser" 2>&1 || return 1
	done &&
	test_cmp reshaped.recogniser reshaped.simdjson
'

test_expect_success 'a truncated last line does not affect earlier lines' '
	{ begin && end | head -c 150; } >cut.event &&
	trace2 list cut.event >out 2>err &&
	echo "trace2: warning: '\''cut.event'\'': line 3: the last line is cut short" >expect &&
	test_cmp expect err &&
	test_grep " open " out &&
	test_grep "prog .x y." out
'

test_expect_success 'garbage between lines is counted' '
	{ echo garbage && begin && printf "\\000\\001\\n" && echo "[1]" &&
	  echo "{\"event\":\"x\"}" && end; } >garbage.event &&
	trace2 list garbage.event >out 2>err &&
	test_grep "line 1: not a JSON object.*and 3 more like it" err &&
	test_grep " 1.000     0    7  prog" out
'

test_expect_success 'a line that is too long is skipped' '
	{ begin && "$PERL_PATH" -e "print q({\"event\":\"), q(x) x 40_000_000, qq(\"}\n)" && end; } >long.event &&
	trace2 list long.event >out 2>err &&
	test_grep "line 3: a line longer than 32 MiB was left out" err &&
	test_grep " 1.000     0    7  prog" out
'

test_expect_success 'bytes that are not UTF-8 are replaced' '
	{ begin && event cmd_path 00.2 ",\"path\":\"/a/B\"" | tr B "\\377" && end; } >utf8.event &&
	trace2 script -F event,message utf8.event >out 2>err &&
	test_grep "line 3: bytes that are not UTF-8" err &&
	grep "^cmd_path" out >actual &&
	printf "cmd_path      /a/\\357\\277\\275\\n" | test_cmp - actual
'

test_expect_success 'script --git-event prints an unknown event unchanged, and reports it' '
	{ begin && event future 00.2 ",\"x\":{\"y\":[1,2]}" && end; } >future.event &&
	trace2 script --git-event future.event >actual 2>err &&
	test_cmp future.event actual &&
	test_grep "an unknown event: kept unchanged" err
'

test_expect_success 'a session without version, start and end is read' '
	{ event cmd_name 00.1 ",\"name\":\"foo\"" &&
	  event region_leave 00.8 ",\"t_rel\":0.500000,\"nesting\":1,\"category\":\"a\",\"label\":\"b\"" &&
	  event child_exit 00.9 ",\"child_id\":9,\"pid\":77,\"code\":3,\"t_rel\":0.300000"; } >part.event &&
	trace2 list part.event >out 2>err &&
	test_grep "open    7  foo" out &&
	test_grep " 300.000     3   77  └ \[?\]" out &&
	test_grep "a region_leave without a region_enter" err &&
	trace2 report --regions part.event >out 2>/dev/null &&
	test_grep "500.000 *a/b$" out
'

test_expect_success 'a SID that starts twice makes two sessions' '
	{ begin && end && begin && end; } >twice.event &&
	trace2 list --format=json twice.event >out 2>err &&
	test_grep "has started before" err &&
	test "$(grep -c "\"name\":\"prog\"" out)" = 2
'

test_expect_success 'a forked process that keeps the SID is shown as another process' '
	trace2 list "$traces/fetch.event" >out &&
	test_prints sed -n "s/^[0-9:.]* *\([0-9].*maintenance\)/\1/p" out <<-\EOF
	1.175     0  15555     └ git maintenance run --auto --no-quiet --detach
	0.582     0         ?    └ git maintenance run --auto --no-quiet --detach (forked)
	EOF
'

test_expect_success 'perf text: a forked process that continues is shown with its name' '
	trace2 list "$traces/fetch.perf" 2>/dev/null >out &&
	sed -n "s/^[0-9:.]* *\([0-9].*maintenance\)/\1/p" out |
		sed "s/ *? */ /" >actual &&
	test_cmp - actual <<-\EOF
	1.175     0 └ git maintenance run --auto --no-quiet --detach
	0.582     0 └ git maintenance run --auto --no-quiet --detach (forked)
	EOF
'

# As Git 2.55 does: the fork is in a region, and may leave it before its parent
# has written its exit, in which the region has two dots.
test_expect_success JQ 'perf text: a forked process may leave a region that its parent entered' '
	cat >detached.perf <<-\EOF &&
	09:30:00.000200 a.c:48             | d0 | main                     | version      |     |           |           |              | 2.55.0
	09:30:00.000300 a.c:49             | d0 | main                     | start        |     |  0.000300 |           |              | git maintenance run --detach
	09:30:00.001000 a.c:50             | d0 | main                     | region_enter | r1  |  0.001000 |           | maintenance  | label:detach
	09:30:00.002000 a.c:51             | d0 | main                     | region_leave | r1  |  0.002000 |  0.001000 | maintenance  | label:detach
	09:30:00.002100 a.c:52             | d0 | main                     | exit         |     |  0.002100 |           |              | ..code:0
	09:30:00.002200 a.c:53             | d0 | main                     | atexit       |     |  0.002200 |           |              | ..code:0
	09:30:00.003000 a.c:54             | d0 | main                     | child_start  |     |  0.003000 |           |              | [ch0] class:? argv:[git gc]
	09:30:00.013000 a.c:55             | d0 | main                     | child_exit   |     |  0.013000 |  0.010000 |              | [ch0] pid:7 code:0
	09:30:00.014000 a.c:56             | d0 | main                     | exit         |     |  0.014000 |           |              | code:3
	09:30:00.014100 a.c:57             | d0 | main                     | atexit       |     |  0.014100 |           |              | code:3
	EOF
	trace2 check detached.perf &&
	trace2 list --format=json detached.perf >json &&
	test_prints jq -r ".processes[] | [.wall_ns / 1e6, .code, .join, .argv[0:2][]] |
		join(\" \")" json <<-\EOF
	2.2 0 root git maintenance
	11.9 3 sid git maintenance
	10 0 span git gc
	EOF
'

# Stock Git writes newlines in words as they are.
test_expect_success JQ 'perf text: a quoted word may continue in the next lines' '
	cat >lines.perf <<-\EOF &&
	09:30:00.000200 a.c:48             | d0 | main                     | version      |     |           |           |              | 2.39.5
	09:30:00.000300 a.c:49             | d0 | main                     | start        |     |  0.000300 |           |              | git commit -m '\''it'\''\'\'''\''s

	  d0 of 3: isn'\''\'\'''\''t it'\'' file
	09:30:00.002000 a.c:54             | d0 | main                     | child_start  |     |  0.002000 |           |              | [ch0] class:hook argv:[cat '\''two
	lines'\'']
	09:30:00.003000 a.c:55             | d0 | main                     | child_exit   |     |  0.003000 |  0.001000 |              | [ch0] pid:7 code:0
	09:30:00.004000 a.c:54             | d0 | main                     | child_start  |     |  0.004000 |           |              | [ch1] don'\''t
	09:30:00.005000 a.c:55             | d0 | main                     | child_exit   |     |  0.005000 |  0.001000 |              | [ch1] pid:8 code:0
	09:30:00.014100 a.c:57             | d0 | main                     | atexit       |     |  0.014100 |           |              | code:0
	EOF
	trace2 check lines.perf &&
	trace2 list --format=json lines.perf >json &&
	test_prints jq -c ".processes[].argv" json <<-\EOF
	["git","commit","-m","it'\''s\n\n  d0 of 3: isn'\''t it","file"]
	["cat","two\nlines"]
	["dont"]
	EOF
'

test_expect_success 'perf text: an error may continue in the next line' '
	cat >error.perf <<-\EOF &&
	09:30:00.000200 a.c:48             | d0 | main                     | version      |     |           |           |              | 2.39.5
	09:30:00.000300 a.c:49             | d0 | main                     | start        |     |  0.000300 |           |              | git switch a
	09:30:00.002000 a.c:54             | d0 | main                     | error        |     |           |           |              | cannot switch: rebasing
	Consider "git rebase --quit"
	09:30:00.014100 a.c:57             | d0 | main                     | atexit       |     |  0.014100 |           |              | code:128
	EOF
	trace2 check error.perf &&
	trace2 script -F message error.perf >out &&
	test_grep "rebasing.nConsider .git rebase --quit" out &&
	sed "s/^Consider/fatal: &/" error.perf |
	test_expect_code 1 trace2 check - >out &&
	test_grep ":4: error: not a line of the perf target" out
'

test_expect_success JQ 'perf text: an argument whose closing quote is missing is shown as written' '
	head -n 3 lines.perf >cut.perf &&
	trace2 list --format=json cut.perf >json 2>err &&
	jq -c ".processes[].argv" json >actual &&
	printf "%s\n" "[\"git\",\"commit\",\"-m\",\"it'\''s\\n\"]" | test_cmp - actual
'

test_expect_success 'a wall clock set during a session does not change durations' '
	{ begin &&
	  event region_enter 00.2 ",\"nesting\":1,\"category\":\"a\",\"label\":\"b\"" &&
	  event region_leave 50.2 ",\"t_rel\":0.200000,\"nesting\":1,\"category\":\"a\",\"label\":\"b\"" &&
	  event atexit 50.8 ",\"t_abs\":0.800000,\"code\":0"; } >step.event &&
	trace2 list --format=json step.event >out 2>err &&
	test_grep "the wall clock was set" err &&
	test_grep "\"wall_ns\":800000000" out
'

test_expect_success JQ 'thread_exit without thread_start: the thread began t_rel earlier' '
	{ begin &&
	  event thread_exit 50.2 ",\"t_rel\":49.000000" | sed "s/\"main\"/\"th01:x\"/" &&
	  event atexit 50.8 ",\"t_abs\":50.800000,\"code\":0"; } >lost.event &&
	trace2 list --format=json lost.event >out 2>err &&
	test_must_be_empty err &&
	trace2 export --to csv --table threads lost.event >csv &&
	grep "th01:x,[0-9]*,[0-9]*,49000000000," csv
'

test_expect_success 'a brief stream gives the same durations as a full one' '
	sed -e "/\"version\"/b" -e "/\"atexit\"/b" \
		-e "s/\"time\":\"[^\"]*\",\"file\":\"[^\"]*\",\"line\":[0-9]*,//" \
		"$traces/status.event" >brief.event &&
	! cmp -s "$traces/status.event" brief.event &&
	trace2 report --regions --format=csv brief.event >actual &&
	trace2 report --regions --format=csv "$traces/status.event" >full &&
	for what in index/refresh index/do_read_index dir/read_directory
	do
		grep "$what\$" full | cut -d, -f1,4- | sed "s/,.*,index/,index/" >want &&
		grep "$what\$" actual | cut -d, -f1,4- | sed "s/,.*,index/,index/" >have &&
		test -s want &&
		test_cmp want have || return 1
	done
'

test_expect_success 'ten thousand nested regions are read' '
	{ begin &&
	  "$PERL_PATH" -e "
		my (\$sid, \$n) = @ARGV;
		sub line { my (\$e, \$i, \$t) = @_;
			printf qq({\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:00.%06dZ\",\"file\":\"a.c\",\"line\":1%s,\"nesting\":%d,\"category\":\"c\",\"label\":\"l%d\"}\n), \$e, \$sid, \$t, \$e eq q(region_leave) ? sprintf(q(,\"t_rel\":0.%06d), 200000 - 2 * \$i) : q(), \$i, \$i }
		line(q(region_enter), \$_, 200000 + \$_) for 1..\$n;
		line(q(region_leave), \$_, 400000 - \$_) for reverse 1..\$n" "$sid" 10000 &&
	  end; } >nested.event &&
	trace2 check nested.event >out &&
	test_grep "20004 events: no problems" out &&
	trace2 report nested.event >out &&
	trace2 report --regions --format=csv nested.event >out &&
	test_line_count = 10002 out
'

# Looking through all regions for each thread in each region would not end.
test_expect_success 'many threads, each joined in its own region, are read' '
	{ begin &&
	  "$PERL_PATH" -e "
		my (\$sid) = @ARGV;
		my \$us = 200000;
		sub line { my (\$e, \$t, \$rest) = @_; \$us += 10;
			printf qq({\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"%s\",\"time\":\"2026-11-21T07:20:%09.6fZ\",\"file\":\"a.c\",\"line\":1%s}\n), \$e, \$sid, \$t, \$us / 1e6, \$rest }
		for my \$i (1..20000) {
			my \$name = qq(,\"nesting\":1,\"category\":\"c\",\"label\":\"l\$i\");
			line(q(region_enter), q(main), \$name);
			line(q(thread_start), qq(th\$i:w), q()) if \$i <= 2000;
			line(q(thread_exit), qq(th\$i:w), q(,\"t_rel\":0.000010)) if \$i <= 2000;
			line(q(region_leave), q(main), \$name);
		}" "$sid" && event atexit 02.0 ",\"t_abs\":2.0,\"code\":0"; } >joined.event &&
	trace2 report --format=json joined.event >out &&
	echo 20000 | test_prints grep -c "\"label\":\"l[0-9]*\"" out &&
	rm joined.event out
'

test_expect_success 'many processes are read' '
	"$PERL_PATH" -e "
		for my \$i (1..20000) {
			my \$s = sprintf q(20261121T072000.%06dZ-H0a7c9cdf-P%08x), \$i, \$i;
			print qq({\"event\":\"version\",\"sid\":\"\$s\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:00.000000Z\",\"file\":\"a\",\"line\":1,\"evt\":\"4\",\"exe\":\"1\"}\n),
			      qq({\"event\":\"atexit\",\"sid\":\"\$s\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:01.000000Z\",\"file\":\"a\",\"line\":1,\"t_abs\":1.0,\"code\":0}\n);
		}" >many.event &&
	trace2 list many.event >out &&
	test_line_count = 20001 out
'

# A few threads and children of a session are searched one by one, many are in a
# map; numbers are reused, and the latest is meant.
test_expect_success 'many threads and children at once are read' '
	{ begin &&
	  "$PERL_PATH" -e "
		my (\$sid) = @ARGV;
		sub line { my (\$e, \$t, \$s, \$rest) = @_;
			printf qq({\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"%s\",\"time\":\"2026-11-21T07:20:%09.6fZ\",\"file\":\"a.c\",\"line\":1%s}\n), \$e, \$sid, \$t, \$s, \$rest }
		line(q(thread_start), qq(th\$_), 0.2, q()) for 1..30;
		line(q(data), qq(th\$_), 0.3, q(,\"t_abs\":0.3,\"t_rel\":0.1,\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"v\")) for reverse 1..30;
		line(q(thread_exit), qq(th\$_), 0.2 + \$_ / 100, sprintf q(,\"t_rel\":%.6f), \$_ / 100) for 1..30;
		for my \$again (0, 1) {
			line(q(child_start), q(main), 0.5, qq(,\"child_id\":\$_,\"child_class\":\"?\",\"use_shell\":false,\"argv\":[\"c\$again\",\"\$_\"])) for 0..29;
			line(q(child_exit), q(main), 0.5 + (\$_ + 1) / 1000, sprintf q(,\"child_id\":%d,\"pid\":%d,\"code\":%d,\"t_rel\":%.6f), \$_, 100 + \$_ + 100 * \$again, \$_, (\$_ + 1) / 1000) for reverse 0..29;
		}" "$sid" && end; } >many-of-each.event &&
	trace2 list --format=csv many-of-each.event >out 2>err &&
	test_must_be_empty err &&
	for again in 0 1
	do
		for i in 0 7 8 9 29
		do
			test_grep "^1,[^,]*,$((i + 1))000000,,$((100 + i + 100 * again)),c$again,c$again $i,exit,$i," out || return 1
		done
	done &&
	test_line_count = 62 out &&
	trace2 report --threads --format=csv many-of-each.event >out &&
	test_line_count = 32 out
'

for target in gc status alias clone
do
	test_expect_success "perf text gives the same list as event JSON: $target" '
		trace2 list --format=csv "$traces/$target.event" |
			cut -d, -f1,3 >expect &&
		trace2 list --format=csv "$traces/$target.perf" 2>/dev/null |
			cut -d, -f1,3 >actual &&
		test_cmp expect actual
	'
done

# Text does not distinguish a label with spaces from a label and a message.
test_expect_success 'perf text gives the same regions as event JSON' '
	for form in event perf
	do
		trace2 report --regions --format=csv "$traces/status.$form" |
			cut -d, -f1,7,13 | sed "s/ .*//" | grep -v in |
			sort >$form || return 1
	done &&
	test_line_count = 10 event &&
	test_cmp event perf
'

test_expect_success 'brief perf text gives the same list as full text' '
	sed "s/^.* | d\\([0-9]\\) | /d\\1 | /" "$traces/gc.perf" >brief.perf &&
	test_grep "^d0 | main" brief.perf &&
	trace2 list brief.perf >out &&
	test_grep "git prune --expire 2.weeks.ago" out &&
	test_grep " 32.446 " out
'

test_expect_success GIT 'streams of a live git in a directory are read' '
	mkdir live &&
	git init -q repo &&
	GIT_TRACE2_EVENT="$PWD/live" git -C repo status >/dev/null &&
	trace2 check live >out &&
	test_grep "1 session, .* events: no problems" out &&
	trace2 list live >out &&
	test_grep "git -C repo status" out
'

test_done
