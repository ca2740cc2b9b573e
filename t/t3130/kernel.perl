# SPDX-License-Identifier: MIT
#
# kernel.perl DIR <RECORDS: make a recording with these records of the kernel,
# one a line, times in microseconds since it began:
#
#	TIME CPU fork PID TID PPID PTID
#	TIME CPU found PID TID NAME STATE [FUNCTION]   it ran before
#	TIME CPU exit PID TID
#	TIME CPU comm PID TID NAME [exec]
#	TIME CPU in PID TID
#	TIME CPU out PID TID [preempted]
#	TIME CPU read PID TID NANOSECONDS
#	TIME CPU lost NUMBER
#	TIME CPU switch PID TID NEXT-TID NEXT-COMM [FUNCTION,...]
#	TIME CPU sleep PID TID NEXT-TID NEXT-COMM [FUNCTION,...]   switch and out
#	TIME CPU lose PID TID NEXT-TID NEXT-COMM   switch and out, preempted
#	TIME CPU die PID TID NEXT-TID NEXT-COMM   switch, never to run again
#	TIME CPU turn PID TID COMM NEXT-TID NEXT-COMM   switch of another process
#	TIME CPU run PID TID NAME   in, and comm with exec
#	begin   fork 10 10 1 1 and in at 0, on CPU 0
#	top NAME   begin, and comm with exec at 1
#	TIME CPU waking PID TID TID-THAT-WAKES [hardirq|softirq [LOCKS-HELD]]
#	TIME CPU object PID TID SINCE KNOWN CALL WHAT [NAME [PEER [NUMBER [OTHERS [HOST]]]]]
#	    the observer saw from SINCE to TIME what the thread waits for; -: none
#	TIME CPU memory PID RSS [SHARE]   in KiB; PID 0: of all, not RSS
#	TIME CPU map PID TID ADDRESS LENGTH FILE [data]
#	TIME CPU sample PID TID ADDRESS,... [NUMBER-OF-THEM]
#	TIME CPU stack PID TID ADDRESS SIZE [VALID]: a sample with a copied stack
#
# FORK, COMM and EXIT are in tasks.jsonl, too; OBJECT and MEMORY are there alone.
# Options:
#
#	--growing    as a recorder leaves it that was killed
#	--clock=N    the clock of the events
#	--unnamed    events that promise no identifier in their records
#	--container=N   pids of tracepoints are larger by N
#	--machine    samples are of the whole machine
#	--swap       as written by a machine of the other byte order
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my %option;
while (@ARGV && $ARGV[0] =~ /^--(\w+)(?:=(.*))?$/) {
	$option{$1} = $2 // 1;
	shift @ARGV;
}
my $dir = shift @ARGV or die "usage: kernel.perl DIR\n";

use constant {
	START_MONO => 5_000_000_000, START_WALL => 1_700_000_000_000_000_000,
	COMM => 3, EXIT => 4, FORK => 7, READ => 8, SAMPLE => 9, SWITCH => 14,
	LOST => 2, MMAP2 => 10, MISC_EXEC => 1 << 13, MISC_OUT => 1 << 13,
	MISC_PREEMPTED => 1 << 14,
	# IDENTIFIER | CPU | TIME | TID, and CALLCHAIN | RAW | PERIOD | IP
	FIELDS => 1 << 16 | 1 << 7 | 1 << 2 | 1 << 1,
	SAMPLE_FIELDS => 1 << 10 | 1 << 8 | 1 << 5 | 1,
	# SP and IP of x86-64, REGS_USER | STACK_USER
	REGISTERS => 1 << 7 | 1 << 8, STACK_FIELDS => 1 << 12 | 1 << 13,
	NR_CPUS => 2, SWITCH_CONFIG => 370, WAKING_CONFIG => 371,
};

my (@ring, @tasks, %function);
my @events = (
	{ type => 1, config => 1, sample => FIELDS, size => 8 },
	{ type => 2, config => SWITCH_CONFIG, sample => FIELDS | SAMPLE_FIELDS },
	{ type => 2, config => WAKING_CONFIG, sample => FIELDS | SAMPLE_FIELDS },
	{ type => 1, config => 1, sample => FIELDS | SAMPLE_FIELDS,
	  period => 1_000_000 },
	{ type => 1, config => 1, period => 1_000_000,
	  sample => FIELDS | SAMPLE_FIELDS & ~(1 << 10) | STACK_FIELDS },
);

sub id { return 100 + $_[0] * 10 + $_[1] }

# Append a record whose last fields are those that every record has.
sub record {
	my ($r, $type, $misc, $body) = @_;
	my $end = pack 'llQLLQ', $r->{pid}, $r->{tid}, $r->{ns}, $r->{cpu}, 0,
		id(0, $r->{cpu});
	$ring[$r->{cpu}] .= pack('LSS', $type, $misc,
		8 + length($body) + length $end) . $body . $end;
}

# Append a sample of an event, with the functions that were called, innermost
# first, and the tracepoint's data.
sub sample {
	my ($r, $event, $functions, $raw) = @_;
	$raw .= "\0" x (-(4 + length $raw) & 7);
	my $body = pack('QQllQLLQ', id($event, $r->{cpu}), 0, $r->{pid},
			$r->{tid}, $r->{ns}, $r->{cpu}, 0, 1) .
		pack('Q Q*', scalar @$functions,
			map { address($_) } @$functions) .
		pack('L a*', length $raw, $raw);
	$ring[$r->{cpu}] .= pack('LSS', SAMPLE, 1, 8 + length $body) . $body;
}

# Append a sample of the CPU time: the number of its addresses, the addresses,
# and the data that follow.
sub profile {
	my ($r, $event, $nr, $addresses, $rest) = @_;
	my $body = pack('QQllQLLQ', id($event, $r->{cpu}), 0, $r->{pid},
			$r->{tid}, $r->{ns}, $r->{cpu}, 0, 1) .
		pack('Q Q*', $nr, @$addresses) . $rest;
	$ring[$r->{cpu}] .= pack('LSS', SAMPLE, 1, 8 + length $body) . $body;
}

# Return an address in the function; "kernel" is the marker before addresses of
# the kernel.
sub address {
	my ($name) = @_;
	return 0xffffffffffffff80 if $name eq 'kernel';
	$function{$name} //= 0xffffffff81000000 + 256 * keys %function;
	return $function{$name} + 17;
}

sub global {
	my ($tid) = @_;
	return $tid && $tid + ($option{container} // 0);
}

sub task {
	my ($type, $r, %more) = @_;
	push @tasks, '{' . join(',', qq("type":"$type"), qq("time_ns":$r->{ns}),
		map { qq("$_":$more{$_}) } sort keys %more) . "}\n";
}

sub switched {
	my ($r, $state, $prev, $next, $comm, $functions) = @_;
	sample($r, 1, [split /,/, $functions // ''],
		pack 'SCCl a16 l l q a16 l l', SWITCH_CONFIG, 0, 0,
		global($r->{tid}), $prev, global($r->{tid}), 120, $state,
		$comm, global($next), 120);
}

my %kinds = (
	fork => sub {
		my ($r, $ppid, $ptid) = @_;
		record({ %$r, pid => $ppid, tid => $ptid }, FORK, 0,
			pack 'llllQ', $r->{pid}, $ppid, $r->{tid}, $ptid, $r->{ns});
		task('fork', $r, pid => $r->{pid}, tid => $r->{tid},
			ppid => $ppid, ptid => $ptid);
	},
	found => sub {
		my ($r, $name, $state, $function) = @_;
		task('fork', $r, pid => $r->{pid}, tid => $r->{tid}, ppid => 1,
			ptid => 1, begun_ns => START_MONO - 1e9,
			state => qq("$state"),
			$function ? (wchan => qq("$function")) : ());
		record($r, COMM, 0, pack('ll', $r->{pid}, $r->{tid}) . $name .
			"\0" x (8 - length($name) % 8));
	},
	exit => sub {
		my ($r) = @_;
		record($r, EXIT, 0, pack 'llllQ', $r->{pid}, 1, $r->{tid}, 1,
			$r->{ns});
		task('exit', $r, pid => $r->{pid}, tid => $r->{tid}, ppid => 1,
			ptid => 1);
	},
	comm => sub {
		my ($r, $name, $exec) = @_;
		$name =~ s/%([0-9a-f]{2})/chr hex $1/ge;
		record($r, COMM, $exec ? MISC_EXEC : 0, pack('ll', $r->{pid},
			$r->{tid}) . $name . "\0" x (8 - length($name) % 8));
		task('comm', $r, pid => $r->{pid}, tid => $r->{tid},
			comm => qq("$name"), $exec ? (exec => 'true') : ())
			if $name =~ /^[ -~]*$/;
	},
	in => sub { record($_[0], SWITCH, 0, '') },
	out => sub {
		record($_[0], SWITCH, MISC_OUT | ($_[1] ? MISC_PREEMPTED : 0), '');
	},
	read => sub {
		my ($r, $ns) = @_;
		record($r, READ, 0, pack 'llQQ', $r->{pid}, $r->{tid}, $ns, 1);
	},
	switch => sub { switched($_[0], 1, 'prev', @_[1 .. $#_]) },
	preempt => sub { switched($_[0], 0x100, 'prev', @_[1 .. $#_]) },
	die => sub { switched($_[0], 0x20, 'prev', @_[1 .. $#_]) },
	turn => sub { switched($_[0], 1, @_[1 .. $#_]) },
	object => sub {
		my ($r, $since, $known, @fields) = @_;
		my @names = qw(call what name peer number others host);
		my %more = map { ($names[$_] => $names[$_] =~ /^(peer|number)$/ ?
			$fields[$_] : qq("$fields[$_]")) }
			grep { $fields[$_] ne '-' } 0 .. $#fields;
		task('object', $r, pid => $r->{pid}, tid => $r->{tid},
			since_ns => START_MONO + 1000 * $since,
			$known ne '-' ?
				(known_ns => START_MONO + 1000 * $known) : (),
			map { s/%([0-9a-f]{2})/chr hex $1/ger } %more);
	},
	memory => sub {
		my ($r, $share) = @_;
		task('memory', $r, pid => $r->{pid},
			($r->{pid} ? 'rss_bytes' : 'tree_bytes') =>
				1024 * $r->{tid},
			$share ? (pss_bytes => 1024 * $share) : ());
	},
	map => sub {
		my ($r, $addr, $len, $file, $data) = @_;
		record($r, MMAP2, 0, pack('llQQQLLQQLL', $r->{pid}, $r->{tid},
			hex $addr, hex $len, 0, 0, 0, 0, 0, $data ? 3 : 5, 2) .
			$file . "\0" x (8 - length($file) % 8));
	},
	sample => sub {
		my ($r, $addresses, $nr) = @_;
		my @list = map { hex } split /,/, $addresses;
		profile($r, 3, $nr // 1 + @list,
			[0xfffffffffffffe00, @list], pack 'LL', 4, 0);
	},
	stack => sub {
		my ($r, $address, $size, $valid) = @_;
		profile($r, 4, 0, [], pack 'QQQ Q a64 Q', 2, 0x7000,
			hex $address, $size, '', $valid // $size);
	},
	waking => sub {
		my ($r, $tid, $interrupt, $held) = @_;
		my %flags = (hardirq => 0x08, softirq => 0x10);
		sample($r, 2, [], pack 'SCCl a16 l l l', WAKING_CONFIG,
			$interrupt ? $flags{$interrupt} : 0, $held // 0,
			global($r->{tid}), 'woken', global($tid), 120, 0);
	},
);

# Return the lines that a short form stands for.
sub expand {
	local ($_) = @_;
	my @begin = ('0 0 fork 10 10 1 1', '0 0 in 10 10');
	return @begin if /^begin$/;
	return (@begin, "1 0 comm 10 10 $1 exec") if /^top (\S+)/;
	return ("$1 in $2", "$1 comm $2 $3 exec")
		if /^(\S+ \S+) run (\S+ \S+) (\S+)/;
	return ($_) unless /^(\S+ \S+) (sleep|lose) (\S+ \S+)(.*)/;
	return ("$1 preempt $3$4", "$1 out $3 preempted") if $2 eq 'lose';
	return ("$1 switch $3$4", "$1 out $3");
}

for (map { expand($_) } <STDIN>) {
	my ($time, $cpu, $kind, $pid, $tid, @rest) = split;
	next unless defined $kind;
	my $r = { ns => START_MONO + 1000 * $time, cpu => $cpu };
	if ($kind eq 'lost') {
		record({ %$r, pid => 0, tid => 0 }, LOST, 0,
			pack 'QQ', id(0, $cpu), $pid);
		next;
	}
	my $make = $kinds{$kind} or die "kernel.perl: no record '$kind'\n";
	$make->({ %$r, pid => $pid, tid => $tid }, @rest);
}

sub put {
	my ($name, $text) = @_;
	open my $f, '>:raw', "$dir/$name" or die "$dir/$name: $!\n";
	print $f $text;
	close $f or die "$dir/$name: $!\n";
}

# The formats of tracepoints, as perf copies them from the kernel.
sub format_of {
	my ($name, $id, @fields) = @_;
	my $text = "name: $name\nID: $id\nformat:\n";
	my $at = 0;
	for (['unsigned short common_type', 2], ['unsigned char common_flags', 1],
		['unsigned char common_preempt_count', 1], ['int common_pid', 4],
		@fields) {
		my ($field, $size) = @$_;
		$text .= "\tfield:$field;\toffset:$at;\tsize:$size;\tsigned:0;\n";
		$at += $size;
	}
	return pack 'Q a*', length $text, $text;
}

sub tracing_data {
	my $zero = pack 'Q', 0;
	return "\x17\x08\x44tracing" . "0.5\0" . "\0" . "\x08" .
		pack('L', 4096) . "header_page\0$zero" . "header_event\0$zero" .
		pack('L', 0) . pack('L', 1) . "sched\0" . pack('L', 2) .
		format_of('sched_switch', SWITCH_CONFIG,
			['char prev_comm[16]', 16], ['pid_t prev_pid', 4],
			['int prev_prio', 4], ['long prev_state', 8],
			['char next_comm[16]', 16], ['pid_t next_pid', 4],
			['int next_prio', 4]) .
		format_of('sched_waking', WAKING_CONFIG,
			['char comm[16]', 16], ['pid_t pid', 4],
			['int prio', 4], ['int target_cpu', 4]) .
		pack('L', 0) . pack('Q', 0) . pack('L', 0);
}

mkdir $dir;
mkdir "$dir/events";
my $clock = $option{clock} // 1;
my $header_size = 8 + 8 + 8 + 16 * 3 + 32;
my ($attrs, $ids) = ('', '');
for my $i (0 .. $#events) {
	my $e = $events[$i];
	# inherit, sample_id_all, use_clockid; read_format ID
	my $inherit = $option{machine} && ($i == 1 || $i == 2) ? 0 : 1 << 1;
	my $attr = pack 'LLQQQQQLLQQQQLLQ', $e->{type}, 112, $e->{config},
		$e->{period} // 1,
		$option{unnamed} ? $e->{sample} & ~(1 << 16) : $e->{sample},
		4, $inherit | 1 << 18 | 1 << 25, 0, 0, 0,
		0, 0, $e->{sample} & STACK_FIELDS ? REGISTERS : 0, 64, $clock, 0;
	$attrs .= $attr . pack 'QQ', $header_size + length $ids, 8 * NR_CPUS;
	$ids .= pack 'Q*', map { id($i, $_) } 0 .. NR_CPUS - 1;
}
my $data = join '', map { $_ // '' } @ring;
my $data_at = $header_size + length($ids) + length $attrs;
my $tracing = tracing_data();
my $header = ($option{swap} ? '2ELIFREP' : 'PERFILE2') .
	pack 'QQ QQ QQ QQ QQQQ', $header_size, length($attrs) / @events,
	$header_size + length $ids, length $attrs,
	$data_at, $option{growing} ? 0 : length $data, 0, 0,
	$option{growing} ? 0 : 1 << 1, 0, 0, 0;
my $features = pack 'QQ', $data_at + length($data) + 16, length $tracing;
put('kernel.data', $header . $ids . $attrs . $data .
	($option{growing} ? '' : $features . $tracing));
put('kernel.symbols', join '', map {
	sprintf "%016x t %s\n", $function{$_}, $_
} sort { $function{$a} <=> $function{$b} } keys %function);
put('tasks.jsonl', join '', @tasks);
put('meta.json', sprintf '{"format":"trace2-recording","version":1,' .
	'"state":"%s","command":["test"],"command_pid":10,' .
	'"start_wall_ns":%d,"start_monotonic_ns":%d,"task_records":"kernel"}' .
	"\n", $option{growing} ? 'running' : 'complete', START_WALL, START_MONO);
