#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# stand-in.perl DIR [TABLE=FAULT...]
#
# The part of ClickHouse's HTTP interface that `trace2 export` uses, on
# loopback. Its port is in DIR/port once it listens. DIR/TABLE gets the rows
# that are inserted, DIR/log a line for each request, DIR/schema.sql the
# statements that create tables. Each FAULT applies to the first INSERT into
# TABLE, once:
#	refuse    it is answered with an error, and not executed
#	lose      it is executed, and there is no answer
#	busy      it is answered with 503, and not executed
#	unsure    it is executed, and answered with 503
#	parts     it is answered with ClickHouse's "too many parts"
use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;

my ($dir, @faults) = @ARGV;
my %fault = map { split /=/, $_, 2 } @faults;
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5)
	or die "cannot listen: $!\n";

sub append {
	my ($name, $text) = @_;
	open my $out, '>>', "$dir/$name" or die "$dir/$name: $!\n";
	print $out $text;
	close $out or die "$dir/$name: $!\n";
}

sub rows {
	open my $in, '<', "$dir/$_[0]" or return ();
	return <$in>;
}

# Return the units in a query with their revisions.
sub units {
	my ($table, $question) = @_;
	my $one = qr/\('[^']*',-?\d+\)/;
	my ($list) = $question =~ / IN \(($one(?:,$one)*)\) GROUP BY unit FORMAT /;
	die "not a question: $question\n" if !defined $list;
	my %asked = map { $_ => 1 } $list =~ /',(\d+)\)/g;
	my %revision;
	for (rows($table)) {
		my (undef, undef, undef, $unit, undef, $revision) = split /\t/;
		next if !$asked{$unit};
		$revision{$unit} = $revision
			if $revision > ($revision{$unit} // -1);
	}
	return join '', map { "$_\t$revision{$_}\n" } sort keys %revision;
}

sub query {
	my ($text) = @_;
	return -e "$dir/schema" ? "1\n" : "0\n" if $text =~ /system\.tables/;
	return join '', (reverse sort(rows('schema')))[0]
		if $text =~ /^SELECT version/;
	return units($1, $text) if $text =~ /^SELECT unit.* FROM `\w+`\.`(\w+)`/;
	append('schema.sql', "$text\n") if $text =~ /^(CREATE|ALTER)/;
	append('schema', "$1\t$2\n") if $text =~ /^INSERT.*\((\d+), '(.*)'\)$/;
	return '';
}

# Return status and text; nothing if there is no answer.
sub insert {
	my ($table, $rows) = @_;
	my $fault = delete $fault{$table} // '';
	return ('500 Internal Server Error', "Code: 999, e.displayText() = no\n")
		if $fault eq 'refuse';
	return ('500 Internal Server Error', "Code: 252, e.displayText() = DB\n")
		if $fault eq 'parts';
	return ('503 Service Unavailable', '') if $fault eq 'busy';
	append($table, $rows);
	return if $fault eq 'lose';
	return ('503 Service Unavailable', '') if $fault eq 'unsure';
	return ('200 OK', '');
}

sub answer {
	my ($url, $body) = @_;
	$url =~ tr/+/ /;
	$url =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
	if ($url =~ /query=INSERT INTO `\w+`\.`(\w+)`/) {
		my ($table, $rows) = ($1, scalar $body =~ tr/\n//);
		append('log', "insert $table $rows\n");
		return insert($table, $body);
	}
	append('log', 'query ' . substr($body, 0, 60) . "\n");
	return ('200 OK', query($body));
}

# Serve one request; return whether there may be more.
sub serve {
	my ($peer) = @_;
	my $request = <$peer> // return 0;
	my ($url) = $request =~ /^POST (\S+)/ or return 0;
	my ($size, $body) = (0, '');
	while (defined(my $line = <$peer>)) {
		last if $line =~ /^\r?$/;
		$size = $1 if $line =~ /^content-length: (\d+)/i;
		append('headers', $line) if $line =~ /^x-/i;
	}
	read $peer, $body, $size if $size;
	my ($status, $text) = answer($url, $body) or return 0;
	print $peer "HTTP/1.1 $status\r\nRetry-After: 1\r\n",
		'Content-Length: ', length $text, "\r\n\r\n$text";
	$peer->flush;
	return 1;
}

append('port.new', $listener->sockport);
rename "$dir/port.new", "$dir/port" or die "$dir/port: $!\n";
my $all = IO::Select->new($listener);
while (my @ready = $all->can_read) {
	for my $peer (@ready) {
		if ($peer == $listener) {
			$all->add(scalar $listener->accept);
		} elsif (!serve($peer)) {
			$all->remove($peer);
			close $peer;
		}
	}
}
