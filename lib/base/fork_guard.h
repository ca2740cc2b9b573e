/* SPDX-License-Identifier: MIT */
/*
 * fork_guard - notice a forked child whose fork ran no handlers (_Fork(), a
 * bare clone()), or has not run ours yet, by a page that the kernel clears in
 * children.
 *
 * Each call looks at the page: calls with a frame when they begin, all others
 * that wait for another thread when they take the lock (lock.h). Inline metrics
 * look at it, too, since their cells may lie in a file of the parent's.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"
#include "trace2.h"

/* The flags are 0 in such a child until tr2_fork_guard_set(); otherwise
 * these. */
#define TR2_GUARD_SET 1u
#define TR2_GUARD_FASTPATH 2u /* see session/fastpath.h */
/*
 * Set in place of both other flags if a thread that did not fork noticed the
 * fork. The slot of the thread that forked is the parent's. No call is then
 * inline or fast, and a thread's slot counts only if its context has the slot,
 * too.
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

/* Map the page, and call in_child whenever a fork is noticed. Without the page
 * no such child is noticed. */
void tr2_fork_guard_make(void (*in_child)(void));
bool tr2_fork_guard_is_made(void);

/* Call in_child. */
void tr2_fork_guard_notice(void);

/* Mark that the child has noticed the fork. */
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

/* Notice a fork that no call has noticed yet. */
static inline void tr2_fork_guard_look(void)
{
	if (unlikely(tr2_fork_guard_is_cleared()))
		tr2_fork_guard_notice();
}
