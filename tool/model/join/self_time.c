/* SPDX-License-Identifier: MIT */
/* self_time - implements model/join/self_time.h. Inner items come in the order
 * of their starts. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "model/join/self_time.h"

struct own {
	tr2_piece_fn *fn;
	void *data;
	uint32_t of;
	int64_t at_ns, end_ns; /* all time before at_ns is covered */
};

/* Cover the time of an inner item, from_ns to to_ns. Pass the own time before
 * the item to the callback. */
static void cover_time(struct own *o, int64_t from_ns, int64_t to_ns)
{
	if (from_ns > o->end_ns)
		from_ns = o->end_ns;
	if (from_ns > o->at_ns)
		o->fn(o->data, o->of, o->at_ns, from_ns);
	if (to_ns > o->at_ns)
		o->at_ns = to_ns;
}

static void finish_own_time(struct own *o)
{
	cover_time(o, o->end_ns, o->end_ns);
}

void tr2_own_add(void *data, uint32_t of, int64_t from_ns, int64_t to_ns)
{
	(void)of;
	tr2_ns_add(data, to_ns - from_ns);
}

/* The spans of a thread that have begun and may not have ended, in the order of
 * their starts. */
struct stack {
	struct running {
		uint32_t span;
		int64_t end_ns; /* wall */
	} *of;
	uint32_t nr, alloc;
	int64_t at_ns; /* all time before at_ns has been passed */
};

/* Pass the time until to_ns to the running spans: each moment to the span that
 * began last. */
static void pass_time(struct stack *s, int64_t to_ns, tr2_piece_fn *fn,
		      void *data)
{
	while (s->nr && s->at_ns < to_ns) {
		const struct running *top = &s->of[s->nr - 1];
		int64_t until_ns = top->end_ns < to_ns ? top->end_ns : to_ns;

		if (until_ns > s->at_ns) {
			fn(data, top->span, s->at_ns, until_ns);
			s->at_ns = until_ns;
		}
		if (top->end_ns <= s->at_ns)
			s->nr--;
	}
	if (to_ns > s->at_ns)
		s->at_ns = to_ns;
}

/* Return the end of a span. A child counts at most to the end of its region,
 * which may not wait for the child. A region that overlaps another counts to
 * its own end. */
static int64_t busy_to(const struct tr2_model *m, uint32_t span,
		       const struct stack *s, int64_t wall)
{
	int64_t end_ns = wall + tr2_span_busy_to(m, span);
	uint32_t i;

	if (m->spans[span].kind == TR2_SPAN_REGION)
		return end_ns;
	for (i = s->nr; i--;)
		if (s->of[i].span == m->spans[span].parent)
			return end_ns < s->of[i].end_ns ? end_ns :
							  s->of[i].end_ns;
	return end_ns;
}

static void sweep_thread(const struct tr2_model *m, uint32_t thread,
			 struct stack *s, bool regions_only, tr2_piece_fn *fn,
			 void *data)
{
	int64_t wall = m->sessions[m->threads[thread].session].wall_ns;
	uint32_t i;

	s->nr = 0;
	s->at_ns = INT64_MIN;
	tr2_for_each_span(m, thread, i) {
		if (regions_only && m->spans[i].kind != TR2_SPAN_REGION)
			continue;
		pass_time(s, wall + m->spans[i].start_ns, fn, data);
		tr2_grow(s->of, s->nr, s->alloc);
		s->of[s->nr] = (struct running){ i, busy_to(m, i, s, wall) };
		s->nr++;
	}
	pass_time(s, INT64_MAX, fn, data);
}

void tr2_own_of_spans(const struct tr2_model *m, tr2_piece_fn *fn, void *data)
{
	struct stack s = { 0 };
	uint32_t i;

	for (i = 1; i < m->nr_threads; i++)
		sweep_thread(m, i, &s, false, fn, data);
	free(s.of);
}

void tr2_own_of_regions(const struct tr2_model *m, uint32_t thread,
			tr2_piece_fn *fn, void *data)
{
	struct stack s = { 0 };

	sweep_thread(m, thread, &s, true, fn, data);
	free(s.of);
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

/* Is the span a region within another region, or an exec, which replaces the
 * process? */
static bool is_covered(const struct tr2_model *m, const struct tr2_span *span)
{
	return span->kind == TR2_SPAN_EXEC ||
	       (span->parent && (span->kind != TR2_SPAN_REGION ||
				 span->end_ns <=
					 m->spans[span->parent].end_ns));
}

/* Return the thread's next span, from i on, that no other span covers. */
static uint32_t outermost(const struct tr2_model *m, uint32_t i)
{
	while (i && is_covered(m, &m->spans[i]))
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
			cover_time(&o, s->wall_ns + span->start_ns,
				   s->wall_ns + tr2_span_busy_to(m, i));
			i = outermost(m, span->next);
		} else {
			cover_time(&o, n->start_ns, n->end_ns);
			child = n->next;
		}
	}
	finish_own_time(&o);
}

void tr2_own_of_node(const struct tr2_model *m, uint32_t node, tr2_piece_fn *fn,
		     void *data)
{
	const struct tr2_node *n = &m->nodes[node];
	struct own o = { fn, data, node, n->start_ns, n->end_ns };
	uint32_t i;

	tr2_for_each_child_node(m, node, i)
		cover_time(&o, m->nodes[i].start_ns, m->nodes[i].end_ns);
	finish_own_time(&o);
}
