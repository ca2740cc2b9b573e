#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the tests that the table of faults names exist'

. ./test-lib.sh

page=$GIT_BUILD_DIR/Documentation/technical/faults.adoc

# A row is a paragraph of four cells, one per line. The second names its tests,
# separated by semicolons that are followed by the number of a script.
cat >rows.perl <<\EOT
use strict;
use warnings;
my ($page, $dir) = @ARGV;
my ($rows, $bad) = (0, 0);
open(my $in, "<", $page) or die "$page: $!\n";
local $/ = "";
while (my $row = <$in>) {
	my @cells = split(/^\|/m, $row);
	next if shift(@cells) ne "" || @cells != 4;
	$rows++;
	chomp @cells;
	for my $test (split(/; (?=t\d{4} )/, $cells[1])) {
		my ($script, $title) = $test =~ /^(t\d{4}) (.*?)(?: \(and .*)?$/;
		my ($file) = glob("'$dir'/" . ($script // "none") . "-*.sh");
		my $text = "";
		if (open(my $f, "<", $file // "")) {
			local $/;
			$text = <$f>;
		}
		next if defined $title && index($text, " '$title' '") >= 0;
		print "$cells[0]: there is no test: $test\n";
		$bad++;
	}
}
print "$rows rows\n";
exit($bad || $rows < 40);
EOT

test_expect_success 'each row of the fault table names tests that are in their scripts' '
	"$PERL_PATH" rows.perl "$page" "$TEST_DIRECTORY" >actual ||
	{
		cat actual &&
		false
	}
'

test_done
