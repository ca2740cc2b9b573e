/* SPDX-License-Identifier: MIT */
/*
 * event_json_fast - parse lines in the form in which Git and libtrace2 write
 * them, several times faster than a general parser. The next field is known, so
 * a comparison replaces a search.
 *
 * This is not a JSON parser. It accepts a small subset of JSON: members in the
 * order of the table without space between them, strings of printable ASCII
 * without escapes, decimal numbers of at most 18 digits, and arrays of strings
 * (format/events/scan.h). The general parser parses all other lines, and gives
 * the same result for this subset.
 *
 * Each event has its own function, expanded from events.def. The function
 * parses the fields one after the other. It compares each name with a literal
 * whose length the compiler knows.
 */
#include "common/time.h"
#include "format/events/event_json_private.h"
#include "format/events/scan.h"

/* Parse ["…","…"], and copy the words to the scratch buffer. */
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
		p = tr2_plain_string(p + 1, &word);
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

/* Parse SS.uuuuuuZ" within the minute of r->minute_us. The general parser
 * handles leap seconds. */
static inline const char *seconds_of_minute(const struct tr2_event_reader *r,
					    const char *p, int64_t *wall_us)
{
	int64_t us, sec;

	if (p[0] < '0' || p[0] > '5' || !tr2_is_digit(p[1]) || p[2] != '.' ||
	    p[9] != 'Z' || p[10] != '"' || !tr2_six_digits(p + 3, &us))
		return NULL;
	sec = (p[0] - '0') * 10 + (p[1] - '0');
	*wall_us = r->minute_us + sec * 1000000 + us;
	return p + 11;
}

/* Parse YYYY-MM-DDTHH:MM:SS.uuuuuuZ". Most lines have the minute of the
 * previous line. */
static const char *plain_time(struct tr2_event_reader *r, const char *p,
			      int64_t *wall_us)
{
	int64_t whole, us;

	if (!r->minute[0] || memcmp(p, r->minute, sizeof(r->minute)) != 0) {
		/* Leave other forms to the general parser. A text of 27 bytes
		 * may have an offset; a leap second belongs to the next
		 * minute. */
		if (p[4] != '-' || p[10] != 'T' || p[19] != '.' ||
		    !tr2_six_digits(p + 20, &us) ||
		    !tr2_parse_time(p, 27, &whole) || p[17] == '6')
			return NULL;
		memcpy(r->minute, p, sizeof(r->minute));
		r->minute_us = whole - whole % 60000000;
	}
	return seconds_of_minute(r, p + sizeof(r->minute), wall_us);
}

/*
 * parse_TYPE(r, p, member) parses a value of this type into the member. The
 * general parser handles the types JSON and HISTOGRAM.
 */
#define parse_INT(r, p, member) tr2_plain_int(p, member)
#define parse_SECONDS(r, p, member) tr2_plain_seconds(p, member)
#define parse_BOOL(r, p, member) tr2_plain_bool(p, member)
#define parse_ARGV(r, p, member) plain_words(r, p, member)
#define parse_JSON(r, p, member) ((void)(member), NULL)
#define parse_TIME(r, p, member) \
	(*(p) == '"' ? plain_time(r, (p) + 1, member) : NULL)
#define parse_STR(r, p, member) \
	(*(p) == '"' ? tr2_plain_string((p) + 1, member) : NULL)

static inline const char *parse_UINT(const struct tr2_event_reader *r,
				     const char *p, uint64_t *member)
{
	int64_t value;

	(void)r;
	p = tr2_plain_int(p, &value);
	if (!p || value < 0)
		return NULL;
	*member = (uint64_t)value;
	return p;
}

#define STANDS_AT(p, literal) (!memcmp(p, literal, sizeof(literal) - 1))

/* If the next member has this name, parse its value into `member`; else run
 * `absent`. */
#define TAKE(type, name, member, absent)                               \
	if (STANDS_AT(p, ",\"" #name "\":")) {                         \
		p = parse_##type(r, p + sizeof(",\"" #name "\":") - 1, \
				 member);                              \
		if (!p)                                                \
			return NULL;                                   \
	} else {                                                       \
		absent;                                                \
	}

#define NO_TEXT ((struct tr2_view){ NULL, 0 })
#define NO_WORDS ((struct tr2_words_view){ NULL, 0, 0 })

/* FIELD_TYPE(name) parses a field of the table. `v` is the struct with the
 * event's fields. */
#define FIELD_STR(name) TAKE(STR, name, &v->name.text, v->name.text = NO_TEXT)
#define FIELD_JSON(name) TAKE(JSON, name, &v->name.text, v->name.text = NO_TEXT)
#define FIELD_HISTOGRAM(name)                                   \
	TAKE(JSON, name, &v->name.text, v->name.text = NO_TEXT) \
	v->name.histogram = NULL;
#define FIELD_ARGV(name) \
	TAKE(ARGV, name, &v->name.words, v->name.words = NO_WORDS)
#define FIELD_INT(name) TAKE(INT, name, &v->name.i, v->name.i = TR2_ABSENT)
#define FIELD_SECONDS(name) \
	TAKE(SECONDS, name, &v->name.i, v->name.i = TR2_ABSENT)
#define FIELD_UINT(name) TAKE(UINT, name, &v->name.u, v->name.u = 0)
#define FIELD_BOOL(name) TAKE(BOOL, name, &v->name.b, v->name.b = false)
/* If one of these fields is absent, do nothing: the field was set to TR2_ABSENT
 * before. */
#define FIELD_T_ABS(name) TAKE(SECONDS, name, &ev->t_abs, (void)0)
#define FIELD_T_REL(name) TAKE(SECONDS, name, &ev->t_rel, (void)0)
#define FIELD_NESTING(name) TAKE(INT, name, &ev->nesting, (void)0)

/* Define a function for each event, which parses the fields in the order of the
 * event's row. */
#define TR2_FIELD(type, name, flags) FIELD_##type(name)
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	static const char *parse_##name(struct tr2_event_reader *r,  \
					const char *p,               \
					struct tr2_parsed_event *ev) \
	{                                                            \
		struct tr2_parsed_##name *v = &ev->as.name;          \
		(void)r;                                             \
		(void)v;                                             \
		fields return p;                                     \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

typedef const char *parse_fn(struct tr2_event_reader *r, const char *p,
			     struct tr2_parsed_event *ev);

static parse_fn *const parse_fields[TR2_EVENT_NR] = {
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	[TR2_EV_##name] = parse_##name,
#include "event/events.def"
#undef TR2_EVENT
};

/*
 * Parse the event's name, from after its opening quote, and set the kind. NULL:
 * the name is unknown. For most names the text after the name is always the
 * same. So 16 bytes identify a name and its end, and a small cache maps such
 * texts to kinds.
 */
static inline const char *parse_kind(struct tr2_event_reader *r, const char *p,
				     struct tr2_parsed_event *ev)
{
	struct tr2_seen_kind *s =
		&r->seen[(tr2_load8(p) * 0x9e3779b97f4a7c15ull) >>
			 (64 - TR2_SEEN_BITS)];
	const char *after;

	if (!s->len || memcmp(p, s->text, sizeof(s->text)) != 0) {
		after = tr2_plain_string(p, &ev->event);
		if (!after || !ev->event.len ||
		    ev->event.len >= sizeof(s->text))
			return NULL;
		s->kind = tr2_kind_of(p, ev->event.len);
		s->len = ev->event.len;
		memcpy(s->text, p, sizeof(s->text));
	}
	ev->kind = s->kind;
	ev->event = (struct tr2_view){ p, s->len };
	return s->kind < 0 ? NULL : p + s->len + 1;
}

/*
 * Parse the sid, the thread and the minute with one comparison, if all three
 * are the same as in the previous line, as in most lines. The session is then
 * the same, too.
 */
static inline const char *parse_same_head(struct tr2_event_reader *r,
					  const char *p, const char *end,
					  struct tr2_parsed_event *ev)
{
	if (!r->head_len || (size_t)(end - p) < r->head_len ||
	    memcmp(p, r->head, r->head_len) != 0)
		return NULL;
	r->sid_seen.p = p + TR2_SID_AT;
	r->sid_seen.len = r->head_sid_len;
	r->thread_seen.p = r->sid_seen.p + r->head_sid_len + TR2_THREAD_AT;
	r->thread_seen.len = r->head_thread_len;
	return seconds_of_minute(r, p + r->head_len, &ev->wall_us);
}

/* Keep the head of a line, from p on, if the head has sid, thread and time. */
static void keep_head(struct tr2_event_reader *r, const char *p,
		      const struct tr2_parsed_event *ev)
{
	size_t len;

	if (!r->sid_seen.p || !r->thread_seen.p || ev->wall_us == TR2_ABSENT)
		return;
	len = (size_t)(r->thread_seen.p - p) + r->thread_seen.len +
	      TR2_TIME_AT + sizeof(r->minute);
	if (len > sizeof(r->head))
		return;
	memcpy(r->head, p, len);
	r->head_len = len;
	r->head_sid_len = r->sid_seen.len;
	r->head_thread_len = r->thread_seen.len;
}

/* Parse a head whose session, thread or minute differs from the previous
 * line's. */
static const char *parse_other_head(struct tr2_event_reader *r, const char *p,
				    struct tr2_parsed_event *ev)
{
	const char *start = p;

	tr2_forget_head(r);
	TAKE(STR, sid, &r->sid_seen, r->sid_seen = NO_TEXT)
	TAKE(STR, thread, &r->thread_seen, r->thread_seen = NO_TEXT)
	TAKE(TIME, time, &ev->wall_us, ev->wall_us = TR2_ABSENT)
	keep_head(r, start, ev);
	return p;
}

/* Parse the source file and line of the event. */
static inline const char *parse_place(struct tr2_event_reader *r, const char *p,
				      struct tr2_parsed_event *ev)
{
	(void)r;
	TAKE(STR, file, &ev->file, ev->file = NO_TEXT)
	TAKE(INT, line, &ev->line, ev->line = TR2_ABSENT)
	TAKE(INT, repo, &ev->repo, ev->repo = TR2_ABSENT)
	return p;
}

size_t tr2_event_json_fast(struct tr2_event_reader *r, const char *line,
			   const char *end, struct tr2_parsed_event *ev)
{
	static const char start[] = "{\"event\":\"";
	const char *p, *head;

	if (end - line < TR2_SHORTEST_LINE || !STANDS_AT(line, start))
		return 0;
	/* The words must not move while views point to them. */
	tr2_buf_reset(&r->scratch);
	if (!tr2_buf_room(&r->scratch, (size_t)(end - line)))
		return 0;
	ev->t_abs = ev->t_rel = ev->nesting = TR2_ABSENT;
	ev->padded = true;
	ev->bad_time = false;
	head = parse_kind(r, line + sizeof(start) - 1, ev);
	if (!head)
		return 0;
	p = parse_same_head(r, head, end, ev);
	if (!p)
		p = parse_other_head(r, head, ev);
	if (p)
		p = parse_place(r, p, ev);
	if (p)
		p = parse_fields[ev->kind](r, p, ev);
	return p && *p == '}' && p[1] == '\n' ? (size_t)(p + 1 - line) : 0;
}
