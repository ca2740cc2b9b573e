/* SPDX-License-Identifier: MIT */
/*
 * The grammar of a config file: check a text and pack it in place.
 *
 * The scan reads each byte once, allocates nothing, and writes only over bytes
 * that it has read (see internal.h for the packed form). The text may contain
 * any bytes, including NUL.
 */
#include "config/internal.h"

#include <errno.h>
#include <string.h>

struct scan {
	const char *p;   /* next byte to read */
	const char *end; /* the end of the text; a line end follows it */
	char *w;         /* next byte to write, never beyond p */
	unsigned int line;
	bool nul;        /* a NUL is in a subsection or value */
	const char *reason;
};

enum {
	ALPHA = 1,   /* the character may begin the name of a variable */
	KEY = 2,     /* the character may be in the name of a section or
		      * variable */
	SPACE = 4,
	SPECIAL = 8, /* the character is special in a value */
};

#define TIMES_10(x) x, x, x, x, x, x, x, x, x, x
#define TIMES_26(x) TIMES_10(x), TIMES_10(x), x, x, x, x, x, x

static const unsigned char kind[256] = {
	['\0'] = SPECIAL,
	['\t'] = SPACE | SPECIAL,
	['\n'] = SPACE | SPECIAL,
	['\r'] = SPACE | SPECIAL,
	[' '] = SPACE | SPECIAL,
	['"'] = SPECIAL,
	['#'] = SPECIAL,
	[';'] = SPECIAL,
	['\\'] = SPECIAL,
	['-'] = KEY,
	['0'] = TIMES_10(KEY),
	['A'] = TIMES_26(ALPHA | KEY),
	['a'] = TIMES_26(ALPHA | KEY),
};

static bool is_kind(char c, unsigned int kinds)
{
	return kind[(unsigned char)c] & kinds;
}

char tr2_config_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Make a character of a name lower case: letters get bit 0x20; digits, `-` and
 * `.` have it already. */
#define LOWER_KEY(c) ((char)((c) | 0x20))

bool tr2_config_is_alpha(char c)
{
	return is_kind(c, ALPHA);
}

bool tr2_config_is_space(char c)
{
	return is_kind(c, SPACE);
}

/*
 * Return the next character. CR LF counts as one line end. At the end of the
 * text each call returns a line end. The caller counts the line only
 * afterwards, so that an error at a line end gives the number of the line that
 * ends there.
 */
static char next_char(struct scan *s)
{
	char c;

	if (s->p >= s->end)
		return '\n';
	c = *s->p++;
	if (c == '\r' && s->p < s->end && *s->p == '\n')
		c = *s->p++;
	return c;
}

static bool at_end(const struct scan *s)
{
	return s->p >= s->end;
}

static int bad_config(struct scan *s, const char *reason)
{
	s->reason = reason;
	return -EINVAL;
}

/* Skip past the line end, which the caller counts. */
static void skip_comment(struct scan *s)
{
	const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));

	s->p = nl ? nl + 1 : s->end;
}

/*
 * End the string that began at `start`. Text after a NUL inside it is cut off,
 * because readers of a C string do not see it. Return whether text was cut.
 */
static bool finish_string(struct scan *s, char *start)
{
	char *nul = NULL;

	if (s->nul)
		nul = memchr(start, '\0', (size_t)(s->w - start));
	if (nul)
		s->w = nul;
	*s->w++ = '\0';
	return nul;
}

/* Pack [section "Subsection"], from the white space after `section`. */
static int pack_subsection(struct scan *s, char c)
{
	while (is_kind(c, SPACE)) {
		if (c == '\n')
			return bad_config(s, "section header is cut short");
		c = next_char(s);
	}
	if (c != '"')
		return bad_config(s, "subsection is not in quotes");
	*s->w++ = '.';
	while ((c = next_char(s)) != '"') {
		if (c == '\\')
			c = next_char(s);
		if (c == '\n')
			return bad_config(s, "section header is cut short");
		s->nul |= !c;
		*s->w++ = c;
	}
	return next_char(s) == ']' ? 0 :
	       bad_config(s, "no ']' after the subsection");
}

/* Pack a section header, from after its `[`. */
static int pack_section(struct scan *s)
{
	char *start = s->w;
	int err = 0;

	*s->w++ = '[';
	for (;;) {
		char c = next_char(s);

		if (c == ']')
			break;
		if (is_kind(c, SPACE)) {
			err = pack_subsection(s, c);
			break;
		}
		if (!is_kind(c, KEY) && c != '.')
			return bad_config(s, "bad character in a section name");
		*s->w++ = LOWER_KEY(c);
	}
	if (err)
		return err;
	if (s->w == start + 1)
		return bad_config(s, "section without a name");
	if (finish_string(s, start))
		*start = '{';
	return 0;
}

/* Read the character after a backslash in a value; a line end continues the
 * line. */
static int pack_escape(struct scan *s)
{
	char c = next_char(s);

	switch (c) {
	case '\n':
		s->line++;
		return 0;
	case 'n':
		c = '\n';
		break;
	case 't':
		c = '\t';
		break;
	case 'b':
		c = '\b';
		break;
	case '\\':
	case '"':
		break;
	default:
		return bad_config(s, "unknown escape in a value");
	}
	*s->w++ = c;
	return 0;
}

/*
 * Copy the characters of a non-empty value up to the first special one; a
 * single space between two words is not special. Most values have only such
 * characters. The line end after the text stops the copy.
 */
static void pack_plain(struct scan *s)
{
	const char *p = s->p;
	char *w = s->w;

	do {
		*w++ = *p++;
		while (!is_kind(*p, SPECIAL))
			*w++ = *p++;
	} while (*p == ' ' && !is_kind(p[1], SPECIAL));
	s->p = p;
	s->w = w;
}

/*
 * Pack a value, from after its `=` to after its line end. Outside quotes, white
 * space at either end is dropped and other white space becomes spaces, which
 * are held back until another character follows.
 */
static int pack_value(struct scan *s)
{
	char *start = s->w;
	size_t spaces = 0;
	bool quoted = false;

	for (;;) {
		char c;

		if (!spaces && !is_kind(*s->p, SPECIAL))
			pack_plain(s);
		c = next_char(s);
		if (c == '\n')
			break;
		if (!quoted && is_kind(c, SPACE)) {
			spaces += s->w != start;
			continue;
		}
		if (!quoted && (c == '#' || c == ';')) {
			skip_comment(s);
			break;
		}
		for (; spaces; spaces--)
			*s->w++ = ' ';
		if (c == '"')
			quoted = !quoted;
		else if (c == '\\' && pack_escape(s))
			return -EINVAL;
		else if (c != '\\')
			*s->w++ = c;
		s->nul |= !c;
	}
	if (quoted)
		return bad_config(s, "unterminated quote");
	s->line++;
	finish_string(s, start);
	return 0;
}

/* Pack a variable, from after its first letter. */
static int pack_variable(struct scan *s, char c)
{
	const char *p = s->p;
	char *w = s->w;

	*w++ = LOWER_KEY(c);
	while (is_kind(*p, KEY))
		*w++ = LOWER_KEY(*p++);
	s->p = p;
	s->w = w;
	c = next_char(s);
	while (c == ' ' || c == '\t')
		c = next_char(s);
	if (c == '\n') {
		s->line++;
		*s->w++ = '\0';
		return 0;
	}
	if (c != '=')
		return bad_config(s, "bad character in a variable's name");
	*s->w++ = '=';
	return pack_value(s);
}

static int pack_item(struct scan *s)
{
	char c = next_char(s);

	while (c == ' ' || c == '\t')
		c = next_char(s);
	if (c == '#' || c == ';') {
		skip_comment(s);
		c = '\n';
	}
	if (is_kind(c, SPACE)) {
		s->line += c == '\n';
		return 0;
	}
	if (c == '[')
		return pack_section(s);
	if (is_kind(c, ALPHA))
		return pack_variable(s, c);
	return bad_config(s, "neither a section, a variable nor a comment");
}

static void skip_bom(struct scan *s)
{
	static const char bom[] = "\xef\xbb\xbf";

	if (s->end - s->p >= 3 && !memcmp(s->p, bom, 3))
		s->p += 3;
}

long tr2_config_pack(char *text, size_t size,
		     unsigned int *line, const char **reason)
{
	struct scan s = {
		.p = text, .end = text + size, .w = text, .line = 1,
	};

	text[size] = '\n';
	skip_bom(&s);
	while (!at_end(&s)) {
		int err = pack_item(&s);

		if (err) {
			*line = s.line;
			*reason = s.reason;
			return err;
		}
	}
	return (long)(s.w - text);
}
