#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# page.perl PAGE LIST
#
# Extract the queries of a page, with the answers below them: blocks of indented
# lines. The Nth go to question.N and answer.N, and the numbers N to LIST.
#
# page.perl --shape SEPARATOR
#
# Read a table from stdin and print it cell by cell, with # for each number.
# SEPARATOR is a regular expression.
use strict;
use warnings;

sub shape {
	my ($separator) = @_;
	while (my $line = <STDIN>) {
		chomp $line;
		# Escaped by ClickHouse.
		$line =~ s/\\'/'/g;
		print join('|', map { /^-?[\d.]+$/ ? '#' : $_ }
			split /$separator/, $line), "\n";
	}
}

sub put {
	my ($name, $text) = @_;
	open my $out, '>', $name or die "$name: $!\n";
	print $out $text;
	close $out or die "$name: $!\n";
}

sub questions {
	my ($page, $list) = @_;
	open my $in, '<', $page or die "$page: $!\n";
	my @blocks = split /\n\n+/, do { local $/; <$in> };
	my $nr = 0;
	for my $i (0 .. $#blocks) {
		next if $blocks[$i] !~ /^    SELECT /;
		my $answer = $blocks[$i + 1];
		die "no answer to this:\n$blocks[$i]\n" if $answer !~ /^    \w/;
		$answer =~ s/^ +//mg;
		$nr++;
		put("question.$nr", "$blocks[$i]\n");
		put("answer.$nr", "$answer\n");
	}
	put($list, join '', map { "$_\n" } 1 .. $nr);
}

if ($ARGV[0] eq '--shape') {
	shape($ARGV[1]);
} else {
	questions(@ARGV);
}
