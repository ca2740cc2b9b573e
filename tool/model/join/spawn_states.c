/* SPDX-License-Identifier: MIT */
/* spawn_states - when a thread waited for a child that it started. */
#include "model/private.h"
#include "model/states.h"

uint32_t tr2_spawn_thread(const struct tr2_model *m, uint32_t node)
{
	const struct tr2_model_task *task = &m->tasks[m->nodes[node].task];
	const struct tr2_task_thread *by;
	uint32_t thread = task->first_thread;

	if (!m->has_states || !thread)
		return 0;
	thread = m->task_threads[thread].creator;
	by = &m->task_threads[thread];
	return thread && by->nr_states && by->task == task->parent &&
	       !(by->flags & TR2_TASK_THREAD_LOST) ? thread : 0;
}

/* Which process ended the wait is not always known. */
static bool is_for(const struct tr2_model *m, const struct tr2_state *s,
		   uint32_t task)
{
	if (s->kind != TR2_STATE_WAIT)
		return false;
	return s->other ? m->task_threads[s->other].task == task :
			  s->cause == TR2_CAUSE_child;
}

bool tr2_spawn_next_wait(const struct tr2_model *m, uint32_t thread,
			 uint32_t task, int64_t *from_ns, int64_t *to_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[thread];
	uint32_t i = tr2_state_at(m, thread, *from_ns);
	int64_t end_ns;

	for (; i && i < t->first_state + t->nr_states; i++) {
		if (m->states[i].start_ns >= *to_ns || *from_ns >= *to_ns)
			return false;
		if (!is_for(m, &m->states[i], task))
			continue;
		if (*from_ns < m->states[i].start_ns)
			*from_ns = m->states[i].start_ns;
		end_ns = tr2_state_end(m, thread, i);
		if (*to_ns > end_ns)
			*to_ns = end_ns;
		return true;
	}
	return false;
}

int64_t tr2_spawn_return(const struct tr2_model *m, uint32_t thread,
			 uint32_t task, int64_t at_ns)
{
	const struct tr2_task_thread *t = &m->task_threads[thread];
	uint32_t i = tr2_state_at(m, thread, at_ns);

	if (!i || !is_for(m, &m->states[i], task))
		return at_ns;
	for (; i < t->first_state + t->nr_states; i++)
		if (m->states[i].kind == TR2_STATE_RUN)
			return m->states[i].start_ns;
	return at_ns;
}
