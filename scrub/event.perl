#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# event.perl <trace >actual: make the streams of two runs of a program equal if
# the program did the same (GIT_TRACE2_EVENT, the event target).
#
# Each line must be a valid event by the table, so that a token replaces only
# values of the right form: a time must be a number with six decimals.
use strict;
BEGIN { $^W = 1 }

BEGIN { unshift @INC, (__FILE__ =~ m{(.*/)}s ? $1 : '') . 'lib' }
use Trace2::Json;
use Trace2::Rules;
use Trace2::Scrub;

my $USAGE = <<'EOT';
usage: perl event.perl [<option>...] [<file>...]

Print a stream of the event target with _SID0_, _TIME_, _T_ABS_, _EXE_ ... as
strings for what differs from run to run. SIDs are numbered as they appear,
each component by itself: the child of _SID0_ is _SID0_/_SID1_. The members
"file" and "line" are left out.

    --keep-file    keep them, as they are
    --summary      print a record for each process instead: its events as the
                   perf target words them, in the order of the table, those of
                   a kind by thread; equal ones once, with their number
    --rules        print a line for each rule that the stream breaks instead
    --strict       print the stream, and fail if it breaks a rule
    --killed       by these rules the end of a session may be missing
EOT

my ($keep_file, $summary, $rules, $strict, $killed);

# The fields of each event by name, and the names of its mandatory fields.
my (%fields, %required);
for my $event (@Trace2::Events::EVENTS) {
	my @all = (@Trace2::Events::HEAD,
		grep { !Trace2::Template::has_flag($_, 'TEXT_ONLY') } @{ $event->{fields} });
	$fields{ $event->{name} } = { map { $_->{name} => $_ } @all };
	$required{ $event->{name} } =
		[ map { $_->{name} } grep { !Trace2::Template::has_flag($_, 'OPT') } @all ];
}

# The valid JSON text of each type.
my $SECONDS = qr/\A-?[0-9]+\.[0-9]{6}\z/;
my %VALUE = (
	STR => qr/\A"/,
	INT => qr/\A-?[0-9]+\z/,
	UINT => qr/\A[0-9]+\z/,
	BOOL => qr/\A(?:true|false)\z/,
	SECONDS => $SECONDS,
	T_ABS => $SECONDS,
	T_REL => $SECONDS,
	ARGV => qr/\A\[(?:"|\])/,
	HISTOGRAM => qr/\A\[\[/,
	NESTING => qr/\A[1-9][0-9]*\z/,
	JSON => qr//,
);

# Matches most arrays of strings; others are parsed.
my $PLAIN_ARGV = qr/\A\["[^"\\]*+"(?:,"[^"\\]*+"){0,100}\]\z/;

my $TIME = qr/\A"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]{6}Z"\z/;

sub check_value {
	my ($field, $text) = @_;
	my $pattern = $field->{name} eq 'time' ? $TIME : $VALUE{ $field->{type} };

	$text =~ $pattern or die "'$field->{name}' cannot be " . Trace2::Scrub::quoted($text) . "\n";
	$field->{type} ne 'ARGV' or $text =~ $PLAIN_ARGV or ref Trace2::Json::decode($text) or $text eq '[]' or
		die "'$field->{name}' is not an array of strings\n";
}

# Members on which every reader relies.
sub check_members {
	my ($name, $members) = @_;
	my %there = map { $_->[1] => 1 } @$members;

	for (@{ $required{$name} }) {
		$there{$_} or die "event '$name' lacks '$_'\n";
	}
}

my %component;
my $nr_components = 0;

sub sid_token {
	my ($sid) = @_;

	$sid ne '' or die "'sid' is empty\n";
	return join '/', map { $component{$_} //= '_SID' . $nr_components++ . '_' }
		split m{/}, $sid, -1;
}

my %sid_text; # by the text of a SID

# Return the JSON text that replaces a value.
sub scrub_value {
	my ($field, $text) = @_;

	return $sid_text{$text} //= '"' . sid_token(Trace2::Json::decode_string($text)) . '"'
		if $field->{name} eq 'sid';
	my $token = Trace2::Scrub::token($field, $text) // return $text;
	return "\"$token\"" if $field->{type} ne 'ARGV';
	my @words = Trace2::Json::elements($text);
	$words[0] = "\"$token\"" if @words;
	return '[' . join(',', @words) . ']';
}

# Return the event's name, and its members: [field or undef, name, text].
sub parse {
	my ($line) = @_;
	my $members = Trace2::Json::members($line);

	@$members && $members->[0][0] eq 'event' or die "the first member is not 'event'\n";
	check_value($Trace2::Events::HEAD[0], $members->[0][1]);
	my $name = Trace2::Json::decode_string($members->[0][1]);
	Trace2::Scrub::event($name);
	my @found = map { [ $fields{$name}{ $_->[0] }, @$_ ] } @$members;
	for (@found) {
		check_value($_->[0], $_->[2]) if $_->[0];
	}
	check_members($name, \@found);
	return ($name, \@found);
}

sub scrub {
	my ($name, $members) = parse(@_);
	my ($category) = map { Trace2::Json::decode_string($_->[2]) }
		grep { $_->[0] && $_->[1] eq 'category' } @$members;
	return undef if Trace2::Scrub::is_left_out($name, $category);

	my @scrubbed;
	for (@$members) {
		my ($field, $member, $text) = @$_;
		if ($member =~ /\A(?:file|line)\z/) {
			push @scrubbed, [ $member, $text ] if $keep_file;
		} else {
			push @scrubbed, [ $member, $field ? scrub_value($field, $text) : $text ];
		}
	}
	return remember($name, { map { $_->[0] => Trace2::Json::decode($_->[1]) } @scrubbed })
		if $summary;
	return '{' . join(',', map { Trace2::Json::encode_string($_->[0]) . ":$_->[1]" } @scrubbed)
		. "}\n";
}

# Processes in the order of their appearance, each with the lines of each kind
# of event: [thread, text].
my (@sids, %process);

my ($categories, $messages);

sub remember {
	my ($name, $values) = @_;
	my $sid = $values->{sid};

	$categories //= Trace2::Scrub::templates('perf_category');
	$messages //= Trace2::Scrub::templates('perf_message');
	my @texts = map { $_->{$name} ? $_->{$name}->render($values) : '' } $categories, $messages;
	push @sids, $sid unless $process{$sid};
	push @{ $process{$sid}{$name} },
		[ $values->{thread}, join ' ', $name, grep { $_ ne '' } @texts ];
	return undef;
}

sub summary_lines {
	my ($events) = @_;
	my (@lines, %times);

	for (sort { ($b->[0] eq 'main') <=> ($a->[0] eq 'main') || $a->[0] cmp $b->[0] } @$events) {
		my ($thread, $text) = @$_;
		$thread = Trace2::Template::escape($thread);
		my $line = $thread eq 'main' ? "  $text" : "  $thread: $text";
		push @lines, $line unless $times{$line}++;
	}
	return map { $times{$_} > 1 ? "$_ ($times{$_} times)\n" : "$_\n" } @lines;
}

# Most lines of a stream have the members of an earlier line, and plain values.
# One pattern matches such a line as a whole. The pattern accepts less than the
# tables above allow; other lines are parsed.
my $TEXT = '[^"\\\\\x00-\x1f\x80-\xff]';
my $NUMBER = '(?:0|[1-9][0-9]*+)';
my %PLAIN = (
	STR => "\"($TEXT*+)\"",
	INT => "(-?$NUMBER)",
	UINT => "($NUMBER)",
	BOOL => '(true|false)',
	(map { $_ => "($NUMBER\\.[0-9]{6})" } qw(SECONDS T_ABS T_REL)),
	ARGV => "(\\[\"$TEXT*+\"(?:,\"$TEXT*+\"){0,100}\\])",
	NESTING => '([1-9][0-9]*+)',
);
(my $plain_time = "$TIME") =~ s/\\A"(.*)"\\z/"($1)"/;
my %shapes; # by event: the names of its members, in order, and the pattern

sub learn_shape {
	my ($name, $members) = @_;
	my @patterns;

	for (@$members) {
		my ($field, $member) = @$_;
		my $plain = $field && ($member eq 'time' ? $plain_time : $PLAIN{ $field->{type} });
		return if !defined $plain;
		$plain = "\"($TEXT++)\"" if $member eq 'sid';
		push @patterns, "\"$member\":" . ($member eq 'event' ? "\"($name)\"" : $plain);
	}
	my $pattern = '\A\{' . join(',', @patterns) . '\}\z';
	return if grep { $_->{text} eq $pattern } @{ $shapes{$name} };
	push @{ $shapes{$name} }, {
		text => $pattern,
		pattern => qr/$pattern/,
		names => [ map { $_->[1] } @$members ],
	};
}

# Return the names of the members, and their values: JSON texts, with strings
# decoded.
sub names_and_values {
	my ($line) = @_;
	my ($event) = $line =~ /\A\{"event":"(\w+)"/;

	for my $shape (@{ $shapes{ $event // '' } }) {
		my @values = $line =~ $shape->{pattern} or next;
		return ($shape->{names}, \@values);
	}
	my ($name, $members) = parse($line);
	learn_shape($name, $members);
	return ([ map { $_->[1] } @$members ],
		[ map { $_->[2] =~ /\A"/ ? Trace2::Json::decode_string($_->[2]) : $_->[2] } @$members ]);
}

sub judge {
	Trace2::Rules::add($., names_and_values(@_));
}

sub print_end {
	return print Trace2::Rules::breaches($killed) if $rules;
	my @breaches = $strict ? Trace2::Rules::breaches($killed) : ();
	die @breaches if @breaches;
	for my $sid (@sids) {
		print "process $sid\n";
		for my $event (@Trace2::Events::EVENTS) {
			print summary_lines($process{$sid}{ $event->{name} } || []);
		}
	}
}

Trace2::Scrub::run(
	usage => $USAGE,
	options => {
		'keep-file' => \$keep_file, 'summary' => \$summary,
		'rules' => \$rules, 'strict' => \$strict, 'killed' => \$killed,
	},
	line => sub {
		judge(@_) if $rules || $strict;
		return $rules ? undef : scrub(@_);
	},
	end => \&print_end,
);
