#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Print the rows of a .def file as a table of asciidoc:
#
#	table-adoc.perl FILE
#
# Each row is MACRO(key, ..., "meaning"). Keys with the meaning "" are in one line
# with the next key that has one. `*` is after a key whose row has the word ENDED
# or RAN. A macro with more words in its name than the first one of the file
# (TR2_META_IO) has the members of the key before.
use strict;
use warnings;

my ($file) = @ARGV;
open my $in, '<', $file or die "$file: $!\n";
my $text = do { local $/; <$in> };
$text =~ s{/\*.*?\*/}{}gs;
$text =~ s/^#.*?(?<!\\)$//gms;

my $name = $file =~ s{.*/}{}r;
print "// Made by make generate from $name.\n[cols=\"2,5\"]\n|===\n",
	"| key | value\n\n";
my ($top, $line, @keys);

sub meaning {
	my ($row) = @_;
	my $end = $row =~ /,\s*((?:"(?:\\.|[^"\\])*"\s*)+)\)$/ ? $1 : return undef;
	my $all = join '', $end =~ /"((?:\\.|[^"\\])*)"/g;
	return $all =~ s/\\(.)/$1/gr;
}

sub finish {
	print "| ", $line =~ s{,\z}{}r, "\n" if defined $line;
	undef $line;
}

while ($text =~ /^([A-Z]\w+)(\((?:[^()"]++|"(?:\\.|[^"\\])*"|(?2))*\))/gm) {
	my ($macro, $row) = ($1, $2);
	my $meaning = meaning($row);
	my ($key) = $row =~ /^\((\w+)/;
	$top //= $macro;
	my $star = $row =~ /\b(ENDED|RAN)\b/ ? '*' : '';
	push @keys, "`$key`$star";
	next if $macro eq $top ? $meaning eq '' : defined $meaning && $meaning eq '';
	my $names = join ', ', splice @keys;
	if ($macro eq $top) {
		finish();
		$line = "$names | $meaning";
	} else {
		$line .= ' ' . $names . (defined $meaning ? ": $meaning." : ',');
	}
}
finish();
print "|===\n";
