/* SPDX-License-Identifier: MIT */
/*
 * metric - timers and counters: their definitions, and what threads counted.
 *
 * A definition is a category and a name; it has a dense index in its kind,
 * given when its module is loaded, by which it finds its cell in any slot.
 * Names are copied, so that a module may be unloaded. Cells are written by the
 * thread that owns the slot and read by anybody (see arena/layout.h).
 */
#ifndef TR2_METRIC_METRIC_H
#define TR2_METRIC_METRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena/arena.h"
#include "base/sanitize.h"
#include "trace2.h"

enum tr2_metric_kind { TR2_METRIC_TIMER, TR2_METRIC_COUNTER, TR2_METRIC_KINDS };

struct tr2_metric_def {
	const char *category, *name;
	unsigned int flags; /* TRACE2_PER_THREAD, TRACE2_HISTOGRAM */
	unsigned int histogram; /* its number + 1, 0: none */
	bool is_sampled;
	atomic_bool is_ambiguous; /* defined again, with other flags */
};

/*
 * In the index of a definition whose counting is watched: like any index that
 * is too large it fails the check that the hot path makes anyway, which
 * therefore pays nothing for it.
 */
#define TR2_METRIC_SAMPLED (1u << 31)

static inline bool tr2_metric_is_sampled(unsigned int index, unsigned int max)
{
	return (index & TR2_METRIC_SAMPLED) &&
	       (index & ~TR2_METRIC_SAMPLED) < max;
}

/* Marks the index in all modules, or takes the mark away. */
void tr2_metric_sample(enum tr2_metric_kind kind, unsigned int index, bool on);

unsigned int tr2_metric_nr(enum tr2_metric_kind kind);
const struct tr2_metric_def *tr2_metric_def(enum tr2_metric_kind kind,
					    unsigned int index);

/* Its index, TRACE2_UNREGISTERED_ when there is none. Takes a lock. */
unsigned int tr2_metric_find(enum tr2_metric_kind kind, const char *category,
			     const char *name);

/* Definitions that found no room. */
unsigned int tr2_metric_nr_refused(void);
/* Timers that asked for a histogram where there was no room for one. */
unsigned int tr2_metric_nr_without_histogram(void);

/* The library is unloaded: memory for very many definitions. */
void tr2_metric_release(void);

/* In a forked child: a lock that another thread held is free again. */
void tr2_metric_after_fork(void);

/* The calling thread's slot; they find index < TR2_MAX_… checked. */
static inline void tr2_counter_cell_add(uint64_t *cell, uint64_t value)
{
#if defined(__x86_64__) && !TR2_TSAN
	/*
	 * One instruction, so that a signal handler that counts cannot come
	 * between the load and the store; without a lock prefix, since no
	 * other thread writes the cell.
	 */
	__asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(value) : "cc");
#else
	__atomic_fetch_add(cell, value, __ATOMIC_RELAXED);
#endif
}

enum tr2_cell_result {
	TR2_CELL_DONE,
	TR2_CELL_BUSY, /* a signal handler interrupted its owner: not done */
	TR2_CELL_UNPAIRED /* a stop without a start: not done */
};

enum tr2_cell_result tr2_timer_cell_start(struct tr2_timer_cell *cell,
					  uint64_t now_ns);

/* buckets: NULL, or the timer's histogram. */
enum tr2_cell_result tr2_timer_cell_stop(struct tr2_timer_cell *cell,
					 uint64_t now_ns, uint64_t *buckets);

/* Counts a stop without a start. */
void tr2_timer_cell_unpaired(struct tr2_timer_cell *cell);

/* The histogram of timer `index` in this slot, NULL when it has none. */
uint64_t *tr2_timer_buckets(struct tr2_slot *slot, unsigned int index);

struct tr2_timer_sum {
	uint64_t count, total_ns, min_ns, max_ns;
	uint64_t unfinished; /* running now, or without start or end */
};

/*
 * What the slot says, consistently, while its owner may be writing. A running
 * interval counts as unfinished and adds its time up to now_ns. NULL slot: 0.
 */
uint64_t tr2_counter_read(const struct tr2_slot *slot, unsigned int index);
void tr2_timer_read(const struct tr2_slot *slot, unsigned int index,
		    uint64_t now_ns, struct tr2_timer_sum *out);

/* Adds all cells of `from` to those of `to`, which nobody else writes. */
void tr2_metric_fold(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns);

/* The same, and leaves those of `from`, which nobody writes any more, zero;
 * whoever watches the arena sees both at once. NULL `to`: they are lost. */
void tr2_metric_move(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns);

/*
 * From now on, cells have space in the arena's file before anybody knows their
 * definition: those of now at once, later ones by `more`, which takes the
 * process's lock and then calls tr2_arena_back_cells(). NULL: not any more. The
 * caller holds the lock.
 */
typedef bool (*tr2_metric_more)(unsigned int nr_timers,
				unsigned int nr_histograms);
void tr2_metric_back(tr2_metric_more more);

/* Tells readers of the arena's file what is defined, and from now on what is
 * defined later. */
void tr2_metric_publish(void);
/* A row of another kind, between theirs. */
void tr2_metric_publish_row(enum tr2_definition_kind kind,
			    const struct tr2_definition *numbers,
			    const char *category, const char *name);

#endif
