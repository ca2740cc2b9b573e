# SPDX-License-Identifier: MIT
#
# Each public header compiles alone, in every language in which programs may
# include it, with every compiler that is installed.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my %COMPILERS = (c => [qw(gcc clang)], 'c++' => [qw(g++ clang++)]);
my @LANGUAGES = (
	[ c => 'c99' ], [ c => 'c11' ], [ c => 'gnu11' ],
	[ 'c++' => 'c++11' ], [ 'c++' => 'c++17' ],
);
# A header of C++ needs C++17, which its name does not say.
my @LANGUAGES_OF_CPP = ([ 'c++' => 'c++17' ], [ 'c++' => 'c++20' ]);
my @FLAGS = qw(-fsyntax-only -Wall -Wextra -Wpedantic -Werror -Ilib);

my @there = split /:/, $ENV{PATH};
for my $header (glob 'lib/*.h lib/*.hpp') {
	(my $name = $header) =~ s{^lib/}{};
	for my $row ($header =~ /pp$/ ? @LANGUAGES_OF_CPP : @LANGUAGES) {
		my ($language, $standard) = @$row;
		for my $compiler (@{$COMPILERS{$language}}) {
			next if !grep { -x "$_/$compiler" } @there;
			my $out = `echo '#include "$name"' | $compiler \\
				-std=$standard -x $language @FLAGS - 2>&1`;
			next if $? == 0;
			my ($line, $text) = $out =~ /^\Q$header\E:(\d+):\d+: (.*)/m;
			complain($header, $line // 1, "$compiler -std=$standard",
				 $text // $out);
		}
	}
}
done();
