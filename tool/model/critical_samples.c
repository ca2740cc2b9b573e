/* SPDX-License-Identifier: MIT */
/* critical_samples - which samples were taken on the critical path. */
#include <stdlib.h>

#include "common/memory.h"
#include "model/critical_private.h"

/* While this thread ran, the path went through it. */
struct piece {
	uint32_t thread;
	int64_t from_ns, to_ns;
};

struct pieces {
	struct piece *list;
	uint32_t nr, alloc;
};

static void add_piece(void *data, uint32_t thread, int64_t from_ns,
		      int64_t to_ns)
{
	struct pieces *p = data;

	tr2_grow(p->list, p->nr, p->alloc);
	p->list[p->nr++] = (struct piece){ thread, from_ns, to_ns };
}

static int compare(const void *va, const void *vb)
{
	const struct piece *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

static bool has(const struct pieces *p, uint32_t thread, int64_t wall_ns)
{
	uint32_t low = 0, high = p->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (p->list[middle].thread < thread ||
		    (p->list[middle].thread == thread &&
		     p->list[middle].from_ns <= wall_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && p->list[low - 1].thread == thread &&
	       wall_ns <= p->list[low - 1].to_ns;
}

/* Return the kernel's thread in which a sample was taken; 0: unknown. */
static uint32_t thread_of(const struct tr2_model *m,
			  const struct tr2_model_sample *s)
{
	return s->task_thread ? s->task_thread :
	       s->thread      ? m->threads[s->thread].task_thread : 0;
}

bool *tr2_critical_samples(const struct tr2_model *m)
{
	uint32_t root = tr2_longest_root(m), i, thread;
	const struct tr2_model_sample *s;
	struct pieces p = { .nr = 0 };
	bool *on_path;

	if (m->nr_samples == 1 || !root || !tr2_critical_by_states(m, root))
		return NULL;
	on_path = tr2_calloc(m->nr_samples, sizeof(*on_path));
	tr2_critical_runs(m, root, add_piece, &p);
	if (p.nr)
		qsort(p.list, p.nr, sizeof(*p.list), compare);
	for (i = 1; i < m->nr_samples; i++) {
		s = &m->samples[i];
		thread = thread_of(m, s);
		on_path[i] = thread &&
			     has(&p, thread,
				 m->sessions[s->session].wall_ns + s->at_ns);
	}
	free(p.list);
	return on_path;
}
