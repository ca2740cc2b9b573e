# SPDX-License-Identifier: MIT
#
# Make each test script that prove runs a session of Trace2, if GIT_TRACE2_EVENT
# is set, in whatever language the script is written. The lines of TAP that the
# script prints show its tests. Each test becomes a region test/NUMBER - TITLE
# with the data test/result, from the line of the test before to its own line.
# The result of the script itself is the data test/script (ok, failed or
# skipped), with an error for each reason that prove gives.
#
#	trace2 record -- prove -PTrace2 -j2 t/
#
# The destination is a file or a directory; other destinations are left to the
# scripts.
package App::Prove::Plugin::Trace2;

use strict;
use warnings;

use Digest::SHA 'sha1_hex';
use Errno;
use File::Basename;
use POSIX 'strftime';
use Scalar::Util;
use Sys::Hostname;
use TAP::Harness;
use TAP::Parser::Iterator::Process;
use TAP::Parser::Multiplexer;
use Time::HiRes;

my $MICRO = 1_000_000;
my $MOST_REASONS = 5; # prove's own number

sub load {
	my ($class, $prove) = @_;
	my $to = $ENV{GIT_TRACE2_EVENT} // '';
	return if $to !~ m{^/};
	# A harness that reports itself need not do so: prove does.
	$ENV{TRACE2_PROVE} = 1;
	my $app = $prove->{app_prove};
	my $ours = 'App::Prove::Plugin::Trace2::Harness';
	return if ($app->{harness_class} // '') eq $ours; # it is named twice
	my $above = $app->{harness_class} || $ENV{HARNESS_SUBCLASS} || 'TAP::Harness';
	eval "require $above" or die $@ if !$above->can('new');
	@App::Prove::Plugin::Trace2::Harness::ISA = $above;
	$INC{'App/Prove/Plugin/Trace2/Harness.pm'} = __FILE__;
	$app->{harness_class} = $ours;
}

# ----------------------------------------------------------------------------
# A session

sub new {
	my ($class, $script, $pid) = @_;
	my $self = bless { start => Time::HiRes::time }, $class;
	$self->{last} = $self->{start};
	my $own = sprintf '%s-H%s-P%08x', utc($self->{start}, '%Y%m%dT%H%M%S'),
		substr(sha1_hex(hostname()), 0, 8), $pid;
	my $to = $ENV{GIT_TRACE2_EVENT};
	$to = "$to/$own" if -d $to;
	return if -e $to && !-f _ && !-c _;
	open $self->{out}, '>>', $to or return;
	my $above = $ENV{GIT_TRACE2_PARENT_SID} // '';
	$self->{sid} = text(length $above ? "$above/$own" : $own);
	my $name = text(basename($script));
	$self->emit('version', $self->{start}, '"evt":"4","exe":"unknown"');
	$self->emit('start', $self->{start},
		    '"t_abs":0.000000,"argv":["' . text($script) . '"]');
	$self->emit('cmd_name', $self->{start},
		    "\"name\":\"$name\",\"hierarchy\":\"$name\"");
	return $self;
}

# Format a time with microseconds, as UTC.
sub utc {
	my ($time, $format) = @_;
	my $us = int(($time - int $time) * $MICRO);
	return strftime($format, gmtime $time) . sprintf('.%06dZ', $us);
}

# Format the time of an event. Most events are in the same second as the one
# before.
{
	my ($second, $text) = (0, '');

	sub event_time {
		my ($time) = @_;
		my $now = int $time;
		($second, $text) = ($now, strftime('%Y-%m-%dT%H:%M:%S', gmtime $now))
			if $now != $second;
		return sprintf '%s.%06dZ', $text, ($time - $now) * $MICRO;
	}
}

# A character of UTF-8 that is not in ASCII.
my $UTF8 = qr/[\xc2-\xdf][\x80-\xbf]
	| \xe0[\xa0-\xbf][\x80-\xbf] | \xed[\x80-\x9f][\x80-\xbf]
	| [\xe1-\xec\xee\xef][\x80-\xbf]{2}
	| \xf0[\x90-\xbf][\x80-\xbf]{2} | \xf4[\x80-\x8f][\x80-\xbf]{2}
	| [\xf1-\xf3][\x80-\xbf]{3}/x;

# Return the inside of a JSON string as bytes; each invalid byte becomes U+FFFD.
# After "TAP version 13" prove has characters, otherwise bytes.
sub text {
	my ($text) = @_;
	utf8::encode($text) if utf8::is_utf8($text);
	return $text if $text !~ /[^ !#-\[\]-~]/;
	$text =~ s/($UTF8)|[\x80-\xff]/$1 \/\/ "\xef\xbf\xbd"/ge;
	$text =~ s/(["\\])/\\$1/g;
	$text =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
	return $text;
}

sub event {
	my ($self, $event, $time, $members) = @_;
	return "{\"event\":\"$event\",\"sid\":\"$self->{sid}\",\"thread\":\"main\"," .
		'"time":"' . event_time($time) . "\",$members}\n";
}

# Write all lines by one call, since scripts may share a file. prove continues
# if the size of files is limited.
sub put {
	my ($self, $events) = @_;
	local $SIG{XFSZ} = 'IGNORE';
	syswrite $self->{out}, $events;
	return;
}

sub emit {
	my $self = shift;
	$self->put($self->event(@_));
	return;
}

# Return the result by the rules of prove: "not ok # skip" has failed, and so
# has a test beyond the plan.
sub result_of {
	my ($test) = @_;
	return 'failed' if !$test->is_ok;
	return 'skipped' if $test->has_skip;
	return $test->is_actual_ok ? 'fixed' : 'broken' if $test->has_todo;
	return 'ok';
}

# Write the events of a test, which ends when its line arrives.
sub test {
	my ($self, $test) = @_;
	my ($from, $to) = ($self->{last}, $self->{lines}{at} // Time::HiRes::time);
	my $label = text(join ' ', grep { length } $test->number,
			 $test->description);
	my $name = "\"category\":\"test\",\"label\":\"$label\"";
	my $result = result_of($test);
	my $took = sprintf '%.6f', $to - $from;
	$self->{last} = $to;
	my $events = $self->event('region_enter', $from, "\"nesting\":1,$name");
	my $said = $test->is_actual_ok ? 'not planned: ok' : 'not ok';
	$events .= $self->event('error', $to,
				"\"msg\":\"$said $label\",\"fmt\":\"$said $label\"")
		if $result eq 'failed';
	$events .= $self->event('data', $to, sprintf '"t_abs":%.6f,"t_rel":%s,' .
			'"nesting":2,"category":"test","key":"result","value":"%s"',
			$to - $self->{start}, $took, $result);
	$events .= $self->event('region_leave', $to,
				"\"t_rel\":$took,\"nesting\":1,$name");
	$self->put($events);
	return;
}

# Return the reasons, other than failed tests, why prove says that a script
# failed. If only planned tests failed, the exit code is not a reason of its
# own.
sub reasons {
	my ($self, $parser) = @_;
	my $wait = $parser->ignore_exit ? 0 : $parser->wait // 0;
	my @wrong = $parser->parse_errors;
	my $nr = @wrong;
	splice @wrong, $MOST_REASONS, $nr, 'and ' . ($nr - $MOST_REASONS) . ' more'
		if $nr > $MOST_REASONS;
	unshift @wrong, $self->{bailout} if defined $self->{bailout};
	unshift @wrong, 'exited with ' . ($wait >> 8)
		if $wait >> 8 && (@wrong || !$parser->failed);
	unshift @wrong, 'killed by signal ' . ($wait & 127) if $wait & 127;
	return @wrong;
}

sub end {
	my ($self, $parser) = @_;
	my ($now, $wait) = (Time::HiRes::time, $parser->wait);
	my $events = '';
	my @reasons = $self->reasons($parser);
	for my $reason (map { text($_) } @reasons) {
		$events .= $self->event('error', $now,
					"\"msg\":\"$reason\",\"fmt\":\"$reason\"");
	}
	my $result = @reasons || $parser->has_problems ? 'failed' :
		$parser->skip_all ? 'skipped' : 'ok';
	my $abs = sprintf '"t_abs":%.6f', $now - $self->{start};
	(my $rel = $abs) =~ s/abs/rel/;
	$events .= $self->event('data', $now, "$abs,$rel,\"nesting\":1," .
				"\"category\":\"test\",\"key\":\"script\",\"value\":\"$result\"");
	# prove does not wait for the end of a script that bails out.
	if (defined $wait) {
		my $code = $wait & 127 ? 128 + ($wait & 127) : $wait >> 8;
		$events .= $self->event($_, $now, "$abs,\"code\":$code")
			for 'exit', 'atexit';
	}
	$self->put($events);
	# Close the file: prove keeps each parser, with its callbacks.
	close $self->{out};
}

# ----------------------------------------------------------------------------
# Read the output of scripts as soon as it is there, and note the times of its
# lines. prove itself reads a chunk of a script, and reads on only after it has
# handled all lines of the chunk.

package App::Prove::Plugin::Trace2::Lines;

our @ISA = 'TAP::Parser::Iterator::Process';

# Read at most this far ahead of prove: the rest stays in the pipe.
my $MOST_BYTES = 1 << 20;

# prove is interrupted this often to read new output.
my $PAUSE = 0.0005;

my @all; # weak: an iterator may go before its end
my $looked = 0;

# Take over an iterator that has read nothing. Return false if the iterator is
# not of the expected kind.
sub take_over {
	my ($class, $iterator) = @_;
	return if ref $iterator ne 'TAP::Parser::Iterator::Process' ||
		$^O =~ /^(?:MSWin32|VMS)$/i || $iterator->{_next};
	my ($out, $err) = @$iterator{'out', 'err'};
	my @handles = grep { $_ } $out, $err;
	return if !$out || grep { !defined fileno $_ } @handles;
	$iterator->{trace2} = {
		open => \@handles, err => $err || 0, queue => [], bytes => 0,
		partial => '', size => $iterator->{chunk_size} || 65536,
		at => undef, utf8 => 0,
		# prove drops empty lines at the end of a chunk, unless it reads
		# both outputs from one pipe.
		empty => $err ? 0 : -1,
	};
	push @all, $iterator->{trace2};
	Scalar::Util::weaken($all[-1]);
	return bless $iterator, $class;
}

# Read a chunk. An entry of the queue is: its time, its size, text for the
# standard error of prove, or else its lines.
sub fill {
	my ($lines, $handle, $now) = @_;
	my $got = sysread $handle, my $chunk, $lines->{size};
	return if !defined $got && ($!{EINTR} || $!{EAGAIN});
	if (!$got) {
		@{$lines->{open}} = grep { $_ != $handle } @{$lines->{open}};
		push @{$lines->{queue}}, [$now, 0, undef, $lines->{partial}]
			if !@{$lines->{open}} && length $lines->{partial};
		return;
	}
	if ($handle == $lines->{err}) {
		push @{$lines->{queue}}, [$now, $got, $chunk];
		$lines->{bytes} += $got;
		return;
	}
	my $end = rindex $chunk, "\n";
	if ($end < 0) {
		$lines->{partial} .= $chunk;
		return;
	}
	my @lines = split /\n/, $lines->{partial} . substr($chunk, 0, $end + 1),
		$lines->{empty};
	pop @lines if $lines->{empty};
	$lines->{partial} = substr $chunk, $end + 1;
	return if !@lines;
	push @{$lines->{queue}}, [$now, $got, undef, @lines];
	$lines->{bytes} += $got;
}

# Read what all scripts have printed. Without a TIMEOUT, wait. OTHERS: a bit for
# each other file to wait for; return the bits of those that are ready.
sub look {
	my ($timeout, $others) = @_;
	my $bits = $others // '';
	@all = grep { $_ && @{$_->{open}} } @all;
	Scalar::Util::weaken($_) for @all;
	my @from = grep { $_->{bytes} < $MOST_BYTES } @all;
	for my $lines (@from) {
		vec($bits, fileno $_, 1) = 1 for @{$lines->{open}};
	}
	my $nr = select $bits, undef, undef, $timeout;
	$looked = Time::HiRes::time;
	if ($nr < 0) {
		# Treat an error as the end, as prove does.
		@{$_->{open}} = () for $!{EINTR} ? () : @from;
		return '';
	}
	return '' if !$nr;
	for my $lines (@from) {
		vec($bits, fileno $_, 1) && fill($lines, $_, $looked)
			for @{[@{$lines->{open}}]};
	}
	return $bits;
}

# Look, unless the last look was less than $PAUSE ago.
sub glance {
	look(0) if abs(Time::HiRes::time() - $looked) > $PAUSE;
}

# Print text for standard error; return whether a line, or the end, is there.
sub has_next {
	my ($lines) = @_;
	my $queue = $lines->{queue};
	while (@$queue && defined $queue->[0][2]) {
		my $entry = shift @$queue;
		$lines->{bytes} -= $entry->[1];
		print STDERR $entry->[2];
	}
	return @$queue || !@{$lines->{open}};
}

sub next_raw {
	my ($self) = @_;
	my $lines = $self->{trace2};
	glance();
	look() until has_next($lines);
	my $entry = $lines->{queue}[0];
	if (!$entry) {
		$self->_finish if !$lines->{finished}++;
		return;
	}
	$lines->{at} = $entry->[0];
	my $line = splice @$entry, 3, 1;
	if (@$entry == 3) {
		shift @{$lines->{queue}};
		$lines->{bytes} -= $entry->[1];
	}
	$line = decode($line, $lines) for 1 .. $lines->{utf8};
	return $line;
}

# Decode as prove does, since prove relies on it. prove decodes a line twice if
# both its option and the script ask for version 13.
sub decode {
	my ($line, $lines) = @_;
	return Encode::decode_utf8($line) if $lines->{err};
	Encode::_utf8_on($line);
	return $line;
}

sub handle_unicode {
	my ($self) = @_;
	$self->{trace2}{utf8}++ if eval { require Encode };
}

# ----------------------------------------------------------------------------
# prove -j: return a result of any script that has one. prove itself waits until
# a file can be read, although it has more lines of earlier reads.

package App::Prove::Plugin::Trace2::Multiplexer;

our @ISA = 'TAP::Parser::Multiplexer';

sub add {
	my ($self, $parser, $stash) = @_;
	my $iterator = App::Prove::Plugin::Trace2::Harness::iterator($parser);
	return $self->SUPER::add($parser, $stash)
		if ref $iterator ne 'App::Prove::Plugin::Trace2::Lines';
	push @{$self->{trace2}}, [$parser, $stash, $iterator->{trace2}];
}

sub parsers {
	my ($self) = @_;
	return $self->SUPER::parsers() + @{$self->{trace2} || []};
}

# Return the bits of files that are not outputs of scripts, such as sockets.
sub others {
	my ($self) = @_;
	my $bits = '';
	vec($bits, fileno $_->[0], 1) = 1
		for $self->{select} ? $self->{select}->handles : ();
	return $bits;
}

sub next {
	my ($self) = @_;
	my $all = $self->{trace2} || [];
	return $self->SUPER::next() if !@$all || @{$self->{avid} || []};
	my $others = $self->others;
	App::Prove::Plugin::Trace2::Lines::glance();
	while (1) {
		# Let the scripts take turns.
		for (1 .. @$all) {
			push @$all, shift @$all;
			my ($parser, $stash, $lines) = @{$all->[-1]};
			next if !App::Prove::Plugin::Trace2::Lines::has_next($lines);
			my $result = $parser->next;
			pop @$all if !defined $result;
			return ($parser, $stash, $result);
		}
		my $ready = App::Prove::Plugin::Trace2::Lines::look(undef, $others);
		return $self->SUPER::next() if ($ready & $others) =~ /[^\0]/;
	}
}

# ----------------------------------------------------------------------------
# The harness of prove: begin and end a session with each script.

package App::Prove::Plugin::Trace2::Harness;

# Return the iterator; old versions of prove call it a stream.
sub iterator {
	my ($parser) = @_;
	my $get = $parser->can('_iterator') || $parser->can('_stream') or return;
	return $parser->$get;
}

sub multiplexer_class {
	my ($self, @set) = @_;
	my $class = $self->SUPER::multiplexer_class(@set);
	return ($class // '') eq 'TAP::Parser::Multiplexer'
		? 'App::Prove::Plugin::Trace2::Multiplexer' : $class;
}

# Return whether the multiplexer, if there is one, knows lines that were read
# before.
sub knows_lines {
	my ($self) = @_;
	return 1 if $self->jobs < 2;
	return TAP::Harness->can('multiplexer_class') &&
		$self->multiplexer_class eq 'App::Prove::Plugin::Trace2::Multiplexer';
}

sub make_parser {
	my ($self, $job) = @_;
	# Read now: the start of a script takes long enough for others to print
	# lines.
	App::Prove::Plugin::Trace2::Lines::glance();
	my ($parser, @more) = $self->SUPER::make_parser($job);
	my $iterator = iterator($parser);
	my $pid = $iterator && $iterator->{pid};
	my $session = $pid && App::Prove::Plugin::Trace2->new($job->filename, $pid);
	if ($session) {
		$session->{lines} = $iterator->{trace2}
			if $self->knows_lines &&
			App::Prove::Plugin::Trace2::Lines->take_over($iterator);
		$parser->{trace2_session} = $session;
		$parser->callback(test => sub { $session->test($_[0]) });
		$parser->callback(bailout => sub {
			$session->{bailout} = join ' ', 'Bail out!',
				grep { length } $_[0]->explanation;
		});
	}
	App::Prove::Plugin::Trace2::Lines::glance();
	return ($parser, @more);
}

sub finish_parser {
	my ($self, $parser, @more) = @_;
	my $session = delete $parser->{trace2_session};
	$session->end($parser) if $session;
	return $self->SUPER::finish_parser($parser, @more);
}

1;
