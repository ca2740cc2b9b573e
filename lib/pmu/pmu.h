/* SPDX-License-Identifier: MIT */
/*
 * pmu - opened counters: events, their groups, and the sources that count.
 *
 * An event belongs to a group (possibly of one event), whose leader determines
 * when it may count. A group counts as a whole or not at all:
 *
 *	off ──enable──► waiting ─────────room on every PMU──► counting
 *	 ▲                │  ▲                                   │
 *	 └────disable─────┘  └─another group leaves its PMU      │
 *	 ▲                                                       │
 *	 └──────────────────disable──────────────────────────────┘
 *
 * A pinned group that cannot count is in error instead of waiting. The kernel's
 * events of a group form a group in the kernel, which switches them together.
 * Its leader is the group's leader or, if that is not an event of the kernel,
 * an event of the kernel that counts nothing.
 *
 * Not thread-safe by itself: the caller holds the process's lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arena/arena.h"
#include "base/fd.h"
#include "metric/metric.h"
#include "perfevent/perfevent.h"
#include "pmu/buffer.h"
#include "trace2_perf.h"

struct tr2_callchain;

struct tr2_pmu {
	const char *name;
	struct tr2_pmu_use *use; /* the groups that count on this PMU; NULL: the
				  * kernel decides which ones count */
	/* Check whether ev->attr is supported and prepare ev for it. Return 0,
	 * or a negative errno with nothing held. */
	int (*event_init)(struct trace2_perf *ev);
	/* Release all that event_init() acquired. May be NULL. */
	void (*release)(struct trace2_perf *ev);
	/* add() starts counting, and del() stops it. add() returns 0, or a
	 * negative errno if the event does not count. */
	int (*add)(struct trace2_perf *ev);
	void (*del)(struct trace2_perf *ev);
	/* Update the value of tr2_perf_count(). Return 0, or -EIO if the event
	 * is in error. */
	int (*read)(struct trace2_perf *ev);
	/* Return the value, for a PMU that does not keep it in the event. May
	 * be NULL. */
	uint64_t (*count)(const struct trace2_perf *ev);
	/* Return whether the value is a current level instead of a count. May
	 * be NULL. */
	bool (*is_gauge)(const struct trace2_perf *ev);
	/* Functions of a PMU that samples; NULL in other PMUs. map() may get
	 * any event, the other functions only an event that samples. */
	int (*map)(struct trace2_perf *ev, size_t pages);
	int (*refresh)(struct trace2_perf *ev, unsigned int overflows);
	int (*set_period)(struct trace2_perf *ev, uint64_t period);
	int (*poll_fd)(struct trace2_perf *ev);
};

/* The groups that count on a PMU now. */
struct tr2_pmu_use {
	unsigned int nr_groups;
	bool is_exclusive; /* the PMU has one group, which excludes all
			    * others */
};

extern const struct tr2_pmu tr2_pmu_kernel, tr2_pmu_app, tr2_pmu_power,
	tr2_pmu_process;

enum tr2_perf_state {
	TR2_PERF_OFF,
	TR2_PERF_WAITING, /* enabled, no room on a PMU */
	TR2_PERF_COUNTING,
	TR2_PERF_ERROR,
	/* the leader of the group was closed; or this is a forked child, and
	 * the group is the parent's */
	TR2_PERF_GONE
};

/* The state of an app event for one live thread. */
struct tr2_perf_task {
	struct tr2_perf_task *next;
	const struct tr2_slot *slot;
	uint64_t base; /* value of the thread's counter when counting began */
	uint64_t count; /* value of the event before counting began */
	uint64_t overflow_at; /* the event's count at the next overflow; 0: not
			       * known yet */
};

struct tr2_perf_app {
	uint64_t opened_ns;
	uint64_t ended; /* the final count of the thread for which the event was
			 * opened, once this thread has ended */
	uint32_t pid; /* pid of this process */
	uint32_t tid; /* 0: the thread has ended */
	unsigned int index;
	enum tr2_metric_kind kind;
	bool failed; /* out of memory: the count is incomplete */
	struct tr2_perf_task *tasks;
};

struct tr2_perf_kernel {
	int fd; /* -1: not open */
	uint64_t id; /* id given by the kernel */
	uint64_t read_format; /* format with which the event was opened */
	uint64_t enabled_ns, running_ns;
	void *page; /* the page mapped for reading; NULL: not mapped */
	pthread_t owner; /* the thread that may read the page */
};

struct trace2_perf {
	struct trace2_perf *next, *prev; /* neighbours in the list of all
					  * leaders */
	struct trace2_perf *leader; /* the leader of the group, possibly this
				     * event */
	struct trace2_perf *member; /* next event of the group */
	/* in a leader: size of the group, itself included */
	unsigned int nr_members;
	const struct tr2_pmu *pmu;
	struct trace2_perf_attr attr;
	pid_t pid;
	pid_t tid; /* like pid, but the id of the opening thread instead of 0 */
	int cpu;
	uint64_t id;
	enum tr2_perf_state state; /* in a leader: the state of its group */
	bool enabled; /* this event is enabled, in any state of its group */
	bool counting; /* true between add() and del() */

	uint64_t count; /* the event's own count, plus counts of live threads
			 * that inherited the event */
	uint64_t child_count; /* counts of ended threads that inherited the
			       * event */
	uint64_t lost;
	uint64_t reset_at; /* raw count at the last reset */
	unsigned int reading; /* number of the reading that updated the event
			       * last */

	/* Sampling: number of overflows until the event is disabled; 0: no
	 * limit. */
	unsigned int overflows_left;
	struct tr2_pipe poll_pipe;
	/* Called for each overflow of one of the program's counters, under the
	 * lock, in the counting thread. periods: the number of periods that
	 * ended at once. May be NULL. */
	void (*on_overflow)(struct trace2_perf *ev, const struct tr2_slot *slot,
			    uint64_t periods,
			    const struct tr2_callchain *chain);

	/* The records of the event. unreported: lost records that are not
	 * reported yet. unwoken: samples since the last wakeup. woken_at: the
	 * head at the last wakeup. */
	struct tr2_buffer buffer;
	uint64_t unreported, unwoken, woken_at;

	/* Times enabled and counting, up to the time since_ns. For the kernel's
	 * events, the kernel keeps these times. */
	uint64_t enabled_ns, running_ns, since_ns;

	/* Members of which the event's PMU uses some: */
	struct tr2_perf_app app;
	struct tr2_perf_kernel kernel;
	uint64_t base; /* for power and process: the value when counting
			* began */
	int package; /* for power: the package; -1: all packages */
	/* In a leader that is not an event of the kernel: the event that leads
	 * the kernel's events of its group. */
	struct tr2_perf_kernel lead;
};

/* The functions of trace2_perf.h, for events of one process. They require a
 * non-NULL ev. */
int tr2_perf_open(const struct trace2_perf_attr *attr, pid_t pid, int cpu,
		  struct trace2_perf *group, struct trace2_perf **out);
void tr2_perf_close(struct trace2_perf *ev);
int tr2_perf_enable(struct trace2_perf *ev);
int tr2_perf_disable(struct trace2_perf *ev);
void tr2_perf_switch_all(bool on);
int tr2_perf_reset(struct trace2_perf *ev);
int tr2_perf_read(struct trace2_perf *ev, uint64_t *values, size_t nr_values);

/*
 * Return the value at the last update. For a package or the process this is the
 * value read at that time.
 */
uint64_t tr2_perf_count(const struct trace2_perf *ev);

/* Update the event, and the events that are read together with it. */
int tr2_perf_update(struct trace2_perf *ev);

int tr2_perf_refresh(struct trace2_perf *ev, int overflows);
int tr2_perf_set_period(struct trace2_perf *ev, uint64_t period);
int tr2_perf_poll_fd(struct trace2_perf *ev);

int tr2_perf_map(struct trace2_perf *ev, size_t pages);
int tr2_perf_next_record(struct trace2_perf *ev, void *record,
			 size_t size_bytes);

/* Return whether records of an event with these attributes contain call
 * chains. */
bool tr2_perf_wants_calls(const struct trace2_perf_attr *attr);

/* Return whether the event counts a thread of this process. */
bool tr2_perf_is_of_us(const struct trace2_perf *ev);

/* Return whether the attributes need a PMU with records. */
bool tr2_perf_wants_records(const struct trace2_perf_attr *attr);

/* All leaders of the process. */
extern struct trace2_perf *tr2_perf_leaders;

/* The number of the current reading; see trace2_perf.reading. */
unsigned int tr2_perf_reading(void);

/* Return the count that the thread of this slot adds to an app event. */
uint64_t tr2_perf_task_count(const struct trace2_perf *ev,
			     const struct tr2_slot *slot);

/* Call it in a forked child: forget all events of the parent. */
void tr2_pmu_after_fork(void);

/* Close all events, including those that the program opened, and release all
 * memory. */
void tr2_pmu_release(void);

/*
 * The values at which sampled counters and timers of the calling thread
 * overflow next; 0: unknown. The thread adds, compares, and at the limit calls
 * tr2_perf_overflow(), under the lock.
 */
struct tr2_limits {
	struct tr2_limits *next, *prev;
	uint32_t tid;
	uint64_t at[TR2_MAX_COUNTERS + TR2_MAX_TIMERS];
};
extern __thread struct tr2_limits *tr2_my_limits TR2_HIDDEN;

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

/* Handle an overflow. chain: the call chain of the addition that overflowed. */
void tr2_perf_overflow(const struct tr2_slot *slot, enum tr2_metric_kind kind,
		       unsigned int index, const struct tr2_callchain *chain);

#define TR2_MAX_GROUP 64 /* most events of a group */

/* The largest number of values in a reading. */
#define TR2_READING_MAX (3 + 3 * TR2_MAX_GROUP)

/* Write a reading for a record, always in the event's format; values that
 * cannot be read are 0. Return the number of values. */
unsigned int tr2_perf_reading_of(struct trace2_perf *ev, uint64_t *values);
/* Write the reading of one thread, without the rest of the group. */
unsigned int tr2_perf_reading_of_task(const struct trace2_perf *ev,
				      const struct tr2_slot *slot,
				      uint64_t *values);

/* The following functions are in app.c, for sample.c and for
 * tr2_pmu_task_end(). */
void tr2_app_task_end(struct trace2_perf *ev, const struct tr2_slot *slot);
bool tr2_app_is_counted(const struct trace2_perf *ev,
			const struct tr2_slot *slot);
bool tr2_app_counts_task(const struct trace2_perf *ev, uint32_t tid,
			 uint64_t start_ns);
uint64_t tr2_app_cell(const struct trace2_perf *ev,
		      const struct tr2_slot *slot);
struct tr2_perf_task *tr2_app_task(struct trace2_perf *ev,
				   const struct tr2_slot *slot);

/* The following functions are in sample.c, for the table in app.c. */
int tr2_app_map(struct trace2_perf *ev, size_t pages);
int tr2_app_refresh(struct trace2_perf *ev, unsigned int overflows);
int tr2_app_set_period(struct trace2_perf *ev, uint64_t period);
int tr2_app_poll_fd(struct trace2_perf *ev);

/* In sample.c: mark the next overflow of the event's counter as unknown in all
 * threads. */
void tr2_sample_changed(const struct trace2_perf *ev);
/* Enable and disable sampling of the event's counter. */
void tr2_sample_open(const struct trace2_perf *ev);
void tr2_sample_close(const struct trace2_perf *ev);
/* Forget the limits of a thread that ends: gone 0: the calling thread; else the
 * id of a thread that is gone. After a fork, forget the limits of all
 * threads. */
void tr2_sample_task_end(uint32_t gone);
void tr2_sample_after_fork(void);

/* In kernel_sample.c: copy the record that begins with `head` in the format
 * that its event requests. Return its size or -ENOSPC. */
int tr2_kernel_record(struct trace2_perf *ev,
		      const struct trace2_perf_record *head, void *record,
		      size_t size_bytes);

/* In kernel.c: return whether the kernel never multiplexes the event. */
bool tr2_kernel_is_software(const struct trace2_perf *ev);
/* Open, enable, disable and close the kernel's leader in a group whose leader
 * is not an event of the kernel. */
int tr2_kernel_lead_open(struct trace2_perf *leader);
int tr2_kernel_lead_switch(struct trace2_perf *leader, bool on);
void tr2_kernel_release(struct tr2_perf_kernel *kernel);

/*
 * The value of an event, the time for which it was enabled, and the time for
 * which it counted.
 */
struct tr2_perf_times {
	uint64_t value, enabled_ns, running_ns;
};

/* Open an event for one thread, outside all lists. Return 0 or a negative
 * errno. */
int tr2_kernel_task_open(struct tr2_perf_kernel *kernel,
			 const struct trace2_perf_attr *attr, pid_t tid);
int tr2_kernel_task_read(struct tr2_perf_kernel *kernel,
			 struct tr2_perf_times *out);

/* In parse.c: translate an event's name into the attributes that
 * tr2_perf_open() takes. Return 0, or a negative errno with a message in
 * error[size_bytes]. */
int tr2_perf_attr_of(struct tr2_perfevent *ev, struct trace2_perf_attr *attr,
		     char *error, size_t size_bytes);

/* The implementation of trace2_perf_parse(). */
int tr2_perf_parse(const char *text, struct trace2_perf_named *events,
		   size_t nr_events, char *error, size_t error_bytes);

/* Empty the pipe whose reading end the program polls for overflows.
 * tr2_pipe_raise() makes this end readable. Async-signal-safe. */
void tr2_poll_pipe_clear(struct tr2_pipe *p);
