#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Do the tests fail when the code is wrong? Make small mistakes in sources, one
# at a time, run the tests that should fail, and report the mistakes that no
# test detected.
#
#	perl t/mutate.perl [-n NUMBER] [--seed N] SOURCE... -- TEST...
#	perl t/mutate.perl lib/event/redact.c -- t0217 event
#	perl t/mutate.perl --list SOURCE...
#
# A mistake is a missing statement, another comparison, a number increased by
# one. NUMBER (20) of them are chosen at random, the same ones for the same
# seed; --list prints all of them. TESTs are named as for 'make test T=…'.
#
# All of it happens in a copy of the tree, build/mutate. A mistake that does not
# compile, or does not change the program, does not count. One that no test
# detected may be harmless: the reader of the list decides.
use strict;
use warnings;

use Cwd 'abs_path';
use File::Basename;
use Getopt::Long;
use lib dirname(__FILE__) . '/lint';
use Lint ();

my $MAX_SECONDS = 120; # for the tests of one mistake, which may never end
my $COPY = 'build/mutate';

my %OTHER = (
	'==' => '!=', '!=' => '==', '<' => '>=', '>' => '<=', '<=' => '<',
	'>=' => '>', '&&' => '||', '||' => '&&', '+' => '-', '-' => '+',
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
		my $new = $line;
		substr($new, $at, length $was) = $OTHER{$was};
		push @found, [ "$was became $OTHER{$was}", $new ];
	}
	while ($code =~ /(?<![\w.])(0|[1-9]\d*)(?=u?\b)(?![\w.]*\.)/g) {
		my ($at, $was) = ($-[1], $1);
		my $new = $line;
		substr($new, $at, length $was) = $was + 1;
		push @found, [ "$was became " . ($was + 1), $new ];
	}
	return @found;
}

# Return [path, line number, description, the new line] for each mistake.
sub mistakes_of {
	my ($path) = @_;
	my $text = Lint::slurp($path);
	my @lines = split /^/, $text;
	my @code = split /^/, Lint::c_code($text);
	my @found;
	for my $i (0 .. $#lines) {
		push @found, map { [ $path, $i, @$_ ] }
			mistakes_in($lines[$i], $code[$i]);
	}
	return @found;
}

sub choose {
	my ($number, @from) = @_;
	my @chosen;
	push @chosen, splice @from, int rand @from, 1
		while @from && @chosen < $number;
	return sort { $a->[0] cmp $b->[0] || $a->[1] <=> $b->[1] } @chosen;
}

sub run {
	my ($command) = @_;
	return system("cd $COPY && { $command\n} >log 2>&1 </dev/null") == 0;
}

sub make_copy {
	system("rm -rf $COPY && mkdir -p $COPY && git ls-files -z |
		xargs -0 tar c | tar x -C $COPY") == 0
		or die "mutate: cannot copy the tree (is it a checkout?)\n";
	run('make -j2 CFLAGS=-O1 tests')
		or die "mutate: the copy cannot be built: see $COPY/log\n";
}

my $PROGRAMS = 'cat t/helper/test-tool build/bin/trace2 build/unit/* | cksum';

sub write_file {
	my ($path, $text) = @_;
	open my $out, '>', $path or die "$path: cannot write it: $!\n";
	print $out $text;
	close $out or die "$path: cannot write it: $!\n";
}

# Return 'seen', 'SURVIVED', or the reason why it does not count.
sub try {
	my ($mistake, $tests, $before) = @_;
	my ($path, $i, undef, $new) = @$mistake;
	my $text = Lint::slurp($path);
	my @lines = split /^/, $text;
	my $result = 'SURVIVED';
	$lines[$i] = $new;
	write_file("$COPY/$path", join '', @lines);
	if (!run('make -s -j2 CFLAGS=-O1 tests')) {
		$result = 'does not compile';
	} elsif (`cd $COPY && $PROGRAMS` eq $before) {
		$result = 'changes nothing';
	} elsif (!run("T='$tests' JOBS=2 GIT_TEST_OPTS=-i timeout " .
		      "$MAX_SECONDS sh t/run-tests")) {
		$result = 'seen';
	}
	write_file("$COPY/$path", $text);
	return $result;
}

my ($number, $seed, $list) = (20, 1, 0);
my @before_dashes;
GetOptions('n=i' => \$number, 'seed=i' => \$seed, 'list' => \$list,
	   '<>' => sub { push @before_dashes, "$_[0]" })
	or die "usage: perl t/mutate.perl [-n N] [--seed N] SOURCE... -- TEST...\n";
die "usage: perl t/mutate.perl [--list] SOURCE... -- TEST...\n"
	if !@before_dashes || ($list ? @ARGV : !@ARGV);

my @all = map { mistakes_of($_) } @before_dashes;
if ($list) {
	for (@all) {
		my ($path, $i, $what, $new) = @$_;
		print "$path:" . ($i + 1) . ": $what: $new";
	}
	exit 0;
}

chdir dirname(__FILE__) . '/..' or die "mutate: cannot go to the tree: $!\n";
srand $seed;
make_copy();
run("T='@ARGV' JOBS=2 sh t/run-tests")
	or die "mutate: the tests fail as it is: see $COPY/log\n";
my $as_it_is = `cd $COPY && $PROGRAMS`;
my %count = (seen => 0, SURVIVED => 0);
$| = 1;
for my $mistake (choose($number, @all)) {
	my ($path, $i, $what, $new) = @$mistake;
	my $result = try($mistake, "@ARGV", $as_it_is);
	$count{$result}++;
	next if $result ne 'SURVIVED';
	my $old = (Lint::lines($path))[$i];
	print "$path:" . ($i + 1) . ": $what, and nobody saw it:\n$old";
}
printf "trace2: mutate: %d mistakes, %d seen, %d survived\n",
	$count{seen} + $count{SURVIVED}, $count{seen}, $count{SURVIVED};
exit($count{SURVIVED} ? 1 : 0);
