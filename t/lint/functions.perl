# SPDX-License-Identifier: MIT
#
# Functions of the library and the command fit a screen. A function is the text
# between a brace alone in the first column and the next closing one there; its
# length is the number of lines between them. A name of one word says too little
# if functions of several files have it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $MAX = 60;

# Call FOUND with path, line, name and length of each function.
sub each_function {
	my ($path, $found) = @_;
	my ($nr, $start, $name) = (0, 0, '?');
	for (split /^/, c_code(slurp($path))) {
		$nr++;
		if (/^\{\s*$/) {
			$start = $nr;
		} elsif (/^\}/) {
			$found->($path, $start, $name, $nr - $start - 1) if $start;
			$start = 0;
		} elsif (!$start && /^[A-Za-z_].*?(\w+)\s*\(/) {
			$name = $1;
		}
	}
}

my (@all, %of_name);
for my $path (grep { m{^(?:lib|tool)/} } sources(qw(c cxx))) {
	each_function($path, sub {
		my ($file, $line, $name, $length) = @_;
		push @all, [ $length, "$name at $file:$line" ];
		push @{ $of_name{$name} }, [ $file, $line ] if $name !~ /_/;
		complain($file, $line, "$name has $length lines",
			 "a function has at most $MAX") if $length > $MAX;
	});
}
for my $name (sort grep { $_ ne 'main' } keys %of_name) {
	my ($first, @others) = @{ $of_name{$name} };
	complain(@$_, "$name() is also in $first->[0]", 'name its object') for @others;
}
if (@all) {
	@all = sort { $b->[0] <=> $a->[0] } @all;
	note(scalar(@all) . " functions, half of them under "
		. ($all[$#all / 2][0] + 1) . " lines; the longest is $all[0][1]"
		. " with $all[0][0]");
}
done();
