/* SPDX-License-Identifier: MIT */
/*
 * part - the work of a session besides writing events: each part is one file.
 * The session calls all of them, in the order of part/parts.def, and in reverse
 * order when something ends.
 *
 * A part may keep one pointer in each thread, its `own`: NULL at first, and
 * again in a forked child.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "thread/emit.h"

/* All hooks may be NULL. [L]: the caller holds the process's lock. */
struct tr2_part {
	/* A session is about to begin, or may begin later by `trace2 set`;
	 * other threads have no events yet. */
	void (*begin)(void);
	/* A forked child is about to open a session of its own. */
	void (*begin_in_child)(void);
	/* Read the part's setting, if it is set. Called once. */
	void (*load)(const char *setting);
	/* Open the objects that the setting names. A forked child calls it
	 * again. */
	void (*open)(struct tr2_thread *main_thread, void **own);
	/* A ring was opened, and readers may come soon. [L] */
	void (*ring_begin)(struct tr2_arena_header *header);
	/* The calling thread has just got its context. [L] */
	void (*thread_begin)(struct tr2_thread *thread, void **own);
	/* A thread has another name. [L] */
	void (*thread_named)(const struct tr2_thread *thread);
	/* A call begins, in a thread that has `calls_parts`. */
	void (*before_call)(struct tr2_thread *thread, void *own);
	/* The start event was emitted: emit the events that follow it. */
	void (*emit_begun)(struct tr2_call *call);
	/* The process ends: emit errors of the part. */
	void (*emit_errors)(struct tr2_call *call);
	/* Emit the thread's results, when the thread or the process ends. */
	void (*emit_thread)(struct tr2_call *call,
			    const struct tr2_thread *thread, void *own);
	/* Emit the process's results. sum: the cells of all threads, or
	 * NULL. */
	void (*emit_process)(struct tr2_call *call, struct tr2_slot *sum);
	/* Emit the process's results while it goes on. */
	void (*emit_so_far)(struct tr2_call *call, struct tr2_slot *sum);
	/* The calling thread ends; or the session notices that another thread
	 * has ended. The thread's slot still exists. [L] */
	void (*thread_end)(struct tr2_thread *thread, void **own);
	/* The last event before atexit was emitted: stop the part. The hook
	 * takes the lock if there is something to stop. */
	void (*close)(void);
	/* No more records are written to the ring. [L] */
	void (*ring_end)(void);
	/* In a forked child, which has no other threads: drop the parent's
	 * data. */
	void (*forked)(void);
	/* The library is unloaded: release all memory. [L] */
	void (*release)(void);
};

#define PART(name) extern const struct tr2_part tr2_part_##name;
#define PART_WITH(name, setting) PART(name)
#define PART_OF(name, setting) PART(name)
#include "part/parts.def"

/* In children.c: keep the start time of a child that the program knows by its
 * id, until the child ends. false: no memory. */
bool tr2_children_add(int id, uint64_t start_ns);

/* Look up and drop the start time of a child that has ended. false: the child
 * is unknown. */
bool tr2_children_take(int id, uint64_t *start_ns);

/* In pending_errors.c: keep a copy of an error's text, without "trace2: ".
 * Parts open before the stream begins with version and start, so their errors
 * must wait. */
void tr2_pending_errors_add(const char *why);
/* Add an error that affects nr_threads threads. */
void tr2_pending_errors_add_threads(const char *why, unsigned int nr_threads);

/* Emit an error at once, instead of adding it. */
void tr2_pending_errors_emit_one(struct tr2_call *call, const char *why);
