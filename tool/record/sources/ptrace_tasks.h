/* SPDX-License-Identifier: MIT */
/* ptrace_tasks - keep the threads that ptrace knows, by tid. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum tr2_ptrace_state {
	/* The task stopped (EARLY) or died (EARLY_DEAD) before the stop of the
	 * thread that began it was seen. */
	TR2_PTRACE_EARLY,
	TR2_PTRACE_EARLY_DEAD,
	TR2_PTRACE_KNOWN,
	TR2_PTRACE_LET_GO
};

struct tr2_ptrace_task {
	struct tr2_ptrace_task *next; /* next task in the same bucket */
	pid_t tid, pid, ppid, ptid;
	enum tr2_ptrace_state state;
	bool begun; /* the task's first stop was seen */
	int signo;  /* for EARLY: the signal of the task's stop */
	int status; /* EARLY_DEAD */
	struct rusage usage;
	char *at_exit; /* JSON members that were read at the exit; NULL: none */
};

#define TR2_PTRACE_BUCKETS 4096u

struct tr2_ptrace_tasks {
	struct tr2_ptrace_task *bucket[TR2_PTRACE_BUCKETS];
	size_t nr_early, nr_let_go;
};

struct tr2_ptrace_task *tr2_ptrace_find(const struct tr2_ptrace_tasks *tasks,
					pid_t tid);
/* Add a thread. Return NULL without memory. */
struct tr2_ptrace_task *tr2_ptrace_add(struct tr2_ptrace_tasks *tasks,
				       pid_t tid, enum tr2_ptrace_state state);
void tr2_ptrace_set_state(struct tr2_ptrace_tasks *tasks,
			  struct tr2_ptrace_task *task,
			  enum tr2_ptrace_state state);
void tr2_ptrace_remove(struct tr2_ptrace_tasks *tasks, pid_t tid);
/* Return an early task of that parent; NULL: the parent has none. */
struct tr2_ptrace_task *
tr2_ptrace_next_early(const struct tr2_ptrace_tasks *tasks, pid_t parent);
void tr2_ptrace_tasks_release(struct tr2_ptrace_tasks *tasks);
