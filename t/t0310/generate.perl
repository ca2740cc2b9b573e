#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# generate.perl SEED COUNT DIR: write COUNT small files DIR/0, DIR/1 ... that
# resemble config files: lines of the usual forms, of unusual but valid parts,
# now and then with random text inserted or parts removed. About half of them
# are valid. The same seed gives the same files.

use strict;
use warnings;

die "usage: $0 SEED COUNT DIR\n" if @ARGV != 3;
my ($seed, $count, $dir) = @ARGV;
my $state = $seed;

# Our own generator: perl's differs between versions.
sub below {
	my ($limit) = @_;
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 65536) % $limit;
}

sub pick { return $_[below(scalar @_)]; }

my @ends = ("\n", "\n", "\n", "\n", "\r\n", "\r\n", " \n", "\t\r\n", "\r\r\n",
	" # c\n", ";\n", "#\0\n");
my @names = qw(a b Key k-1 URL x1y trace2 Z);
my @pieces = ("v", "word", " ", "  ", "\t", "\r", "\\n", "\\t", "\\b", "\\\\",
	"\\\"", "\\\n", "\\\r\n", "\"q\"", "\" q \"", "\"\"", "\"#;\"", "=", "[",
	"]", ".", "/", "~", "\xc3\xa9", "\xff", "\0", "\f", "\x0b", "1", "k",
	"\"a\\\n b\"", "'", "%", "<");
my @noise = ("\"", "\\", "\n", "\r", "\0", "[", "]", "=", "#", ";", " ", "\t",
	"\\q", "\xef\xbb\xbf", "\xef\xbb", "-", "_", ".", "1", "\xff", "\"\n",
	"[]", "\\\r", "\f");

sub section {
	my $sub = join('', map { pick("s", "Sub", " ", ".", "\\\"", "\\\\", "\\x",
		"]", "#", "\t", "\r", "\xc3\xa9", "=", "/", "\0") } 0 .. below(4));
	my $name = pick(qw(a b Sec trace2 s-1 9));
	return pick("[$name]", "[$name]", "[$name.Old]", "[$name \"$sub\"]",
		"[$name \t\"$sub\"]", "[$name \"\"]", "[.]", "[ \"$sub\"]",
		"[$name..x.]");
}

sub value {
	return join('', map { pick(@pieces) } 0 .. below(6));
}

sub line {
	my $name = pick("", "", " ", "\t") . pick(@names) . pick("", " ", "\t ");
	my $kind = below(10);
	return section() . pick("", "", " ") . pick(@ends) if $kind < 2;
	return section() . $name . "=" . value() . pick(@ends) if $kind == 2;
	return $name . pick("\n", "\r\n", "\n") if $kind == 3;
	return pick("", " ", "\t", "# c", "; \"c\\", "\r\t") . pick("\n", "\r\n")
		if $kind == 4;
	return $name . "=" . pick("", " ", "\t") . value() . pick(@ends);
}

for my $i (0 .. $count - 1) {
	my $text = join('', map { line() } 0 .. below(8));
	$text = "\xef\xbb\xbf" . $text unless below(12);
	chop $text unless below(5);
	for (1 .. below(4) - 1) {
		substr($text, below(length($text) + 1), below(2)) = pick(@noise);
	}
	open(my $out, '>:raw', "$dir/$i") or die "$dir/$i: $!\n";
	print $out $text;
	close($out) or die "$dir/$i: $!\n";
}
