#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# fleet.perl COPIES HOSTS DAYS FILE...
#
# Print the event streams of a fleet: COPIES of each FILE, as if from HOSTS
# machines over DAYS days. Only session ids and dates change.
use strict;
use warnings;

my ($copies, $hosts, $days, @files) = @ARGV;
my @text = map {
	open my $in, '<', $_ or die "$_: $!\n";
	local $/;
	<$in>;
} @files;

for my $copy (0 .. $copies - 1) {
	my $host = sprintf 'H%08x', 0xa0000000 + $copy % $hosts;
	my $day = 21 - $copy % $days;
	for my $text (@text) {
		(my $out = $text) =~ s{20261121(T\d{6}\.)(\d{6})Z-H[0-9a-f]{8}-P}
			{sprintf '202611%02d%s%06dZ-%s-P', $day, $1,
				($2 + 7919 * $copy) % 1000000, $host}gex;
		$out =~ s/2026-11-21T/sprintf '2026-11-%02dT', $day/ge;
		print $out;
	}
}
