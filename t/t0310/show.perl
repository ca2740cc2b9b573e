#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# show.perl: make the output of `config list -z` readable: one line per key,
# `key` or `key = value`, with all but printable ASCII as \n, \t or \xHH. A
# record that begins with `@` is a title.

use strict;
use warnings;

sub readable {
	my ($text) = @_;
	$text =~ s/\\/\\\\/g;
	$text =~ s/\n/\\n/g;
	$text =~ s/\t/\\t/g;
	$text =~ s/([^\x20-\x7e])/sprintf("\\x%02x", ord($1))/ge;
	return $text;
}

binmode(STDIN);
local $/ = "\0";
while (my $record = <STDIN>) {
	chomp $record;
	my ($key, $value) = split(/\n/, $record, 2);
	print readable($key);
	print " = '", readable($value), "'" if defined $value;
	print "\n";
}
