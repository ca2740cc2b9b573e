/* SPDX-License-Identifier: MIT */
/*
 * arena - the memory that holds thread slots: private, or a file that other
 * processes can read while this one runs and after it died.
 *
 * A slot is mapped when a thread takes it, wherever there is room. Little
 * address space is reserved for more of them (see base/blocks.h): it would be
 * missing from what a host that limits itself later may have (RLIMIT_AS), and
 * count against what it may lock (mlockall()). In a file, its space on the disk
 * is had before it is touched: a full disk is no SIGBUS. Threads that get no
 * slot so have a private one with the same layout, without a ring.
 *
 * Not thread-safe by itself: the caller holds the process's lock. All of it is
 * signal-safe apart from that.
 */
#ifndef TR2_ARENA_ARENA_H
#define TR2_ARENA_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "arena/layout.h"

/* The calling thread's slot, NULL before its first metric or ring record. */
extern __thread struct tr2_slot *tr2_my_slot
	__attribute__((tls_model("initial-exec")));

/* Cells zeroed; NULL when there is no memory. */
struct tr2_slot *tr2_arena_claim(void);

/*
 * Gives back what tr2_arena_claim() gave, once its cells are zero again (see
 * tr2_metric_move()). The ring of a file's slot stays for readers, and goes on
 * with the next owner. NULL is nothing.
 */
void tr2_arena_free(struct tr2_slot *slot);

/* A slot in no file, for a sum; tr2_arena_free() takes it back. */
struct tr2_slot *tr2_arena_scratch(void);

/* Slot 0, NULL when there is no memory. */
struct tr2_slot *tr2_arena_totals(void);

/* Slot number i of the file; NULL behind the last one. */
struct tr2_slot *tr2_arena_slot(unsigned int i);

/* Does any thread have, or did any have, a slot? */
bool tr2_arena_is_used(void);

/*
 * In a forked child: no slot is in use any more, and all are zero. Whoever
 * had one has none; tr2_my_slot of the calling thread is cleared. The parent's
 * file is no longer mapped.
 */
void tr2_arena_forget(void);

/* Nothing is mapped any more, and nobody has a slot. */
void tr2_arena_release(void);

/*
 * From now on slots lie in this file, which is empty and open for reading and
 * writing, with rings of data_size bytes (a power of two). No slot may have
 * been claimed yet. Writes all of the header but what the caller knows better,
 * and the magic. false: it could not be had; errno, and all is as before. The
 * descriptor stays the caller's: when it is closed or is another file's, there
 * are no more slots, and that is all.
 */
bool tr2_arena_map(int fd, uint64_t data_size, enum tr2_ring_mode mode);

/*
 * Space in the file for the cells of so many timers, of all counters and of so
 * many histograms, in all slots there are, and in those to come; before anybody
 * looks at one of them. The caller holds the lock. false: there is none.
 */
bool tr2_arena_back_cells(unsigned int nr_timers, unsigned int nr_histograms);

/*
 * Space for so many bytes of the slot's ring, of which `from` have it already.
 * How many have it now: more than asked for, or `from`. Only by the owner, with
 * signals blocked; without the lock.
 */
uint64_t tr2_arena_back_ring(struct tr2_slot *slot, uint64_t from,
			     uint64_t bytes);

/* NULL: private memory. */
struct tr2_arena_header *tr2_arena_header(void);

/* The header is complete: readers may come. */
void tr2_arena_publish(void);

/* What the owner of a ring may trust; the pages are in others' hands, too. */
struct tr2_arena_rings {
	uint64_t data_offset, data_size; /* size 0: there are no rings */
	bool consume;
};
extern struct tr2_arena_rings tr2_arena_rings;

/*
 * The name of what has the cell `index`, for readers of the file; without one
 * it does nothing. Strings of a row that finds no room are left empty, and
 * counted.
 */
void tr2_arena_define(enum tr2_definition_kind kind,
		      const struct tr2_definition *numbers,
		      const char *category, const char *name);

/* Offset of a copy in the file's strings; 0, that of the empty one, when there
 * is no room. */
uint32_t tr2_arena_intern(const char *s);

/* Around moving cells from one slot to another, for watchers. */
void tr2_arena_fold_begin(void);
void tr2_arena_fold_end(void);

/* Counts what no ring lost. Any thread. */
void tr2_arena_lost(enum tr2_lost_cause cause, uint64_t nr);

#endif
