# SPDX-License-Identifier: MIT
#
# Calls that the library never makes: they write past an end, end the process or
# print in the name of the host, or change state on which the host relies. Code
# for developer builds alone (#ifdef TR2_DEVELOPER) may end the process and
# print.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Lint;

my $unbounded = 'it does not know where its buffer ends; use tr2_buf';
my $ends = 'the library never ends its host';
my $prints = "the library never prints through its host's stdio";
my $shared = 'its result is shared between threads';
my $state = "it changes what belongs to the host's process";
# The banned names, each with the reason; '*' permits it in developer code.
my %BANNED = (
	(map { $_ => $unbounded } qw(strcpy strcat stpcpy sprintf vsprintf gets
		scanf sscanf)),
	(map { $_ => "*$ends" } qw(abort exit quick_exit assert)),
	(map { $_ => "*$prints" } qw(printf vprintf fprintf vfprintf dprintf
		vdprintf puts fputs putchar perror psignal)),
	(map { $_ => $shared } qw(strtok localtime gmtime asctime ctime strerror
		readdir_r getpwuid getpwnam ttyname inet_ntoa setlocale)),
	(map { $_ => $state } qw(chdir fchdir umask alarm setitimer system popen
		srand srandom)),
	(map { $_ => 'it loads parts of libc into the host, and may ask a server' }
		qw(getpwnam_r getpwuid_r getgrnam_r getgrgid_r getaddrinfo)),
	(map { $_ => 'its place is base/lock.c: children of any fork must see who holds it' }
		qw(pthread_mutex_lock pthread_mutex_trylock pthread_rwlock_rdlock
		pthread_rwlock_wrlock pthread_spin_lock sem_wait mtx_lock)),
	sched_yield => 'a thread of real-time priority keeps the CPU; use tr2_await()',
	alloca => 'a large argument would run off the stack',
);
my $names = join '|', map { quotemeta } sort keys %BANNED;

# Track open preprocessor conditions: is each for developer builds alone?
sub track {
	my ($stack, $directive, $condition) = @_;
	if ($directive =~ /^if/) {
		push @$stack, $directive ne 'ifndef' &&
			$condition =~ /(?<![!\w])(?:defined\s*\(?\s*)?TR2_DEVELOPER/;
	} elsif ($directive =~ /^el/) {
		$stack->[-1] = 0 if @$stack;
	} elsif ($directive eq 'endif') {
		pop @$stack;
	}
}

# The one file that may call a function.
my %HOME = (pthread_mutex_lock => 'lib/base/lock.c',
	sched_yield => 'lib/target/wait.c'); # it waits for nobody there

for my $path (grep { m{^lib/} } sources(qw(c table))) {
	my ($nr, @stack) = (0);
	for (split /^/, c_code(slurp($path))) {
		$nr++;
		track(\@stack, $1, $2), next if /^\s*#\s*(if\w*|el\w+|endif)\b(.*)/;
		while (/(?<![\w.>])($names)\s*\(/g) {
			my ($name, $why) = ($1, $BANNED{$1});
			next if $why =~ s/^\*// && grep { $_ } @stack;
			next if $path eq ($HOME{$name} // '');
			complain($path, $nr, "$name()", $why);
		}
	}
}
done();
