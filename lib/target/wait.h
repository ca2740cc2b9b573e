/* SPDX-License-Identifier: MIT */
/*
 * wait - waits of a destination: for its reader, and for its lock.
 *
 * A signal handler may jump out of any wait. So time is taken out of a budget
 * before it is spent, in small slices, and the unused part is given back; and
 * the lock is one word with its owner's tid, so that its owner is known at any
 * instruction.
 */
#ifndef TR2_TARGET_WAIT_H
#define TR2_TARGET_WAIT_H

#include "target/dest.h"

/* Initialise: unlocked, without waits so far. */
void tr2_wait_init(struct tr2_dest *dest);

/*
 * Wait until the reader reads more; under the lock. false: the budget is used
 * up, or the terminal has stopped.
 */
bool tr2_wait_for_reader(struct tr2_dest *dest, int fd);

/* The reader has made room for so many bytes; under the lock. */
void tr2_wait_note_progress(struct tr2_dest *dest, size_t bytes);

enum tr2_locking {
	TR2_LOCKED,
	TR2_NOT_LOCKED, /* no thread waits any more: tr2_dest_set_urgent() */
	TR2_LOCK_LOST /* its owner does not work: the line is lost */
};

/*
 * Take the lock. tid: the calling thread's; 0: ask the kernel, then set it. If
 * the word already has this tid, the thread left the lock behind: `cut` is set.
 */
enum tr2_locking tr2_wait_lock(struct tr2_dest *dest, uint32_t *tid);

/* Release the lock, unless another thread has it. */
void tr2_wait_unlock(struct tr2_dest *dest, uint32_t tid);

bool tr2_wait_owns(const struct tr2_dest *dest, uint32_t tid);

#endif
