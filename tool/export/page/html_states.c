/* SPDX-License-Identifier: MIT */
/*
 * html_states - the kernel's threads with their states, for the page.
 *
 * A page has at most MAX_STATES states. If there are more, states that are
 * shorter than a certain time, the grain, are merged within each stretch of
 * that length: one piece for each kind. Sums stay exact; the order within the
 * grain is lost. The page says that it merged states.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "export/page/html_private.h"
#include "model/filter.h"
#include "model/objects.h"
#include "model/states.h"

#define MAX_STATES 300000

struct states {
	struct tr2_export *x;
	uint32_t *of_thread; /* by task thread: 1 + the row of the thread */
	int64_t grain_ns;
	uint64_t nr, nr_recorded;
	struct tr2_buf rows;
	/* Short states that are to be merged; nr_short 0: none. */
	int64_t ns[TR2_HTML_NR_CODES];
	int64_t until_ns;
	uint32_t nr_short, first_short;
};

static unsigned int code_of(const struct tr2_state *s)
{
	return s->kind + (s->kind == TR2_STATE_WAIT ? s->cause : 0u);
}

/* Add a state: its length, its code, and the other thread. If `other` is
 * negative, -other is the number of the name of a thread outside the
 * recording. */
static void add_state(struct states *w, int64_t ns, unsigned int code,
		      int64_t other)
{
	w->nr++;
	if (!w->x)
		return;
#define TR2_PAGE_STATE(name, value) tr2_html_num(&w->rows, value);
#include "export/page/page.def"
}

static void add_whole(struct states *w, const struct tr2_state *s, int64_t ns)
{
	int64_t other = 0;

	if (w->x)
		other = s->other ? w->of_thread[s->other] :
			-(int64_t)tr2_html_by(w->x,
					      tr2_state_by(w->x->m, s));
	add_state(w, ns,
		  code_of(s) | (s->flags & TR2_STATE_INFERRED ? TR2_HTML_INFERRED :
								0u),
		  other);
}

static void flush_states(struct states *w, const struct tr2_model *m)
{
	unsigned int code;

	if (w->nr_short == 1) {
		const struct tr2_state *s = &m->states[w->first_short];

		add_whole(w, s, w->ns[code_of(s)]);
	} else if (w->nr_short) {
		for (code = 0; code < TR2_HTML_NR_CODES; code++)
			if (w->ns[code])
				add_state(w, w->ns[code], code, 0);
	}
	memset(w->ns, 0, sizeof(w->ns));
	w->nr_short = 0;
}

static void add_states(struct states *w, const struct tr2_model *m, uint32_t t)
{
	uint32_t i;

	tr2_for_each_state(m, t, i) {
		const struct tr2_state *s = &m->states[i];
		int64_t ns = tr2_state_end(m, t, i) - s->start_ns;

		if (ns <= 0)
			continue;
		w->nr_recorded++;
		if (w->nr_short && (ns >= w->grain_ns ||
				    s->start_ns >= w->until_ns))
			flush_states(w, m);
		if (ns >= w->grain_ns) {
			add_whole(w, s, ns);
			continue;
		}
		if (!w->nr_short++) {
			w->first_short = i;
			w->until_ns = s->start_ns + w->grain_ns;
		}
		w->ns[code_of(s)] += ns;
	}
	flush_states(w, m);
}

static uint32_t row_of(const struct tr2_export *x, uint32_t task_thread)
{
	const struct tr2_model *m = x->m;
	const struct tr2_html *h = x->state;

	return h->of_node[m->tasks[m->task_threads[task_thread].task].node];
}

/* Does the page show this thread? */
static bool is_shown(const struct tr2_export *x, uint32_t task_thread)
{
	return x->m->task_threads[task_thread].nr_states &&
	       row_of(x, task_thread);
}

/* Return the shortest grain with which the page has few enough states. */
static int64_t choose_grain(struct tr2_export *x)
{
	struct states count = { .grain_ns = 0 };
	uint32_t i;

	for (;;) {
		count.nr = 0;
		for (i = 1; i < x->m->nr_task_threads; i++)
			if (is_shown(x, i))
				add_states(&count, x->m, i);
		if (count.nr <= MAX_STATES || count.grain_ns > INT64_MAX / 4)
			return count.grain_ns;
		count.grain_ns = count.grain_ns ? 2 * count.grain_ns : 1000;
	}
}

/* Add the objects of waits, except of waits that are too short for the page. */
static void add_objects(struct states *w, uint32_t thread)
{
	struct tr2_export *x = w->x;
	const struct tr2_html *h = x->state;
	const struct tr2_model *m = x->m;
	uint32_t i;

	tr2_for_each_state(m, thread, i) {
		const struct tr2_state *s = &m->states[i];
		tr2_str object = tr2_object_text(m, thread, i);

		if (!object ||
		    tr2_state_end(m, thread, i) - s->start_ns < w->grain_ns)
			continue;
#define TR2_PAGE_OBJECT(name, value) tr2_html_num(&w->rows, value);
#include "export/page/page.def"
	}
}

static void add_thread(struct states *w, uint32_t i)
{
	struct tr2_export *x = w->x;
	struct tr2_html *h = x->state;
	const struct tr2_task_thread *t = &x->m->task_threads[i];

	tr2_html_open_row(&w->rows);
#define TR2_PAGE_TASK(name, value) tr2_html_num(&w->rows, value);
#include "export/page/page.def"
	tr2_buf_addch(&w->rows, '[');
	add_states(w, x->m, i);
	tr2_html_close_row(&w->rows);
	tr2_buf_addlit(&w->rows, ",[");
	add_objects(w, i);
	tr2_html_close_row(&w->rows);
	tr2_buf_addch(&w->rows, ']');
}

static void add_causes(struct tr2_html *h)
{
	struct tr2_buf *b = &h->json;
	unsigned int i;

	tr2_html_key(b, "causes");
	for (i = 0; i < TR2_CAUSE_NR; i++) {
		tr2_buf_addstr(b, i ? ",[" : "[[");
		tr2_json_add_string(b, tr2_cause_name(i));
		tr2_buf_addch(b, ',');
		tr2_json_add_string(b, tr2_cause_text(i));
		tr2_buf_addch(b, ']');
	}
	tr2_buf_addch(b, ']');
}

void tr2_html_add_states(struct tr2_export *x)
{
	const struct tr2_model *m = x->m;
	struct tr2_html *h = x->state;
	uint32_t i, nr = 0;
	struct states w = {
		.x = x,
		.of_thread = tr2_calloc(m->nr_task_threads,
					sizeof(*w.of_thread)),
		.grain_ns = choose_grain(x),
	};

	for (i = 1; i < m->nr_task_threads; i++)
		if (is_shown(x, i))
			w.of_thread[i] = ++nr;
	for (i = 1; i < m->nr_task_threads; i++)
		if (w.of_thread[i])
			add_thread(&w, i);
	add_causes(h);
	tr2_html_key(&h->json, "grain");
	tr2_html_num(&h->json, w.grain_ns);
	tr2_buf_addlit(&h->json, "\"recordedStates\":");
	tr2_buf_add_u64(&h->json, w.nr_recorded);
	tr2_html_array(x, "tasks", &w.rows);
	free(w.of_thread);
}
