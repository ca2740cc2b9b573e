# SPDX-License-Identifier: MIT
#
# Functions that the rules of 'make lint' share: listing files, finding code in
# a C file, and printing complaints. A rule is a file NAME.perl here. It is run
# with the top of a tree as its working directory, examines that tree only,
# prints 'file:line: what: why' for each complaint, and ends with 1 if there
# were any.
package Lint;

use strict;
use warnings;

use Exporter 'import';
use File::Find;

our @EXPORT = qw(sources lines slurp c_code complain note done);

my ($complaints, @notes) = (0);

# The kinds of files, by name; a file without a known suffix is recognised by
# its first line.
my %KIND = (
	c => qr/\.[ch]$/,
	cxx => qr/\.cc$/,
	table => qr/\.(?:def|map|tbl)$/,
	sh => qr/\.sh$/,
	perl => qr/\.(?:perl|pl|pm)$/,
	awk => qr/\.awk$/,
	python => qr/\.py$/,
	make => qr/(?:^|\/)Makefile$|\.mak$/,
	adoc => qr/\.adoc$/,
	web => qr/\.(?:js|css|html)$/,
	text => qr/\.md$|\.list$/,
);

sub kind_of {
	my ($path) = @_;
	for my $kind (keys %KIND) {
		return $kind if $path =~ $KIND{$kind};
	}
	return '' if $path =~ /\.[^\/.]+$/;
	open my $in, '<', $path or return '';
	my $first = <$in> // '';
	return 'sh' if $first =~ /^#!.*\b(?:sh|bash|dash)\b/;
	return 'perl' if $first =~ /^#!.*\bperl\b/;
	return '';
}

# Return the paths of the files of the KINDS, sorted, without results of tests
# and builds, and without files copied from elsewhere.
sub sources {
	my %wanted = map { $_ => 1 } @_;
	my @found;
	find({ no_chdir => 1, wanted => sub {
		(my $path = $_) =~ s{^\./}{};
		if ($path =~ m{^(?:build|\.git|t/traces|t/fuzz/corpus|
				t/test-results)$}x ||
		    $path =~ m{^t/trash directory}) {
			$File::Find::prune = 1;
		} elsif (-f $path && !-l $path && $wanted{kind_of($path)}) {
			push @found, $path;
		}
	} }, '.');
	return sort @found;
}

sub slurp {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: cannot read it: $!\n";
	local $/;
	return <$in> // '';
}

sub lines {
	return split /^/, slurp($_[0]);
}

# Return the text of a C file with each comment, string and character constant
# blanked; lines keep their numbers.
sub c_code {
	my ($text) = @_;
	my $blank = sub { (my $gone = $_[0]) =~ s/[^\n]/ /g; $gone };
	$text =~ s{(/\*.*?\*/|//[^\n]*)|("(?:\\.|[^"\\\n])*")|('(?:\\.|[^'\\\n])+')}
		  {defined $1 ? $blank->($1) :
		   defined $2 ? '"' . $blank->(substr $2, 2) . '"' :
		   "'" . $blank->(substr $3, 2) . "'"}gse;
	return $text;
}

sub complain {
	my ($path, $line, $what, $why) = @_;
	print "$path:$line: $what: $why\n";
	$complaints++;
}

# Print a message that is not a complaint.
sub note {
	push @notes, "    @_\n";
}

sub done {
	print @notes;
	exit($complaints ? 1 : 0);
}

1;
