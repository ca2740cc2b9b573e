/* SPDX-License-Identifier: MIT */
/* trace_span - sort the works of each thread (the times in which it worked for
 * a span), and find the work at a time. */
#include "model/build/trace_span.h"

#include <stdlib.h>
#include <string.h>

#include "common/order.h"
#include "model/json_members.h"
#include "model/private.h"

static const struct tr2_work *sorted_works;

/* Order works by thread and start. Of two works with one start, the outer work
 * comes first. */
static int compare_spans(const void *va, const void *vb)
{
	const struct tr2_work *a = &sorted_works[*(const uint32_t *)va];
	const struct tr2_work *b = &sorted_works[*(const uint32_t *)vb];

	return TR2_UP(thread) ?: TR2_UP(from_ns) ?: TR2_DOWN(to_ns);
}

static void find_threads(struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_works; i++) {
		struct tr2_work *work = &m->works[i];
		const struct tr2_trace_span *span = &m->trace_spans[work->span];

		work->thread = tr2_find_thread(m,
					       m->threads[span->thread].session,
					       work->name);
	}
}

/* Find the work around each work: either the previous work, or a work around
 * the previous one. */
static void nest_work(struct tr2_model *m)
{
	uint32_t i, up, before = 0;

	for (i = 0; i + 1 < m->nr_works; i++) {
		struct tr2_work *work = &m->works[m->thread_works[i]];

		if (m->works[before].thread != work->thread)
			before = 0;
		for (up = before; up && m->works[up].to_ns <= work->from_ns;)
			up = m->works[up].outer;
		work->outer = up;
		before = m->thread_works[i];
	}
}

void tr2_model_works(struct tr2_model *m)
{
	uint32_t i;

	if (m->nr_works == 1)
		return;
	find_threads(m);
	m->thread_works = tr2_calloc(m->nr_works, sizeof(*m->thread_works));
	for (i = 1; i < m->nr_works; i++)
		m->thread_works[i - 1] = i;
	sorted_works = m->works;
	qsort(m->thread_works, m->nr_works - 1, sizeof(*m->thread_works),
	      compare_spans);
	nest_work(m);
}

/* Events have times in microseconds, works in nanoseconds: compare with this
 * tolerance. */
#define TOLERANCE_NS 2000

static bool is_longer(const struct tr2_work *work, int64_t ns)
{
	return work->to_ns - work->from_ns >= ns;
}

static bool began_before(const struct tr2_work *work, uint32_t thread,
			 int64_t at_ns)
{
	return work->thread < thread ||
	       (work->thread == thread &&
		work->from_ns - TOLERANCE_NS <= at_ns);
}

/* Return the innermost work that contains the time. */
static uint32_t work_at(const struct tr2_model *m, uint32_t thread,
			int64_t at_ns)
{
	uint32_t low = 0, high = m->nr_works - 1, middle, work;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (began_before(&m->works[m->thread_works[middle]], thread,
				 at_ns))
			low = middle + 1;
		else
			high = middle;
	}
	work = low ? m->thread_works[low - 1] : 0;
	if (m->works[work].thread != thread)
		return 0;
	while (work && m->works[work].to_ns < at_ns)
		work = m->works[work].outer;
	return work;
}

uint32_t tr2_trace_span_at(const struct tr2_filter *f,
			   const struct tr2_model *m, uint32_t thread,
			   int64_t start_ns, int64_t end_ns, uint32_t region)
{
	const struct tr2_span *r = &m->spans[region];
	const struct tr2_work *works = m->works;
	uint32_t i;

	i = work_at(m, thread, start_ns);
	while (i && works[i].from_ns > start_ns &&
	       !is_longer(&works[i], end_ns - start_ns))
		i = works[i].outer;
	if (region && is_longer(&works[i], r->end_ns - r->start_ns))
		return 0;
	while (i && !tr2_filter_trace_span(f, m, works[i].span))
		i = works[i].outer;
	return works[i].span;
}

uint32_t tr2_region_shown(const struct tr2_filter *f, const struct tr2_model *m,
			  uint32_t region)
{
	while (region && !tr2_filter_span(f, m, region))
		region = m->spans[region].parent;
	return region;
}

uint32_t tr2_trace_span_around(const struct tr2_filter *f,
			       const struct tr2_model *m, uint32_t span)
{
	const struct tr2_span *s;
	uint32_t above, found;

	for (; span; span = above) {
		s = &m->spans[span];
		above = tr2_region_shown(f, m, s->parent);
		found = tr2_trace_span_at(f, m, s->thread, s->start_ns,
					  s->end_ns, above);
		if (found)
			return found;
	}
	return 0;
}

/* Return the work that begins first, among those that end after at_ns; 0:
 * none. */
static uint32_t next_work(const struct tr2_model *m,
			  const struct tr2_trace_span *span, int64_t at_ns)
{
	uint32_t i, found = 0;

	for (i = span->first_work; i < span->first_work + span->nr_works; i++)
		if (m->works[i].to_ns > at_ns &&
		    (!found || m->works[i].from_ns < m->works[found].from_ns))
			found = i;
	return found;
}

static bool is_key(const struct tr2_json_member *member, const char *key)
{
	static struct tr2_buf text; /* later calls reuse its memory */
	struct tr2_json_member escaped = { .value = member->key };
	struct tr2_view v;

	if (!memchr(member->key.p, '\\', member->key.len))
		return tr2_json_member_is(member, key);
	v = tr2_json_member_text(&escaped, &text);
	return v.len == strlen(key) && !memcmp(v.p, key, v.len);
}

const char *tr2_trace_span_attribute(struct tr2_model *m, uint32_t trace_span,
				     const char *key)
{
	static struct tr2_buf unescaped; /* later calls reuse its memory */
	const char *object = m->trace_spans[trace_span].attributes;
	struct tr2_json_member member;
	struct tr2_view text, value;

	if (!object)
		return NULL;
	text = (struct tr2_view){ object, strlen(object) };
	while (tr2_json_next_member(&text, &member)) {
		if (!is_key(&member, key))
			continue;
		value = member.is_string ?
				tr2_json_member_text(&member, &unescaped) :
				member.value;
		return tr2_s(m, tr2_intern(m, value.p, value.len));
	}
	return NULL;
}

bool tr2_trace_span_times(const struct tr2_model *m, uint32_t trace_span,
			  struct tr2_trace_span_times *times)
{
	const struct tr2_trace_span *span = &m->trace_spans[trace_span];
	int64_t at_ns = span->start_ns, *gap_ns = &times->queue_ns;
	uint32_t i;

	*times = (struct tr2_trace_span_times){ 0, 0, 0 };
	for (i = span->first_work; i < span->first_work + span->nr_works; i++)
		times->worked_ns += m->works[i].to_ns - m->works[i].from_ns;
	while ((i = next_work(m, span, at_ns))) {
		if (m->works[i].from_ns > at_ns)
			*gap_ns += m->works[i].from_ns - at_ns;
		at_ns = m->works[i].to_ns;
		gap_ns = &times->idle_ns;
	}
	if (span->end_ns > at_ns)
		*gap_ns += span->end_ns - at_ns;
	return span->nr_works != 0;
}
