/* SPDX-License-Identifier: MIT */
/*
 * fork - a forked child: nothing of the parent's is repeated or ended, and the
 * first event, of whatever thread, opens a session of its own.
 */
#ifndef TR2_SESSION_FORK_H
#define TR2_SESSION_FORK_H

#include "session/session.h"
#include "thread/thread.h"

/* Has tr2_session_after_fork() called in every child; once. */
void tr2_session_watch_forks(void);

/* Puts a forked child into the state FORKED, if that was not done yet. */
void tr2_session_after_fork(void);

/* What a forked child does at its first event; other threads wait until it is
 * done. Called in a call of this thread. */
void tr2_session_reopen(struct tr2_thread *thread, const char *file, int line);

/*
 * 0 in a child of a fork that ran no handlers (_Fork(), a bare clone()): the
 * kernel clears the page it lies in. Looked at by every call.
 */
extern const volatile uint32_t *tr2_session_fork_guard;

/* Acquire: threads may look while the session starts; pairs with make_guard().
 */
static inline bool tr2_session_is_forked(void)
{
	return !*__atomic_load_n(&tr2_session_fork_guard, __ATOMIC_ACQUIRE);
}

/* No call looks at it any more. */
void tr2_session_release_guard(void);

#endif
