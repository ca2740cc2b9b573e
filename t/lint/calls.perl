# SPDX-License-Identifier: MIT
#
# Calls point down only, like includes, and files do not call in circles: a
# folder uses functions and variables of the folders that Layers.pm permits.
# Calls are read from the objects of the last build, so that a declaration by
# hand does not hide a call.
use strict;
use warnings;

use File::Find;
use FindBin;
use lib $FindBin::Bin;
use Layers;
use Lint;

my $OPTIONS = 'build/build-options';

# Return the directory of the objects, or undef.
sub objects_dir {
	-f $OPTIONS or return undef;
	my ($name) = slurp($OPTIONS) =~ /^CONFIG='(.*)'$/m or return undef;
	return -d "build/obj/$name" ? "build/obj/$name" : undef;
}

# Return the source of an object, or undef if it was removed:
# build/obj/C/lib/a/b.o and build/obj/C/with-libraries/tool/a/b.o.
sub source_of {
	my ($object) = @_;
	my ($stem) = $object =~ m{/((?:lib|tool)/.*)\.o$} or return undef;
	my ($source) = grep { -f } "$stem.c", "$stem.cc";
	return $source;
}

# Return the names that the object defines, and those that it uses.
sub symbols_of {
	my ($object) = @_;
	my (@defined, @needed);
	open my $in, '-|', 'nm', '-g', $object or die "cannot run nm: $!\n";
	while (<$in>) {
		push @defined, $1 if /^[0-9a-f]+ [B-DRTVW] (\S+)$/;
		push @needed, $1 if /^\s+U (\S+)$/;
	}
	close $in or die "nm failed on $object\n";
	return (\@defined, \@needed);
}

my $dir = objects_dir();
if (!defined $dir) {
	note('left out: nothing was built yet');
	done();
}
my (%home, %needs);
find({ no_chdir => 1, wanted => sub {
	my $source = /\.o$/ ? source_of($_) : undef;
	return if !defined $source;
	my ($defined, $needed) = symbols_of($_);
	$home{$_} = $source for @$defined;
	$needs{$source} = $needed;
} }, $dir);

# Files of the library do not call in circles. The exceptions, by folder:
my %KNOTS = (
	# An included file is read like the one that includes it.
	'lib/config' => 1,
	# An event calls its PMU, which switches events.
	'lib/pmu' => 1,
	# A destination that fails is reported on another one.
	'lib/target' => 1,
);

my (%calls, %number, %lowest, @open, %is_open);

# Tarjan: complain of each set of files that call one another.
sub visit {
	my ($file) = @_;
	$lowest{$file} = $number{$file} = keys %number;
	push @open, $file;
	$is_open{$file} = 1;
	for my $to (sort keys %{$calls{$file}}) {
		visit($to) if !defined $number{$to};
		$lowest{$file} = $lowest{$to}
			if $is_open{$to} && $lowest{$to} < $lowest{$file};
	}
	return if $lowest{$file} != $number{$file};
	my (@knot, $last);
	do {
		push @knot, $last = pop @open;
		delete $is_open{$last};
	} until $last eq $file;
	@knot = sort @knot;
	complain($knot[0], 1, "@knot", 'they call one another')
		if @knot > 1 && !$KNOTS{folder_of($file)};
}

my $calls = 0;
for my $from (sort keys %needs) {
	my $folder = folder_of($from) // next;
	for my $name (sort @{$needs{$from}}) {
		my $to = folder_of($home{$name} // '');
		if (!defined $to) {
			complain($from, 1, $name, "$home{$name} is above it")
				if defined $home{$name};
			next;
		}
		$calls++ if $to ne $folder;
		$calls{$from}{$home{$name}} = 1
			if $from =~ m{^lib/} && $from ne $home{$name};
		complain($from, 1, $name, "$folder may not use $to")
			if !may_use($folder, $to);
	}
}
for (sort keys %calls) {
	visit($_) if !defined $number{$_};
}
note("$calls uses of other folders");
done();
