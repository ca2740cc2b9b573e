#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# second-writer.perl TASKS FIFO ROUNDS: wake a reader of a fifo that another process
# has open for writing. This one opens it just before, with the number of another
# descriptor. Print the observer's record of each wait that follows, from TASKS.
use strict;
use warnings;

use POSIX qw(dup2);
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);

my ($tasks_name, $fifo_name, $rounds) = @ARGV;

sub begin {
	my ($run) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		$run->();
		POSIX::_exit(0);
	}
	return $pid;
}

sub read_all {
	my ($from) = @_;
	1 while sysread($from, my $byte, 1);
	return;
}

open my $both, '+<', $fifo_name or die "$fifo_name: $!";
pipe my $question, my $ask or die "pipe: $!";
open my $null, '<', '/dev/null' or die "/dev/null: $!";
my $reader = begin(sub {
	open my $from, '<', $fifo_name or die "$fifo_name: $!";
	close $_ for $both, $question, $ask;
	read_all($from);
});
my $holder = begin(sub {
	open my $to, '>', $fifo_name or die "$fifo_name: $!";
	close $_ for $both, $question, $ask;
	sleep;
});
my $asked = begin(sub {
	close $_ for $both, $ask;
	read_all($question);
});
close $_ for $both, $question;
until (-e $tasks_name) { sleep 0.001; }
open my $tasks, '<', $tasks_name or die "$tasks_name: $!";
my $rest = '';

# Return the record of the process's wait, which begins after this call.
sub wait_of {
	my ($pid, $wake) = @_;
	my $from_ns = 1e9 * clock_gettime(CLOCK_MONOTONIC);
	POSIX::write(fileno($wake), 'x', 1) // die "write: $!";
	while (1) {
		seek $tasks, 0, 1;
		while (my $part = <$tasks>) {
			$rest .= $part;
			next unless $rest =~ s/\n\z//;
			(my $line, $rest) = ($rest, '');
			return $line if $line =~ /"object".*"pid":$pid,/ &&
				$line =~ /"since_ns":(\d+)/ && $1 > $from_ns;
		}
		sleep 0.001;
	}
}

for (1 .. $rounds) {
	# To name the pipe's other end, the observer lists all descriptors.
	wait_of($asked, $ask);
	open my $to, '>', $fifo_name or die "$fifo_name: $!";
	dup2(fileno($to), fileno($null)) // die "dup2: $!";
	close $to;
	print wait_of($reader, $null), "\n";
	open my $other, '<', '/dev/null' or die "/dev/null: $!";
	dup2(fileno($other), fileno($null)) // die "dup2: $!";
	close $other;
}
kill 'KILL', $reader, $holder, $asked;
