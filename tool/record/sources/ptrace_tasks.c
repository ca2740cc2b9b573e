/* SPDX-License-Identifier: MIT */
/* A hash table of threads. */
#include "record/sources/ptrace_tasks.h"

#include <stdint.h>
#include <stdlib.h>

static struct tr2_ptrace_task **bucket_of(const struct tr2_ptrace_tasks *tasks,
					  pid_t tid)
{
	const struct tr2_ptrace_task *const *bucket =
		(const struct tr2_ptrace_task *const *)
			&tasks->bucket[(uint32_t)tid % TR2_PTRACE_BUCKETS];

	return (struct tr2_ptrace_task **)bucket;
}

struct tr2_ptrace_task *tr2_ptrace_find(const struct tr2_ptrace_tasks *tasks,
					pid_t tid)
{
	struct tr2_ptrace_task *t = *bucket_of(tasks, tid);

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

static void count_tasks(struct tr2_ptrace_tasks *tasks,
			enum tr2_ptrace_state state, size_t by)
{
	if (state == TR2_PTRACE_LET_GO)
		tasks->nr_let_go += by;
	else if (state == TR2_PTRACE_EARLY)
		tasks->nr_early += by;
}

struct tr2_ptrace_task *tr2_ptrace_add(struct tr2_ptrace_tasks *tasks,
				       pid_t tid, enum tr2_ptrace_state state)
{
	struct tr2_ptrace_task **bucket = bucket_of(tasks, tid);
	struct tr2_ptrace_task *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tid = t->pid = tid;
	t->state = state;
	t->next = *bucket;
	*bucket = t;
	count_tasks(tasks, state, 1);
	return t;
}

void tr2_ptrace_set_state(struct tr2_ptrace_tasks *tasks,
			  struct tr2_ptrace_task *t,
			  enum tr2_ptrace_state state)
{
	count_tasks(tasks, t->state, (size_t)-1);
	t->state = state;
	count_tasks(tasks, state, 1);
}

void tr2_ptrace_remove(struct tr2_ptrace_tasks *tasks, pid_t tid)
{
	struct tr2_ptrace_task **at = bucket_of(tasks, tid), *t;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	*at = t->next;
	count_tasks(tasks, t->state, (size_t)-1);
	free(t->at_exit);
	free(t);
}

struct tr2_ptrace_task *
tr2_ptrace_next_early(const struct tr2_ptrace_tasks *tasks, pid_t parent)
{
	struct tr2_ptrace_task *t;
	size_t i;

	for (i = 0; tasks->nr_early && i < TR2_PTRACE_BUCKETS; i++)
		for (t = tasks->bucket[i]; t; t = t->next)
			if (t->state == TR2_PTRACE_EARLY && t->ppid == parent)
				return t;
	return NULL;
}

void tr2_ptrace_tasks_release(struct tr2_ptrace_tasks *tasks)
{
	size_t i;

	for (i = 0; i < TR2_PTRACE_BUCKETS; i++)
		while (tasks->bucket[i])
			tr2_ptrace_remove(tasks, tasks->bucket[i]->tid);
}
