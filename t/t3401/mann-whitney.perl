# SPDX-License-Identifier: MIT
#
# Print the two-sided p of Mann and Whitney's test, by trying every way to
# divide the runs:
#
#	mann-whitney.perl 1,2,3 2,5,6,7
use strict;
use warnings;

my @a = split /,/, $ARGV[0];
my @all = (@a, split /,/, $ARGV[1]);

# The rank of a value: the number of smaller ones, and half of its equals.
my @rank = map {
	my $it = $_;
	1 + grep({ $_ < $it } @all) + (grep({ $_ == $it } @all) - 1) / 2;
} @all;
my $expected = @a * (@all + 1) / 2;
my ($far, $ways, $distance) = (0, 0, 0);
$distance += $_ for @rank[0 .. $#a];
$distance = abs($distance - $expected);

sub try {
	my ($from, $left, $sum) = @_;
	if (!$left) {
		$ways++;
		$far++ if abs($sum - $expected) >= $distance - 1e-9;
		return;
	}
	try($_ + 1, $left - 1, $sum + $rank[$_]) for $from .. @all - $left;
}
try(0, scalar @a, 0);
printf "%.9f\n", $far / $ways;
