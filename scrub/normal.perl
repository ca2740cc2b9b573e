#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# normal.perl <trace >actual: make the streams of two runs of a program equal if
# the program did the same (GIT_TRACE2, the normal target).
#
# The normal target has no column for the event's name: text that begins like an
# event of the table is that event, any other text is that of a printf.
use strict;
BEGIN { $^W = 1 }

BEGIN { unshift @INC, (__FILE__ =~ m{(.*/)}s ? $1 : '') . 'lib' }
use Trace2::Scrub;

my $USAGE = <<'EOT';
usage: perl normal.perl [<option>...] [<file>...]

Print a stream of the normal target without the time and place at the front
of each line, and with _TIME_, _EXE_, _PID_, _WORKTREE_ ... for what differs
from run to run. Full and brief lines may be mixed.

EOT

# The column of the text in a full line, unless time and place are longer.
my $PREFIX_WIDTH = 50;

my $templates = Trace2::Scrub::templates('normal');

# List events by the first word of their lines. A template that begins with a
# field matches any text: it is the template of printf.
my (%by_word, $fallback);
for my $name (keys %$templates) {
	my ($first) = $templates->{$name}->literals;
	if ($first =~ /\A(\w+)/) {
		$by_word{$1} = $name;
	} else {
		$fallback = $name;
	}
}

# Is TEXT an event, well-formed or not? It is if a mark follows the first word
# (exit elapsed:, child_exit[), or if TEXT has all the literal text of the
# template in order.
sub must_be {
	my ($text, $template) = @_;
	my ($first, @more) = $template->literals;

	return 0 unless $text =~ /\A\Q$first\E/;
	return $text =~ /\A\Q$first\E(?: |\z)/ if $first =~ /\w\z/;
	return 1 if $first =~ /[^\w ]/;
	my $skeleton = join '.*', map { quotemeta } $first, @more;
	return $text =~ /\A$skeleton/;
}

# All times become one token, whatever their start.
sub token {
	my ($field) = @_;

	return '_TIME_' if $field->{type} =~ /\AT_(?:ABS|REL)\z/;
	return &Trace2::Scrub::token;
}

sub without_prefix {
	my ($line) = @_;

	$line =~ /\A[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} (?:.+?:[0-9]+ )?/ or return $line;
	my $end = $+[0];
	if ($end < $PREFIX_WIDTH) {
		return $line if substr($line, $end) !~ /\A {${\($PREFIX_WIDTH - $end)}}/;
		$end = $PREFIX_WIDTH;
	}
	return substr $line, $end;
}

sub scrub {
	my $text = without_prefix(shift);
	my ($word) = $text =~ /\A(\w+)/;
	my $name = defined $word && $by_word{$word} || $fallback;
	my $found = $templates->{$name}->match($text, 0);

	if (!$found && $name ne $fallback) {
		must_be($text, $templates->{$name}) and
			die "malformed $name: " . Trace2::Scrub::quoted($text) . "\n";
		$name = $fallback;
		$found = $templates->{$name}->match($text, 0);
	}
	my ($category) = map { substr $text, $_->[1], $_->[2] }
		grep { $_->[0]{name} eq 'category' } @$found;
	return undef if Trace2::Scrub::is_left_out($name, $category);
	return Trace2::Scrub::replace($text, $found, \&token) . "\n";
}

Trace2::Scrub::run(usage => $USAGE, line => \&scrub);
