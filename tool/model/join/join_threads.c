/* SPDX-License-Identifier: MIT */
/*
 * join_threads - find the kernel's thread of each thread of a session, name the
 * kinds of threads, and sum the states of each process.
 *
 * A ring has the tid of each thread, a stream only its name. Main has the
 * process's pid. Other threads of a stream are joined in the order of their
 * starts. Each is joined with the kernel's thread that was running when most of
 * the thread's events were emitted. If several fit equally well, take the one
 * that first ran shortly before the first event.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "model/private.h"
#include "model/states.h"

/* The clocks of a stream and of the kernel's records differ by less than this:
 * times of streams are in microseconds. */
#define CLOCKS_NS 4000
/* Compare the times of at most this number of spans, with at most this number
 * of threads. */
#define MAX_SPANS 8
#define MAX_FITS 64
#define OTHER_THREADS "other threads"

/* Did the thread run at that time, within the error of the clocks? */
static bool ran_at(const struct tr2_model *m, uint32_t task_thread,
		   int64_t wall_ns)
{
	struct tr2_state_sums sums = { 0 };

	tr2_states_sum(m, task_thread, wall_ns - CLOCKS_NS,
		       wall_ns + CLOCKS_NS, &sums);
	return sums.run_ns > 0;
}

static int64_t first_run(const struct tr2_model *m, uint32_t task_thread)
{
	uint32_t i;

	tr2_for_each_state(m, task_thread, i)
		if (m->states[i].kind == TR2_STATE_RUN)
			return m->states[i].start_ns;
	return m->task_threads[task_thread].start_ns;
}

/* Return how many of a thread's events were emitted while the kernel's thread
 * ran. */
static unsigned int events_fit(const struct tr2_model *m,
			       const struct tr2_model_thread *t,
			       uint32_t task_thread)
{
	int64_t wall_ns = m->sessions[t->session].wall_ns;
	unsigned int fit = ran_at(m, task_thread, wall_ns + t->start_ns), nr;
	uint32_t i = t->first_span;

	if (!(t->flags & TR2_THREAD_OPEN))
		fit += ran_at(m, task_thread, wall_ns + t->end_ns);
	for (nr = 0; i && nr < MAX_SPANS; i = m->spans[i].next, nr++) {
		fit += ran_at(m, task_thread, wall_ns + m->spans[i].start_ns);
		fit += ran_at(m, task_thread, wall_ns + m->spans[i].end_ns);
	}
	return fit;
}

/* Return the task thread that emitted the events of a thread; 0: unknown. */
static uint32_t find_by_time(const struct tr2_model *m,
			     const struct tr2_model_thread *t, uint32_t task)
{
	int64_t start_ns = m->sessions[t->session].wall_ns + t->start_ns;
	int64_t end_ns = m->sessions[t->session].wall_ns + t->end_ns;
	int64_t since_ns, best_since_ns = 0;
	unsigned int fit, best_fit = 0, tries = 0;
	uint32_t i, best = 0;

	tr2_for_each_task_thread(m, task, i) {
		const struct tr2_task_thread *k = &m->task_threads[i];

		if (k->start_ns > start_ns + CLOCKS_NS ||
		    tries == MAX_FITS)
			break;
		if (k->thread || k->tid == m->tasks[task].pid ||
		    k->end_ns < end_ns - CLOCKS_NS)
			continue;
		tries++;
		fit = events_fit(m, t, i);
		since_ns = start_ns + CLOCKS_NS - first_run(m, i);
		if (since_ns < 0)
			continue;
		if (best && (fit < best_fit ||
			     (fit == best_fit && since_ns >= best_since_ns)))
			continue;
		best = i;
		best_fit = fit;
		best_since_ns = since_ns;
	}
	return best;
}

/* Return the latest thread that had this tid when the event was emitted; 0:
 * none. */
static uint32_t find_by_tid(const struct tr2_model *m, uint32_t task,
			    int32_t tid, int64_t wall_ns)
{
	uint32_t i, found = 0;

	tr2_for_each_task_thread(m, task, i)
		if (m->task_threads[i].tid == tid &&
		    (!found ||
		     m->task_threads[i].start_ns <= wall_ns + CLOCKS_NS))
			found = i;
	return found;
}

static void join_thread(struct tr2_model *m, uint32_t thread)
{
	struct tr2_model_thread *t = &m->threads[thread];
	const struct tr2_model_session *s = &m->sessions[t->session];
	uint32_t task = m->nodes[s->node].task, found;
	int64_t wall_ns = s->wall_ns + t->start_ns;

	if (thread == s->first_thread)
		found = find_by_tid(m, task, m->tasks[task].pid, wall_ns);
	else if (t->tid)
		found = find_by_tid(m, task, t->tid, wall_ns);
	else
		found = find_by_time(m, t, task);
	if (!found)
		return;
	t->task_thread = found;
	m->task_threads[found].thread = thread;
}

/* Return the name without the part that differs between threads of a pool:
 * preload for th02:preload, GC-* for GC-3. */
static tr2_str kind_of_name(struct tr2_model *m, const char *name)
{
	struct tr2_buf b = TR2_BUF_INIT;
	const char *colon = strncmp(name, "th", 2) ? NULL : strchr(name, ':');
	size_t all, len;
	tr2_str kind;

	if (colon)
		name = colon + 1;
	all = len = strlen(name);
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	tr2_buf_add(&b, name, len);
	if (len && len < all)
		tr2_buf_addch(&b, '*');
	kind = tr2_intern(m, tr2_buf_str(&b), b.len);
	tr2_buf_release(&b);
	return kind;
}

/* Name the kind of a thread, except of the first thread. Use the name in the
 * session, else the comm. A comm that equals the first thread's says nothing
 * about the kind. */
static void name_kind(struct tr2_model *m, uint32_t task_thread)
{
	struct tr2_task_thread *t = &m->task_threads[task_thread];
	const struct tr2_model_task *task = &m->tasks[t->task];
	tr2_str first = m->task_threads[task->first_thread].comm;

	if (t->tid == task->pid)
		return;
	if (t->thread)
		t->kind = kind_of_name(m, tr2_s(m, m->threads[t->thread].name));
	else if (t->comm != first)
		t->kind = kind_of_name(m, tr2_s(m, t->comm));
	if (!t->kind)
		t->kind = tr2_intern(m, OTHER_THREADS, strlen(OTHER_THREADS));
}

static const struct tr2_times unknown = { TR2_NO_TIME, TR2_NO_TIME,
					  TR2_NO_TIME };

/* Copy the times of a process. In a process of one thread, the time that is
 * neither run nor ready is wait. */
static void copy_times(struct tr2_model_task *t, const struct tr2_node *n)
{
	int64_t wall_ns = n->end_ns - n->start_ns;

	t->times.cpu_ns = t->cpu_ns;
	t->times.ready_ns = t->ready_ns;
	if (!t->nr_threads && n->start_ns != TR2_NO_TIME &&
	    n->end_ns != TR2_NO_TIME)
		t->times.wait_ns = wall_ns > t->cpu_ns + t->ready_ns ?
				   wall_ns - t->cpu_ns - t->ready_ns : 0;
}

static void sum_task(const struct tr2_model *m, struct tr2_model_task *task)
{
	const struct tr2_node *n = &m->nodes[task->node];
	struct tr2_times *times = &task->times;
	struct tr2_state_sums sums = { 0 };
	uint32_t i;

	*times = unknown;
	/* The states of a set-uid program are not recorded. */
	if (task->flags & TR2_TASK_PRIVILEGED)
		return;
	tr2_for_each_task_thread(m, n->task, i) {
		if (m->task_threads[i].cpu_ns == TR2_NO_TIME)
			continue;
		if (times->cpu_ns == TR2_NO_TIME)
			times->cpu_ns = 0;
		tr2_ns_add(&times->cpu_ns, m->task_threads[i].cpu_ns);
	}
	if (task->flags & TR2_TASK_HAS_TIMES)
		copy_times(task, n);
	i = task->first_thread;
	if (!i || !m->task_threads[i].nr_states)
		return;
	tr2_states_sum_task(m, n->task, n->start_ns, n->end_ns, &sums);
	times->ready_ns = sums.ready_ns;
	times->wait_ns = sums.wait_ns;
}

void tr2_model_threads(struct tr2_model *m)
{
	uint32_t i, t;

	for (i = 1; m->nr_task_threads > 1 && i < m->nr_sessions; i++)
		if (m->nodes[m->sessions[i].node].task)
			tr2_for_each_thread(m, i, t)
				join_thread(m, t);
	for (i = 1; i < m->nr_task_threads; i++)
		name_kind(m, i);
	m->tasks[0].times = unknown;
	for (i = 1; i < m->nr_tasks; i++)
		if (m->tasks[i].node)
			sum_task(m, &m->tasks[i]);
}
