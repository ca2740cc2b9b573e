/* SPDX-License-Identifier: MIT */
/* ring - what a session does for its ring target, beyond writing events. */
#ifndef TR2_SESSION_RING_H
#define TR2_SESSION_RING_H

#include <stdbool.h>

#include "arena/arena.h"

/* The arena moves into this file: see tr2_dest_request. false: errno. */
bool tr2_session_map_ring(int fd);

/* Once it has: what readers want to know of the process. Takes the lock. */
void tr2_session_begin_ring(void);

/* The process ends in a signal handler, perhaps: what it interrupted will not
 * be finished, and what is told from now on is not to wait for it. */
void tr2_session_give_up_record(void);

/*
 * The end: how the process ended, and no more wake-ups. locked: the lock cannot
 * be had, and parts are not asked.
 */
void tr2_session_end_ring(enum tr2_arena_state how, int status, bool locked);

#endif
