/* SPDX-License-Identifier: MIT */
/*
 * as_event - see read/as_event.h.
 */
#include <string.h>

#include "event/render.h"
#include "read/as_event.h"
#include "read/fields.h"
#include "read/pieces.h"

/* A copy that ends with NUL; the buffer has room, and does not move. */
static const char *text_of(struct tr2_as_event *e, const struct tr2_view *v)
{
	const char *copy = e->text.p + e->text.len;

	if (!v->p)
		return NULL;
	tr2_buf_add(&e->text, v->p, v->len);
	tr2_buf_addch(&e->text, '\0');
	return copy;
}

/* Pointers to the words, and NULL; they stand behind each other in `words`. */
static const char *const *argv_of(struct tr2_as_event *e,
				  const struct tr2_words_view *v)
{
	size_t start = e->words.len;
	const char *word = v->p;
	uint32_t i;

	if (!v->p)
		return NULL;
	for (i = 0; i < v->nr; i++) {
		tr2_buf_add(&e->words, &word, sizeof(word));
		word += strlen(word) + 1;
	}
	word = NULL;
	tr2_buf_add(&e->words, &word, sizeof(word));
	return (const char *const *)(const void *)(e->words.p + start);
}

/* Digits, and a number that fits. */
static const char *number_of(const char *p, const char *end, uint64_t *value)
{
	const char *start = p;
	uint64_t n = 0;

	for (; p < end && tr2_is_digit(*p); p++)
		if (__builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return NULL;
	*value = n;
	return p > start ? p : NULL;
}

/* Seconds with at most nine decimals, which is how the library writes them. */
static const char *seconds_of(const char *p, const char *end, uint64_t *ns)
{
	uint64_t part = 0, whole;
	size_t decimals = 0;

	p = number_of(p, end, &whole);
	if (p && p < end && *p == '.') {
		const char *point = p++;

		p = number_of(p, end, &part);
		decimals = p ? (size_t)(p - point - 1) : 0;
	}
	if (!p || decimals > 9)
		return NULL;
	for (; decimals < 9; decimals++)
		part *= 10;
	if (__builtin_mul_overflow(whole, 1000000000u, ns) ||
	    __builtin_add_overflow(*ns, part, ns))
		return NULL;
	return p;
}

static const char *sign_of(const char *p, const char *end, char sign)
{
	while (p && p < end && *p == ' ')
		p++;
	return p && p < end && *p == sign ? p + 1 : NULL;
}

/* [UPPER,COUNT] */
static const char *bucket_of(const char *p, const char *end, uint64_t bucket[2])
{
	p = sign_of(p, end, '[');
	p = p ? seconds_of(p, end, &bucket[0]) : NULL;
	p = sign_of(p, end, ',');
	while (p && p < end && *p == ' ')
		p++;
	p = p ? number_of(p, end, &bucket[1]) : NULL;
	return sign_of(p, end, ']');
}

/* From the text that a loader gives, [[UPPER,COUNT],...]; NULL where it is
 * something else. */
static const struct tr2_histogram *histogram_of(struct tr2_as_event *e,
						const struct tr2_view *v)
{
	const char *p = v->p, *end = v->p ? v->p + v->len : NULL, *next;
	uint64_t bucket[2];
	unsigned int nr = 0;

	_Static_assert(sizeof(struct tr2_histogram) == sizeof(uint64_t) &&
			       sizeof(((struct tr2_histogram *)0)->bucket[0]) ==
				       sizeof(bucket),
		       "buckets stand behind the number without a gap");
	tr2_buf_reset(&e->histogram);
	tr2_buf_add(&e->histogram, (const char[sizeof(uint64_t)]){ 0 },
		    sizeof(uint64_t));
	for (p = sign_of(p, end, '['); p; p = next, nr++) {
		p = bucket_of(p, end, bucket);
		if (!p)
			return NULL;
		tr2_buf_add(&e->histogram, bucket, sizeof(bucket));
		next = sign_of(p, end, ',');
		if (!next)
			break;
	}
	p = sign_of(p, end, ']');
	if (!p || p != end || e->histogram.failed)
		return NULL;
	nr++;
	memcpy(e->histogram.p, &nr, sizeof(nr));
	return (const void *)e->histogram.p;
}

static uint64_t positive(int64_t value)
{
	return value == TR2_ABSENT || value < 0 ? 0 : (uint64_t)value;
}

static void set_value(struct tr2_as_event *e, const struct tr2_in *in,
		      const struct tr2_slot *slot, struct tr2_value *out)
{
	const void *member = (const char *)in + slot->offset;
	int64_t number;

	memset(out, 0, sizeof(*out));
	switch (slot->type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		out->s = text_of(e, member);
		break;
	case TR2_T_ARGV:
		out->argv = argv_of(e, member);
		break;
	case TR2_T_INT:
		memcpy(&number, member, sizeof(number));
		out->i = number == TR2_ABSENT ? 0 : number;
		break;
	case TR2_T_UINT:
		memcpy(&out->u, member, sizeof(out->u));
		break;
	case TR2_T_BOOL:
		out->u = *(const bool *)member;
		break;
	case TR2_T_SECONDS:
		memcpy(&number, member, sizeof(number));
		out->u = positive(number);
		break;
	case TR2_T_HISTOGRAM:
		out->histogram = histogram_of(e, member);
		break;
	default: /* from the event's head */
		break;
	}
}

/* Room for every string of the event. */
static bool make_room(struct tr2_as_event *e, const struct tr2_in *in)
{
	size_t words = (size_t)in->argv.nr + in->ancestry.nr + 4;

	tr2_buf_reset(&e->text);
	tr2_buf_reset(&e->words);
	tr2_buf_reset(&e->head);
	tr2_buf_reset(&e->perf_head);
	/* Decoded text is never longer than the line, but U+FFFD for NUL. */
	return tr2_buf_room(&e->text, in->raw.len * 3 + 4096) &&
	       tr2_buf_room(&e->words, words * sizeof(char *));
}

static void set_who(struct tr2_as_event *e, const struct tr2_model *m,
		    const struct tr2_in *in)
{
	const struct tr2_session *s = &m->sessions[in->session];

	e->who.thread_name = tr2_s(m, m->threads[in->thread].name);
	tr2_render_json_head(&e->head, s->sid, e->who.thread_name);
	tr2_render_perf_head(&e->perf_head, s->depth, e->who.thread_name);
	e->who.json_head = e->head.p;
	e->who.json_head_len = e->head.len;
	e->who.perf_head = e->perf_head.p;
	e->who.perf_head_len = e->perf_head.len;
}

bool tr2_as_event(struct tr2_as_event *e, const struct tr2_model *m,
		  const struct tr2_in *in, unsigned int nesting)
{
	const struct tr2_slot *slot = tr2_slots_of_event[in->kind];
	const struct tr2_session *s = &m->sessions[in->session];
	struct tr2_view none = { "", 0 };
	size_t i;

	if (!make_room(e, in))
		return false;
	for (i = 0; slot[i].name; i++)
		set_value(e, in, &slot[i], &e->values[i]);
	set_who(e, m, in);
	e->event = (struct tr2_event){
		.kind = (enum tr2_event_kind)in->kind,
		.v = e->values,
		.who = &e->who,
		.file = text_of(e, in->file.p ? &in->file : &none),
		.line = (int)positive(in->line),
		.repo_id = (int)positive(in->repo),
		.nesting = nesting,
		.wall_us = positive(in->wall_us),
		.t_abs_ns = positive(in->t_abs),
		.t_rel_ns = positive(in->t_rel),
	};
	if (in->wall_us == TR2_ABSENT)
		e->event.wall_us = positive((s->wall_ns + s->now_ns) / 1000);
	/* region_enter has no t_abs in JSON. */
	if (in->t_abs == TR2_ABSENT)
		e->event.t_abs_ns = positive(
			(int64_t)e->event.wall_us * 1000 - s->wall_ns);
	return !e->text.failed && !e->words.failed && !e->head.failed &&
	       !e->perf_head.failed;
}

void tr2_as_event_release(struct tr2_as_event *e)
{
	tr2_buf_release(&e->text);
	tr2_buf_release(&e->words);
	tr2_buf_release(&e->histogram);
	tr2_buf_release(&e->head);
	tr2_buf_release(&e->perf_head);
}
