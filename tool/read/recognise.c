/* SPDX-License-Identifier: MIT */
/*
 * recognise - lines as Git and libtrace2 write them, at several times the
 * speed of a general parser: which field comes next is known, so that a
 * comparison takes the place of a search.
 *
 * This is no JSON parser. It accepts a small part of JSON only: members in the
 * order of the table without space between them, strings of printable ASCII
 * without escapes, decimal numbers of at most 18 digits, arrays of strings.
 * Anything else is handed on, and inside that part the result is the general
 * parser's. A function that takes a piece returns what is after it, or NULL.
 * Every line ends with a newline, which no piece contains: nothing reads past
 * it but comparisons of literals, and those within TR2_JSON_PADDING.
 */
#include <string.h>

#include "read/event_private.h"
#include "read/fields.h"

/* 13 days: so far, seconds times 1e9 in a double round to the right number. */
#define MAX_EXACT_NS (1ll << 50)

#define ONES 0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

/* Bytes that end or spoil a plain string have their high bit set: quote,
 * backslash, below 0x20, from 0x7f on. Exact up to the first of them. */
static inline uint64_t special_bytes(uint64_t x)
{
	uint64_t quote = x ^ ONES * '"', backslash = x ^ ONES * '\\';
	uint64_t del = x ^ ONES * 0x7f;

	return (((quote - ONES) & ~quote) | ((backslash - ONES) & ~backslash) |
		((del - ONES) & ~del) | ((x - ONES * 0x20) & ~x) | x) &
	       HIGHS;
}

/* From behind the opening quote to behind the closing one. */
static inline const char *plain_string(const char *p, struct tr2_view *out)
{
	const char *start = p;
	uint64_t x, special;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (;;) {
		memcpy(&x, p, 8);
		special = special_bytes(x);
		if (special)
			break;
		p += 8;
	}
	p += __builtin_ctzll(special) / 8;
#else
	for (; (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f &&
	       *p != '"' && *p != '\\'; p++)
		;
	(void)x, (void)special;
#endif
	if (*p != '"')
		return NULL;
	*out = (struct tr2_view){ start, (size_t)(p - start) };
	return p + 1;
}

/* The same, where the text is mostly that of the line before. */
static inline const char *likely_string(const char *p, const char *end,
					const char *likely, size_t likely_len,
					struct tr2_view *out)
{
	if (likely && likely_len < (size_t)(end - p) &&
	    p[likely_len] == '"' && !memcmp(p, likely, likely_len)) {
		*out = (struct tr2_view){ p, likely_len };
		return p + likely_len + 1;
	}
	return plain_string(p, out);
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number by JSON's grammar without exponent: its digits, and how many of
 * them stand behind the point. */
static inline const char *plain_number(const char *p, int64_t *value,
				       int *decimals)
{
	const char *start;
	bool negative = *p == '-';
	int64_t v = 0;

	p += negative;
	start = p;
	while (is_digit(*p) && p - start <= 18)
		v = v * 10 + (*p++ - '0');
	if (p == start || p - start > 18 || (*start == '0' && p - start > 1))
		return NULL;
	*decimals = 0;
	if (*p == '.') {
		const char *point = p++;

		while (is_digit(*p) && p - start <= 19)
			v = v * 10 + (*p++ - '0');
		*decimals = (int)(p - point - 1);
		if (!*decimals || p - start > 19)
			return NULL;
	}
	/* An exponent, or anything else that is not the end of a value. */
	if (*p != ',' && *p != '}')
		return NULL;
	if (negative && !v)
		return NULL;
	*value = negative ? -v : v;
	return p;
}

static inline const char *plain_seconds(const char *p, int64_t *ns)
{
	static const int64_t scale[] = { 1000000000, 100000000, 10000000,
					 1000000,    100000,    10000,
					 1000,	     100,	10, 1 };
	int64_t value;
	int decimals;

	p = plain_number(p, &value, &decimals);
	if (!p || decimals > 9)
		return NULL;
	/* Exact as a double, too: the general way goes through one. */
	if (value > MAX_EXACT_NS / scale[decimals] ||
	    value < -(MAX_EXACT_NS / scale[decimals]))
		return NULL;
	*ns = value * scale[decimals];
	return p;
}

static const char *plain_bool(const char *p, bool *value)
{
	*value = *p == 't';
	if (!memcmp(p, "true", 4))
		return p + 4;
	return memcmp(p, "false", 5) ? NULL : p + 5;
}

/* ["…","…"], copied to the scratch buffer word by word. */
static const char *plain_words(struct tr2_event_reader *r, const char *p,
			       struct tr2_words_view *out)
{
	struct tr2_buf *b = &r->scratch;
	size_t start = b->len;
	struct tr2_view word;

	if (*p++ != '[')
		return NULL;
	out->nr = 0;
	while (*p == '"') {
		p = plain_string(p + 1, &word);
		if (!p)
			return NULL;
		tr2_buf_add(b, word.p, word.len);
		tr2_buf_addch(b, '\0');
		out->nr++;
		if (*p == ',' && p[1] == '"')
			p++;
		else if (*p != ']')
			return NULL;
	}
	if (*p != ']' || b->failed)
		return NULL;
	out->p = b->p + start;
	out->len = b->len - start;
	return p + 1;
}

/* "YYYY-MM-DDTHH:MM:SS.uuuuuuZ": the minute is mostly that of the line before.
 */
static const char *plain_time(struct tr2_event_reader *r, const char *p,
			      const char *end, int64_t *wall_us)
{
	uint32_t us = 0, sec;
	int64_t whole;
	int i;

	if (end - p < 29 || p[27] != '"')
		return NULL;
	if (memcmp(p, r->minute, sizeof(r->minute)) != 0) {
		if (!tr2_parse_time(p, 27, &whole))
			return NULL;
		memcpy(r->minute, p, sizeof(r->minute));
		r->minute_us = whole - whole % 60000000;
		/* A leap second belongs to the next minute. */
		if (p[17] == '6')
			return memset(r->minute, 0, 1), NULL;
	}
	if (p[17] < '0' || p[17] > '5' || !is_digit(p[18]) || p[19] != '.' ||
	    p[26] != 'Z')
		return NULL;
	sec = (uint32_t)((p[17] - '0') * 10 + (p[18] - '0'));
	for (i = 20; i < 26; i++) {
		if (!is_digit(p[i]))
			return NULL;
		us = us * 10 + (uint32_t)(p[i] - '0');
	}
	*wall_us = r->minute_us + sec * 1000000 + us;
	return p + 28;
}

static inline const char *plain_int(const char *p, int64_t *value)
{
	int decimals;

	p = plain_number(p, value, &decimals);
	return p && !decimals ? p : NULL;
}

/* Strings of the fields, and what has strings in it. */
static inline const char *take_text(struct tr2_event_reader *r, const char *p,
				    const char *end, uint8_t type, void *member)
{
	if (type == TR2_T_ARGV)
		return plain_words(r, p, member);
	if (*p++ != '"')
		return NULL;
	switch (type) {
	case TR2_T_STR:
		return plain_string(p, member);
	case TR2_T_SID:
		return likely_string(p, end, r->sid, r->sid_len, &r->sid_seen);
	case TR2_T_THREAD:
		return likely_string(p, end, r->thread_name, r->thread_len,
				     &r->thread_seen);
	case TR2_T_TIME:
		return plain_time(r, p, end, member);
	default: /* JSON, HISTOGRAM */
		return NULL;
	}
}

static inline const char *take_value(struct tr2_event_reader *r, const char *p,
				     const char *end, uint8_t type,
				     void *member)
{
	int64_t value;

	switch (type) {
	case TR2_T_INT:
	case TR2_T_NESTING:
		return plain_int(p, member);
	case TR2_T_UINT:
		p = plain_int(p, &value);
		if (!p || value < 0)
			return NULL;
		*(uint64_t *)member = (uint64_t)value;
		return p;
	case TR2_T_SECONDS:
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
		return plain_seconds(p, member);
	case TR2_T_BOOL:
		return plain_bool(p, member);
	default:
		return take_text(r, p, end, type, member);
	}
}

/* Members from p on that stand in the table, in its order. */
static inline const char *take_members(struct tr2_event_reader *r,
				       const char *p, const char *end,
				       const struct tr2_slot *slot,
				       struct tr2_in *in)
{
	for (; slot->name && *p == ','; slot++) {
		if (p[2] != slot->name[0] ||
		    memcmp(p, slot->literal, slot->literal_len) != 0)
			continue;
		p = take_value(r, p + slot->literal_len, end, slot->type,
			       (char *)in + slot->offset);
		if (!p)
			return NULL;
	}
	return p;
}

/* The kind by its name; names are few and mostly those of before. */
static inline int kind_of(const struct tr2_view *name)
{
	static _Thread_local struct {
		uint64_t first;
		uint32_t len;
		int kind;
	} seen[64];
	uint64_t first;
	uint32_t at;

	memcpy(&first, name->p, 8);
	if (name->len < 8)
		first &= (1ull << name->len * 8) - 1;
	at = (uint32_t)((first * 0x9e3779b97f4a7c15ull) >> 52) + name->p[name->len - 1];
	at = (at ^ (uint32_t)name->len) & 63;
	if (seen[at].first != first || seen[at].len != name->len ||
	    strncmp(tr2_event_rows[seen[at].kind].name, name->p, name->len) != 0) {
		int kind = tr2_kind_of(name->p, name->len);

		if (kind < 0)
			return -1;
		seen[at].first = first;
		seen[at].len = (uint32_t)name->len;
		seen[at].kind = kind;
	}
	return seen[at].kind;
}

bool tr2_recognise(struct tr2_event_reader *r, const char *line, size_t len,
		   struct tr2_in *in)
{
	static const char start[] = "{\"event\":\"";
	const char *end = line + len, *p;

	/* The shortest that is an event, and what may be looked at freely. */
	if (len < 32 || memcmp(line, start, sizeof(start) - 1) != 0 ||
	    end[-1] != '}')
		return false;
	tr2_buf_reset(&r->scratch);
	if (!tr2_buf_room(&r->scratch, len))
		return false;
	*in = tr2_in_init;
	r->thread_seen = r->sid_seen = (struct tr2_view){ NULL, 0 };
	p = plain_string(line + sizeof(start) - 1, &in->event);
	if (!p || !in->event.len)
		return false;
	in->kind = kind_of(&in->event);
	if (in->kind < 0)
		return false;
	p = take_members(r, p, end, tr2_slots_common, in);
	if (p)
		p = take_members(r, p, end, tr2_slots_of_event[in->kind], in);
	return p && p == end - 1;
}
