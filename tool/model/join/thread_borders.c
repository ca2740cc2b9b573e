/* SPDX-License-Identifier: MIT */
/* thread_borders - list the borders of a task thread's regions and programs. */
#include <stdlib.h>

#include "model/join/self_time.h"
#include "model/join/thread_borders.h"
#include "model/private.h"

static void add_border(struct tr2_borders *b, int64_t at_ns, uint32_t in)
{
	if (b->nr && b->border[b->nr - 1].at_ns > at_ns)
		at_ns = b->border[b->nr - 1].at_ns;
	tr2_grow(b->border, b->nr, b->alloc);
	b->border[b->nr++] = (struct tr2_border){ at_ns, in };
}

/* Add the start and the end of a piece of a region's own time as borders. */
static void add_piece(void *data, uint32_t region, int64_t from_ns,
		      int64_t to_ns)
{
	struct tr2_borders *b = data;

	/* The previous border is the end of the last piece: replace it. */
	if (b->nr && b->border[b->nr - 1].at_ns == from_ns)
		b->nr--;
	add_border(b, from_ns, region);
	add_border(b, to_ns, 0);
}

static void list_segments(const struct tr2_model *m, struct tr2_borders *b,
			  uint32_t task)
{
	const struct tr2_node *n = &m->nodes[m->tasks[task].node];
	int64_t from_ns = INT64_MIN;
	uint32_t i;

	tr2_for_each_segment(m, task, i) {
		uint32_t next = m->segments[i].next;

		/* Add a border for the last program only if there are other
		 * borders: most processes run only one program. */
		if (!next && b->nr)
			add_border(b, from_ns, 0);
		if (!next || !tr2_segment_is_notable(m, n, i))
			continue;
		add_border(b, from_ns, i);
		from_ns = m->segments[next].start_ns;
	}
}

void tr2_places_list(const struct tr2_model *m, uint32_t task_thread,
		     struct tr2_places *p)
{
	const struct tr2_task_thread *t = &m->task_threads[task_thread];
	const struct tr2_model_task *task = &m->tasks[t->task];
	uint32_t s = m->nodes[task->node].session;

	*p = (struct tr2_places){ 0 };
	for (; s && t->tid == task->pid; s = m->sessions[s].next_of_node)
		tr2_own_of_regions(m, m->sessions[s].first_thread, add_piece,
				   &p->regions);
	if (t->thread && t->tid != task->pid)
		tr2_own_of_regions(m, t->thread, add_piece, &p->regions);
	if (task->node)
		list_segments(m, &p->segments, t->task);
}

void tr2_places_release(struct tr2_places *p)
{
	free(p->regions.border);
	free(p->segments.border);
}
