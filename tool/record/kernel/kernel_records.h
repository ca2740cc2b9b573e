/* SPDX-License-Identifier: MIT */
/*
 * kernel_records - the kernel's records of the command and all below it: records
 * of tasks while it runs, and with states or samples all of them in
 * DIR/kernel.data.
 */
#pragma once

#include <stdbool.h>

#include "record/kernel/callchains.h"
#include "record/kernel/kallsyms.h"
#include "record/kernel/kernel_events.h"
#include "record/kernel/kernel_file.h"
#include "record/kernel/kernel_rings.h"
#include "record/kernel/tracepoints.h"
#include "record/task_table.h"

enum tr2_kernel_source {
	TR2_KERNEL_STATES,  /* when each thread had a CPU */
	TR2_KERNEL_CAUSES,  /* what each waited in */
	TR2_KERNEL_WAKERS,  /* who woke it */
	TR2_KERNEL_SAMPLES, /* what it computed */
	TR2_KERNEL_INSIDE,  /* likewise, in the kernel */
	TR2_KERNEL_SOURCES
};

/* What kernel.data is to have besides records of tasks. */
struct tr2_kernel_wanted {
	bool states;
	bool of_command; /* no process runs already */
	uint32_t hz;          /* samples; 0: none */
	uint32_t stack_bytes; /* copied with each; 0: calls by frame pointers */
};

struct tr2_kernel_records {
	struct tr2_tasks tasks;
	struct tr2_tracepoints tracepoints;
	struct tr2_kernel_event events[TR2_KERNEL_SOURCES];
	struct tr2_perf_file_event rows[TR2_KERNEL_SOURCES];
	uint32_t nr; /* events that are open */
	bool of_machine; /* switches and wake-ups of all processes */
	struct tr2_kernel_rings rings;
	struct tr2_kernel_file file;
	int data_fd; /* kernel.data until it is begun; -1: none */
	struct tr2_callchains chains;
	struct tr2_kallsyms kallsyms;
	char why_not[200]; /* "" if there are records of tasks */
	/* For each source why it is not in kernel.data, and what would permit
	 * it; "": it is. */
	char refused[TR2_KERNEL_SOURCES][200];
	struct tr2_kernel_wanted wanted; /* set by the caller */
};

void tr2_kernel_records_init(struct tr2_kernel_records *kernel);
void tr2_kernel_records_release(struct tr2_kernel_records *kernel);

/*
 * Open the events, on the recorder, before the command is forked. The caller sets
 * kernel->tasks.take, kernel->rings.ready and the data of both before: ready()
 * is called when a ring is half full, and should call
 * tr2_kernel_rings_copy(). data_fd: kernel.data, which is closed with it; -1:
 * nothing is wanted. false: not permitted; why_not is the reason.
 */
bool tr2_kernel_records_open(struct tr2_kernel_records *kernel,
			     struct tr2_loop *loop, int data_fd);
/*
 * Open them for a thread that runs already, disabled, and for what it begins
 * from then on. Return 0, or -errno: some may be open. ESRCH: it has ended.
 */
int tr2_kernel_records_attach(struct tr2_kernel_records *kernel, pid_t tid);
/* Close them for all threads. */
void tr2_kernel_records_detach(struct tr2_kernel_records *kernel);
/* Begin the file, and enable the events of threads. Call it after the command
 * was forked. */
void tr2_kernel_records_start(struct tr2_kernel_records *kernel);
/* With samples: write what a process that was attached to executes. */
void tr2_kernel_records_maps(struct tr2_kernel_records *kernel, pid_t pid,
			     uint64_t time_ns);
/* Write the name of a thread that was attached to. */
void tr2_kernel_records_name(struct tr2_kernel_records *kernel, pid_t pid,
			     pid_t tid, const char *comm, uint64_t time_ns);
/* Was anything refused that is wanted? */
bool tr2_kernel_records_lack(const struct tr2_kernel_records *kernel);
/* Print what was refused on stderr, in one line. has_pidfds: exit codes come from
 * record/sources/pidfds.h, if not from the connector. */
void tr2_kernel_records_say_refused(const struct tr2_kernel_records *kernel,
				    const char *no_connector, bool has_pidfds);
/* Write no more records, and stop their events; those of tasks go on. */
void tr2_kernel_records_stop(struct tr2_kernel_records *kernel);
/* Copy the last records, and finish the file. */
void tr2_kernel_records_finish(struct tr2_kernel_records *kernel);
/* Append the functions of the kernel that occur in kernel.data, in the format of
 * /proc/kallsyms; none: nothing. false: no memory. */
bool tr2_kernel_records_symbols(struct tr2_kernel_records *kernel,
				struct tr2_buf *out);
