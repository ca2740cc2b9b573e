/* SPDX-License-Identifier: MIT */
/*
 * lock - the process's lock: threads, arena, opened counters.
 *
 * A thread that takes the lock first checks whether the process was forked
 * without our handler, so that no child waits for a thread of its parent. The
 * child's state is then as if a signal handler had forked (see fork_guard.h).
 * The lock is the only mutex of the library.
 *
 * Its holder is not cancelled and not interrupted: a handler that leaves by
 * siglongjmp() would leave the lock held. The handler of a fault, or a function
 * that the program has in place of the C library's, may run while the lock is
 * held, taken or released: it can ask tr2_lock_is_mine().
 */
#pragma once

#include <stdbool.h>

#include "base/tls.h"

void tr2_lock(void);

/* Take the lock if the process has other threads; true: it was taken. Use this
 * only for data that the thread's own signal handlers may find in any state. */
bool tr2_lock_others(void);
void tr2_unlock(void);

/* The calling thread's data, in one thread-local variable: finding the address
 * of such a variable takes longer than reading it. */
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

/* Unlock the lock in a forked child. */
void tr2_lock_after_fork(void);
