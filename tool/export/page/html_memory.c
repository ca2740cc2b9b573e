/* SPDX-License-Identifier: MIT */
/*
 * html_memory - write the memory of processes by kind for the page. The time is
 * divided into parts; each part shows the moment with the largest sum.
 *
 * The page shows the kinds with the highest peaks, and the sum of all others.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"
#include "export/page/html_private.h"
#include "model/kind.h"
#include "model/memory_use.h"

#define NR_PARTS 800
#define MOST_KINDS 7

struct kind {
	tr2_str name;
	uint64_t most_bytes;
	uint64_t bytes[NR_PARTS];
};

struct stack {
	struct kind *kind;
	uint32_t nr, alloc;
	struct tr2_map by_name; /* maps a name to 1 + the index of a kind */
	uint64_t sum[NR_PARTS]; /* sum of all processes */
};

static struct kind *find_kind(struct stack *s, tr2_str name)
{
	uint32_t *slot = tr2_map_slot(&s->by_name, tr2_key(0, name));

	if (!*slot) {
		tr2_grow(s->kind, s->nr, s->alloc);
		s->kind[s->nr] = (struct kind){ .name = name };
		*slot = ++s->nr;
	}
	return &s->kind[*slot - 1];
}

static void add_part(struct stack *s, struct tr2_export *x,
		     const struct tr2_memory *memory, size_t part,
		     int64_t at_ns)
{
	const struct tr2_html *h = x->state;
	double scale = tr2_memory_scale(memory, at_ns);
	uint32_t node;

	s->sum[part] = memory->tree_bytes;
	for (node = x->m->first_root; node;
	     node = tr2_node_after(x->m, node)) {
		uint32_t task = x->m->nodes[node].task;
		uint64_t bytes = tr2_memory_of(memory, task, at_ns);
		struct kind *k;

		if (!bytes || !h->of_node[node])
			continue;
		k = find_kind(s, tr2_kind(x->m, node, 0));
		k->bytes[part] += (uint64_t)((double)bytes * scale);
		if (k->bytes[part] > k->most_bytes)
			k->most_bytes = k->bytes[part];
	}
}

static int64_t last_end(const struct tr2_model *m)
{
	int64_t end_ns = INT64_MIN;
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i))
		if (m->nodes[i].end_ns > end_ns)
			end_ns = m->nodes[i].end_ns;
	return end_ns;
}

static void fill_stack(struct stack *s, struct tr2_export *x, int64_t end_ns)
{
	const struct tr2_html *h = x->state;
	uint32_t *most = tr2_memory_curve(x->m, h->origin_ns, end_ns, NR_PARTS);
	struct tr2_memory memory;
	int64_t at_ns = INT64_MIN;
	size_t part;

	tr2_memory_init(&memory, x->m);
	for (part = 0; part < NR_PARTS; part++) {
		const struct tr2_observed_memory_point *p =
			&x->m->memory[most[part]];

		if (!most[part])
			continue;
		/* Do not go back in time: if the memory did not change, the
		 * point p is older than the previous part. */
		at_ns = p->at_ns > at_ns ? p->at_ns : at_ns;
		tr2_memory_go_to(&memory, at_ns);
		add_part(s, x, &memory, part, at_ns);
	}
	tr2_memory_release(&memory);
	free(most);
}

TR2_ORDER(by_most, struct kind, TR2_DOWN(most_bytes) ?: TR2_UP(name))

/* Add the row of a part: the KiB of each kind, then of all others. */
static void add_row(struct tr2_buf *rows, const struct stack *s, uint32_t nr,
		    size_t part)
{
	uint64_t others = s->sum[part];
	uint32_t i;

	tr2_html_open_row(rows);
	for (i = 0; i < nr; i++) {
		uint64_t bytes = s->kind[i].bytes[part];

		tr2_html_num(rows, (int64_t)(bytes >> 10));
		others -= bytes < others ? bytes : others;
	}
	tr2_html_num(rows, (int64_t)(others >> 10));
	tr2_html_close_row(rows);
}

void tr2_html_add_memory(struct tr2_export *x)
{
	struct tr2_html *h = x->state;
	struct tr2_observed_memory_point peak;
	struct tr2_buf rows = TR2_BUF_INIT;
	int64_t end_ns = last_end(x->m);
	struct stack *s;
	uint32_t i, nr;
	size_t part;

	if (!tr2_memory_peak(x->m, &peak))
		return;
	s = tr2_calloc(1, sizeof(*s));
	fill_stack(s, x, end_ns);
	if (s->nr)
		qsort(s->kind, s->nr, sizeof(*s->kind), by_most);
	nr = s->nr < MOST_KINDS ? s->nr : MOST_KINDS;
	tr2_html_key(&h->json, "memoryEnd");
	tr2_html_num(&h->json, end_ns - h->origin_ns);
	tr2_html_trim(&h->json);
	tr2_html_key(&h->json, "memoryKinds");
	tr2_buf_addch(&h->json, '[');
	for (i = 0; i < nr; i++)
		tr2_html_num(&h->json, tr2_html_string(x, tr2_s(x->m,
							s->kind[i].name)));
	if (nr)
		tr2_html_trim(&h->json);
	tr2_buf_addch(&h->json, ']');
	for (part = 0; part < NR_PARTS; part++)
		add_row(&rows, s, nr, part);
	tr2_html_array(x, "memory", &rows);
	tr2_map_release(&s->by_name);
	free(s->kind);
	free(s);
}
