/* SPDX-License-Identifier: MIT */
/*
 * task_table - decode the kernel's records of forks, execs and exits while the
 * command runs, and deliver them in order of time. Records of files that were
 * mapped as code are reported, too. All other records in the kernel's rings are
 * skipped.
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/recording/tasklog.h"

/* The fields that sample_id_all appends to each record except samples, for the
 * sample_type TID | TIME | CPU | IDENTIFIER. */
struct tr2_task_trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct tr2_tasks {
	uint64_t lost;    /* number of records for which the kernel's rings had
			   * no room */
	uint64_t damaged; /* number of rings with invalid data, which were
			   * skipped */
	void (*take)(void *data, const struct tr2_task_event *event);
	/* Called when a process has mapped a file as code; NULL: do not report
	 * it. */
	void (*mapped)(void *data, pid_t pid, const char *path);
	void *data;
	/* The records of one pass over the rings. */
	struct tr2_task_event *batch;
	size_t nr_batch, alloc_batch;
};

/* Must a record of this type be passed to tr2_tasks_add()? */
static inline bool tr2_tasks_wants(uint32_t type)
{
	const uint32_t wanted =
		1u << PERF_RECORD_FORK | 1u << PERF_RECORD_EXIT |
		1u << PERF_RECORD_COMM | 1u << PERF_RECORD_MMAP2 |
		1u << PERF_RECORD_LOST | 1u << PERF_RECORD_LOST_SAMPLES;

	return type < 32 && (wanted >> type & 1);
}

/* Add a record in the kernel's format, including its header. The record must be
 * contiguous in memory. Report a mapping of code at once: the process may end
 * soon. */
void tr2_tasks_add(struct tr2_tasks *tasks, const unsigned char *record,
		   size_t size);
/* Add a decoded record of another format. event->more then belongs to
 * take(). */
void tr2_tasks_add_event(struct tr2_tasks *tasks,
			 const struct tr2_task_event *event);
/* Call take() for each record that was added, in order of time: a fork precedes
 * all records of the child. */
void tr2_tasks_deliver(struct tr2_tasks *tasks);
void tr2_tasks_release(struct tr2_tasks *tasks);

/*
 * Decode one record. Return 1 and fill `event`, 0 for a record that is not
 * needed, -1 for an invalid one.
 */
int tr2_task_decode(const unsigned char *record, size_t size,
		    struct tr2_task_event *event);
