/* SPDX-License-Identifier: MIT */
/*
 * arena - the memory that holds thread slots, in its anonymous form.
 *
 * Address space for all slots is reserved at once and inaccessible; a slot
 * becomes memory when a thread takes it, so that neither a limit on committed
 * memory nor mlockall() of the host makes 255 unused slots cost anything.
 * Threads beyond that get a mapping of their own with the same layout.
 *
 * Not thread-safe by itself: the caller holds the process's lock. All of it is
 * signal-safe apart from that.
 */
#ifndef TR2_ARENA_ARENA_H
#define TR2_ARENA_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "arena/layout.h"

/* The calling thread's slot, NULL before its first metric. */
extern __thread struct tr2_slot *tr2_my_slot
	__attribute__((tls_model("initial-exec")));

/* Zeroed but for control.version; NULL when there is no memory. */
struct tr2_slot *tr2_arena_claim(void);

/* Gives back what tr2_arena_claim() gave. NULL is nothing. */
void tr2_arena_free(struct tr2_slot *slot);

/* Slot 0, NULL when there is no memory. */
struct tr2_slot *tr2_arena_totals(void);

/*
 * In a forked child: no slot is in use any more, and all are zero. Whoever
 * had one has none; tr2_my_slot of the calling thread is cleared.
 */
void tr2_arena_forget(void);

#endif
