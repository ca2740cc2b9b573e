/* SPDX-License-Identifier: MIT */
/*
 * tasks - the kernel's records of forks, execs and exits of one process and its
 * descendants: a dummy software event, inherited, one for each CPU because an
 * inherited event cannot be mapped otherwise.
 *
 * The records stay in the kernel's rings until tr2_tasks_read() reads them.
 */
#ifndef TR2_RECORD_TASKS_H
#define TR2_RECORD_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/loop.h"
#include "record/tasklog.h"

struct tr2_task_ring {
	struct tr2_source source;
	struct tr2_tasks *tasks;
	void *map; /* the control page, then size_bytes of data */
	size_t size_bytes;
};

struct tr2_tasks {
	struct tr2_task_ring *rings;
	size_t nr_rings;
	char why_not[256]; /* "" if it works */
	uint64_t lost;     /* records for which the kernel had no room */
	uint64_t damaged;  /* rings with invalid data, which were skipped */
	void (*take)(void *data, const struct tr2_task_event *event);
	void (*ready)(void *data);
	void *data;
	struct tr2_loop *loop;
	/* The records of one pass over the rings. */
	struct tr2_task_event *batch;
	size_t nr_batch, alloc_batch;
};

/*
 * Open the rings for pid, which must not have called exec yet: recording begins
 * with its exec. The caller sets tasks->take, ready and data before: take()
 * gets every record, those of one tr2_tasks_read() in order of time, so that a
 * fork precedes all records of its child; ready() is called when a ring is half
 * full, and should call tr2_tasks_read(). false: not permitted; why_not is the
 * reason.
 */
bool tr2_tasks_open(struct tr2_tasks *tasks, struct tr2_loop *loop, pid_t pid);
void tr2_tasks_release(struct tr2_tasks *tasks);

/* Read all records that are available. */
void tr2_tasks_read(struct tr2_tasks *tasks);

/*
 * Decode one record of the kernel's format, including its header, complete in
 * memory. Return 1 and fill `event`, 0 for a record that is not needed, -1 for
 * an invalid one.
 */
int tr2_task_decode(const unsigned char *record, size_t size,
		    struct tr2_task_event *event);

#endif
