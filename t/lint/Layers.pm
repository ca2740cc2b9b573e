# SPDX-License-Identifier: MIT
#
# Which folder may use which other: the one table, for includes (includes.perl)
# and for calls (calls.perl).
package Layers;

use strict;
use warnings;

use Exporter 'import';

our @EXPORT = qw(folder_of may_use table_of uses_of);

# From the bottom up, each with the folders that it may use besides itself, and
# the folders in those; '*' is all rows before it.
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
	[ api => 'base site event arena ring metric span pmu target thread part session' ],
);
my @TOOL = (
	[ common => '' ],
	[ out => 'common' ],
	[ model => 'common' ],
	[ 'model/build' => 'common model' ],
	[ 'model/join' => 'common model' ],
	[ 'model/path' => 'common model' ],
	[ format => 'common out model' ],
	[ 'format/events' => 'common out model format' ],
	[ 'format/ring' => 'common out model format' ],
	[ 'format/kernel' => 'common out model format' ],
	[ 'format/recording' => 'common out model format' ],
	[ read => 'common out model format' ],
	[ samples => 'common out model' ],
	[ export => 'common out model format read samples' ],
	[ 'export/profile' => 'common out model read samples export' ],
	[ 'export/sql' => 'common out model read samples export' ],
	[ 'export/otlp' => 'common out model format read samples export' ],
	[ 'export/page' => 'common out model read samples export' ],
	[ record => 'common out format' ],
	[ 'record/forward' => 'common model format read export record' ],
	[ 'record/kernel' => 'common format record' ],
	[ 'record/observer' => 'common format record' ],
	[ 'record/sources' => 'common format record' ],
	[ 'record/streams' => 'common out format record' ],
	[ 'record/job' => 'common out format record' ],
	[ compare => 'common out model format read record' ],
	[ bisect => 'common out model read record compare' ],
	[ report => 'common out model format read samples export compare' ],
	[ top => 'common out model format read samples' ],
	[ check => 'common out model format read record' ],
	[ script => 'common out model format read export' ],
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
		my @names = map { my $used = $_; $used eq '*' ? @below :
			grep { $_ eq $used || m{^\Q$used/} } @below } split ' ', $list;
		$row{"$top/$name"} = { map { ("$top/$_" => 1) } $name, @names };
		$row{"$top/$name"}{$_} = 1 for $top eq 'tool' ? @TOOL_LIB : ();
		push @below, $name;
	}
}

# Return the folder: lib/base/buf.c -> lib/base; undef if it is in none.
sub folder_of {
	return $_[0] =~ m{^((?:lib|tool)/.+)/[^/]+$} ? $1 : undef;
}

# Return the folders that it may use; undef: the folder has no row.
sub uses_of {
	my $row = $row{$_[0]} or return undef;
	return join ' ', sort keys %$row;
}

# Return each folder with its list, as above.
sub table_of {
	return ((map { ("lib/$_->[0]" => $_->[1]) } @LIB),
		(map { ("tool/$_->[0]" => $_->[1]) } @TOOL));
}

sub may_use {
	my ($from, $to) = @_;
	return $row{$from} && $row{$from}{$to};
}

1;
