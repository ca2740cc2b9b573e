/* SPDX-License-Identifier: MIT */
/*
 * barrier - order the stores and loads of other threads with those of the
 * calling thread, at the cost of the calling thread (membarrier(2)). A hot path
 * that stores and then loads needs no locked instruction.
 */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

/* Set once, before other threads can rely on barriers. */
extern bool tr2_barrier_works TR2_HIDDEN;

/* Register the process. may_wait: register it even if it has threads already,
 * which takes some milliseconds. */
void tr2_barrier_start(bool may_wait);

/*
 * Order this thread with each thread that stores A and then loads B. This
 * thread stores B before the call, and loads A after it. At least one of the
 * two loads then sees the other thread's store. This holds only if
 * tr2_barrier_works. The call does nothing in a process with one thread.
 */
void tr2_barrier(void);

/* Return whether the process has no other thread, as far as libc knows. */
bool tr2_barrier_is_alone(void);
