/* SPDX-License-Identifier: MIT */
/*
 * Render the event target: one JSON object a line. Each event has code of its
 * own, expanded from the table, in which keys are constants and no name is
 * looked up. Apart from system calls, this is the hottest code.
 */
#include "base/macros.h"
#include "base/text_scan.h"
#include "event/render_internal.h"

void tr2_render_json_head(struct tr2_buf *b, const char *sid,
			  const char *thread_name)
{
	tr2_buf_addlit(b, ",\"sid\":");
	tr2_json_add_string(b, sid);
	tr2_buf_addlit(b, ",\"thread\":");
	tr2_json_add_string(b, thread_name);
	tr2_buf_room(b, TR2_PUT_BLOCK);
}

/* Append the inside of a string that is redacted, escaped or does not fit. */
static __attribute__((noinline)) char *
add_str_slow(struct tr2_render *r, char *p, const char *s, size_t len,
	     bool secret)
{
	size_t before = tr2_render_leave(r, p);

	if (secret)
		s = tr2_render_shown(r, s, &len);
	if (tr2_text_classify(s, len) & (TR2_TEXT_CONTROL | TR2_TEXT_JSON))
		tr2_json_add_escaped(&r->line, s, len);
	else
		tr2_buf_add(&r->line, s, len);
	return tr2_render_back(r, before);
}

/* Append a string and its closing quote. The opening quote is already
 * written. */
static char *add_body(struct tr2_render *r, char *p, const char *s, bool secret)
{
	size_t len = strlen(s);

	if (likely(tr2_render_has_room(r, p, len)) &&
	    likely(tr2_text_copy(p, s, len)))
		p += len;
	else
		p = add_str_slow(r, p, s, len, secret);
	*p = '"';
	return p + 1;
}

static char *add_str(struct tr2_render *r, char *p, const char *s)
{
	return add_body(r, p, s ? s : "", true);
}

static char *add_free_str(struct tr2_render *r, char *p, const char *s)
{
	s = s ? s : "";
	p = add_str_slow(r, p, s, strlen(s), true);
	*p = '"';
	return p + 1;
}

static char *add_argv(struct tr2_render *r, char *p, const char *const *argv)
{
	const char *const *word, *s;
	size_t len;

	*p++ = '[';
	for (word = argv; word && *word && !r->line.failed; word++) {
		if (word != argv)
			*p++ = ',';
		*p++ = '"';
		s = tr2_render_word(r, argv, word, &len);
		p = add_str_slow(r, p, s, len, false);
		*p++ = '"';
	}
	*p++ = ']';
	return p;
}

static char *add_histogram(struct tr2_render *r, char *p,
			   const struct tr2_histogram *h)
{
	size_t before = tr2_render_leave(r, p);
	struct tr2_buf *b = &r->line;
	unsigned int i;

	tr2_buf_addch(b, '[');
	for (i = 0; h && i < h->nr; i++) {
		tr2_buf_addstr(b, i ? ",[" : "[");
		tr2_buf_add_seconds9(b, h->bucket[i].upper_ns);
		tr2_buf_addch(b, ',');
		tr2_buf_add_u64(b, h->bucket[i].count);
		tr2_buf_addch(b, ']');
	}
	tr2_buf_addch(b, ']');
	return tr2_render_back(r, before);
}

static char *add_json(struct tr2_render *r, char *p, const char *s)
{
	size_t before = tr2_render_leave(r, p), len;

	s = s ? s : "";
	len = strlen(s);
	if (r->own_json) {
		tr2_buf_add(&r->line, s, len);
	} else {
		s = tr2_render_shown(r, s, &len);
		tr2_json_add_text(&r->line, s, len);
	}
	return tr2_render_back(r, before);
}

static char *put_bool(char *p, bool value)
{
	return value ? tr2_put_lit(p, "true") : tr2_put_lit(p, "false");
}

/* For each type of field: OPEN_ is the text before the value, PUT_ writes the
 * value, and TR2_HAS_ tells whether the value is present. */
#define OPEN_STR "\""
#define OPEN_INT ""
#define OPEN_UINT ""
#define OPEN_BOOL ""
#define OPEN_SECONDS ""
#define OPEN_ARGV ""
#define OPEN_JSON ""
#define OPEN_HISTOGRAM ""
#define OPEN_T_ABS ""
#define OPEN_T_REL ""
#define OPEN_NESTING ""

#define PUT_STR(value, flags)                            \
	((flags) & TR2_F_FREE ? add_free_str(r, p, (value).s) : \
				add_str(r, p, (value).s))
#define PUT_INT(value, flags) tr2_put_i64(p, (value).i)
#define PUT_UINT(value, flags) tr2_put_u64(p, (value).u)
#define PUT_BOOL(value, flags) put_bool(p, (value).u)
#define PUT_SECONDS(value, flags) tr2_put_seconds(p, (value).u)
#define PUT_ARGV(value, flags) add_argv(r, p, (value).argv)
#define PUT_JSON(value, flags) add_json(r, p, (value).s)
#define PUT_HISTOGRAM(value, flags) add_histogram(r, p, (value).histogram)
#define PUT_T_ABS(value, flags) tr2_put_seconds(p, ev->t_abs_ns)
#define PUT_T_REL(value, flags) tr2_put_seconds(p, ev->t_rel_ns)
#define PUT_NESTING(value, flags) tr2_put_u64(p, ev->nesting)

/* Append the fields of an event: only the fields with TR2_F_SITE, or all. */
#define TR2_FIELD(type, name, flags)                                   \
	if (!((flags) & TR2_F_TEXT_ONLY) &&                            \
	    (!of_site || (flags) & TR2_F_SITE) &&                      \
	    (!((flags) & TR2_F_OPT) || TR2_HAS_##type(v->name))) {     \
		p = tr2_put_lit(p, ",\"" #name "\":" OPEN_##type);     \
		p = PUT_##type(v->name, flags);                        \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)            \
	static char *add_##name(struct tr2_render *r, char *p,            \
				const struct tr2_event *ev, bool of_site) \
	{                                                                 \
		const struct tr2_v_##name *v = (const void *)ev->v;       \
		(void)r;                                                  \
		(void)v;                                                  \
		(void)of_site;                                            \
		fields return p;                                          \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* Assert that TR2_RENDER_SLACK suffices for all parts of a line except
 * strings. */
#define TR2_FIELD(type, name, flags) +sizeof(#name) + 24
#define TR2_EVENT(name, flags, fields, normal, category, perf)            \
	_Static_assert(256 fields <= TR2_RENDER_SLACK, #name);
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

static const struct {
	char *(*add_fields)(struct tr2_render *r, char *p,
			    const struct tr2_event *ev, bool of_site);
	unsigned int flags;
	struct tr2_key start;
} rows[TR2_EVENT_NR] = {
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	{ add_##name, flags,                                   \
	  TR2_KEY("{\"event\":\"" #name "\"") },
#include "event/events.def"
#undef TR2_EVENT
};

#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	_Static_assert(sizeof(#name) + 11 <= TR2_KEY_MAX, #name " is too long");
#include "event/events.def"
#undef TR2_EVENT

static char *add_place(struct tr2_render *r, char *p,
		       const struct tr2_event *ev)
{
	p = tr2_put_lit(p, ",\"file\":\"");
	p = add_body(r, p, ev->file ? ev->file : "", false);
	p = tr2_put_lit(p, ",\"line\":");
	return tr2_put_i64(p, ev->line);
}

char *tr2_render_json_pieces(struct tr2_render *r, char *p,
			     const struct tr2_event *ev,
			     struct tr2_pieces *pieces)
{
	size_t start = (size_t)(p - r->line.p);

	p = tr2_put_lit(p, "Z\"");
	p = add_place(r, p, ev);
	pieces->json_place = tr2_render_piece(r, start, p);
	start = (size_t)(p - r->line.p);
	p = rows[ev->kind].add_fields(r, p, ev, true);
	pieces->json_fields = tr2_render_piece(r, start, p);
	return p;
}

#define TIME ",\"time\":\""

void tr2_render_event(struct tr2_render *r, const struct tr2_event *ev,
		      bool brief)
{
	size_t head_len = ev->emitter->json_head_len;
	char *p = tr2_render_begin(r, head_len);

	if (!p)
		return;
	p = tr2_put_key(p, &rows[ev->kind].start);
	p = tr2_put_blocks(p, ev->emitter->json_head, head_len);
	if (!brief || (rows[ev->kind].flags & TR2_E_KEEP_TIME)) {
		p = tr2_put_lit(p, TIME);
		p = tr2_render_put_utc(p, r, ev->wall_us);
		p = tr2_put_lit(p, "Z\"");
	}
	if (!brief)
		p = add_place(r, p, ev);
	if (ev->repo_id)
		p = tr2_put_repo(p, ev);
	p = rows[ev->kind].add_fields(r, p, ev, false);
	p = tr2_put_lit(p, "}\n");
	tr2_render_end(r, p);
}

bool tr2_kept_json_prepare(struct tr2_kept *kept, struct tr2_render *r,
			   const struct tr2_event *ev, bool brief)
{
	size_t len = ev->emitter->json_head_len;
	char *p = kept->p + TR2_KEPT_KEY_BYTES;

	tr2_kept_forget(kept);
	if (len > TR2_KEPT_HEAD_BYTES)
		return false;
	p = tr2_put(p, ev->emitter->json_head, len);
	if (!brief) {
		p = tr2_put_lit(p, TIME);
		p = tr2_render_put_utc(p, r, ev->wall_us) - 6;
	}
	kept->at = (size_t)(p - kept->p);
	tr2_kept_remember(kept, ev->wall_us);
	return true;
}

char *tr2_kept_json_slow(const struct tr2_kept *kept, struct tr2_render *r,
			 char *p, const char *s)
{
	char *end = tr2_render_begin(r, 0);

	if (!end)
		return NULL;
	end = add_str_slow(r, end, s, strlen(s), true);
	return tr2_kept_copy(kept, r, p, end);
}
