/* SPDX-License-Identifier: MIT */
/* own - implements model/own.h. What is inside comes in the order of its
 * starts. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "model/own.h"

struct own {
	tr2_piece_fn *fn;
	void *data;
	uint32_t of;
	int64_t at_ns, end_ns; /* it is covered before at_ns */
};

/* Something inside it lasts from from_ns to to_ns. */
static void cover(struct own *o, int64_t from_ns, int64_t to_ns)
{
	if (from_ns > o->end_ns)
		from_ns = o->end_ns;
	if (from_ns > o->at_ns)
		o->fn(o->data, o->of, o->at_ns, from_ns);
	if (to_ns > o->at_ns)
		o->at_ns = to_ns;
}

static void finish(struct own *o)
{
	cover(o, o->end_ns, o->end_ns);
}

void tr2_own_add(void *data, uint32_t of, int64_t from_ns, int64_t to_ns)
{
	(void)of;
	tr2_ns_add(data, to_ns - from_ns);
}

static int64_t wall_of(const struct tr2_model *m, uint32_t span)
{
	return m->sessions[m->threads[m->spans[span].thread].session].wall_ns;
}

void tr2_own_of_spans(const struct tr2_model *m, tr2_piece_fn *fn, void *data)
{
	int64_t *at_ns = tr2_calloc(m->nr_spans, sizeof(*at_ns)), wall, end_ns;
	struct own o = { .fn = fn, .data = data };
	uint32_t i;

	/* In a thread, spans are in the order of their starts, and come after
	 * those around them. */
	for (i = 1; i < m->nr_spans; i++) {
		wall = wall_of(m, i);
		at_ns[i] = wall + m->spans[i].start_ns;
		o.of = m->spans[i].parent;
		if (!o.of)
			continue;
		end_ns = wall + tr2_span_busy_to(m, i);
		o.at_ns = at_ns[o.of];
		o.end_ns = wall + tr2_span_busy_to(m, o.of);
		cover(&o, at_ns[i], end_ns);
		at_ns[o.of] = o.at_ns;
	}
	for (i = 1; i < m->nr_spans; i++) {
		o.of = i;
		o.at_ns = at_ns[i];
		o.end_ns = wall_of(m, i) + tr2_span_busy_to(m, i);
		finish(&o);
	}
	free(at_ns);
}

static void add_to_span(void *data, uint32_t of, int64_t from_ns, int64_t to_ns)
{
	int64_t *out = data;

	out[of] += to_ns - from_ns;
}

void tr2_own_sums(const struct tr2_model *m, int64_t *out)
{
	memset(out, 0, m->nr_spans * sizeof(*out));
	tr2_own_of_spans(m, add_to_span, out);
}

/* Return the next outermost span of a thread, from i on. */
static uint32_t outermost(const struct tr2_model *m, uint32_t i)
{
	while (i && (m->spans[i].parent || m->spans[i].kind == TR2_SPAN_EXEC))
		i = m->spans[i].next;
	return i;
}

void tr2_own_of_thread(const struct tr2_model *m, uint32_t thread,
		       tr2_piece_fn *fn, void *data)
{
	const struct tr2_model_thread *t = &m->threads[thread];
	const struct tr2_model_session *s = &m->sessions[t->session];
	struct own o = { fn, data, thread, s->wall_ns + t->start_ns,
			 s->wall_ns + t->end_ns };
	uint32_t i = outermost(m, t->first_span);
	uint32_t child = s->first_thread == thread ? m->nodes[s->node].first :
						     0;

	while (i || child) {
		const struct tr2_span *span = &m->spans[i];
		const struct tr2_node *n = &m->nodes[child];

		if (i &&
		    (!child || s->wall_ns + span->start_ns <= n->start_ns)) {
			cover(&o, s->wall_ns + span->start_ns,
			      s->wall_ns + tr2_span_busy_to(m, i));
			i = outermost(m, span->next);
		} else {
			cover(&o, n->start_ns, n->end_ns);
			child = n->next;
		}
	}
	finish(&o);
}

void tr2_own_of_node(const struct tr2_model *m, uint32_t node, tr2_piece_fn *fn,
		     void *data)
{
	const struct tr2_node *n = &m->nodes[node];
	struct own o = { fn, data, node, n->start_ns, n->end_ns };
	uint32_t i;

	tr2_for_each_child_node(m, node, i)
		cover(&o, m->nodes[i].start_ns, m->nodes[i].end_ns);
	finish(&o);
}
