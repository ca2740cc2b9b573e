#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a program that is killed at any moment of its writes

Each round starts a program that emits k0, k1, k2 and so on, and sends it a
signal at a random time. The signal ends the program, as without tracing. The
program writes into a file, a file in a directory, or a ring: no event is
missing or torn, except the last line of a file.

With GIT_TEST_LONG there are a thousand rounds for each of the three. T0514_SEED
repeats the random times of an earlier run, which printed it.
'

. ./test-lib.sh

T0514_SEED=${T0514_SEED:-$$}
export T0514_SEED
say "# T0514_SEED=$T0514_SEED"

rounds=1 told=2
test_have_prereq !EXPENSIVE || rounds=170 told=680

# shellcheck disable=SC2016 # the dollars are for perl
cat >kills.perl <<\EOT
# kills.perl file|directory|ring SIGNAL NUMBER ROUNDS
use strict;
use warnings;
use POSIX ':sys_wait_h';
my ($where, $signal, $number, $rounds) = @ARGV;
srand($ENV{T0514_SEED} + 100 * $number + length($where));
my $dir = "$where.d";
my $to = $where eq "file" ? "$dir/e" : $dir;
my %read = (records => 0, cut => 0, none => 0);

sub has_records {
	my ($ring) = @_;
	# A ring that is being written may look damaged.
	return `test-tool ring dump "$ring" 2>/dev/null` =~ /^1 data /m;
}

# Wait until the kill is due: the program has written a number of bytes. A ring
# has its full size from the start: there, wait for some turns. In the first
# round, wait for its records, too.
sub wait_for_chance {
	my ($pid, $round) = @_;
	my $bytes = ($round > 1 ? 1 : 4000) + int(rand(40000));
	my $turns = int(rand(3000));
	while (!waitpid($pid, WNOHANG)) {
		my ($file) = glob("$dir/*");
		next if !defined $file || !-s $file;
		return if $where ne "ring" && -s _ >= $bytes;
		return if $where eq "ring" && $turns-- <= 0 &&
			  ($round > 1 || has_records($file));
	}
	die "it ended by itself, with $?\n";
}

# The library writes the first bytes of a ring last, when it can be read.
sub has_begun {
	my ($ring) = @_;
	open(my $in, "<", $ring) or die "$ring: $!\n";
	read($in, my $bytes, 8) or return;
	return $bytes =~ /[^\0]/;
}

# Return the numbers in the file of a killed program, in order.
sub numbers {
	my ($file) = @_;
	my @numbers;
	my $is_recorded = 0;
	return if $where eq "ring" && !has_begun($file);
	my @from = $where eq "ring" ? ("-|", "test-tool", "ring", "dump", $file) :
				      ("<", $file);
	open(my $in, $from[0], @from[1 .. $#from]) or die "$file: $!\n";
	while (my $line = <$in>) {
		$read{cut}++, last if $line !~ /\n\z/;
		$is_recorded = 1 if $line =~ /^\{"event":"signal",|^1 signal /;
		if ($where eq "ring") {
			push @numbers, $1 if $line =~ /^1 data .* key="k(\d+)" value="v+"$/;
			next;
		}
		$line =~ /\A\{"event":"(\w+)",.*\}\n\z/ or die "torn: $line";
		push @numbers, $1
			if $line =~ /"event":"data".*"key":"k(\d+)","value":"v+"\}\n\z/;
	}
	close($in) or die "$file cannot be read\n";
	die "the signal is not told\n" if $ENV{GIT_TRACE2_SIGNALS} && !$is_recorded;
	return @numbers;
}

$SIG{$_} = "DEFAULT" for qw(HUP INT TERM ABRT SEGV);
$ENV{$where eq "ring" ? "GIT_TRACE2_RING" : "GIT_TRACE2_EVENT"} =
	do { require Cwd; Cwd::getcwd() } . "/$to";
mkdir($dir);
for my $round (1 .. $rounds) {
	unlink(glob("$dir/*"));
	my $pid = fork;
	exec("test-tool", "trace2", "030events", "100000000") or exit 127 if !$pid;
	wait_for_chance($pid, $round);
	kill($signal, $pid);
	waitpid($pid, 0);
	($? & 127) == $number or die "round $round: it ended with $?\n";
	my ($file) = glob("$dir/*");
	my @numbers = numbers($file);
	$read{none}++ if !@numbers;
	$read{records} += @numbers;
	# A ring has the newest numbers, a file has all.
	my $next = $where eq "ring" ? $numbers[0] : 0;
	for (@numbers) {
		$_ == $next++ or die "round $round: k$_ is not k", $next - 1, "\n";
	}
}
print "$where: $rounds times $signal, $read{records} records read back, ",
	"$read{cut} last lines cut, $read{none} times none\n";
EOT

for where in file directory ring
do
	test_expect_success "no record is lost or torn by six signals, $rounds times each: $where" '
		for pair in "TERM 15" "INT 2" "HUP 1" "ABRT 6" "SEGV 11" "KILL 9"
		do
			case "$pair" in
			SEGV*) ! test_have_prereq INSTRUMENTED || continue ;;
			esac &&
			{ "$PERL_PATH" kills.perl $where $pair $rounds >out 2>err ||
			  { say_color error "# $where, $pair: $(cat err)" >&5; false; }; } &&
			cat out &&
			test_grep " [1-9][0-9]* records read back" out || return 1
		done
	'
done

test_expect_success 'a process that records signals records each one, whatever it interrupts' '
	for where in file ring
	do
		for pair in "TERM 15" "HUP 1" "ABRT 6"
		do
			GIT_TRACE2_SIGNALS=TERM,HUP,ABRT \
				"$PERL_PATH" kills.perl $where $pair $told ||
			return 1
		done
	done
'

test_done
