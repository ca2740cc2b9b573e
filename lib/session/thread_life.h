/* SPDX-License-Identifier: MIT */
/*
 * thread_life - a thread's beginning and end in the session: its context, and
 * all that wants to hear of it.
 *
 * A thread begins with its first call, and ends when it says so, or without
 * saying so: by the destructor of a thread-specific value.
 */
#ifndef TR2_SESSION_THREAD_LIFE_H
#define TR2_SESSION_THREAD_LIFE_H

#include <pthread.h>

#include "thread/emit.h"

/* The calling thread's context, made if it has none; NULL without memory.
 * Takes the lock. Not announced yet, but for the first one, main. */
struct tr2_thread *tr2_thread_begin(void);
static inline struct tr2_thread *tr2_thread_get(void)
{
	return tr2_self ? tr2_self : tr2_thread_begin();
}

/* The same, if the thread that made this one is known. */
struct tr2_thread *tr2_thread_get_made_by(uint32_t creator_tid);

/* Tells of the thread's name. Takes the lock. */
void tr2_thread_tell_name(struct tr2_thread *thread);

/*
 * Emits what the calling thread, which is not main, counted, and its
 * thread_exit if it was announced, and ends it. The call has no thread then.
 */
void tr2_thread_exit(struct tr2_call *call);

/* The library is unloaded: threads that live on are not told of their ends. */
void tr2_thread_forget_key(void);

/* The thread-specific value by which the end of a thread is noticed. */
struct tr2_thread_key {
	pthread_key_t key;
	bool exists;
};
extern struct tr2_thread_key tr2_thread_key;

/* Has the calling thread's end be noticed, or not. */
static inline void tr2_thread_set_key(bool noticed)
{
	if (tr2_thread_key.exists)
		pthread_setspecific(tr2_thread_key.key,
				    noticed ? &tr2_thread_key : NULL);
}

#endif
