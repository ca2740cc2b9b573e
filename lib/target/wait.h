/* SPDX-License-Identifier: MIT */
/*
 * wait - waits of a destination: for its reader, and for its lock.
 *
 * A signal handler may jump out of any wait. Time is therefore taken from a
 * budget before it is spent, in small slices, and the unused part is given
 * back. The lock is one word with its owner's tid, so that the owner is known
 * at any instruction.
 */
#pragma once

#include "base/raw.h"
#include "target/dest.h"

/* Set how long patient destinations wait for their readers; 0: no destination
 * is patient. */
void tr2_dest_set_patience(unsigned int seconds);

/* Announce that the last line of each destination follows. Signal-safe. */
void tr2_dest_expect_last(void);

/* A signal ends the process, and its handler writes the last line: from now on
 * no thread waits for a lock, and waits for a reader take at most
 * TR2_STALL_NS. */
void tr2_dest_set_urgent(void);

/* Initialise the lock as free. same: a forked child has opened its parent's
 * destination again, and the parent's waits still count; else there were no
 * waits so far. */
void tr2_wait_init(struct tr2_dest *dest, bool same);

/* Return whether destinations may be patient. */
bool tr2_wait_is_patient(void);

/*
 * Wait until the reader reads more. The caller holds the lock. false: the
 * account is used up.
 */
bool tr2_wait_for_reader(struct tr2_dest *dest, int fd);

void tr2_wait_give_back(struct tr2_dest *dest, size_t bytes);

/*
 * Give time back because the reader made room for `bytes` bytes. The caller
 * holds the lock.
 */
static inline void tr2_wait_note_progress(struct tr2_dest *dest, size_t bytes)
{
	if (unlikely(atomic_load_explicit(&dest->charged_ns,
					  memory_order_relaxed) |
		     atomic_load_explicit(&dest->silence_ns,
					  memory_order_relaxed) |
		     atomic_load_explicit(&dest->kept_ns,
					  memory_order_relaxed)))
		tr2_wait_give_back(dest, bytes);
}

enum tr2_locking {
	TR2_LOCKED,
	TR2_NOT_LOCKED, /* no thread waits any longer: see
			 * tr2_dest_set_urgent() */
	TR2_LOCK_LOST /* the owner of the lock makes no progress: the line is
		       * lost */
};

enum tr2_locking tr2_wait_lock_slow(struct tr2_dest *dest, uint32_t tid);

/* Show that the owner of the lock makes progress. */
static inline void tr2_wait_beat(struct tr2_dest *dest)
{
	uint32_t pulse =
		atomic_load_explicit(&dest->pulse, memory_order_relaxed);

	atomic_store_explicit(&dest->pulse, pulse + 1, memory_order_relaxed);
}

/*
 * Take the lock. *tid: the id of the calling thread; 0: ask the kernel, and set
 * *tid. If the lock already has this tid, an earlier call of the thread left it
 * held: set `cut`.
 */
static inline enum tr2_locking tr2_wait_lock(struct tr2_dest *dest,
					     uint32_t *tid)
{
	uint32_t word = 0;

	if (unlikely(!*tid))
		*tid = tr2_raw_gettid();
	if (unlikely(!atomic_compare_exchange_strong_explicit(
		    &dest->lock, &word, *tid, memory_order_acquire,
		    memory_order_relaxed)))
		return tr2_wait_lock_slow(dest, *tid);
	tr2_wait_beat(dest);
	return TR2_LOCKED;
}

void tr2_wait_unlock_slow(struct tr2_dest *dest, uint32_t tid);

/* Release the lock, unless another thread has it. */
static inline void tr2_wait_unlock(struct tr2_dest *dest, uint32_t tid)
{
	uint32_t word = tid;

	if (unlikely(!atomic_compare_exchange_strong_explicit(
		    &dest->lock, &word, 0, memory_order_release,
		    memory_order_relaxed)))
		tr2_wait_unlock_slow(dest, tid);
}

bool tr2_wait_owns(const struct tr2_dest *dest, uint32_t tid);
