/* SPDX-License-Identifier: MIT */
/*
 * kept_lines - write the lines of kept.h, inline: for functions that emit
 * frequent events. Each function knows the kind of its event.
 */
#pragma once

#include "base/macros.h"
#include "base/put.h"
#include "base/text_scan.h"
#include "event/kept.h"
#include "event/redact.h"

TR2_INLINE bool tr2_kept_is_of(const struct tr2_kept *kept,
				  const struct tr2_event *ev)
{
	return likely(ev->wall_us - kept->second_us < 1000000u);
}

/* Update the kept parts to the event's second. false: the event has no kept
 * line. */
static inline bool tr2_kept_json_is_ready(struct tr2_kept *kept,
					  struct tr2_render *r,
					  const struct tr2_event *ev,
					  bool brief)
{
	return tr2_kept_is_of(kept, ev) ||
	       tr2_kept_json_prepare(kept, r, ev, brief);
}

/* Append a string of a field. is_free: the field has TR2_F_FREE. */
TR2_INLINE char *
tr2_kept_put(const struct tr2_kept *kept, struct tr2_render *r, char *p,
	     const char *s, bool is_free,
	     char *(*slow)(const struct tr2_kept *kept, struct tr2_render *r,
			   char *p, const char *s))
{
	size_t len = strlen(s);

	if (!(is_free && r->redact && tr2_redact_may_find(s, len)) &&
	    likely(len + TR2_KEPT_SLACK <=
		   (size_t)(kept->p + TR2_KEPT_BYTES - p)) &&
	    likely(tr2_text_copy(p, s, len)))
		return p + len;
	return slow(kept, r, p, s);
}

TR2_INLINE char *tr2_put_repo(char *p, const struct tr2_event *ev)
{
	p = tr2_put_lit(p, ",\"repo\":");
	return tr2_put_u64(p, (unsigned int)tr2_event_shown_repo(ev));
}

/*
 * The event target. Call these functions after tr2_kept_json_is_ready() has
 * returned true. They pass the event to no other function, so that the caller's
 * copy of it can stay in registers. A macro KEEP_TYPE appends a field of that
 * type; render.h handles the types of rare events.
 */
#define TR2_KEPT_KEY_BYTES 32u /* the offset at which `{"event":"NAME"` ends */

TR2_INLINE char *
tr2_kept_json_str(const struct tr2_kept *kept, struct tr2_render *r, char *p,
		  const char *s, bool is_free)
{
	*p++ = '"';
	if (s)
		p = tr2_kept_put(kept, r, p, s, is_free, tr2_kept_json_slow);
	if (unlikely(!p))
		return NULL;
	*p = '"';
	return p + 1;
}

#define TR2_HAS_STR(value) ((value).s != NULL)
#define TR2_HAS_INT(value) ((value).i != 0)
#define TR2_HAS_UINT(value) ((value).u != 0)
#define TR2_HAS_BOOL(value) ((value).u != 0)
#define TR2_HAS_SECONDS(value) ((value).u != 0)
#define TR2_HAS_ARGV(value) ((value).argv != NULL)
#define TR2_HAS_JSON(value) ((value).s != NULL)
#define TR2_HAS_HISTOGRAM(value) ((value).histogram && (value).histogram->nr)
#define TR2_HAS_T_ABS(value) true
#define TR2_HAS_T_REL(value) true
#define TR2_HAS_NESTING(value) true

#define TR2_KEEP_STR(value, flags) \
	tr2_kept_json_str(kept, r, p, (value).s, (flags) & TR2_F_FREE)
#define TR2_KEEP_INT(value, flags) tr2_put_i64(p, (value).i)
#define TR2_KEEP_UINT(value, flags) tr2_put_u64(p, (value).u)
#define TR2_KEEP_BOOL(value, flags) NULL
#define TR2_KEEP_SECONDS(value, flags) tr2_put_seconds(p, (value).u)
#define TR2_KEEP_ARGV(value, flags) NULL
#define TR2_KEEP_JSON(value, flags) NULL
#define TR2_KEEP_HISTOGRAM(value, flags) NULL
#define TR2_KEEP_T_ABS(value, flags) tr2_put_seconds(p, ev->t_abs_ns)
#define TR2_KEEP_T_REL(value, flags) tr2_put_seconds(p, ev->t_rel_ns)
#define TR2_KEEP_NESTING(value, flags) tr2_put_u64(p, ev->nesting)

#define TR2_FIELD(type, name, flags)                                        \
	if ((flags) & TR2_F_SITE) {                                         \
		if (!has_piece)                                             \
			p = tr2_pieces_put(p, pieces, pieces->json_fields); \
		has_piece = true;                                           \
	} else if (!((flags) & TR2_F_TEXT_ONLY) &&                          \
		   (!((flags) & TR2_F_OPT) || TR2_HAS_##type(v->name))) {   \
		p = tr2_put_lit(p, ",\"" #name "\":");                      \
		p = TR2_KEEP_##type(v->name, flags);                        \
		if (unlikely(!p))                                           \
			return none;                                        \
	}
#define TR2_EVENT(name, flags, fields, normal, category, perf)              \
	TR2_INLINE struct tr2_rendered                                      \
	tr2_kept_json_##name(struct tr2_kept *kept, struct tr2_render *r,   \
			     const struct tr2_event *ev, bool brief)        \
	{                                                                   \
		static const char key[] = "{\"event\":\"" #name "\"";       \
		const struct tr2_rendered none = { NULL, 0 };               \
		const struct tr2_v_##name *v = (const void *)ev->v;         \
		const struct tr2_pieces *pieces = ev->pieces;               \
		bool has_piece = false;                                     \
		char *p, *start;                                            \
									    \
		(void)r;                                                    \
		(void)v;                                                    \
		(void)has_piece;                                            \
		_Static_assert(sizeof(key) <= TR2_KEPT_KEY_BYTES, #name);   \
		if (brief && ((flags) & TR2_E_KEEP_TIME))                   \
			return none;                                        \
		start = kept->p + TR2_KEPT_KEY_BYTES - (sizeof(key) - 1);   \
		tr2_put(start, key, sizeof(key) - 1);                       \
		p = kept->p + kept->at;                                     \
		if (likely(!brief)) {                                       \
			p = tr2_put_6(p, (uint32_t)(ev->wall_us -           \
						    kept->second_us));      \
			p = tr2_pieces_put(p, pieces, pieces->json_place);  \
		}                                                           \
		if (unlikely(ev->repo_id != 0))                             \
			p = tr2_put_repo(p, ev);                            \
		fields                                                      \
		p = tr2_put_lit(p, "}\n");                                  \
		return (struct tr2_rendered){ start, (size_t)(p - start) }; \
	}
#include "event/events.def"
#undef TR2_EVENT
#undef TR2_FIELD

/* The perf target: offsets in a line. */
#define TR2_KEPT_DIGITS (sizeof("HH:MM:SS.") - 1)
#define TR2_KEPT_PLACE (sizeof("HH:MM:SS.uuuuuu ") - 1)

/* Write seconds over 9 spaces, right-aligned. false: the number is longer. */
static inline bool tr2_put_seconds_9(char *p, uint64_t ns)
{
	struct tr2_seconds seconds = tr2_seconds_rounded(ns);

	if (unlikely(seconds.s >= 100))
		return false;
	if (seconds.s >= 10)
		tr2_put_2(p, (unsigned int)seconds.s);
	else
		p[1] = (char)('0' + seconds.s);
	p[2] = '.';
	tr2_put_fraction_6(p + 3, seconds.fraction);
	return true;
}

/* Write the number of a repository over the spaces of its column. */
static inline bool tr2_kept_repo(char *p, int shown)
{
	if (shown > 9)
		return false;
	p[0] = 'r';
	p[1] = (char)('0' + shown);
	return true;
}

static inline char *tr2_kept_dots(char *p, unsigned int nesting)
{
	size_t n = 2 * ((size_t)nesting - 1);

	if (n > TR2_PERF_MAX_DOTS)
		n = TR2_PERF_MAX_DOTS;
	return tr2_put_chars(p, '.', n);
}

/* Render a line of the perf target. kind: the kind of the event, a constant. */
TR2_INLINE struct tr2_rendered
tr2_kept_perf(struct tr2_kept *kept, struct tr2_render *r,
	      const struct tr2_event *ev, enum tr2_event_kind kind, bool brief)
{
	const unsigned int flags = tr2_event_flags(kind);
	const struct tr2_rendered none = { NULL, 0 };
	const struct tr2_pieces *pieces = ev->pieces;
	const char *s;
	char *p, *column;

	if (!tr2_kept_is_of(kept, ev) &&
	    !tr2_kept_perf_prepare(kept, r, ev, brief))
		return none;
	if (likely(!brief)) {
		tr2_put_6(kept->p + TR2_KEPT_DIGITS,
			  (uint32_t)(ev->wall_us - kept->second_us));
		tr2_put(kept->p + TR2_KEPT_PLACE,
			pieces->text + pieces->perf_place.at,
			TR2_PERF_PLACE_BYTES);
	}
	p = kept->p + kept->at;
	column = p + tr2_event_width(kind) + TR2_PERF_SEPARATOR_BYTES;
	p = tr2_pieces_put(p, pieces, pieces->perf_columns);
	if (unlikely(ev->repo_id != 0) &&
	    !tr2_kept_repo(column, tr2_event_shown_repo(ev)))
		return none;
	column += 3 + TR2_PERF_SEPARATOR_BYTES;
	if ((flags & TR2_E_T_ABS) && !tr2_put_seconds_9(column, ev->t_abs_ns))
		return none;
	column += 9 + TR2_PERF_SEPARATOR_BYTES;
	if ((flags & TR2_E_T_REL) && !tr2_put_seconds_9(column, ev->t_rel_ns))
		return none;
	if (ev->nesting > 1)
		p = tr2_kept_dots(p, ev->nesting);
	p = tr2_pieces_put(p, pieces, pieces->perf_message);
	if (pieces->tail_field != TR2_NO_TAIL) {
		s = ev->v[pieces->tail_field].s;
		if (s) {
			p = tr2_put_short(p,
					  pieces->text + pieces->perf_tail.at,
					  pieces->perf_tail.len);
			p = tr2_kept_put(kept, r, p, s, pieces->tail_is_free,
					 tr2_kept_text_slow);
			if (unlikely(!p))
				return none;
		}
	}
	*p++ = '\n';
	return (struct tr2_rendered){ kept->p, (size_t)(p - kept->p) };
}
