#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 report --html: the page in a browser

The tests click and type in a Chromium without a window. They need the Debian
packages chromium and chromium-driver.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-page.sh
. "$TEST_DIRECTORY"/lib-stream.sh

# Start the browser of all tests. $session is its address; SIGTERM ends it.
start_browser () {
	chromium --version && chromedriver --version && mkfifo url || return
	# Beside the trash directory: the paths of sockets are short.
	browser_tmp=$(mktemp -d "${TMPDIR:-/tmp}/t3601.XXXXXX") || return
	TMPDIR=$browser_tmp "$PERL_PATH" -I"$TEST_DIRECTORY"/t3600 -MWebDriver -e '
		my $b = WebDriver->new;
		$b->js("return 1") == 1 or exit 1;
		$SIG{TERM} = sub { undef $b; exit };
		print $b->url, "\n";
		close STDOUT;
		sleep;' >url &
	browser=$!
	read -r session <url
}

if ! start_browser >&3 2>&4
then
	wait
	rm -rf "$browser_tmp"
	skip_all='there is no Chromium with ChromeDriver'
	test_done
fi
test_atexit 'kill "$browser" 2>/dev/null; wait "$browser"; rm -r "$browser_tmp"'

# browse PAGE [width=N] [height=N] [dark=1]: run the Perl of standard input with
# the page in $b. is(GOT, WANTED, WHAT) and like() end it on a difference, as
# does any error of the page, or any access to the network.
browse () {
	{
		cat <<-\EOF &&
		use strict; use warnings; use utf8; use WebDriver;
		binmode STDOUT, ':utf8'; binmode STDERR, ':utf8';
		my $page = shift;
		our $b = WebDriver->attach(shift, map { split /=/ } @ARGV);
		$b->open($page);
		sub is { my ($got, $want, $what) = @_;
			$got //= 'nothing';
			$got eq $want or die "$what: '$got', not '$want'\n" }
		sub like { my ($got, $want, $what) = @_;
			$got =~ $want or die "$what: '$got' is not like $want\n" }
		sub chosen { $b->text('#details h2') }
		# A click at a place, and keys, choose the expected item.
		sub picks { my ($at, $want, $what) = @_;
			$b->mouse('#canvas', 1, $at);
			is(chosen(), $want, $what) }
		sub leads { my ($want, $what, @keys) = @_;
			$b->keys(@keys);
			is(chosen(), $want, $what) }
		# The middle of a row of the timeline, below the ruler and the path; x
		# as a share of the bars' width.
		sub bar { my ($row, $share) = @_;
			my $width = $b->js('return document.querySelector("#canvas").clientWidth');
			my $gutter = $width * 0.24 > 230 ? 230 : $width * 0.24;
			return [$gutter + ($width - $gutter) * $share, 50 + 21 * $row + 10] }
		EOF
		cat &&
		cat <<-\EOF
		# The test reads pixels, not the page.
		my @said = grep { !/willReadFrequently/ }
			map { $_->{message} } $b->log('browser');
		die "console: @said\n" if @said;
		for ($b->log('performance')) {
			next if $_->{message} !~ /"Network.requestWillBeSent"/;
			my ($url) = $_->{message} =~ m{"request":.*?"url":"([^"]*)"};
			die "fetched $url\n" if $url !~ m{^(?:file|data|about):};
		}
		EOF
	} >browse.perl &&
	page=$PWD/$1 &&
	shift &&
	"$PERL_PATH" -I"$TEST_DIRECTORY"/t3600 browse.perl "$page" "$session" "$@"
}

test_expect_success 'setup: make the page of a known stream' '
	known_stream | sed "/\"event\":\"data\"/d; s,https://[^\"]*,-x," >known.event &&
	trace2 report --html page.html known.event
'

test_expect_success 'page: a click selects, a double click and a drag zoom' '
	browse page.html <<-\EOF
	is($b->text("#title"), "/usr/bin/top -x", "title");
	is($b->text("#summary"), "10.0 s wall, 2 processes, 3 threads, 3 spans, "
		. "500 ms (5.0%) spawning, 1 error", "summary");
	is($b->text("#range"), "0 s – 10.0 s", "all of it");
	picks(bar(1, 0.3), "c/outer", "a region");
	like($b->text("#details"), qr/took 4\.00 s.*of it itself 3\.00 s.*from 1\.00 s.*in process top.*thread main.*message all of it.*at a\.c:11/s, "what it is");
	picks(bar(2, 0.25), "d/inner", "the region in it");
	$b->click("#details button:nth-of-type(2)");
	is(chosen(), "c/outer", "around it");
	picks(bar(3, 0.52), "thread th01:work", "a thread");
	$b->mouse("#canvas", 1, bar(1, 0.55));
	like($b->text("#details"), qr/Select a bar/, "nothing there");
	$b->mouse("#canvas", 2, bar(2, 0.25));
	is($b->text("#range"), "1.96 s – 3.04 s (1.08 s)", "a double click");
	my $middle = bar(2, 0.5);
	$b->mouse("#canvas", 1, $middle, [$middle->[0] - 100, $middle->[1]]);
	like($b->text("#range"), qr/^2\.0\d s – 3\.1\d s \(1\.08 s\)$/, "dragged");
	$b->click("#zoom-all");
	is($b->text("#range"), "0 s – 10.0 s", "all of it again");
	my ($from, $to) = (bar(0, 0.2), bar(0, 0.4));
	$_->[1] = 10 for $from, $to;
	$b->mouse("#canvas", 1, $from, $to);
	like($b->text("#range"), qr/^(?:2\.00|1\.99) s – (?:4\.00|3\.99) s/, "a drag on the ruler");
	$b->click("#zoom-out");
	like($b->text("#range"), qr/^1\.[45]\d s – 5\.[45]\d s \((?:4\.00|3\.99|4\.01) s\)$/, "zoomed out");
	EOF
'

# The track above the rows is the path: `writer` to 52 us, `reader` to 80 us.
test_expect_success 'page: the critical path, states, and wake-ups as arrows are drawn' '
	waiting_recording &&
	trace2 report --html states.html r &&
	browse states.html <<-\EOF &&
	# The colour of a pixel; the name of the state with this colour.
	my $pixel = sub { my ($x, $y) = @_; $b->js("const c = document.querySelector(\"#canvas\"); return [...c.getContext(\"2d\").getImageData(arguments[0], arguments[1], 1, 1).data].slice(0, 3).map((v) => v.toString(16).padStart(2, \"0\")).join(\"\")", map { int } $x, $y) };
	my $state = sub { my $colour = $pixel->(@_);
		(grep { $b->js("return getComputedStyle(document.documentElement).getPropertyValue(\"--state-$_\")") =~ /#$colour$/ } qw(run ready child pipe))[0] // $colour };
	my $path = sub { my $p = bar(0, $_[0] / 90); [$p->[0], 24 + 9] };
	my $strip = sub { my ($row, $us) = @_; my $p = bar($row, $us / 90); ($p->[0], $p->[1] + 8) };
	is($state->(@{$path->(2)}), "run", "the path begins");
	is($state->(@{$path->(51)}), "run", "the path in the writer");
	is($state->(@{$path->(80.5)}), "ready", "the path without a CPU");
	is(join(" ", map { $state->($strip->(0, $_)) } 3, 40, 80.5, 85), "run child ready run", "top");
	is(join(" ", map { $state->($strip->(2, $_)) } 8, 15, 40, 70), "ready run pipe run", "reader");
	like($pixel->($strip->(2, 89)), qr/^f+$/, "after its end");
	is($b->text("#grain"), "", "nothing is put together");
	like($b->text("#legend"), qr/^run 110 µs\s+no CPU 10.0 µs\s+wait child 73.0 µs\s+wait pipe 30.0 µs$/, "sums");
	like($b->text("#summary"), qr/, 5.00 µs \(5.6%\) without a CPU/, "what the path had not");
	picks($path->(40), "writer", "a part of the path");
	like($b->text("#details"), qr/is a part of the critical path.*took 44.0 µs.*reason run.*in process writer/s, "what it is");
	# The thread that woke the reader at 52 us is in the row above.
	my $arrow = sub { my $p = bar(1, 52 / 90); $pixel->($p->[0], $p->[1] + 13) };
	my $before = $arrow->();
	picks(bar(2, 0.5), "reader", "a process");
	like($b->text("#details"), qr/run 42.0 µs.*no CPU 6.00 µs.*wait pipe 30.0 µs/s, "its states");
	$b->idle while $b->text("#legend-of") ne "reader:";
	like($b->text("#legend"), qr/^run 42.0 µs\s+no CPU 6.00 µs\s+wait pipe 30.0 µs$/, "its threads");
	$arrow->() ne $before or die "no arrow\n";
	$b->keys("Enter");
	$b->keys(("+") x 4);
	# In the middle of its life it only waits.
	$b->idle while $b->text("#legend") !~ /^wait pipe \S+ µs$/;
	EOF
	sed "s/\"grain\":0,\"recordedStates\":[0-9]*/\"grain\":8000,\"recordedStates\":320001/" \
		states.html >grain.html &&
	browse grain.html <<-\EOF
	like($b->text("#states"), qr/Of 320 001 recorded states, those shorter than 8\.00 µs are merged/, "what is left out");
	EOF
'

# Two at a time: job 1 to 60 is sh, which runs cc, all below make.
test_expect_success 'page: many processes are packed into lanes that can be unfolded' '
	"$PERL_PATH" -e "
		my @lines = ([0, q(0 fork 10 10 1 1)], [1, q(0 in 10 10)],
			[2, q(0 comm 10 10 make exec)], [20_000, q(0 exit 10 10)]);
		for my \$k (1 .. 60) {
			my (\$at, \$sh, \$cc, \$cpu) = (100 + 300 * \$k, 100 + \$k, 200 + \$k, \$k % 2);
			push @lines, [\$at, qq(\$cpu fork \$sh \$sh 10 10)],
				[\$at + 10, qq(\$cpu comm \$sh \$sh sh exec)],
				[\$at + 20, qq(\$cpu fork \$cc \$cc \$sh \$sh)],
				[\$at + 30, qq(\$cpu comm \$cc \$cc cc exec)],
				[\$at + 500, qq(\$cpu exit \$cc \$cc)],
				[\$at + 520, qq(\$cpu exit \$sh \$sh)];
		}
		print map { qq(@\$_\n) } sort { \$a->[0] <=> \$b->[0] } @lines;
	" >records &&
	made r <records &&
	trace2 report --html lanes.html r &&
	browse lanes.html <<-\EOF
	my $rows = sub { ($b->js("return document.querySelector(\"#spacer\").offsetHeight") - 50) / 21 };
	# Job 31 began at 9400.
	my $at = sub { my ($row, $us) = @_; bar($row, $us / 20_000) };
	my $title = sub { my ($row) = @_; [10, bar($row, 0)->[1]] };
	is($rows->(), 5, "make, and two lanes of sh with cc");
	$b->click("#tab-processes_by_kind");
	like($b->text("#processes_by_kind tbody"), qr/^\[?make.*^sh x 60 \(\S+, max .*^cc x 60 \(/ms, "the table");
	picks($at->(1, 9600), "sh", "a job");
	like($b->text("#details"), qr/pid 131/, "the 31st");
	$b->mouse("#canvas", 1, $at->(2, 9600));
	like($b->text("#details"), qr/pid 231/, "what it runs");
	$b->mouse("#canvas", 1, $at->(3, 9800));
	like($b->text("#details"), qr/pid 132/, "the job beside it");
	$b->mouse("#canvas", 1, $title->(0));
	is($rows->(), 5, "make, and its one kind");
	$b->mouse("#canvas", 1, $title->(1));
	is($rows->(), 1 + 1 + 60 * 2, "each job");
	$b->mouse("#canvas", 1, $title->(0));
	is($rows->(), 5, "folded");
	$b->mouse("#canvas", 1, $at->(2, 9600));
	$b->click("#details button:nth-of-type(3)");
	like($b->text("#details"), qr/pid 231/, "the same");
	is($rows->(), 1 + 1 + 60 * 2, "in a row of its own");
	EOF
'

test_expect_success 'page: printing shows the current table with 40 rows' '
	browse lanes.html <<-\EOF
	$b->click("#tab-processes");
	my $shown = sub { $b->js("return [...document.querySelectorAll(\".table\")].map((t) => [...t.querySelectorAll(\"tbody tr\")].filter((r) => r.offsetParent).length).filter((n) => n).join()") };
	is($shown->(), 100, "on a screen");
	$b->cdp("Emulation.setEmulatedMedia", { media => "print" });
	my $printed = $shown->();
	$b->cdp("Emulation.setEmulatedMedia", { media => "" });
	is($printed, 40, "on paper");
	EOF
'

test_expect_success 'page: a sorted table has rows without a value last' '
	browse page.html <<-\EOF
	$b->click("#tab-processes");
	for my $way ("descending ▾", "ascending ▴") {
		$b->js("[...document.querySelectorAll(\"#processes thead button\")].find((e) => e.textContent === \"PID\").click()");
		is($b->js("const th = document.querySelector(\"#processes [aria-sort=descending], #processes [aria-sort=ascending]\"); return th.ariaSort + getComputedStyle(th.firstChild, \"::after\").content.slice(1, 3)"), $way, "its mark");
		is($b->text("#processes tbody tr:last-child th"), "top -x", $way);
	}
	EOF
'

# Four times the processes in the same time, or ten times with GIT_TEST_LONG.
test_expect_success 'page: drawing costs grow with pixels, not with processes' '
	times=4 &&
	if test_have_prereq EXPENSIVE
	then
		times=10
	fi &&
	for n in 1000 ${times}000
	do
		"$PERL_PATH" -e "
			my (\$n, \$wall) = (shift, 800_000);
			my @lines = ([0, q(0 fork 10 10 1 1)], [1, q(0 in 10 10)],
				[2, q(0 comm 10 10 make exec)], [\$wall + 20, q(0 exit 10 10)]);
			for my \$k (1 .. \$n) {
				my (\$at, \$sh, \$cc) = (10 + int(\$wall / \$n) * (\$k - 1), 100 + \$k, 100_000 + \$k);
				push @lines, [\$at, qq(1 fork \$sh \$sh 10 10)],
					[\$at + 1, qq(1 in \$sh \$sh)],
					[\$at + 2, qq(1 comm \$sh \$sh sh exec)],
					[\$at + 3, qq(1 fork \$cc \$cc \$sh \$sh)],
					[\$at + 4, qq(1 out \$sh \$sh)],
					[\$at + 5, qq(1 in \$cc \$cc)],
					[\$at + 6, qq(1 out \$cc \$cc preempted)],
					[\$at + 8, qq(1 in \$cc \$cc)],
					[\$at + 20, qq(1 out \$cc \$cc)],
					[\$at + 20, qq(1 exit \$cc \$cc)],
					[\$at + 22, qq(1 in \$sh \$sh)],
					[\$at + 30, qq(1 out \$sh \$sh)],
					[\$at + 30, qq(1 exit \$sh \$sh)];
			}
			print map { qq(@\$_\n) } sort { \$a->[0] <=> \$b->[0] } @lines;
		" $n >records &&
		made r <records &&
		trace2 report --html page-of-many.html r &&
		sed "s,^<script>,&/* of $n */," page-of-many.html >many.html &&
		"$PERL_PATH" "$TEST_DIRECTORY"/t3600/steps.perl "$PWD"/many.html \
			"$session" >count.$n || return 1
	done &&
	few=$(cat count.1000) && many=$(cat count.${times}000) &&
	echo "$few and $many steps" >&3 &&
	test "$few" -gt 10000 && test "$many" -lt $((2 * few))
'

# As deep as a recursion may not be, with GIT_TEST_LONG.
test_expect_success 'page: a tree of processes or a stack deeper than the lanes is drawn' '
	deep=1000 &&
	if test_have_prereq EXPENSIVE
	then
		deep=5000
	fi &&
	"$PERL_PATH" -e "
		my \$deep = shift;
		my @lines = ([0, q(0 fork 1000 1000 1 1)], [6000, q(0 exit 1000 1000)]);
		push @lines, [\$_, sprintf q(0 fork %d %d %d %d),
				(1000 + \$_) x 2, (999 + \$_) x 2],
			[\$_, sprintf q(0 comm %d %d deep exec), (1000 + \$_) x 2],
			[6000, sprintf q(0 exit %d %d), (1000 + \$_) x 2] for 1 .. \$deep;
		print map { qq(@\$_\n) } sort { \$a->[0] <=> \$b->[0] } @lines;
	" $deep >records &&
	made r <records &&
	trace2 report --html deep.html r &&
	DEEP=$deep browse deep.html <<-\EOF
	my $rows = "return (document.querySelector(\"#spacer\").offsetHeight - 50) / 21";
	is($b->js($rows), 1 + 400 + 1, "one, lanes, and the rest in the last");
	$b->js("document.querySelector(\"#canvas\").focus()");
	$b->keys("ArrowDown", ("ArrowDown") x 30);
	like($b->text("#details"), qr/pid 1030/, "the 30th");
	$b->click("#tab-processes");
	$b->js("let more; while ((more = document.querySelector(\"#processes .more button\"))) more.click()");
	$b->js("[...document.querySelectorAll(\"#processes tbody th a\")].pop().click()");
	like($b->text("#details"), qr/pid ${\(1000 + $ENV{DEEP})}/, "the last");
	$b->click("#details button:nth-of-type(3)");
	is($b->js($rows), $ENV{DEEP} + 1, "all have rows");
	EOF
'

test_expect_success 'page: keys reach every item' '
	browse page.html <<-\EOF
	$b->js("document.querySelector(\"#canvas\").focus()");
	leads("top", "the first process", "ArrowDown");
	leads("c/outer", "down", "ArrowDown");
	leads("child kid", "right", "ArrowRight");
	leads("d/inner", "left, down", "ArrowLeft", "ArrowDown");
	$b->keys(("ArrowUp") x 3);
	like($b->text("#details"), qr/part of the critical path.*from 3\.00 s/s, "up to the path");
	leads("d/inner", "and back", ("ArrowDown") x 3);
	$b->keys("Enter");
	is($b->text("#range"), "1.96 s – 3.04 s (1.08 s)", "Enter");
	$b->keys("-", "-");
	like($b->text("#range"), qr/\(3\.00 s\)/, "minus");
	$b->keys("+", "+");
	like($b->text("#range"), qr/\(1\.08 s\)/, "plus");
	$b->keys("Shift+ArrowRight");
	like($b->text("#range"), qr/^2\.18 s/, "Shift and an arrow");
	$b->keys("0");
	is($b->text("#range"), "0 s – 10.0 s", "0");
	my $rows = "return document.querySelector(\"#spacer\").offsetHeight";
	my $before = $b->js($rows);
	leads("top", "the folded one", " ");
	is($b->js($rows), 50 + 2 * 21, "it and what it started are left");
	$b->keys(" ");
	is($b->js($rows), $before, "unfolded");
	$b->keys("Escape");
	like($b->text("#details"), qr/Select a bar/, "Escape");
	EOF
'

test_expect_success 'page: search marks items and narrows tables' '
	browse page.html <<-\EOF
	$b->keys("/");
	is($b->js("return document.activeElement.id"), "query", "/ goes there");
	$b->keys(split //, "KID");
	$b->keys("Enter");
	is($b->text("#found"), "1 of 2", "Enter finds");
	is(chosen(), "child kid", "the first");
	leads("kid", "the next", "Enter");
	is($b->text("#tab-processes"), "Processes (1)", "the tab of a table");
	like($b->js("return document.querySelector(\"#of-processes\").textContent"), qr/: 1 of 2 rows match the search$/, "the table");
	$b->keys("Enter");
	is($b->text("#found"), "1 of 2", "from the end to the beginning");
	$b->click("#previous");
	is($b->text("#found"), "2 of 2", "back");
	$b->keys("/", "Escape");
	is($b->text("#found"), "", "nothing is searched");
	# Above the text of a bar, and below the mark.
	my $colour = sub { my $p = bar(@_); $b->idle; $b->js("return [...document.querySelector(\"#canvas\").getContext(\"2d\").getImageData(arguments[0], arguments[1], 1, 1).data].join()", int $p->[0], int $p->[1] + 7) };
	my @plain = map { $colour->(@$_) } [1, 0.45], [2, 0.29];
	$b->type("#query", "d/inner\x{e007}");
	is($colour->(2, 0.29), $plain[1], "a match keeps its colour");
	$colour->(1, 0.45) ne $plain[0] or die "others are not pale\n";
	$b->keys("/", "Escape");
	$b->type("#query", "a.c:12\x{e007}");
	is(chosen(), "d/inner", "by its place");
	$b->keys("/");
	$b->type("#query", "nowhere\x{e007}");
	is($b->text("#found"), "0 matches", "what is not there");
	EOF
'

test_expect_success 'page: the flame graph shows stacks, and zooms' '
	browse page.html <<-\EOF
	$b->click("#tab-flame");
	is($b->text("#range"), "10.5 s in all stacks", "all");
	$b->mouse("#flame-canvas", 1, [50, 19 * 2 + 9]);
	is(chosen(), "c/outer", "the widest");
	like($b->text("#details"), qr/took 4\.00 s, 38\.1%.*itself 3\.00 s.*stack top › c\/outer/s, "what it is");
	is($b->text("#range"), "c/outer: 4.00 s", "zoomed");
	$b->js("document.querySelector(\"#flame-canvas\").focus()");
	leads("d/inner", "down", "ArrowDown");
	leads("kid", "beside", "ArrowUp", "ArrowRight");
	$b->keys("0");
	is($b->text("#range"), "10.5 s in all stacks", "0");
	EOF
'

test_expect_success 'page: spans have lanes, and show where they waited' '
	trace2 report --html spans.html "$TEST_DIRECTORY"/t3300/spans.event &&
	browse spans.html <<-\EOF
	like($b->text("#summary"), qr/2 processes, 4 threads, 7 spans/, "lanes are no thread");
	picks(bar(6, 0.3), "http/request", "a span");
	like($b->text("#details"), qr/is a span.*took 100 ms.*attributes .*"path":"\/a.*where queue 20\.000 ms, th01:worker 30\.000 ms, th02:worker 39\.000 ms, no thread 11\.000 ms/s, "where it was");
	picks(bar(7, 0.2), "db/query", "a span in it");
	like($b->text("#details"), qr/failed: no such table/, "why it failed");
	$b->click("#details button:nth-of-type(2)");
	is(chosen(), "http/request", "around it");
	picks(bar(7, 0.6), "job/tick", "one beside it");
	like($b->text("#details"), qr/no end seen/, "it is open");
	$b->click("#tab-slowest_spans");
	$b->click("#slowest_spans tr:nth-of-type(2) a");
	is(chosen(), "http/request", "from the table");
	EOF
'

test_expect_success 'page: tables switch by keys, sort by clicks, and names select in the timeline' '
	browse page.html <<-\EOF
	my $names = "return [...document.querySelectorAll(arguments[0] + \" tbody:first-of-type > tr > th\")].map((e) => e.textContent).join(\", \")";
	$b->click("#tab-critical_path");
	is($b->js($names, "#critical_path"), "top -x, c/outer, d/inner, kid -v", "the critical path");
	$b->keys("ArrowRight");
	is($b->js($names, "#processes"), "top -x, kid -v", "processes");
	$b->keys("ArrowRight");
	is($b->js("return document.activeElement.id"), "tab-regions", "the next tab");
	is($b->js($names, "#regions"), "(in no region), c/outer, d/inner", "regions by self");
	my $sort = sub { $b->js("[...document.querySelectorAll(arguments[0] + \" thead button\")].find((e) => e.textContent === arguments[1]).click()", @_) };
	$sort->("#regions", "Max");
	is($b->js("return document.querySelector(\"#regions [aria-sort=descending]\").textContent"), "Max", "said");
	$sort->("#regions", "Max");
	is($b->js($names, "#regions"), "d/inner, c/outer, (in no region)", "the shortest first");
	$b->click("#regions tbody tr:nth-child(1) a");
	is(chosen(), "d/inner", "led there");
	is($b->js("return document.activeElement.id"), "canvas", "and the keys, too");
	$b->click("#tab-timers");
	like($b->text("#timers"), qr{t/parse\s+600 ms\s+3\s+200 ms\s+100 ms\s+252 ms\s+252 ms\s+252 ms\s+300 ms\s+2 buckets}, "a timer");
	$b->click("#timers summary");
	like($b->text("#timers details"), qr/Up to Intervals\s+101 ms 1\s+252 ms 2/, "its histogram");
	$b->click("#tab-counters");
	is($b->js($names, "#counters"), "k/bytes, k/files", "counters");
	like($b->text("#counters"), qr{k/bytes 12 345}, "a counter");
	$b->click("#tab-errors");
	like($b->text("#errors"), qr{no luck 4\.00 s top a\.c:14}, "an error");
	EOF
'

test_expect_success 'page: tables have values with units, and values by thread' '
	mkdir -p counted/events &&
	cp "$TRACES/counters.event" counted/events/ &&
	cat >counted/meta.json <<-\EOF &&
	{"version":1,"counters":{"page-faults":{"value":12345,"unit":""},"task-clock":{"value":1500000,"unit":"ns"},"process/maxrss/":{"value":3145728,"unit":"bytes"}}}
	EOF
	trace2 report --html counted.html counted &&
	browse counted.html <<-\EOF
	my $rows = "return [...document.querySelectorAll(arguments[0] + \" tbody tr\")].map((r) => [...r.children].map((c) => c.textContent).join(\" \")).sort().join(\"; \")";
	is($b->js($rows, "#counters"), "page-faults 12 345 ; process/maxrss/ 3.00 MiB ; task-clock 1.50 ms ; test/test2 60 1", "counters");
	is($b->text("#tab-counters_by_thread"), "Counters by thread", "another tab");
	is($b->js($rows, "#counters_by_thread"), join("; ", map { "th0$_:ut_201 20 1 test/test2" } 1 .. 3), "by thread");
	is($b->js("return document.querySelectorAll(\"#timers_by_thread, #tab-errors\").length"), 0, "no rows, no table");
	EOF
'

# Two data points in the region, one at 1.5 s and one at 4.5 s, an error between
# them at 4 s, a message outside, and nothing in a process that it started.
test_expect_success 'page: data, messages and errors are drawn, and selected by click and key' '
	"$PERL_PATH" -pe "
		print qq({\"event\":\"data\",\"sid\":\"P\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:01.500000Z\",\"file\":\"a.c\",\"line\":51,\"t_abs\":1.5,\"t_rel\":0.5,\"nesting\":2,\"category\":\"d\",\"key\":\"one\",\"value\":\"11\"}\n)
			if /07:20:02.0.*inner/;
		print qq({\"event\":\"data_json\",\"sid\":\"P\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:04.500000Z\",\"file\":\"a.c\",\"line\":52,\"t_abs\":4.5,\"t_rel\":3.5,\"nesting\":2,\"category\":\"d\",\"key\":\"two\",\"value\":[{\"x\":7}]}\n)
			if /region_leave.*outer/;
		print qq({\"event\":\"printf\",\"sid\":\"P\",\"thread\":\"main\",\"time\":\"2026-11-21T07:20:09.000000Z\",\"file\":\"a.c\",\"line\":53,\"t_abs\":9.0,\"msg\":\"by the way\"}\n)
			if /\"event\":\"exit\",\"sid\":\"P\"/;
	" known.event >marks.event &&
	trace2 report --html marks.html marks.event &&
	browse marks.html <<-\EOF
	# Below and above in the bar of the region, at 1.5, 4 and 3 s.
	my @places = map { my ($share, $dy) = @$_; my $p = bar(1, $share);
		map { int } $p->[0], $p->[1] + $dy } [0.15, 5], [0.4, -7], [0.3, 5], [0.3, -7];
	my @colours = @{$b->js("const c = document.querySelector(\"#canvas\"); const { width, data } = c.getContext(\"2d\").getImageData(0, 0, c.width, c.height); const found = []; for (let i = 0; i < arguments.length; i += 2) { const k = (arguments[i + 1] * width + arguments[i]) * 4; found.push([...data.slice(k, k + 3)].join()); } return found", @places)};
	is($colours[0], "28,33,38", "the square");
	is($colours[1], "179,38,30", "the triangle");
	is($colours[2], $colours[3], "where no mark is");
	picks(bar(1, 0.15), "d/one", "a data point");
	like($b->text("#details"), qr/is a data point.*when 1\.50 s.*in c\/outer.*in process top.*value 11.*at a\.c:51/s, "what it is");
	picks(bar(1, 0.4), "error: no luck", "an error");
	picks(bar(1, 0.3), "c/outer", "between them the region");
	# From there on by time, and back.
	leads("d/one", "the first behind its beginning", "m");
	my @seen = map { $b->keys("m"); chosen() } 1 .. 4;
	is("@seen", "error: no luck d/two message: by the way d/one", "by time, and around");
	leads("message: by the way", "back", "M");
	$b->click("#details button:nth-of-type(2)");
	is(chosen(), "top", "around it");
	$b->keys("m", "m");
	$b->keys("Enter");
	like($b->text("#range"), qr/^3\.80 s – 4\.20 s/, "a twentieth of the region on both sides");
	$b->click("#zoom-all");
	$b->click("#tab-data");
	is($b->js("return [...document.querySelectorAll(\"#data tbody tr\")].map((r) => r.innerText.replace(/\\s+/g, \" \")).join(\"; \")"),
		"d/one 1.50 s top 11 a.c:51; d/two 4.50 s top [{\"x\":7}] a.c:52; message 9.00 s top by the way a.c:53", "the table");
	$b->click("#data tbody tr:nth-child(2) a");
	is(chosen(), "d/two", "a name leads to its mark");
	$b->click("#tab-errors");
	$b->click("#errors tbody tr a");
	is(chosen(), "error: no luck", "and a message");
	$b->type("#query", "by the way\x{e007}");
	is(chosen(), "message: by the way", "found");
	is($b->text("#found"), "1 of 1", "once");
	EOF
'

test_expect_success TREESUM,LIBDW 'page: samples have a flame graph for each event' '
	mkdir rings tree &&
	for i in 1 2 3 4 5 6 7 8
	do
		echo "$i" >tree/$i.txt || return 1
	done &&
	GIT_TRACE2_SAMPLE=app/treesum/files/:4,app/treesum/bytes/:8 \
		GIT_TRACE2_RING="$PWD/rings" \
		"$GIT_BUILD_DIR"/build/examples/treesum -j 1 tree >/dev/null &&
	trace2 report --html samples.html rings &&
	browse samples.html <<-\EOF &&
	$b->click("#tab-samples");
	is($b->text("#range"), ($b->js("return document.querySelector(\"#samples-event\").selectedOptions[0].text") =~ /files/ ? "8" : "16") . " in all stacks", "all that was counted");
	$b->js("const s = document.querySelector(\"#samples-event\"); s.value = [...s.options].find((o) => o.text === arguments[0]).value; s.dispatchEvent(new Event(\"change\"))", "app/treesum/files/:4");
	is($b->text("#range"), "8 in all stacks", "another event");
	$b->js("document.querySelector(\"#samples-canvas\").focus()");
	$b->keys(("ArrowDown") x 2);
	like($b->text("#details"), qr/counted 8, 100\.0%.*of it itself 0/s, "keys go down");
	$b->keys(("ArrowDown") x 20);
	like(chosen(), qr/^sum_files?$/, "to what counted");
	is($b->text("#samples-of"), "in all threads", "of all of it");
	like($b->text("#details"), qr/of it itself 8.*stack .*run_thread › sum_files\b/s, "with its stack");
	# The graph is of the selection, and of the time that is shown: sum_files is called
	# in a region of the thread.
	my $all = sub { $b->click("#tab-samples"); $b->text("#range") };
	$b->click("#tab-timeline");
	$b->js("document.querySelector(\"#canvas\").focus()");
	$b->keys("ArrowDown");
	is($all->(), "8 in all stacks", "of the process");
	is($b->text("#samples-of"), "in treesum", "said");
	$b->click("#tab-timeline");
	# It starts the session before it counts.
	$b->mouse("#canvas", 1, [bar(0, 0.001)->[0], 10], [bar(0, 0.02)->[0], 10]);
	is($all->(), "0 in all stacks", "of its start");
	like($b->text("#samples-of"), qr/^in treesum, \S+ \S+ – /, "said");
	EOF
	browse page.html <<-\EOF
	is($b->js("return document.querySelectorAll(\"#tab-samples\").length"), 0, "no samples, no tab");
	EOF
'

test_expect_success CC,WAKERS,LIBDW 'page: a key switches the flame graph from CPU time to waits' '
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -o naps \
		"$TEST_DIRECTORY/t3160/naps.c" &&
	trace2 record -q -o naps.rec --profile -- sh -c "
		i=0; while test \$i -lt 30000; do i=\$((i + 1)); done; exec ./naps" &&
	trace2 report --html naps.html naps.rec &&
	browse naps.html <<-\EOF
	$b->click("#tab-samples");
	my $event = "return document.querySelector(\"#samples-event\").selectedOptions[0].text";
	is($b->js($event), "task-clock", "the CPU first");
	$b->js("document.querySelector(\"#samples-event\").focus()");
	$b->keys("ArrowDown");
	is($b->js($event), "waits", "then waits");
	$b->js("document.querySelector(\"#samples-canvas\").focus()");
	$b->keys(("ArrowDown") x 20);
	like($b->text("#details"), qr/took (?:[3-9]\d\d ms|[\d.]+ s).*stack .*main › long_nap/s, "what waited, and for how long");
	$b->click("#tab-functions");
	is($b->text("#functions") =~ /_nap/ ? "waits" : "none", "none", "functions are those that compute");
	# The nap of 300 ms ends last: less of it is in half of the last tenth.
	my @waited = map {
		$b->click("#tab-timeline");
		$b->click("#zoom-all");
		$b->mouse("#canvas", 1, [bar(0, 0.9)->[0], 10], [bar(0, $_)->[0], 10]);
		$b->click("#tab-samples");
		$b->text("#range") =~ /^([\d.]+) (m?s) in all stacks/ ?
			$1 * ($2 eq "s" ? 1000 : 1) : 0;
	} 0.95, 0.999;
	is($waited[0] < $waited[1] ? "less" : "@waited", "less", "a wait counts with the part that is shown");
	EOF
'

test_expect_success 'page: numbers are those of the text report' '
	trace2 report --regions --format=csv "$TRACES/clone.event" >csv &&
	cut -d, -f7,13 csv | sed 1d | sort >expect &&
	trace2 report --html clone.html "$TRACES/clone.event" &&
	browse clone.html >actual.raw <<-\EOF &&
	$b->click("#tab-regions");
	print map { "$_\n" } @{$b->js("return [...document.querySelectorAll(\"#regions tbody tr\")].map((r) => r.children[4].textContent + \",\" + r.children[0].textContent)")};
	EOF
	sort actual.raw >actual &&
	test_cmp expect actual
'

test_expect_success 'page: colours follow the system, the button and the printer' '
	browse page.html dark=1 <<-\EOF
	my $colours = "const s = getComputedStyle(document.body); return s.color + \" on \" + s.backgroundColor";
	is($b->js($colours), "rgb(228, 233, 238) on rgb(20, 24, 28)", "dark");
	$b->dark(0);
	$b->idle;
	is($b->js($colours), "rgb(28, 33, 38) on rgb(255, 255, 255)", "light");
	$b->click("#theme");
	is($b->text("#theme"), "Theme: light", "one press");
	$b->click("#theme");
	is($b->js($colours), "rgb(228, 233, 238) on rgb(20, 24, 28)", "two");
	$b->js("dispatchEvent(new Event(\"beforeprint\"))");
	is($b->js($colours), "rgb(28, 33, 38) on rgb(255, 255, 255)", "on paper");
	EOF
'

test_expect_success 'page: a long region that follows a very short one is drawn' '
	cat >tiny.event <<-\EOF &&
	{"event":"version","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"evt":"4","exe":"1"}
	{"event":"start","sid":"P","thread":"main","time":"2026-11-21T07:20:00.000000Z","file":"a.c","line":1,"t_abs":0.0,"argv":["x"]}
	{"event":"region_enter","sid":"P","thread":"main","time":"2026-11-21T07:20:01.000000Z","file":"a.c","line":1,"nesting":1,"category":"c","label":"a"}
	{"event":"region_leave","sid":"P","thread":"main","time":"2026-11-21T07:20:01.000001Z","file":"a.c","line":1,"nesting":1,"category":"c","label":"a","t_rel":0.000001}
	{"event":"region_enter","sid":"P","thread":"main","time":"2026-11-21T07:20:01.000002Z","file":"a.c","line":1,"nesting":1,"category":"c","label":"b"}
	{"event":"region_leave","sid":"P","thread":"main","time":"2026-11-21T07:20:09.000000Z","file":"a.c","line":1,"nesting":1,"category":"c","label":"b","t_rel":7.999998}
	{"event":"exit","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":1,"t_abs":10.0,"code":0}
	{"event":"atexit","sid":"P","thread":"main","time":"2026-11-21T07:20:10.000000Z","file":"a.c","line":1,"t_abs":10.0,"code":0}
	EOF
	trace2 report --html tiny.html tiny.event &&
	browse tiny.html <<-\EOF
	my $pixel = sub { join ",", @{$b->js("const c = document.querySelector(\"#canvas\"); return [...c.getContext(\"2d\").getImageData(arguments[0], arguments[1], 1, 1).data]", map { int } @{$_[0]})} };
	like($pixel->(bar(1, 0.7)), qr/^(?!255,255,255)/, "the long region");
	picks(bar(1, 0.7), "c/b", "what is there");
	EOF
'

test_expect_success 'page: a narrow screen scrolls in one direction' '
	browse clone.html width=400 height=800 <<-\EOF
	is($b->js("return document.documentElement.scrollWidth"), 400, "width");
	$b->click("#tab-$_"), is($b->js("return document.documentElement.scrollWidth"), 400, $_)
		for qw(flame regions threads processes critical_path timeline);
	EOF
'

test_expect_success 'page: each control has a name and a role' '
	browse page.html <<-\EOF
	my $tree = $b->cdp("Accessibility.getFullAXTree", {});
	my (%seen, @nameless);
	for my $n (grep { !$_->{ignored} } @{$tree->{nodes}}) {
		my ($role, $name) = map { $n->{$_}{value} // "" } qw(role name);
		$seen{"$role: $name"}++;
		push @nameless, $role if $name eq "" &&
			$role =~ /^(?:button|tab|tablist|tabpanel|searchbox|application|region|table)$/;
	}
	is("@nameless", "", "without a name");
	for ("application: Timeline of processes, threads and regions",
	     "tab: Timeline", "tab: Flame graph", "tab: Regions",
	     "searchbox: Search", "button: Next match", "button: Zoom in",
	     "rowheader: top -x", "columnheader: Time",
	     "heading: /usr/bin/top -x") {
		$seen{$_} or die "there is no $_ in:\n" . join("\n", sort keys %seen) . "\n";
	}
	is($b->js("return document.querySelector(\"#details\").getAttribute(\"aria-live\")"), "polite", "what is chosen is said");
	# Tab goes to the search, the theme, the charts and the tables in this order.
	my @order;
	for (1 .. 13) {
		$b->keys("Tab");
		push @order, $b->js("const e = document.activeElement; return e.id || e.className");
	}
	is("@order", "skip query previous next theme help tab-timeline zoom-in zoom-out zoom-all canvas tab-critical_path wide", "the order");
	EOF
'

for name in '</script><script>document.title=1</script>' '--></title><b>' \
	'<img src=x onerror=document.title=1>' '&lt;b&gt;&amp;' '\u2028a\u0000b'
do
	test_expect_success "page: a name is shown as text, not run as HTML: $name" '
		hostile_stream "$name" >hostile.event &&
		trace2 report --html hostile.html hostile.event &&
		page_data hostile.html >data &&
		jq -r ".strings[.threads[0][5][6]]" data >wanted &&
		browse hostile.html <<-\EOF
		open my $in, "<:utf8", "wanted" or die;
		chomp(my $wanted = do { local $/; <$in> });
		is($b->js("return document.scripts.length"), 1, "scripts");
		is($b->js("return document.querySelectorAll(\"img, b\").length"), 0, "elements");
		$b->mouse("#canvas", 1, bar(1, 0.5));
		is($b->js("return document.querySelector(\"#details dl\").textContent"
			. ".includes(arguments[0]) ? \"shown\" : \"not shown\""
			, $wanted), "shown", "the name");
		$b->click("#tab-$_") for qw(regions timers counters errors critical_path flame);
		like($b->js("return document.title"), qr/^trace2: /, "the title");
		EOF
	'
done

# 220,000 events: 100,000 spans in eight threads, and 20,000 marks. The cost of
# a picture is counted, not timed: rectangles, which are bounded by the pixels
# of the canvas.
test_expect_success EXPENSIVE 'page: 100,000 spans take no more drawing calls than the picture has room for' '
	"$PERL_PATH" "$TEST_DIRECTORY"/t3600/spans.perl 100000 >big.event &&
	trace2 report --html big.html big.event &&
	browse big.html <<-\EOF
	like($b->text("#summary"), qr/8 threads, 100 000 spans/, "all of them");
	$b->js(q{
		const draw = CanvasRenderingContext2D.prototype.fillRect;
		window.drawn = 0;
		CanvasRenderingContext2D.prototype.fillRect = function (...a) {
			window.drawn++;
			draw.apply(this, a);
		} });
	$b->js("document.querySelector(\"#canvas\").focus()");
	$b->keys("ArrowDown");
	for my $key (("+") x 30, ("-") x 30) {
		$b->js("window.drawn = 0");
		$b->keys($key);
		my $drawn = $b->js("return window.drawn");
		# 33 rows of 974 pixels, a bar for 1.6 of them, and eight with three
		# for each mark, 3 apart; some keys draw twice.
		$drawn < 60000 or die "$drawn rectangles after $key\n";
	}
	$b->type("#query", "step-1\x{e007}");
	like($b->text("#found"), qr/^1 of \d\d \d\d\d$/, "found");
	EOF
'

test_expect_success 'page: a track shows the memory of all processes by kind' '
	made memory <<-\EOF &&
	top make
	1000 0 fork 11 11 10 10
	1001 0 comm 11 11 cc1 exec
	20000 0 memory 10 2048
	20000 0 memory 11 204800
	20001 0 memory 0 206848
	50000 0 exit 11 11
	50001 0 memory 0 2048
	100000 0 exit 10 10
	EOF
	trace2 report --html memory.html memory &&
	browse memory.html <<-\EOF
	like($b->text("#summary"), qr/peak memory 202 MiB/, "summary");
	# Below the ruler and the path; above the rows.
	my $y = 24 + 26 + 30;
	my $colour = sub { my $x = bar(0, $_[0])->[0];
		return $b->js("return [...document.querySelector(\"#canvas\")
			.getContext(\"2d\").getImageData($x * devicePixelRatio,
				$y * devicePixelRatio, 1, 1).data].join()") };
	is($colour->(0.4), $colour->(0.3), "as much");
	is($colour->(0.8) ne $colour->(0.3), 1, "less later");
	$b->mouse("#canvas", 0, [bar(0, 0.3)->[0], $y]);
	is($b->text("#tip"), "memory 202 MiB\n200 MiB cc1\n2.00 MiB make", "tip");
	EOF
'

# The build as it is: make has to draw only.
test_expect_success MAKE,!INSTRUMENTED,!MUSL 'make picture makes the picture in the README' '
	test_grep "(Documentation/picture/page.png)" "$GIT_BUILD_DIR"/README.md &&
	BROWSER=$session make -C "$GIT_BUILD_DIR" picture PICTURE="$PWD/new.png" \
		CC="$CC" CXX="$CXX" CFLAGS="$CFLAGS" CPPFLAGS="$CPPFLAGS" \
		LDFLAGS="$LDFLAGS" DEVELOPER="$DEVELOPER" SANITIZE= \
		SHELL_PATH="$SHELL_PATH" PERL_PATH="$PERL_PATH" &&
	for file in new.png "$GIT_BUILD_DIR"/Documentation/picture/page.png
	do
		"$PERL_PATH" -0777 -ne "
			my (\$width) = /^\x89PNG.{12}(.{4})/s or die;
			print unpack(q(N), \$width), length() < 200 << 10 ? q() : length, qq(\n)
		" "$file" || return 1
	done >actual &&
	test_write_lines 1280 1280 | test_cmp - actual
'

test_expect_success 'the browser of these tests leaves no temporary files' '
	ls "$browser_tmp" >there &&
	test_file_not_empty there &&
	kill "$browser" &&
	wait "$browser" &&
	test_prints ls "$browser_tmp" </dev/null
'

test_done
