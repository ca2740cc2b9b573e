/* SPDX-License-Identifier: MIT */
/*
 * kernel_records - the kernel's records of the command and all processes below
 * it. Records of tasks are read while the command runs. With states or samples,
 * all records are kept in DIR/kernel.data.
 */
#pragma once

#include <stdbool.h>

#include "record/kernel/callchains.h"
#include "record/kernel/exec_args.h"
#include "record/kernel/kallsyms.h"
#include "record/kernel/kernel_events.h"
#include "record/kernel/kernel_file.h"
#include "record/kernel/kernel_rings.h"
#include "record/kernel/tracepoints.h"
#include "record/task_table.h"

enum tr2_kernel_source {
	TR2_KERNEL_STATES,  /* when each thread had a CPU */
	TR2_KERNEL_CAUSES,  /* in which function each thread waited */
	TR2_KERNEL_WAKERS,  /* which thread woke each thread */
	TR2_KERNEL_SAMPLES, /* samples of what threads computed */
	TR2_KERNEL_INSIDE,  /* samples of what threads computed in the kernel */
	TR2_KERNEL_SOURCES
};

/* The wanted contents of kernel.data, besides records of tasks. */
struct tr2_kernel_wanted {
	bool states;
	bool of_command; /* no process runs already */
	uint32_t hz;          /* samples a second; 0: none */
	uint32_t stack_bytes; /* stack bytes copied with each sample; 0: find
			       * calls by frame pointers */
};

struct tr2_kernel_records {
	struct tr2_tasks tasks;
	struct tr2_tracepoints tracepoints;
	struct tr2_kernel_event events[TR2_KERNEL_SOURCES];
	struct tr2_perf_file_event rows[TR2_KERNEL_SOURCES];
	uint32_t nr; /* events that are open */
	bool of_machine; /* switches and wake-ups of all processes are
			  * recorded */
	bool has_args; /* `tasks` has the arguments of each program */
	struct tr2_exec_args args;
	struct tr2_kernel_rings rings;
	struct tr2_kernel_file file;
	int data_fd; /* descriptor of kernel.data before the file is begun; -1:
		      * none */
	struct tr2_callchains chains;
	struct tr2_kallsyms kallsyms;
	char why_not[200]; /* "" if there are records of tasks */
	/* For each source: why kernel.data lacks the source, and what would
	 * permit it; "": kernel.data has the source. */
	char refused[TR2_KERNEL_SOURCES][200];
	struct tr2_kernel_wanted wanted; /* set by the caller */
};

void tr2_kernel_records_init(struct tr2_kernel_records *kernel);
void tr2_kernel_records_release(struct tr2_kernel_records *kernel);

/*
 * Open the events on the recorder, before the command is forked. Before that,
 * set kernel->tasks.take, kernel->rings.ready and the data of both. ready() is
 * called when a ring is half full, and should call tr2_kernel_rings_copy().
 * data_fd: kernel.data, which is closed with the events; -1: it is not wanted.
 * Return false if the kernel does not permit it; why_not has the reason.
 */
bool tr2_kernel_records_open(struct tr2_kernel_records *kernel,
			     struct tr2_loop *loop, int data_fd);
/*
 * Open the events, disabled, for a thread that runs already, and for all that
 * it begins from then on. Return 0 or -errno; on an error, some events may be
 * open. ESRCH: the thread has ended.
 */
int tr2_kernel_records_attach(struct tr2_kernel_records *kernel, pid_t tid);
/* Close the events for all threads. */
void tr2_kernel_records_detach(struct tr2_kernel_records *kernel);
/* Begin the file, and enable the events of threads. Call it after the command
 * was forked. */
void tr2_kernel_records_start(struct tr2_kernel_records *kernel);
/* With samples, write the mappings of code of a process that was attached
 * to. */
void tr2_kernel_records_maps(struct tr2_kernel_records *kernel, pid_t pid,
			     uint64_t time_ns);
/* Write the name of a thread that was attached to. */
void tr2_kernel_records_name(struct tr2_kernel_records *kernel, pid_t pid,
			     pid_t tid, const char *comm, uint64_t time_ns);
/* Was a wanted source refused? */
bool tr2_kernel_records_lack(const struct tr2_kernel_records *kernel);
/* Print on stderr, in one line, which sources were refused. has_pidfds: exit
 * codes come from record/sources/pidfds.h if the connector is refused. */
void tr2_kernel_records_say_refused(const struct tr2_kernel_records *kernel,
				    const char *no_connector, bool has_pidfds);
/* Write no more records, and stop all events except records of tasks. */
void tr2_kernel_records_stop(struct tr2_kernel_records *kernel);
/* Copy the last records, and finish the file. */
void tr2_kernel_records_finish(struct tr2_kernel_records *kernel);
/* Append the kernel functions that occur in kernel.data, in the format of
 * /proc/kallsyms; if there are none, append nothing. Return false without
 * memory. */
bool tr2_kernel_records_symbols(struct tr2_kernel_records *kernel,
				struct tr2_buf *out);
