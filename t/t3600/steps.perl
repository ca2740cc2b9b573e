# SPDX-License-Identifier: MIT
#
# steps.perl PAGE BROWSER: how many steps the script of a page takes to draw the
# timeline once: how often each piece of it ran. BROWSER is the address of a browser.
#
# Pieces are counted only in what is compiled from then on: not in a browser that
# has had the same script before. A comment in it suffices, which the page's own
# policy would not allow.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use WebDriver;

my ($page, $browser) = @ARGV;
my $b = WebDriver->attach($browser);
$b->cdp('Profiler.enable', {});
$b->cdp('Profiler.startPreciseCoverage',
	{ callCount => JSON::PP::true, detailed => JSON::PP::true });
$b->cdp('Page.setBypassCSP', { enabled => JSON::PP::true });
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
$b->cdp('Profiler.disable', {});
$b->cdp('Page.setBypassCSP', { enabled => JSON::PP::false });
