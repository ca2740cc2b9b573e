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
 * it but whole machine words, and those within TR2_JSON_PADDING.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "read/event_private.h"
#include "read/fields.h"

/* 13 days: so far, seconds times 1e9 in a double round to the right number. */
#define MAX_EXACT_NS (1ll << 50)

#define ONES 0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

#ifndef __SSE2__
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
#endif

/* How many bytes from p on are none of those. */
static inline size_t plain_length(const char *p)
{
	const char *start = p;
#if defined(__SSE2__)
	for (;; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		/* Bytes from 0x80 on are negative, and so below 0x20. */
		__m128i bad = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
				     _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'))),
			_mm_or_si128(_mm_cmplt_epi8(x, _mm_set1_epi8(0x20)),
				     _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f))));
		unsigned int mask = (unsigned int)_mm_movemask_epi8(bad);

		if (mask)
			return (size_t)(p - start) +
			       (size_t)__builtin_ctz(mask);
	}
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (;; p += 8) {
		uint64_t x, special;

		memcpy(&x, p, 8);
		special = special_bytes(x);
		if (special)
			return (size_t)(p - start) +
			       (size_t)__builtin_ctzll(special) / 8;
	}
#else
	while ((unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f &&
	       *p != '"' && *p != '\\')
		p++;
	return (size_t)(p - start);
#endif
}

/* From behind the opening quote to behind the closing one. */
static inline const char *plain_string(const char *p, struct tr2_view *out)
{
	size_t len = plain_length(p);

	if (p[len] != '"')
		return NULL;
	*out = (struct tr2_view){ p, len };
	return p + len + 1;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The six digits at p as a number; false: they are not. 8 bytes are read. */
static inline bool six_digits(const char *p, int64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t x;

	memcpy(&x, p, 8);
	/* As eight digits: two zeros before them. */
	x = x << 16 | 0x3030;
	if (((x & 0xf0f0f0f0f0f0f0f0ull) |
	     (((x + 0x0606060606060606ull) & 0xf0f0f0f0f0f0f0f0ull) >> 4)) !=
	    0x3333333333333333ull)
		return false;
	/* Pairs, then fours, then all: neighbours are added up at once. */
	x = (x & 0x0f0f0f0f0f0f0f0full) * ((10 << 8) + 1) >> 8;
	x = (x & 0x00ff00ff00ff00ffull) * ((100 << 16) + 1) >> 16;
	x = (x & 0x0000ffff0000ffffull) * ((10000ull << 32) + 1) >> 32;
	*value = (int64_t)x;
	return true;
#else
	int i;

	for (*value = 0, i = 0; i < 6; i++) {
		if (!is_digit(p[i]))
			return false;
		*value = *value * 10 + (p[i] - '0');
	}
	return true;
#endif
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

	/* Mostly it is less than ten seconds, in microseconds. */
	if (p[1] == '.' && (p[8] == ',' || p[8] == '}') && is_digit(*p) &&
	    six_digits(p + 2, &value)) {
		*ns = (*p - '0') * 1000000000ll + value * 1000;
		return p + 8;
	}
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

/* SS.uuuuuuZ" of the reader's minute. A leap second is left to the others. */
static inline const char *seconds_of_minute(const struct tr2_event_reader *r,
					    const char *p, int64_t *wall_us)
{
	int64_t us, sec;

	if (p[0] < '0' || p[0] > '5' || !is_digit(p[1]) || p[2] != '.' ||
	    p[9] != 'Z' || p[10] != '"' || !six_digits(p + 3, &us))
		return NULL;
	sec = (p[0] - '0') * 10 + (p[1] - '0');
	*wall_us = r->minute_us + sec * 1000000 + us;
	return p + 11;
}

/* YYYY-MM-DDTHH:MM:SS.uuuuuuZ": the minute is mostly that of the line before.
 */
static const char *plain_time(struct tr2_event_reader *r, const char *p,
			      const char *end, int64_t *wall_us)
{
	int64_t whole;

	if (end - p < 29)
		return NULL;
	if (memcmp(p, r->minute, sizeof(r->minute)) != 0) {
		/* A leap second belongs to the next minute. */
		if (!tr2_parse_time(p, 27, &whole) || p[17] == '6')
			return NULL;
		memcpy(r->minute, p, sizeof(r->minute));
		r->minute_us = whole - whole % 60000000;
	}
	return seconds_of_minute(r, p + sizeof(r->minute), wall_us);
}

static inline const char *plain_int(const char *p, int64_t *value)
{
	const char *start;
	bool negative = *p == '-';
	int64_t v = 0;

	p += negative;
	start = p;
	while (is_digit(*p) && p - start <= 18)
		v = v * 10 + (*p++ - '0');
	/* No number, too long a one, a zero before it, a point, an exponent,
	 * or anything else that is not the end of a value. */
	if (p == start || p - start > 18 || (*start == '0' && p - start > 1) ||
	    (*p != ',' && *p != '}') || (negative && !v))
		return NULL;
	*value = negative ? -v : v;
	return p;
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
		return plain_string(p, &r->sid_seen);
	case TR2_T_THREAD:
		return plain_string(p, &r->thread_seen);
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

/* Whether the text at p begins as the literal, which has `len` bytes of 16. */
static inline bool begins_with(const char *p, const char *literal, size_t len)
{
#ifdef __SSE2__
	__m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i b = _mm_loadu_si128((const __m128i *)(const void *)literal);
	unsigned int want = (1u << len) - 1;

	return ((unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) & want) ==
	       want;
#else
	return !memcmp(p, literal, len);
#endif
}

/* Members from p on that stand in the table, in its order. */
static inline const char *take_members(struct tr2_event_reader *r,
				       const char *p, const char *end,
				       const struct tr2_slot *slot,
				       struct tr2_in *in)
{
	for (; slot->name && *p == ','; slot++) {
		if (!begins_with(p, slot->literal, slot->literal_len))
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
		char name[16];
		uint32_t len;
		int kind;
	} seen[64], *s;
	uint64_t first;

	if (name->len > sizeof(s->name))
		return -1;
	memcpy(&first, name->p, 8);
	s = &seen[((first ^ name->len) * 0x9e3779b97f4a7c15ull) >> 58];
	if (s->len != name->len || !begins_with(name->p, s->name, s->len)) {
		s->kind = tr2_kind_of(name->p, name->len);
		s->len = (uint32_t)name->len;
		memset(s->name, 0, sizeof(s->name));
		memcpy(s->name, name->p, name->len);
	}
	return s->kind;
}

/*
 * Most lines have the sid, the thread and the minute of the line before them:
 * one comparison takes all three, and says that the session is the same.
 */
static inline const char *take_same_head(struct tr2_event_reader *r,
					 const char *p, const char *end,
					 struct tr2_in *in)
{
	if (!r->head_len || (size_t)(end - p) < r->head_len + 12 ||
	    memcmp(p, r->head, r->head_len) != 0)
		return NULL;
	r->sid_seen.p = p + TR2_SID_AT;
	r->sid_seen.len = r->head_sid_len;
	r->thread_seen.p = r->sid_seen.p + r->head_sid_len + TR2_THREAD_AT;
	r->thread_seen.len = r->head_thread_len;
	return seconds_of_minute(r, p + r->head_len, &in->wall_us);
}

/* Keeps the head of a line, from p on, that has all three. */
static void keep_head(struct tr2_event_reader *r, const char *p,
		      const struct tr2_in *in)
{
	size_t len;

	if (!r->sid_seen.p || !r->thread_seen.p || in->wall_us == TR2_ABSENT)
		return;
	len = (size_t)(r->thread_seen.p - p) + r->thread_seen.len + TR2_TIME_AT +
	      sizeof(r->minute);
	if (len > sizeof(r->head))
		return;
	memcpy(r->head, p, len);
	r->head_len = len;
	r->head_sid_len = r->sid_seen.len;
	r->head_thread_len = r->thread_seen.len;
}

/* The fields that all events have. */
static inline const char *take_common(struct tr2_event_reader *r,
				      const char *p, const char *end,
				      struct tr2_in *in)
{
	const char *after = take_same_head(r, p, end, in);

	if (after)
		return take_members(r, after, end,
				    tr2_slots_common + TR2_HEAD_SLOTS, in);
	tr2_forget_head(r);
	r->thread_seen = r->sid_seen = (struct tr2_view){ NULL, 0 };
	after = take_members(r, p, end, tr2_slots_common, in);
	if (after)
		keep_head(r, p, in);
	return after;
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
	p = plain_string(line + sizeof(start) - 1, &in->event);
	if (!p || !in->event.len)
		return false;
	in->kind = kind_of(&in->event);
	if (in->kind < 0)
		return false;
	p = take_common(r, p, end, in);
	if (p)
		p = take_members(r, p, end, tr2_slots_of_event[in->kind], in);
	return p && p == end - 1;
}
