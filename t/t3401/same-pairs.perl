# SPDX-License-Identifier: MIT
#
# Print 60 pairs of sets of six values, all of one distribution.
use strict;
use warnings;

for my $i (1 .. 60) {
	my $state = 12345 + $i * 7919;
	my @n = map {
		$state = ($state * 1103515245 + 12345) % 2147483648;
		1000 + int($state / 65536) % 500;
	} 1 .. 12;
	print join(',', @n[0 .. 5]), ' ', join(',', @n[6 .. 11]), "\n";
}
