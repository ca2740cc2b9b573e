#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# tty.perl WORD KEY COMMAND [ARGUMENT...]
#
# Run COMMAND as the foreground job of a new terminal, like an interactive
# shell, and type KEY ("^C", "^Z", "^\") when it prints WORD. If the job stops
# after "^Z", "job stopped" is printed and the job is continued. Exits like
# COMMAND, with 128 + N if signal N ended it.

use strict;
use warnings;
use Fcntl qw(O_RDWR O_NOCTTY);
use POSIX ();

my $TIOCSPTLCK = 0x40045431;
my $TIOCGPTN   = 0x80045430;
my $TIOCSCTTY  = 0x540e;
my %key = ('^C' => "\003", '^Z' => "\032", '^\\' => "\034");

sub exit_code {
	my ($status) = @_;
	return $status & 127 ? 128 + ($status & 127) : $status >> 8;
}

# The job: a new process group, in the foreground.
sub run_job {
	my ($tty, @command) = @_;
	POSIX::setpgid(0, 0);
	local $SIG{TTOU} = 'IGNORE';
	POSIX::tcsetpgrp(fileno($tty), $$);
	POSIX::dup2(fileno($tty), $_) for 0 .. 2;
	$SIG{TTOU} = 'DEFAULT';
	exec { $command[0] } @command or POSIX::_exit(127);
	return;
}

# The shell: leads the session and controls the job.
sub run_shell {
	my ($path, $for_stops, @command) = @_;
	POSIX::setsid();
	sysopen(my $tty, $path, O_RDWR) or die "$path: $!\n";
	ioctl($tty, $TIOCSCTTY, 0);
	my $termios = POSIX::Termios->new;
	$termios->getattr(fileno $tty);
	$termios->setoflag($termios->getoflag & ~POSIX::OPOST());
	$termios->setlflag($termios->getlflag & ~POSIX::ECHO());
	$termios->setattr(fileno $tty, POSIX::TCSANOW());
	my $pid = fork() // die "fork: $!\n";
	run_job($tty, @command) if !$pid;
	while (waitpid($pid, $for_stops) == $pid) {
		# Perl has no status for a stopped job, which still exists.
		POSIX::_exit(exit_code($?)) if !kill 0, $pid;
		syswrite($tty, "job stopped\n");
		kill 'CONT', -$pid;
	}
	POSIX::_exit(126);
}

my ($word, $key, @command) = @ARGV;
die "usage: tty.perl WORD KEY COMMAND...\n" if !@command || !$key{$key};
sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY) or die "/dev/ptmx: $!\n";
ioctl($master, $TIOCSPTLCK, my $zero = pack('i', 0)) or die "unlock: $!\n";
ioctl($master, $TIOCGPTN, my $number = pack('i', 0)) or die "number: $!\n";
my $path = '/dev/pts/' . unpack('i', $number);
# Held open, so that no output is lost before it is read.
sysopen(my $held, $path, O_RDWR | O_NOCTTY) or die "$path: $!\n";
my $shell = fork() // die "fork: $!\n";
if (!$shell) {
	close $master;
	run_shell($path, $key eq '^Z' ? POSIX::WUNTRACED() : 0, @command);
}
close $held;

my $seen = '';
while (sysread($master, my $bytes, 4096)) {
	print $bytes;
	$seen .= $bytes;
	if ($seen =~ s/.*?^\Q$word\E\r?\n//ms) {
		syswrite($master, $key{$key});
	}
}
waitpid($shell, 0);
exit exit_code($?);
