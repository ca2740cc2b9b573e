/* SPDX-License-Identifier: MIT */
/*
 * context - the memory of the library's data of each thread, in few mappings; a
 * thread keeps extra memory for long lines only for a short time.
 *
 * No malloc: a thread's first call may come from a signal handler. Contexts are
 * made, ended and forgotten under the process's lock.
 */
#pragma once

#include "base/macros.h"
#include "thread/thread.h"

#define TR2_CONTEXT_BUF_BYTES 4096u /* a power of two */

/* Return a context with empty buffers, and a head with room for any name of a
 * thread; other members are zero or left from the last owner. NULL: no
 * memory. */
struct tr2_thread *tr2_context_get(void);

/* Free a context, including extra memory. */
void tr2_context_put(struct tr2_thread *thread);

/* Unmap all memory; no thread may have a context. */
void tr2_context_release(void);

/* Call it in a forked child, too, instead: all stay in use. */
void tr2_context_keep_all(void);

/*
 * Call it in a forked child: frees all contexts except those of the calling
 * thread and of the parent's main thread, in whose name it may be emitting an
 * event. Both may be NULL.
 */
void tr2_context_after_fork(const struct tr2_thread *self,
			    const struct tr2_thread *main_thread);

/* Make room in the head for the names of a new session. false: no memory. */
bool tr2_context_make_head_room(struct tr2_thread *thread);

/*
 * At the end of each call: a thread with much memory for a long line, which it
 * has not needed for some calls, gives it back. A very large buffer is given
 * back at once.
 */
void tr2_context_shrink_slow(struct tr2_thread *thread);
static inline void tr2_context_shrink(struct tr2_thread *thread)
{
	const struct tr2_render *r = &thread->render;

	/* The initial size of both; they grow by doubling. */
	if (unlikely((r->line.alloc | r->redacted.alloc |
		      thread->message.alloc) > TR2_CONTEXT_BUF_BYTES))
		tr2_context_shrink_slow(thread);
}
