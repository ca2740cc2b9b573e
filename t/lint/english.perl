# SPDX-License-Identifier: MIT
#
# Check that comments and titles of tests can be read once. A title names
# subject and result, and does not begin in the middle of a thought. The same
# holds for comments, which also avoid some words that hide who does what. A
# comment in C has at most 80 columns in lib and tool.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $TITLE = qr/^(?:and|nor|not|likewise|of|with|it|its|that|the\ same|but|or|in|
	for|by|if|their|these|those|what\ |which|whose|without)\b/xi;
my $OPENING = qr/^(?:Of|Whoever|What|That\ of|Those\ of|Nor|Likewise|And|Such)\b/x;
my @WORDS = (
	[qr/\bmeanwhile\b/i, 'name the time: while it does what?'],
	[qr/\blikewise\b/i, 'say it again, or "also"'],
	[qr/\b(?:whoever|whatever is)\b/i, 'name the subject'],
	[qr/(?<!there )(?<!there\n)\bis none\b(?! of)/, 'say what there is not'],
	[qr/\b(?:un)?told\b/, 'reported, recorded, passed'],
	[qr/\bso many\b/, 'name the number'],
);
my $COLUMNS = 80;
my $TABLE = 84; # of code: tables, long names

# Call the function with the line and the text of each comment.
sub comments {
	my ($text, $see) = @_;
	while ($text =~ m{/\*(.*?)\*/}gs) {
		my $line = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
		(my $comment = $1) =~ s/\n\s*\*?/\n/g;
		$see->($line, $comment);
	}
	return;
}

sub columns {
	my ($line) = @_;
	1 while $line =~ s/^([^\t]*)\t/$1 . ' ' x (8 - length($1) % 8)/e;
	utf8::decode($line);
	return length $line;
}

my $BLANK = qr/(?:[ \t]|\\\n)+/;
# An indented test is one of a loop, with a variable, or of a script in a document.
my $TEST = qr/^(?:\t(?=.*\$))?test_(?:expect_(?:success|failure)|shells)$BLANK
	(?:(?:"\$\w+"|[\w,!]+)$BLANK)?(['"])(.+?)\1/xm;
for my $path (grep { m{(?:^|/)t\d{4}-[^/]*\.sh$} } sources('sh')) {
	my $text = slurp($path);
	while ($text =~ /$TEST/g) {
		my $title = $2;
		my $nr = 1 + (substr($text, 0, $-[0]) =~ tr/\n//);
		complain($path, $nr, "title '$title'", 'name the subject, then the result')
			if $title =~ $TITLE;
	}
}
for my $path (grep { m{^(?:lib|tool|t/helper|scrub)/} } sources(qw(c table))) {
	my $nr = 0;
	for ($path =~ m{^(?:lib|tool)/.*\.[ch]$} ? lines($path) : ()) {
		$nr++;
		s/\n\z//;
		my $most = m{^\s*/?\*} && !/s would be/ ? $COLUMNS : $TABLE;
		my $width = columns($_);
		complain($path, $nr, "$width columns", "a line has at most $most")
			if $width > $most && !/^\s*[A-Z_]+;$/;
	}
	comments(slurp($path), sub {
		my ($line, $comment) = @_;
		(my $start = $comment) =~ s/^\s+//;
		complain($path, $line, "comment begins with '$&'", 'name the subject')
			if $start =~ $OPENING;
		for (@WORDS) {
			my ($word, $instead) = @$_;
			complain($path, $line, "'$&'", $instead) if $comment =~ $word;
		}
	});
}
done();
