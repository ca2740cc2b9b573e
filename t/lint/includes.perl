# SPDX-License-Identifier: MIT
#
# Includes point down only.  The table below is the one place that says which
# folder may include which.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

# Folders of lib/ from the bottom up, each with those that it may include
# besides itself; '*' is all above the row.  The public headers are open to all.
my @TABLE = (
	[ base => '' ],
	[ event => 'base' ],
	[ arena => 'base' ],
	[ metric => 'base arena' ],
	[ ring => 'base arena' ],
	[ pmu => 'base arena metric ring' ],
	[ target => 'base event ring' ],
	[ session => '*' ],
	[ api => '*' ],
);
# Of lib/, the command may include these folders and these headers.
my @TOOL = qw(base event arena/layout.h ring/layout.h);

my (%may, @above);
for my $row (@TABLE) {
	my ($folder, $list) = @$row;
	$may{$folder} = { map { $_ => 1 } $folder,
			  $list eq '*' ? @above : split ' ', $list };
	push @above, $folder;
}

# Where an include leads: a path in this tree, or nothing.
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

# Why FROM may not include TO; nothing if it may.
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
		return "lib/$folder is in no row of the table" if !$may{$folder};
		return undef if !defined $lib_folder || $may{$folder}{$lib_folder};
		return "lib/$folder may include only: "
			. join(' ', sort keys %{$may{$folder}});
	}
	if ($from =~ m{^tool/} && $to =~ m{^lib/(.*)}) {
		my $header = $1;
		return undef if !defined $lib_folder;
		return undef if grep { $header eq $_ || $lib_folder eq $_ } @TOOL;
		return "of lib, the command may include only: @TOOL";
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
