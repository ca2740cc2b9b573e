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

#endif
