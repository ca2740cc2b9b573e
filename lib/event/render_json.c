/* SPDX-License-Identifier: MIT */
/*
 * Render the event target: one JSON object a line. Each event has code of its
 * own, expanded from the table, in which keys are constants and nothing is
 * looked up: this is the hottest code that is not a system call.
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

/* Append a string whose opening quote is written, and the closing quote. */
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
	s = tr2_render_shown(r, s, &len);
	tr2_json_add_text(&r->line, s, len);
	return tr2_render_back(r, before);
}

static char *put_bool(char *p, bool value)
{
	return value ? tr2_put_lit(p, "true") : tr2_put_lit(p, "false");
}

/* By type of a field: the text before its value, its presence, the value. */
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

#define HAS_STR(value) ((value).s != NULL)
#define HAS_INT(value) ((value).i != 0)
#define HAS_UINT(value) ((value).u != 0)
#define HAS_BOOL(value) ((value).u != 0)
#define HAS_SECONDS(value) ((value).u != 0)
#define HAS_ARGV(value) ((value).argv != NULL)
#define HAS_JSON(value) ((value).s != NULL)
#define HAS_HISTOGRAM(value) ((value).histogram && (value).histogram->nr)
#define HAS_T_ABS(value) true
#define HAS_T_REL(value) true
#define HAS_NESTING(value) true

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

/* Which fields a function writes. */
enum part {
	ALL,
	ALL_WITH_PIECE, /* those of the site as the piece, which is one */
	SITE_ONLY
};

#define TR2_FIELD(type, name, flags)                                      \
	if (part == ALL_WITH_PIECE && (flags) & TR2_F_SITE) {             \
		if (!has_piece)                                           \
			p = tr2_pieces_put(p, ev->pieces,                 \
					   ev->pieces->json_fields);      \
		has_piece = true;                                         \
	} else if (!((flags) & TR2_F_TEXT_ONLY) &&                        \
		   (part != SITE_ONLY || (flags) & TR2_F_SITE) &&         \
		   (!((flags) & TR2_F_OPT) || HAS_##type(v->name))) {     \
		p = tr2_put_lit(p, ",\"" #name "\":" OPEN_##type);        \
		p = PUT_##type(v->name, flags);                                  \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)            \
	TR2_INLINE char *put_##name(    \
		struct tr2_render *r, char *p, const struct tr2_event *ev, \
		enum part part)                                           \
	{                                                                 \
		const struct tr2_v_##name *v = (const void *)ev->v;       \
		bool has_piece = false;                                   \
		(void)r;                                                  \
		(void)v;                                                  \
		(void)has_piece;                                          \
		(void)part;                                               \
		fields return p;                                          \
	}                                                                 \
	static char *add_##name(struct tr2_render *r, char *p,            \
				const struct tr2_event *ev)               \
	{                                                                 \
		return likely(ev->pieces != NULL) ?                       \
			       put_##name(r, p, ev, ALL_WITH_PIECE) :     \
			       put_##name(r, p, ev, ALL);                 \
	}                                                                 \
	static char *site_##name(struct tr2_render *r, char *p,           \
				 const struct tr2_event *ev)              \
	{                                                                 \
		return put_##name(r, p, ev, SITE_ONLY);                   \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* The slack has room for everything but strings. */
#define TR2_FIELD(type, name, flags) +sizeof(#name) + 24
#define TR2_EVENT(name, flags, fields, normal, category, perf)            \
	_Static_assert(256 fields <= TR2_RENDER_SLACK, #name);
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

typedef char *(*add_fn)(struct tr2_render *r, char *p,
			const struct tr2_event *ev);

static const struct {
	add_fn add_fields, add_site_fields;
	unsigned int flags;
	struct tr2_key start;
} rows[TR2_EVENT_NR] = {
#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	{ add_##name, site_##name, flags,                      \
	  TR2_KEY("{\"event\":\"" #name "\"") },
#include "event/events.def"
#undef TR2_EVENT
};

#define TR2_EVENT(name, flags, fields, normal, category, perf) \
	_Static_assert(sizeof(#name) + 11 <= TR2_KEY_MAX, #name " is too long");
#include "event/events.def"
#undef TR2_EVENT

static char *add_place(struct tr2_render *r, char *p, const char *file,
		       int line)
{
	p = tr2_put_lit(p, ",\"file\":\"");
	p = add_body(r, p, file ? file : "", false);
	p = tr2_put_lit(p, ",\"line\":");
	return tr2_put_i64(p, line);
}

char *tr2_render_json_pieces(struct tr2_render *r, char *p,
			     const struct tr2_event *ev,
			     struct tr2_pieces *pieces)
{
	size_t start = (size_t)(p - r->line.p);

	p = add_place(r, p, ev->file, ev->line);
	pieces->json_place = tr2_render_piece(r, start, p);
	start = (size_t)(p - r->line.p);
	p = rows[ev->kind].add_site_fields(r, p, ev);
	pieces->json_fields = tr2_render_piece(r, start, p);
	return p;
}

void tr2_render_event(struct tr2_render *r, const struct tr2_event *ev,
		      bool brief)
{
	const struct tr2_pieces *pieces = ev->pieces;
	size_t head_len = ev->emitter->json_head_len;
	char *p = tr2_render_begin(r, pieces ? head_len + pieces->text_bytes :
					       head_len);

	if (!p)
		return;
	p = tr2_put_key(p, &rows[ev->kind].start);
	p = tr2_put_blocks(p, ev->emitter->json_head, head_len);
	if (!brief || (rows[ev->kind].flags & TR2_E_KEEP_TIME)) {
		p = tr2_put_lit(p, ",\"time\":\"");
		p = tr2_render_put_utc(p, r, ev->wall_us);
		*p++ = '"';
	}
	if (!brief && likely(pieces != NULL))
		p = tr2_pieces_put(p, pieces, pieces->json_place);
	else if (!brief)
		p = add_place(r, p, ev->file, ev->line);
	if (ev->repo_id) {
		p = tr2_put_lit(p, ",\"repo\":");
		p = tr2_put_i64(p, tr2_event_shown_repo(ev));
	}
	p = rows[ev->kind].add_fields(r, p, ev);
	p = tr2_put_lit(p, "}\n");
	tr2_render_end(r, p);
}
