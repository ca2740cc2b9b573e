# SPDX-License-Identifier: MIT
#
# Strict parsing of one JSON object on one line, for filters that must keep
# every byte that they do not change: members keep their order and values stay
# the original text.
package Trace2::Json;

use strict;
BEGIN { $^W = 1 }

my $MAX_DEPTH = 512;

# The usual form of a member with the character after it, for speed only.
my $SIMPLE = qr/\G"(\w+)":("[^"\\\x00-\x1f]*+"|(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?)([,}])/;

# Return the members of the object in LINE, in order: [name, text of the value].
# Dies with a reason if LINE is not one valid JSON object, or has space between
# its members, which the event target does not write.
sub members {
	my ($line) = @_;
	my (@members, %seen);

	check_utf8($line);
	pos($line) = 0;
	$line =~ /\G\{/gc or die "not a JSON object\n";
	until (@members == 0 && $line =~ /\G\}/gc) {
		if ($line =~ /$SIMPLE/gc) {
			$seen{$1}++ and die "member '$1' comes twice\n";
			push @members, [ $1, $2 ];
			next if $3 eq ',';
			last;
		}
		my $name = decode_string(take_string(\$line));
		$seen{$name}++ and die "member '$name' comes twice\n";
		$line =~ /\G:/gc or die "no ':' after member '$name'\n";
		my $start = pos $line;
		skip_value(\$line, 1);
		push @members, [ $name, substr $line, $start, pos($line) - $start ];
		next if $line =~ /\G,/gc;
		last if $line =~ /\G\}/gc;
		die "no ',' or '}' after member '$name'\n";
	}
	$line =~ /\G\z/gc or die "text after the JSON object\n";
	return \@members;
}

sub check_utf8 {
	my ($copy) = @_;

	return unless $copy =~ /[\x80-\xff]/;
	utf8::decode($copy) && $copy !~ /[^\x{0}-\x{d7ff}\x{e000}-\x{10ffff}]/
		or die "not UTF-8\n";
}

# A string may contain more escapes than a pattern can repeat.
sub take_string {
	my ($line) = @_;
	my $start = pos $$line;

	$$line =~ /\G"/gc or die "no string where one must be\n";
	1 while $$line =~ m{\G(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})){1,1000}+}gc;
	$$line =~ /\G"/gc or die "a string is not ended, or holds what it must not\n";
	return substr $$line, $start, pos($$line) - $start;
}

sub skip_value {
	my ($line, $depth) = @_;

	die "nested too deeply\n" if $depth > $MAX_DEPTH;
	# Perl warns of deep recursion.
	local $^W = 0 if $depth == 50;
	if ($$line =~ /\G(?=")/gc) {
		take_string($line);
	} elsif ($$line =~ /\G\[\s*/gc) {
		skip_list($line, $depth, ']', 0);
	} elsif ($$line =~ /\G\{\s*/gc) {
		skip_list($line, $depth, '}', 1);
	} else {
		$$line =~ /\G(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![\w.])/gc
			or die "not a JSON value\n";
	}
}

# Skip the rest of an array or, with names, of an object.
sub skip_list {
	my ($line, $depth, $end, $names) = @_;

	return if $$line =~ /\G\Q$end\E/gc;
	while (1) {
		if ($names) {
			take_string($line);
			$$line =~ /\G\s*:\s*/gc or die "no ':' after a name\n";
		}
		skip_value($line, $depth + 1);
		next if $$line =~ /\G\s*,\s*/gc;
		last if $$line =~ /\G\s*\Q$end\E/gc;
		die "no ',' or '$end' in a list\n";
	}
}

my %ESCAPED = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");

# Return the bytes (UTF-8) of a string, given its JSON text.
sub decode_string {
	my ($text) = @_;

	$text =~ s/\A"//;
	$text =~ s/"\z//;
	return $text unless $text =~ /\\/;
	$text =~ s{\\u([Dd][89ABab]..)\\u([Dd][C-Fc-f]..)|\\u(....)|\\(.)}
		{defined $1 ? encode(0x10000 + ((hex($1) & 0x3ff) << 10 | hex($2) & 0x3ff))
		: defined $3 ? encode(hex $3) : $ESCAPED{$4} // $4}ge;
	return $text;
}

sub encode {
	my ($code) = @_;
	my $char = chr($code >= 0xd800 && $code <= 0xdfff ? 0xfffd : $code);

	utf8::encode($char);
	return $char;
}

# Return the texts of the elements of an array.
sub elements {
	my ($text) = @_;
	my @elements;

	pos($text) = 0;
	$text =~ /\G\[\s*/gc or die "not an array\n";
	until ($text =~ /\G\s*\]/gc) {
		my $start = pos $text;
		skip_value(\$text, 1);
		push @elements, substr $text, $start, pos($text) - $start;
		$text =~ /\G\s*,\s*/gc;
	}
	return @elements;
}

# Return a value for Perl: a string decoded, an array of strings as a list of
# them, any other value as its text.
sub decode {
	my ($text) = @_;

	return decode_string($text) if $text =~ /\A"/;
	return $text unless $text =~ /\A\[/;
	my @elements = elements($text);
	return $text if grep { !/\A"/ } @elements;
	return [ map { decode_string($_) } @elements ];
}

# Return the JSON text of a UTF-8 string.
sub encode_string {
	my ($string) = @_;

	return "\"$string\"" unless $string =~ /["\\\x00-\x1f]/;
	$string =~ s/(["\\])/\\$1/g;
	$string =~ s/([\x00-\x1f])/sprintf '\u%04x', ord $1/ge;
	return "\"$string\"";
}

1;
