#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='each row of the table of faults has tests, which exist
'

. ./test-lib.sh

page=$GIT_BUILD_DIR/Documentation/technical/faults.adoc
tests=$TEST_DIRECTORY/t0511/tests

# A row of the page is a paragraph of three cells, one per line; the first is
# the fault. In the list of tests a fault has a paragraph: its name, then a line
# for each test.
cat >rows.perl <<\EOT
use strict;
use warnings;
my ($page, $tests, $dir) = @ARGV;
my (%row, $bad);
sub complain {
	print "@_\n";
	$bad++;
}
sub text {
	open(my $in, "<", $_[0]) or return "";
	local $/;
	return <$in>;
}
foreach my $paragraph (split(/\n\n+/, text($page))) {
	my ($start, @cells) = split(/^\|/m, $paragraph);
	next if $start ne "" || @cells != 3;
	$row{join(" ", split(" ", $cells[0]))} = 0;
}
foreach my $paragraph (split(/\n\n+/, text($tests))) {
	my ($fault, @lines) = split(/\n/, $paragraph);
	if (!defined $row{$fault}) {
		complain("$tests: the page has no row: $fault");
		next;
	}
	$row{$fault} += @lines;
	foreach my $test (@lines) {
		my ($script, $title) = $test =~ /^\t(t\d{4}) (.*?)(?: \(and .*)?$/;
		my ($file) = glob("'$dir'/" . ($script // "none") . "-*.sh");
		complain("$fault: there is no test: $test")
			if !defined $title || !defined $file ||
			   index(text($file), " '$title' '") < 0;
	}
}
complain("$_: the row has no test") foreach grep { !$row{$_} } sort keys %row;
print scalar(keys %row), " rows\n";
exit($bad || keys %row < 40);
EOT

test_expect_success 'each fault in faults.adoc has a test, and each listed test exists' '
	"$PERL_PATH" rows.perl "$page" "$tests" "$TEST_DIRECTORY" >actual ||
	{
		cat actual &&
		false
	}
'

test_done
