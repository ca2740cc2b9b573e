/* SPDX-License-Identifier: MIT */
/* ring - what a session does for its ring target, beyond writing events. */
#ifndef TR2_SESSION_RING_H
#define TR2_SESSION_RING_H

#include "session/thread.h"

/* The arena moves into this file: see tr2_dest_request. false: errno. */
bool tr2_session_map_ring(int fd);

/* Once it has: what readers want to know of the process, and those tasks that
 * are there. Takes the lock. */
void tr2_session_begin_ring(void);

/* Notes that this process was forked, by which thread. In the child. */
void tr2_session_ring_forked(uint32_t parent_tid);

/* The process ends in a signal handler, perhaps: what it interrupted will not
 * be finished, and what is told from now on is not to wait for it. */
void tr2_session_give_up_record(void);

/*
 * The end: the main thread's EXIT, unless the lock cannot be had (locked), how
 * the process ended, and no more wake-ups.
 */
void tr2_session_end_ring(enum tr2_arena_state how, int status, bool locked);

/* Task records of a thread, under the lock: it has begun; it has its name; it
 * has ended. */
void tr2_session_thread_forked(const struct tr2_thread *thread);
void tr2_session_thread_named(const struct tr2_thread *thread);
void tr2_session_thread_ended(const struct tr2_thread *thread);

#endif
