# SPDX-License-Identifier: MIT
#
# waits.perl [MS] LOG: read a log of strace, and print whether all waits of the
# traced program together took at most MS (50) milliseconds, and the number of
# its blocking writes.
use strict;
BEGIN { $^W = 1 }

my $limit_ms = @ARGV > 1 ? shift : 50;
my ($waits, $ns, $blocking, $opened) = (0, 0, 0, 0);
my (%nonblock, %begun);
# All calls in which a thread may wait, with their timeout if nothing was read.
# A wait that a signal interrupted used a part of it.
while (<>) {
	# strace splits a call in two if another process or thread comes
	# between.
	my ($pid) = /^(\d+) /;
	$pid //= 0;
	if (s/ *<unfinished \.\.\.>\n//) {
		$begun{$pid} = $_;
		next;
	}
	s{^(?:\d+ +)?<\.\.\. \w+ resumed>}{delete $begun{$pid} // ''}e;
	if (/\bp?poll\(.*\{tv_sec=(\d+), tv_nsec=(\d+)\}.*= (?:0 |\?|-1 )/) {
		next if !$1 && !$2;
		$waits++;
		$ns += $1 * 1e9 + $2;
	} elsif (/nanosleep|FUTEX_WAIT|ETIMEDOUT|Timeout|\bselect\(/) {
		print;
	} elsif (/\bsplice\(\d+, NULL, (\d+)/) {
		$blocking++ unless /SPLICE_F_NONBLOCK/;
	} elsif (/\b(sendto|write|pwritev2)\((\d+)/ && $2 > 2) {
		$blocking++ unless /MSG_DONTWAIT|RWF_NOWAIT/ || $nonblock{$2};
	} elsif (/\bfcntl\(\d+, F_DUPFD_CLOEXEC, \d+\) += (\d+)/) {
		$nonblock{$1} = $opened;
	} elsif (/\b(?:open(?:at)?\(.*O_WRONLY|pipe2\().*O_NONBLOCK/) {
		$opened = 1;
	}
}
printf "waits: %s, writes that may wait: %d\n",
	!$waits ? "none" :
	$ns > $limit_ms * 1.1e6 ? "$ns ns" : "at most $limit_ms ms",
	$blocking;
