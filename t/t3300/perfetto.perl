# SPDX-License-Identifier: MIT
#
# Read a trace of Perfetto, as `protoc --decode` prints it, and print it as its
# readers understand it: packets in the order of their times, strings by their
# numbers, slices by their begins and ends. With `tracks`: each track below its
# parent. With `events`: START DURATION CATEGORY NAME of each slice, START alone of
# an instant. With `places`: the same, with the track before it and the arguments
# after it. With `flows`: the two ends of each arrow. With `counters`: their values.
# With `clocks`: the time of each clock.
use strict;
use warnings;

my %ESCAPES = (n => "\n", r => "\r", t => "\t");

sub value_of {
	my ($s) = @_;
	return $s if $s !~ s/^"(.*)"$/$1/;
	$s =~ s/\\(?:([0-7]{1,3})|(.))/defined $1 ? chr oct $1 : $ESCAPES{$2} \/\/ $2/ge;
	return $s;
}

# A message: the values of each field, in their order.
sub message {
	my %fields;
	while (defined(my $line = <STDIN>)) {
		if ($line =~ /^\s*(\w+) \{$/) {
			push @{$fields{$1}}, message();
		} elsif ($line =~ /^\s*(\w+): (.*)$/) {
			push @{$fields{$1}}, value_of($2);
		} else {
			last;
		}
	}
	return \%fields;
}

sub one { return ($_[0]{$_[1]} // [])->[0]; }

my (%track, @events, %string, %used);
my @packets = @{message()->{packet}};
for my $packet (@packets) {
	my $track = one($packet, 'track_descriptor');
	$track{one($track, 'uuid')} = $track if $track;
	my $event = one($packet, 'track_event') or next;
	%string = () if (one($packet, 'sequence_flags') // 0) & 1;
	my $new = one($packet, 'interned_data') // {};
	for my $index (keys %$new) {
		for (@{$new->{$index}}) {
			my $number = $index . ' ' . one($_, 'iid');
			die "$number is not new\n" if $used{$number}++;
			$string{$number} = one($_, 'str');
		}
	}
	my $text = sub {
		my ($index, $number) = @_;
		return defined $number ? $string{"$index $number"} //
			die "no string $index $number\n" : '';
	};
	push @events, {
		time => one($packet, 'timestamp'),
		type => one($event, 'type'),
		track => one($event, 'track_uuid'),
		category => $text->(event_categories => one($event, 'category_iids')),
		name => $text->(event_names => one($event, 'name_iid')),
		value => one($event, 'counter_value') // one($event, 'double_counter_value'),
		from => one($event, 'flow_ids'),
		to => one($event, 'terminating_flow_ids'),
		args => join(' ', map {
			my ($key, $arg) = (one($_, 'name_iid'), $_);
			my ($value) = grep { defined } map { one($arg, $_) }
				qw(bool_value int_value string_value);
			$text->(debug_annotation_names => $key) . "=$value";
		} @{$event->{debug_annotations} // []}),
	};
}

sub name_of {
	my ($track) = @_;
	my $parent = one($track, 'parent_uuid');
	return ($parent ? name_of($track{$parent} // die "no track $parent\n") . '/' : '') .
		one($track, 'name');
}

my ($what) = @ARGV;
for (map { @{$_->{clocks}} } map { $_->{clock_snapshot}[0] // () } @packets) {
	print one($_, 'clock_id'), ' ', one($_, 'timestamp'), "\n" if $what eq 'clocks';
}
my %open;
my %source;
for my $event (sort { $a->{time} <=> $b->{time} } @events) {
	my $track = $track{$event->{track}} // die "no track $event->{track}\n";
	$event->{place} = name_of($track);
	if ($event->{type} eq 'TYPE_SLICE_BEGIN') {
		push @{$open{$event->{track}}}, $event;
	} elsif ($event->{type} eq 'TYPE_SLICE_END') {
		my $begin = pop @{$open{$event->{track}}} // die "nothing to end\n";
		$begin->{duration} = $event->{time} - $begin->{time};
	} elsif ($event->{type} eq 'TYPE_COUNTER' && $what eq 'counters') {
		print "$event->{place} $event->{time} $event->{value} ",
			one(one($track, 'counter'), 'unit'), "\n";
	}
	$source{$event->{from}} = $event if $event->{from};
	my $from = delete $source{$event->{to} // 0};
	print "$from->{place} $from->{time} $from->{name}: $event->{place} ",
		"$event->{time} $event->{name}\n" if $what eq 'flows' && $from;
	die "an arrow from nowhere\n" if $event->{to} && !$from;
}
die "arrows to nowhere\n" if %source;
die "slices without an end\n" if grep { @$_ } values %open;

for (grep { $_->{name} ne '' && !$_->{from} } @events) {
	my $line = join ' ', $_->{time}, $_->{duration} // (), $_->{category}, $_->{name};
	print "$line\n" if $what eq 'events';
	print "$_->{place}: $line ($_->{args})\n" if $what eq 'places';
}
if ($what eq 'tracks') {
	my %below;
	push @{$below{one($_, 'parent_uuid') // 0}}, $_ for values %track;
	my $print;
	$print = sub {
		my ($number, $indent) = @_;
		for (sort { one($a, 'sibling_order_rank') <=> one($b, 'sibling_order_rank') ||
				one($a, 'uuid') <=> one($b, 'uuid') } @{$below{$number} // []}) {
			print $indent, one($_, 'name'), "\n";
			$print->(one($_, 'uuid'), "$indent  ");
		}
	};
	$print->(0, '');
}
