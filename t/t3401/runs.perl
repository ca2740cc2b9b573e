# SPDX-License-Identifier: MIT
#
# Writes a set of recordings, with the numbers that are asked for:
#
#	runs.perl DIR wall=5,6,7 page-faults=1,1,2 region:a/b=3,0,4 ...
#
# is three runs. Times are in microseconds; 0 leaves a region, timer or counter
# out of that run, and "-" an event of the kernel.
use strict;
use warnings;

my ($dir, @columns) = @ARGV;
my %value;
my $nr = 0;
for (@columns) {
	my ($name, $list) = /^(.+?)=(.*)$/ or die "what is '$_'?\n";
	$value{$name} = [split /,/, $list];
	$nr = @{$value{$name}} if @{$value{$name}} > $nr;
}

my @lines;
sub event {
	my ($event, $us, $more) = @_;
	my $time = sprintf '2026-11-21T10:%02d:%02d.%06dZ', $us / 60e6,
		$us / 1e6 % 60, $us % 1e6;
	push @lines, qq({"event":"$event","sid":"20261121T100000.000000Z-H)
		. qq(00000000-P00000042","thread":"main","time":"$time",)
		. qq("file":"a.c","line":1$more});
}

mkdir $dir;
for my $run (0 .. $nr - 1) {
	my $path = sprintf '%s/run-%04d', $dir, $run + 1;
	my $at = 1000;
	my @counters;
	@lines = ();
	mkdir $_ for $path, "$path/events";
	event('version', 0, ',"evt":"3","exe":"1"');
	event('start', 0, ',"t_abs":0.000000,"argv":["prog"]');
	for my $name (sort keys %value) {
		my $n = $value{$name}[$run];
		my ($kind, $category, $label) = $name =~ m{^(\w+):(.+)/(.+)$};
		next if !defined $n || $n eq '-';
		if (!defined $kind) {
			push @counters, qq("$name":{"value":$n,"unit":"",)
				. '"enabled_ns":9,"running_ns":9}'
				if $name ne 'wall';
			next;
		}
		next if !$n;
		my $names = qq(,"category":"$category");
		my $seconds = sprintf '%.6f', $n / 1e6;
		if ($kind eq 'region') {
			$names .= qq(,"label":"$label");
			event('region_enter', $at, qq(,"nesting":1$names));
			$at += $n;
			event('region_leave', $at, qq(,"t_rel":$seconds,)
				. qq("nesting":1$names));
		} elsif ($kind eq 'timer') {
			event('timer', $at, qq($names,"name":"$label",)
				. qq("intervals":1,"t_total":$seconds,)
				. qq("t_min":$seconds,"t_max":$seconds));
		} else {
			event('counter', $at, qq($names,"name":"$label",)
				. qq("count":$n));
		}
	}
	event('exit', $at, qq(,"t_abs":0.000001,"code":0));
	event('atexit', $at, qq(,"t_abs":0.000001,"code":0));
	my $wall = $value{wall} ? $value{wall}[$run] : undef;
	open my $out, '>', "$path/events/1" or die $!;
	print $out map { "$_\n" } @lines;
	close $out or die $!;
	open $out, '>', "$path/meta.json" or die $!;
	print $out '{"format":"trace2-recording","version":1,"command":["prog"]',
		defined $wall ? qq(,"wall_ns":${wall}000) : '',
		',"counters":{', join(',', @counters), "}}\n";
	close $out or die $!;
}
