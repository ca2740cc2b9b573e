/* SPDX-License-Identifier: MIT */
/*
 * lock - the process's lock: threads, arena, opened counters.
 *
 * A thread that takes it notices first whether the process was forked without our
 * handler, so no child waits for a thread of its parent: then the child's state
 * is as after a handler that forked (see fork_guard.h). It is the only mutex of
 * the library.
 *
 * Its holder is neither cancelled nor interrupted: a handler that leaves by
 * siglongjmp() would leave it locked. What is called inside, while it is taken
 * or given back as well, can ask tr2_lock_is_mine(): the handler of a fault, or
 * a function that the program has in place of the C library's.
 */
#pragma once

#include <stdbool.h>

#include "base/tls.h"

void tr2_lock(void);

/* Take it if the process has other threads; true: it was taken. For data that
 * the thread's own signal handlers may find at any moment. */
bool tr2_lock_others(void);
void tr2_unlock(void);

/* Of the calling thread. One variable, since finding its place takes longer than
 * reading it. */
struct tr2_own {
	struct tr2_thread *context; /* tr2_self, of thread/thread.h */
	struct tr2_slot *slot; /* tr2_my_slot, of arena/arena.h */
	bool has_lock;
};
extern __thread struct tr2_own tr2_tls_own TR2_HIDDEN;
#define tr2_own_at() TR2_TLS_AT(tr2_tls_own)

static inline bool tr2_lock_is_mine(void)
{
	return TR2_TLS(tr2_tls_own).has_lock;
}

/* Set the type of cancellation that unlocking restores. */
void tr2_lock_restore_cancel_type(int type);

/* Call it in a forked child: unlocks the lock. */
void tr2_lock_after_fork(void);
