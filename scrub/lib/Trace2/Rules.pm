# SPDX-License-Identifier: MIT
#
# The rules on which consumers of an event stream rely, beyond the form of its
# lines; `event.perl --rules` prints a line for each breach.
package Trace2::Rules;

use strict;
BEGIN { $^W = 1 }

my @events;

# Remember an event by the names of its members in their order, and their
# values; strings are decoded.
sub add {
	my ($line, $names, $values) = @_;
	my %event = (line_nr => $line, keys => $names);

	@event{@$names} = @$values;
	push @events, \%event;
}

my @breaches;

sub breach {
	my ($rule, $event, $what) = @_;
	push @breaches, "rule $rule: line $event->{line_nr}: $event->{event} of $event->{sid}: $what\n";
}

# Return the index of NAME in a list, or -1.
sub index_of {
	my ($name, @list) = @_;
	for my $i (0 .. $#list) {
		return $i if $list[$i] eq $name;
	}
	return -1;
}

my $ENDS = qr/\A(?:atexit|signal)\z/;
my $METRIC = qr/\A(?:timer|counter)\z/;
my $THREAD_METRIC = qr/\Ath_(?:timer|counter)\z/;

sub order_of_session {
	my ($killed, @session) = @_;
	my @names = map { $_->{event} } @session;

	# A signal may come before the start.
	return if "@names" =~ /\Aversion (?:too_many_files|signal)\z/ ||
		$killed && "@names" eq 'version';
	return breach(1, $session[0], 'comes first') if $names[0] ne 'version';
	return breach(1, $session[1] // $session[0], 'start is not second')
		if ($names[1] // '') ne 'start';
	$_->{event} =~ /\A(?:version|start)\z/ && breach(1, $_, 'comes twice')
		for @session[2 .. $#session];
	$_->{event} =~ $ENDS && breach(1, $_, 'is not last') for @session[0 .. $#session - 1];
	breach(1, $session[-1], 'comes last') if !$killed && $names[-1] !~ $ENDS;
	for (@session[0 .. index_of('exit', @names) - 1]) {
		breach(1, $_, 'comes before exit') if $_->{event} =~ $METRIC ||
			$_->{event} =~ $THREAD_METRIC && $_->{thread} eq 'main';
	}
}

# Return the error in the order of members, or nothing.
sub wrong_order {
	my (@keys) = @_;
	my $category = index_of('category', @keys);

	return '' if $category < 0;
	my @next = (@keys, '', '')[$category + 1, $category + 2];
	return 'label does not follow category'
		if index_of('label', @keys) >= 0 && $next[0] ne 'label';
	return 'key and value do not follow category'
		if index_of('key', @keys) >= 0 && "@next" ne 'key value';
	return '';
}

my %wrong_order; # by the list of keys, which many events share

sub order_of_members {
	my ($event) = @_;
	my $wrong = $wrong_order{ $event->{keys} } //= wrong_order(@{ $event->{keys} });
	breach(2, $event, $wrong) if $wrong;
}

# Check that time is present; the form was checked when the line was read.
sub time_is_there {
	my ($event) = @_;
	breach(3, $event, 'time is null')
		if !exists $event->{time} && $event->{event} =~ /\A(?:version|atexit)\z/;
}

sub form_of_sid {
	my ($event) = @_;

	for my $part (split m{/}, $event->{sid}, -1) {
		utf8::decode($part);
		next if length $part <= 255 && $part !~ /\A\.{0,2}\z|[\x00-\x1f]/;
		return breach(4, $event, 'a component of the SID is no file name');
	}
}

# Check that a SID's component belongs to one process.
sub parents_of_sids {
	my (%path, %said);

	for my $event (@_) {
		my $path = '';
		for my $part (split m{/}, $event->{sid}, -1) {
			$path .= "/$part";
			$path{$part} //= $path;
			breach(4, $event, "$part is part of several SIDs")
				if $path{$part} ne $path && !$said{$part}++;
		}
	}
}

sub same_region {
	my ($one, $other) = @_;
	for (qw(nesting category label)) {
		return 0 if ($one->{$_} // "\0") ne ($other->{$_} // "\0");
	}
	return 1;
}

sub regions_of_thread {
	my @open;

	for my $event (@_) {
		if ($event->{event} eq 'region_enter') {
			breach(5, $event, "nesting $event->{nesting} inside " . @open . ' regions')
				if $event->{nesting} != @open + 1;
			push @open, $event;
		} elsif ($event->{event} eq 'region_leave') {
			my $enter = pop @open;
			breach(5, $event, $enter ? "line $enter->{line_nr} entered another" :
				'nothing is open')
				if !$enter || !same_region($enter, $event);
		}
	}
}

sub start_of_thread {
	my ($first) = @_;
	breach(6, $first, "$first->{thread} did not start before")
		if $first->{thread} ne 'main' && $first->{event} ne 'thread_start';
}

sub life_of_child {
	my ($session_ends, @child) = @_;
	my $id = $child[0]{child_id};
	my @names = map { $_->{event} } @child;

	breach(7, $child[0], "child $id was not started") if $names[0] ne 'child_start';
	breach(7, $child[-1], "child $id is started twice")
		if grep({ $_ eq 'child_start' } @names) > 1;
	breach(7, $child[-1], "child $id ends twice") if @names > 2;
	breach(7, $child[0], "child $id does not end")
		if $session_ends && "@names" eq 'child_start';
	for (grep { $_->{event} eq 'child_exit' } @child) {
		breach(7, $_, "pid $_->{pid} with code $_->{code}")
			if ($_->{pid} == -1) != ($_->{code} == -1);
	}
}

# Call a function with the events of each value of a member.
sub each_of {
	my ($member, $function, @all) = @_;
	my %group;

	push @{ $group{ $_->{$member} } }, $_ for @all;
	$function->(@{ $group{$_} }) for sort keys %group;
}

sub rules_of_session {
	my ($killed, @session) = @_;

	order_of_session($killed, @session);
	each_of('child_id', sub { life_of_child($session[-1]{event} eq 'atexit', @_) },
		grep { $_->{event} =~ /\Achild_/ } @session);
	each_of('thread', sub { regions_of_thread(@_); start_of_thread($_[0]) }, @session);
}

# Return the lines of all breaches. KILLED: the end of a session may be missing.
sub breaches {
	my ($killed) = @_;
	my @versions = grep { $_->{event} eq 'version' } @events;

	for (@events) {
		order_of_members($_);
		time_is_there($_);
	}
	form_of_sid($_) for @versions;
	parents_of_sids(@versions);
	each_of('sid', sub { rules_of_session($killed, @_) }, @events);
	return @breaches;
}

1;
