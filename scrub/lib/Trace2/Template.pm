# SPDX-License-Identifier: MIT
#
# The text templates of the table of events (lib/event/events.def): parsing a
# line by a template, and writing one.
#
# A template is text with {field}, {field:q} (a shell word), {field:<-} (words
# joined by arrows), {field:8} (seconds, 8 wide) and {?field:...} (only if the
# field is present).
package Trace2::Template;

use strict;
BEGIN { $^W = 1 }

# A word quoted for the shell: bare, or in single quotes with ' and ! written
# '\'' and '\!'.
our $WORD = qr{[A-Za-z0-9+,\-./:=\@_^]++|'(?:[^'!]++|'\\['!]')*+'};

my $SECONDS = '-?[0-9]+\.[0-9]{6}';

# Give the pattern for each type of field. A string takes as little as possible;
# the text after the string decides where it ends.
my %PATTERN = (
	INT => '-?[0-9]+',
	UINT => '[0-9]+',
	BOOL => 'true|false',
	NESTING => '[0-9]+',
	SECONDS => $SECONDS,
	T_ABS => $SECONDS,
	T_REL => $SECONDS,
);

# new(TEMPLATE, FIELDS of the event)
sub new {
	my ($class, $text, $fields) = @_;
	my $self = bless {
		text => $text,
		field => { map { $_->{name} => $_ } @$fields },
	}, $class;

	my $rest = $text;
	$self->{nodes} = $self->parse(\$rest);
	$rest eq '' or die "template '$text': a } too many\n";
	my @groups;
	my $source = $self->pattern($self->{nodes}, \@groups);
	$self->{groups} = \@groups;
	$self->{regex} = qr/\A$source\z/s;
	return $self;
}

# Parse the text into nodes up to its end or the } of an optional part.
sub parse {
	my ($self, $rest) = @_;
	my @nodes;

	while ($$rest ne '' && $$rest !~ /\A\}/) {
		if ($$rest =~ s/\A\{\?(\w+)://) {
			my $name = $1;
			my $inner = $self->parse($rest);
			$$rest =~ s/\A\}// or die "template '$self->{text}': a } is missing\n";
			push @nodes, { optional => $name, nodes => $inner };
		} elsif ($$rest =~ s/\A\{(\w+)(?::([^}]*))?\}//) {
			my ($name, $format) = ($1, $2);
			$self->{field}{$name} or
				die "template '$self->{text}': no field '$name'\n";
			push @nodes, { name => $name, format => $format // '' };
		} elsif ($$rest =~ s/\A([^{}]+)//) {
			push @nodes, { literal => $1 };
		} else {
			die "template '$self->{text}': a lone {\n";
		}
	}
	return \@nodes;
}

sub pattern {
	my ($self, $nodes, $groups) = @_;
	my $source = '';

	for my $node (@$nodes) {
		if (defined $node->{literal}) {
			$source .= quotemeta $node->{literal};
		} elsif ($node->{optional}) {
			$source .= '(?:' . $self->pattern($node->{nodes}, $groups) . ')?';
		} else {
			$source .= $self->field_pattern($node, $groups);
		}
	}
	return $source;
}

# Return a group for each field. A field that EXE names gets a group for its
# first word.
sub field_pattern {
	my ($self, $node, $groups) = @_;
	my $field = $self->{field}{ $node->{name} };

	push @$groups, $field;
	return "(?:($WORD)(?:[ ].*)?)?" if has_flag($field, 'EXE');
	return "($WORD)" if $node->{format} eq 'q';
	my $pattern = $PATTERN{ $field->{type} } // '.*?';
	my $padding = $node->{format} =~ /\A[0-9]/ ? '[ ]*' : '';
	return "($padding$pattern)";
}

sub has_flag {
	my ($field, $flag) = @_;
	return scalar grep { $_ eq $flag } @{ $field->{flags} };
}

# Return the literal text before the first field, and the one after it.
sub literals {
	my ($self) = @_;
	my @literals = map { $_->{literal} // () } @{ $self->{nodes} };

	unshift @literals, '' unless defined $self->{nodes}[0]{literal};
	return @literals;
}

# Parse TEXT from START on: return a list of [field, offset, length] in the
# order of the text, or undef if TEXT does not match the template.
sub match {
	my ($self, $text, $start) = @_;
	my @found;

	substr($text, $start) =~ $self->{regex} or return undef;
	for my $i (1 .. @{ $self->{groups} }) {
		defined $-[$i] or next;
		push @found, [ $self->{groups}[ $i - 1 ], $start + $-[$i], $+[$i] - $-[$i] ];
	}
	return \@found;
}

# Return the text of an event with the decoded values in %$VALUES; missing
# values are omitted.
sub render {
	my ($self, $values) = @_;
	return $self->render_nodes($self->{nodes}, $values);
}

sub render_nodes {
	my ($self, $nodes, $values) = @_;
	my $text = '';

	for my $node (@$nodes) {
		if (defined $node->{literal}) {
			$text .= $node->{literal};
		} elsif ($node->{optional}) {
			$text .= $self->render_nodes($node->{nodes}, $values)
				if defined $values->{ $node->{optional} };
		} else {
			$text .= render_field($node->{format}, $values->{ $node->{name} });
		}
	}
	return $text;
}

sub render_field {
	my ($format, $value) = @_;

	return '' unless defined $value;
	return escape(join $format eq '<-' ? ' <- ' : ' ',
		map { $format eq '<-' ? $_ : shell_word($_) } @$value) if ref $value;
	return escape(shell_word($value)) if $format eq 'q';
	return sprintf "%${format}s", $value if $format =~ /\A[0-9]+\z/ && $value =~ /\A[0-9]/;
	return escape($value);
}

sub shell_word {
	my ($word) = @_;

	return $word if $word =~ m{\A[A-Za-z0-9+,\-./:=\@_^]+\z};
	$word =~ s/(['!])/'\\$1'/g;
	return "'$word'";
}

# Lines of text contain no control characters.
sub escape {
	my ($text) = @_;
	my %short = ("\n" => '\n', "\r" => '\r', "\t" => '\t');

	$text =~ s/([\x00-\x1f\x7f])/$short{$1} || sprintf '\x%02x', ord $1/ge;
	return $text;
}

1;
