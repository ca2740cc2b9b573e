#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# records.perl FILE
#
# Walk the records of a kernel.data: print how many there are of each type, and
# fail if one is not whole. Only a recorder that was killed leaves a file without a
# size; its last record may be cut.

use strict;
use warnings;

my %names = (1 => 'MMAP', 2 => 'LOST', 3 => 'COMM', 4 => 'EXIT', 7 => 'FORK',
	8 => 'READ', 10 => 'MMAP2', 9 => 'SAMPLE', 14 => 'SWITCH', 68 => 'FINISHED_ROUND');

open my $in, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $file = do { local $/; <$in> };
my ($magic, $attrs, $attrs_size, $at, $size) = unpack 'a8 x16 Q4', $file;
die "bad magic\n" if $magic ne 'PERFILE2';
die "no attributes\n" if !$attrs_size || $attrs + $attrs_size > $at;
my $end = $size ? $at + $size : length $file;
my %nr;
while ($at < $end) {
	last if !$size && $end - $at < 8;
	die "a part of a header at $at\n" if $end - $at < 8;
	my ($type, $bytes) = unpack 'L x2 S', substr $file, $at, 8;
	last if !$size && $bytes > $end - $at;
	die "a part of a record at $at\n" if $bytes < 8 || $bytes > $end - $at;
	$nr{ $names{$type} // $type }++;
	$at += $bytes;
}
print "$_ $nr{$_}\n" for sort keys %nr;
