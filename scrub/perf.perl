#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# perf.perl <trace >actual: make the streams of two runs of a program equal if
# the program did the same (GIT_TRACE2_PERF, the perf target).
#
# Columns are found by their width, so that a thread, a category or a message
# may contain a "|".
use strict;
BEGIN { $^W = 1 }

BEGIN { unshift @INC, (__FILE__ =~ m{(.*/)}s ? $1 : '') . 'lib' }
use Trace2::Scrub;

my $USAGE = <<'EOT';
usage: perl perf.perl [<option>...] [<file>...]

Print a stream of the perf target without the time and place at the front of
each line, its columns trimmed and joined by "|", and with _T_ABS_, _T_REL_,
_EXE_, _PID_ ... for what differs from run to run:

    d0|main|child_exit||_T_ABS_|_T_REL_||[ch0] pid:_PID_ code:0

Full and brief lines may be mixed.

EOT

my $PREFIX = qr/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} .{28} \| /s;
my $SECONDS = qr/ {9}|(?=.{9}) *[0-9]+\.[0-9]{6}/;
my $CATEGORY_WIDTH = 12;

# A thread's name longer than its column shifts the others to the right.
my $COLUMNS = qr/\A(?:$PREFIX)?
	d([0-9]+)[ ]\|[ ](.{24,}?)[ ]\|[ ](?=.{12}[ ]\||[^ ]{13,}[ ]\|)([^ |]+)[ ]*[ ]\|[ ]
	([ ]{3}|r[0-9]+[ ]*)[ ]\|[ ]($SECONDS)[ ]\|[ ]($SECONDS)[ ]\|[ ]
	(.{$CATEGORY_WIDTH})[ ]\|[ ](.*)\z/xs;

my $templates = Trace2::Scrub::templates('perf_message');

sub trim {
	my ($text) = @_;

	$text =~ s/\A +//;
	$text =~ s/ +\z//;
	return $text;
}

# A message is preceded by two dots for each region around it. These cannot be
# distinguished from a message that begins with dots: the fewest dots with which
# the template matches are taken.
sub scrub_message {
	my ($name, $message) = @_;
	my $template = $templates->{$name} // die "event '$name' is not one of the perf target\n";

	$message =~ /\A(?:\.\.)*/;
	for (my $dots = 0; $dots <= $+[0]; $dots += 2) {
		my $found = $template->match($message, $dots) or next;
		return Trace2::Scrub::replace($message, $found, \&Trace2::Scrub::token);
	}
	die "malformed $name: " . Trace2::Scrub::quoted($message) . "\n";
}

sub scrub {
	my ($line) = @_;
	my ($depth, $thread, $name, $repo, $t_abs, $t_rel, $category, $message) = $line =~ $COLUMNS
		or die 'not a line of the perf target: ' . Trace2::Scrub::quoted($line) . "\n";

	Trace2::Scrub::event($name);
	$category = trim($category);
	return undef if Trace2::Scrub::is_left_out($name, $category, $CATEGORY_WIDTH);
	$t_abs = '_T_ABS_' if trim($t_abs) ne '';
	$t_rel = '_T_REL_' if trim($t_rel) ne '';
	return join('|', "d$depth", map { trim($_) } $thread, $name, $repo, $t_abs, $t_rel,
		$category, scrub_message($name, $message)) . "\n";
}

Trace2::Scrub::run(usage => $USAGE, line => \&scrub);
