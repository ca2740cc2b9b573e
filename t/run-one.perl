#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Run one test program for run-tests: relay what it prints, keep a copy in
# build/test-run, and end it when it has printed nothing for a time.
#
#   usage: run-one.perl t0210-normal.sh|../build/unit/NAME
#
#   TEST_SHELL_PATH    the shell that runs a script
#   GIT_TEST_OPTS      with --valgrind, programs of build/unit run under it
#   GIT_TEST_PATIENCE  a program is ended after three times as many seconds of
#                      silence; without it, never
#
# Before a program is ended, its processes are printed: the tree, in which
# function of the kernel each one sleeps, and its stack where eu-stack or gdb
# is installed. The copy also has what a failed test printed, which prove does
# not want to see. The exit code is that of the program, or the signal's.
#
# It loads no module: it starts 175 times in a run of the suite.

use strict;
BEGIN { $^W = 1 }

my $WNOHANG = 1;
my $EINTR = 4;
# Longer output is kept without its middle.
my $MOST_KEPT = 1 << 20;
# Lines that a failed test printed.
my $MOST_LINES = 50;
# More processes and longer stacks would hide the reason.
my $MOST_STACKS = 24;
my $MOST_FRAMES = 30;

my $program = $ARGV[0] // die "usage: $0 PROGRAM\n";
my ($name) = $program =~ m{([^/]+)$};
my $here = readlink('/proc/self/cwd') // '.';
my $kept_dir = "$here/../build/test-run";
my $patience = 3 * ($ENV{GIT_TEST_PATIENCE} || 0);
my $kept = '';
# The last line of the program, as far as it is complete, and the output of its
# tests.
my ($line, $tests) = ('', '');
my $from_tests;

sub command {
	return ($ENV{TEST_SHELL_PATH} || '/bin/sh', $program)
		if $program =~ /\.sh$/;
	return ($program) if ($ENV{GIT_TEST_OPTS} // '') !~ /(^| )--valgrind/;
	return ('valgrind', '-q', '--error-exitcode=126', '--leak-check=full',
		'--errors-for-leak-kinds=definite',
		'--suppressions=valgrind.supp', $program);
}

sub contents {
	my ($path) = @_;
	open my $file, '<', $path or return '';
	local $/;
	return readline($file) // '';
}

# ---------------------------------------------------------------------------
# The processes of the program

# Return the children of each process, and the processes that work in the
# script's trash directory or have its name in their environment: a process that
# a test left in the background has another parent.
sub find_processes {
	my (%children, @inside);
	(my $trash = "$here/trash directory.$name") =~ s/\.sh$//;
	for my $dir (glob '/proc/[0-9]*') {
		my ($pid) = $dir =~ /(\d+)/;
		my ($parent) = contents("$dir/stat") =~ /.*\) \S (\d+)/s
			or next;
		push @{$children{$parent}}, $pid;
		my $cwd = readlink("$dir/cwd") // '';
		push @inside, $pid
			if $cwd =~ m{^\Q$trash\E(/|$)}
			|| contents("$dir/environ") =~
				/(^|\0)TRASH_DIRECTORY=\Q$trash\E(\0|$)/;
	}
	return (\%children, \@inside);
}

# Return [DEPTH, PID] of the descendants of $root, then of processes that were
# left running.
sub tree {
	my ($root) = @_;
	my ($children, $inside) = find_processes();
	my (%seen, @found);
	my $walk;
	$walk = sub {
		my ($depth, $pid) = @_;
		return if $seen{$pid}++ || $pid == $$;
		push @found, [$depth, $pid];
		$walk->($depth + 1, $_)
			for sort { $a <=> $b } @{$children->{$pid} || []};
	};
	$walk->(0, $_) for $root, @$inside;
	return @found;
}

sub run_for_output {
	my @command = @_;
	my $pid = open(my $from, '-|') // return '';
	if (!$pid) {
		open STDERR, '>', '/dev/null';
		# A process in the middle of an exec can keep a debugger waiting.
		alarm 20;
		exec { $command[0] } @command or exit 127;
	}
	local $/;
	my $text = readline($from) // '';
	close $from;
	return $text;
}

sub stack {
	my ($pid) = @_;
	my $text = run_for_output('eu-stack', '-p', $pid);
	$text = run_for_output('gdb', '-p', $pid, '-batch', '-nx', '-ex',
			       'thread apply all bt')
		if $text !~ /^#0/m;
	# A frame without a name says nothing.
	my @frames = grep { /^(?:TID|Thread|#\d)/ &&
			    !/^#\d+\s+0x[0-9a-f]+(?:\s+in \?\?.*)?\s*$/ }
		split /\n/, $text;
	splice @frames, $MOST_FRAMES if @frames > $MOST_FRAMES;
	return @frames;
}

sub describe_process {
	my ($depth, $pid) = @_;
	my $indent = '  ' x $depth;
	my ($state) = contents("/proc/$pid/stat") =~ /.*\) (\S)/s;
	return "${indent}$pid has ended" if !defined $state;
	(my $words = contents("/proc/$pid/cmdline")) =~ s/\0/ /g;
	$words = '[' . contents("/proc/$pid/comm") . ']' if $words eq '';
	$words =~ s/[\n\r]+/ /g;
	my $where = contents("/proc/$pid/wchan");
	my ($call) = contents("/proc/$pid/syscall") =~ /^(\S+)/;
	my $line = "$indent$pid $state " . substr($words, 0, 100);
	$line .= ", in $where" if $where =~ /[^0]/;
	$line .= ", system call $call" if defined $call && $call =~ /^\d/;
	return $line;
}

sub describe {
	my ($root) = @_;
	my @processes = tree($root);
	my @lines = map { describe_process(@$_) } @processes;
	splice @processes, $MOST_STACKS if @processes > $MOST_STACKS;
	for (@processes) {
		my ($depth, $pid) = @$_;
		my @frames = stack($pid) or next;
		push @lines, "stack of $pid:", map { "  $_" } @frames;
	}
	return @lines;
}

# ---------------------------------------------------------------------------
# What is kept

# Return TEXT without its middle if it is long.
sub shorten {
	my ($text) = @_;
	return $text if length $text <= $MOST_KEPT;
	my $part = $MOST_KEPT / 4;
	return substr($text, 0, $part) . "\n[...]\n" . substr($text, -$part);
}

# Read what tests have printed until now.
sub read_tests {
	while ($from_tests) {
		vec(my $ready = '', fileno($from_tests), 1) = 1;
		last if select($ready, undef, undef, 0) <= 0;
		sysread($from_tests, my $text, 65536) or undef $from_tests;
		$tests = substr($tests . ($text // ''), -$MOST_KEPT);
	}
}

# Return the last lines that test NUMBER printed, as comments. The harness says
# at the beginning of each test which it is.
sub test_output {
	my ($number) = @_;
	read_tests();
	my ($found) = $tests =~
		/^.*^(expecting\ \w+\ of\ [^\n]*?\.$number\ .*?)
		 (?:^expecting\ \w+\ of\ |\z)/msx or return '';
	my @lines = split /\n/, $found;
	splice @lines, 0, @lines - $MOST_LINES if @lines > $MOST_LINES;
	return join '', map { "# > $_\n" } @lines;
}

sub keep {
	my ($text) = @_;
	$line .= $text;
	while ($line =~ s/^([^\n]*\n)//) {
		my $whole = $1;
		$kept .= $whole;
		$kept .= test_output($1)
			if $whole =~ /^not ok (\d+)/ && $whole !~ /# T[O]DO/;
	}
	$kept = shorten($kept);
}

# ---------------------------------------------------------------------------
# Running it

# Pass on TEXT. Give up if the reader has gone: the program would get SIGPIPE.
sub relay {
	my ($to, $text) = @_;
	keep($text);
	while ($text ne '') {
		my $done = syswrite($to, $text);
		if (!defined $done) {
			next if $! == $EINTR;
			return;
		}
		substr($text, 0, $done) = '';
	}
}

sub end_silent_program {
	my ($root) = @_;
	read_tests();
	my ($number, $title) =
		$tests =~ /.*^expecting \w+ of [^\n]*?\.(\d+) ('[^\n]*'):/ms;
	my $where = $number ? " in test $number $title" : '';
	my @lines = ("$name printed nothing for $patience s$where and was" .
		     ' ended; its processes were:', describe($root));
	# A process may start another between the look and the signal.
	for (1 .. 10) {
		my @rest = grep { contents("/proc/$_/stat") !~ /.*\) [ZX]/s }
			map { $_->[1] } tree($root) or last;
		kill 'KILL', @rest;
	}
	relay(\*STDERR, join('', map { "# $_\n" } @lines) .
			($number ? test_output($number) : ''));
}

# Start the program. Return its pid and the pipes that it prints to.
sub start {
	pipe(my $out, my $to_out) && pipe(my $err, my $to_err)
		or die "trace2: test: cannot make a pipe: $!\n";
	my $to_tests;
	pipe($from_tests, $to_tests) or undef $to_tests;
	my $pid = fork // die "trace2: test: cannot fork: $!\n";
	if (!$pid) {
		open(STDOUT, '>&', $to_out) && open(STDERR, '>&', $to_err)
			or exit 127;
		close $_ for $out, $err, $to_out, $to_err;
		# A shell can name no descriptor of two digits.
		$^F = 9;
		my $low;
		close $from_tests if $to_tests;
		$ENV{GIT_TEST_OUTPUT} = fileno $low
			if $to_tests && $program =~ /\.sh$/ &&
			open($low, '>&', $to_tests) && fileno $low <= 9;
		my @command = command();
		exec { $command[0] } @command
			or print STDERR "trace2: test: cannot run $command[0]: $!\n";
		exit 127;
	}
	return ($pid, $out, $err);
}

# Relay until the program has ended and closed its pipes; return its status.
sub relay_all {
	my ($pid, $out, $err) = @_;
	my %from = (fileno($out) => [$out, \*STDOUT],
		    fileno($err) => [$err, \*STDERR]);
	my ($silent, $status) = (0, undef);
	while (%from || !defined $status) {
		my $wanted = '';
		vec($wanted, $_, 1) = 1 for keys %from;
		my $tests_fd = $from_tests ? fileno $from_tests : undef;
		vec($wanted, $tests_fd, 1) = 1 if defined $tests_fd;
		# Without pipes, only the end of the program is waited for.
		my $turn = %from ? 1 : 0.02;
		my $ready = select(my $got = $wanted, undef, undef, $turn);
		$status = $?
			if !defined $status && waitpid($pid, $WNOHANG) == $pid;
		read_tests();
		my @readable = $ready > 0 ? grep { vec($got, $_, 1) } keys %from
			: ();
		if (!@readable) {
			# A process that outlives the program may hold its pipes open.
			last if defined $status && $ready <= 0;
			# Turns are counted, not the clock: a machine that
			# slept was not silent.
			$silent += $turn if $ready <= 0;
			if ($patience && $silent >= $patience) {
				end_silent_program($pid);
				$silent = 0;
			}
			next;
		}
		$silent = 0;
		for my $fd (@readable) {
			my ($source, $to) = @{$from{$fd}};
			my $count = sysread($source, my $text, 65536);
			if ($count) {
				relay($to, $text);
			} elsif (defined $count || $! != $EINTR) {
				delete $from{$fd};
			}
		}
	}
	return $status;
}

mkdir $kept_dir;
my ($pid, @pipes) = start();
$SIG{$_} = sub { kill $_[0], $pid } for qw(HUP INT QUIT TERM);
$SIG{PIPE} = 'IGNORE';
my $status = relay_all($pid, @pipes);
if (open my $file, '>', "$kept_dir/$name") {
	print $file $kept, $line;
	close $file;
}
if (my $signal = $status & 127) {
	$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM PIPE);
	kill $signal, $$;
	exit 128 + $signal;
}
exit $status >> 8;
