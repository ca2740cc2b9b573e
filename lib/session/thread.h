/* SPDX-License-Identifier: MIT */
/*
 * thread - the beginning and the end of a thread in the session: its context,
 * and the hooks of the parts.
 *
 * A thread begins with its first call. It ends by trace2_thread_exit(), or by
 * the destructor of a thread-specific value.
 */
#pragma once

#include <pthread.h>

#include "thread/emit.h"

/* Return the calling thread's context, and make it if the thread has none;
 * NULL: no memory. Takes the lock. The thread is not announced yet, unless it
 * is the first one, main. */
struct tr2_thread *tr2_thread_begin(void);
static inline struct tr2_thread *tr2_thread_get(void)
{
	return tr2_self ? tr2_self : tr2_thread_begin();
}

/* Return the calling thread's context. creator_tid: the thread that has created
 * the calling thread. */
struct tr2_thread *tr2_thread_get_made_by(uint32_t creator_tid);

/* Pass the thread's name to the parts. Takes the lock. */
void tr2_thread_tell_name(struct tr2_thread *thread);

/*
 * Emit the metrics of the calling thread, which must not be main; emit its
 * thread_exit if it was announced; then end it. Afterwards call->thread is
 * NULL.
 */
void tr2_thread_exit(struct tr2_call *call);

/* Delete the key, so that ends of threads are no longer noticed: the library is
 * being unloaded. */
void tr2_thread_forget_key(void);

/* The thread-specific value whose destructor notices the end of a thread. */
struct tr2_thread_key {
	pthread_key_t key;
	bool exists;
};
extern struct tr2_thread_key tr2_thread_key;

/* Set whether the end of the calling thread is noticed. */
static inline void tr2_thread_set_key(bool noticed)
{
	if (tr2_thread_key.exists)
		pthread_setspecific(tr2_thread_key.key,
				    noticed ? &tr2_thread_key : NULL);
}
