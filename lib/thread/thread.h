/* SPDX-License-Identifier: MIT */
/*
 * thread - what the library knows of one thread: its name, its open regions,
 * its buffers, its slot.
 *
 * A thread's context is found through one thread-local pointer. It is made
 * with the thread's first call and taken apart when the thread says that it
 * ends, or ends without saying so. Only its owner changes it, but for what
 * hangs in the registry, under the process's lock.
 */
#ifndef TR2_THREAD_THREAD_H
#define TR2_THREAD_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arena/arena.h"
#include "base/inside.h"
#include "event/event.h"
#include "event/render.h"
#include "thread/region.h"

#define TR2_MAX_PARTS 8
#define TR2_NO_CANCEL_TYPE (-1) /* outside, or not changed yet */
#define TR2_MAX_ASIDE 4 /* contexts: see tr2_thread_renew() */
#define TR2_THREAD_NAME_MAX 24 /* bytes, "th01:" and all */

struct tr2_thread {
	struct tr2_thread *next, *prev; /* registry; those that ended */
	struct tr2_who who;
	struct tr2_arena_owner owner; /* of a slot, from its first metric on */
	void *own[TR2_MAX_PARTS]; /* what each part keeps of it: see part.h */
	bool calls_parts; /* one of them wants to hear of each call */
	bool is_main;
	bool named; /* the program announced it, not the library */
	bool crossed_fork; /* was there before, in the parent */
	bool announced; /* has its number, its name and its thread_start */
	bool has_new_name; /* of which nobody was told yet */
	unsigned int id;
	uint32_t tid, ptid; /* the kernel's ids; the creator's, 0: unknown */
	uint64_t start_ns; /* monotonic */
	/*
	 * Where on the stack it entered the library, 0 while outside: see
	 * enter.h. Written with sequential consistency, since whoever ends the
	 * session switches tracing off and then looks at it, and the thread
	 * sets it and then looks whether tracing is on.
	 */
	atomic_uintptr_t busy;
	unsigned int nr_turned_away; /* by the call that is inside: enter.c */
	struct tr2_thread *aside; /* see tr2_thread_renew() */
	int cancel_type; /* what it gets back when it leaves */
	unsigned int nr_procs; /* of main: thread_start without thread_exit */
	unsigned int destructions; /* passes of its destructors: thread_end.c */

	struct tr2_regions regions;
	struct tr2_render render;
	struct tr2_buf message, head; /* printf forms; who.json_head */
	unsigned int calls_without; /* long lines: see context.h */
	char name[TR2_THREAD_NAME_MAX + 1];
};

/* The calling thread's; NULL before its first call and after its end. */
extern __thread struct tr2_thread *tr2_self
	__attribute__((tls_model("initial-exec")));

/* A context for the calling thread, in the registry; the first one is main's.
 * creator_tid 0: unknown. NULL without memory. The caller holds the lock. */
struct tr2_thread *tr2_thread_new(uint32_t creator_tid);

/* The end of the calling thread: its metrics are added to the totals, its memory
 * is kept for the next thread. The caller holds the lock. */
void tr2_thread_free(struct tr2_thread *thread, uint64_t now_ns);

/* All that there are. The caller holds the lock. */
void tr2_thread_each(void (*visit)(const struct tr2_thread *thread));

/* Show its name to readers of its slot. The caller holds the lock. */
void tr2_thread_describe(const struct tr2_thread *thread);

/* Gives it its number and name; base NULL: "unknown". */
void tr2_thread_name(struct tr2_thread *thread, const char *base);

/* The slot for the calling thread's metrics, which tr2_my_slot points to once
 * the thread has left; NULL without memory. Takes the lock at first. */
struct tr2_slot *tr2_thread_slot(struct tr2_thread *thread);

/*
 * Another context for the calling thread, which is in a call that may be over,
 * or not: that one keeps what it works with, and is told from the thread's next
 * call. in: whose the new one is. NULL: there is none. Takes the lock.
 */
struct tr2_thread *tr2_thread_renew(struct tr2_thread *thread,
				    struct tr2_inside *in);

/* Of all threads, calls that may be over. Takes the lock. */
unsigned int tr2_thread_nr_aside(void);

/* The main thread's, NULL before there was any. */
struct tr2_thread *tr2_thread_main(void);

/* What all threads have counted, ended and live ones; NULL without memory.
 * Takes the lock. */
struct tr2_slot *tr2_thread_sum(uint64_t now_ns);

/* Waits until no other thread is in a call, for a bounded time. Returns how
 * many are still in there. Takes the lock. */
unsigned int tr2_thread_wait_idle(void);

/* No thread has a context any more. The caller holds the lock. */
void tr2_thread_release_all(void);

/* In a forked child: the calling thread is all there is, and is main. */
void tr2_thread_after_fork(void);

/* When the innermost open region, or the thread, started. */
static inline uint64_t tr2_region_start(const struct tr2_thread *thread)
{
	const struct tr2_region *region = tr2_region_top(&thread->regions);

	return region ? region->start_ns : thread->start_ns;
}

#endif
