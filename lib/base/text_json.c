/* SPDX-License-Identifier: MIT */
/*
 * Check text that claims to be JSON, so that an event stream stays valid with
 * any text from trace2_data_json(). The check builds nothing, and needs no
 * memory except its stack of open brackets.
 */
#include "base/text.h"

#define MAX_DEPTH 512

struct scan {
	const char *p, *end;
	unsigned int depth;
	/* One bit a level: set if the container is an object. */
	uint8_t is_object[MAX_DEPTH / 8];
};

static void skip_space(struct scan *s)
{
	while (s->p < s->end && *s->p && strchr(" \t\r\n", *s->p))
		s->p++;
}

static bool parse_char(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool parse_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static size_t parse_digits(struct scan *s)
{
	const char *start = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return (size_t)(s->p - start);
}

static bool parse_number(struct scan *s)
{
	parse_char(s, '-');
	if (!parse_char(s, '0') && !parse_digits(s))
		return false;
	if (parse_char(s, '.') && !parse_digits(s))
		return false;
	if (parse_char(s, 'e') || parse_char(s, 'E')) {
		if (!parse_char(s, '+'))
			parse_char(s, '-');
		return parse_digits(s) > 0;
	}
	return true;
}

/* Read uXXXX and return its value; -1: malformed. */
static int parse_hex(struct scan *s)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	int i, value = 0;

	if (!parse_char(s, 'u'))
		return -1;
	for (i = 0; i < 4; i++, s->p++) {
		const char *digit = s->p < s->end && *s->p ?
					    strchr(digits, *s->p) :
					    NULL;

		if (!digit)
			return -1;
		value = value * 16 + (int)(digit - digits) -
			(digit - digits > 15 ? 6 : 0);
	}
	return value;
}

/* Read the rest of an escape after the backslash. Surrogates must come in
 * pairs: strict readers otherwise reject the whole line. */
static bool parse_escape(struct scan *s)
{
	int unit, low;

	if (s->p == s->end)
		return false;
	if (*s->p != 'u')
		return *s->p && strchr("\"\\/bfnrt", *s->p++) != NULL;
	unit = parse_hex(s);
	if (unit < 0xd800 || unit > 0xdfff)
		return unit >= 0;
	if (unit > 0xdbff || !parse_char(s, '\\'))
		return false;
	low = parse_hex(s);
	return low >= 0xdc00 && low <= 0xdfff;
}

static bool parse_string(struct scan *s)
{
	size_t n;

	if (!parse_char(s, '"'))
		return false;
	while (s->p < s->end) {
		if (parse_char(s, '"'))
			return true;
		if (parse_char(s, '\\')) {
			if (!parse_escape(s))
				return false;
			continue;
		}
		n = tr2_utf8_sequence(s->p, (size_t)(s->end - s->p));
		if (!n || (unsigned char)*s->p < 0x20)
			return false;
		s->p += n;
	}
	return false;
}

static bool in_object(const struct scan *s)
{
	unsigned int top = s->depth - 1;

	return s->is_object[top / 8] >> top % 8 & 1;
}

static bool open_bracket(struct scan *s, bool object)
{
	unsigned int top = s->depth;

	if (top == MAX_DEPTH)
		return false;
	s->depth++;
	s->is_object[top / 8] &= (uint8_t)~(1u << top % 8);
	s->is_object[top / 8] |= (uint8_t)((unsigned int)object << top % 8);
	return true;
}

static bool parse_key(struct scan *s)
{
	skip_space(s);
	if (!parse_string(s))
		return false;
	skip_space(s);
	return parse_char(s, ':');
}

/* Read a scalar, or a whole empty container; or read the opening of a
 * container, up to its first value, and set *opened. */
static bool parse_value_start(struct scan *s, bool *opened)
{
	bool object;

	*opened = false;
	skip_space(s);
	if (s->p == s->end)
		return false;
	object = *s->p == '{';
	if (parse_char(s, '{') || parse_char(s, '[')) {
		skip_space(s);
		if (parse_char(s, object ? '}' : ']'))
			return true;
		*opened = true;
		return open_bracket(s, object) && (!object || parse_key(s));
	}
	if (*s->p == '"')
		return parse_string(s);
	return parse_word(s, "true") || parse_word(s, "false") ||
	       parse_word(s, "null") || parse_number(s);
}

/* After a value, close the containers that end here. Return true if another
 * value follows. */
static bool parse_value_end(struct scan *s, bool *valid)
{
	while (s->depth) {
		skip_space(s);
		if (parse_char(s, ',')) {
			*valid = !in_object(s) || parse_key(s);
			return *valid;
		}
		if (!parse_char(s, in_object(s) ? '}' : ']')) {
			*valid = false;
			return false;
		}
		s->depth--;
	}
	skip_space(s);
	*valid = s->p == s->end;
	return false;
}

static bool is_json(const char *text, size_t n)
{
	struct scan s = { .p = text, .end = text + n };
	bool opened, valid = true;

	do {
		do {
			if (!parse_value_start(&s, &opened))
				return false;
		} while (opened);
	} while (parse_value_end(&s, &valid));
	return valid;
}

/* Append valid text without the white space between its tokens. */
static void add_compact(struct tr2_buf *b, const char *s, size_t n)
{
	size_t at = 0, end;

	while (at < n) {
		for (end = at; end < n && !strchr(" \t\r\n\"", s[end]);)
			end++;
		if (end < n && s[end] == '"')
			for (end++; s[end] != '"'; end++)
				end += s[end] == '\\';
		if (end < n && s[end] == '"')
			end++;
		tr2_buf_add(b, s + at, end - at);
		while (end < n && strchr(" \t\r\n", s[end]))
			end++;
		at = end;
	}
}

void tr2_json_add_text(struct tr2_buf *b, const char *s, size_t n)
{
	if (is_json(s, n)) {
		add_compact(b, s, n);
		return;
	}
	tr2_buf_addch(b, '"');
	tr2_json_add_escaped(b, s, n);
	tr2_buf_addch(b, '"');
}
