/* SPDX-License-Identifier: MIT */
/*
 * Enter and leave the library, and take over from a call that a handler jumped
 * out of.
 */
#include "thread/enter.h"

#include "base/mask.h"
#include "thread/stream.h"

/* Reject this many calls while an earlier call may still be in progress. No
 * handler makes more calls. */
#define MAX_TURNED_AWAY 100

/* Count the interrupted call as lost, and release the locks that it held. */
static void abandon_call(const struct tr2_thread *thread)
{
	tr2_stream_lost();
	tr2_stream_abandon(thread->tid);
}

/*
 * Save the type of cancellation and defer cancellation. If an earlier call of
 * this thread never left, the saved type is already the host's; a type other
 * than deferred is then the host's new one.
 */
void tr2_thread_defer_cancellation(struct tr2_thread *thread)
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

void tr2_thread_restore_cancellation(struct tr2_thread *thread)
{
	if (thread->cancel_type != PTHREAD_CANCEL_DEFERRED)
		pthread_setcanceltype(thread->cancel_type, NULL);
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
}

/* Return whether to reject the call because it may come from a handler that
 * interrupted another call: its event could split the interrupted one. */
static bool is_turned_away(struct tr2_thread *thread, uintptr_t inside,
			   const struct tr2_call_mark *in)
{
	return tr2_call_mark_is_interrupted(inside, in) &&
	       thread->nr_turned_away++ < MAX_TURNED_AWAY;
}

/* Enter although the thread seems to be in a call already. */
static __attribute__((noinline)) struct tr2_thread *
make_way(struct tr2_thread *thread, uintptr_t inside, struct tr2_call_mark *in)
{
	if (tr2_call_mark_is_over(inside, in)) {
		atomic_store(&thread->busy, (uintptr_t)in);
		abandon_call(thread);
		return thread;
	}
	if (inside == thread->in_sink || is_turned_away(thread, inside, in))
		return NULL;
	return tr2_thread_renew(thread, in);
}

struct tr2_thread *tr2_thread_enter_slow(struct tr2_thread *thread,
					 uintptr_t inside,
					 struct tr2_call_mark *in)
{
	/* A handler may have replaced the thread's context for its own call
	 * after the caller read the context. */
	if (!inside && thread != tr2_self) {
		atomic_store(&thread->busy, 0);
		thread = tr2_self;
		if (thread)
			tr2_thread_take(thread, in, &inside);
	}
	if (inside)
		thread = make_way(thread, inside, in);
	if (thread)
		tr2_thread_defer_cancellation(thread);
	else
		tr2_call_mark_end(in);
	return thread;
}

void tr2_thread_count_lost(const struct tr2_thread *thread)
{
	if (!thread || !thread->in_sink || thread->busy != thread->in_sink)
		tr2_stream_lost();
}

void tr2_thread_abandon(struct tr2_thread *thread)
{
	if (!atomic_load(&thread->busy))
		return;
	abandon_call(thread);
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
	atomic_store(&thread->busy, 0);
}
