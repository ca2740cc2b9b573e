# SPDX-License-Identifier: MIT
#
# Below GIT_TRACE2_EVENT, a test script that prove runs is a session of Trace2,
# whatever it is written in: from the lines of TAP that it prints, each test
# becomes a region test/NUMBER - TITLE with the data test/result, from the line
# before to its own.
#
#	trace2 record -- prove -PTrace2 -j2 t/
#
# A file or a directory is a destination; others are left to the scripts.
package App::Prove::Plugin::Trace2;

use strict;
use warnings;

use Digest::SHA 'sha1_hex';
use File::Basename;
use POSIX 'strftime';
use Sys::Hostname;
use TAP::Harness;
use Time::HiRes;

my $MICRO = 1_000_000;

sub load {
	my ($class, $prove) = @_;
	my $to = $ENV{GIT_TRACE2_EVENT} // '';
	return if $to !~ m{^/};
	# A harness that reports itself need not.
	$ENV{TRACE2_PROVE} = 1;
	my $app = $prove->{app_prove};
	@App::Prove::Plugin::Trace2::Harness::ISA =
		$app->{harness_class} // $ENV{HARNESS_SUBCLASS} // 'TAP::Harness';
	$INC{'App/Prove/Plugin/Trace2/Harness.pm'} = __FILE__;
	$app->{harness_class} = 'App::Prove::Plugin::Trace2::Harness';
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

# A character of UTF-8 that is none of ASCII.
my $UTF8 = qr/[\xc2-\xdf][\x80-\xbf]
	| \xe0[\xa0-\xbf][\x80-\xbf] | \xed[\x80-\x9f][\x80-\xbf]
	| [\xe1-\xec\xee\xef][\x80-\xbf]{2}
	| \xf0[\x90-\xbf][\x80-\xbf]{2} | \xf4[\x80-\x8f][\x80-\xbf]{2}
	| [\xf1-\xf3][\x80-\xbf]{3}/x;

# The inside of a JSON string, as bytes: each invalid one is U+FFFD. prove has
# characters after "TAP version 13", and bytes otherwise.
sub text {
	my ($text) = @_;
	utf8::encode($text) if utf8::is_utf8($text);
	return $text if $text !~ /[^ !#-\[\]-~]/;
	$text =~ s/($UTF8)|[\x80-\xff]/$1 \/\/ "\xef\xbf\xbd"/ge;
	$text =~ s/(["\\])/\\$1/g;
	$text =~ s/([\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
	return $text;
}

# A line is written at once: scripts may share a file.
sub emit {
	my ($self, $event, $time, $members) = @_;
	syswrite $self->{out}, sprintf
		'{"event":"%s","sid":"%s","thread":"main","time":"%s",%s}' . "\n",
		$event, $self->{sid}, utc($time, '%Y-%m-%dT%H:%M:%S'), $members;
}

sub result_of {
	my ($test) = @_;
	return 'skipped' if $test->has_skip;
	return $test->is_actual_ok ? 'fixed' : 'broken' if $test->has_todo;
	return $test->is_ok ? 'ok' : 'failed';
}

# A test has ended now.
sub test {
	my ($self, $test) = @_;
	my ($from, $to) = ($self->{last}, Time::HiRes::time);
	my $label = text(join ' ', grep { length } $test->number,
			 $test->description);
	my $name = "\"category\":\"test\",\"label\":\"$label\"";
	my $result = result_of($test);
	$self->{last} = $to;
	$self->emit('region_enter', $from, "\"nesting\":1,$name");
	$self->emit('error', $to, "\"msg\":\"not ok $label\",\"fmt\":\"not ok $label\"")
		if $result eq 'failed';
	$self->emit('data', $to, sprintf '"t_abs":%.6f,"t_rel":%.6f,"nesting":2,' .
		    '"category":"test","key":"result","value":"%s"',
		    $to - $self->{start}, $to - $from, $result);
	$self->emit('region_leave', $to, sprintf '"t_rel":%.6f,"nesting":1,%s',
		    $to - $from, $name);
}

sub end {
	my ($self, $wait) = @_;
	my $now = Time::HiRes::time;
	my $code = sprintf '"t_abs":%.6f,"code":%d', $now - $self->{start},
		$wait & 127 ? 128 + ($wait & 127) : $wait >> 8;
	$self->emit($_, $now, $code) for 'exit', 'atexit';
}

# ----------------------------------------------------------------------------
# The harness of prove, which begins and ends a session with each script

package App::Prove::Plugin::Trace2::Harness;

sub make_parser {
	my ($self, $job) = @_;
	my ($parser, @more) = $self->SUPER::make_parser($job);
	my $pid = $parser->_iterator->{pid};
	my $session = $pid && App::Prove::Plugin::Trace2->new($job->filename, $pid);
	if ($session) {
		$parser->{trace2_session} = $session;
		$parser->callback(test => sub { $session->test($_[0]) });
	}
	return ($parser, @more);
}

sub finish_parser {
	my ($self, $parser, @more) = @_;
	my $session = delete $parser->{trace2_session};
	$session->end($parser->wait // 0) if $session;
	return $self->SUPER::finish_parser($parser, @more);
}

1;
