/* SPDX-License-Identifier: MIT */
/*
 * arena - the memory of thread slots: private, or a file that other processes
 * can read while this one runs and after it died.
 *
 * A slot is mapped at any address when a thread claims it. No large address
 * range is reserved (see base/blocks.h): it would reduce the memory of a host
 * that limits itself later (RLIMIT_AS), and count against its locked memory
 * (mlockall()). A slot in a file gets its space on the disk before it is
 * touched: a full disk causes no SIGBUS. A thread without such a slot has a
 * private one with the same layout, without a ring.
 *
 * Not thread-safe by itself: the caller holds the process's lock. Otherwise all
 * functions are signal-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena/layout.h"
#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/macros.h"
#include "trace2.h"

/* The calling thread's slot; NULL before its first metric or ring record.
 * trace2_mine_ has the slot's cells for inline counters and timers. */
#define tr2_my_slot TR2_TLS(tr2_tls_own).slot
#define tr2_mine TR2_TLS(trace2_mine_)

static inline void tr2_arena_set_mine(struct tr2_slot *slot)
{
	if (tr2_my_slot == slot)
		return;
	/* Set the guard first: a handler that jumps out here leaves no pointer
	 * without it. */
	tr2_mine.guard = tr2_fork_guard;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	tr2_my_slot = slot;
	tr2_mine.timers = NULL; /* no timer starts inline until the thread's
				 * first timer has asked for the clock */
	tr2_mine.counters = slot ? slot->counter : NULL;
}

/* Return a slot with zeroed cells; NULL: no memory, or too early in a forked
 * child. */
struct tr2_slot *tr2_arena_claim(void);

/*
 * Free a slot of tr2_arena_claim(), once its cells are zero again (see
 * tr2_metric_move()). In a file, its ring stays for readers, and continues with
 * the next owner. NULL is ignored.
 */
void tr2_arena_free(struct tr2_slot *slot);

/*
 * The owner of a slot, in a list of all owners. The thread that claims a slot
 * adds its owner, and removes the owner before it frees the slot.
 */
struct tr2_arena_owner {
	struct tr2_arena_owner *next, *prev;
	struct tr2_slot *slot; /* NULL: no slot; the owner is not in the list */
};
void tr2_arena_add_owner(struct tr2_arena_owner *owner);
void tr2_arena_remove_owner(struct tr2_arena_owner *owner);
/* Call visit with the slot of each owner. */
void tr2_arena_each(void (*visit)(const struct tr2_slot *slot, void *cookie),
		    void *cookie);

/* Return a private slot, for a sum; tr2_arena_free() frees it. */
struct tr2_slot *tr2_arena_scratch(void);

/* Return slot 0; NULL: as for tr2_arena_claim(). */
struct tr2_slot *tr2_arena_totals(void);

/*
 * The process's gauges, in the file or in private memory; NULL before the first
 * tr2_arena_gauges(), which returns them. Any thread, without the lock.
 */
extern struct tr2_gauge_cell *tr2_gauges;
struct tr2_gauge_cell *tr2_arena_gauges(void);

/* Return slot number i of the file; NULL after the last one. */
struct tr2_slot *tr2_arena_slot(unsigned int i);

/* Return whether any thread has or had a slot, or any gauge was set. */
bool tr2_arena_is_used(void);

/*
 * Call it in a forked child. All slots become free and zero, tr2_my_slot of the
 * calling thread becomes NULL, and the parent's file is unmapped. A handler may
 * have interrupted a write, and forked. So that this write can end, private
 * memory takes the place of the header, the first slots and the slot `mine`,
 * and tr2_arena_rings does not change. mine: the slot of the thread that
 * forked; NULL: this slot is not known, and private memory takes the place of
 * all slots. If there was a file, no slot can be claimed until the child has a
 * file of its own, or calls tr2_arena_await_no_file().
 */
void tr2_arena_forget(const struct tr2_slot *mine);
void tr2_arena_await_no_file(void);

/* Unmap all memory. No thread may have a slot. */
void tr2_arena_release(void);

/*
 * Put slots into this file from now on. The file must be empty and open for
 * reading and writing; rings have data_size bytes (a power of two). No slot may
 * have been claimed yet. Write the header except for the caller's fields, and
 * the magic. false: not possible; errno is set, and nothing has changed. The
 * caller keeps the descriptor: if it is closed or becomes another file, no more
 * slots are added, and nothing else changes.
 */
bool tr2_arena_map(int fd, uint64_t data_size, enum tr2_ring_mode mode);

struct tr2_arena_cells {
	unsigned int counters, timers, histograms, gauges;
};

/*
 * Get space in the file for these numbers of cells, in all present and future
 * slots, before any cell is used. The caller holds the lock. false: no space.
 */
bool tr2_arena_back_cells(const struct tr2_arena_cells *nr);

/*
 * Get space for the first `bytes` bytes of the slot's ring. The first `from`
 * bytes have space already. Return the number of bytes that have space now:
 * `bytes` rounded up to whole pages, or `from`. Only for the owner, with
 * signals blocked; without the lock.
 */
uint64_t tr2_arena_back_ring(struct tr2_slot *slot, uint64_t from,
			     uint64_t bytes);

/* Return the header; NULL: private memory. */
struct tr2_arena_header *tr2_arena_header(void);

/* Let readers use the file. Call it when the header is complete. */
void tr2_arena_publish(void);

/* Values that the owner of a ring can trust. Other processes may change the
 * values in the file, but not these copies. */
struct tr2_arena_rings {
	uint64_t data_offset, data_size; /* size 0: the file never has
					 * rings */
	bool consume;
};
extern struct tr2_arena_rings tr2_arena_rings TR2_HIDDEN;

/*
 * Define the name of cell `index`, for readers of the file; do nothing without
 * a file. Strings that do not fit are left empty, and counted.
 */
void tr2_arena_define(enum tr2_definition_kind kind,
		      const struct tr2_definition *numbers,
		      const char *category, const char *name);

/* Return the offset of a copy in the file's strings; 0, the empty string, if
 * there is no room. */
uint32_t tr2_arena_intern(const char *s);

/* Return the offset of a copy of the row in the file's strings; 0: no room. */
uint32_t tr2_arena_add_site(const struct tr2_site_row *row);

/* Call the first function before, and the second one after, moving cells from
 * one slot to another: watchers then never see half a move. */
void tr2_arena_fold_begin(void);
void tr2_arena_fold_end(void);

/* Count losses outside of rings. Any thread. */
void tr2_arena_lost(enum tr2_lost_cause cause, uint64_t nr);

/* For a new file, forget which strings and rows were written. The first bytes
 * of strings always have space on the disk; the first bytes of rows have space
 * if rows_have_space. */
void tr2_define_reset(bool rows_have_space);
