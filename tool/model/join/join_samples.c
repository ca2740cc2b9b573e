/* SPDX-License-Identifier: MIT */
/*
 * join_samples - find the process, the thread and the region of each sample,
 * and chain the samples of the kernel to their sessions.
 */
#include <stdlib.h>

#include "model/private.h"

struct samples {
	struct tr2_model *m;
	struct tr2_map threads; /* for samples of rings: maps (session, name) to
				 * a thread */
	struct tr2_map of_task; /* for samples of the kernel: maps (session,
				 * task thread) to a thread */
	/* By thread, at the time of the last sample: the span that began last,
	 * and the innermost span. */
	uint32_t *begun, *innermost;
	/* By session: first and last sample of the kernel. */
	uint32_t *first, *last;
};

/* Map session and name to a thread: a sample of a ring has only the thread's
 * name. If two threads have one name, use the first. */
static void map_threads(struct samples *s)
{
	const struct tr2_model *m = s->m;
	uint32_t i, *slot;

	for (i = 1; i < m->nr_threads; i++) {
		const struct tr2_model_thread *t = &m->threads[i];

		slot = tr2_map_slot(&s->threads, tr2_key(t->session, t->name));
		if (!*slot)
			*slot = i;
		if (t->task_thread)
			*tr2_map_slot(&s->of_task, tr2_key(t->session,
							   t->task_thread)) = i;
	}
}

/* Return the process's last session that began by this time; before all
 * sessions, the first one. 0: the process has no session. */
static uint32_t session_at(const struct tr2_model *m, uint32_t node,
			   int64_t wall_ns)
{
	uint32_t i = m->nodes[node].session, found = i;

	for (; i; i = m->sessions[i].next_of_node)
		if (m->sessions[i].wall_ns + m->sessions[i].start_ns <= wall_ns)
			found = i;
	return found;
}

static void chain_sample(struct samples *s, uint32_t i)
{
	uint32_t session = s->m->samples[i].session;

	if (!session)
		return;
	if (s->last[session])
		s->m->samples[s->last[session]].next = i;
	else
		s->first[session] = i;
	s->last[session] = i;
}

static void join_by_kernel(struct samples *s, uint32_t i)
{
	const struct tr2_model *m = s->m;
	struct tr2_model_sample *sample = &m->samples[i];
	const struct tr2_task_thread *t = &m->task_threads[sample->task_thread];

	sample->node = m->tasks[t->task].node;
	sample->session = session_at(m, sample->node, sample->at_ns);
	if (!sample->session)
		return;
	sample->at_ns -= m->sessions[sample->session].wall_ns;
	sample->thread = t->tid == m->tasks[t->task].pid ?
		m->sessions[sample->session].first_thread :
		tr2_map_get(&s->of_task, tr2_key(sample->session,
						 sample->task_thread));
	chain_sample(s, i);
}

/* Return the region of a thread at this time, which must not be before the time
 * of the last call. */
static uint32_t region_at(const struct samples *s, uint32_t thread,
			  int64_t at_ns)
{
	const struct tr2_model *m = s->m;
	uint32_t next = s->begun[thread] ? m->spans[s->begun[thread]].next :
					   m->threads[thread].first_span;
	uint32_t i = s->innermost[thread];

	for (; next && m->spans[next].start_ns <= at_ns;
	     next = m->spans[next].next)
		i = s->begun[thread] = next;
	while (i &&
	       (m->spans[i].start_ns > at_ns || m->spans[i].end_ns < at_ns))
		i = m->spans[i].parent;
	s->innermost[thread] = i;
	while (i && m->spans[i].kind != TR2_SPAN_REGION)
		i = m->spans[i].parent;
	return i;
}

static void join_sample(struct samples *s, uint32_t i)
{
	const struct tr2_model *m = s->m;
	struct tr2_model_sample *sample = &m->samples[i];

	if (sample->task_thread) {
		join_by_kernel(s, i);
	} else {
		sample->node = m->sessions[sample->session].node;
		sample->thread = tr2_map_get(&s->threads,
			tr2_key(sample->session,
				m->sample_tasks[sample->task].name));
	}
	if (sample->thread)
		sample->span = region_at(s, sample->thread, sample->at_ns);
}

/* Merge the samples of the kernel into the session's list of samples. */
static void merge_session(struct samples *s, uint32_t session)
{
	struct tr2_rare *to = tr2_rare_add(s->m, session);
	struct tr2_model_sample *list = s->m->samples;
	uint32_t a = to->first_sample, b = s->first[session];
	uint32_t *at = &to->first_sample;

	while (a || b) {
		uint32_t *from = !b || (a && list[a].at_ns <= list[b].at_ns) ?
					 &a : &b;

		*at = to->last_sample = *from;
		at = &list[*from].next;
		*from = *at;
	}
}

void tr2_model_samples(struct tr2_model *m)
{
	struct samples s = { .m = m };
	uint32_t i;

	if (m->nr_samples == 1)
		return;
	s.begun = tr2_calloc(m->nr_threads, sizeof(*s.begun));
	s.innermost = tr2_calloc(m->nr_threads, sizeof(*s.innermost));
	s.first = tr2_calloc(m->nr_sessions, sizeof(*s.first));
	s.last = tr2_calloc(m->nr_sessions, sizeof(*s.last));
	map_threads(&s);
	for (i = 1; i < m->nr_samples; i++)
		join_sample(&s, i);
	for (i = 1; i < m->nr_sessions; i++)
		if (s.first[i])
			merge_session(&s, i);
	tr2_map_release(&s.threads);
	tr2_map_release(&s.of_task);
	free(s.begun);
	free(s.innermost);
	free(s.first);
	free(s.last);
}
