#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# ping-pong.perl N [FILE]
#
# Hand a byte to another process and take it back, N times, so that both wait
# 2N times altogether. FILE: go on until it has half a megabyte, then kill the
# parent.

use strict;
use warnings;

my ($nr, $file) = @ARGV;
pipe(my $read_ping, my $write_ping) or die;
pipe(my $read_pong, my $write_pong) or die;
my $byte = ' ';
my $pid = fork() // die;
if (!$pid) {
	close $write_ping;
	while (sysread($read_ping, $byte, 1)) {
		syswrite($write_pong, $byte, 1) == 1 or die;
	}
	exit 0;
}
while ($nr-- > 0 || $file && (-s $file // 0) < 500_000) {
	syswrite($write_ping, $byte, 1) == 1 or die;
	sysread($read_pong, $byte, 1) == 1 or die;
}
close $write_ping;
waitpid($pid, 0);
kill 'KILL', getppid() if $file;
