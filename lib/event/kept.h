/* SPDX-License-Identifier: MIT */
/*
 * kept - the parts of frequent events' lines that stay the same from one event
 * to the next.
 *
 * A thread keeps a line for each of two targets, with its id, its name and the
 * text of the second in their places. An event of a site writes its pieces,
 * digits, numbers and strings around these parts. Most of the cost of an event
 * is the code and the data that it runs through. All rare cases are left to
 * render.h.
 */
#pragma once

#include "event/pieces.h"

#define TR2_KEPT_BYTES 4096u

/* The bytes after each string: enough for the rest of a line, except its pieces
 * and its head. */
#define TR2_KEPT_SLACK 1024u

/* The maximal size of the kept parts, without the text of the second and the
 * place. */
#define TR2_KEPT_HEAD_BYTES \
	(TR2_KEPT_BYTES - TR2_PIECES_BYTES - TR2_KEPT_SLACK - 128u)

#define TR2_KEPT_NONE (UINT64_C(1) << 63) /* a second that no clock shows */

struct tr2_kept {
	char *p; /* TR2_KEPT_BYTES */
	/*
	 * The second of wall time to which the text belongs. TR2_KEPT_NONE:
	 * unknown, as after a jump out of the call that changed the text.
	 */
	uint64_t second_us;
	size_t at; /* json: the digits of the time; perf: after the head */
};

/* A line; p NULL: render it like any other line. */
struct tr2_rendered {
	const char *p;
	size_t len;
};

/* Forget the line when the thread's id or name changes, or its memory is
 * reused. */
static inline void tr2_kept_forget(struct tr2_kept *kept)
{
	__atomic_store_n(&kept->second_us, TR2_KEPT_NONE, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Note that the new text belongs to the second that has begun. */
static inline void tr2_kept_remember(struct tr2_kept *kept, uint64_t wall_us)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&kept->second_us, wall_us - wall_us % 1000000u,
			 __ATOMIC_RELAXED);
}
