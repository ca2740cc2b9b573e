/* SPDX-License-Identifier: MIT */
/* states_spans - sum what threads did in their regions, and in none. */
#include "model/states.h"

/* Add the states between from_ns and to_ns, but for those in the spans directly
 * in `parent` (0: those outside of all others), of which `i` is the first that
 * may be one. */
static void sum_gaps(const struct tr2_model *m,
		     const struct tr2_model_thread *t, uint32_t parent,
		     uint32_t i, int64_t from_ns, int64_t to_ns,
		     struct tr2_state_sums *sums)
{
	int64_t wall_ns = m->sessions[t->session].wall_ns, end_ns;

	for (; i && m->spans[i].start_ns < to_ns; i = m->spans[i].next) {
		if (m->spans[i].parent != parent)
			continue;
		if (m->spans[i].start_ns > from_ns)
			tr2_states_sum(m, t->task_thread, wall_ns + from_ns,
				       wall_ns + m->spans[i].start_ns, sums);
		end_ns = tr2_span_busy_to(m, i);
		if (end_ns > from_ns)
			from_ns = end_ns;
	}
	tr2_states_sum(m, t->task_thread, wall_ns + from_ns, wall_ns + to_ns,
		       sums);
}

void tr2_states_sum_span(const struct tr2_model *m, uint32_t span,
			 struct tr2_state_sums *sums)
{
	const struct tr2_span *s = &m->spans[span];
	const struct tr2_model_thread *t = &m->threads[s->thread];

	if (t->task_thread)
		sum_gaps(m, t, span, s->next, s->start_ns,
			 tr2_span_busy_to(m, span), sums);
}

void tr2_states_sum_outside(const struct tr2_model *m, uint32_t thread,
			    struct tr2_state_sums *sums)
{
	const struct tr2_model_thread *t = &m->threads[thread];
	const struct tr2_task_thread *k = &m->task_threads[t->task_thread];
	int64_t wall_ns = m->sessions[t->session].wall_ns;

	if (t->task_thread)
		sum_gaps(m, t, 0, t->first_span, k->start_ns - wall_ns,
			 k->end_ns - wall_ns, sums);
}
