/* SPDX-License-Identifier: MIT */
/*
 * fork_guard - let a forked child notice the fork, by a page that the kernel
 * clears in children. A fork may run no handlers (_Fork(), a bare clone()), or
 * may not have run the library's handler yet. Each call looks at the page.
 * Calls with a frame look when they begin; other calls that wait for threads
 * look when they take the lock (lock.h). Inline metrics look, too, since their
 * cells may lie in the parent's file.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "trace2.h"

/* Flags in the page. In a child that has not noticed its fork all of them are
 * 0. */
#define TR2_GUARD_SET 1u
#define TR2_GUARD_FASTPATH 2u /* see session/fastpath.h */
/*
 * TR2_GUARD_LATE replaces both other flags if another thread than the thread
 * that forked has noticed the fork first. The slot of the thread that forked is
 * then still the parent's. From then on no call is inline or fast, and a
 * thread's slot is used only if its context has the slot, too.
 */
#define TR2_GUARD_LATE 4u
extern const struct trace2_guard_ *tr2_fork_guard TR2_HIDDEN;

/* Acquire: threads may read the flags while the session starts; pairs with
 * tr2_fork_guard_make(). */
static inline uint32_t tr2_fork_guard_flags(void)
{
	return __atomic_load_n(
		&__atomic_load_n(&tr2_fork_guard, __ATOMIC_ACQUIRE)->flags,
		__ATOMIC_RELAXED);
}

/* Set or clear TR2_GUARD_FASTPATH. */
void tr2_fork_guard_set_fastpath(bool on);

/* Map the page; from now on, in_child is called when a child notices its fork.
 * If the page cannot be mapped, forks without handlers stay unnoticed. */
void tr2_fork_guard_make(void (*in_child)(void));
bool tr2_fork_guard_is_made(void);

/* Call the function in_child of tr2_fork_guard_make(). */
void tr2_fork_guard_notice(void);

/* Set the flags in the page: the child has noticed its fork. */
void tr2_fork_guard_set(bool is_late);

/* Unmap the page; no call looks at it afterwards. */
void tr2_fork_guard_release(void);

static inline bool tr2_fork_guard_is_cleared(void)
{
	return !tr2_fork_guard_flags();
}

/* Return false if the calling thread's slot may be the parent's. */
static inline bool tr2_fork_guard_is_set(void)
{
	return tr2_fork_guard_flags() & TR2_GUARD_SET;
}

/* If this is a child that has not noticed its fork, let it notice the fork. */
static inline void tr2_fork_guard_look(void)
{
	if (unlikely(tr2_fork_guard_is_cleared()))
		tr2_fork_guard_notice();
}
