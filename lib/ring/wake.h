/* SPDX-License-Identifier: MIT */
/*
 * wake - telling readers in other processes that there is something to read: a
 * futex in each ring, and a pipe for those that poll, which they open through
 * /proc (Documentation/technical/ring-format.adoc, "Wake-up").
 */
#ifndef TR2_RING_WAKE_H
#define TR2_RING_WAKE_H

#include "arena/arena.h"

/*
 * Makes the pipe and says in the arena's header where it is; without one (no
 * descriptors) readers have the futex. Once an arena is mapped.
 */
void tr2_wake_open(void);

/* Readers that poll see the end (POLLHUP). Also in a forked child, where it
 * only gives up the copies of the parent's. */
void tr2_wake_close(void);

/* Wakes the readers of all rings. */
void tr2_wake_all(void);

#endif
