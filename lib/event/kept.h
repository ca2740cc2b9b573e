/* SPDX-License-Identifier: MIT */
/*
 * kept - lines of frequent events around what does not change from one to the
 * next.
 *
 * A thread keeps a line for each of two targets, with its id, its name and the
 * text of the second in their places. An event of a site writes its pieces,
 * digits, numbers and strings around them: most of what an event costs is the
 * code and the data that it passes. All that is rare is left to render.h.
 */
#pragma once

#include "event/pieces.h"

#define TR2_KEPT_BYTES 4096u

/* The bytes behind each string: enough for all else of a line, but its pieces
 * and its head. */
#define TR2_KEPT_SLACK 1024u

/* What is kept, at most, but for the text of the second and the place. */
#define TR2_KEPT_HEAD_BYTES \
	(TR2_KEPT_BYTES - TR2_PIECES_BYTES - TR2_KEPT_SLACK - 128u)

#define TR2_KEPT_NONE (UINT64_C(1) << 63) /* a second that no clock has */

struct tr2_kept {
	char *p; /* TR2_KEPT_BYTES */
	/* The text is that of this second, of wall time, or TR2_KEPT_NONE. A jump
	 * out of a call leaves it so. */
	uint64_t second_us;
	size_t at; /* json: the digits of the time; perf: behind the head */
};

/* A line; p NULL: render it as any other. */
struct tr2_rendered {
	const char *p;
	size_t len;
};

/* For a thread whose id or name changes, or whose memory is used anew. */
static inline void tr2_kept_forget(struct tr2_kept *kept)
{
	__atomic_store_n(&kept->second_us, TR2_KEPT_NONE, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The new text is that of the second that has begun. */
static inline void tr2_kept_remember(struct tr2_kept *kept, uint64_t wall_us)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&kept->second_us, wall_us - wall_us % 1000000u,
			 __ATOMIC_RELAXED);
}
