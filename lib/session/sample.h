/* SPDX-License-Identifier: MIT */
/*
 * sample - the timers and counters that the settings ask to sample: each time
 * that a thread has counted so much more, a SAMPLE goes into its ring, with the
 * calls that led there.
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

#endif
