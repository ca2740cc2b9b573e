# SPDX-License-Identifier: MIT
#
# All names in architecture.adoc and decisions.adoc exist: each file, by its path or the
# end of that, each folder, and each function, structure and constant of ours.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my @PAGES = grep { -f } map { "Documentation/technical/$_.adoc" }
	qw(architecture decisions);

my (%path, %word);
for my $path (@PAGES ? sources(qw(c cxx table perl adoc web)) : ()) {
	my $end = $path;
	do { $path{$end} = 1 } while $end =~ s{^[^/]+/}{};
	next if $path !~ m{^(?:lib|tool)/};
	$word{$_} = 1 for slurp($path) =~ /\b\w+\b/g;
}
for my $page (@PAGES) {
	my $nr = 0;
	for (lines($page)) {
		$nr++;
		for my $name (/`([^`]+)`/g) {
			my ($ours) = $name =~
				/^(?:struct )?((?:tr2|TR2|trace2)_\w+)(?:\(\))?$/;
			my $is_file = $name =~ m{^[\w./-]+\.(?:[ch]|cc|def|js|pm|adoc)$};
			my $is_folder = $name =~ m{^(?:lib|tool|t)/[\w/]+$};

			complain($page, $nr, $name, 'there is none')
				if $is_file ? !$path{$name} :
				   $is_folder ? !-e $name :
				   defined $ours && !$word{$ours};
		}
	}
}
done();
