# SPDX-License-Identifier: MIT
#
# What is not done is not in the tree: no notes to self.  What a TAP test says
# of a known breakage is no such note.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

# In parts, so that this file does not name itself.
my @words = ('TO' . 'DO', 'FIX' . 'ME', 'X' x 3, 'HA' . 'CK');
my $marker = join '|', @words;

for my $path (sources(qw(c cxx table sh perl awk make web adoc text))) {
	my $nr = 0;
	for (lines($path)) {
		$nr++;
		s/# $words[0] known breakage//;
		complain($path, $nr, $1, 'do it, or file an issue')
			if /(?<![\w-])($marker)(?![\w-])/;
	}
}
done();
