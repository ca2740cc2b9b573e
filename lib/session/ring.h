/* SPDX-License-Identifier: MIT */
/* ring - the session's work for its ring target, besides events. */
#pragma once

#include <stdbool.h>

#include "arena/arena.h"
#include "base/lock.h"
#include "ring/ring.h"

/* Move the arena into this file: see tr2_dest_request. false: errno. */
bool tr2_session_map_ring(int fd);

/* Write the process's data for readers, after tr2_session_map_ring(). Takes the
 * lock. */
void tr2_session_begin_ring(void);

/* Give up an interrupted record when the process ends, possibly in a signal
 * handler: the record will not be finished, and the last events must not wait
 * for it. */
static inline void tr2_session_give_up_record(void)
{
	if (tr2_my_slot && !tr2_lock_is_mine())
		tr2_ring_finish(tr2_my_slot);
}

/*
 * Write how the process ended, and stop wake-ups. locked: this thread
 * interrupted itself while it had the lock, so do not take the lock, and do not
 * call the parts.
 */
void tr2_session_end_open_ring(enum tr2_arena_state how, int status,
			       bool locked);
static inline void tr2_session_end_ring(enum tr2_arena_state how, int status,
					bool locked)
{
	if (tr2_arena_header())
		tr2_session_end_open_ring(how, status, locked);
}
