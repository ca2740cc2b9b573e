/* SPDX-License-Identifier: MIT */
/*
 * tasks - the kernel's own records of forks, execs and exits of one process
 * and everything below it: a dummy software event, inherited, one for each
 * CPU because an inherited event may not be mapped otherwise.
 *
 * The records lie in the kernel's rings until tr2_tasks_read() takes them.
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
	char why_not[256]; /* "" when it works */
	uint64_t lost;     /* records that the kernel had no room for */
	uint64_t damaged;  /* rings that made no sense and were skipped */
	void (*take)(void *data, const struct tr2_task_event *event);
	void (*ready)(void *data);
	void *data;
	struct tr2_loop *loop;
	/* What one round over the rings brought. */
	struct tr2_task_event *batch;
	size_t nr_batch, alloc_batch;
};

/*
 * Opens the rings for pid, which must not have called exec yet: recording
 * begins with its exec. tasks->take, ready and data are set by the caller
 * before: take() gets every record, those of one tr2_tasks_read() in order of
 * time, so that a fork comes before anything of its child; ready() is called
 * when a ring is half full, and should call tr2_tasks_read(). false: not allowed;
 * why_not says why.
 */
bool tr2_tasks_open(struct tr2_tasks *tasks, struct tr2_loop *loop, pid_t pid);
void tr2_tasks_release(struct tr2_tasks *tasks);

/* Takes all that is there. */
void tr2_tasks_read(struct tr2_tasks *tasks);

/*
 * One record of the kernel's format, header included, whole in memory.
 * Returns 1 and fills `event`, 0 for a record of no interest, -1 for one that
 * makes no sense.
 */
int tr2_task_decode(const unsigned char *record, size_t size,
		    struct tr2_task_event *event);

#endif
