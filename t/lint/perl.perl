# SPDX-License-Identifier: MIT
#
# Perl compiles without a warning, is strict, and uses only core modules and
# modules of this tree.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Module::CoreList;
use Lint;

my @INC_DIRS = qw(scrub/lib t/lint);

sub check_modules {
	my ($path) = @_;
	my ($nr, %uses) = (0);
	for (lines($path)) {
		$nr++;
		last if /^__(?:END|DATA)__/;
		my ($module) = /^\s*(?:use|require)\s+([A-Za-z][\w:]*)/ or next;
		$uses{$module} = 1;
		(my $file = "$module.pm") =~ s{::}{/}g;
		next if grep { -f "$_/$file" } @INC_DIRS, $path =~ s{/[^/]*$}{}r;
		next if Module::CoreList::is_core($module) || $module =~ /^v5/;
		complain($path, $nr, "use of $module", 'only core modules and our own');
	}
	# A program that starts hundreds of times in a run of the suite has this
	# instead: `use warnings` takes as long to load as perl takes to start.
	$uses{warnings} = 1 if grep { /^BEGIN \{ \$\^W = 1 \}/ } lines($path);
	for my $pragma (qw(strict warnings)) {
		complain($path, 1, "no 'use $pragma'", 'every Perl file has it')
			if !$uses{$pragma};
	}
}

for my $path (sources('perl')) {
	check_modules($path);
	open my $in, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', $^X, '-c', '-w',
		(map { "-I$_" } @INC_DIRS), $path or die "cannot run perl: $!\n";
	my @said = <$in>;
	close $in;
	next if $? == 0 && @said == 1;
	my ($text) = grep { !/syntax OK$/ } @said, "perl -c failed\n";
	chomp $text;
	my ($line) = $text =~ /line (\d+)/;
	complain($path, $line // 1, 'perl -c', $text);
}
done();
