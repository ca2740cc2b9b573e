/* SPDX-License-Identifier: MIT */
/*
 * match - parse text by the templates of lib/event/events.def. A literal must
 * match, and a field ends at the next literal. An optional group is present if
 * the text continues with the group's first literal.
 */

#include "format/events/json.h"
#include "format/events/match.h"

struct matcher {
	struct tr2_parsed_event *ev;
	const char *p, *end;   /* the text that remains */
	const char *t_end;     /* end of the whole template */
	struct tr2_buf *scratch;
};

static bool int_value(const char *s, size_t len, int64_t *out)
{
	bool negative = len && *s == '-';
	uint64_t v = 0;
	size_t i;

	if (len == (size_t)negative || len > 18)
		return false;
	for (i = negative; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool uint_value(const char *s, size_t len, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < len; i++)
		if (s[i] < '0' || s[i] > '9' ||
		    __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	*out = v;
	return len;
}

/* Parse [spaces]S.UUUUUU. */
static bool seconds_value(const char *s, size_t len, int64_t *ns)
{
	const char *point;
	int64_t whole, us;

	while (len && *s == ' ')
		s++, len--;
	point = memchr(s, '.', len);
	if (!point || s + len - point != 7 ||
	    !int_value(s, (size_t)(point - s), &whole) ||
	    !int_value(point + 1, 6, &us) || whole < 0 || us < 0)
		return false;
	*ns = tr2_json_ns(whole, us * 1000);
	return true;
}

/* Parse one shell word: bare, in single quotes, or with ' and ! after a
 * backslash. Git puts words with any other backslash in quotes; other programs
 * write them bare. */
static const char *unquote_word(struct tr2_buf *out, const char *p,
				const char *end)
{
	bool quoted = false;

	for (; p < end && (quoted || *p != ' '); p++) {
		if (*p == '\'')
			quoted = !quoted;
		else if (*p == '\\' && !quoted && p + 1 < end &&
			 (p[1] == '\'' || p[1] == '!'))
			tr2_buf_addch(out, *++p);
		else
			tr2_buf_addch(out, *p);
	}
	tr2_buf_addch(out, '\0');
	return p;
}

static bool words_value(struct tr2_buf *scratch, const char *s, size_t len,
			struct tr2_words_view *out)
{
	const char *end = s + len;
	size_t start = scratch->len;

	for (out->nr = 0; s < end; out->nr++) {
		s = unquote_word(scratch, s, end);
		if (s < end)
			s++; /* the space */
	}
	out->p = scratch->p + start;
	out->len = scratch->len - start;
	return !scratch->failed;
}

static bool set_field(struct matcher *x, int i, const char *s, size_t len)
{
	struct tr2_parsed_event *ev = x->ev;

	switch (tr2_event_rows[ev->kind].field[i].type) {
	case TR2_T_INT:
	case TR2_T_NESTING:
		return int_value(s, len, tr2_parsed_number_at(ev, i));
	case TR2_T_UINT:
		return uint_value(s, len, &ev->value[i].u);
	case TR2_T_SECONDS:
		return seconds_value(s, len, tr2_parsed_number_at(ev, i));
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
		return seconds_value(s, len, tr2_parsed_number_at(ev, i)) &&
		       tr2_json_is_time(*tr2_parsed_number_at(ev, i));
	case TR2_T_ARGV:
		return words_value(x->scratch, s, len, &ev->value[i].words);
	case TR2_T_STR:
	case TR2_T_JSON:
		ev->value[i].text = (struct tr2_view){ s, len };
		return true;
	case TR2_T_BOOL: /* no template has a field of these types */
	case TR2_T_HISTOGRAM:
		break;
	}
	return true;
}

/* Return the closing brace of a group. */
static const char *closing_brace(const char *t, const char *end)
{
	int depth = 0;

	for (; t < end; t++) {
		depth += (*t == '{') - (*t == '}');
		if (!depth)
			return t;
	}
	return end;
}

/* Return the next literal of the template; if an optional group is next, the
 * group's first literal. */
static const char *next_literal(const char *t, const char *end, size_t *len)
{
	const char *start, *body;

	if (t < end && *t == '{' && t + 1 < end && t[1] == '?') {
		body = memchr(t, ':', (size_t)(end - t));
		t = body ? body + 1 : end;
	}
	for (start = t; t < end && *t != '{' && *t != '}'; t++)
		;
	*len = (size_t)(t - start);
	return start;
}

/* Find the end of a field's text by the template after the field: the rest of
 * its group, then the text after the group. */
static const char *field_end(const struct matcher *x, const char *t,
			     const char *t_end)
{
	const char *literal, *at;
	size_t len;

	if (t == t_end && t_end != x->t_end) {
		t = t_end + 1; /* continue after the group's closing brace */
		t_end = x->t_end;
	}
	literal = next_literal(t, t_end, &len);

	/* A literal at the end of the template must be at the end of the
	 * text. */
	if (literal + len == t_end && (t == t_end || *t != '{'))
		return (size_t)(x->end - x->p) >= len ? x->end - len : x->end;
	at = len ? memmem(x->p, (size_t)(x->end - x->p), literal, len) : NULL;
	if (at)
		return at;
	/* The optional group is absent: try the template after it. */
	if (t < t_end && *t == '{' && t[1] == '?')
		return field_end(x, closing_brace(t, t_end) + 1, t_end);
	return x->end;
}

static bool match_field(struct matcher *x, const char *t, const char *close,
			const char *t_end)
{
	const char *name_end = memchr(t, ':', (size_t)(close - t));
	const char *end = field_end(x, close + 1, t_end);
	const char *start = x->p;
	int field;

	if (!name_end)
		name_end = close;
	field = tr2_field_find(x->ev->kind, t, (size_t)(name_end - t));
	x->p = end;
	return field >= 0 && set_field(x, field, start, (size_t)(end - start));
}

static bool match_range(struct matcher *x, const char *t, const char *t_end);

/* Match {?name:body}: the group is present if the text continues like the start
 * of the body. A group whose body begins with a field is never taken: it cannot
 * be distinguished from the text after the group. */
static bool match_group(struct matcher *x, const char *t, const char *close)
{
	const char *body = memchr(t, ':', (size_t)(close - t));
	const char *literal;
	size_t len;

	if (!body)
		return false;
	literal = next_literal(++body, close, &len);
	if (!len || (size_t)(x->end - x->p) < len ||
	    memcmp(x->p, literal, len) != 0)
		return true;
	return match_range(x, body, close);
}

static bool match_range(struct matcher *x, const char *t, const char *t_end)
{
	const char *close;

	while (t < t_end) {
		if (*t != '{') {
			if (x->p >= x->end || *x->p++ != *t++)
				return false;
			continue;
		}
		close = closing_brace(t, t_end);
		if (!(t[1] == '?' ? match_group(x, t + 2, close) :
				    match_field(x, t + 1, close, t_end)))
			return false;
		t = close + 1;
	}
	return true;
}

bool tr2_match(struct tr2_parsed_event *ev, const char *template,
	       const char *text, size_t len, struct tr2_buf *scratch)
{
	const char *end = template + strlen(template);
	struct matcher x = { ev, text, text + len, end, scratch };

	return match_range(&x, template, end);
}
