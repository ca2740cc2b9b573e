/* SPDX-License-Identifier: MIT */
/*
 * html_trace_spans - write the program's spans of a session as one more thread,
 * whose spans overlap. The page draws them in lanes, children below their
 * parents.
 */
#include <stdlib.h>

#include "common/memory.h"
#include "export/page/html_private.h"
#include "model/build/trace_span.h"
#include "model/filter.h"
#include "out/table.h"

#define KIND_SPAN 3
#define LANES 2 /* `main` of a thread whose spans are drawn in lanes */

static int by_start(const void *va, const void *vb, void *data)
{
	const struct tr2_trace_span *spans = data;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct tr2_trace_span *a = &spans[ia], *b = &spans[ib];

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns;
}

static void add_time(struct tr2_buf *b, const char *what, int64_t ns)
{
	if (ns <= 0)
		return;
	tr2_buf_addall(b, b->len ? ", " : "", what, " ");
	tr2_fmt_ns(b, ns);
}

/* Return the number of a text with the parts of the span's time: `queue 20 ms,
 * th01:worker 30 ms`. */
static uint32_t where(struct tr2_export *x, uint32_t i)
{
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	struct tr2_trace_span_times times;
	const struct tr2_work *work;
	uint32_t k;

	if (!tr2_trace_span_times(x->m, i, &times))
		return 0;
	tr2_buf_reset(&x->text);
	add_time(&x->text, "queue", times.queue_ns);
	for (k = 0; k < s->nr_works; k++) {
		work = &x->m->works[s->first_work + k];
		add_time(&x->text, tr2_export_text(x, tr2_s(x->m, work->name)),
			 work->to_ns - work->from_ns);
	}
	add_time(&x->text, "no thread", times.idle_ns);
	return tr2_html_text(x);
}

/* Return the number of a text with the span's failure and attributes. */
static uint32_t detail(struct tr2_export *x, const struct tr2_trace_span *s)
{
	tr2_buf_reset(&x->text);
	if (s->failed)
		tr2_buf_addall(&x->text, *s->failed ? "failed: " : "failed",
			       tr2_export_text(x, s->failed));
	if (s->attributes) {
		tr2_buf_addstr(&x->text, x->text.len ? " " : "");
		tr2_export_add_json(x, &x->text, s->attributes);
	}
	return tr2_html_text(x);
}

static void add_span(struct tr2_export *x, uint32_t i, uint32_t up)
{
	struct tr2_html *h = x->state;
	const struct tr2_trace_span *s = &x->m->trace_spans[i];
	int64_t start_ns = tr2_export_session_of(x, s->thread)->wall_ns +
			   s->start_ns - h->origin_ns;
	int64_t before_ns = h->last_ns;
	struct tr2_buf *b = &h->json;

	h->of_trace_span[i] = tr2_html_next_span(x);
	h->last_ns = start_ns;
#define TR2_PAGE_SPAN(name, region, span) tr2_html_num(b, span);
#include "export/page/page.def"
	tr2_html_trim(b);
	tr2_html_step(x);
}

static void add_spans(struct tr2_export *x, const uint32_t *spans, uint32_t nr)
{
	const struct tr2_trace_span *all = x->m->trace_spans;
	struct tr2_map by_id = { 0 };
	uint32_t i;

	for (i = 0; i < nr; i++) {
		add_span(x, spans[i], all[spans[i]].parent ?
				tr2_map_get(&by_id, all[spans[i]].parent) : 0);
		if (all[spans[i]].self.id)
			*tr2_map_slot(&by_id, all[spans[i]].self.id) = spans[i];
	}
	tr2_map_release(&by_id);
}

void tr2_html_trace_spans(struct tr2_export *x, uint32_t session)
{
	const struct tr2_model *m = x->m;
	struct tr2_html *h = x->state;
	uint32_t i, nr = 0, alloc = 0, *spans = NULL;
	int64_t end_ns = 0;

	tr2_for_each_trace_span(m, session, i) {
		if (!tr2_filter_trace_span(x->filter, m, i))
			continue;
		tr2_grow(spans, nr, alloc);
		spans[nr++] = i;
		if (m->trace_spans[i].end_ns > end_ns)
			end_ns = m->trace_spans[i].end_ns;
	}
	if (nr) {
		qsort_r(spans, nr, sizeof(*spans), by_start, m->trace_spans);
		tr2_html_open_thread(x, m->sessions[session].node,
				     tr2_html_string(x, "spans"), LANES,
				     m->sessions[session].wall_ns +
					     m->trace_spans[spans[0]].start_ns,
				     end_ns - m->trace_spans[spans[0]].start_ns);
		h->nr_threads++;
		add_spans(x, spans, nr);
	}
	free(spans);
}
