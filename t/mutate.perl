#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Do the tests fail when the code is wrong? Make small mistakes in sources, one
# at a time, run the tests that should fail, and report the mistakes that no
# test detected.
#
#	perl t/mutate.perl [-n NUMBER] [--seed N] [-j N] [--minutes N]
#		[--seconds N] SOURCE... [-- TEST...]
#	perl t/mutate.perl lib/event/redact.c -- t0217 event
#	perl t/mutate.perl --list [-n NUMBER] [--seed N] SOURCE...
#
# A mistake is a missing statement, another operator, a number increased by one.
# NUMBER (20) of them are chosen at random: the same ones for the same seed, as
# long as their lines stay as they are. --list prints them, without -n all that
# are possible. TESTs are named as for 'make test T=…'. Without any, those run
# that reach the changed line, until one fails: build/mutate/map says which do
# (t/coverage.perl makes it, which takes minutes). Those come first that reach
# many lines of the source in little time.
# --seconds ends the tests of a mistake when they have used about so many seconds
# of CPU; a further run without it tries all tests on what they did not detect.
#
# build/mutate/results has each result as soon as it is known: a further run at
# the same commit goes on where one was interrupted, or ended by --minutes. At
# another commit it starts anew, with the test that detected the mistake before.
#
# All of it happens in N (2) copies of the tree, build/mutate/1 and so on. A
# mistake that does not compile, or does not change the program, does not count.
# One that no test detected may be harmless: t/mutants.list has those, with the
# reason of each.
use strict;
use warnings;

use Cwd 'abs_path';
use Digest::MD5 'md5_hex';
use File::Basename;
use Getopt::Long;
use List::Util 'shuffle';
use lib dirname(__FILE__) . '/lint';
use Lint ();

my $MAX_SECONDS = 120; # for the tests of one mistake, if nobody measured them
my $COPIES = 'build/mutate';
my $MAP = "$COPIES/map";
my $RESULTS = "$COPIES/results";
my $REASONS = 't/mutants.list';
my $BUILD = 'CFLAGS=-O1 tests';
my $PROGRAMS = 'cat t/helper/test-tool build/bin/trace2 build/unit/* | cksum';

my %OTHER = (
	'==' => ['!='], '!=' => ['=='], '<' => ['<=', '>='], '>' => ['>=', '<='],
	'<=' => ['<'], '>=' => ['>'], '&&' => ['||'], '||' => ['&&'],
	'+' => ['-'], '-' => ['+'],
);
my $OPERATOR = join '|', map { quotemeta } sort { length $b <=> length $a }
	keys %OTHER;

# Statements on one line that are no declarations or jumps.
my $STATEMENT = qr/^\t+(?!return\b|break\b|case\b|goto\b|default\b|else\b|
		static\b|const\b|struct\b|enum\b|union\b|unsigned\b|extern\b|
		continue\b|\(void\))
		(?:[\w>.\[\]*-]+\s*(?:[-+|&^]?=)\s.*|\*?[\w>.-]+\(.*\)|[\w>.-]+(?:\+\+|--)|
		(?:\+\+|--)[\w>.-]+);\s*$/x;

# Return all possible mistakes in a line: [description, the new line].
sub mistakes_in {
	my ($line, $code) = @_;
	my @found;
	return () if $code =~ /^\s*#/ || $code =~ /^\S/;
	push @found, [ 'left out', "\t;\n" ] if $code =~ $STATEMENT;
	while ($code =~ /(?<= )($OPERATOR)(?= )/g) {
		my ($at, $was) = ($-[1], $1);
		for my $other (@{$OTHER{$was}}) {
			my $new = $line;
			substr($new, $at, length $was) = $other;
			push @found, [ "$was became $other", $new ];
		}
	}
	while ($code =~ /\b(true|false)\b/g) {
		my ($at, $was) = ($-[1], $1);
		my $other = $was eq 'true' ? 'false' : 'true';
		my $new = $line;
		substr($new, $at, length $was) = $other;
		push @found, [ "$was became $other", $new ];
	}
	push @found, [ 'returned 0', "$1return 0;\n" ]
		if $code =~ /^(\s+)return (?!0;|true;|false;|NULL;)[^;]+;\s*$/;
	while ($code =~ /(?<![\w.])(0|[1-9]\d*)(?=u?\b)(?![\w.]*\.)/g) {
		my ($at, $was) = ($-[1], $1);
		my $new = $line;
		substr($new, $at, length $was) = $was + 1;
		push @found, [ "$was became " . ($was + 1), $new ];
	}
	return @found;
}

# Return [path, line number, description, the new line, identity] for each
# mistake. The identity stays the same when other lines change.
sub mistakes_of {
	my ($path) = @_;
	my $text = Lint::slurp($path);
	my @lines = split /^/, $text;
	my @code = split /^/, Lint::c_code($text);
	my (@found, %nr_of);
	for my $i (0 .. $#lines) {
		for (mistakes_in($lines[$i], $code[$i])) {
			my ($what, $new) = @$_;
			my $key = "$path: $lines[$i] -> $new";
			push @found, [ $path, $i, $what, $new,
				       md5_hex($key . $nr_of{$key}++) ];
		}
	}
	return @found;
}

sub choose {
	my ($number, $seed, @from) = @_;
	my %order = map { $_->[4] => md5_hex("$seed $_->[4]") } @from;
	@from = sort { $order{$a->[4]} cmp $order{$b->[4]} } @from;
	splice @from, $number if @from > $number;
	return sort { $a->[0] cmp $b->[0] || $a->[1] <=> $b->[1] } @from;
}

# Run a command in a copy; true if it succeeds.
sub run {
	my ($copy, $command) = @_;
	return system("cd $copy && { $command\n} >log 2>&1 </dev/null") == 0;
}

sub make_copies {
	my ($number) = @_;
	system("rm -rf $COPIES/[0-9]* && mkdir -p $COPIES/1 && git ls-files -z |
		xargs -0 tar c | tar x -C $COPIES/1") == 0
		or die "mutate: cannot copy the tree (is it a checkout?)\n";
	run("$COPIES/1", "make -j2 $BUILD")
		or die "mutate: the copy cannot be built: see $COPIES/1/log\n";
	system("cp -a $COPIES/1 $COPIES/$_") == 0
		or die "mutate: cannot copy $COPIES/1\n" for 2 .. $number;
}

# The tests that reach each line, by the map: [name, seconds, lines of the source
# for each second] by path and line; those that reach the source at all by 0.
sub read_map {
	my %tests;
	open my $in, '<', $MAP or die "$MAP: cannot read it: $!\n";
	while (<$in>) {
		next if /^#/;
		my ($name, $ms, $path, $ranges) = split;
		my @lines = map { /(\d+)-?(\d*)/ ? $1 .. $2 || $1 : () }
			split /,/, $ranges;
		my $test = [ $name, $ms / 1000, @lines / ($ms + 1) ];
		push @{$tests{$path}{$_}}, $test for 0, @lines;
	}
	close $in;
	return \%tests;
}

# A line that only continues a statement has no count of its own: take the one
# above it that has. The test that detected the mistake before comes first; the
# other tests of the source come last, since counts of processes are missing that
# ended by a signal or _exit().
sub tests_of {
	my ($map, $path, $line, $before) = @_;
	my $of_file = $map->{$path} // {};
	my $above = $line;
	$above-- while $above > $line - 8 && !$of_file->{$above};
	my %reaches = map { $_->[0] => 1 } @{$of_file->{$above} // []};
	return sort { ($b->[0] eq $before) <=> ($a->[0] eq $before) ||
		      ($reaches{$b->[0]} // 0) <=> ($reaches{$a->[0]} // 0) ||
		      $b->[2] <=> $a->[2] } @{$of_file->{0} // []};
}

sub write_file {
	my ($path, $text) = @_;
	open my $out, '>', $path or die "$path: cannot write it: $!\n";
	print $out $text;
	close $out or die "$path: cannot write it: $!\n";
}

# A test that takes far longer than usual hangs because of the mistake.
sub fails {
	my ($copy, $test) = @_;
	my ($name, $seconds) = @$test;
	my $path = $name =~ /\.sh$/ ? $name : "../build/unit/$name";
	my $most = $seconds ? int(20 + 5 * $seconds) : $MAX_SECONDS;
	return !run($copy, $seconds ?
		"cd t && GIT_TEST_OPTS=-i timeout -k 5 $most " .
		"sh run-tests --one $path" :
		"T='$name' JOBS=2 GIT_TEST_OPTS=-i timeout -k 5 $most sh t/run-tests");
}

sub seconds_of_children {
	my (undef, undef, $user, $system) = times;
	return $user + $system;
}

# Return the name of the test that noticed it, 'SURVIVED', or the reason why it
# does not count.
sub try {
	my ($copy, $mistake, $tests, $before, $seconds) = @_;
	my ($path, $i, undef, $new) = @$mistake;
	my $text = Lint::slurp($path);
	my @lines = split /^/, $text;
	my $result = @$tests ? 'SURVIVED' : 'REACHED BY NO TEST';
	$lines[$i] = $new;
	write_file("$copy/$path", join '', @lines);
	if (!run($copy, "make -s $BUILD")) {
		$result = 'does not compile';
	} elsif (`cd $copy && $PROGRAMS` eq $before) {
		$result = 'changes nothing';
	} else {
		my ($until, $nr) = (seconds_of_children() + $seconds, 0);
		for my $test (@$tests) {
			if ($seconds && seconds_of_children() >= $until) {
				$result = "SURVIVED $nr of " . @$tests . ' tests';
				last;
			}
			$nr++;
			next if !fails($copy, $test);
			$result = "noticed by $test->[0]";
			last;
		}
	}
	write_file("$copy/$path", $text); # the next build compiles it
	return $result;
}

# Lines of t/mutants.list: PATH: WHAT: LINE # REASON, with * for any text.
sub key_of {
	my ($mistake) = @_;
	my ($path, $i, $what) = @$mistake;
	(my $line = (Lint::lines($path))[$i]) =~ s/^\s+|\s+$//g;
	return "$path: $what: $line";
}

sub read_reasons {
	my @reasons;
	for (-f $REASONS ? Lint::lines($REASONS) : ()) {
		chomp;
		next if /^#|^$/;
		/^(.*?)\s+# (.+)/ or die "$REASONS: a line has no reason: $_\n";
		my ($key, $reason) = ($1, $2);
		my $like = join '.*', map { quotemeta } split /\*/, $key, -1;
		push @reasons, [ qr/^$like$/, $reason ];
	}
	return \@reasons;
}

# Why no test can notice the mistake; undef: none of the reasons is for it.
sub reason_of {
	my ($reasons, $mistake) = @_;
	my $key = key_of($mistake);
	my ($found) = grep { $key =~ $_->[0] } @$reasons;
	return $found && $found->[1];
}

# One of several: try every Nth mistake of a list of numbers.
sub work {
	my ($nr, $of, $mistakes, $tests_for, $until, $seconds, @todo) = @_;
	my $copy = "$COPIES/$nr";
	my $as_it_is = `cd $copy && $PROGRAMS`;
	open my $out, '>>', $RESULTS or die "$RESULTS: cannot write it: $!\n";
	for my $i (@todo[grep { $_ % $of == $nr - 1 } 0 .. $#todo]) {
		last if $until && time >= $until;
		my $mistake = $mistakes->[$i];
		my $result = try($copy, $mistake, [ $tests_for->($mistake) ],
				 $as_it_is, $seconds);
		syswrite $out, join("\t", $mistake->[4], place_of($mistake),
				    $result) . "\n";
	}
}

sub place_of {
	my ($mistake) = @_;
	my ($path, $line, $what) = @$mistake;
	return "$path:" . ($line + 1) . ": $what";
}

# The results so far, by the identity of the mistake. Of those of another commit,
# or by other tests, only which test detected it stays; or all that these detect,
# if no source changed, and the test did not.
sub read_results {
	my ($head) = @_;
	my ($first, @lines) = -f $RESULTS ? Lint::lines($RESULTS) : '';
	if ($first ne "$head\n") {
		my ($old, $same) = $first =~ /^(\w+)/;
		my $changed = $old && $first eq "$old @ARGV\n" ?
			Lint::tests_changed_since($old) : undef;
		for (@lines) {
			$same = /\tnoticed by (t\d{4}|\S+)/ && $changed &&
				!$changed->{$1};
			s/\tnoticed by /\twas noticed by / if !$same;
		}
		@lines = grep { /\t(?:was |)noticed by / } @lines;
		write_file($RESULTS, join '', "$head\n", @lines);
	}
	return { map { /^(\w+)\t.*\t(.*)$/ ? ($1 => $2) : () } @lines };
}

# Is a mistake still to be tried?
sub is_open {
	my ($result, $seconds) = @_;
	return !$result || $result =~ /^was / ||
		(!$seconds && $result =~ /^SURVIVED \d/);
}

my ($number, $seed, $jobs, $minutes, $seconds, $list) = (0, 1, 2, 0, 0, 0);
my @before_dashes;
GetOptions('n=i' => \$number, 'seed=i' => \$seed, 'j=i' => \$jobs,
	   'minutes=i' => \$minutes, 'seconds=i' => \$seconds,
	   'list' => \$list,
	   '<>' => sub { push @before_dashes, "$_[0]" })
	or die "usage: perl t/mutate.perl [-n N] [--seed N] [-j N] [--minutes N] [--seconds N] SOURCE... [-- TEST...]\n";
die "usage: perl t/mutate.perl [--list] SOURCE... [-- TEST...]\n"
	if !@before_dashes || ($list && @ARGV) || $jobs < 1;

my @mistakes = map { mistakes_of($_) } @before_dashes;
@mistakes = choose($number || 20, $seed, @mistakes) if $number || !$list;
if ($list) {
	for (@mistakes) {
		my ($path, $i, $what, $new) = @$_;
		print "$path:" . ($i + 1) . ": $what: $new";
	}
	exit 0;
}

chdir dirname(__FILE__) . '/..' or die "mutate: cannot go to the tree: $!\n";
my $started = time;
srand $seed;
my $reasons = read_reasons();
chomp(my $head = `git rev-parse HEAD`);
system('mkdir', '-p', $COPIES) == 0 or die "mutate: cannot make $COPIES\n";
my $results = read_results("$head @ARGV");
my @todo = shuffle(grep { is_open($results->{$mistakes[$_][4]}, $seconds) }
		   0 .. $#mistakes);
my $tests_for;
make_copies($jobs) if @todo;
if (!@todo) {
	$jobs = 0; # all of them are known
} elsif (@ARGV) {
	run("$COPIES/1", "T='@ARGV' JOBS=2 sh t/run-tests")
		or die "mutate: the tests fail as it is: see $COPIES/1/log\n";
	my @tests = map { [ $_, 0 ] } @ARGV;
	$tests_for = sub { @tests };
} else {
	system($^X, 't/coverage.perl', '-j', $jobs, "$COPIES/coverage", $MAP) == 0
		or exit 1;
	my $map = read_map();
	$tests_for = sub {
		my ($path, $i, undef, undef, $id) = @{$_[0]};
		my $before = $results->{$id} // '';
		$before =~ s/^was noticed by //;
		return tests_of($map, $path, $i + 1, $before);
	};
}
for my $nr (1 .. $jobs) {
	my $pid = fork // die "mutate: cannot fork: $!\n";
	next if $pid;
	work($nr, $jobs, \@mistakes, $tests_for,
	     $minutes && $started + 60 * $minutes, $seconds, @todo);
	exit 0;
}
wait for 1 .. $jobs;
$results = read_results("$head @ARGV");
my (%noticed, %missed, $known, $left);
for my $mistake (@mistakes) {
	my $result = $results->{$mistake->[4]};
	my ($path, $line) = @$mistake;
	(my $folder = $path) =~ s{/[^/]*$}{};
	if (!$result || $result =~ /^was /) {
		$left++;
	} elsif ($result =~ /^noticed/) {
		$noticed{$folder}++;
	} elsif ($result =~ /^(?:SURVIVED|REACHED)/) {
		my $reason = reason_of($reasons, $mistake);
		$known++ if $reason;
		$missed{$folder}++ if !$reason;
		print place_of($mistake) . ': ' . ($reason // $result) . "\n" .
			(Lint::lines($path))[$line];
	}
}
my ($seen, $survived) = (0, 0);
for (sort keys %{{ %noticed, %missed }}) {
	printf "%-16s %4d noticed %4d not\n", $_, $noticed{$_} // 0,
		$missed{$_} // 0;
	$seen += $noticed{$_} // 0;
	$survived += $missed{$_} // 0;
}
printf "trace2: mutate: %d mistakes: %d noticed, %d not, %d harmless%s\n",
	$seen + $survived, $seen, $survived, $known // 0,
	$left ? ", $left not tried yet" : '';
exit($survived ? 1 : 0);
