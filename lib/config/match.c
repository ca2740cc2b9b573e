/* SPDX-License-Identifier: MIT */
/*
 * Match patterns of config keys as Git does, ignoring case and the host's
 * locale.
 *
 * The matcher goes back only to the last `*`. So it needs at most as many steps
 * as the product of the lengths, and does not recurse.
 */
#include "base/macros.h"
#include "base/split.h"
#include "config/internal.h"

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c;
}

static bool is_between(char c, char first, char last)
{
	return (unsigned char)c >= (unsigned char)first &&
	       (unsigned char)c <= (unsigned char)last;
}

static bool is_graph(char c)
{
	return is_between(c, 0x21, 0x7e);
}

static bool is_digit(char c)
{
	return is_between(c, '0', '9');
}

/* Return whether the character is in the class. An unknown class contains no
 * character. */
static bool in_class(const char *name, size_t len, char c, bool *known)
{
	bool alpha = tr2_config_is_alpha(c);
	const struct {
		const char *name;
		bool holds;
	} classes[] = {
		{ "alnum", alpha || is_digit(c) },
		{ "alpha", alpha },
		{ "blank", c == ' ' || c == '\t' },
		{ "cntrl", is_between(c, 0, 0x1f) || c == 0x7f },
		{ "digit", is_digit(c) },
		{ "graph", is_graph(c) },
		{ "lower", alpha },
		{ "print", is_graph(c) || c == ' ' },
		{ "punct", is_graph(c) && !alpha && !is_digit(c) },
		{ "space", tr2_config_is_space(c) },
		{ "upper", alpha },
		{ "xdigit", is_digit(c) || is_between(c, 'a', 'f') },
	};

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (strlen(classes[i].name) == len &&
		    !memcmp(classes[i].name, name, len))
			return classes[i].holds;
	*known = false;
	return false;
}

/* A set `[…]` in a pattern, compared with one character. */
struct set {
	const char *p;   /* next byte of the pattern */
	const char *end;
	char c;          /* the character to compare, in lower case */
	char first;      /* the first character of a possible range, or 0 */
	bool hit;
};

/* Match `[:name:]`, from after its `[`; false: this is not a class. */
static bool match_class(struct set *s, bool *well_formed)
{
	const char *name = s->p + 1;
	const char *close;

	if (s->p == s->end || *s->p != ':')
		return false;
	close = memchr(name, ']', (size_t)(s->end - name));
	if (!close) {
		*well_formed = false;
		return true;
	}
	if (close == name || close[-1] != ':')
		return false;
	s->hit |= in_class(name, (size_t)(close - 1 - name), s->c,
			   well_formed);
	s->p = close + 1;
	s->first = 0;
	return true;
}

/* Match a member that is not a class; false: the pattern ends inside it. */
static bool match_member(struct set *s, char m)
{
	if (m == '-' && s->first && s->p < s->end && *s->p != ']') {
		char last = *s->p++;

		if (last == '\\') {
			if (s->p == s->end)
				return false;
			last = *s->p++;
		}
		s->hit |= is_between(s->c, s->first, last) ||
			  is_between(upper(s->c), s->first, last);
		s->first = 0;
		return true;
	}
	if (m == '\\') {
		if (s->p == s->end)
			return false;
		m = *s->p++;
	}
	s->hit |= m == s->c;
	s->first = m;
	return true;
}

/*
 * Compare a character with the set whose `[` is at p. Return the end of the
 * set, or NULL: the character does not match, or the set is malformed and never
 * matches.
 */
static const char *match_set(const char *p, const char *end, char c)
{
	struct set s = { .p = p + 1, .end = end, .c = c };
	bool well_formed = true;
	bool negated;

	negated = s.p < end && (*s.p == '!' || *s.p == '^');
	s.p += negated;
	do {
		char m;

		if (s.p == end)
			return NULL;
		m = *s.p++;
		if (m == '[' && match_class(&s, &well_formed))
			continue;
		if (!match_member(&s, m))
			return NULL;
	} while (well_formed && (s.p == end || *s.p != ']'));

	return well_formed && s.hit != negated ? s.p + 1 : NULL;
}

/* Compare one character with one element that is not a star. Return the end of
 * the element; NULL: no match. */
static const char *match_one(const char *p, const char *end, char c)
{
	if (p == end)
		return NULL;
	c = tr2_config_lower(c);
	if (*p == '?')
		return p + 1;
	if (*p == '[')
		return match_set(p, end, c);
	if (*p == '\\')
		return p + 1 < end && p[1] == c ? p + 2 : NULL;
	return tr2_config_lower(*p) == c ? p + 1 : NULL;
}

/* Return whether the pattern from p to `end` matches the whole text. */
static bool match_pattern(const char *p, const char *end, const char *text)
{
	const char *star = NULL, *resume = NULL; /* After a mismatch, go back to
						  * the last `*` and to its
						  * place in the text. */

	while (p < end || *text) {
		const char *after = *text ? match_one(p, end, *text) : NULL;

		if (p < end && *p == '*') {
			star = ++p;
			resume = text;
		} else if (after) {
			p = after;
			text++;
		} else if (star && *resume) {
			p = star;
			text = ++resume;
		} else {
			return false;
		}
	}
	return true;
}

bool tr2_config_match(const char *patterns, const char *key)
{
	const char *p, *end;
	size_t len;

	if (!patterns || !key)
		return false;
	while ((p = tr2_split(&patterns, ",", &len))) {
		end = p + len;
		while (p < end && tr2_config_is_space(*p))
			p++;
		while (p < end && tr2_config_is_space(end[-1]))
			end--;
		if (match_pattern(p, end, key))
			return true;
	}
	return false;
}
