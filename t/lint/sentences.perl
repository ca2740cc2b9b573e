# SPDX-License-Identifier: MIT
#
# A sentence of the documents has at most 30 words, and a paragraph of prose at most
# eight lines. A span of code, a link and an address are one word each. A semicolon
# ends a sentence, too. Tables, listings, headings and attributes are no prose.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $MOST_WORDS = 30;
my $MOST_LINES = 8;

# Replace each span of code, link and address by one word.
sub shortened {
	my ($text) = @_;
	$text =~ s/(?:xref|link):[^\[\s]*\[[^\]]*\]/LINK/g;
	$text =~ s/<<[^>]*>>/LINK/g;
	$text =~ s/!?\[[^\]]*\]\([^)]*\)/LINK/g;
	$text =~ s/``?[^`]+`?`/CODE/g;
	return $text;
}

sub check {
	my ($path, $line, @paragraph) = @_;
	return if !@paragraph;
	complain($path, $line, 'paragraph of ' . @paragraph . ' lines',
		 "at most $MOST_LINES")
		if @paragraph > $MOST_LINES;
	my $text = shortened(join ' ', @paragraph);
	for my $sentence (split /[.?!;]["')*_]*\s+/, $text) {
		my @words = grep { /\w/ } split ' ', $sentence;
		complain($path, $line, "'@words[0 .. 5] ...' has " . @words .
			 ' words', "at most $MOST_WORDS")
			if @words > $MOST_WORDS;
	}
}

sub check_page {
	my ($path) = @_;
	my ($nr, $start, $fence, @paragraph) = (0, 0, '');
	my $flush = sub {
		check($path, $start, @paragraph);
		@paragraph = ();
	};

	for (lines($path)) {
		chomp;
		$nr++;
		if ($fence ne '') {
			$fence = '' if $_ eq $fence;
			next;
		}
		# The line below an old-style title is about as long as the
		# title.
		if (@paragraph == 1 && /^(?:-+|=+|~+)$/ &&
		    abs(length($_) - length($paragraph[0])) < 3) {
			@paragraph = ();
			next;
		}
		if (/^(-{4,}|\.{4,}|\+{4,}|\/{4,}|\|===|```)\w*$/) {
			$flush->();
			$fence = $1;
			next;
		}
		# Lines that end a paragraph, and belong to none. A line with a
		# blank before it begins a listing, or continues an item of a
		# list.
		if (/^\s*\+?$/ || /^(?:=|#|:|\[|\||include::|\/\/|    )/ ||
		    /^\.\w/ || /^\S.*::$/ || (!@paragraph && /^ /)) {
			$flush->();
			next;
		}
		$flush->() if s/^\s*(?:[*-]+|\d*\.)\s+// || s/^\S.*?::\s+//;
		$start = $nr if !@paragraph;
		push @paragraph, s/^\s+//r;
	}
	$flush->();
}

check_page($_)
	for grep { m{^(?:README|CONTRIBUTING|NEWS|SECURITY)\.md$|^Documentation/.*\.adoc$} }
	sources(qw(adoc text));
done();
