# SPDX-License-Identifier: MIT
#
# A headless Chromium, controlled through ChromeDriver by the W3C's WebDriver
# protocol: real clicks and keys, using only Perl's core modules.
#
#	my $owner = WebDriver->new;
#	my $b = WebDriver->attach($owner->url, width => 1280, height => 900, dark => 0);
#	$b->open('/path/page.html');
#	$b->text('#summary'); $b->click('#next'); $b->type('#query', 'index');
#	$b->keys(qw(ArrowDown Enter));		to the focused element
#	$b->js('return document.title');	awaits promises
#	$b->screenshot('shot.png');
#
# All failures die. Chromium and its profile are removed with the object of new();
# other processes may attach to it before, one after the other.
package WebDriver;

use strict;
use warnings;

use File::Path qw(remove_tree);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my %KEY = (
	Enter => "\x{e007}", Escape => "\x{e00c}", ' ' => ' ', Tab => "\x{e004}",
	Shift => "\x{e008}", Control => "\x{e009}", Home => "\x{e011}",
	ArrowLeft => "\x{e012}", ArrowUp => "\x{e013}",
	ArrowRight => "\x{e014}", ArrowDown => "\x{e015}",
);
my $nr = 0;
my $ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

sub new {
	my ($class) = @_;
	my $b = bless {}, $class;
	# Identifies all processes that it starts.
	$b->{mark} = "TRACE2_TEST_BROWSER=$$." . ++$nr;
	local $ENV{TRACE2_TEST_BROWSER} = "$$.$nr";
	# If it is killed, it leaves sockets and unpacked files there.
	$b->{tmp} = tempdir('trace2-browser-XXXXXX', TMPDIR => 1);
	local $ENV{TMPDIR} = $b->{tmp};
	$b->{pid} = open $b->{driver}, '-|', 'chromedriver', '--port=0'
		or die "chromedriver: $!\n";
	while (readline $b->{driver}) {
		next if !/started successfully on port (\d+)/;
		$b->{url} = "http://127.0.0.1:$1/session";
		last;
	}
	die "chromedriver did not start\n" if !$b->{url};
	my @args = ('--headless=new', '--no-sandbox', '--disable-gpu',
		    '--disable-dev-shm-usage', '--hide-scrollbars',
		    '--force-device-scale-factor=1');
	my $session = $b->call(POST => '', { capabilities => { alwaysMatch => {
		'goog:chromeOptions' => { args => \@args },
		'goog:loggingPrefs' => { browser => 'ALL', performance => 'ALL' },
	} } });
	$b->{url} .= "/$session->{sessionId}";
	return $b;
}

sub url { $_[0]->{url} }

# Begin with an empty page, and forget the page before.
sub attach {
	my ($class, $url, %o) = @_;
	my $b = bless { url => $url }, $class;
	$b->call(POST => '/url', { url => 'about:blank' });
	$b->call(DELETE => '/actions');
	$b->log($_) for qw(browser performance);
	$b->size($o{width} // 1280, $o{height} // 900);
	$b->dark($o{dark} // 0);
	return $b;
}

# Set the size of the page, without the window around it.
sub size {
	my ($b, $width, $height) = @_;
	$b->cdp('Emulation.setDeviceMetricsOverride', { width => $width + 0,
		height => $height + 0, deviceScaleFactor => 1,
		mobile => JSON::PP::false });
}

sub dark {
	my ($b, $dark) = @_;
	$b->cdp('Emulation.setEmulatedMedia', { features => [ {
		name => 'prefers-color-scheme',
		value => $dark ? 'dark' : 'light' } ] });
}

# Send a request; return the status of the answer, and its body. In one piece: the
# rest of a request is held back until the driver has confirmed its beginning,
# which takes longer than most answers.
sub request {
	my ($b, $method, $path, $content) = @_;
	my ($host, $top) = $b->{url} =~ m{^http://([^/]+)(/.*)};
	my $socket = $b->{socket} //= IO::Socket::INET->new($host)
		// die "$host: $@\n";
	setsockopt $socket, IPPROTO_TCP, TCP_NODELAY, 1;
	print $socket "$method $top$path HTTP/1.1\r\nhost: $host\r\n",
		"content-type: application/json\r\ncontent-length: ",
		length $content, "\r\n\r\n$content";
	$socket->flush;
	local $/ = "\r\n";
	my ($status) = (readline($socket) // '') =~ /^\S+ (\d+)/
		or die "$method $path: no answer\n";
	my $length = 0;
	while (defined(my $line = readline $socket)) {
		last if $line eq "\r\n";
		$length = $1 if $line =~ /^content-length: *(\d+)/i;
	}
	my $got = '';
	1 while read $socket, $got, $length - length $got, length $got;
	return ($status, $got);
}

sub call {
	my ($b, $method, $path, $body) = @_;
	my ($status, $got) = $b->request($method, $path,
		$body ? encode_json($body) : '');
	my $value = eval { decode_json($got)->{value} };
	die "$method $path: " . ((ref $value ? $value->{message} : undef)
		// $got) . "\n" if $status != 200;
	return $value;
}

sub cdp {
	my ($b, $cmd, $params) = @_;
	return $b->call(POST => '/goog/cdp/execute',
			{ cmd => $cmd, params => $params });
}

sub open {
	my ($b, $path) = @_;
	$path =~ s{([^\w/.-])}{sprintf '%%%02x', ord $1}ge;
	$b->call(POST => '/url', { url => "file://$path" });
	$b->idle;
}

sub js {
	my ($b, $script, @args) = @_;
	return $b->call(POST => '/execute/sync',
			{ script => $script, args => \@args });
}

# Wait until the page has been drawn: two frames.
sub idle {
	my ($b) = @_;
	$b->js('return new Promise((done) => requestAnimationFrame(() =>
		requestAnimationFrame(() => done(1))))');
}

sub find {
	my ($b, $css) = @_;
	return $b->call(POST => '/element',
			{ using => 'css selector', value => $css })->{$ELEMENT};
}

sub click {
	my ($b, $css) = @_;
	$b->call(POST => '/element/' . $b->find($css) . '/click', {});
	$b->idle;
}

# Return the text of an element, without the parts that are hidden.
sub text {
	my ($b, $css) = @_;
	return $b->call(GET => '/element/' . $b->find($css) . '/text');
}

sub type {
	my ($b, $css, $text) = @_;
	$b->call(POST => '/element/' . $b->find($css) . '/value',
		 { text => $text });
	$b->idle;
}

sub actions {
	my ($b, @sources) = @_;
	$b->call(POST => '/actions', { actions => \@sources });
	$b->idle;
}

# Press keys one after the other; 'Shift+ArrowLeft' together.
sub keys {
	my ($b, @keys) = @_;
	my @presses;
	for my $key (@keys) {
		my @all = map { $KEY{$_} // $_ } $key eq '+' ? '+' :
			split /(?<=.)\+/, $key;
		push @presses,
			(map { { type => 'keyDown', value => $_ } } @all),
			(map { { type => 'keyUp', value => $_ } } reverse @all);
	}
	$b->actions({ type => 'key', id => 'keys', actions => \@presses });
}

# Move the mouse over pixels of an element: [x, y], pressed at the first and
# released at the last; times: how often.
sub mouse {
	my ($b, $css, $times, @path) = @_;
	my $box = $b->js('const r = document.querySelector(arguments[0])
		.getBoundingClientRect(); return [r.left, r.top]', $css);
	my @moves = map { { type => 'pointerMove', duration => 0,
		x => int($box->[0] + $_->[0]), y => int($box->[1] + $_->[1]) } } @path;
	my $first = shift @moves;
	my @press = ({ type => 'pointerDown', button => 0 }, @moves,
		     { type => 'pointerUp', button => 0 });
	$b->actions({ type => 'pointer', id => 'mouse', actions =>
		[ $first, (@press) x $times ] });
}

# Return the console messages of the page, or its network requests.
sub log {
	my ($b, $type) = @_;
	return @{$b->call(POST => '/se/log', { type => $type })};
}

sub screenshot {
	my ($b, $file) = @_;
	CORE::open my $out, '>:raw', $file or die "$file: $!\n";
	print $out decode_base64($b->call(GET => '/screenshot'));
	close $out or die "$file: $!\n";
}

# Return the processes it started that are still alive.
sub left {
	my ($b) = @_;
	my @pids;
	for my $file (glob '/proc/[0-9]*/environ') {
		CORE::open my $in, '<', $file or next;
		my $text = do { local $/; <$in> } // '';
		push @pids, $file =~ /(\d+)/
			if grep { $_ eq $b->{mark} } split /\0/, $text;
	}
	return @pids;
}

# Ask the browser to end, which may take long on a busy machine: none of its
# processes may outlive the object.
sub DESTROY {
	my ($b) = @_;
	local $?;
	return if !$b->{tmp}; # not the owner
	eval { $b->call(DELETE => '') };
	kill TERM => $b->{pid} if $b->{pid};
	close $b->{driver} if $b->{driver};
	while (my @pids = $b->left) {
		kill KILL => @pids;
		select undef, undef, undef, 0.01;
	}
	remove_tree($b->{tmp});
}

1;
