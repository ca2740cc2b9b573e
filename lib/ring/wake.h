/* SPDX-License-Identifier: MIT */
/*
 * wake - telling readers in this process and others that there is something
 * to read: a futex in each ring, and a pipe for those that poll.
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

/*
 * A descriptor, the caller's to close, for poll, select, epoll, and F_SETOWN
 * with F_SETSIG and O_ASYNC: readable (POLLIN) after the next wake-up of this
 * ring, at its end (POLLHUP) when the writer has ended. After each wake-up read
 * it empty and call tr2_ring_poll_again() before looking at data_head. Negative
 * errno: -ENODEV when the slot has no ring.
 */
int tr2_ring_poll_fd(struct tr2_slot *slot);
void tr2_ring_poll_again(struct tr2_slot *slot);

#endif
