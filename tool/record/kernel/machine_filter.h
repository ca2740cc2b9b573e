/* SPDX-License-Identifier: MIT */
/*
 * machine_filter - choose which switches and wake-ups of the machine are
 * recorded: those of the recording's threads. While one of the recording's
 * threads is ready for a CPU, the switches of all other threads are recorded,
 * too: they show which thread has the CPU.
 *
 * The rings are read one after the other, but threads change CPUs. So a pass
 * over the rings first adds all samples, and then decides in the order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/map.h"
#include "format/kernel/kernel_data.h"
#include "format/recording/tasklog.h"
#include "record/kernel/callchains.h"

enum tr2_machine_kept {
	TR2_MACHINE_DROP,
	TR2_MACHINE_KEEP,
	TR2_MACHINE_OWN,    /* a switch of a thread of the recording */
	TR2_MACHINE_OUTSIDE /* another thread wakes a thread of the recording */
};

enum tr2_machine_event { TR2_MACHINE_SWITCHES = 1, TR2_MACHINE_WAKINGS };

struct tr2_machine_filter {
	const struct tr2_kernel_formats *formats; /* NULL: keep all samples */
	struct tr2_map ids; /* maps an event's identifier + 1 to enum
			     * tr2_machine_event */
	struct tr2_map tids; /* maps tids to indexes into threads */
	struct tr2_machine_thread {
		uint64_t since_ns;
		bool is_ready, is_running, has_ended;
	} *threads;
	uint32_t nr_threads, alloc_threads;
	uint32_t nr_ready;
	bool has_outside; /* a thread outside of the recording woke one of its
			   * threads */
	/* The samples of this pass, in the order in which they were added. */
	struct tr2_machine_moment {
		uint64_t time_ns;
		int32_t from, to; /* from: tid of the waker, or of the thread
				   * that had the CPU; to: the other thread */
		char comm[TR2_COMM_SIZE]; /* name of the thread `from`, at a
					   * switch */
		uint8_t kind;
		bool goes_on, is_dead; /* state of the thread `from`, at a
					* switch */
		uint8_t kept; /* enum tr2_machine_kept */
	} *moments;
	uint32_t nr_moments, alloc_moments;
	struct tr2_map names; /* maps a tid to 1 + the index of a moment that
			       * has its comm */
	uint32_t *order, alloc_order; /* indexes of the moments, sorted by
				       * time */
	uint32_t next; /* index of the moment that tr2_machine_filter_next()
			* returns next */
};

void tr2_machine_filter_release(struct tr2_machine_filter *filter);

/* Note that a thread of the recording has begun, and is ready for a CPU. */
void tr2_machine_filter_begin_thread(struct tr2_machine_filter *filter,
				     int32_t tid, uint64_t time_ns);

/* Note that the thread has executed a program, perhaps under the tid of a
 * thread that has ended. The command's first thread enters the filter by its
 * exec. */
void tr2_machine_filter_exec(struct tr2_machine_filter *filter, int32_t tid,
			     uint64_t time_ns);

/* Does the filter decide about this sample? id: the sample's identifier. */
static inline bool tr2_machine_filter_takes(const struct tr2_machine_filter *f,
					    uint64_t id)
{
	return f->formats && tr2_map_get(&f->ids, id + 1);
}

/* Add a sample, whose record is contiguous in memory and includes the
 * header. */
void tr2_machine_filter_add(struct tr2_machine_filter *filter,
			    const unsigned char *record, size_t size);
/* Decide about all samples of this pass. */
void tr2_machine_filter_decide(struct tr2_machine_filter *filter);
/*
 * Return the decisions one by one, in the order in which the samples were
 * added. For OUTSIDE, set *tid to the waker, and *comm to the waker's name if
 * the waker left its CPU in this pass, else to NULL.
 */
enum tr2_machine_kept tr2_machine_filter_next(struct tr2_machine_filter *filter,
					      int32_t *tid, const char **comm);
void tr2_machine_filter_end_pass(struct tr2_machine_filter *filter);
