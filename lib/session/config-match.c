/* SPDX-License-Identifier: MIT */
/*
 * What a config key and value mean: wildcards, booleans, numbers, as Git
 * reads them, whatever the locale of the host.
 *
 * The matcher remembers one place to go back to for `*` and one for a double
 * star, and no more: its time is at worst the product of the lengths (cubed
 * when both kinds of star occur), and it does not recurse.
 */
#include "session/config-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

bool tr2_config_same_word(const char *a, const char *b)
{
	while (*a && tr2_config_lower(*a) == tr2_config_lower(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

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

/* Whether a character is in the class; false, too, if there is no such one. */
static bool in_class(const char *name, size_t len, char c, bool fold,
		     bool *known)
{
	bool lower = is_between(c, 'a', 'z');
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
		{ "lower", lower },
		{ "print", is_graph(c) || c == ' ' },
		{ "punct", is_graph(c) && !alpha && !is_digit(c) },
		{ "space", tr2_config_is_space(c) },
		{ "upper", alpha && (!lower || fold) },
		{ "xdigit", is_digit(c) ||
			    is_between(tr2_config_lower(c), 'a', 'f') },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (strlen(classes[i].name) == len &&
		    !memcmp(classes[i].name, name, len))
			return classes[i].holds;
	*known = false;
	return false;
}

/* A set `[…]` in a pattern while it is compared with one character. */
struct set {
	const char *p;   /* next byte of the pattern */
	const char *end;
	char c;
	bool fold;
	char first;      /* what a range would begin with, or 0 */
	bool hit;
};

/* `[:name:]`, from behind its `[` on; false: this is no class. */
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
	s->hit |= in_class(name, (size_t)(close - 1 - name), s->c, s->fold,
			   well_formed);
	s->p = close + 1;
	s->first = 0;
	return true;
}

/* A member that is no class; false: the pattern ends inside it. */
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
			  (s->fold && is_between(upper(s->c), s->first, last));
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
 * Compares a character with the set whose `[` is at p. Returns what follows
 * the set, or NULL: no match, or the set is malformed and never matches.
 */
static const char *match_set(const char *p, const char *end, char c, bool fold)
{
	struct set s = { .p = p + 1, .end = end, .c = c, .fold = fold };
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

/* Compares one character with one element that is no star; NULL: no match. */
static const char *match_one(const char *p, const char *end, char c,
			     unsigned int flags)
{
	bool fold = flags & TR2_WILD_FOLD;

	if (p == end)
		return NULL;
	if (fold)
		c = tr2_config_lower(c);
	if (*p == '?' || *p == '[') {
		if (c == '/' && (flags & TR2_WILD_PATH))
			return NULL;
		return *p == '?' ? p + 1 : match_set(p, end, c, fold);
	}
	if (*p == '\\')
		return p + 1 < end && p[1] == c ? p + 2 : NULL;
	return (fold ? tr2_config_lower(*p) : *p) == c ? p + 1 : NULL;
}

/* Where to go on when a match that was begun fails. */
struct retry {
	const char *pattern; /* NULL: nowhere */
	const char *text;
};

struct wild {
	const char *start;
	const char *p;
	const char *end;
	const char *t;
	unsigned int flags;
	struct retry star;  /* gives the star one character more */
	struct retry stars; /* gives the double star one directory more */
};

/* Whether the stars from `first` to p stand for directories. */
static bool is_double_star(const struct wild *w, const char *first)
{
	return (w->flags & TR2_WILD_PATH) && w->p - first > 1 &&
	       (first == w->start || first[-1] == '/') &&
	       (w->p == w->end || *w->p == '/' ||
		(w->end - w->p > 1 && w->p[0] == '\\' && w->p[1] == '/'));
}

/* Takes the stars at p. If their slash is escaped, they want a directory. */
static void begin_star(struct wild *w)
{
	const char *first = w->p;
	const char *slash;

	while (w->p < w->end && *w->p == '*')
		w->p++;
	if (!is_double_star(w, first)) {
		w->star = (struct retry){ w->p, w->t };
		return;
	}
	w->star.pattern = NULL;
	if (w->p < w->end && *w->p == '/') {
		w->stars = (struct retry){ ++w->p, w->t };
		return;
	}
	slash = w->p < w->end ? strchr(w->t, '/') : NULL;
	w->t = slash ? slash + 1 : w->t + strlen(w->t);
	if (slash)
		w->stars = (struct retry){ w->p += 2, w->t };
}

/* Goes back to the last star that can take more; false: there is none. */
static bool go_back(struct wild *w)
{
	const char *slash;

	if (w->star.pattern && *w->star.text &&
	    !(*w->star.text == '/' && (w->flags & TR2_WILD_PATH))) {
		w->t = ++w->star.text;
		w->p = w->star.pattern;
		return true;
	}
	slash = w->stars.pattern ? strchr(w->stars.text, '/') : NULL;
	if (!slash)
		return false;
	w->t = w->stars.text = slash + 1;
	w->p = w->stars.pattern;
	w->star.pattern = NULL;
	return true;
}

bool tr2_config_wild(const char *pattern, size_t len, const char *text,
		     unsigned int flags)
{
	struct wild w = {
		.start = pattern, .p = pattern, .end = pattern + len,
		.t = text, .flags = flags,
	};

	for (;;) {
		const char *after;

		if (w.p < w.end && *w.p == '*') {
			begin_star(&w);
			continue;
		}
		if (!*w.t) {
			if (w.p == w.end)
				return true;
			/* a shorter text cannot match what is left either */
			return false;
		}
		after = match_one(w.p, w.end, *w.t, flags);
		if (after) {
			w.p = after;
			w.t++;
		} else if (!go_back(&w)) {
			return false;
		}
	}
}

bool tr2_config_match(const char *patterns, const char *key)
{
	const char *p = patterns;

	if (!p || !key)
		return false;
	for (;;) {
		const char *end = p + strcspn(p, ",");
		const char *next = end;

		while (p < end && tr2_config_is_space(*p))
			p++;
		while (p < end && tr2_config_is_space(end[-1]))
			end--;
		if (tr2_config_wild(p, (size_t)(end - p), key, TR2_WILD_FOLD))
			return true;
		if (!*next)
			return false;
		p = next + 1;
	}
}

/* How often to shift for a suffix; -1: no such suffix. */
static int suffix_shift(const char *suffix)
{
	static const char letters[] = "kmg";
	const char *found;

	if (!*suffix)
		return 0;
	found = strchr(letters, tr2_config_lower(*suffix));
	if (!found || suffix[1])
		return -1;
	return 10 * (int)(found - letters + 1);
}

int tr2_config_int(const char *value, int *out)
{
	intmax_t number;
	char *end;
	int shift;

	if (!value)
		return -EINVAL;
	errno = 0;
	number = strtoimax(value, &end, 0);
	shift = end == value ? -1 : suffix_shift(end);
	if (shift < 0)
		return -EINVAL;
	if (errno || number > (INT_MAX >> shift) || number < -(INT_MAX >> shift))
		return -ERANGE;
	*out = (int)(number * ((intmax_t)1 << shift));
	return 0;
}

int tr2_config_bool(const char *value, int *out)
{
	static const char *const words[2][4] = {
		{ "", "false", "no", "off" },
		{ "true", "yes", "on", "on" },
	};
	int number;

	if (!value) {
		*out = 1;
		return 0;
	}
	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 4; i++)
			if (tr2_config_same_word(words[truth][i], value)) {
				*out = truth;
				return 0;
			}
	if (tr2_config_int(value, &number))
		return -EINVAL;
	*out = number != 0;
	return 0;
}
