# SPDX-License-Identifier: MIT
#
# spans.perl N: print the stream of a program that spent 50 s in about N
# regions, in eight threads, nested five deep, with a data point or an error in
# the innermost.
use strict;
use warnings;

my $nr = shift // 100_000;
my $WHOLE_US = 50_000_000;
my @threads = ('main', map { sprintf 'th%02d:work', $_ } 1 .. 7);
my @names = map { [(qw(index pack refs odb diff))[$_ % 5], "step-$_"] } 0 .. 39;

sub event {
	my ($event, $thread, $us, $rest) = @_;
	printf '{"event":"%s","sid":"P","thread":"%s",' .
		'"time":"2026-11-21T07:20:%02d.%06dZ","file":"a.c","line":%d%s}' . "\n",
		$event, $thread, $us / 1e6, $us % 1e6, $us % 977, $rest;
}

sub region {
	my ($event, $thread, $us, $depth, $name, $rest) = @_;
	event("region_$event", $thread, $us, sprintf
		',"nesting":%d,"category":"%s","label":"%s"%s', $depth, @$name, $rest);
}

# Print a data point or, now and then, an error.
sub mark {
	my ($thread, $us, $nr) = @_;
	if ($nr % 50 == 7) {
		event('error', $thread, $us, qq(,"msg":"no $nr","fmt":"no %d"));
	} else {
		event('data', $thread, $us, sprintf ',"t_abs":%.6f,"t_rel":0.000001,'
			. '"nesting":6,"category":"n","key":"seed","value":"%d"',
			$us / 1e6, $nr);
	}
}

# Print five regions from $start on, each in the middle of the one before.
sub tower {
	my ($thread, $start, $length, $seed) = @_;
	my @open;
	for my $depth (0 .. 4) {
		my $from = $start + int $length * $depth / 12;
		push @open, [$from, $names[($seed * 7 + $depth * 3) % 40]];
		region('enter', $thread, $from, $depth + 1, $open[-1][1], '');
	}
	mark($thread, $start + int($length / 2), $seed);
	for my $depth (reverse 0 .. 4) {
		my ($from, $name) = @{pop @open};
		my $to = $start + $length - int($length * $depth / 12) - 1;
		region('leave', $thread, $to, $depth + 1, $name,
		       sprintf ',"t_rel":%.6f', ($to - $from) / 1e6);
	}
}

my $rounds = int $nr / @threads / 5;
my $length = int $WHOLE_US / $rounds;
event('version', 'main', 0, ',"evt":"4","exe":"1"');
event('start', 'main', 0, qq(,"t_abs":0.0,"argv":["spans","$nr"]));
event('thread_start', $_, 10, '') for @threads[1 .. 7];
for my $round (0 .. $rounds - 1) {
	tower($_, 20 + $round * $length, $length, $round) for @threads;
}
event('thread_exit', $_, $WHOLE_US + 100, ',"t_rel":50.0') for @threads[1 .. 7];
event($_, 'main', $WHOLE_US + 200, ',"t_abs":50.0002,"code":0')
	for qw(exit atexit);
