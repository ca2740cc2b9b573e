/* SPDX-License-Identifier: MIT */
/*
 * pmu - opened counters: events, their groups, and the sources that count.
 *
 * An event belongs to a group (of one, if need be), whose leader says when it
 * may count. A group counts as a whole or not at all:
 *
 *	off ──enable──► wants to count ──room on every PMU──► counts
 *	 ▲                │  ▲                                   │
 *	 └────disable─────┘  └─another group leaves its PMU      │
 *	 ▲                                                       │
 *	 └──────────────────disable──────────────────────────────┘
 *
 * A pinned group that cannot count is in error instead of waiting. The
 * kernel's events in a group are one group of the kernel, which switches them
 * together; their leader there is the leader here, or an event that counts
 * nothing where the leader here is one of ours.
 *
 * Not thread-safe by itself: the caller holds the process's lock.
 */
#ifndef TR2_PMU_PMU_H
#define TR2_PMU_PMU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arena/arena.h"
#include "metric/metric.h"
#include "pmu/buffer.h"
#include "pmu/notice.h"
#include "trace2_perf.h"

struct tr2_pmu {
	const char *name;
	struct tr2_pmu_use *use; /* NULL: the kernel knows */
	/* Looks whether ev->attr can be had, and prepares ev for it. 0, or a
	 * negative errno with nothing held. */
	int (*event_init)(struct trace2_perf *ev);
	/* Gives back what event_init() took. May be NULL. */
	void (*release)(struct trace2_perf *ev);
	/* Start and stop counting. add: 0, or a negative errno, then it does
	 * not count. */
	int (*add)(struct trace2_perf *ev);
	void (*del)(struct trace2_perf *ev);
	/* Brings what tr2_perf_count() says up to date. 0; -EIO: in error. */
	int (*read)(struct trace2_perf *ev);
	/* Where the value does not lie in the event. May be NULL. */
	uint64_t (*count)(const struct trace2_perf *ev);
	/* The value is what is now, not what was counted. May be NULL. */
	bool (*is_gauge)(const struct trace2_perf *ev);
	/* What samples: NULL, or all of them; they find a sampling event, map
	 * any. */
	int (*map)(struct trace2_perf *ev, size_t pages);
	int (*refresh)(struct trace2_perf *ev, unsigned int overflows);
	int (*set_period)(struct trace2_perf *ev, uint64_t period);
	int (*poll_fd)(struct trace2_perf *ev);
};

/* Which groups count on a PMU now. */
struct tr2_pmu_use {
	unsigned int nr_groups;
	bool is_exclusive; /* there is one, and it wants no other */
};

extern const struct tr2_pmu tr2_pmu_kernel, tr2_pmu_app, tr2_pmu_power,
	tr2_pmu_process;

enum tr2_perf_state {
	TR2_PERF_OFF,
	TR2_PERF_WAITING, /* enabled, without room */
	TR2_PERF_COUNTING,
	TR2_PERF_ERROR,
	TR2_PERF_GONE /* its leader was closed, or it was the parent's */
};

/* What an app event knows of one live thread. */
struct tr2_perf_task {
	struct tr2_perf_task *next;
	const struct tr2_slot *slot;
	uint64_t base; /* of its cell, when counting began */
	uint64_t count; /* before that */
	uint64_t overflow_at; /* the count of the next one, 0: not known yet */
};

struct tr2_perf_app {
	uint64_t opened_ns;
	uint64_t ended; /* what the opened thread itself had counted */
	uint32_t pid; /* of this process */
	uint32_t tid; /* 0: it ended */
	unsigned int index;
	enum tr2_metric_kind kind;
	bool failed; /* memory: what it counted is not known */
	struct tr2_perf_task *tasks;
};

struct tr2_perf_kernel {
	int fd; /* -1: none */
	uint64_t id; /* the kernel's */
	uint64_t read_format; /* with which the kernel opened it */
	uint64_t enabled_ns, running_ns;
	void *page; /* mapped for reading, NULL: not */
	pthread_t owner; /* who may read there */
};

struct trace2_perf {
	struct trace2_perf *next, *prev; /* leaders of the process */
	struct trace2_perf *leader; /* itself, if it is one */
	struct trace2_perf *member; /* the next of the group */
	unsigned int nr_members; /* of a leader's group, itself included */
	const struct tr2_pmu *pmu;
	struct trace2_perf_attr attr;
	pid_t pid;
	pid_t tid; /* the same; where that is 0, the thread that opened it */
	int cpu;
	uint64_t id;
	enum tr2_perf_state state; /* the leader's is its group's */
	bool enabled; /* itself */
	bool counting; /* between add() and del() */

	uint64_t count; /* its own, with live threads that are counted too */
	uint64_t child_count; /* folded in from those that ended */
	uint64_t lost;
	uint64_t reset_at; /* what it was at its reset */
	unsigned int reading; /* the last one that brought it up to date */

	/* Sampling: overflows that it is enabled for, 0: any number. */
	unsigned int overflows_left;
	struct tr2_notice notice;

	/* Its records; lost ones, and samples, that nobody was told of yet;
	 * where the head was when somebody was. */
	struct tr2_buffer buffer;
	uint64_t untold, unwoken, woken_at;

	/* In ns, up to since_ns; the kernel keeps its own for its events. */
	uint64_t enabled_ns, running_ns, since_ns;

	/* Which of them is the PMU's matter. */
	struct tr2_perf_app app;
	struct tr2_perf_kernel kernel;
	uint64_t base; /* power, process: what it was when counting began */
	int package; /* power: -1: all */
	/* Of a leader of ours: what leads its events of the kernel there. */
	struct tr2_perf_kernel lead;
};

/* Events of one process. They hold attr checked against NULL only. */
int tr2_perf_open(const struct trace2_perf_attr *attr, pid_t pid, int cpu,
		  struct trace2_perf *group, struct trace2_perf **out);
void tr2_perf_close(struct trace2_perf *ev);
int tr2_perf_enable(struct trace2_perf *ev);
int tr2_perf_disable(struct trace2_perf *ev);
void tr2_perf_switch_all(bool on);
int tr2_perf_reset(struct trace2_perf *ev);
int tr2_perf_read(struct trace2_perf *ev, uint64_t *values, size_t nr_values);

/*
 * The one way to a value: what was counted up to the last reading. Where a
 * count belongs to a package or the process, it is as old as that.
 */
uint64_t tr2_perf_count(const struct trace2_perf *ev);

/* Brings the event up to date, and those that are read together with it. */
int tr2_perf_update(struct trace2_perf *ev);

int tr2_perf_refresh(struct trace2_perf *ev, int overflows);
int tr2_perf_set_period(struct trace2_perf *ev, uint64_t period);
int tr2_perf_poll_fd(struct trace2_perf *ev);

int tr2_perf_map(struct trace2_perf *ev, size_t pages);
int tr2_perf_next_record(struct trace2_perf *ev, void *record,
			 size_t size_bytes);

/* Do records of such an event say which calls led to them? */
bool tr2_perf_wants_calls(const struct trace2_perf_attr *attr);

/* Is it of a thread of this process? */
bool tr2_perf_is_of_us(const struct trace2_perf *ev);

/* Does it ask for what only counters with records have? */
bool tr2_perf_wants_records(const struct trace2_perf_attr *attr);

/* All leaders of the process. */
extern struct trace2_perf *tr2_perf_leaders;

/* The number of the reading that goes on; see trace2_perf.reading. */
unsigned int tr2_perf_reading(void);

/* What the thread with this slot has added to an app event. */
uint64_t tr2_perf_task_count(const struct trace2_perf *ev,
			     const struct tr2_slot *slot);

/* In a forked child: nothing of the parent's is held any more. */
void tr2_pmu_after_fork(void);

/* Closes all events, those of the program, too, and releases all memory. */
void tr2_pmu_release(void);

/* Calls fn with the slot of each live thread. Set by the session. */
extern void (*tr2_pmu_each_slot)(void (*fn)(const struct tr2_slot *slot,
					    void *cookie),
				 void *cookie);

/*
 * Where a sampled cell of the calling thread overflows next; 0 where that is
 * not known. The caller adds first and then compares; what it finds is told to
 * tr2_perf_overflow(), under the lock.
 */
struct tr2_limits {
	struct tr2_limits *next, *prev;
	uint64_t at[TR2_MAX_COUNTERS + TR2_MAX_TIMERS];
};
extern __thread struct tr2_limits *tr2_my_limits
	__attribute__((tls_model("initial-exec")));

static inline unsigned int tr2_limit_nr(enum tr2_metric_kind kind,
					unsigned int index)
{
	return kind == TR2_METRIC_COUNTER ? index : TR2_MAX_COUNTERS + index;
}

static inline uint64_t tr2_limit(enum tr2_metric_kind kind, unsigned int index)
{
	return tr2_my_limits ?
		       __atomic_load_n(
			       &tr2_my_limits->at[tr2_limit_nr(kind, index)],
			       __ATOMIC_RELAXED) :
		       0;
}

struct tr2_callchain;

/* chain: the calls that led to the count. */
void tr2_perf_overflow(const struct tr2_slot *slot, enum tr2_metric_kind kind,
		       unsigned int index, const struct tr2_callchain *chain);

/* Called for each overflow, under the lock, in the thread that counted; periods:
 * how many were crossed at once. NULL: nobody wants to know. */
extern void (*tr2_perf_on_overflow)(struct trace2_perf *ev,
				    const struct tr2_slot *slot,
				    uint64_t periods,
				    const struct tr2_callchain *chain);

#define TR2_MAX_GROUP 64 /* events */

/* How many numbers a reading has at most. */
#define TR2_READING_MAX (3 + 3 * TR2_MAX_GROUP)

/* A reading for a record, of the event's format in any case: what cannot be
 * read is 0. Returns how many numbers it has. */
unsigned int tr2_perf_reading_of(struct trace2_perf *ev, uint64_t *values);
/* Of one thread alone; never of a group. */
unsigned int tr2_perf_reading_of_task(const struct trace2_perf *ev,
				      const struct tr2_slot *slot,
				      uint64_t *values);

/* Of app.c, for its sampling and for tr2_pmu_task_end(). */
void tr2_app_task_end(struct trace2_perf *ev, const struct tr2_slot *slot);
bool tr2_app_is_counted(const struct trace2_perf *ev,
			const struct tr2_slot *slot);
bool tr2_app_counts_task(const struct trace2_perf *ev, uint32_t tid,
			 uint64_t start_ns);
uint64_t tr2_app_cell(const struct trace2_perf *ev, const struct tr2_slot *slot);
struct tr2_perf_task *tr2_app_task(struct trace2_perf *ev,
				   const struct tr2_slot *slot);

/* Of sample.c, for the table of app.c. */
int tr2_app_map(struct trace2_perf *ev, size_t pages);
int tr2_app_refresh(struct trace2_perf *ev, unsigned int overflows);
int tr2_app_set_period(struct trace2_perf *ev, uint64_t period);
int tr2_app_poll_fd(struct trace2_perf *ev);

/* Of sample.c: the limits of an event's cells are not known any more. */
void tr2_sample_changed(const struct trace2_perf *ev);
/* An event that samples is opened, and closed. */
void tr2_sample_open(const struct trace2_perf *ev);
void tr2_sample_close(const struct trace2_perf *ev);
/* The calling thread ends, or is all that a fork left. */
void tr2_sample_task_end(void);
void tr2_sample_after_fork(void);

/* Of kernel_sample.c: the record that `head` begins, as its event asks for it.
 * Its size, or -ENOSPC. */
int tr2_kernel_record(struct trace2_perf *ev,
		      const struct trace2_perf_record *head, void *record,
		      size_t size_bytes);

/* Of kernel.c: is it one whose counting is never shared out? */
bool tr2_kernel_is_software(const struct trace2_perf *ev);
/* Opens, switches, closes what leads the kernel's events of a leader of ours. */
int tr2_kernel_lead_open(struct trace2_perf *leader);
int tr2_kernel_lead_switch(struct trace2_perf *leader, bool on);
void tr2_kernel_release(struct tr2_perf_kernel *kernel);

/* A value, and how much of the time stands behind it. */
struct tr2_perf_times {
	uint64_t value, enabled_ns, running_ns;
};

/* An event that is in no list, for one thread. 0 or a negative errno. */
int tr2_kernel_task_open(struct tr2_perf_kernel *kernel,
			 const struct trace2_perf_attr *attr, pid_t tid);
int tr2_kernel_task_read(struct tr2_perf_kernel *kernel,
			 struct tr2_perf_times *out);

#endif
