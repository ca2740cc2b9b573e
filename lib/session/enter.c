/* SPDX-License-Identifier: MIT */
#include "session/enter.h"

#include <pthread.h>
#include <signal.h>

#include "base/mask.h"
#include "session/call.h"

/*
 * The call that is inside will not come back: a signal handler that interrupted
 * it jumped out, to a frame further up this same stack, or nearly so, since the
 * functions that enter have frames of different sizes. A handler that did not
 * is further down, or on a stack of its own. (A call further down than the one
 * that was left counts as lost, until one comes that is not.)
 */
static bool is_abandoned(uintptr_t inside, uintptr_t frame)
{
	stack_t stack;

	return frame + TR2_SIGNAL_FRAME_BYTES >= inside &&
	       !sigaltstack(NULL, &stack) && !(stack.ss_flags & SS_ONSTACK);
}

/* What the thread was in the midst of comes to nothing, as a rule; and others do
 * not wait for what it was writing. */
static void give_up(const struct tr2_thread *thread)
{
	unsigned int i;

	tr2_call_lost();
	for (i = 0; i < TR2_TARGET_NR; i++)
		tr2_dest_abandon(&tr2_session.target[i].dest, thread->tid);
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

bool tr2_thread_enter(struct tr2_thread *thread, const void *frame)
{
	uintptr_t inside = 0, at = (uintptr_t)frame;

	if (!atomic_compare_exchange_strong(&thread->busy, &inside, at)) {
		if (!is_abandoned(inside, at))
			return false;
		atomic_store(&thread->busy, at);
		give_up(thread);
	}
	defer_cancellation(thread);
	return true;
}

void tr2_thread_leave(struct tr2_thread *thread)
{
	pthread_setcanceltype(thread->cancel_type, NULL);
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
	/* With it, the thread counts without entering again: so only now, where
	 * nothing is left to be given back. */
	if (thread->slot)
		tr2_my_slot = thread->slot;
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
}

void tr2_thread_abandon(struct tr2_thread *thread)
{
	if (!atomic_load(&thread->busy))
		return;
	give_up(thread);
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
	atomic_store(&thread->busy, 0);
}
