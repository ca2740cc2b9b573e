# SPDX-License-Identifier: MIT
#
# No file is too long to be read at once.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $MAX = 800;

for my $path (sources(qw(c cxx table sh perl python awk make web))) {
	my $nr = () = lines($path);
	complain($path, $nr, "$nr lines", "a file has at most $MAX; one concern a file")
		if $nr > $MAX;
}
done();
