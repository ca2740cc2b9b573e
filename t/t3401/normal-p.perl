# SPDX-License-Identifier: MIT
#
# Print the two-sided p of Mann and Whitney's test by its normal approximation,
# corrected for ties and for continuity:
#
#	normal-p.perl 1,2,3 2,5,6,7
use strict;
use warnings;

my @base = split /,/, $ARGV[0];
my @new = split /,/, $ARGV[1];
my ($u, %ties) = 0;
$ties{$_}++ for @base, @new;
for my $x (@new) {
	$u += $x > $_ ? 1 : $x == $_ ? .5 : 0 for @base;
}
my ($m, $k) = (scalar @base, scalar @new);
my $n = $m + $k;
my $ties = 0;
$ties += $_ ** 3 - $_ for values %ties;
my $z = (abs($u - $m * $k / 2) - .5)
	/ sqrt($m * $k / 12 * ($n + 1 - $ties / ($n * ($n - 1))));

# Twice the tail, by summing the density from z to 12.
my ($p, $h) = (0, 1e-4);
for (my $x = $z + $h / 2; $x < 12; $x += $h) {
	$p += exp(-$x * $x / 2) * $h;
}
printf "%.8f\n", 2 * $p / sqrt(2 * 3.14159265358979);
