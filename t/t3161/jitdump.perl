# SPDX-License-Identifier: MIT
#
# jitdump.perl [--swap] [--clock] [--pid=N] <RECORDS: print a jitdump, with
# numbers of the other byte order, times of another clock, records of another
# process than the header's (10):
#
#	load TIME ADDRESS LENGTH INDEX NAME
#	move TIME ADDRESS LENGTH INDEX
#	other TIME
#
# TIME is in microseconds, as in t3130/kernel.perl; addresses are hexadecimal.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my %option;
while (@ARGV && $ARGV[0] =~ /^--(\w+)(?:=(.*))?$/) {
	$option{$1} = $2 // 1;
	shift @ARGV;
}
my $order = $option{swap} ? '>' : '<';
my %kinds = (load => 0, move => 1, other => 4);

sub packed {
	my ($template, @values) = @_;
	return pack join(' ', map { /[LQ]/ ? "$_$order" : $_ }
		split //, $template), @values;
}

my $out = packed 'LLLLLLQQ', 0x4a695444, 1, 48, 62, 0, 10, 1,
	$option{clock} ? 1 : 0;
$out .= "\0" x 8; # what a later version may add
while (<STDIN>) {
	my ($kind, $time, $addr, $len, $index, $name) = split ' ', $_, 6;
	my $body = packed 'LL', $option{pid} // 10, 11;
	if ($kind eq 'load') {
		chomp $name;
		$body .= packed('QQQQ', hex $addr, hex $addr, hex $len,
			$index) . "$name\0code";
	} elsif ($kind eq 'move') {
		$body .= packed 'QQQQQ', hex $addr, 1, hex $addr, hex $len,
			$index;
	}
	$out .= packed('LLQ', $kinds{$kind}, 16 + length $body,
		5_000_000_000 + 1000 * $time) . $body;
}
binmode STDOUT;
print $out;
