/* SPDX-License-Identifier: MIT */
/*
 * thread - the library's data of one thread: its name, its open regions, its
 * buffers, its slot.
 *
 * A thread-local pointer leads to a thread's context. The context is made at
 * the thread's first call, and freed when the thread announces its end, or ends
 * without an announcement. Only its owner changes it, except for the links of
 * the registry, under the process's lock.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena/arena.h"
#include "base/clock.h"
#include "base/call_mark.h"
#include "base/lock.h"
#include "event/event.h"
#include "event/kept.h"
#include "event/render.h"
#include "event/span.h"
#include "span/entered.h"
#include "thread/region.h"

#define TR2_MAX_PARTS 16
#define TR2_NO_CANCEL_TYPE (-1) /* not changed */
#define TR2_NO_CHILD (-1)
#define TR2_MAX_ASIDE 4 /* most further contexts of a thread: see
			 * tr2_thread_renew() */
#define TR2_THREAD_NAME_MAX 24 /* most bytes of a name, including "th01:" */

struct tr2_thread {
	/* The members that each event needs come first. */
	struct tr2_emitter emitter;
	/*
	 * The address on the stack where the thread entered the library, 0
	 * while it is outside: see enter.h. The thread sets it and then checks
	 * whether tracing is on. The end of a session switches tracing off and
	 * then reads the address, with a barrier for both in between
	 * (base/barrier.h).
	 */
	atomic_uintptr_t busy;
	int *errno_at; /* the address of the thread's errno */
	int cancel_type; /* type of cancellation to restore when the thread
			  * leaves */
	unsigned int nr_turned_away; /* number of calls rejected because of the
				      * call in progress: see enter.c */
	uint64_t start_ns; /* monotonic */
	/* A copy of the process's newest scale of the clock: no newer one is
	 * made while its window lasts. Window 0: ask the clock. */
	struct tr2_scale scale;
	/* For frequent events that go straight into the thread's ring: see
	 * session/fastpath_at.h. */
	struct {
		struct tr2_slot *slot; /* the slot with the ring; NULL: the
					* fastest path is not open yet */
		char *data;
		uint64_t mask; /* the size of the ring less one, to mask
				* positions */
	} fast;
	uint32_t tid, ptid; /* the kernel's ids of the thread and its creator;
			     * ptid 0: unknown */
	bool calls_parts; /* a part needs a hook at each call */
	bool is_main;
	bool named; /* the program announced the thread, not the library */
	bool crossed_fork; /* the thread existed in the parent before the
			    * fork */
	bool announced; /* the thread has its number and name, and its
			 * thread_start was emitted */
	bool has_new_name; /* the name was not passed to the parts yet */
	/* This thread as the owner of a slot, from its first metric on. */
	struct tr2_arena_owner owner;
	struct tr2_regions regions;
	struct tr2_kept kept_json, kept_perf;
	struct tr2_entered entered;
	struct tr2_render render;
	struct tr2_buf message, head; /* message: printf's output; head: the
				       * memory of emitter.json_head */
	unsigned int calls_without; /* number of calls without long lines: see
				     * context.h */

	uintptr_t in_sink; /* while the program's sink runs: the value of
			    * `busy`; or TR2_EXIT_IN_SINK */
#define TR2_EXIT_IN_SINK 1u /* value of in_sink: the sink called exit(), and may
			     * hold locks */
	struct tr2_thread *next, *prev; /* neighbours in the registry; next:
					 * also in the list of free contexts */
	struct tr2_thread *aside; /* further contexts of this thread: see
				   * tr2_thread_renew() */
	/* The child process that the thread starts, for part/traceparent.c. */
	struct {
		atomic_int nr; /* number of the child's child_start, or
				* TR2_NO_CHILD */
		bool sampled;
		struct tr2_context context;
	} child;
	void *own[TR2_MAX_PARTS]; /* data of the parts for this thread: see
				   * part.h */
	unsigned int id;
	/* For main: the number of thread_start calls without thread_exit. */
	unsigned int nr_procs;
	unsigned int destructions; /* calls of the thread's destructor so far:
				    * see thread_end.c */
	char name[TR2_THREAD_NAME_MAX + 1];
};

/* The calling thread's context; NULL before its first call and after its
 * end. */
#define tr2_self TR2_TLS(tr2_tls_own).context

/* Make a context for the calling thread, in the registry; the first one is
 * main's. creator_tid 0: unknown. NULL: no memory. The caller holds the
 * lock. */
struct tr2_thread *tr2_thread_new(uint32_t creator_tid);

/* Free a context at the end of its thread, which is the calling thread or gone.
 * Add its metrics to the totals, and keep its memory for the next thread. The
 * caller holds the lock. */
void tr2_thread_free(struct tr2_thread *thread, uint64_t now_ns);

/* Begin another session, while no other thread is in a call. Afterwards no
 * region is open, and no metric has a value. Each thread will be announced
 * again, under its name. Takes the lock. */
void tr2_thread_begin_again(uint64_t now_ns);

/* Call visit for all threads. The caller holds the lock. */
void tr2_thread_each(void (*visit)(const struct tr2_thread *thread));

/* Call end() for each thread that is gone although its end was not reported.
 * end() frees the context. The caller holds the lock. */
void tr2_thread_each_gone(void (*end)(struct tr2_thread *thread));

/* Write the thread's id and name into its slot, for readers. The caller holds
 * the lock. */
void tr2_thread_describe(const struct tr2_thread *thread);

/* Set the thread's number and name; base NULL: "unknown". */
void tr2_thread_name(struct tr2_thread *thread, const char *base);

/* Return the slot for the calling thread's metrics. tr2_my_slot is set when the
 * thread leaves the library. NULL: no memory. Takes the lock the first time. */
struct tr2_slot *tr2_thread_slot(struct tr2_thread *thread);

/* Let the calling thread's metrics use its slot. */
void tr2_thread_set_mine(struct tr2_thread *thread);

/*
 * Return another context for the calling thread, whose earlier call may be
 * over. The earlier call keeps the memory that it uses; a later call of the
 * thread decides whether the earlier one is over. in: the mark of the new call.
 * NULL: there is no context. Takes the lock.
 */
struct tr2_thread *tr2_thread_renew(struct tr2_thread *thread,
				    struct tr2_call_mark *in);

/* Record that the child process with this number has ended, in the thread that
 * started it. Takes the lock. */
void tr2_thread_child_ended(int child_nr);

/* Return the number of threads that have a context. The caller holds the
 * lock. */
unsigned int tr2_thread_nr(void);
/* Return the number of threads whose start was reported, and whose end was not
 * noticed. Takes the lock. */
unsigned int tr2_thread_nr_gone(void);

/* Return the main thread's context; NULL before there was one. */
struct tr2_thread *tr2_thread_main(void);

/*
 * Return the sum of the cells of all threads, ended and live. NULL: there is
 * nothing to sum up, or no memory, which counts a lost event for each metric.
 * is_last: no metric is read afterwards, so that the sum needs no memory. Takes
 * the lock.
 */
struct tr2_slot *tr2_thread_sum(uint64_t now_ns, bool is_last);
/* Clear and free the sum. NULL is ignored. Takes the lock. */
void tr2_thread_free_sum(struct tr2_slot *sum, uint64_t now_ns);

/* Wait until no other thread is in a call, for a bounded time. Return `busy`,
 * the number of threads that are still in a call, and `aside`, the number of
 * calls that may be over. Takes the lock. */
struct tr2_thread_nr {
	unsigned int busy, aside;
};
struct tr2_thread_nr tr2_thread_wait_idle(void);

/* Free all contexts. The caller holds the lock. */
void tr2_thread_release_all(void);

/* Call it in a forked child. The calling thread is the only one, and becomes
 * main. is_late: another thread forked, and may call later. */
void tr2_thread_after_fork(bool is_late);

/* Return the time, and keep the scale that gave it. The thread is in a call. */
uint64_t tr2_thread_now_slow(struct tr2_thread *thread);

/* Return the time, as tr2_clock_now_ns() does. The thread is in a call. */
static inline uint64_t tr2_thread_now_ns(struct tr2_thread *thread)
{
	const struct tr2_scale *scale = &thread->scale;
	uint64_t ticks;

	if (likely(scale->window)) {
		ticks = tr2_clock_ticks();
		if (likely(tr2_scale_holds(scale, ticks)))
			return tr2_scale_ns(scale, ticks);
	}
	return tr2_thread_now_slow(thread);
}

/* Return the start of the innermost open region, or of the thread. */
static inline uint64_t tr2_region_start(const struct tr2_thread *thread)
{
	const struct tr2_regions *regions = &thread->regions;
	size_t top = regions->nr_open - 1;

	return top < regions->alloc ? regions->at[top].start_ns :
				      thread->start_ns;
}
