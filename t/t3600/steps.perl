# SPDX-License-Identifier: MIT
#
# steps.perl PAGE: how many steps the script of a page takes to draw the timeline
# once: how often each piece of it ran.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use WebDriver;

my ($page) = @ARGV;
# Pieces are counted only in what is compiled from then on: not in a browser that
# has had the script before.
my $owner = WebDriver->new;
my $b = WebDriver->attach($owner->url);
$b->cdp('Profiler.enable', {});
$b->cdp('Profiler.startPreciseCoverage',
	{ callCount => JSON::PP::true, detailed => JSON::PP::true });
$b->open($page);

sub steps_of_picture {
	$b->click('#zoom-all');
	my $scripts = $b->cdp('Profiler.takePreciseCoverage', {})->{result};
	my $sum = 0;
	for my $function (map { @{$_->{functions}} }
			  grep { $_->{url} =~ /html$/ } @$scripts) {
		$sum += $_->{count} for @{ $function->{ranges} };
	}
	return $sum;
}

# The first picture prepares sums.
steps_of_picture();
print steps_of_picture(), "\n";
