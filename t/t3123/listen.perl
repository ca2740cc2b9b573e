#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# listen.perl FILE
#
# Ask the process connector to be a listener, again and again, until FILE is
# there: all listeners hear the answers.

use strict;
use warnings;
use Socket;

my ($file) = @ARGV;
my ($af_netlink, $connector, $done, $listen) = (16, 11, 3, 1);
my ($group, $value) = (1, 1);

socket my $socket, $af_netlink, SOCK_DGRAM, $connector or die "socket: $!\n";
bind $socket, pack 'SxxLL', $af_netlink, 0, $group or die "bind: $!\n";

# struct cn_msg, in a message of netlink.
my $ask = pack 'LLLLSSL', $group, $value, 0, 0, 4, 0, $listen;
my $message = pack('LSSLL', 16 + length $ask, $done, 0, 0, 0) . $ask;
$| = 1;
print "listening\n";
until (-e $file) {
	send $socket, $message, 0 or die "send: $!\n";
	1 while defined recv $socket, my $answer, 1024, MSG_DONTWAIT;
	select undef, undef, undef, 0.001;
}
