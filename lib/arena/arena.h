/* SPDX-License-Identifier: MIT */
/*
 * arena - the memory of thread slots: private, or a file that other processes
 * can read while this one runs and after it died.
 *
 * A slot is mapped at any address when a thread claims it. No large address
 * range is reserved (see base/blocks.h): it would reduce what a host may map
 * that limits itself later (RLIMIT_AS), and count against its locked memory
 * (mlockall()). A slot in a file gets its space on the disk before it is
 * touched: a full disk is no SIGBUS. A thread without such a slot has a private
 * one with the same layout, without a ring.
 *
 * Not thread-safe by itself: the caller holds the process's lock. Otherwise all
 * of it is signal-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena/layout.h"
#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/macros.h"
#include "trace2.h"

/* The calling thread's slot; NULL before its first metric or ring record. For
 * counters and timers in line, trace2_mine_ has its cells. */
#define tr2_my_slot TR2_TLS(tr2_tls_own).slot
#define tr2_mine TR2_TLS(trace2_mine_)

static inline void tr2_arena_set_mine(struct tr2_slot *slot)
{
	if (tr2_my_slot == slot)
		return;
	/* First: a handler that jumps out here leaves no pointer without it. */
	tr2_mine.guard = tr2_fork_guard;
	__atomic_signal_fence(__ATOMIC_RELEASE);
	tr2_my_slot = slot;
	tr2_mine.timers = NULL; /* until the first one asks for the clock */
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
 * The owner of a slot, in a list of all of them. Whoever claims a slot adds its
 * owner, and removes it before the slot is freed.
 */
struct tr2_arena_owner {
	struct tr2_arena_owner *next, *prev;
	struct tr2_slot *slot; /* NULL: none, and not in the list */
};
void tr2_arena_add_owner(struct tr2_arena_owner *owner);
void tr2_arena_remove_owner(struct tr2_arena_owner *owner);
/* Call visit with each of those slots. */
void tr2_arena_each(void (*visit)(const struct tr2_slot *slot, void *cookie),
		    void *cookie);

/* Return a private slot, for a sum; tr2_arena_free() frees it. */
struct tr2_slot *tr2_arena_scratch(void);

/* Return slot 0; NULL as above. */
struct tr2_slot *tr2_arena_totals(void);

/*
 * The process's gauges, in the file or in private memory; NULL before
 * tr2_arena_gauges(), which returns them. Any thread, without the lock.
 */
extern struct tr2_gauge_cell *tr2_gauges;
struct tr2_gauge_cell *tr2_arena_gauges(void);

/* Return slot number i of the file; NULL behind the last one. */
struct tr2_slot *tr2_arena_slot(unsigned int i);

/* Whether any thread has or had a slot, or any gauge was set. */
bool tr2_arena_is_used(void);

/*
 * Call it in a forked child: all slots become free and zero, the calling
 * thread's tr2_my_slot NULL. The parent's file is no longer mapped. A write that
 * was interrupted by a handler that forked can end: there is memory in place of
 * the header, the first slots and `mine`, the slot of the thread that forked
 * (NULL: not known, so all), and tr2_arena_rings stays. If there was a file, no
 * slot can be claimed until the child has its own, or tr2_arena_await_no_file().
 */
void tr2_arena_forget(const struct tr2_slot *mine);
void tr2_arena_await_no_file(void);

/* Unmap everything. No thread may have a slot. */
void tr2_arena_release(void);

/*
 * Put slots into this file from now on. It must be empty and open for reading
 * and writing; rings have data_size bytes (a power of two). No slot may have
 * been claimed yet. Writes the header except for the caller's fields, and the
 * magic. false: not possible; errno, and nothing changed. The descriptor stays
 * the caller's: if it is closed or becomes another file, there are only no more
 * slots.
 */
bool tr2_arena_map(int fd, uint64_t data_size, enum tr2_ring_mode mode);

struct tr2_arena_cells {
	unsigned int counters, timers, histograms, gauges;
};

/*
 * Get space in the file for so many cells, in all present and future slots,
 * before any of them is used. The caller holds the lock. false: no space.
 */
bool tr2_arena_back_cells(const struct tr2_arena_cells *nr);

/*
 * Get space for so many bytes of the slot's ring, of which `from` already have
 * it. Return how many have it now: more than requested, or `from`. Only for the
 * owner, with signals blocked; without the lock.
 */
uint64_t tr2_arena_back_ring(struct tr2_slot *slot, uint64_t from,
			     uint64_t bytes);

/* NULL: private memory. */
struct tr2_arena_header *tr2_arena_header(void);

/* The header is complete: let readers in. */
void tr2_arena_publish(void);

/* Values that the owner of a ring can trust; other processes may change the
 * file's. */
struct tr2_arena_rings {
	uint64_t data_offset, data_size; /* size 0: never any rings */
	bool consume;
};
extern struct tr2_arena_rings tr2_arena_rings TR2_HIDDEN;

/*
 * Define the name of cell `index`, for readers of the file; does nothing
 * without one. Strings that do not fit are left empty, and counted.
 */
void tr2_arena_define(enum tr2_definition_kind kind,
		      const struct tr2_definition *numbers,
		      const char *category, const char *name);

/* Return the offset of a copy in the file's strings; 0, the empty string, if
 * there is no room. */
uint32_t tr2_arena_intern(const char *s);

/* Return the offset of a copy of the row in the file's strings; 0: no room. */
uint32_t tr2_arena_add_site(const struct tr2_site_row *row);

/* Call them around moving cells from one slot to another, for watchers. */
void tr2_arena_fold_begin(void);
void tr2_arena_fold_end(void);

/* Count losses outside of rings. Any thread. */
void tr2_arena_lost(enum tr2_lost_cause cause, uint64_t nr);

/* For a new file: forget which strings and rows were written. The first bytes
 * of strings always have space on the disk; those of rows if rows_have_space. */
void tr2_define_reset(bool rows_have_space);
