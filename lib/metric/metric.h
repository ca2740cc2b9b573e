/* SPDX-License-Identifier: MIT */
/*
 * metric - timers, distributions and counters: their definitions, and the cells
 * of threads. A distribution is a timer with a unit, whose intervals are
 * values.
 *
 * A definition is a category and a name. When its module is loaded, it gets an
 * index, dense within its kind, which is the number of its cell in each slot.
 * Names are copied, so that a module may be unloaded. The thread that owns a
 * slot writes its cells; any thread may read them (see arena/layout.h).
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena/arena.h"
#include "arena/kinds.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "trace2.h"

/* The kinds of cells. */
enum tr2_metric_kind {
	TR2_METRIC_TIMER,
	TR2_METRIC_COUNTER,
	TR2_METRIC_GAUGE,
	TR2_METRIC_KINDS
};

struct tr2_metric_def {
	const char *category, *name;
	const char *unit; /* unit of distributions and gauges; else NULL */
	enum tr2_definition_kind kind;
	unsigned int flags; /* TRACE2_PER_THREAD, TRACE2_HISTOGRAM */
	unsigned int histogram; /* the number of the histogram + 1; 0: no
				 * histogram */
	atomic_bool is_sampled;
	atomic_bool is_ambiguous; /* the metric was defined again with different
				   * flags */
};

/*
 * Marks in an index: the definition is sampled, or it is a timer with a
 * histogram. A marked index is too large, and fails the check of the hot path's
 * index. So the marks cost the hot path nothing.
 */
#define TR2_METRIC_SAMPLED (1u << 31)
#define TR2_METRIC_HISTOGRAM (1u << 30)
#define TR2_METRIC_MARKS (TR2_METRIC_SAMPLED | TR2_METRIC_HISTOGRAM)

static inline bool tr2_metric_is_sampled(unsigned int index, unsigned int max)
{
	return (index & TR2_METRIC_SAMPLED) &&
	       (index & ~TR2_METRIC_MARKS) < max;
}

/* Set or clear the mark in the index of all modules. The caller holds the
 * process's lock. */
void tr2_metric_sample(enum tr2_metric_kind kind, unsigned int index, bool on);

unsigned int tr2_metric_nr(enum tr2_metric_kind kind);
const struct tr2_metric_def *tr2_metric_def(enum tr2_metric_kind kind,
					    unsigned int index);

/* Return the index of a timer or counter; TRACE2_UNREGISTERED_: there is no
 * such definition. */
unsigned int tr2_metric_find(enum tr2_metric_kind kind, const char *category,
			     const char *name);

/* A definition from a program; only the unit may be NULL. */
struct tr2_metric_given {
	enum tr2_definition_kind kind;
	const char *category, *name, *unit;
	unsigned int flags;
};

/* Return the place where an opened metric keeps this index. */
typedef unsigned int *tr2_metric_place(enum tr2_metric_kind kind,
				       unsigned int index);
/* Define a metric at run time, and store its index with marks at its place.
 * Return the index; TRACE2_UNREGISTERED_: there is no room, and the refusal is
 * counted. */
unsigned int tr2_metric_open(enum tr2_metric_kind kind,
			     const struct tr2_metric_given *given,
			     tr2_metric_place *place_of);

/* The reason why a metric does not count. */
enum tr2_metric_refusal {
	TR2_REFUSED_ROOM,
	TR2_REFUSED_KIND, /* the kind does not exist */
	TR2_REFUSED_LABELS, /* too many */
	TR2_REFUSED_NAME, /* too long */
	TR2_REFUSALS
};
/* Count a refusal, and return the number of refusals. */
void tr2_metric_refuse(enum tr2_metric_refusal why);
unsigned int tr2_metric_nr_refused(enum tr2_metric_refusal why);
#define TR2_METRIC_MAX_LABELS 8
#define TR2_METRIC_NAME_BYTES 256 /* the largest size of a category or name,
				   * with the NUL */
/* Return the number of timers without room for their histogram. */
unsigned int tr2_metric_nr_without_histogram(void);

/* Release the memory that very many definitions take, when the library is
 * unloaded. */
void tr2_metric_release(void);

/* Call it in a forked child, which has no arena's file. */
void tr2_metric_after_fork(void);

/* The following functions work on the calling thread's slot. The caller has
 * checked that the index is below TR2_MAX_…. */
static inline void tr2_counter_cell_add(uint64_t *cell, uint64_t value)
{
#if defined(__x86_64__) && !TR2_TSAN
	/*
	 * Add by one instruction, so that a signal handler that counts cannot
	 * interrupt between load and store. No other thread writes the cell: a
	 * lock prefix is not needed.
	 */
	__asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(value) : "cc");
#else
	__atomic_fetch_add(cell, value, __ATOMIC_RELAXED);
#endif
}

enum tr2_cell_result {
	TR2_CELL_DONE,
	TR2_CELL_BUSY, /* not counted: a signal handler interrupted the cell's
			* owner */
	TR2_CELL_UNPAIRED /* not counted: a stop without a start */
};

/* Start an interval. unit 0: start is in ticks; TR2_NEST_NS: in ns. */
enum tr2_cell_result tr2_timer_cell_start(struct tr2_timer_cell *cell,
					  uint64_t start, uint32_t unit);

/* Return the time since the outermost start, which this thread made. */
uint64_t tr2_timer_cell_elapsed(const struct tr2_timer_cell *cell);

/* Stop a timer. *ns: the interval, if this stop ends it. buckets: the timer's
 * histogram, or NULL. */
enum tr2_cell_result tr2_timer_cell_stop(struct tr2_timer_cell *cell,
					 uint64_t ns, uint64_t *buckets);

/* Add an interval, or a distribution's value. */
enum tr2_cell_result tr2_timer_cell_add(struct tr2_timer_cell *cell,
					uint64_t ns, uint64_t *buckets);

/* Publish the conversion of ticks to readers of the calling thread's slot. */
void tr2_timer_set_clock(struct tr2_slot *slot,
			 const struct tr2_clock_line *line);

/* Count a stop without a start. */
void tr2_timer_cell_unpaired(struct tr2_timer_cell *cell);

/* Return the histogram of timer `index` in this slot; NULL: no histogram. */
uint64_t *tr2_timer_buckets(struct tr2_slot *slot, unsigned int index);

struct tr2_timer_sum {
	uint64_t count, total_ns, min_ns, max_ns;
	uint64_t unfinished; /* number of intervals that run now, or lack a
			      * start or an end */
};

/*
 * Read a consistent value of the slot, while its owner may be writing. A
 * running interval counts as unfinished and adds its time up to now_ns. NULL
 * slot: 0.
 */
uint64_t tr2_counter_read(const struct tr2_slot *slot, unsigned int index);
void tr2_timer_read(const struct tr2_slot *slot, unsigned int index,
		    uint64_t now_ns, struct tr2_timer_sum *out);

/* Add all cells of `from` to those of `to`, which no other thread writes. */
void tr2_metric_fold(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns);

/* Add the cells of `from` to those of `to`, and set the cells of `from` to
 * zero. No thread writes to `from` any longer. Watchers of the arena see both
 * changes at once. NULL `to`: drop the cells. */
void tr2_metric_move(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns);

/*
 * Give all present cells space in the arena's file now, and each later cell
 * before its definition becomes visible. `more` gets the space; it is called
 * under the process's lock. NULL: get no more space. The caller holds the lock.
 */
typedef bool (*tr2_metric_more)(const struct tr2_arena_cells *nr);
void tr2_metric_back(tr2_metric_more more);

/* Publish the definitions to readers of the arena's file now, and each later
 * definition when it is made. The caller holds the process's lock, which
 * protects the file's definitions. */
void tr2_metric_publish(void);
