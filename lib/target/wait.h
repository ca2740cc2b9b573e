/* SPDX-License-Identifier: MIT */
/*
 * wait - what a destination waits for: its reader, and its lock.
 *
 * A signal handler may leave any wait and never come back. So time is taken out
 * of a budget before it is spent, in small slices, and what was not used is
 * given back; and the lock is one word that has its owner's tid, which at any
 * instruction tells whose it is.
 */
#ifndef TR2_TARGET_WAIT_H
#define TR2_TARGET_WAIT_H

#include "target/dest.h"

/* Nobody has the lock, and nothing was waited for yet. */
void tr2_wait_init(struct tr2_dest *dest);

/*
 * Waits until the reader takes more; under the lock. false: the budget is used
 * up, or the terminal has stopped.
 */
bool tr2_wait_for_reader(struct tr2_dest *dest, int fd);

/* The reader made room for so many bytes; under the lock. */
void tr2_wait_note_progress(struct tr2_dest *dest, size_t bytes);

enum tr2_locking {
	TR2_LOCKED,
	TR2_NOT_LOCKED, /* nobody waits any more: tr2_dest_set_urgent() */
	TR2_LOCK_LOST /* its owner does nothing: the line is lost */
};

/*
 * Takes the lock. tid: the calling thread's, 0: to be asked for; then it is
 * what the word has. A thread that finds it its own left it behind: `cut` is
 * set.
 */
enum tr2_locking tr2_wait_lock(struct tr2_dest *dest, uint32_t *tid);

/* Unless somebody else has it. */
void tr2_wait_unlock(struct tr2_dest *dest, uint32_t tid);

bool tr2_wait_owns(const struct tr2_dest *dest, uint32_t tid);

#endif
