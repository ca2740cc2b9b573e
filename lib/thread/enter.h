/* SPDX-License-Identifier: MIT */
/*
 * enter - enter and leave the library in a thread.
 *
 * Inside, calls of the thread's signal handlers do nothing (see call.h), and no
 * code is a cancellation point (see base/raw.h) unless it is in a mask
 * (base/mask.h).
 *
 * A handler may also leave by siglongjmp(), and never come back, or end the
 * thread, at any instruction. So one word tells both that the thread is inside
 * and where on its stack. With it the thread's next call, or its destructor,
 * detects that, and releases what the other call held. Asynchronous cancellation
 * is no different, so frequent events leave it alone. Other calls, and formats,
 * may use functions of libc that hold locks: they defer it. The thread's type of
 * cancellation is then stored in its context, by libc itself, before it
 * changes.
 *
 * If it cannot decide yet (see base/call_mark.h), it leaves alone what the other
 * call has, which may continue: it is dropped, like a handler's call, or uses a
 * context of its own.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "base/barrier.h"
#include "base/call_mark.h"
#include "base/macros.h"
#include "base/sanitize.h"
#include "thread/thread.h"

/*
 * Make the word this call's, if the thread is outside. The end of a session
 * makes it visible by a barrier; without one a fence follows, which takes as long
 * as a tenth of a write. The instruction is not locked: it is one for the
 * thread's handlers, and no other thread writes there.
 */
static inline bool tr2_thread_take(struct tr2_thread *thread,
				   struct tr2_call_mark *in, uintptr_t *inside)
{
#if defined(__x86_64__) && !TR2_TSAN
	bool swapped;

	__asm__ volatile("cmpxchg %3, %1"
			 : "=@ccz"(swapped),
			   "+m"(*(uintptr_t *)&thread->busy), "+a"(*inside)
			 : "r"((uintptr_t)in)
			 : "memory");
	if (unlikely(!swapped))
		return false;
	if (unlikely(!tr2_barrier_works))
		atomic_thread_fence(memory_order_seq_cst);
	return true;
#else
	return atomic_compare_exchange_strong(&thread->busy, inside,
					      (uintptr_t)in);
#endif
}

/* The thread was left inside. */
struct tr2_thread *tr2_thread_enter_slow(struct tr2_thread *thread,
					 uintptr_t inside,
					 struct tr2_call_mark *in);

/*
 * Enter, as the calling thread, which has a context. own: tr2_own_at(). in: a
 * variable of the function that leaves.
 * Return the thread's context from now on; NULL: a signal handler interrupted
 * the thread inside.
 */
static inline struct tr2_thread *
tr2_thread_enter(const struct tr2_own TR2_TLS_SEGMENT *own,
		 struct tr2_call_mark *in)
{
	struct tr2_thread *thread = own->context;
	uintptr_t inside = 0;

	tr2_call_mark_begin(in);
	if (unlikely(!tr2_thread_take(thread, in, &inside)) ||
	    unlikely(thread != own->context) ||
	    unlikely(thread->cancel_type != TR2_NO_CANCEL_TYPE))
		return tr2_thread_enter_slow(thread, inside, in);
	return thread;
}

/* Count a call that was not let in, unless it is the sink's, which is told
 * that its calls do nothing. */
void tr2_thread_count_lost(const struct tr2_thread *thread);

/* Inside: do not cancel the thread asynchronously until it leaves. */
void tr2_thread_defer_cancellation(struct tr2_thread *thread);
void tr2_thread_restore_cancellation(struct tr2_thread *thread);

static inline void tr2_thread_leave(struct tr2_thread *thread,
				    struct tr2_call_mark *in)
{
	if (unlikely(thread->cancel_type != TR2_NO_CANCEL_TYPE))
		tr2_thread_restore_cancellation(thread);
	/* A thread with a slot counts without entering: so set it only now,
	 * when nothing is left to release. */
	if (thread->owner.slot && unlikely(tr2_my_slot != thread->owner.slot))
		tr2_thread_set_mine(thread);
	thread->nr_turned_away = 0;
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
	tr2_call_mark_end(in);
}

/* The calling thread ends, at any point: end the call that it was in. */
void tr2_thread_abandon(struct tr2_thread *thread);
