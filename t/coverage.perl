#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Which tests reach which lines? Build a copy of the tree that counts its lines
# (gcov), run every test in it, and write a map:
#
#	perl t/coverage.perl [-j N] COPY MAP [TEST...]
#
# MAP.part has what is known of a map that was interrupted; a further call at
# the same commit goes on with it. A whole map of this commit is left alone. From
# that of another commit with the same sources, the rows of the tests that did
# not change are kept.
#
# A row of the map is a test's name, its milliseconds, a source, and the lines
# of it that ran: t0210-normal.sh 812 lib/api/region.c 25-31,40. What a process
# ran that ended by _exit() or a signal is missing.
use strict;
use warnings;

use Cwd 'abs_path';
use File::Basename;
use File::Find;
use Getopt::Long;
use IO::Handle;
use JSON::PP;
use Time::HiRes 'time';
use lib dirname(__FILE__) . '/lint';
use Lint ();

my $MAX_SECONDS = 300; # for a test
my $GCOV_FILES = 100;  # of one call of gcov

sub run {
	my ($copy, $command) = @_;
	return system("cd '$copy' && { $command\n} >log 2>&1 </dev/null") == 0;
}

# Return 1,2,3,7 as 1-3,7.
sub ranges {
	my @out;
	for (sort { $a <=> $b } @_) {
		if (@out && $out[-1][1] == $_ - 1) {
			$out[-1][1] = $_;
		} else {
			push @out, [ $_, $_ ];
		}
	}
	return join ',', map { $_->[0] == $_->[1] ? $_->[0] : "$_->[0]-$_->[1]" }
		@out;
}

# The counters that processes left below a directory: the lines of each source.
sub lines_below {
	my ($copy, $dir) = @_;
	my (@counters, %lines);
	find(sub { push @counters, $File::Find::name if /\.gcda$/ }, $dir);
	# gcov finds the description of the object beside its counters.
	for (@counters) {
		(my $notes = $_) =~ s/gcda$/gcno/;
		(my $object = $notes) =~ s/^\Q$dir\E//;
		symlink "$copy/$object", $notes;
	}
	while (my @some = splice @counters, 0, $GCOV_FILES) {
		open my $gcov, '-|', 'gcov', '--json-format', '--stdout', @some
			or die "coverage: cannot run gcov: $!\n";
		while (<$gcov>) {
			next if !/^\{/;
			for my $file (@{decode_json($_)->{files}}) {
				next if $file->{file} !~ m{^(?:lib|tool)/};
				$_->{count} and $lines{$file->{file}}{$_->{line_number}} = 1
					for @{$file->{lines}};
			}
		}
		close $gcov;
	}
	return \%lines;
}

# Run a test, and return its rows.
sub rows_of {
	my ($copy, $test, $nr) = @_;
	my $name = basename($test);
	my $dir = "$copy/counts.$nr";
	my $start = time;
	run($copy, "cd t && GCOV_PREFIX='$dir' GCOV_PREFIX_STRIP=" .
		   (($copy =~ tr{/}{}) + 0) . " timeout -k 5 $MAX_SECONDS " .
		   "sh run-tests --one $test");
	my $ms = int(1000 * (time - $start));
	my $lines = -d $dir ? lines_below($copy, $dir) : {};
	system 'rm', '-rf', $dir;
	return map { "$name $ms $_ " . ranges(keys %{$lines->{$_}}) . "\n" }
		sort keys %$lines;
}

sub build {
	my ($copy, $head) = @_;
	return if -f "$copy/built-$head";
	system("rm -rf '$copy' && mkdir -p '$copy' && git ls-files -z |
		xargs -0 tar c | tar x -C '$copy'") == 0
		or die "coverage: cannot copy the tree (is it a checkout?)\n";
	run($copy, "make -s -j2 tests CFLAGS='-O0 --coverage -fprofile-update=atomic' " .
		   "LDFLAGS=--coverage && >built-$head")
		or die "coverage: the copy cannot be built: see $copy/log\n";
}

# What the map of another commit says of tests that did not change since then.
sub rows_kept {
	my ($map) = @_;
	my ($first, @rows) = -f $map ? Lint::lines($map) : '';
	my ($old) = $first =~ /^# (\w+) $/ or return ();
	my $changed = Lint::tests_changed_since($old) or return ();
	return grep { /^(?:# done )?(t\d{4}|\S+)/ && !$changed->{$1} } @rows;
}

my $jobs = 2;
GetOptions('j=i' => \$jobs) && @ARGV >= 2
	or die "usage: perl t/coverage.perl [-j N] COPY MAP [TEST...]\n";
my ($copy, $map, @only) = @ARGV;
chomp(my $head = `git rev-parse HEAD`);
my $first = "# $head @only\n";
exit 0 if -f $map && (Lint::lines($map))[0] eq $first;
build($copy, $head);
$copy = abs_path($copy);
my @tests = `cd '$copy/t' && ls -S t[0-9]*.sh && ls ../build/unit/*`;
chomp @tests;
@tests = grep { my $t = basename($_); grep { index($t, $_) == 0 } @only } @tests
	if @only;
my @part = -f "$map.part" ? Lint::lines("$map.part") : ();
@part = ($first, rows_kept($map)) if !@part || $part[0] ne $first;
my %done = map { /^# done (.*)/ ? ($1 => 1) : () } @part;
open my $out, '>', "$map.part" or die "$map.part: cannot write it: $!\n";
$out->autoflush;
# Of a test that did not end, the rows are not whole.
print $out grep { /^(?:#|(\S+))/ && (!$1 || $done{$1}) } @part;
@tests = grep { !/\.(?:o|d|gcno|gcda)$/ && !$done{basename($_)} } @tests;
for my $nr (1 .. $jobs) {
	my $pid = fork // die "coverage: cannot fork: $!\n";
	next if $pid;
	for my $test (@tests[grep { $_ % $jobs == $nr - 1 } 0 .. $#tests]) {
		my $rows = join '', rows_of($copy, $test, $nr),
			'# done ' . basename($test) . "\n";
		syswrite $out, $rows;
	}
	exit 0;
}
wait for 1 .. $jobs;
close $out or die "$map.part: cannot write it: $!\n";
rename "$map.part", $map or die "$map: cannot write it: $!\n";
