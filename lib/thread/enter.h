/* SPDX-License-Identifier: MIT */
/*
 * enter - a thread's way into the library, and out of it again.
 *
 * Inside, what a signal handler of the thread does comes to nothing (see
 * call.h), and the thread is not cancelled: not asynchronously, and what is
 * done there is no cancellation point (see base/raw.h) or stands in a mask
 * (base/mask.h).
 *
 * A handler may also leave by siglongjmp(), and never come back, at any
 * instruction. Hence one word says both that the thread is inside and where on
 * its stack; and the type of its cancellation, which as a rule is the one that
 * it has inside, is kept in its context, by libc itself, before it changes. So
 * the thread's next call can tell, and gives back what the other one did not.
 *
 * Where it cannot tell yet (see base/inside.h), it leaves alone what the other
 * one has, which may come back: it comes to nothing, like a handler's call, or
 * goes on with a context of its own.
 */
#ifndef TR2_THREAD_ENTER_H
#define TR2_THREAD_ENTER_H

#include <stdbool.h>

#include "base/inside.h"
#include "thread/thread.h"

/*
 * The calling thread's. in: of the function that is to leave. Returns the
 * thread's context from now on; NULL: a signal handler interrupted the thread
 * inside.
 */
struct tr2_thread *tr2_thread_enter(struct tr2_thread *thread,
				    struct tr2_inside *in);
void tr2_thread_leave(struct tr2_thread *thread, struct tr2_inside *in);

/* The calling thread ends, from wherever it is: what it was in the midst of is
 * over. */
void tr2_thread_abandon(struct tr2_thread *thread);

#endif
