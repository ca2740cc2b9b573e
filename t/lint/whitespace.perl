# SPDX-License-Identifier: MIT
#
# No blanks at the end of a line, and C is indented with tabs. Expected output
# in tests may have blanks at the end.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

for my $path (sources(qw(c cxx table sh perl python awk make web adoc text))) {
	my @lines = lines($path);
	my ($nr, $here) = (0, '');
	for (@lines) {
		$nr++;
		if ($here ne '') {
			$here = '' if /^\t*\Q$here\E$/;
			next;
		}
		$here = $1 if $path =~ /\.sh$/ && /<<-?\s*[\\'"]?(\w+)/;
		complain($path, $nr, 'white space at the end', 'it shows in every diff')
			if /[ \t\r]+$/ && !/\bIFS=/;
	}
	complain($path, $nr, 'no newline at the end', 'the next line would join it')
		if @lines && $lines[-1] !~ /\n$/;
	complain($path, $nr, 'blank line at the end', 'it shows in every diff')
		if @lines && $lines[-1] =~ /^\s*$/;
}

for my $path (sources(qw(c cxx))) {
	# The last character of the code before this line shows whether this
	# line continues a statement, and may be aligned, or begins one.
	my ($nr, $before) = (0, ';');
	for (split /^/, c_code(slurp($path))) {
		$nr++;
		next if /^\s*$/;
		my ($indent) = /^(\s*)/;
		if ($indent =~ / \t| {8}/) {
			complain($path, $nr, 'spaces before the code',
				 'indent with tabs of 8');
		} elsif ($indent =~ /^ {2,}$/ && $before =~ /[;{}:]/) {
			complain($path, $nr, 'indented with spaces',
				 'indent with tabs of 8');
		}
		$before = substr s/\s+$//r, -1;
	}
}
done();
