# SPDX-License-Identifier: MIT
#
# A tag that begins with tr2_ names one type in the whole tree: the command links
# the library, and a debugger shows no more than the tag. Of the two parsers of JSON,
# one is linked.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my %seen;
for my $path (grep { m{^(?:lib|tool)/(?!.*/json_scalar\.c)} } sources('c', 'cxx')) {
	my $nr = 0;
	for (lines($path)) {
		$nr++;
		next if !/^(?:static |extern |const )*(?:struct|union|enum) (tr2_\w+) \{/;
		complain($path, $nr, $1, "$seen{$1} has the same tag")
			if $seen{$1};
		$seen{$1} //= "$path:$nr";
	}
}
done();
