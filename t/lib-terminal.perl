#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# lib-terminal.perl COMMAND [ARGUMENT...]
#
# Run COMMAND with a terminal each for standard input, output and error, and
# copy its input and output. Exits like COMMAND, with 128 + N if signal N ended
# it. Needs Linux, where opening a terminal needs no module.

use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY);
use POSIX ();

my $TIOCSPTLCK = 0x40045431;    # unlock the slave
my $TIOCGPTN   = 0x80045430;    # its number

# Return both ends of a new terminal, which does not change any byte and does
# not echo its input.
sub new_terminal {
	sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY)
		or die "/dev/ptmx: $!\n";
	my $zero = pack('i', 0);
	my $number = pack('i', 0);
	ioctl($master, $TIOCSPTLCK, $zero) or die "cannot unlock: $!\n";
	ioctl($master, $TIOCGPTN, $number) or die "cannot number: $!\n";
	my $path = '/dev/pts/' . unpack('i', $number);
	sysopen(my $slave, $path, O_RDWR | O_NOCTTY) or die "$path: $!\n";

	my $termios = POSIX::Termios->new;
	$termios->getattr(fileno $slave) or die "$path: $!\n";
	$termios->setoflag($termios->getoflag & ~POSIX::OPOST());
	$termios->setlflag($termios->getlflag & ~POSIX::ECHO());
	$termios->setattr(fileno $slave, POSIX::TCSANOW())
		or die "$path: $!\n";
	return ($master, $slave);
}

sub run_child {
	my ($slaves, @command) = @_;
	for my $fd (0 .. 2) {
		POSIX::dup2(fileno($slaves->[$fd]), $fd);
	}
	exec { $command[0] } @command or print STDERR "$command[0]: $!\n";
	POSIX::_exit(127);
}

sub write_all {
	my ($to, $bytes) = @_;
	while (length $bytes) {
		my $n = syswrite($to, $bytes) or return;
		substr($bytes, 0, $n) = '';
	}
	return;
}

# Copy available bytes from one to the other; false at the end. The end of a
# terminal whose other side is closed is EIO.
sub copy_some {
	my ($from, $to) = @_;
	my $n = sysread($from, my $bytes, 65536);
	return 0 unless $n;
	write_all($to, $bytes);
	return 1;
}

# Copy until both outputs have ended.
sub pump {
	my ($in, $out, $err) = @_;
	my %route = (
		fileno(STDIN) => [\*STDIN, $in],
		fileno($out)  => [$out, \*STDOUT],
		fileno($err)  => [$err, \*STDERR],
	);
	while (exists $route{fileno $out} || exists $route{fileno $err}) {
		my $ready = '';
		vec($ready, $_, 1) = 1 for keys %route;
		next if select($ready, undef, undef, undef) < 0;
		for my $fd (grep { vec($ready, $_, 1) } keys %route) {
			next if copy_some(@{ $route{$fd} });
			delete $route{$fd};
			# The character that ends a terminal's input.
			write_all($in, "\004") if $fd == fileno STDIN;
		}
	}
	return;
}

die "usage: lib-terminal.perl COMMAND [ARGUMENT...]\n" unless @ARGV;
$SIG{PIPE} = 'IGNORE';
my (@masters, @slaves);
for (0 .. 2) {
	my ($master, $slave) = new_terminal();
	push @masters, $master;
	push @slaves, $slave;
}
my $pid = fork;
die "fork: $!\n" unless defined $pid;
if (!$pid) {
	$SIG{PIPE} = 'DEFAULT';
	run_child(\@slaves, @ARGV);
}
@slaves = ();
pump(@masters);
waitpid($pid, 0);
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
