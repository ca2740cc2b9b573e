/* SPDX-License-Identifier: MIT */
/*
 * machine_filter - choose, among the switches and wake-ups of all threads of the
 * machine, those to record: all of the recording's threads; and while one of
 * these is ready for a CPU, the switches of all others, which say who has it.
 *
 * The rings are read one after the other, but threads change CPUs. So a pass
 * over the rings adds all samples, and then decides in the order of time.
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
	TR2_MACHINE_OUTSIDE /* another one wakes a thread of it */
};

enum tr2_machine_event { TR2_MACHINE_SWITCHES = 1, TR2_MACHINE_WAKINGS };

struct tr2_machine_filter {
	const struct tr2_kernel_formats *formats; /* NULL: keep all */
	struct tr2_map ids; /* of the events, + 1, to enum tr2_machine_event */
	struct tr2_map tids; /* to indexes into threads */
	struct tr2_machine_thread {
		uint64_t since_ns;
		bool is_ready, is_running, has_ended;
	} *threads;
	uint32_t nr_threads, alloc_threads;
	uint32_t nr_ready;
	bool has_outside; /* a thread was woken from outside */
	/* Of this pass, in the order in which they were added. */
	struct tr2_machine_moment {
		uint64_t time_ns;
		int32_t from, to; /* tids: the waker, or who had the CPU */
		char comm[TR2_COMM_SIZE]; /* of `from`, at a switch */
		uint8_t kind;
		bool goes_on, is_dead; /* `from`, at a switch */
		uint8_t kept; /* enum tr2_machine_kept */
	} *moments;
	uint32_t nr_moments, alloc_moments;
	struct tr2_map names; /* of tids to 1 + moments with their comm */
	uint32_t *order, alloc_order; /* of the moments by time */
	uint32_t next; /* the next one to ask for */
};

void tr2_machine_filter_release(struct tr2_machine_filter *filter);

/* A thread of the recording began, ready for a CPU. */
void tr2_machine_filter_begin_thread(struct tr2_machine_filter *filter,
				     int32_t tid, uint64_t time_ns);

/* It executed a program, perhaps under the tid of a thread that has ended; the
 * command's first thread begins so. */
void tr2_machine_filter_exec(struct tr2_machine_filter *filter, int32_t tid,
			     uint64_t time_ns);

/* Is it a sample that the filter decides about? id: its identifier. */
static inline bool tr2_machine_filter_takes(const struct tr2_machine_filter *f,
					    uint64_t id)
{
	return f->formats && tr2_map_get(&f->ids, id + 1);
}

/* Add a sample, including its header, complete in memory. */
void tr2_machine_filter_add(struct tr2_machine_filter *filter,
			    const unsigned char *record, size_t size);
/* Decide about all of this pass. */
void tr2_machine_filter_decide(struct tr2_machine_filter *filter);
/*
 * Ask for them once each, in the order in which they were added. For OUTSIDE, *tid
 * is who wakes the thread, and *comm its name if it left its CPU in this pass; else
 * NULL.
 */
enum tr2_machine_kept tr2_machine_filter_next(struct tr2_machine_filter *filter,
					      int32_t *tid, const char **comm);
void tr2_machine_filter_end_pass(struct tr2_machine_filter *filter);
