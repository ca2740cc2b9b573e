# SPDX-License-Identifier: MIT
#
# Exported symbols: the shared library has only trace2_*, the archive only names
# with our prefixes, and both have everything that a public header declares.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my ($SO, $A) = qw(build/lib/libtrace2.so build/lib/libtrace2.a);
# Symbols that a sanitizer adds.
my $FOREIGN = qr/^(?:__asan_|__tsan_|__ubsan_|__odr_asan|_Unwind_)/;

sub symbols {
	my ($file, @options) = @_;
	open my $in, '-|', 'nm', '-g', '--defined-only', @options, $file
		or die "cannot run nm: $!\n";
	# Type A is the name of a version.
	my @names = map { /^[0-9a-f]+ [B-TV-Za-z] ([^\s@]+)/ ? $1 : () } <$in>;
	close $in or die "nm failed on $file\n";
	return grep { !/$FOREIGN/ } @names;
}

# Return the functions and variables that HEADER declares, with their lines.
sub declared {
	my ($header) = @_;
	(my $name = $header) =~ s{^lib/}{};
	my $cc = $ENV{CC} // 'cc';
	open my $in, '-|', "echo '#include \"$name\"' | $cc -E -Ilib -"
		or die "cannot run $cc: $!\n";
	my ($ours, $line, $text, %found) = (0, 0, '');
	while (<$in>) {
		if (/^# (\d+) "([^"]*)"/) {
			($ours, $line) = ($2 eq $header, $1 - 1);
			next;
		}
		$line++;
		# Append its line number to each name.
		$text .= s/\b(trace2_\w+)/$1\@$line/gr if $ours;
	}
	close $in or die "$cc -E failed on $header\n";
	1 while $text =~ s/\{[^{}]*\}/;/g;
	for (split /;/, $text) {
		# A declaration with the attribute error exists to be refused.
		next if /\b(?:static|typedef|gnu_inline)\b|\b(?:__)?error(?:__)?\(/;
		if (/\b(trace2_\w+)\@(\d+)\s*\(/ || /\bextern\b.*\b(trace2_\w+)\@(\d+)\s*$/s) {
			$found{$1} = $2;
		}
	}
	return \%found;
}

if (!-f $SO || !-f $A) {
	note("left out: there is no $SO yet");
	done();
}
my %shown = map { $_ => 1 } symbols($SO, '-D');
for my $name (sort keys %shown) {
	complain($SO, 1, $name, 'the shared library shows only trace2_*')
		if $name !~ /^trace2_/;
}
for my $name (symbols($A)) {
	complain($A, 1, $name, 'a name in the archive begins with trace2_ or tr2_')
		if $name !~ /^(?:trace2|tr2)_/;
}
my $declared = 0;
for my $header (glob 'lib/*.h') {
	my $names = declared($header);
	$declared += keys %$names;
	for my $name (sort keys %$names) {
		complain($header, $names->{$name}, $name, "$SO does not have it")
			if !$shown{$name};
	}
}
note("$declared names declared, " . keys(%shown) . ' shown');
done();
