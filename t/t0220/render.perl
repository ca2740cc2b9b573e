#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# render.perl (normal | perf) <x.event: write a stream of the event target as
# brief lines of a text target, by the templates of the table. If the table is
# right, a program's own text is the same after both are scrubbed. Times that
# the event target does not contain are 0.
use strict;
use warnings;

use FindBin;
use lib "$FindBin::RealBin/../../scrub/lib";
use Trace2::Events;
use Trace2::Json;
use Trace2::Scrub;

my $target = shift // '';
$target =~ /\A(?:normal|perf)\z/ or die "usage: render.perl (normal | perf) <x.event\n";
my $normal = Trace2::Scrub::templates('normal');
my $category = Trace2::Scrub::templates('perf_category');
my $message = Trace2::Scrub::templates('perf_message');
my %row = map { $_->{name} => $_ } @Trace2::Events::EVENTS;

my %open; # open regions by thread

sub time_column {
	my ($name, $flag) = @_;
	my $shown = grep { $_ eq $flag } @{ $row{$name}{flags} };
	return $shown ? ' 0.000000' : ' ' x 9;
}

sub perf_line {
	my ($name, $values) = @_;
	my $depth = $values->{sid} =~ tr{/}{};
	my $open = \$open{"$values->{sid} $values->{thread}"};

	$$open ||= 0;
	$$open-- if $name eq 'region_leave' && $$open;
	$$open = 0 if $name eq 'atexit'; # open regions are unwound there
	my $line = sprintf "d%d | %-24s | %-12s | %-3s | %s | %s | %-12.12s | %s%s\n",
		$depth, $values->{thread}, $name,
		defined $values->{repo} ? "r$values->{repo}" : '',
		time_column($name, 'T_ABS'), time_column($name, 'T_REL'),
		$category->{$name} ? $category->{$name}->render($values) : '',
		'..' x $$open, $message->{$name}->render($values);
	$$open++ if $name eq 'region_enter';
	return $line;
}

while (my $line = <STDIN>) {
	chomp $line;
	my %values = map { $_->[0] => Trace2::Json::decode($_->[1]) } @{ Trace2::Json::members($line) };
	my $name = $values{event};
	if ($target eq 'perf') {
		print perf_line($name, \%values) if $message->{$name};
	} elsif ($normal->{$name}) {
		print $normal->{$name}->render(\%values), "\n";
	}
}
