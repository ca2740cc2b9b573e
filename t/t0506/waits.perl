# SPDX-License-Identifier: MIT
#
# waits.perl LOG: how often and how long a traced program waited, and how many of
# its writes may wait; from the log that strace wrote.
use strict;
use warnings;

my ($waits, $ns, $blocking, $opened) = (0, 0, 0, 0);
my %nonblock;
# Whatever can make a thread wait; what it asked for when nobody read. Of
# waits that a signal interrupted, some was not used.
while (<>) {
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
	!$waits ? "none" : $ns > 55e6 ? "$ns ns" : "at most 50 ms",
	$blocking;
