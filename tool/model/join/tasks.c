/* SPDX-License-Identifier: MIT */
/*
 * tasks - turn the kernel's records into tasks: one per process, with the
 * number of its threads, and with the programs that it ran.
 */
#include <signal.h>
#include <string.h>

#include "model/build/build.h"
#include "model/private.h"
#include "model/wait_causes.h"

/*
 * Return the latest task of this pid. If the pid has no task, or if `anew`, add
 * one.
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

static struct tr2_segment *add_segment(struct tr2_model *m, uint32_t task,
				       int64_t wall_ns)
{
	uint32_t i = tr2_add(m, segments);
	struct tr2_model_task *t = &m->tasks[task];

	if (t->last_segment)
		m->segments[t->last_segment].next = i;
	else
		t->first_segment = i;
	t->last_segment = i;
	m->segments[i].start_ns = wall_ns;
	return &m->segments[i];
}

/* Return the current segment of a task. A task without segments gets one: the
 * time before this record is unknown. */
static struct tr2_segment *current(struct tr2_model *m, uint32_t task,
				   int64_t wall_ns)
{
	uint32_t i = m->tasks[task].last_segment;

	return i ? &m->segments[i] : add_segment(m, task, wall_ns);
}

uint32_t tr2_build_task_fork(struct tr2_model *m, int32_t pid, int32_t ppid,
			     int32_t tid, int64_t wall_ns)
{
	uint32_t i, parent;
	tr2_str comm;

	if (tid != pid) { /* a thread */
		i = task_of(m, pid, false);
		m->tasks[i].nr_threads++;
		return i;
	}
	/* A parent without a recorded start is outside of the recording, and
	 * becomes 0. Any other parent has a smaller index than its child. */
	parent = ppid && ppid != pid ?
			 tr2_map_get(&m->priv->tasks, (uint32_t)ppid) : 0;
	i = task_of(m, pid, true);
	m->tasks[i].ppid = ppid;
	m->tasks[i].parent = parent;
	m->tasks[i].start_ns = tr2_wall_ns(wall_ns);
	/* the parent's comm, until the process changes it */
	comm = m->segments[m->tasks[parent].last_segment].comm;
	add_segment(m, i, m->tasks[i].start_ns)->comm = comm;
	return i;
}

void tr2_build_task_found(struct tr2_model *m, int32_t pid, int32_t tid,
			  int64_t wall_ns, int64_t begun_ns, char state,
			  const struct tr2_view *function)
{
	struct tr2_model_private *p = m->priv;
	struct tr2_found_thread *found;

	tr2_grow(p->found, p->nr_found, p->alloc_found);
	found = &p->found[p->nr_found++];
	*found = (struct tr2_found_thread){ .pid = pid, .tid = tid,
					    .wall_ns = tr2_wall_ns(wall_ns) };
	found->kind = state == 'R' ? TR2_STATE_RUN : TR2_STATE_WAIT;
	if (state != 'R' && function->len)
		found->cause = (uint8_t)tr2_wait_function(function->p,
							  function->len).cause;
	if (tid == pid)
		m->tasks[task_of(m, pid, false)].begun_ns =
			tr2_wall_ns(begun_ns);
}

/* Let a process go on at an exec. If another thread than the first calls exec,
 * the first thread has ended just before. */
static void goes_on(struct tr2_model_task *t)
{
	t->flags &= (uint8_t)~(TR2_TASK_EXITED | TR2_TASK_HAS_STATUS);
	t->end_ns = TR2_NO_TIME;
}

uint32_t tr2_build_task_comm(struct tr2_model *m, int32_t pid, int32_t tid,
			     const char *comm, bool exec, int64_t wall_ns)
{
	uint32_t i = task_of(m, pid, false);
	struct tr2_segment *s;

	if (tid != pid)
		return i;
	wall_ns = tr2_wall_ns(wall_ns);
	s = exec ? add_segment(m, i, wall_ns) : current(m, i, wall_ns);
	s->comm = tr2_intern(m, comm, strlen(comm));
	s->exec |= exec;
	if (exec)
		goes_on(&m->tasks[i]);
	return i;
}

uint32_t tr2_build_task_argv(struct tr2_model *m, int32_t pid,
			     const struct tr2_words *argv, int64_t wall_ns)
{
	uint32_t i = task_of(m, pid, false);

	if (argv->nr)
		current(m, i, tr2_wall_ns(wall_ns))->argv = *argv;
	return i;
}

/* The kernel cuts a comm after this number of bytes. */
#define COMM_MAX 15

/* Return the first known time of the task: records may be lost. */
static int64_t known_time(const struct tr2_model_task *t)
{
	return t->start_ns != TR2_NO_TIME ? t->start_ns :
	       t->end_ns != TR2_NO_TIME	  ? t->end_ns :
					    t->seen_ns;
}

static bool has_name(const struct tr2_model *m, const struct tr2_segment *s,
		     const char *program)
{
	const char *slash = strrchr(program, '/');

	return !strncmp(tr2_s(m, s->comm), slash ? slash + 1 : program,
			COMM_MAX);
}

void tr2_build_task_command(struct tr2_model *m, uint32_t task)
{
	uint32_t last = m->tasks[task].last_segment;
	const struct tr2_segment *s = &m->segments[last];

	if (m->command.nr && !s->argv.nr &&
	    (!s->exec || has_name(m, s, m->command.text)))
		current(m, task, known_time(&m->tasks[task]))->argv =
			m->command;
}

static void set_end(struct tr2_model_task *t, int64_t wall_ns)
{
	wall_ns = tr2_wall_ns(wall_ns);
	if (t->end_ns == TR2_NO_TIME || wall_ns > t->end_ns)
		t->end_ns = wall_ns;
}

uint32_t tr2_build_task_exit(struct tr2_model *m, int32_t pid, int32_t tid,
			     int64_t wall_ns)
{
	uint32_t i = task_of(m, pid, false);
	struct tr2_model_task *t = &m->tasks[i];

	if (tid == pid)
		t->flags |= TR2_TASK_EXITED;
	/* Move the end: other threads may outlive the first thread. */
	if (t->flags & TR2_TASK_EXITED)
		set_end(t, wall_ns);
	return i;
}

uint32_t tr2_build_task_status(struct tr2_model *m, int32_t pid,
			       int64_t wall_ns)
{
	uint32_t i = task_of(m, pid, false);
	struct tr2_model_task *t = &m->tasks[i];

	t->flags |= TR2_TASK_EXITED | TR2_TASK_HAS_STATUS;
	t->status_ns = tr2_wall_ns(wall_ns);
	if (t->end_ns == TR2_NO_TIME)
		set_end(t, wall_ns);
	return i;
}

/* No process ends sooner than this after an exec. */
#define AT_EXEC_NS 50000

static bool ended_at_exec(const struct tr2_model *m,
			  const struct tr2_model_task *t)
{
	const struct tr2_segment *s = &m->segments[t->last_segment];

	return s->exec && t->end_ns != TR2_NO_TIME &&
	       t->end_ns - s->start_ns < AT_EXEC_NS;
}

void tr2_build_privileged(struct tr2_model *m, uint32_t first_task)
{
	uint32_t i;

	for (i = first_task; i < m->nr_tasks; i++) {
		struct tr2_model_task *t = &m->tasks[i];

		if (!ended_at_exec(m, t))
			continue;
		if (!(t->flags & TR2_TASK_HAS_STATUS)) {
			t->seen_ns = t->end_ns;
			goes_on(t);
		} else if (t->status_ns - t->end_ns > AT_EXEC_NS) {
			t->end_ns = t->status_ns;
		} else {
			continue;
		}
		t->flags |= TR2_TASK_PRIVILEGED;
	}
}

void tr2_build_oom_kills(struct tr2_model *m, uint32_t first_task,
			 uint64_t nr_kills)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = first_task; i < m->nr_tasks; i++) {
		if (m->tasks[i].flags & TR2_TASK_OOM_KILLED)
			return;
		nr += m->tasks[i].signal == SIGKILL;
	}
	for (i = first_task; nr && nr == nr_kills && i < m->nr_tasks; i++)
		if (m->tasks[i].signal == SIGKILL)
			m->tasks[i].flags |= TR2_TASK_OOM_COUNTED;
}
