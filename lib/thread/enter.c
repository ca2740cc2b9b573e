/* SPDX-License-Identifier: MIT */
#include "thread/enter.h"

#include <pthread.h>
#include <signal.h>

#include "base/mask.h"
#include "thread/stream.h"

/* Calls that one which is inside may turn away, as far as nothing else tells
 * that it is over: no handler makes so many. */
#define MAX_TURNED_AWAY 100

/* The interrupted call is lost, as a rule; release what it held. */
static void abandon_call(const struct tr2_thread *thread)
{
	tr2_stream_lost();
	tr2_stream_abandon(thread->tid);
}

/*
 * What the thread had is known already if it was left inside; and if it has
 * what is not of ours, that is from then on.
 */
static void defer_cancellation(struct tr2_thread *thread)
{
	int now;

	if (thread->cancel_type == TR2_NO_CANCEL_TYPE) {
		pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED,
				      &thread->cancel_type);
		return;
	}
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &now);
	if (now != PTHREAD_CANCEL_DEFERRED)
		thread->cancel_type = now;
}

/* As long as it may be that of a handler: what that does would come in between,
 * in the stream, what it interrupted says. */
static bool is_turned_away(struct tr2_thread *thread, uintptr_t inside,
			   const struct tr2_inside *in)
{
	return tr2_inside_is_interrupted(inside, in) &&
	       thread->nr_turned_away++ < MAX_TURNED_AWAY;
}

/* The thread is inside already, as far as is known. */
static __attribute__((noinline)) struct tr2_thread *
make_way(struct tr2_thread *thread, uintptr_t inside, struct tr2_inside *in)
{
	if (tr2_inside_is_over(inside, in)) {
		atomic_store(&thread->busy, (uintptr_t)in);
		abandon_call(thread);
		return thread;
	}
	if (is_turned_away(thread, inside, in))
		return NULL;
	return tr2_thread_renew(thread, in);
}

struct tr2_thread *tr2_thread_enter(struct tr2_thread *thread,
				    struct tr2_inside *in)
{
	uintptr_t inside = 0;

	tr2_inside_begin(in);
	if (!atomic_compare_exchange_strong(&thread->busy, &inside,
					    (uintptr_t)in))
		thread = make_way(thread, inside, in);
	if (thread)
		defer_cancellation(thread);
	else
		tr2_inside_end(in);
	return thread;
}

void tr2_thread_leave(struct tr2_thread *thread, struct tr2_inside *in)
{
	pthread_setcanceltype(thread->cancel_type, NULL);
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
	/* With it, the thread counts without entering again: so only now, where
	 * nothing is left to be given back. */
	if (thread->owner.slot)
		tr2_my_slot = thread->owner.slot;
	thread->nr_turned_away = 0;
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
	tr2_inside_end(in);
}

void tr2_thread_abandon(struct tr2_thread *thread)
{
	if (!atomic_load(&thread->busy))
		return;
	abandon_call(thread);
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
	atomic_store(&thread->busy, 0);
}
