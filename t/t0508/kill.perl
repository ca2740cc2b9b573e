# SPDX-License-Identifier: MIT
#
# kill.perl SIGNAL ROUNDS BYTES FILE COMMAND...: in each round, send the signal
# to COMMAND as soon as it has written a random number of bytes to FILE, up to
# BYTES, unless it ends before. Prints how the rounds ended, and appends the
# first and the last lines of each FILE, except an incomplete one, to FILE.all.
use strict;
use warnings;
use POSIX "WNOHANG";
my ($signal, $rounds, $bytes, $file, @command) = @ARGV;
my %ends;
$SIG{$_} = "DEFAULT" for qw(HUP INT TERM ABRT SEGV USR1);
open(my $all, ">>", "$file.all") or die;
for (1 .. $rounds) {
	unlink($file);
	my $pid = fork;
	exec @command or exit 127 if !$pid;
	my $until = 1 + int(rand($bytes));
	my $ended = 0;
	$ended = waitpid($pid, WNOHANG)
		while (-s $file // 0) < $until && !$ended;
	kill($signal, $pid) && waitpid($pid, 0) if !$ended;
	$ends{$? & 127 ? "signal " . ($? & 127) : "code " . ($? >> 8)}++;
	open(my $in, "<", $file) or next;
	my @lines = grep { /\n\z/ } <$in>;
	splice(@lines, 20, -20) if @lines > 40;
	print $all @lines;
}
print "$ends{$_} times $_\n" for sort keys %ends;
