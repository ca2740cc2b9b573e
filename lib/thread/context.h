/* SPDX-License-Identifier: MIT */
/*
 * context - memory for what the library knows of each thread: of all of them in
 * few mappings, and no more of it for long than a thread needs for usual lines.
 *
 * No malloc: a thread's first call may come from a signal handler. Contexts are
 * made, ended and forgotten under the process's lock.
 */
#ifndef TR2_THREAD_CONTEXT_H
#define TR2_THREAD_CONTEXT_H

#include "thread/thread.h"

#define TR2_CONTEXT_BUF_BYTES 4096u /* a power of two */

/* Its buffers are empty, and the head has room for any name of a thread; all
 * else is as the last one left it, or zero. NULL without memory. */
struct tr2_thread *tr2_context_get(void);

/* What it needed beyond the usual is given back. */
void tr2_context_put(struct tr2_thread *thread);

/* All memory; nobody has a context any more. */
void tr2_context_release(void);

/*
 * In a forked child: all are free but those of the calling thread, and that of
 * the parent's main thread, in whose name it may be in the midst of an event.
 * Both may be NULL.
 */
void tr2_context_after_fork(const struct tr2_thread *self,
			    const struct tr2_thread *main_thread);

/* Room for the names of a session, which are not those of the last one any
 * more. false: there is no memory. */
bool tr2_context_make_head_room(struct tr2_thread *thread);

/*
 * At the end of each call: a thread that needed much memory for a long line,
 * and has not needed it for some calls, gives it back. Very much is given back
 * at once.
 */
void tr2_context_shrink_slow(struct tr2_thread *thread);
static inline void tr2_context_shrink(struct tr2_thread *thread)
{
	const struct tr2_render *r = &thread->render;

	/* Each has this at first, and twice as much next. */
	if (__builtin_expect((r->line.alloc | r->redacted.alloc |
			      thread->message.alloc) > TR2_CONTEXT_BUF_BYTES,
			     0))
		tr2_context_shrink_slow(thread);
}

#endif
