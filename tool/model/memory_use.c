/* SPDX-License-Identifier: MIT */
/* memory_use - compute peaks and sums of observed memory. */
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "common/order.h"
#include "model/kind.h"
#include "model/memory_use.h"

bool tr2_memory_peak(const struct tr2_model *m,
		     struct tr2_observed_memory_point *out)
{
	uint32_t best = 0, i;

	for (i = 1; i < m->nr_memory; i++)
		if (m->memory[i].tree_bytes > m->memory[best].tree_bytes)
			best = i;
	*out = m->memory[best];
	return best;
}

void tr2_memory_init(struct tr2_memory *memory, const struct tr2_model *m)
{
	*memory = (struct tr2_memory){
		.m = m,
		.next = 1,
		.point = tr2_calloc(m->nr_tasks + 1, sizeof(*memory->point)),
	};
}

void tr2_memory_release(struct tr2_memory *memory)
{
	free(memory->point);
}

bool tr2_memory_is_certain(const struct tr2_model *m,
			   const struct tr2_observed_memory_point *p)
{
	const struct tr2_model_task *t = &m->tasks[p->task];

	return !p->task ||
	       (p->at_ns >= t->start_ns &&
		(t->end_ns == TR2_NO_TIME || p->at_ns <= t->end_ns));
}

void tr2_memory_go_to(struct tr2_memory *memory, int64_t at_ns)
{
	const struct tr2_model *m = memory->m;

	for (; memory->next < m->nr_memory &&
	       m->memory[memory->next].at_ns <= at_ns; memory->next++) {
		const struct tr2_observed_memory_point *p =
			&m->memory[memory->next];

		if (!p->task)
			memory->tree_bytes = p->tree_bytes;
		else if (tr2_memory_is_certain(m, p))
			memory->point[p->task] = memory->next;
	}
}

uint64_t tr2_memory_of(const struct tr2_memory *memory, uint32_t task,
		       int64_t at_ns)
{
	int64_t end_ns = memory->m->tasks[task].end_ns;

	if (end_ns != TR2_NO_TIME && end_ns <= at_ns)
		return 0;
	return tr2_memory_share(&memory->m->memory[memory->point[task]]);
}

double tr2_memory_scale(const struct tr2_memory *memory, int64_t at_ns)
{
	const double most = 1.15;
	uint64_t sum = 0;
	uint32_t task;
	double scale;

	for (task = 1; task < memory->m->nr_tasks; task++)
		sum += tr2_memory_of(memory, task, at_ns);
	scale = sum ? (double)memory->tree_bytes / (double)sum : 1;
	return scale > most ? most : scale < 1 / most ? 1 / most : scale;
}

struct kinds {
	struct tr2_memory_kind *kind;
	uint32_t nr, alloc;
	struct tr2_map by_name; /* maps a kind's name to 1 + its index */
};

static struct tr2_memory_kind *find_kind(struct kinds *k, struct tr2_model *m,
					 uint32_t node, int64_t at_ns)
{
	tr2_str name = tr2_kind(m, node, tr2_segment_at(m, node, at_ns));
	uint32_t *slot = tr2_map_slot(&k->by_name, tr2_key(0, name));

	if (!*slot) {
		tr2_grow(k->kind, k->nr, k->alloc);
		k->kind[k->nr] = (struct tr2_memory_kind){ .kind = name };
		*slot = ++k->nr;
	}
	return &k->kind[*slot - 1];
}

/* Return an array that has, for each task, the point with the task's largest
 * RSS. */
static uint32_t *find_largest(const struct tr2_model *m)
{
	uint32_t *largest = tr2_calloc(m->nr_tasks + 1, sizeof(*largest)), i;

	for (i = 1; i < m->nr_memory; i++) {
		const struct tr2_observed_memory_point *p = &m->memory[i];

		if (p->task && tr2_memory_is_certain(m, p) &&
		    p->rss_bytes > m->memory[largest[p->task]].rss_bytes)
			largest[p->task] = i;
	}
	return largest;
}

static void add_largest(struct kinds *k, struct tr2_model *m, uint32_t node,
			const struct tr2_observed_memory_point *p)
{
	struct tr2_memory_kind *kind = find_kind(k, m, node, p->at_ns);

	if (p->rss_bytes <= kind->largest_bytes)
		return;
	kind->largest_bytes = p->rss_bytes;
	kind->largest_ns = p->at_ns;
	kind->largest_node = node;
}

static void add_at_peak(struct kinds *k, struct tr2_model *m, uint32_t node,
			uint64_t bytes, int64_t at_ns)
{
	struct tr2_memory_kind *kind = find_kind(k, m, node, at_ns);

	kind->nr++;
	kind->bytes += bytes;
}

TR2_ORDER(by_bytes, struct tr2_memory_kind,
	  TR2_DOWN(bytes) ?: TR2_DOWN(largest_bytes) ?: TR2_UP(kind))

size_t tr2_memory_kinds(struct tr2_model *m,
			bool (*takes)(const void *data, uint32_t node),
			const void *data, struct tr2_memory_kind **out)
{
	struct tr2_observed_memory_point peak;
	uint32_t *largest = find_largest(m), node, task;
	struct kinds k = { .nr = 0 };
	struct tr2_memory memory;
	uint64_t bytes;
	double scale;

	tr2_memory_init(&memory, m);
	(void)tr2_memory_peak(m, &peak);
	tr2_memory_go_to(&memory, peak.at_ns);
	scale = tr2_memory_scale(&memory, peak.at_ns);
	for (task = 1; task < m->nr_tasks; task++) {
		node = m->tasks[task].node;
		if (!node || !largest[task] || (takes && !takes(data, node)))
			continue;
		add_largest(&k, m, node, &m->memory[largest[task]]);
		bytes = tr2_memory_of(&memory, task, peak.at_ns);
		bytes = (uint64_t)((double)bytes * scale);
		if (bytes)
			add_at_peak(&k, m, node, bytes, peak.at_ns);
	}
	tr2_memory_release(&memory);
	free(largest);
	tr2_map_release(&k.by_name);
	if (k.nr)
		qsort(k.kind, k.nr, sizeof(*k.kind), by_bytes);
	*out = k.kind;
	return k.nr;
}

uint32_t *tr2_memory_curve(const struct tr2_model *m, int64_t from_ns,
			   int64_t to_ns, size_t nr)
{
	uint32_t *most = tr2_calloc(nr, sizeof(*most)), i = 1, last = 0;
	double part_ns = (double)(to_ns - from_ns) / (double)nr;
	int64_t until_ns;
	size_t part;

	for (part = 0; part < nr; part++) {
		until_ns = from_ns + (int64_t)((double)(part + 1) * part_ns);
		most[part] = last;
		for (; i < m->nr_memory && m->memory[i].at_ns <= until_ns;
		     i++) {
			if (m->memory[i].task)
				continue;
			last = i;
			if (m->memory[i].tree_bytes >=
			    m->memory[most[part]].tree_bytes)
				most[part] = i;
		}
	}
	return most;
}

unsigned int tr2_node_oom(const struct tr2_model *m, const struct tr2_node *n)
{
	return n->end == TR2_END_SIGNAL ?
		       m->tasks[n->task].flags &
			       (TR2_TASK_OOM_KILLED | TR2_TASK_OOM_COUNTED) :
		       0;
}

const char *tr2_node_oom_text(const struct tr2_model *m,
			      const struct tr2_node *n)
{
	unsigned int oom = tr2_node_oom(m, n);

	return !oom ? "" : oom & TR2_TASK_OOM_KILLED ? " (OOM)" : " (OOM?)";
}
