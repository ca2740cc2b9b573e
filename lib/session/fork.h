/* SPDX-License-Identifier: MIT */
/*
 * fork - a forked child continues nothing of its parent's session, unless the
 * program wants its children to continue that session. The child's first event,
 * of any thread, opens a session of its own.
 */
#pragma once

#include "session/session.h"
#include "thread/thread.h"

/* Put every child into the state FORKED from now on, once: by a handler of
 * fork(), or where the fork is noticed. */
void tr2_session_watch_forks(void);

/* Continue the parent's session in a forked child that has no session yet. */
void tr2_session_resume(void);

/* Open the session of a forked child, at the child's first event. Other threads
 * wait until the session is open. The calling thread has begun a call. false:
 * the thread waited in vain for the program's sink, which may be waiting for
 * this thread. */
bool tr2_session_reopen(struct tr2_thread *thread, const char *file, int line);
