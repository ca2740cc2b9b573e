/* SPDX-License-Identifier: MIT */
/*
 * tree - build the tree of nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "common/order.h"
#include "model/join/self_time.h"
#include "model/private.h"

static const struct tr2_node *sort_nodes;

static int compare_nodes(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct tr2_node *na = &sort_nodes[a], *nb = &sort_nodes[b];

	return tr2_order(na->start_ns, nb->start_ns) ?: tr2_order(a, b);
}

static void put_before(struct tr2_model *m, uint32_t i)
{
	struct tr2_node *n = &m->nodes[i];
	uint32_t *first = n->parent ? &m->nodes[n->parent].first :
				      &m->first_root;

	n->next = *first;
	*first = i;
}

/* Are the sessions in order already? The streams of a recording mostly are. */
static bool in_order(const struct tr2_model *m)
{
	uint32_t i;

	for (i = 2; i < m->nr_nodes; i++)
		if (m->nodes[i].start_ns < m->nodes[i - 1].start_ns)
			return false;
	return true;
}

/* Chain all nodes by their start, beginning with the last. */
static void link_nodes(struct tr2_model *m)
{
	uint32_t *order, i;

	if (in_order(m)) {
		for (i = m->nr_nodes; i-- > 1;)
			put_before(m, i);
		return;
	}
	order = tr2_calloc(m->nr_nodes, sizeof(*order));
	for (i = 1; i < m->nr_nodes; i++)
		order[i] = i;
	sort_nodes = m->nodes;
	qsort(order + 1, m->nr_nodes - 1, sizeof(*order), compare_nodes);
	for (i = m->nr_nodes; i-- > 1;)
		put_before(m, order[i]);
	free(order);
}

uint32_t tr2_node_after(const struct tr2_model *m, uint32_t node)
{
	if (m->nodes[node].first)
		return m->nodes[node].first;
	while (node && !m->nodes[node].next)
		node = m->nodes[node].parent;
	return node ? m->nodes[node].next : 0;
}

uint32_t tr2_node_below(const struct tr2_model *m, uint32_t root, uint32_t node)
{
	if (m->nodes[node].first)
		return m->nodes[node].first;
	while (node != root && !m->nodes[node].next)
		node = m->nodes[node].parent;
	return node == root ? 0 : m->nodes[node].next;
}

static void set_depths(struct tr2_model *m)
{
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		unsigned int depth = m->nodes[i].parent ?
			m->nodes[m->nodes[i].parent].depth + 1u : 0;

		m->nodes[i].depth = (uint16_t)(depth > UINT16_MAX ? UINT16_MAX :
								    depth);
	}
}

static void make_tree(struct tr2_model *m)
{
	uint32_t i;

	tr2_model_ends(m);
	link_nodes(m);
	set_depths(m);
	for (i = 1; i < m->nr_nodes; i++)
		tr2_own_of_node(m, i, tr2_own_add, &m->nodes[i].self_ns);
	tr2_model_spawn(m);
}

void tr2_model_finish(struct tr2_model *m)
{
	tr2_model_join(m);
	make_tree(m);
	tr2_model_works(m);
	tr2_model_threads(m);
	tr2_model_objects(m);
	tr2_model_samples(m);
}
