/* SPDX-License-Identifier: MIT */
/*
 * event_json - one line, one event.
 *
 * Almost every line is written by Git or by us: the fields of the table, in
 * its order, plain ASCII without escapes. The recogniser (read/recognise.c)
 * takes exactly those lines, and gives up on the first byte that is not as
 * expected; all others go to simdjson. Both fill the same struct tr2_in, and a
 * test holds them against each other (TRACE2_TEST_PARSER=simdjson leaves the
 * recogniser out).
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "read/event_json.h"
#include "read/event_private.h"
#include "read/fields.h"
#include "read/lines.h"
#include "read/utf8.h"

struct tr2_event_reader *tr2_event_reader_new(struct tr2_model *m,
					      tr2_event_fn *fn, void *data)
{
	struct tr2_event_reader *r = calloc(1, sizeof(*r));
	const char *parser = getenv("TRACE2_TEST_PARSER");

	if (!r)
		return NULL;
	r->m = m;
	r->fn = fn;
	r->data = data;
	r->only_simdjson = parser && !strcmp(parser, "simdjson");
	r->json = tr2_json_new();
	if (!r->json) {
		free(r);
		return NULL;
	}
	return r;
}

void tr2_event_reader_free(struct tr2_event_reader *r)
{
	if (!r)
		return;
	tr2_json_free(r->json);
	tr2_buf_release(&r->scratch);
	tr2_buf_release(&r->repaired);
	free(r);
}

void tr2_event_reader_source(struct tr2_event_reader *r, tr2_str source)
{
	r->source = source;
}

bool tr2_event_json_looks(const char *text, size_t len)
{
	static const char start[] = "{\"event\":";

	while (len && (*text == ' ' || *text == '\n' || *text == '\r' ||
		       *text == '\t'))
		text++, len--;
	if (len >= sizeof(start) - 1)
		return !memcmp(text, start, sizeof(start) - 1) ||
		       *text == '{';
	return len && *text == '{';
}

/* ---- time -------------------------------------------------------------------- */

static bool digits(const char *s, size_t n, unsigned int *value)
{
	*value = 0;
	while (n--) {
		unsigned int d = (unsigned char)*s++ - (unsigned int)'0';

		if (d > 9)
			return false;
		*value = *value * 10 + d;
	}
	return true;
}

/* Days from 1970-01-01 in the Gregorian calendar. */
static int64_t days_of(unsigned int y, unsigned int mon, unsigned int d)
{
	unsigned int era_year;

	y -= mon <= 2;
	era_year = y % 400;
	return (int64_t)(y / 400) * 146097 + era_year * 365 + era_year / 4 -
	       era_year / 100 + (153 * (mon + (mon > 2 ? -3u : 9u)) + 2) / 5 +
	       d - 1 - 719468;
}

bool tr2_parse_time(const char *s, size_t len, int64_t *wall_us)
{
	unsigned int y, mon, d, h, min, sec, us;

	if (len != 27 || s[4] != '-' || s[7] != '-' || s[10] != 'T' ||
	    s[13] != ':' || s[16] != ':' || s[19] != '.' || s[26] != 'Z')
		return false;
	if (!digits(s, 4, &y) || !digits(s + 5, 2, &mon) ||
	    !digits(s + 8, 2, &d) || !digits(s + 11, 2, &h) ||
	    !digits(s + 14, 2, &min) || !digits(s + 17, 2, &sec) ||
	    !digits(s + 20, 6, &us))
		return false;
	if (y < 1970 || y > 2115 || mon < 1 || mon > 12 || d < 1 || d > 31 ||
	    h > 23 || min > 59 || sec > 60)
		return false;
	*wall_us = (((days_of(y, mon, d) * 24 + h) * 60 + min) * 60 + sec) *
			   1000000 + us;
	return true;
}

/* ---- the general way --------------------------------------------------------- */

/* What simdjson hands over goes through here, for one line. */
struct general {
	struct tr2_event_reader *r;
	struct tr2_in *in;
	bool wrong_type;
};

static struct tr2_view scratch_from(struct tr2_buf *b, size_t start)
{
	return (struct tr2_view){ b->p + start, b->len - start };
}

/* The text of any value, for a field that wants a string: as_json keeps the
 * quotes of one. */
static bool text_of(struct general *g, const struct tr2_json_value *v,
		    bool as_json, struct tr2_view *out)
{
	struct tr2_buf *b = &g->r->scratch;
	size_t start = b->len;

	switch (v->type) {
	case TR2_JSON_STRING:
		*out = v->text;
		if (!as_json)
			return true;
		tr2_buf_addch(b, '"');
		tr2_json_add_escaped(b, v->text.p, v->text.len);
		tr2_buf_addch(b, '"');
		break;
	case TR2_JSON_INT:
	case TR2_JSON_UINT:
	case TR2_JSON_BOOL:
		tr2_json_add_scalar(b, v);
		break;
	case TR2_JSON_NULL:
		if (!as_json)
			return false;
		tr2_buf_addlit(b, "null");
		break;
	case TR2_JSON_WORDS:
		*out = v->raw;
		return as_json;
	default:
		*out = v->text;
		return as_json || v->type == TR2_JSON_DECIMAL;
	}
	*out = scratch_from(b, start);
	return !b->failed;
}

static bool seconds_of(const struct tr2_json_value *v, int64_t *ns)
{
	if (v->type == TR2_JSON_DECIMAL) {
		*ns = v->ns;
		return v->ns != TR2_ABSENT;
	}
	if (v->type != TR2_JSON_INT || v->i <= -TR2_JSON_MAX_SECONDS ||
	    v->i >= TR2_JSON_MAX_SECONDS)
		return false;
	*ns = v->i * 1000000000;
	return true;
}

static bool uint_of(const struct tr2_json_value *v, uint64_t *out)
{
	if (v->type == TR2_JSON_UINT)
		*out = v->u;
	else if (v->type == TR2_JSON_INT && v->i >= 0)
		*out = (uint64_t)v->i;
	else
		return false;
	return true;
}

static bool set_number(void *member, uint8_t type,
		       const struct tr2_json_value *v)
{
	switch (type) {
	case TR2_T_INT:
	case TR2_T_NESTING:
		if (v->type != TR2_JSON_INT)
			return false;
		*(int64_t *)member = v->i;
		return true;
	case TR2_T_UINT:
		return uint_of(v, member);
	case TR2_T_BOOL:
		if (v->type != TR2_JSON_BOOL)
			return false;
		*(bool *)member = v->i;
		return true;
	default: /* SECONDS, T_ABS, T_REL */
		return seconds_of(v, member);
	}
}

static bool set_slot(struct general *g, const struct tr2_slot *slot,
		     const struct tr2_json_value *v)
{
	char *member = (char *)g->in + slot->offset;
	struct tr2_words_view *words;
	struct tr2_view view = { NULL, 0 };

	switch (slot->type) {
	case TR2_T_SID:
		return text_of(g, v, false, &g->r->sid_seen);
	case TR2_T_THREAD:
		return text_of(g, v, false, &g->r->thread_seen);
	case TR2_T_TIME:
		return v->type == TR2_JSON_STRING &&
		       tr2_parse_time(v->text.p, v->text.len,
				      &g->in->wall_us);
	case TR2_T_EVENT:
	case TR2_T_STR:
	case TR2_T_JSON:
	case TR2_T_HISTOGRAM:
		if (!text_of(g, v,
			     slot->type == TR2_T_JSON ||
				     slot->type == TR2_T_HISTOGRAM,
			     &view))
			return false;
		*(struct tr2_view *)(void *)member = view;
		return true;
	case TR2_T_ARGV:
		if (v->type != TR2_JSON_WORDS)
			return false;
		words = (void *)member;
		*words = (struct tr2_words_view){ v->text.p, v->text.len,
						  v->nr };
		return true;
	default:
		return set_number(member, slot->type, v);
	}
}

static void on_member(void *data, const char *key, size_t key_len,
		      const struct tr2_json_value *v)
{
	struct general *g = data;
	const struct tr2_slot *slot;

	if (key_len == 5 && !memcmp(key, "event", 5) &&
	    v->type == TR2_JSON_STRING)
		g->in->kind = tr2_kind_of(v->text.p, v->text.len);
	slot = tr2_slot_find(g->in->kind, key, key_len);
	if (slot && !set_slot(g, slot, v))
		g->wrong_type = true;
}

static enum tr2_json_result parse(struct general *g, const char *line,
				  size_t len)
{
	struct tr2_event_reader *r = g->r;

	tr2_buf_reset(&r->scratch);
	/* It must not move while views into it are held. */
	if (!tr2_buf_room(&r->scratch, len * 8 + 4096))
		return TR2_JSON_NO_MEMORY;
	*g->in = tr2_in_init;
	r->is_row = NULL;
	tr2_forget_head(r);
	r->sid_seen = r->thread_seen = (struct tr2_view){ NULL, 0 };
	return tr2_json_object(r->json, line, len, on_member, g);
}

static enum tr2_json_result read_general(struct tr2_event_reader *r,
					 const char *line, size_t len,
					 uint64_t number, struct tr2_in *in)
{
	struct general g = { r, in, false };
	enum tr2_json_result result = parse(&g, line, len);

	if (result == TR2_JSON_UTF8) {
		if (!tr2_utf8_repair(&r->repaired, line, len,
				     TR2_JSON_PADDING + 1))
			return TR2_JSON_NO_MEMORY;
		result = parse(&g, r->repaired.p, r->repaired.len);
		if (result == TR2_JSON_OK && number)
			tr2_build_problem(r->m, TR2_PROBLEM_UTF8, r->source,
					  number, "bytes that are not UTF-8 "
						  "were replaced by U+FFFD");
	}
	if (result == TR2_JSON_OK && g.wrong_type && number)
		tr2_build_problem(r->m, TR2_PROBLEM_FIELD, r->source, number,
				  "a field has a value of the wrong type");
	return result;
}

/* ---- session and thread -------------------------------------------------------- */

static bool same(const char *have, size_t have_len, const struct tr2_view *v)
{
	return have_len == v->len && !memcmp(have, v->p, v->len);
}

/* One that was there lately, else the model's. */
static uint32_t session_of(struct tr2_event_reader *r, const struct tr2_view *sid)
{
	struct tr2_seen_session *seen = r->seen_sessions;
	int i;

	for (i = 0; i < TR2_SEEN_SESSIONS; i++)
		if (seen[i].session && same(seen[i].sid, seen[i].len, sid))
			return seen[i].session;
	seen += r->next_seen++ % TR2_SEEN_SESSIONS;
	seen->session = tr2_build_session(r->m, sid->p, sid->len, r->source);
	seen->sid = r->m->sessions[seen->session].sid;
	seen->len = sid->len;
	return seen->session;
}

static void forget_sessions(struct tr2_event_reader *r)
{
	memset(r->seen_sessions, 0, sizeof(r->seen_sessions));
	r->session = 0;
}

/* Finds the session and the thread, which are mostly those of the line before.
 */
static bool find_other(struct tr2_event_reader *r)
{
	struct tr2_view main_thread = { "main", 4 };
	struct tr2_view *thread = r->thread_seen.len ? &r->thread_seen :
						       &main_thread;

	if (!r->session || !same(r->sid, r->sid_len, &r->sid_seen)) {
		r->session = session_of(r, &r->sid_seen);
		if (!r->session)
			return false;
		r->sid = r->m->sessions[r->session].sid;
		r->sid_len = r->sid_seen.len;
		r->thread = 0;
	}
	if (!r->thread || !same(r->thread_name, r->thread_len, thread)) {
		r->thread = tr2_build_thread(r->m, r->session, thread->p,
					     thread->len);
		if (!r->thread)
			return false;
		r->thread_name = tr2_s(r->m, r->m->threads[r->thread].name);
		r->thread_len = thread->len;
	}
	r->head_is_known = true;
	return true;
}

static inline bool find_who(struct tr2_event_reader *r, struct tr2_in *in)
{
	if (!(r->head_is_known && r->session) && !find_other(r))
		return false;
	in->session = r->session;
	in->thread = r->thread;
	return true;
}

static enum tr2_line_result bad_line(struct tr2_event_reader *r,
				     uint64_t number, bool last,
				     const char *why)
{
	r->m->nr_bad_lines++;
	tr2_build_problem(r->m,
			  last ? TR2_PROBLEM_CUT_LINE : TR2_PROBLEM_BAD_LINE,
			  r->source, number,
			  last ? "the last line is cut short" : why);
	return TR2_LINE_BAD;
}

static enum tr2_line_result keep(struct tr2_event_reader *r, struct tr2_in *in)
{
	if (!find_who(r, in) || !tr2_build_event(r->m, in))
		return TR2_LINE_NO_MEMORY;
	/* It may have begun another session of the same SID. */
	if (tr2_build_last_session(r->m) != in->session) {
		forget_sessions(r);
		in->session = tr2_build_last_session(r->m);
		in->thread = tr2_build_last_thread(r->m);
	}
	if (r->fn)
		r->fn(r->data, r->m, in);
	return TR2_LINE_OK;
}

bool tr2_event_reader_parse(struct tr2_event_reader *r, const char *line,
			    size_t len, struct tr2_in *in)
{
	r->is_row = NULL;
	return (!r->only_simdjson &&
		tr2_recognise(r, line, line + len + 1, in) == len) ||
	       read_general(r, line, len, 0, in) == TR2_JSON_OK;
}

/* A line that was read goes on into the model. */
static inline enum tr2_line_result take_line(struct tr2_event_reader *r,
					     const char *line, size_t len,
					     uint64_t number)
{
	struct tr2_in *in = &r->in;

	if (!in->event.len || !r->sid_seen.len)
		return bad_line(r, number, false,
				"no Trace2 event: it has no event or no sid");
	in->line_number = number;
	in->raw = (struct tr2_view){ line, len };
	return keep(r, in);
}

size_t tr2_event_reader_next(struct tr2_event_reader *r, const char *text,
			     const char *end, uint64_t number,
			     enum tr2_line_result *result)
{
	size_t len = r->only_simdjson ? 0 :
					tr2_recognise(r, text, end, &r->in);

	if (!len || len > TR2_LINE_MAX_BYTES)
		return 0;
	*result = take_line(r, text, len, number);
	return len;
}

enum tr2_line_result tr2_event_reader_line(struct tr2_event_reader *r,
					   const char *line, size_t len,
					   uint64_t number, bool last)
{
	enum tr2_json_result result = TR2_JSON_OK;

	if (r->only_simdjson ||
	    tr2_recognise(r, line, line + len + 1, &r->in) != len)
		result = read_general(r, line, len, number, &r->in);
	if (result == TR2_JSON_NO_MEMORY)
		return TR2_LINE_NO_MEMORY;
	if (result != TR2_JSON_OK)
		return bad_line(r, number, last,
				"not a JSON object, or a number in it is past "
				"64 bits");
	return take_line(r, line, len, number);
}
