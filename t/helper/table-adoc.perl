#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Print the rows of a .def file that have a meaning as a table of asciidoc:
#
#	table-adoc.perl FILE
#
# Each row is MACRO(key, ..., "meaning"). Keys with the meaning "" are in one line
# with the next key that has one. `*` is after a key whose row has the word ENDED
# or RAN. A row whose macro is not the first with a meaning is a member of the
# key before; such a row may have no meaning. The key of a row with F() or M()
# is its first text; the names in these are a column of their own.
use strict;
use warnings;

my ($file) = @ARGV;
open my $in, '<', $file or die "$file: $!\n";
my $text = do { local $/; <$in> };
$text =~ s{/\*.*?\*/}{}gs;
$text =~ s/^#.*?$//gm;

my $string = qr/"(?:\\.|[^"\\])*"/;
my ($top, $line, @keys, @lines);
my $has_fields;

while ($text =~ /^([A-Z]\w+)(\((?:[^()"]++|$string|(?2))*\))/gm) {
	my ($macro, $row) = ($1, $2);
	my $meaning = $row =~ /,\s*((?:$string\s*)+)\)$/ ?
		join '', map { s/\\(.)/$1/gr } $1 =~ /"((?:\\.|[^"\\])*)"/g : undef;
	$top //= $macro if defined $meaning;
	next if !$top;
	my @fields = $row =~ /\b[FM]\((\w+)\)/g;
	my ($key) = @fields ? $row =~ /"(\w+)"/ : $row =~ /^\((\w+)/;
	$has_fields ||= @fields;
	push @keys, "`$key`" . ($row =~ /\b(ENDED|RAN)\b/ ? '*' : '');
	next if defined $meaning && $meaning eq '';
	my $names = join ', ', splice @keys;
	if ($macro eq $top) {
		$names .= " | `@fields`" if @fields;
		push @lines, "$names | $meaning";
	} else {
		$lines[-1] .= ' ' . $names . (defined $meaning ? ": $meaning." : ',');
	}
}
print $has_fields ? "[cols=\"1,3,4\"]\n|===\n| type | further fields | meaning\n" :
	"[cols=\"2,5\"]\n|===\n| key | value\n", "\n",
	(map { '| ' . s/,\z//r . "\n" } @lines), "|===\n";
