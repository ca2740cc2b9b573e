# SPDX-License-Identifier: MIT
#
# pauses.perl (pipe | socket | terminal) COMMAND [ARGUMENT...]
#
# Run COMMAND with descriptor 9 as the end of a pipe, socket or terminal, and
# copy what it writes there. Do not begin before it has waited many times, or
# ended: the kernel counts its waits. A terminal is stopped as Ctrl-S does it,
# and continues as by Ctrl-Q.
use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY);
use POSIX ();
use Socket;

# The library waits a millisecond at a time, 50 of them for impatient users.
my $WAITS      = 300;
my $TRACE_FD   = 9;
my $TIOCSPTLCK = 0x40045431;
my $TIOCGPTN   = 0x80045430;

sub new_terminal {
	sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY)
		or die "/dev/ptmx: $!\n";
	my ($zero, $number) = (pack('i', 0), pack('i', 0));
	ioctl($master, $TIOCSPTLCK, $zero) or die "cannot unlock: $!\n";
	ioctl($master, $TIOCGPTN, $number) or die "cannot number: $!\n";
	my $path = '/dev/pts/' . unpack('i', $number);
	sysopen(my $slave, $path, O_RDWR | O_NOCTTY) or die "$path: $!\n";
	my $termios = POSIX::Termios->new;
	$termios->getattr(fileno $slave) or die "$path: $!\n";
	$termios->setoflag($termios->getoflag & ~POSIX::OPOST());
	$termios->setiflag($termios->getiflag | POSIX::IXON());
	$termios->setlflag($termios->getlflag & ~POSIX::ECHO());
	$termios->setattr(fileno $slave, POSIX::TCSANOW()) or die "$path: $!\n";
	return ($master, $slave);
}

sub new_ends {
	my ($kind) = @_;
	return new_terminal() if $kind eq 'terminal';
	my ($reader, $writer);
	if ($kind eq 'socket') {
		socketpair($reader, $writer, AF_UNIX, SOCK_STREAM, PF_UNSPEC)
			or die "socketpair: $!\n";
	} else {
		pipe($reader, $writer) or die "pipe: $!\n";
	}
	return ($reader, $writer);
}

sub type {
	my ($master, $key) = @_;
	syswrite($master, $key) == 1 or die "cannot type: $!\n";
	return;
}

sub has_waited {
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/status" or return 1;
	local $/ = undef;
	my $status = <$file>;
	return 1 if $status =~ /^State:\s*Z/m;
	return $status =~ /^voluntary_ctxt_switches:\s*(\d+)/m && $1 > $WAITS;
}

local $^F = 255;    # no end is closed by exec

my ($kind, @command) = @ARGV;
my ($reader, $writer) = new_ends($kind);
type($reader, "\x13") if $kind eq 'terminal';
my $pid = fork // die "fork: $!\n";
if (!$pid) {
	POSIX::dup2(fileno($writer), $TRACE_FD);
	close $reader;
	exec { $command[0] } @command or POSIX::_exit(127);
}
close $writer;
select(undef, undef, undef, 0.01) until has_waited($pid);
type($reader, "\x11") if $kind eq 'terminal';
my $bytes;
while (sysread($reader, $bytes, 1 << 16)) {
	syswrite(STDOUT, $bytes) == length $bytes or die "stdout: $!\n";
}
waitpid($pid, 0);
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
