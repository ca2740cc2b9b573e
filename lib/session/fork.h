/* SPDX-License-Identifier: MIT */
/*
 * fork - a forked child: it continues nothing of its parent's session, and its
 * first event, of any thread, opens a session of its own; unless the program
 * wants its children to go on in the parent's.
 */
#pragma once

#include "session/session.h"
#include "thread/thread.h"

/* From now on, every child gets into the state FORKED, once: by a handler of
 * fork(), or where the fork is noticed. */
void tr2_session_watch_forks(void);

/* In a forked child without a session yet: go on in the parent's. */
void tr2_session_resume(void);

/* Open the session of a forked child, at its first event; other threads wait
 * until that is done. Called in a call of this thread. false: it waited in vain for
 * the program's sink, which may be waiting for it. */
bool tr2_session_reopen(struct tr2_thread *thread, const char *file, int line);
