# SPDX-License-Identifier: MIT
#
# Functions that the scrubbers share: the command line, the loop over lines, the
# table of events, the selection of events, and the tokens for values that
# differ from run to run.
#
# A scrubber prints one line for every line that it reads, or none for an event
# that is left out. A line that it cannot parse ends it with status 1 and the
# line's number: a test must not pass because the filter guessed.
package Trace2::Scrub;

use strict;
BEGIN { $^W = 1 }

use Trace2::Events;
use Trace2::Template;

# These settings depend more on the machine than on the program.
my @LEFT_OUT = qw(cmd_ancestry cmd_path */process */fsync);

my %TOKEN; # by field, '' for a field without a token

my %EVENT = map { $_->{name} => $_ } @Trace2::Events::EVENTS;

my $SELECTION_USAGE = <<'EOT';
    --keep=<sel>[,<sel>...]
                   keep events that would be left out
    --drop=<sel>[,<sel>...]
                   leave out more events; --keep wins
    -h, --help     this text

<sel> names an event (cmd_path), an event of a category (data/process), all
events of a category (*/process), or all events (*).
EOT
$SELECTION_USAGE .= 'Left out by default: ' . join(', ', @LEFT_OUT) . ".\n";

# run(usage => text before the common options,
#     options => { name of a flag => reference to it },
#     line => sub (LINE without its end) returning the line to print, or undef,
#     end => sub () called after the last line)
sub run {
	my (%scrubber) = @_;

	parse_options(\%scrubber);
	exit 0 if eval { scrub_all(\%scrubber); 1 };
	print STDERR $@;
	exit 1;
}

sub scrub_all {
	my ($scrubber) = @_;

	binmode STDOUT;
	if (@ARGV) {
		scrub_file($scrubber, $_) for @ARGV;
	} else {
		binmode STDIN;
		scrub_lines($scrubber, \*STDIN, '');
	}
	$scrubber->{end}->() if $scrubber->{end};
	close STDOUT or die "scrub: cannot write: $!\n";
}

my (@keep, @drop);

# Parse options by hand: a suite runs these filters hundreds of times, and
# Getopt::Long takes longer to load than all the rest.
sub parse_options {
	my ($scrubber) = @_;
	my %flags = %{ $scrubber->{options} || {} };
	my %lists = (keep => [], drop => []);

	while (@ARGV && $ARGV[0] =~ /\A-./s) {
		my $option = shift @ARGV;
		last if $option eq '--';
		my ($name, $value) = $option =~ /\A--([\w-]+)(?:=(.*))?\z/s;
		if ($option =~ /\A(?:-h|--help)\z/) {
			print $scrubber->{usage} . $SELECTION_USAGE;
			exit 0;
		} elsif (defined $name && $lists{$name} && defined($value //= shift @ARGV)) {
			push @{ $lists{$name} }, $value;
		} elsif (defined $name && $flags{$name} && !defined $value) {
			${ $flags{$name} } = 1;
		} else {
			print STDERR "scrub: option '$option' is not known, or lacks its value\n",
				$scrubber->{usage} . $SELECTION_USAGE;
			exit 129;
		}
	}
	@keep = selections(@{ $lists{keep} });
	@drop = selections(@LEFT_OUT, @{ $lists{drop} });
}

# Return [event or *, category or undef] of each selection. Each must be in the
# table: a selection that matches nothing is a mistake.
sub selections {
	my @selections;

	for my $text (map { split /,/ } @_) {
		my ($event, $category) = split m{/}, $text, 2;
		if (!defined $event || $event ne '*' && !$EVENT{$event}) {
			print STDERR "scrub: '$text' names no event: see --help\n";
			exit 129;
		}
		push @selections, [ $event, $category ];
	}
	return @selections;
}

sub selected {
	my ($name, $category, $width, $selections) = @_;

	for (@$selections) {
		my ($event, $wanted) = @$_;
		next if $event ne '*' && $event ne $name;
		return 1 unless defined $wanted;
		$wanted = substr $wanted, 0, $width if $width;
		return 1 if defined $category && $category eq $wanted;
	}
	return 0;
}

my %left_out; # results of is_left_out()

# Is an event left out? WIDTH is given if CATEGORY was cut to that many bytes.
sub is_left_out {
	my ($name, $category, $width) = @_;

	return $left_out{$name}{ $category // '' } //= selected($name, $category, $width, \@drop) &&
		!selected($name, $category, $width, \@keep);
}

sub scrub_file {
	my ($scrubber, $path) = @_;

	open my $in, '<:raw', $path or die "scrub: cannot read '$path': $!\n";
	scrub_lines($scrubber, $in, "$path: ");
}

sub scrub_lines {
	my ($scrubber, $in, $where) = @_;

	my $line;
	$where = "scrub: ${where}line";
	while ($! = 0, defined($line = <$in>)) {
		chomp $line or die "$where $.: cut short: its newline is missing\n";
		# A part of a line that a full disk cut is overwritten by blanks.
		next if $line =~ /\A +\z/;
		my $text = eval { $scrubber->{line}->($line) };
		die "$where $.: $@" if $@;
		next unless defined $text;
		print $text or die "scrub: cannot write: $!\n";
	}
	die "$where $.: cannot read on: $!\n" if $!;
	close $in;
}

# Return the row of an event, or die.
sub event {
	my ($name) = @_;
	return $EVENT{$name} // die 'unknown event ' . quoted($name) . "\n";
}

# Shorten a text for a message, on one line.
sub quoted {
	my ($text) = @_;

	$text = substr($text, 0, 60) . '...' if length $text > 63;
	return "'" . Trace2::Template::escape($text) . "'";
}

# Return the token for a field's value, given as text. Return undef if the value
# stays: a negative number is an error (pid -1), which does not vary.
sub token {
	my ($field, $value) = @_;

	my $token = $TOKEN{$field} //= fixed_token($field);
	return undef if $token eq '' || $field->{type} eq 'INT' && $value =~ /\A-/;
	return $token;
}

sub fixed_token {
	my ($field) = @_;

	return '_EXE_' if Trace2::Template::has_flag($field, 'EXE');
	return '' unless Trace2::Template::has_flag($field, 'VOLATILE');
	return '_' . uc($field->{name}) . '_';
}

# Return the templates of a text target, from a column of the table: { event
# name => Trace2::Template }. Events that the target does not show are left out.
sub templates {
	my ($column) = @_;

	return { map { $_->{name} => Trace2::Template->new($_->{$column}, $_->{fields}) }
		grep { defined $_->{$column} } @Trace2::Events::EVENTS };
}

# Put the tokens into TEXT, for the fields that a template FOUND in it.
# TOKEN_OF: sub (field, value as text).
sub replace {
	my ($text, $found, $token_of) = @_;

	for (reverse @$found) {
		my ($field, $offset, $length) = @$_;
		my $token = $token_of->($field, substr $text, $offset, $length);
		substr $text, $offset, $length, $token if defined $token;
	}
	return $text;
}

1;
