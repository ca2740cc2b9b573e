/* SPDX-License-Identifier: MIT */
/* critical_samples - which samples were taken on the critical path. */
#include <stdlib.h>

#include "common/memory.h"
#include "model/path/critical.h"

static int compare(const void *va, const void *vb)
{
	const struct tr2_path_piece *a = va, *b = vb;

	if (a->task_thread != b->task_thread)
		return a->task_thread < b->task_thread ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

/* Did the thread run at this time, in one of the sorted pieces? */
static bool has(const struct tr2_path_piece *list, size_t nr, uint32_t thread,
		int64_t wall_ns)
{
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list[middle].task_thread < thread ||
		    (list[middle].task_thread == thread &&
		     list[middle].start_ns <= wall_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low && list[low - 1].task_thread == thread &&
	       list[low - 1].kind == TR2_STEP_RUN &&
	       wall_ns <= list[low - 1].end_ns;
}

uint32_t tr2_sample_thread(const struct tr2_model *m,
			   const struct tr2_model_sample *s)
{
	return s->task_thread ? s->task_thread :
	       s->thread      ? m->threads[s->thread].task_thread : 0;
}

bool *tr2_critical_samples(const struct tr2_model *m)
{
	uint32_t root = tr2_longest_root(m), i, thread;
	const struct tr2_model_sample *s;
	struct tr2_path_piece *pieces;
	size_t nr;
	bool *on_path;

	if (m->nr_samples == 1 || !root || !tr2_critical_by_states(m, root))
		return NULL;
	on_path = tr2_calloc(m->nr_samples, sizeof(*on_path));
	nr = tr2_critical_pieces(m, root, &pieces);
	if (nr)
		qsort(pieces, nr, sizeof(*pieces), compare);
	for (i = 1; i < m->nr_samples; i++) {
		s = &m->samples[i];
		thread = tr2_sample_thread(m, s);
		on_path[i] = thread &&
			     has(pieces, nr, thread,
				 m->sessions[s->session].wall_ns + s->at_ns);
	}
	free(pieces);
	return on_path;
}
