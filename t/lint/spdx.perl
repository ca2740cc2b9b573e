# SPDX-License-Identifier: MIT
#
# Every source file names its licence in one of its first lines.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

# The tag is split, so that this line is not taken for a licence.
my $tag = 'SPDX-License-' . 'Identifier: MIT';

for my $path (sources(qw(c cxx table sh perl python awk make web))) {
	my @lines = lines($path);
	$#lines = 2 if @lines > 3;
	next if grep { index($_, $tag) >= 0 } @lines;
	complain($path, 1, 'no licence', "one of the first three lines says '$tag'");
}
done();
