/* SPDX-License-Identifier: MIT */
/*
 * context - the memory of the library's data of each thread, in few mappings. A
 * thread keeps extra memory for long lines only for a short time.
 *
 * No malloc: a thread's first call may come from a signal handler. Contexts are
 * made, ended and forgotten under the process's lock.
 */
#pragma once

#include "base/macros.h"
#include "thread/thread.h"

#define TR2_CONTEXT_BUF_BYTES 4096u /* the first size of a thread's buffers, a
				     * power of two */

/* Return a context with empty buffers, and with a head that has room for any
 * thread's name. Other members are zero, or have values of the last owner.
 * NULL: no memory. */
struct tr2_thread *tr2_context_get(void);

/* Free a context, including extra memory. */
void tr2_context_put(struct tr2_thread *thread);

/* Unmap all memory; no thread may have a context. */
void tr2_context_release(void);

/* Keep all contexts in use. Call it in a forked child instead of the next
 * function. */
void tr2_context_keep_all(void);

/*
 * Free all contexts except those of the calling thread and of the parent's main
 * thread, in whose name the calling thread may be emitting an event. Call it in
 * a forked child. Both may be NULL.
 */
void tr2_context_after_fork(const struct tr2_thread *self,
			    const struct tr2_thread *main_thread);

/* Make room in the head for the names of a new session. false: no memory. */
bool tr2_context_make_head_room(struct tr2_thread *thread);

/*
 * Call it at the end of each call: a thread gives memory for a long line back
 * if it has not needed the memory for some calls. A very large buffer is given
 * back at once.
 */
void tr2_context_shrink_slow(struct tr2_thread *thread);
static inline void tr2_context_shrink(struct tr2_thread *thread)
{
	const struct tr2_render *r = &thread->render;

	/* Compare all sizes at once. Buffers grow by doubling, so the bits
	 * together exceed the first size only if a buffer has grown. */
	if (unlikely((r->line.alloc | r->redacted.alloc |
		      thread->message.alloc) > TR2_CONTEXT_BUF_BYTES))
		tr2_context_shrink_slow(thread);
}
