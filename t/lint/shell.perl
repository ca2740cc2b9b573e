# SPDX-License-Identifier: MIT
#
# Shell scripts are clean under shellcheck; skipped without it.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

# Each of these is usual in git-style test scripts and not a mistake there.
my @IN_TESTS = (
	'SC1003', # '\'' within a test body
	'SC1090', # sources a file named by a variable
	'SC1091', # sources a file that shellcheck did not get
	'SC2015', # A && B || C, where B is an assignment
	'SC2016', # expressions in single quotes: test bodies
	'SC2034', # variables that the sourced library reads
	'SC2119', # a function called without its optional arguments,
	'SC2120', # and never called with them in this script
	'SC2154', # variables that the sourced library sets
	'SC3043', # "local": dash, bash and busybox have it
);

my @files = sources('sh');
done() if !@files;
if (!grep { -x "$_/shellcheck" } split /:/, $ENV{PATH}) {
	note('left out: Debian package shellcheck brings what checks the scripts');
	done();
}

sub check {
	my ($options, @paths) = @_;
	return if !@paths;
	open my $in, '-|', 'shellcheck', '-f', 'gcc', @$options, @paths
		or die "cannot run shellcheck: $!\n";
	while (<$in>) {
		# path:line:column: level: text [code]
		my ($path, $line, $text) = /^(.*?):(\d+):\d+: \w+: (.*)/ or next;
		my $code = $text =~ s/ \[(SC\d+)\]$// ? $1 : 'shellcheck';
		complain($path, $line, $code, $text);
	}
	close $in;
}

check([ '-e', join ',', @IN_TESTS ], grep { m{^(?:.*/)?t/} } @files);
check([], grep { !m{^(?:.*/)?t/} } @files);
done();
