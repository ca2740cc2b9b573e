/* SPDX-License-Identifier: MIT */
/*
 * enter - enter and leave the library in a thread.
 *
 * Inside, calls of the thread's signal handlers do nothing (see call.h), and no
 * code is a cancellation point (see base/raw.h) unless it is in a mask
 * (base/mask.h).
 *
 * A handler may leave by siglongjmp(), and never come back, or end the thread,
 * at any instruction. One word therefore says both that the thread is inside
 * and where on its stack. With this word, the thread's next call, or its
 * destructor, detects such a jump, and releases the locks that the other call
 * held.
 *
 * Asynchronous cancellation does the same as such a jump, so frequent events
 * leave it alone. Other calls, and formats, may use functions of libc that hold
 * locks: they defer cancellation. libc itself then stores the thread's type of
 * cancellation in the context, before the type changes.
 *
 * A call that cannot decide yet (see base/call_mark.h) leaves alone the data of
 * the other call, which may continue. The new call is dropped, like a handler's
 * call, or uses a context of its own.
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
 * Set the word for this call, if the thread is outside. The end of a session
 * makes the word visible by a barrier. If the barrier does not work, a fence
 * follows here, which takes a tenth of the time of a write. One instruction
 * without a lock prefix suffices: only the thread and its handlers write the
 * word.
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

/* The slow path of tr2_thread_enter(): the thread seems to be in a call
 * already. */
struct tr2_thread *tr2_thread_enter_slow(struct tr2_thread *thread,
					 uintptr_t inside,
					 struct tr2_call_mark *in);

/*
 * Enter the library in the calling thread, which has a context. own:
 * tr2_own_at(). in: a variable of the function that leaves the library. Return
 * the thread's context, possibly a new one; NULL: this is a signal handler that
 * interrupted a call.
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

/* Count a rejected call, except calls from the sink: they are documented to do
 * nothing. */
void tr2_thread_count_lost(const struct tr2_thread *thread);

/* Defer the thread's cancellation until the thread leaves the library. The
 * thread is in a call. */
void tr2_thread_defer_cancellation(struct tr2_thread *thread);
void tr2_thread_restore_cancellation(struct tr2_thread *thread);

static inline void tr2_thread_leave(struct tr2_thread *thread,
				    struct tr2_call_mark *in)
{
	if (unlikely(thread->cancel_type != TR2_NO_CANCEL_TYPE))
		tr2_thread_restore_cancellation(thread);
	/* A thread with a slot counts without entering the library. So set the
	 * slot only now, when nothing is left to release. */
	if (thread->owner.slot && unlikely(tr2_my_slot != thread->owner.slot))
		tr2_thread_set_mine(thread);
	thread->nr_turned_away = 0;
	atomic_store_explicit(&thread->busy, 0, memory_order_release);
	tr2_call_mark_end(in);
}

/* The calling thread ends, possibly inside a call: end that call. */
void tr2_thread_abandon(struct tr2_thread *thread);
