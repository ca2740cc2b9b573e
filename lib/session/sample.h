/* SPDX-License-Identifier: MIT */
/*
 * sample - what the settings ask to sample: each time that a thread has counted
 * so much more, a SAMPLE goes into its ring, with the calls that led there.
 */
#ifndef TR2_SESSION_SAMPLE_H
#define TR2_SESSION_SAMPLE_H

#include "session/thread.h"

/* Reads the list, which may be NULL. Once. Errors are told as those of
 * session/counters.h are. */
void tr2_samples_load(const char *list);

/* Opens what was read, for this thread and those that come later, where there
 * is a ring; again in a forked child. */
void tr2_samples_open(struct tr2_thread *main_thread);

/* From here on there are none: threads are told to have ended. The caller
 * holds the process's lock. */
void tr2_samples_stop(void);

/* Threads that could not be sampled, as errors that are still to be told. */
void tr2_samples_keep_errors(void);

/* The kernel samples each thread for itself; under the lock. */
void tr2_samples_thread_start(struct tr2_thread *thread);
void tr2_samples_thread_end(struct tr2_thread *thread);

/* What the kernel wrote of the calling thread so far, into its ring; it has
 * such samples, and a slot. Takes the lock. */
void tr2_samples_take(struct tr2_thread *thread);

/* All of them, and their memory; under the lock. */
void tr2_samples_release(void);

/* In a forked child, behind tr2_pmu_after_fork(): none are left. */
void tr2_samples_after_fork(void);

#endif
