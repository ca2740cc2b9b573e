# SPDX-License-Identifier: MIT
#
# Folders are easy to know. A folder of the command or the library has at most 20 C
# files. A base name occurs once in the command. architecture.adoc has a row for
# each folder of Layers.pm, with the folders that it uses.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Layers;
use Lint;

my $MAX = 20;
my $PAGE = 'Documentation/technical/architecture.adoc';

my (%files, %first);
for my $path (sources(qw(c cxx table))) {
	my ($folder, $name) = $path =~ m{^((?:lib|tool)/.+)/([^/]+)$} or next;
	$files{$folder}++ if $name =~ /\.cc?$/;
	next if $folder !~ m{^tool/};
	complain($path, 1, $name, "$first{$name} has this name")
		if defined $first{$name};
	$first{$name} //= $path;
}
for (sort keys %files) {
	complain($_, 1, "$files{$_} C files", "a folder has at most $MAX")
		if $files{$_} > $MAX;
}

my %rows = table_of();
my $nr = 0;
for (-f $PAGE ? lines($PAGE) : ()) {
	$nr++;
	my ($folder, $uses) = m{^\|((?:lib|tool)/\S+) \|.*\|(.*)$} or next;
	$uses = '*' if $uses eq 'all above';
	$uses = join ' ', split /, /, $uses;
	my $right = delete $rows{$folder};
	complain($PAGE, $nr, $folder, defined $right ?
		"Layers.pm lets it use: $right" : 'Layers.pm has no such folder')
		if ($right // '-') ne $uses;
}
if (-f $PAGE) {
	complain($PAGE, 1, $_, 'the table of folders has no row for it')
		for sort keys %rows;
}
done();
