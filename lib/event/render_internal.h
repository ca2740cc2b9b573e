/* SPDX-License-Identifier: MIT */
/*
 * The cursor of the three renderers into the line.
 *
 * After each string of any length, the line has room for another
 * TR2_RENDER_SLACK bytes. That is more than all numbers, keys and times of a
 * line take together, so these are written without a check. If there is no
 * memory for a string, the string is left out.
 */
#pragma once

#include "base/macros.h"
#include "base/put.h"
#include "base/text.h"
#include "event/kept_lines.h"
#include "event/render.h"

#define TR2_RENDER_SLACK 1024

/* Begin an empty line with room for more_bytes and the slack. NULL: no memory;
 * r->line.failed is set. */
static inline char *tr2_render_begin(struct tr2_render *r, size_t more_bytes)
{
	tr2_buf_reset(&r->line);
	if (!tr2_buf_room(&r->line, TR2_RENDER_SLACK + more_bytes))
		return NULL;
	return r->line.p;
}

static inline bool tr2_render_has_room(const struct tr2_render *r,
				       const char *p, size_t n)
{
	return n + TR2_RENDER_SLACK <= (size_t)(r->line.p + r->line.alloc - p);
}

/* Lend the buffer to code that appends to it, and take the cursor back. */
static inline size_t tr2_render_leave(struct tr2_render *r, const char *p)
{
	r->line.len = (size_t)(p - r->line.p);
	return r->line.len;
}

static inline char *tr2_render_back(struct tr2_render *r, size_t before)
{
	if (!tr2_buf_room(&r->line, TR2_RENDER_SLACK))
		r->line.len = before;
	return r->line.p + r->line.len;
}

/* Return the piece of the line from offset `from` up to p. */
static inline struct tr2_text_piece tr2_render_piece(const struct tr2_render *r,
						size_t from, const char *p)
{
	size_t to = (size_t)(p - r->line.p);

	return (struct tr2_text_piece){ (uint16_t)from, (uint16_t)(to - from) };
}

static inline void tr2_render_end(struct tr2_render *r, const char *p)
{
	r->line.len = (size_t)(p - r->line.p);
}

/* Copy the string at the start of r->line, up to `end`, to p. NULL: there is no
 * room. */
static inline char *tr2_kept_copy(const struct tr2_kept *kept,
				  const struct tr2_render *r, char *p,
				  const char *end)
{
	size_t len = (size_t)(end - r->line.p);

	if (r->line.failed ||
	    len + TR2_KEPT_SLACK > (size_t)(kept->p + TR2_KEPT_BYTES - p))
		return NULL;
	return tr2_put(p, r->line.p, len);
}

/* Append the pieces of the event's site, and record where each one lies. NULL:
 * the site cannot have pieces. */
char *tr2_render_json_pieces(struct tr2_render *r, char *p,
			     const struct tr2_event *ev,
			     struct tr2_pieces *pieces);
char *tr2_render_text_pieces(struct tr2_render *r, char *p,
			     const struct tr2_event *ev,
			     struct tr2_pieces *pieces);

/* Return the text to show for s, *len bytes long: s itself, or r->redacted. */
const char *tr2_render_shown(struct tr2_render *r, const char *s, size_t *len);

/* Return the text to show for a word of argv. */
const char *tr2_render_word(struct tr2_render *r, const char *const *argv,
			    const char *const *word, size_t *len);

#define TR2_US_PER_S UINT64_C(1000000)
void tr2_render_new_utc(struct tr2_render *r, uint64_t wall_us);
void tr2_render_new_local(struct tr2_render *r, uint64_t wall_us);

/* Put YYYY-MM-DDThh:mm:ss.uuuuuu. */
static inline char *tr2_render_put_utc(char *p, struct tr2_render *r,
				       uint64_t wall_us)
{
	if (unlikely(r->utc_end_us - 1 - wall_us >= TR2_US_PER_S))
		tr2_render_new_utc(r, wall_us);
	p = tr2_put(p, r->utc, sizeof(r->utc));
	return tr2_put_6(p, (uint32_t)(wall_us + TR2_US_PER_S - r->utc_end_us));
}

/* Put HH:MM:SS.uuuuuu in local time. */
static inline char *tr2_render_put_local(char *p, struct tr2_render *r,
					 uint64_t wall_us)
{
	if (unlikely(r->local_end_us - 1 - wall_us >= TR2_US_PER_S))
		tr2_render_new_local(r, wall_us);
	p = tr2_put(p, r->local, sizeof(r->local));
	*p++ = '.';
	return tr2_put_6(p,
			 (uint32_t)(wall_us + TR2_US_PER_S - r->local_end_us));
}
