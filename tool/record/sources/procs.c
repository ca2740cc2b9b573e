/* SPDX-License-Identifier: MIT */
/* The table of processes, by pid. */
#include "record/sources/procs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

void tr2_procs_init(struct tr2_procs *procs)
{
	memset(procs, 0, sizeof(*procs));
}

void tr2_procs_release(struct tr2_procs *procs)
{
	free(procs->proc);
	free(procs->by_pid);
	tr2_procs_init(procs);
}

/* Return the slot that has the pid, or a free one for it. */
static uint32_t *slot_of(const struct tr2_procs *procs, pid_t pid)
{
	size_t mask = procs->nr_slots - 1;
	size_t i = ((uint32_t)pid * 2654435761u) & mask;
	uint32_t *slot = &procs->by_pid[i];

	while (*slot && procs->proc[*slot - 1].pid != pid) {
		i = (i + 1) & mask;
		slot = &procs->by_pid[i];
	}
	return slot;
}

struct tr2_proc *tr2_procs_find(struct tr2_procs *procs, pid_t pid)
{
	uint32_t index;

	if (!procs->nr_slots)
		return NULL;
	index = *slot_of(procs, pid);
	return index ? &procs->proc[index - 1] : NULL;
}

/* Keep the slots at most half full. */
static bool grow_slots(struct tr2_procs *procs)
{
	size_t nr = procs->nr_slots ? procs->nr_slots * 2 : 256;
	uint32_t *slots, i;

	if (procs->nr + 1 <= procs->nr_slots / 2)
		return true;
	slots = calloc(nr, sizeof(*slots));
	if (!slots)
		return false;
	free(procs->by_pid);
	procs->by_pid = slots;
	procs->nr_slots = nr;
	for (i = 0; i < procs->nr; i++)
		*slot_of(procs, procs->proc[i].pid) = i + 1;
	return true;
}

static bool grow_procs(struct tr2_procs *procs)
{
	size_t alloc = procs->alloc ? procs->alloc * 2 : 64;
	struct tr2_proc *proc;

	if (procs->nr < procs->alloc)
		return true;
	proc = realloc(procs->proc, alloc * sizeof(*proc));
	if (!proc)
		return false;
	procs->proc = proc;
	procs->alloc = alloc;
	return true;
}

/* Add a process. Return NULL if it cannot be listed. */
static struct tr2_proc *procs_add(struct tr2_procs *procs, pid_t pid,
				  pid_t ppid, uint64_t start_ns)
{
	struct tr2_proc *p;

	procs->nr_seen++;
	if (procs->nr >= TR2_PROCS_MAX || !grow_slots(procs) ||
	    !grow_procs(procs))
		return NULL;
	p = &procs->proc[procs->nr];
	memset(p, 0, sizeof(*p));
	p->pid = pid;
	p->ppid = ppid;
	p->start_ns = start_ns;
	*slot_of(procs, pid) = (uint32_t)++procs->nr;
	return p;
}

static void handle_fork(struct tr2_procs *procs, const struct tr2_task_event *e)
{
	struct tr2_proc *p, *parent;

	p = procs_add(procs, e->pid, e->ppid, e->time_ns);
	if (!p)
		return;
	p->ran = e->more;
	parent = tr2_procs_find(procs, e->ppid);
	if (parent)
		memcpy(p->comm, parent->comm, sizeof(p->comm));
}

void tr2_procs_event(struct tr2_procs *procs, const struct tr2_task_event *e)
{
	struct tr2_proc *p;

	if (e->pid != e->tid)
		return;
	if (e->kind == TR2_TASK_FORK) {
		handle_fork(procs, e);
		return;
	}
	p = tr2_procs_find(procs, e->pid);
	if (!p)
		return;
	if (e->kind == TR2_TASK_EXEC && procs->full_ns &&
	    e->time_ns >= procs->full_ns)
		procs->nr_silent++;
	if (e->kind == TR2_TASK_EXIT) {
		p->end_ns = e->time_ns;
		p->ended = true;
	} else if (e->comm[0]) {
		memcpy(p->comm, e->comm, sizeof(p->comm));
	}
	/* A process goes on after the end of its first thread if another thread
	 * calls exec. */
	if (e->kind == TR2_TASK_EXEC)
		p->exec_ns = e->time_ns;
	if (e->kind == TR2_TASK_EXEC && p->ended && e->time_ns >= p->end_ns) {
		p->ended = false;
		p->end_ns = 0;
		p->status_from = 0;
	}
}

void tr2_procs_status(struct tr2_procs *procs, pid_t pid, int status,
		      enum tr2_status_source from, uint64_t time_ns,
		      const struct tr2_usage *usage)
{
	struct tr2_proc *p = tr2_procs_find(procs, pid);

	/* Ignore the end of the first thread if it is reported after an exec of
	 * another thread. */
	if (!p || time_ns < p->exec_ns)
		return;
	p->ended = true;
	if (!p->end_ns)
		p->end_ns = time_ns;
	if (from > p->status_from) {
		p->status = status;
		p->status_from = (uint8_t)from;
	}
	if (usage) {
		p->usage = *usage;
		p->has_usage = true;
	}
}

static uint64_t ns_of(struct timeval t)
{
	return ((uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec) * 1000u;
}

void tr2_usage_from_rusage(struct tr2_usage *usage, const struct rusage *ru)
{
#define TR2_META_USAGE(key, value, name, unit) usage->key = value;
#include "format/recording/meta.def"
}
