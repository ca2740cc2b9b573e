/* SPDX-License-Identifier: MIT */
/*
 * ptrace - follow the processes of the command by the stops that ptrace(2)
 * makes at each fork, exec and exit. ptrace serves where neither
 * perf_event_open nor the process connector is permitted.
 *
 * A separate thread waits for stops and continues the processes, so that no
 * process stands still while the recorder writes to a disk. Only this thread
 * waits for the recorder's children, so it also passes on their ends. When the
 * thread ends, even by SIGKILL, the kernel lets the processes go.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "format/recording/tasklog.h"
#include "record/sources/ptrace_avoid.h"
#include "record/sources/ptrace_tasks.h"
#include "record/sources/run.h"

enum tr2_ptrace_wanted {
	TR2_PTRACE_NEVER,
	TR2_PTRACE_ELSE, /* use ptrace if perf and the connector are refused */
	TR2_PTRACE_ALWAYS
};

struct tr2_ptrace_item {
	struct tr2_task_event e;
	int status; /* for events STATUS: the status as returned by wait4() */
	struct rusage usage; /* valid if has_usage */
	bool has_usage;
};

struct tr2_ptrace {
	bool on;
	char why_not[128]; /* "": ptrace works */

	/* The two threads share the members below. */
	pthread_t thread;
	sem_t started, ended;
	atomic_bool stop;
	pthread_mutex_t lock;
	struct tr2_ptrace_item *item;
	size_t nr, alloc;
	uint64_t lost;
	bool alone; /* the recorder has no children left */

	/* Only the thread that traces uses the members below. */
	int err; /* errno of starting to trace; 0: none */
	pid_t command;
	bool blind; /* memory was short: some threads are unknown */
	struct tr2_ptrace_tasks tasks;
	struct tr2_avoided avoided;
	struct tr2_buf text;
	/* Read the members below when the thread has ended, or has passed the
	 * command's end. */
	struct tr2_io io;        /* reads and writes of the command */
	uint64_t nr_not_followed;
	char not_followed[80];   /* the first process that was not followed, and
				  * why */
};

/* Begin to trace `pid`, a child that has not called exec yet. Return false with
 * the reason in why_not. */
bool tr2_ptrace_start(struct tr2_ptrace *p, pid_t pid);

/*
 * Pass the events since the last call. The recorder gets SIGCHLD when a process
 * has ended, or many events are kept. Return false if no children are left.
 */
bool tr2_ptrace_take(struct tr2_ptrace *p,
		     void (*take)(void *data, struct tr2_ptrace_item *item),
		     void *data);

/* If events are kept, send SIGCHLD to the recorder now. */
void tr2_ptrace_hurry(struct tr2_ptrace *p);

/* Let all processes go. tr2_ptrace_take() then passes the remaining events. */
void tr2_ptrace_stop(struct tr2_ptrace *p);
void tr2_ptrace_release(struct tr2_ptrace *p);

/* Print on stderr which processes were not followed. */
void tr2_ptrace_say(const struct tr2_ptrace *p);

/* Would set-uid programs lose their privilege under the recorder? */
bool tr2_ptrace_takes_privileges(void);
