#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# send.perl WHAT PATH [ARGUMENT]: clients of an event socket.
#
#	stream, dgram    standard input, at once
#	many N           N clients at once, 20 lines each, cut at odd places
#	idle COMMAND     N clients that send nothing while COMMAND runs:
#	                 send.perl idle PATH N COMMAND...
#	line BYTES       a line of that length, without its end
#	lines N          N lines of 1000 bytes of one session, "s-many"
#	trees N [LINES [FIRST]]
#	                 N programs one after another, each with a connection of its own
#	                 and LINES more lines of 1000 bytes; one in 50 fails, one in 40
#	                 takes 2 s

use strict;
use warnings;
use Socket;

my ($what, $path, @rest) = @ARGV;

sub connected {
	my ($type) = @_;
	socket(my $s, AF_UNIX, $type, 0) or die "socket: $!\n";
	connect($s, pack_sockaddr_un($path)) or die "$path: $!\n";
	return $s;
}

sub send_all {
	my ($s, $bytes) = @_;
	while (length $bytes) {
		my $n = syswrite($s, $bytes) // die "$path: $!\n";
		substr($bytes, 0, $n) = '';
	}
	return;
}

sub one_of_many {
	my ($i) = @_;
	my $s = connected(SOCK_STREAM);
	my $text = '';
	for my $line (1 .. 20) {
		$text .= qq({"event":"data","sid":"parent/s-$i","n":$line,)
			. '"value":"' . ('v' x (37 * $line)) . qq("}\n);
	}
	while (length $text) {
		send_all($s, substr($text, 0, 97, ''));
	}
	exit 0;
}

if ($what eq 'stream' || $what eq 'dgram') {
	local $/;
	my $s = connected($what eq 'dgram' ? SOCK_DGRAM : SOCK_STREAM);
	my $text = <STDIN> // '';
	# The default buffer cannot hold the largest datagram that the recorder
	# takes.
	setsockopt($s, SOL_SOCKET, SO_SNDBUF, length($text) + 4096);
	$what eq 'dgram' ? defined(send($s, $text, 0)) || die "send: $!\n"
			 : send_all($s, $text);
} elsif ($what eq 'many') {
	my @pids;
	for my $i (1 .. $rest[0]) {
		my $pid = fork() // die "fork: $!\n";
		one_of_many($i) if !$pid;
		push @pids, $pid;
	}
	for my $pid (@pids) {
		waitpid($pid, 0);
		die "a client failed\n" if $?;
	}
} elsif ($what eq 'idle') {
	my ($n, @command) = @rest;
	my @idle = map { connected(SOCK_STREAM) } 1 .. $n;
	exit(system(@command) ? 1 : 0);
} elsif ($what eq 'line') {
	my $s = connected(SOCK_STREAM);
	my $piece = 'x' x 1000000;
	for (1 .. $rest[0] / 1000000) {
		send_all($s, $piece);
	}
} elsif ($what eq 'lines') {
	my $s = connected(SOCK_STREAM);
	my $line = '{"event":"data","sid":"s-many","value":"';
	$line .= ('v' x (997 - length $line)) . qq("}\n);
	for (1 .. $rest[0]) {
		send_all($s, $line);
	}
} elsif ($what eq 'trees') {
	my ($n, $nr_lines, $first) = @rest;
	$nr_lines //= 0;
	$first //= 1;
	my $rest = ',"t_abs":0.1,"t_rel":0.1,"nesting":1,"category":"c",'
		. '"key":"k","value":"' . ('v' x 800) . '"';
	for my $i ($first .. $first + $n - 1) {
		my $sid = sprintf('20261121T090000.%06dZ-H0a7c9cdf-P%08x', $i, $i);
		my $s = $i % 40 == 3 ? 2 : 0;
		my $event = sub {
			my ($name, $time, $more) = @_;
			return qq({"event":"$name","sid":"$sid","thread":"main",)
				. qq("time":"2026-11-21T09:00:0${time}00000Z"$more}\n);
		};
		my $client = connected(SOCK_STREAM);
		send_all($client, $event->('version', '0.0', ',"evt":"4","exe":"1"')
			. $event->('start', '0.0', ',"t_abs":0.0,"argv":["prog"]'));
		send_all($client, $event->('data', '0.1', $rest)) for 1 .. $nr_lines;
		send_all($client, $event->('atexit', "$s.5",
			qq(,"t_abs":$s.5,"code":) . ($i % 50 == 7 ? 1 : 0)));
	}
} else {
	die "send.perl: what is '$what'?\n";
}
