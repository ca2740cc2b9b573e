# SPDX-License-Identifier: MIT
#
# lib-faults.perl DIRECTORY [VARIABLE=VALUE...] COMMAND...: run COMMAND with
# these variables, then without, and compare its output, its exit status, and
# its state at the end (see t/helper/host-state.h). Writes traced.out,
# traced.err, traced.ends and traced.state to DIRECTORY, where it is run; fails
# if one differs from untraced.*.
use strict;
BEGIN { $^W = 1 }

my $dir = shift;
my @variables;
push @variables, shift while @ARGV && $ARGV[0] =~ /^[A-Z]\w*=/;
die "lib-faults.perl: variables, then a command: @ARGV\n"
	if !@variables || !@ARGV;

# The suite's caller may have ignored signals, as a shell does in the
# background.
$SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT PIPE ALRM TERM USR1 USR2 XFSZ);

sub write_file {
	my ($path, $text) = @_;
	open my $out, '>', $path or die "$path: cannot write it: $!\n";
	print $out $text;
	close $out or die "$path: cannot write it: $!\n";
}

sub slurp {
	my ($path) = @_;
	open my $in, '<', $path or die "$path: cannot read it: $!\n";
	local $/;
	return <$in> // '';
}

# The child's part: set up descriptors like a shell.
sub become {
	my ($name) = @_;
	open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
	open STDOUT, '>', "$name.out" or die "$name.out: $!\n";
	open STDERR, '>', "$name.err" or die "$name.err: $!\n";
	exec { $ARGV[0] } @ARGV or exit 127;
}

sub run {
	my ($name, @more) = @_;
	write_file("$name.state", '');
	my $pid = fork;
	die "cannot fork: $!\n" if !defined $pid;
	if (!$pid) {
		$ENV{HOST_STATE} = "$dir/$name.state";
		/^(\w+)=(.*)/s and $ENV{$1} = $2 for @more;
		become($name);
	}
	waitpid($pid, 0);
	write_file("$name.ends", $? & 127 ? 'signal ' . ($? & 127) . "\n" :
			   'code ' . ($? >> 8) . "\n");
}

run('traced', @variables);
run('untraced');
for my $kind (qw(out err ends state)) {
	next if slurp("untraced.$kind") eq slurp("traced.$kind");
	system('diff', '-u', "untraced.$kind", "traced.$kind");
	exit 1;
}
