# SPDX-License-Identifier: MIT
#
# Every source file begins with its purpose: a comment right after the licence.
# In a test script, test_description is that.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

# A comment's beginning; # and // need a line of their own before the text.
my $COMMENT = qr{^(?:/\*|//$|//\s+\S|#$|#\s+\S|""")};

for my $path (grep { !/\.html$/ } sources(qw(c cxx table sh perl python awk web))) {
	my @lines = lines($path);
	my ($licence) = grep { $lines[$_] =~ /SPDX-/ } 0 .. ($#lines < 2 ? $#lines : 2);
	next if !defined $licence || $path =~ m{(?:^|/)t\d{4}-[^/]*\.sh$};
	next if ($lines[$licence + 1] // '') =~ $COMMENT;
	complain($path, $licence + 2, 'no purpose',
		 'a comment behind the licence says what the file is for');
}
done();
