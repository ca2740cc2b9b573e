/* SPDX-License-Identifier: MIT */
/*
 * enter - enter and leave the library in a thread.
 *
 * Inside, calls of the thread's signal handlers do nothing (see call.h), and
 * the thread is not cancelled: not asynchronously, and no code inside is a
 * cancellation point (see base/raw.h) unless it is in a mask (base/mask.h).
 *
 * A handler may also leave by siglongjmp(), and never come back, at any
 * instruction. So one word tells both that the thread is inside and where on
 * its stack; and the thread's type of cancellation, which usually equals the
 * one inside, is stored in its context, by libc itself, before it changes. With
 * these the thread's next call detects the jump, and releases what the other
 * call held.
 *
 * If it cannot decide yet (see base/inside.h), it leaves alone what the other
 * call has, which may continue: it is dropped, like a handler's call, or uses a
 * context of its own.
 */
#ifndef TR2_THREAD_ENTER_H
#define TR2_THREAD_ENTER_H

#include <stdbool.h>

#include "base/inside.h"
#include "thread/thread.h"

/*
 * Enter, as the calling thread. in: a variable of the function that leaves.
 * Return the thread's context from now on; NULL: a signal handler interrupted
 * the thread inside.
 */
struct tr2_thread *tr2_thread_enter(struct tr2_thread *thread,
				    struct tr2_inside *in);
void tr2_thread_leave(struct tr2_thread *thread, struct tr2_inside *in);

/* The calling thread ends, at any point: end the call that it was in. */
void tr2_thread_abandon(struct tr2_thread *thread);

#endif
