/* SPDX-License-Identifier: MIT */
/*
 * kept - the parts of frequent events' lines that stay the same from one event
 * to the next. A thread keeps a line for each of two targets. The line contains
 * the thread's id and name, and the text of the time up to its whole second. An
 * event of a site writes its pieces, digits, numbers and strings around these
 * parts. The cost of an event is mostly the code and the data that it runs
 * through. So all rare cases are left to render.h.
 */
#pragma once

#include "event/pieces.h"

#define TR2_KEPT_BYTES 4096u

/* The bytes that must be free after each string. They suffice for all other
 * parts of a line, except the site's pieces and the kept head. */
#define TR2_KEPT_SLACK 1024u

/* The maximal size of the kept parts, without the text of the time and without
 * the event's place. */
#define TR2_KEPT_HEAD_BYTES \
	(TR2_KEPT_BYTES - TR2_PIECES_BYTES - TR2_KEPT_SLACK - 128u)

#define TR2_KEPT_NONE (UINT64_C(1) << 63) /* a second that no clock shows */

struct tr2_kept {
	char *p; /* a buffer of TR2_KEPT_BYTES bytes */
	/*
	 * The second of wall time that the kept text shows. TR2_KEPT_NONE:
	 * unknown, for example because a signal handler jumped out while the
	 * text changed.
	 */
	uint64_t second_us;
	size_t at; /* offset in the line: where the digits of the time begin
		    * (json), or where the head ends (perf) */
};

/* A rendered line; p NULL: render.h must render it. */
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

/* Record that the kept text now shows the second of wall_us. */
static inline void tr2_kept_remember(struct tr2_kept *kept, uint64_t wall_us)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&kept->second_us, wall_us - wall_us % 1000000u,
			 __ATOMIC_RELAXED);
}
