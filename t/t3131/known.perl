# SPDX-License-Identifier: MIT
#
# Compare the states that a program knows (t/helper/hosts/states.c) with those of a
# recording (build/unit/tool-states):
#
#	known.perl KNOWN DUMP [--causes] [--wakers] [--times]
#
# prints a table. It fails if a thread that computed for 10 ms ran for less than
# half of that time, if the state of a phase is missing, or if most of its wait has
# another cause. (Time in interrupts counts as computing of the thread.)
# --causes: causes of waits were recorded; --wakers: wake-ups, too.
# --times: fail if times differ by more than the sum of 1 % of the phase, 100 us, the
# time of the switches, and the time that a virtual machine's host took. A busy host
# takes more than it says.
use strict;
use warnings;
use JSON::PP;

# The kernel takes the time of its records from a thread that it switches.
use constant SWITCH => 30_000;

my ($known_file, $dump_file, @recorded) = @ARGV;
my %recorded = map { s/^--//r => 1 } @recorded;
my (%states, $bad);

open my $dump, '<', $dump_file or die "$dump_file: $!\n";
while (<$dump>) {
	my $s = decode_json($_);
	push @{$states{$s->{tid}}}, $s if $s->{type} eq 'state';
}

# Sum what the recording says of a thread from start to end.
sub sums {
	my ($tid, $start, $end) = @_;
	my %sum = (run => 0, ready => 0, wait => 0, cause => {}, last => undef,
		switches => 0);
	for my $s (@{$states{$tid} // []}) {
		my $to = $s->{start_ns} + $s->{ns};
		my $from = $s->{start_ns};
		next if $to <= $start || $from >= $end;
		$sum{last} = $s if $s->{state} eq 'wait' && $to < $end;
		$from = $start if $from < $start;
		$to = $end if $to > $end;
		$sum{switches}++;
		$sum{$s->{state}} += $to - $from;
		$sum{cause}{$s->{cause}} += $to - $from
			if $s->{state} eq 'wait';
	}
	return \%sum;
}

sub row {
	my ($phase, $what, $known, $got, $less, $more) = @_;
	my $error = $got - $known;
	my $ok = $error >= -$less && ($error <= $more || !$recorded{times});
	printf "%-13s %-12s %9.3f %9.3f %+8.3f%s\n", $phase, $what,
		$known / 1e6, $got / 1e6, $error / 1e6, $ok ? '' : '  WRONG';
	$bad = 1 if !$ok;
}

sub wrong {
	print "WRONG: @_\n";
	$bad = 1;
}

# The thread that ended the last wait, and when.
sub check_waker {
	my ($phase, $sum, $other, $from, $to) = @_;
	my $last = $sum->{last};
	return wrong("$phase: no wait recorded") if !$last;
	my $woken = $last->{start_ns} + $last->{ns};
	my $by = $last->{other} // 0;
	wrong("$phase: woken by $by, not by $other") if $by != $other;
	wrong("$phase: woken at $woken, not from $from to $to")
		if $from && ($woken < $from || $woken > $to);
}

open my $in, '<', $known_file or die "$known_file: $!\n";
printf "%-13s %-12s %9s %9s %8s\n", 'PHASE', 'STATE', 'KNOWN ms', 'RECORDED',
	'ERROR';
while (<$in>) {
	chomp;
	my ($phase, $tid, $start, $end, $cpu, $stolen, $kind, $cause, $other,
		$from, $to) = split /\t/;
	next if $tid eq '-';
	my $sum = sums($tid, $start, $end);
	my $slack = 100_000 + ($end - $start) / 100 + SWITCH * $sum->{switches};
	row($phase, 'run', $cpu, $sum->{run},
		$recorded{times} ? $slack : $slack + $cpu / ($cpu < 10e6 ? 1 : 2),
		$slack + $stolen);
	wrong("$phase: no $kind") if $phase ne 'cpu' && !$sum->{$kind};
	if ($kind eq 'ready') {
		row($phase, 'ready', $end - $start - $cpu, $sum->{ready},
			$recorded{times} ? $slack + $stolen : $end - $start, $slack);
		next;
	}
	row($phase, 'wait', $end - $start - $cpu - $sum->{ready}, $sum->{wait},
		$recorded{times} ? $slack + $stolen : $end - $start, $slack);
	row($phase, "- $cause", $sum->{wait}, $sum->{cause}{$cause} // 0,
		$recorded{times} ? $slack : $sum->{wait} / 2, 0)
		if $recorded{causes};
	check_waker($phase, $sum, $other, $from, $to) if $recorded{wakers};
}
exit($bad ? 1 : 0);
