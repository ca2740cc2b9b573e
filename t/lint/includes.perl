# SPDX-License-Identifier: MIT
#
# Includes point down only, by the table in Layers.pm. The public headers may be
# included anywhere.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Layers;
use Lint;

# Layouts of files, which the command may include from folders that it may not
# use.
my @LAYOUTS = qw(arena/kinds.def arena/kinds.h arena/layout.h ring/layout.h);

# Return the path of an include in this tree, or undef.
sub resolve {
	my ($from, $name) = @_;
	(my $dir = $from) =~ s{[^/]*$}{};
	for my $root ($dir, 'lib/', 'tool/') {
		my $path = "$root$name";
		1 while $path =~ s{(^|/)(?!\.\./)[^/]+/\.\./}{$1};
		return $path if -f $path;
	}
	return undef;
}

# Return why FROM may not include TO; undef if it may.
sub objection {
	my ($from, $to) = @_;
	my ($lib_folder) = $to =~ m{^lib/([^/]+)/};
	if ($from =~ m{^lib/[^/]+$}) {
		return $to =~ m{^lib/[^/]+$} ? undef :
			'a public header includes nothing of ours';
	}
	if ($from =~ m{^lib/([^/]+)/}) {
		my $folder = $1;
		return 'the library includes only the library' if $to !~ m{^lib/};
		my $uses = uses_of("lib/$folder");
		return "lib/$folder is in no row of the table" if !defined $uses;
		return undef if !defined $lib_folder ||
			may_use("lib/$folder", "lib/$lib_folder");
		return "lib/$folder may include only: $uses";
	}
	if (defined folder_of($from)) {
		return undef if $to =~ m{^lib/[^/]+$} ||
			grep { $to eq "lib/$_" } @LAYOUTS;
		my ($user, $used) = (folder_of($from), folder_of($to) // 'tool');
		my $uses = uses_of($user);
		return "$user is in no row of the table" if !defined $uses;
		return undef if may_use($user, $used);
		return "$user may include only: $uses";
	}
	if ($from =~ m{^examples/} && defined $lib_folder) {
		return 'an example shows what a user has: the public headers';
	}
	return undef;
}

for my $path (sources(qw(c cxx table))) {
	next if $path !~ m{^(?:lib|tool|t|examples)/};
	my $nr = 0;
	for (lines($path)) {
		$nr++;
		my ($open, $name) = /^\s*#\s*include\s*([<"])([^>"]+)[>"]/ or next;
		my $to = resolve($path, $name);
		if (!defined $to) {
			complain($path, $nr, "include \"$name\"", 'there is no such file')
				if $open eq '"';
			next;
		}
		next if $open eq '<' && $to !~ m{^(?:lib|tool)/};
		my $why = objection($path, $to);
		complain($path, $nr, "include of $to", $why) if defined $why;
	}
}
done();
