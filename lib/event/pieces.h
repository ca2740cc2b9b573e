/* SPDX-License-Identifier: MIT */
/*
 * pieces - the constant strings of a call site in the form that they have in
 * lines of the text targets. The site's first event escapes, redacts, pads and
 * joins them.
 *
 * Preparation needs no lock, and only the memory of the sites: it is
 * signal-safe, and a forked child keeps the pieces.
 */
#pragma once

#include "event/event.h"
#include "event/render.h"
#include "site/site.h"

#define TR2_NO_TAIL TR2_MAX_FIELDS
#define TR2_PERF_SEPARATOR_BYTES 3
#define TR2_PERF_PLACE_BYTES (28 + TR2_PERF_SEPARATOR_BYTES)
/* The largest number of dots for nesting: regions that are never left must not
 * fill the disk. */
#define TR2_PERF_MAX_DOTS 200
/* A site whose pieces are longer than this gets no pieces. */
#define TR2_PIECES_BYTES 2048u

struct tr2_text_piece {
	uint16_t at, len; /* at: in text */
};

struct tr2_pieces {
	uint16_t key; /* the key of the pieces: see tr2_pieces_key() */
	uint16_t text_bytes;
	/* `Z","file":"…","line":…`, and the fields with TR2_F_SITE */
	struct tr2_text_piece json_place, json_fields;
	/* normal_place: `file:line ` and the spaces up to the text. perf_place:
	 * the column of file:line, always TR2_PERF_PLACE_BYTES. perf_columns:
	 * the columns from the event's name on, without times. perf_message:
	 * the beginning of the message. */
	struct tr2_text_piece normal_place, perf_place, perf_columns,
		perf_message;
	/*
	 * The text before the last field of the message, shown if that field is
	 * present. TR2_NO_TAIL: the message does not end with a field.
	 */
	struct tr2_text_piece perf_tail;
	uint16_t tail_field, tail_is_free;
	/* The text. tr2_put_blocks() may also read bytes after the first
	 * text_bytes. */
	char text[];
};

/* Return the key of a site's pieces. Sites with the same contents share pieces,
 * but may emit different events; and a session may redact although the parent's
 * session did not. */
static inline uint16_t tr2_pieces_key(enum tr2_event_kind kind, bool redact)
{
	return (uint16_t)(2 * (unsigned int)kind + redact);
}

const struct tr2_pieces *tr2_pieces_make(struct tr2_render *r,
					 const struct tr2_event *ev);

/* Return the pieces of a site's events of this kind; NULL: the site has none,
 * or only tr2_pieces_of() can make them. */
static inline const struct tr2_pieces *
tr2_pieces_find(const struct tr2_site *site, enum tr2_event_kind kind,
		bool redact)
{
	/* Acquire: pairs with the release in tr2_pieces_make(). */
	const struct tr2_pieces *pieces =
		__atomic_load_n(&site->pieces[kind == TR2_EV_region_leave],
				__ATOMIC_ACQUIRE);

	return likely(pieces) && likely(pieces->key ==
					tr2_pieces_key(kind, redact)) ?
		       pieces : NULL;
}

/* Return the pieces of an event with a site, of this kind; NULL: it has no
 * pieces. Call it before the first line of the event, since preparation uses
 * the line's buffer. */
static inline const struct tr2_pieces *tr2_pieces_of(struct tr2_render *r,
						     const struct tr2_event *ev,
						     enum tr2_event_kind kind)
{
	/* Acquire: pairs with the release in tr2_pieces_make(). */
	const struct tr2_pieces *pieces =
		__atomic_load_n(&ev->site->pieces[kind == TR2_EV_region_leave],
				__ATOMIC_ACQUIRE);

	if (unlikely(!pieces))
		pieces = tr2_pieces_make(r, ev);
	if (unlikely(pieces->key != tr2_pieces_key(kind, r->redact)))
		return NULL;
	return pieces;
}

static inline char *tr2_pieces_put(char *p, const struct tr2_pieces *pieces,
				   struct tr2_text_piece piece)
{
	return tr2_put_blocks(p, pieces->text + piece.at, piece.len);
}
