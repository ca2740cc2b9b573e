/* SPDX-License-Identifier: MIT */
/*
 * wake - wake readers in other processes when there is something to read, by a
 * futex in each ring, and by a pipe for poll, which readers open through /proc.
 * See "Wake-up" in Documentation/technical/ring-format.adoc.
 */
#pragma once

#include "arena/arena.h"

/*
 * Make the pipe and put it into the arena's header; without the pipe (no
 * descriptors) readers use the futex. Call it once an arena is mapped.
 */
void tr2_wake_open(void);

/* Close the pipe: readers that poll see the end (POLLHUP). In a forked child,
 * this only closes the copies of the parent's descriptors. */
void tr2_wake_close(void);

/* Wake the readers of all rings. */
void tr2_wake_all(void);
