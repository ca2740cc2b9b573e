# SPDX-License-Identifier: MIT
#
# Which folder may use which other: the one table, for includes (includes.perl)
# and for calls (calls.perl).
package Layers;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(folder_of may_use uses_of);

# From the bottom up, each with the folders that it may use besides itself; '*'
# is all rows before it.
my @LIB = (
	[ base => '' ],
	[ config => 'base' ],
	[ site => 'base' ],
	[ event => 'base site' ],
	[ perfevent => 'base' ],
	[ arena => 'base' ],
	[ metric => 'base arena' ],
	[ ring => 'base site arena' ],
	[ span => 'base event arena ring' ],
	[ pmu => 'base perfevent arena metric ring' ],
	[ target => 'base site event arena ring' ],
	[ thread => 'base site event arena metric ring span target' ],
	[ part => 'base site event perfevent arena metric ring span pmu target thread' ],
	[ session => '*' ],
	[ api => 'base site event arena ring metric span pmu target thread session' ],
);
my @TOOL = (
	[ common => '' ],
	[ out => 'common' ],
	[ model => 'common' ],
	[ read => 'common out model' ],
	[ samples => 'common model' ],
	[ export => 'common out model read samples' ],
	[ forward => 'common model read export' ],
	[ record => 'common out read forward' ],
	[ stat => 'common model read record' ],
	[ cmd => '*' ],
);

# The folders of lib/ that the command may use; for headers see includes.perl.
my @TOOL_LIB = qw(lib/base lib/config lib/event lib/perfevent);

my %row;
for (['lib', @LIB], ['tool', @TOOL]) {
	my ($top, @rows) = @$_;
	my @below;
	for (@rows) {
		my ($name, $list) = @$_;
		my @names = $list eq '*' ? @below : split ' ', $list;
		$row{"$top/$name"} = { map { ("$top/$_" => 1) } $name, @names };
		$row{"$top/$name"}{$_} = 1 for $top eq 'tool' ? @TOOL_LIB : ();
		push @below, $name;
	}
}

# Return the folder: lib/base/buf.c -> lib/base; undef if it is in none.
sub folder_of {
	return $_[0] =~ m{^((?:lib|tool)/[^/]+)/} ? $1 : undef;
}

# Return the folders that it may use; undef: the folder has no row.
sub uses_of {
	my $row = $row{$_[0]} or return undef;
	return join ' ', sort keys %$row;
}

sub may_use {
	my ($from, $to) = @_;
	return $row{$from} && $row{$from}{$to};
}

1;
