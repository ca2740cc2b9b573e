/* SPDX-License-Identifier: MIT */
/*
 * metric - timers, distributions and counters: their definitions, and the cells
 * of threads. A distribution is a timer with a unit, whose intervals are values.
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
	const char *unit; /* of distributions and gauges; NULL: of others */
	enum tr2_definition_kind kind;
	unsigned int flags; /* TRACE2_PER_THREAD, TRACE2_HISTOGRAM */
	unsigned int histogram; /* its number + 1; 0: none */
	atomic_bool is_sampled;
	atomic_bool is_ambiguous; /* defined again, with other flags */
};

/*
 * Set in the index of a sampled definition, and of a timer with a histogram:
 * like any index that is too large, it fails the check that the hot path makes
 * anyway, so neither costs the hot path anything.
 */
#define TR2_METRIC_SAMPLED (1u << 31)
#define TR2_METRIC_HISTOGRAM (1u << 30)
#define TR2_METRIC_MARKS (TR2_METRIC_SAMPLED | TR2_METRIC_HISTOGRAM)

static inline bool tr2_metric_is_sampled(unsigned int index, unsigned int max)
{
	return (index & TR2_METRIC_SAMPLED) &&
	       (index & ~TR2_METRIC_MARKS) < max;
}

/* Set the mark in the index of all modules, or clear it. The caller holds the
 * process's lock. */
void tr2_metric_sample(enum tr2_metric_kind kind, unsigned int index, bool on);

unsigned int tr2_metric_nr(enum tr2_metric_kind kind);
const struct tr2_metric_def *tr2_metric_def(enum tr2_metric_kind kind,
					    unsigned int index);

/* Return the index of a timer or counter; TRACE2_UNREGISTERED_: none. */
unsigned int tr2_metric_find(enum tr2_metric_kind kind, const char *category,
			     const char *name);

/* A definition as a program gives it, with no NULL but for the unit. */
struct tr2_metric_given {
	enum tr2_definition_kind kind;
	const char *category, *name, *unit;
	unsigned int flags;
};

/* Return where the definition that calls get has its index. */
typedef unsigned int *tr2_metric_place(enum tr2_metric_kind kind,
				       unsigned int index);
/* Define a metric at run time, and set the marked index at its place. Return the
 * index; TRACE2_UNREGISTERED_: no room, which is counted. */
unsigned int tr2_metric_open(enum tr2_metric_kind kind,
			     const struct tr2_metric_given *given,
			     tr2_metric_place *place_of);

/* Why a metric does not count. */
enum tr2_metric_refusal {
	TR2_REFUSED_ROOM,
	TR2_REFUSED_KIND, /* there is none such */
	TR2_REFUSED_LABELS, /* too many */
	TR2_REFUSED_NAME, /* too long */
	TR2_REFUSALS
};
/* Count one, and return their number. */
void tr2_metric_refuse(enum tr2_metric_refusal why);
unsigned int tr2_metric_nr_refused(enum tr2_metric_refusal why);
#define TR2_METRIC_MAX_LABELS 8
#define TR2_METRIC_NAME_BYTES 256 /* of a category or name, with its NUL */
/* Return the number of timers whose histogram did not fit. */
unsigned int tr2_metric_nr_without_histogram(void);

/* Release the memory of very many definitions, when the library is unloaded. */
void tr2_metric_release(void);

/* Call it in a forked child: it has no arena's file. */
void tr2_metric_after_fork(void);

/* These work on the calling thread's slot, with a checked index < TR2_MAX_…. */
static inline void tr2_counter_cell_add(uint64_t *cell, uint64_t value)
{
#if defined(__x86_64__) && !TR2_TSAN
	/*
	 * One instruction, so that a counting signal handler cannot interrupt
	 * between the load and the store; without a lock prefix, since no other
	 * thread writes the cell.
	 */
	__asm__ volatile("addq %1, %0" : "+m"(*cell) : "er"(value) : "cc");
#else
	__atomic_fetch_add(cell, value, __ATOMIC_RELAXED);
#endif
}

enum tr2_cell_result {
	TR2_CELL_DONE,
	TR2_CELL_BUSY, /* a signal handler interrupted its owner: not counted */
	TR2_CELL_UNPAIRED /* a stop without a start: not counted */
};

/* unit: 0: start is in ticks, or TR2_NEST_NS. */
enum tr2_cell_result tr2_timer_cell_start(struct tr2_timer_cell *cell,
					  uint64_t start, uint32_t unit);

/* Return the time since the outermost start, which this thread made. */
uint64_t tr2_timer_cell_elapsed(const struct tr2_timer_cell *cell);

/* ns: the interval, if this stop ends one. buckets: NULL, or the timer's
 * histogram. */
enum tr2_cell_result tr2_timer_cell_stop(struct tr2_timer_cell *cell,
					 uint64_t ns, uint64_t *buckets);

/* Add an interval, or a distribution's value. */
enum tr2_cell_result tr2_timer_cell_add(struct tr2_timer_cell *cell,
					uint64_t ns, uint64_t *buckets);

/* Publish how ticks are converted to readers of the calling thread's slot. */
void tr2_timer_set_clock(struct tr2_slot *slot,
			 const struct tr2_clock_line *line);

/* Count a stop without a start. */
void tr2_timer_cell_unpaired(struct tr2_timer_cell *cell);

/* Return the histogram of timer `index` in this slot; NULL: none. */
uint64_t *tr2_timer_buckets(struct tr2_slot *slot, unsigned int index);

struct tr2_timer_sum {
	uint64_t count, total_ns, min_ns, max_ns;
	uint64_t unfinished; /* running now, or without start or end */
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

/* Add the cells of `from`, which no thread writes any more, to those of `to`
 * and set them to zero; watchers of the arena see both at once. NULL `to`: drop
 * them. */
void tr2_metric_move(struct tr2_slot *to, struct tr2_slot *from,
		     uint64_t now_ns);

/*
 * From now on, give cells space in the arena's file before their definition is
 * visible: present ones at once, later ones by `more`, which is called under the
 * process's lock. NULL: stop that. The caller holds the lock.
 */
typedef bool (*tr2_metric_more)(const struct tr2_arena_cells *nr);
void tr2_metric_back(tr2_metric_more more);

/* Publish the definitions to readers of the arena's file, and later ones when
 * they are made. The caller holds the process's lock, which all that is written
 * there is under. */
void tr2_metric_publish(void);
