/* SPDX-License-Identifier: MIT */
/*
 * fork_guard - notice a forked child whose fork ran no handlers (_Fork(), a bare
 * clone()): by a page that the kernel clears in children. Each call looks at it.
 */
#ifndef TR2_THREAD_FORK_GUARD_H
#define TR2_THREAD_FORK_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

/* 0 in such a child, until tr2_fork_guard_set(); else these. */
#define TR2_GUARD_SET 1u
#define TR2_GUARD_FASTPATH 2u /* see session/fastpath.h */
extern const volatile uint32_t *tr2_fork_guard TR2_HIDDEN;

/* Acquire: threads may look while the session starts; pairs with
 * tr2_fork_guard_make(). */
static inline uint32_t tr2_fork_guard_flags(void)
{
	return __atomic_load_n(
		__atomic_load_n(&tr2_fork_guard, __ATOMIC_ACQUIRE),
		__ATOMIC_RELAXED);
}

/* Set or clear TR2_GUARD_FASTPATH. */
void tr2_fork_guard_set_fastpath(bool on);

/* Map the page. Without it no such child is noticed. */
void tr2_fork_guard_make(void);

/* The child has noticed the fork. */
void tr2_fork_guard_set(void);

/* Unmap the page; no call looks at it any more. */
void tr2_fork_guard_release(void);

static inline bool tr2_fork_guard_is_cleared(void)
{
	return !tr2_fork_guard_flags();
}

#endif
