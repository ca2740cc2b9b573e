/* SPDX-License-Identifier: MIT */
/*
 * join_threads - find the kernel's thread of each thread of a session, and sum
 * the states of each process.
 */
#include "model/private.h"
#include "model/states.h"

/* The main thread has the process's pid. */
static void join_main(struct tr2_model *m, struct tr2_model_session *s)
{
	uint32_t task = m->nodes[s->node].task, i;

	tr2_for_each_task_thread(m, task, i)
		if (m->task_threads[i].tid == m->tasks[task].pid)
			break;
	if (!i || !s->first_thread)
		return;
	m->task_threads[i].thread = s->first_thread;
	m->threads[s->first_thread].task_thread = i;
}

static void sum_node(const struct tr2_model *m, struct tr2_node *n)
{
	struct tr2_state_sums sums = { 0 };
	uint32_t i;

	n->cpu_ns = n->ready_ns = n->wait_ns = TR2_NO_TIME;
	tr2_for_each_task_thread(m, n->task, i) {
		if (m->task_threads[i].cpu_ns == TR2_NO_TIME)
			continue;
		if (n->cpu_ns == TR2_NO_TIME)
			n->cpu_ns = 0;
		tr2_ns_add(&n->cpu_ns, m->task_threads[i].cpu_ns);
	}
	i = m->tasks[n->task].first_thread;
	if (!i || !m->task_threads[i].nr_states)
		return;
	tr2_states_sum_task(m, n->task, n->start_ns, n->end_ns, &sums);
	n->ready_ns = sums.ready_ns;
	n->wait_ns = sums.wait_ns;
}

void tr2_model_threads(struct tr2_model *m)
{
	uint32_t i;

	tr2_for_each_session(m, i)
		join_main(m, &m->sessions[i]);
	for (i = 1; i < m->nr_nodes; i++)
		sum_node(m, &m->nodes[i]);
}
