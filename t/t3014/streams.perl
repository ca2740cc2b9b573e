#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# streams.perl LIB VARIANT: write an event stream with a session for each event
# of the table (LIB has Trace2/Events.pm), generated from the table, so that it
# includes new events automatically. VARIANT is
#	whole   each field has a value, with characters that need escaping
#	bare    optional fields are missing
#	alone   like whole, with no other event in the session
#	empty   all fields are missing
#	wrong   each field has a value of another type
#	huge    numbers are the largest, and the smallest, that can be read
use strict;
use warnings;

my ($lib, $variant) = @ARGV;
unshift @INC, $lib;
require Trace2::Events;
my @events = do { no warnings 'once'; @Trace2::Events::EVENTS };

my $max = '9223372036854775807';
my $seconds = '999999999.999999';
my %whole = (
	STR => '"a \"b\" | c,d:e\n<\/script>&\u00e9 \'f\'"', INT => 7, UINT => 8,
	BOOL => 'true', SECONDS => '0.000009', ARGV => '["a b","","|"]',
	JSON => '{"a":[1,null,"|"]}', HISTOGRAM => '[[0.000001,2],[0.000010,1]]',
	T_ABS => '0.000020', T_REL => '0.000010', NESTING => 1,
);
my %wrong = (
	STR => '["x"]', INT => '"x"', UINT => '-1', BOOL => '"x"',
	SECONDS => '"x"', ARGV => '[1,null]', JSON => 'null',
	HISTOGRAM => '[[1],{}]', T_ABS => '-1', T_REL => '{}', NESTING => '-5',
);
# Used in turn: the largest and the smallest.
my %huge = (
	INT => [$max, "-$max"], UINT => ['18446744073709551615', 0],
	SECONDS => [$seconds], HISTOGRAM => ["[[$seconds,$max]]"],
	T_ABS => [$seconds, "-$seconds"], T_REL => [$seconds, "-$seconds"],
	NESTING => [$max, 1],
);
my $turn = 0;

sub value {
	my ($field) = @_;
	my $type = $field->{type};
	die "type $type has no value in $0\n" if !defined $whole{$type};
	return $wrong{$type} if $variant eq 'wrong';
	return $whole{$type} if $variant ne 'huge' || !$huge{$type};
	return $huge{$type}[$turn++ % @{$huge{$type}}];
}

my ($nr, $at) = (0, 0);

sub time_of_line {
	return $at++ % 2 ? '2115-12-31T23:59:59.999999Z' :
			   '1970-01-01T00:00:00.000000Z' if $variant eq 'huge';
	return sprintf('2026-11-21T12:00:00.%06dZ', $at++);
}

sub line {
	my ($row, $values) = @_;
	my $line = sprintf('{"event":"%s","sid":"%s-%06d-P%08x"',
		$row->{name}, $variant, $nr, $nr + 1000);
	$line .= ',"thread":"main","time":"' . time_of_line() . '"';
	$line .= ',"file":"a.c","line":1';
	for my $field (@{$row->{fields}}) {
		my %is = map { $_ => 1 } @{$field->{flags}};
		next if $is{TEXT_ONLY} || $values eq 'empty' ||
			($values eq 'bare' && $is{OPT});
		$line .= ",\"$field->{name}\":" . value($field);
	}
	print "$line}\n";
}

my %row = map { $_->{name} => $_ } @events;
for my $event (@events) {
	my $name = $event->{name};
	my $around = $variant eq 'alone' ? [] : [qw(version start)];
	$nr++;
	$name ne $_ && line($row{$_}, 'whole') for @$around;
	# An event that ends something comes after one that begins it, if there is one.
	for my $other ($name =~ /^(\w+)_(?:leave|exit|ready|result)$/ ?
			("$1_enter", "$1_start", $1) : ()) {
		line($row{$other}, 'whole') if $row{$other} && @$around;
	}
	line($event, $variant) for 1 .. 2;
	$name ne $_ && line($row{$_}, 'whole') for @$around ? 'atexit' : ();
}
