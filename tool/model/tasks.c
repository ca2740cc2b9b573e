/* SPDX-License-Identifier: MIT */
/*
 * tasks - turn the kernel's records into tasks: one per process, with the
 * number of its threads.
 */
#include <string.h>

#include "model/build.h"
#include "model/private.h"

/*
 * Return the latest task of this pid; add one if there is none, or if `anew`.
 */
static uint32_t task_of(struct tr2_model *m, int32_t pid, bool anew)
{
	uint32_t *slot = tr2_map_slot(&m->priv->tasks, (uint32_t)pid);
	uint32_t i;

	if (*slot && !anew)
		return *slot;
	i = *slot = tr2_add(m, tasks);
	m->tasks[i].pid = pid;
	m->tasks[i].start_ns = m->tasks[i].end_ns = TR2_NO_TIME;
	return i;
}

uint32_t tr2_build_task_fork(struct tr2_model *m, int32_t pid, int32_t ppid,
			     int32_t tid, int64_t wall_ns)
{
	uint32_t i, parent;

	if (tid != pid) { /* a thread */
		i = task_of(m, pid, false);
		m->tasks[i].nr_threads++;
		return i;
	}
	/* A parent whose start was not recorded is outside of the recording.
	 * Otherwise it has a smaller index. */
	parent = ppid && ppid != pid ?
			 tr2_map_get(&m->priv->tasks, (uint32_t)ppid) : 0;
	i = task_of(m, pid, true);
	m->tasks[i].ppid = ppid;
	m->tasks[i].parent = parent;
	m->tasks[i].comm = m->tasks[parent].comm; /* until it changes it */
	m->tasks[i].start_ns = tr2_wall_ns(wall_ns);
	return i;
}

uint32_t tr2_build_task_comm(struct tr2_model *m, int32_t pid, int32_t tid,
			     const char *comm, bool exec, int64_t wall_ns)
{
	uint32_t i = task_of(m, pid, false);
	struct tr2_model_task *t = &m->tasks[i];

	if (tid != pid)
		return i;
	if (comm)
		t->comm = tr2_intern(m, comm, strlen(comm));
	if (exec) {
		t->flags |= TR2_TASK_EXECED;
		t->nr_execs++;
		t->exec_ns = tr2_wall_ns(wall_ns);
	}
	return i;
}

uint32_t tr2_build_task_exit(struct tr2_model *m, int32_t pid, int32_t tid,
			     int64_t wall_ns)
{
	uint32_t i = task_of(m, pid, false);
	struct tr2_model_task *t = &m->tasks[i];

	if (tid != pid)
		return i;
	t->flags |= TR2_TASK_EXITED;
	if (t->end_ns == TR2_NO_TIME)
		t->end_ns = tr2_wall_ns(wall_ns);
	return i;
}
