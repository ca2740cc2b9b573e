#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# deny.perl perf|all|ptrace|bpf|madvise|ftruncate|priority COMMAND [ARGUMENT...]
#
# Run COMMAND while perf_event_open (all: and netlink sockets) is refused with
# EPERM, as by the seccomp filter of a container. ptrace, bpf, madvise: refuse
# this call instead. ftruncate: this call does nothing, and reports success.
# priority: kill a process that asks for its scheduling policy, as the recorder
# does when its command is about to run. DENY_ERRNO is the number of another
# error than EPERM. Exits with 77 if that is not possible.

use strict;
use warnings;
use POSIX ();

my ($what, @command) = @ARGV;
my $machine = (POSIX::uname())[4];
# Numbers of prctl, socket, sched_getscheduler, perf_event_open, madvise, ftruncate,
# ptrace, bpf.
my %calls = (
	x86_64  => [ 157, 41, 145, 298, 28, 77, 101, 321 ],
	aarch64 => [ 167, 198, 120, 241, 233, 46, 117, 280 ],
);
exit 77 if !$calls{$machine};
my ($prctl, $socket, $policy, $perf, $madvise, $ftruncate, $ptrace, $bpf) =
	@{ $calls{$machine} };
my ($set_no_new_privs, $set_seccomp, $filter) = (38, 22, 2);
my ($load, $equal, $return) = (0x20, 0x15, 0x06);
my ($allow, $done, $eperm, $kill) = (0x7fff0000, 0x00050000,
	0x00050000 | ($ENV{DENY_ERRNO} || 1), 0x80000000);
my $af_netlink = 16;
my $denied = { madvise => $madvise, ftruncate => $ftruncate,
	ptrace => $ptrace, bpf => $bpf }->{$what} // $perf;

# struct sock_filter: code, jump if true, jump if false, k.
my @filter = (
	[ $load,   0, 0, 0 ],
	[ $equal,  4, 0, $denied ],
	[ $equal,  0, 2, $what eq 'all' ? $socket : 0xffffffff ],
	[ $load,   0, 0, 16 ],
	[ $equal,  1, 0, $af_netlink ],
	[ $return, 0, 0, $allow ],
	[ $return, 0, 0, $what eq 'ftruncate' ? $done : $eperm ],
);
@filter = (
	[ $load,   0, 0, 0 ],
	[ $equal,  1, 0, $policy ],
	[ $return, 0, 0, $allow ],
	[ $return, 0, 0, $kill ],
) if $what eq 'priority';
my $code = join '', map { pack 'SCCL', @$_ } @filter;
my $program = pack 'Sx![P]P', scalar(@filter), $code;
syscall($prctl, $set_no_new_privs, 1, 0, 0, 0) == 0 or exit 77;
syscall($prctl, $set_seccomp, $filter, $program, 0, 0) == 0 or exit 77;
exec { $command[0] } @command or exit 77;
