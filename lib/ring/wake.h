/* SPDX-License-Identifier: MIT */
/*
 * wake - wake readers in other processes when there is something to read: a
 * futex in each ring, and a pipe for poll, which they open through /proc
 * (Documentation/technical/ring-format.adoc, "Wake-up").
 */
#pragma once

#include "arena/arena.h"

/*
 * Make the pipe and put it into the arena's header; without it (no descriptors)
 * readers use the futex. Call it once an arena is mapped.
 */
void tr2_wake_open(void);

/* Close the pipe: readers that poll see the end (POLLHUP). In a forked child,
 * it only closes the copies of the parent's. */
void tr2_wake_close(void);

/* Wake the readers of all rings. */
void tr2_wake_all(void);
