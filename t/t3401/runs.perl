# SPDX-License-Identifier: MIT
#
# Write sets of recordings with the given numbers:
#
#	runs.perl DIR wall=5,6,7 page-faults=1,1,2 region:a/b=3,0,4 ... [-- DIR ...]
#
# writes three runs. Times are in microseconds; 0 leaves a region, timer or
# counter out of that run, and "-" an event of the kernel.
use strict;
use warnings;

my @lines;
sub event {
	my ($event, $us, $more) = @_;
	my $time = sprintf '2026-11-21T10:%02d:%02d.%06dZ', $us / 60e6,
		$us / 1e6 % 60, $us % 1e6;
	push @lines, qq({"event":"$event","sid":"20261121T100000.000000Z-H)
		. qq(00000000-P00000042","thread":"main","time":"$time",)
		. qq("file":"a.c","line":1$more});
}

# A region takes VALUE microseconds; a timer and a counter have the value.
sub measure {
	my ($at, $kind, $category, $label, $n) = @_;
	my $names = qq(,"category":"$category");
	my $seconds = sprintf '%.6f', $n / 1e6;

	if ($kind eq 'region') {
		$names .= qq(,"label":"$label");
		event('region_enter', $at, qq(,"nesting":1$names));
		$at += $n;
		event('region_leave', $at, qq(,"t_rel":$seconds,"nesting":1$names));
	} elsif ($kind eq 'timer') {
		event('timer', $at, qq($names,"name":"$label","intervals":1,)
			. qq("t_total":$seconds,"t_min":$seconds,"t_max":$seconds));
	} else {
		event('counter', $at, qq($names,"name":"$label","count":$n));
	}
	return $at;
}

sub write_file {
	my ($path, @text) = @_;
	open my $out, '>', $path or die "$path: $!\n";
	print $out @text;
	close $out or die "$path: $!\n";
}

# VALUE: by name, for this run.
sub write_run {
	my ($path, %value) = @_;
	my $at = 1000;
	my @counters;

	@lines = ();
	mkdir $_ for $path, "$path/events";
	event('version', 0, ',"evt":"3","exe":"1"');
	event('start', 0, ',"t_abs":0.000000,"argv":["prog"]');
	for my $name (sort keys %value) {
		my $n = $value{$name};
		next if !defined $n || $n eq '-';
		if ($name =~ m{^(\w+):(.+)/(.+)$}) {
			$at = measure($at, $1, $2, $3, $n) if $n;
		} elsif ($name ne 'wall') {
			my $unit = $name eq 'task-clock' ? 'ns' : '';
			$n .= '000' if $unit;
			push @counters, qq("$name":{"value":$n,"unit":"$unit",)
				. '"enabled_ns":9,"running_ns":9}';
		}
	}
	event('exit', $at, qq(,"t_abs":0.000001,"code":0));
	event('atexit', $at, qq(,"t_abs":0.000001,"code":0));
	write_file("$path/events/1", map { "$_\n" } @lines);
	write_file("$path/meta.json",
		'{"format":"trace2-recording","version":1,"command":["prog"]',
		defined $value{wall} ? qq(,"wall_ns":$value{wall}000) : '',
		',"counters":{', join(',', @counters), "}}\n");
}

sub write_set {
	my ($dir, @columns) = @_;
	my %values;
	my $nr = 0;

	for (@columns) {
		my ($name, $list) = /^(.+?)=(.*)$/ or die "what is '$_'?\n";
		$values{$name} = [ split /,/, $list ];
		$nr = @{ $values{$name} } if @{ $values{$name} } > $nr;
	}
	mkdir $dir;
	for my $run (0 .. $nr - 1) {
		write_run(sprintf('%s/run-%04d', $dir, $run + 1),
			map { ($_ => $values{$_}[$run]) } keys %values);
	}
}

my @set;
for (@ARGV, '--') {
	if ($_ ne '--') {
		push @set, $_;
	} else {
		write_set(@set) if @set;
		@set = ();
	}
}
