/* SPDX-License-Identifier: MIT */
/*
 * event_json - parse one line of JSON into one event.
 *
 * Git and libtrace2 write almost every line in one form: the fields of the
 * table, in its order, in plain ASCII without escapes. The fast reader
 * (event_json_fast.c) accepts exactly those lines and gives up at the first
 * unexpected byte; simdjson parses all others. Both fill the same struct
 * tr2_parsed_event, and a test compares their results
 * (TRACE2_TEST_PARSER=simdjson disables the fast reader).
 */
#include <stdlib.h>

#include "base/text.h"
#include "common/time.h"
#include "common/lines.h"
#include "common/memory.h"
#include "format/events/event_json.h"
#include "format/events/event_json_private.h"
#include "format/events/utf8.h"

struct tr2_event_reader *tr2_event_reader_new(struct tr2_model *m,
					      tr2_event_fn *fn, void *data)
{
	struct tr2_event_reader *r = tr2_calloc(1, sizeof(*r));
	const char *parser = getenv("TRACE2_TEST_PARSER");

	r->m = m;
	r->fn = fn;
	r->data = data;
	r->only_simdjson = parser && !strcmp(parser, "simdjson");
	r->json = tr2_json_new();
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

bool tr2_event_json_sid(const char *line, size_t len, const char **sid,
			size_t *sid_len)
{
	/* This text can only be the key: within a string, its quotes would be
	 * escaped. */
	static const char key[] = "\"sid\":\"";
	const char *at = memmem(line, len, key, sizeof(key) - 1), *end;

	if (!at)
		return false;
	at += sizeof(key) - 1;
	end = memchr(at, '"', (size_t)(line + len - at));
	if (!end)
		return false;
	*sid = at;
	*sid_len = (size_t)(end - at);
	return true;
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

void tr2_json_add_scalar(struct tr2_buf *b, const struct tr2_json_value *v)
{
	if (v->type == TR2_JSON_INT)
		tr2_buf_add_i64(b, v->i);
	else if (v->type == TR2_JSON_UINT)
		tr2_buf_add_u64(b, v->u);
	else if (v->type == TR2_JSON_BOOL)
		tr2_buf_addstr(b, v->i ? "true" : "false");
}

/* The state of parsing one line with simdjson. */
struct general {
	struct tr2_event_reader *r;
	struct tr2_parsed_event *ev;
	bool wrong_type;
	struct tr2_view time;
};

/* Set *out to the text of any value, for a string field. as_json: keep the
 * quotes of a string. */
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
	case TR2_JSON_DECIMAL:
		*out = tr2_json_source(v);
		return as_json || v->type == TR2_JSON_DECIMAL;
	default:
		*out = v->text;
		return as_json;
	}
	*out = (struct tr2_view){ b->p + start, b->len - start };
	return !b->failed;
}

static bool seconds_of(const struct tr2_json_value *v, int64_t *ns)
{
	if (v->type != TR2_JSON_DECIMAL && v->type != TR2_JSON_INT)
		return false;
	*ns = v->type == TR2_JSON_INT ? tr2_json_ns(v->i, 0) : v->ns;
	return true;
}

static bool time_of(const struct tr2_json_value *v, int64_t *ns)
{
	int64_t time;

	if (!seconds_of(v, &time) || !tr2_json_is_time(time))
		return false;
	*ns = time;
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

static bool int_of(const struct tr2_json_value *v, int64_t *out)
{
	if (v->type != TR2_JSON_INT)
		return false;
	*out = v->i;
	return true;
}

static bool words_of(const struct tr2_json_value *v, struct tr2_words_view *out)
{
	if (v->type != TR2_JSON_WORDS)
		return false;
	*out = (struct tr2_words_view){ v->text.p, v->text.len, v->nr };
	return true;
}

static bool bool_of(const struct tr2_json_value *v, bool *out)
{
	if (v->type != TR2_JSON_BOOL)
		return false;
	*out = v->i;
	return true;
}

/* Set *out to the value as text. If the value has another type, leave *out
 * unchanged. */
static bool set_text(struct general *g, const struct tr2_json_value *v,
		     bool as_json, struct tr2_view *out)
{
	struct tr2_view view;

	if (!text_of(g, v, as_json, &view))
		return false;
	*out = view;
	return true;
}

/* Set a field of the event's row. */
static bool set_field(struct general *g, int i, const struct tr2_json_value *v)
{
	struct tr2_parsed_event *ev = g->ev;
	struct tr2_parsed_value *value = &ev->value[i];

	switch (tr2_event_rows[ev->kind].field[i].type) {
	case TR2_T_STR:
		return set_text(g, v, false, &value->text);
	case TR2_T_JSON:
	case TR2_T_HISTOGRAM:
		return set_text(g, v, true, &value->text);
	case TR2_T_ARGV:
		return words_of(v, &value->words);
	case TR2_T_UINT:
		return uint_of(v, &value->u);
	case TR2_T_BOOL:
		return bool_of(v, &value->b);
	case TR2_T_INT:
	case TR2_T_NESTING:
		return int_of(v, tr2_parsed_number_at(ev, i));
	case TR2_T_SECONDS:
		return seconds_of(v, tr2_parsed_number_at(ev, i));
	case TR2_T_T_ABS:
	case TR2_T_T_REL:
		return time_of(v, tr2_parsed_number_at(ev, i));
	}
	return false;
}

/* The fields that any event may have. */
enum head { SID, THREAD, TIME, FILE_NAME, LINE, REPO, EVENT, NR_HEAD };

#define NAME(text) { text, sizeof(text) - 1 }
static const struct tr2_view head_names[NR_HEAD] = {
	[SID] = NAME("sid"),	    [THREAD] = NAME("thread"),
	[TIME] = NAME("time"),	    [FILE_NAME] = NAME("file"),
	[LINE] = NAME("line"),	    [REPO] = NAME("repo"),
	[EVENT] = NAME("event"),
};
#undef NAME

static enum head head_find(const char *key, size_t len)
{
	enum head head;

	for (head = 0; head < NR_HEAD; head++)
		if (head_names[head].len == len &&
		    !memcmp(head_names[head].p, key, len))
			break;
	return head;
}

static bool set_head(struct general *g, enum head head,
		     const struct tr2_json_value *v)
{
	struct tr2_parsed_event *ev = g->ev;

	switch (head) {
	case SID:
		return text_of(g, v, false, &g->r->sid_seen);
	case THREAD:
		return text_of(g, v, false, &g->r->thread_seen);
	case TIME:
		ev->bad_time = v->type != TR2_JSON_STRING ||
			       !tr2_parse_time(v->text.p, v->text.len,
					       &ev->wall_us);
		g->time = v->text;
		return true;
	case FILE_NAME:
		return set_text(g, v, false, &ev->file);
	case LINE:
		return int_of(v, &ev->line);
	case REPO:
		return int_of(v, &ev->repo);
	case EVENT:
		if (v->type == TR2_JSON_STRING)
			tr2_parsed_event_set_kind(
				ev, tr2_kind_of(v->text.p, v->text.len));
		return set_text(g, v, false, &ev->event);
	case NR_HEAD:
		break;
	}
	return false;
}

static void on_member(void *data, const char *key, size_t key_len,
		      const struct tr2_json_value *v)
{
	struct general *g = data;
	enum head head = head_find(key, key_len);
	int field = head == NR_HEAD ?
		tr2_field_find(g->ev->kind, key, key_len) : -1;

	if ((head < NR_HEAD && !set_head(g, head, v)) ||
	    (field >= 0 && !set_field(g, field, v)))
		g->wrong_type = true;
}

static enum tr2_json_result parse_line(struct general *g, const char *line,
				       size_t len)
{
	struct tr2_event_reader *r = g->r;

	tr2_buf_reset(&r->scratch);
	/* The buffer must not move while views point into it. */
	tr2_must(tr2_buf_room(&r->scratch, len * 8 + 4096));
	tr2_parsed_event_init(g->ev);
	tr2_forget_head(r);
	r->sid_seen = r->thread_seen = (struct tr2_view){ NULL, 0 };
	return tr2_json_object(r->json, line, len, on_member, g);
}

/* Note a time that cannot be true, such as the year 1900: Git writes it if the
 * C library cannot provide the time. */
static void note_bad_time(struct tr2_event_reader *r,
			  const struct tr2_view *time, uint64_t number)
{
	static const char failed[] = "1900-00-00T";

	if (time->len > sizeof(failed) &&
	    !memcmp(time->p, failed, sizeof(failed) - 1))
		tr2_build_problem(r->m, TR2_PROBLEM_FAILED_TIME, r->source,
				  number, "the program could not tell the "
					  "time");
	else
		tr2_build_problem(r->m, TR2_PROBLEM_TIME, r->source, number,
				  "a time that cannot be read: it must look "
				  "like 2026-11-21T10:15:02.123456Z");
}

static enum tr2_json_result read_general(struct tr2_event_reader *r,
					 const char *line, size_t len,
					 uint64_t number,
					 struct tr2_parsed_event *ev)
{
	struct general g = { .r = r, .ev = ev };
	enum tr2_json_result result = parse_line(&g, line, len);

	if (result == TR2_JSON_UTF8) {
		tr2_utf8_repair(&r->repaired, line, len, TR2_JSON_PADDING + 1);
		result = parse_line(&g, r->repaired.p, r->repaired.len);
		if (result == TR2_JSON_OK && number)
			tr2_build_problem(r->m, TR2_PROBLEM_UTF8, r->source,
					  number, "bytes that are not UTF-8 "
						  "were replaced by U+FFFD");
	}
	if (result == TR2_JSON_OK && g.wrong_type && number)
		tr2_build_problem(r->m, TR2_PROBLEM_FIELD, r->source, number,
				  "a field has a value of the wrong type");
	if (result == TR2_JSON_OK && ev->bad_time && number)
		note_bad_time(r, &g.time, number);
	return result;
}

static bool same_text(const char *have, size_t have_len,
		      const struct tr2_view *v)
{
	return have_len == v->len && !memcmp(have, v->p, v->len);
}

/* Return the session of a SID. Look among the recently used sessions first,
 * then in the model. */
static uint32_t session_of(struct tr2_event_reader *r,
			   const struct tr2_view *sid)
{
	struct tr2_seen_session *seen = r->seen_sessions;
	int i;

	for (i = 0; i < TR2_SEEN_SESSIONS; i++)
		if (seen[i].session && same_text(seen[i].sid, seen[i].len, sid))
			return seen[i].session;
	seen += r->next_seen++ % TR2_SEEN_SESSIONS;
	seen->session = tr2_build_session(r->m, sid->p, sid->len, r->source);
	seen->sid = r->m->sessions[seen->session].sid;
	seen->len = sid->len;
	return seen->session;
}

/* Find the session and the thread if they differ from those of the previous
 * line. */
static void find_other(struct tr2_event_reader *r)
{
	struct tr2_view main_thread = { "main", 4 };
	struct tr2_view *thread = r->thread_seen.len ? &r->thread_seen :
						       &main_thread;

	if (!r->session || !same_text(r->sid, r->sid_len, &r->sid_seen)) {
		r->session = session_of(r, &r->sid_seen);
		r->sid = r->m->sessions[r->session].sid;
		r->sid_len = r->sid_seen.len;
		r->thread = 0;
	}
	if (!r->thread || !same_text(r->thread_name, r->thread_len, thread)) {
		r->thread = tr2_build_thread(r->m, r->session, thread->p,
					     thread->len);
		r->thread_name = tr2_s(r->m, r->m->threads[r->thread].name);
		r->thread_len = thread->len;
	}
	r->head_is_known = true;
}

/* Note a problem. Always return false, so that the caller can return the
 * result. */
static bool bad_line(struct tr2_event_reader *r, uint64_t number,
		     enum tr2_problem_kind kind, const char *why)
{
	tr2_build_problem(r->m, kind, r->source, number, why);
	return false;
}

/*
 * Find a complete line after a part of another line. A killed process may leave
 * part of a line, and another process that appends to the file writes its line
 * directly after this part. The quotes at the beginning of a line cannot be
 * within a string, where they would be escaped. Return the offset of the
 * complete line; 0: the text has no complete line.
 */
static size_t find_line_after_piece(const char *line, size_t len)
{
	static const char begin[] = "{\"event\":\"";
	const char *found = NULL, *p = line + 1;

	while (p < line + len &&
	       (p = memmem(p, len - (size_t)(p - line), begin,
			   sizeof(begin) - 1)))
		found = p++;
	return found ? (size_t)(found - line) : 0;
}

static bool no_object(struct tr2_event_reader *r, const char *line, size_t len,
		      uint64_t number, bool last)
{
	bool is_cut = len && line[0] == '{';
	size_t piece = is_cut ? find_line_after_piece(line, len) : 0;

	if (piece) {
		bad_line(r, number, TR2_PROBLEM_CUT_LINE,
			 "the line is cut short, and another line begins in "
			 "it");
		return tr2_event_reader_line(r, line + piece, len - piece,
					     number, last);
	}
	if (last)
		return bad_line(r, number, TR2_PROBLEM_CUT_LINE,
				"the last line is cut short");
	if (is_cut && line[len - 1] != '}')
		return bad_line(r, number, TR2_PROBLEM_CUT_LINE,
				"the line is cut short");
	return bad_line(r, number, TR2_PROBLEM_BAD_LINE,
			"not a JSON object");
}

static void keep_event(struct tr2_event_reader *r, struct tr2_parsed_event *ev)
{
	if (!(r->head_is_known && r->session))
		find_other(r);
	ev->session = r->session;
	ev->thread = r->thread;
	tr2_build_event(r->m, ev);
	/* The event may have begun another session with the same SID: look it
	 * up. */
	if (tr2_build_last_session(r->m) != ev->session) {
		memset(r->seen_sessions, 0, sizeof(r->seen_sessions));
		r->session = 0;
		ev->session = tr2_build_last_session(r->m);
		ev->thread = tr2_build_last_thread(r->m);
	}
	if (r->fn)
		r->fn(r->data, r->m, ev);
}

bool tr2_event_reader_parse(struct tr2_event_reader *r, const char *line,
			    size_t len, struct tr2_parsed_event *ev)
{
	return (!r->only_simdjson &&
		tr2_event_json_fast(r, line, line + len + 1, ev) == len) ||
	       read_general(r, line, len, 0, ev) == TR2_JSON_OK;
}

/* Add a parsed line to the model. */
static inline bool parse_whole_line(struct tr2_event_reader *r,
				    const char *line, size_t len,
				    uint64_t number)
{
	struct tr2_parsed_event *ev = &r->ev;

	if (!ev->event.len || !r->sid_seen.len)
		return bad_line(r, number, TR2_PROBLEM_BAD_LINE,
				"not a Trace2 event: it has no event or no "
				"sid");
	ev->line_number = number;
	ev->raw = (struct tr2_view){ line, len };
	keep_event(r, ev);
	return true;
}

size_t tr2_event_reader_next(struct tr2_event_reader *r, const char *text,
			     const char *end, uint64_t number)
{
	size_t len = 0;

	if (!r->only_simdjson)
		len = tr2_event_json_fast(r, text, end, &r->ev);

	if (!len || len > TR2_LINE_MAX_BYTES)
		return 0;
	parse_whole_line(r, text, len, number);
	return len;
}

bool tr2_event_reader_line(struct tr2_event_reader *r, const char *line,
			   size_t len, uint64_t number, bool last)
{
	enum tr2_json_result result = TR2_JSON_OK;

	if (r->only_simdjson ||
	    tr2_event_json_fast(r, line, line + len + 1, &r->ev) != len)
		result = read_general(r, line, len, number, &r->ev);

	if (result != TR2_JSON_OK)
		return no_object(r, line, len, number, last);
	return parse_whole_line(r, line, len, number);
}
