# SPDX-License-Identifier: MIT
#
# A header belongs to one C file. The file of its name defines all that the header
# declares, or files whose names begin with this name and a _ (dest.h: dest.c,
# dest_open.c); if there is no such file, a single file does. A folder's own header
# (metric/metric.h), internal and private ones belong to all files of the folder.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $HEAD = qr/^(?!static\b|typedef\b|TR2_\w*INLINE\b|[A-Z]+\()[A-Za-z_][\w\s*(),]*?/m;

my (%defined, %is_file);
for my $path (grep { m{^(?:lib|tool)/} } sources('c')) {
	$is_file{$path} = 1;
	next if $path !~ /\.c$/;
	my $code = c_code(slurp($path));
	$defined{$1} = $path
		while $code =~ /$HEAD\b(tr2_\w+)\([^;{}]*\)\s*\{/g;
}
for my $path (grep { m{^(?:lib|tool)/.*/.*\.h$} } sort keys %is_file) {
	my ($folder, $name) = $path =~ m{^(.*)/([^/]+)\.h$};
	next if $folder =~ m{/\Q$name\E$} || $name =~ /(?:internal|private)$/;
	my $family = qr/^\Q$folder\/$name\E(?:_[^\/]*)?\.c$/;
	my $has_family = grep { /$family/ } keys %is_file;
	my $code = c_code(slurp($path));
	my $first;
	while ($code =~ /$HEAD\b(tr2_\w+)\([^;{}]*\)[^;{}]*;/g) {
		my $function = $1;
		my $line = 1 + (substr($code, 0, $-[1]) =~ tr/\n//);
		my $file = $defined{$function} // next;
		$first //= $file;
		complain($path, $line, $function, "it is defined in $file")
			if $has_family ? $file !~ $family : $file ne $first;
	}
}
done();
