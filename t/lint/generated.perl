# SPDX-License-Identifier: MIT
#
# Generated files match their tables. Each line of t/lint/generated.list is
# PATH, a tab, and the command that prints the file.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $list = 't/lint/generated.list';
done() if !-f $list;

my $nr = 0;
for (lines($list)) {
	$nr++;
	next if /^#|^$/;
	chomp;
	my ($path, $command) = split /\t+/, $_, 2;
	if (!defined $command) {
		complain($list, $nr, "no command for '$path'", 'a line is PATH, tab, COMMAND');
		next;
	}
	my $output = `$command`;
	if ($? != 0) {
		complain($list, $nr, "'$command' failed", "it should print $path");
	} elsif (!-f $path) {
		complain($path, 1, 'there is no such file', "make it: $command >$path");
	} elsif (slurp($path) ne $output) {
		complain($path, 1, 'out of date', "make it anew: $command >$path");
	}
}
done();
