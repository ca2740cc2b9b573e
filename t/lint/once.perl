# SPDX-License-Identifier: MIT
#
# Shared parts of test scripts are in one place: a prerequisite is defined once,
# and no function has a copy. A test with an undefined prerequisite would be
# skipped for ever.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my (%prereq, %set, %function, @asked);
for my $path (grep { m{^t/} } sources('sh')) {
	my ($nr, $name, $start, $body) = (0);
	for (lines($path)) {
		$nr++;
		if (/^test_lazy_prereq (\w+)/) {
			complain($path, $nr, $1, "$prereq{$1} defines it, too: t/lib-prereq.sh is the place")
				if $prereq{$1};
			$prereq{$1} //= "$path:$nr";
		}
		$set{$_}++ for /\btest_set_prereq (\w+)/g;
		# The harness's own tests contain scripts within scripts.
		push @asked, map { [$path, $nr, $_] } $1 =~ /\w+/g
			if $path !~ m{/t000} &&
				/^\s*test_expect_\w+ ([A-Z!][\w,!]*) ['"]/;
		($name, $start, $body) = ($1, $nr, '') if /^(\w+ \(\)) [{(]/;
		next if !defined $name;
		$body .= "$_\n";
		next if !/^[})]/;
		complain($path, $start, $name, "$function{$body} has the same: a t/lib-*.sh is the place")
			if $function{$body};
		$function{$body} //= "$path:$start";
		undef $name;
	}
}
for (@asked) {
	my ($path, $nr, $name) = @$_;
	complain($path, $nr, $name, 'nobody defines it: the test is always skipped')
		if !$prereq{$name} && !$set{$name};
}
done();
