/* SPDX-License-Identifier: MIT */
/*
 * barrier - order other threads' stores and loads at the cost of the thread
 * that asks (membarrier(2)): what a hot path stores before it loads needs no
 * locked instruction.
 */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

/* Set once, before other threads can depend on it. */
extern bool tr2_barrier_works TR2_HIDDEN;

/* Register the process. may_wait: also if it has threads already, which takes
 * some milliseconds. */
void tr2_barrier_start(bool may_wait);

/*
 * Order this thread with each thread that stores A and then loads B, where this
 * thread stores B before the call, and loads A after it: at least one of the
 * two loads sees the other thread's store. Holds only if tr2_barrier_works. Does
 * nothing in a process with one thread.
 */
void tr2_barrier(void);

/* Whether the process has no other thread, as far as libc knows. */
bool tr2_barrier_is_alone(void);
