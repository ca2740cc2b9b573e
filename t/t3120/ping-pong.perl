#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# ping-pong.perl N [kill]
#
# Hand a byte to another process and take it back, N times, so that both wait
# 2N times altogether. kill: then kill the parent.

use strict;
use warnings;

my ($nr, $kill) = @ARGV;
pipe(my $read_ping, my $write_ping) or die;
pipe(my $read_pong, my $write_pong) or die;
my $byte = ' ';
my $pid = fork() // die;
if (!$pid) {
	for (1 .. $nr) {
		sysread($read_ping, $byte, 1) == 1 or die;
		syswrite($write_pong, $byte, 1) == 1 or die;
	}
	exit 0;
}
for (1 .. $nr) {
	syswrite($write_ping, $byte, 1) == 1 or die;
	sysread($read_pong, $byte, 1) == 1 or die;
}
waitpid($pid, 0);
kill 'KILL', getppid() if $kill;
