/* SPDX-License-Identifier: MIT */
/*
 * mask - a section of code that no signal handler of the calling thread
 * interrupts, hence none leaves by siglongjmp(), and in which the thread is not
 * cancelled. For rare work that takes locks of libc's or ours, allocates or
 * opens files. Blocked signals are delivered at its end.
 */
#ifndef TR2_BASE_MASK_H
#define TR2_BASE_MASK_H

#include <pthread.h>
#include <signal.h>

/* State to restore. */
struct tr2_mask {
	sigset_t signals;
	int cancel_state, cancel_type;
};

static inline void tr2_mask_begin(struct tr2_mask *before)
{
	sigset_t all;

	sigfillset(&all);
	/* First: a handler that jumps out here leaves the thread unchanged. */
	pthread_sigmask(SIG_BLOCK, &all, &before->signals);
	/* The type, too: glibc's handler may already be running, and checks
	 * only the type. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before->cancel_state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before->cancel_type);
}

static inline void tr2_mask_end(const struct tr2_mask *before)
{
	pthread_setcanceltype(before->cancel_type, NULL);
	pthread_setcancelstate(before->cancel_state, NULL);
	pthread_sigmask(SIG_SETMASK, &before->signals, NULL);
}

#endif
