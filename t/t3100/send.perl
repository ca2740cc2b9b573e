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
} else {
	die "send.perl: what is '$what'?\n";
}
