/* SPDX-License-Identifier: MIT */
/*
 * report_waits - trace2 report --waits: what threads waited for, by cause,
 * object, process and region.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/order.h"
#include "common/say.h"
#include "model/kind.h"
#include "model/objects.h"
#include "model/path/critical.h"
#include "model/states.h"
#include "model/stats.h"
#include "report/node.h"
#include "report/report.h"

/* The properties that the waits of a group share. */
struct kind {
	enum tr2_cause cause;
	tr2_str object; /* 0: unknown */
	uint32_t node, span;
	tr2_str process; /* the kind of the process: see model/kind.h */
	int64_t on_path_ns;
	uint64_t nr_inferred;
	uint32_t first_waker; /* 1 + the index of the first waker */
};

struct waker {
	tr2_str by; /* who woke the thread: see model/states.h; 0: the kernel */
	int64_t ns;
	uint32_t next; /* the next waker of the same group: 1 + its index */
};

struct waits {
	const struct tr2_report *r;
	tr2_str process; /* kind of the current process */
	struct tr2_groups groups;
	struct kind *kinds; /* by group */
	uint32_t nr_kinds, alloc_kinds;
	struct waker *wakers;
	uint32_t nr_wakers, alloc_wakers;
	struct tr2_map by_waker; /* maps a group and a name to 1 + the index of
				  * the waker */
	struct tr2_path_piece *path; /* sorted by thread and time */
	size_t nr_path, at_path;
};

/* The position in a thread's regions, which are sorted by time. */
struct place {
	int64_t wall_ns; /* start of the thread's session */
	uint32_t next;   /* the first span that begins later */
	uint32_t in;     /* the innermost region; 0: none */
};

/* Return the region at a time, which must not be earlier than in the last call
 * for this thread. */
static uint32_t region_at(const struct tr2_model *m, struct place *p,
			  int64_t wall_ns)
{
	const struct tr2_span *spans = m->spans;
	int64_t at_ns = wall_ns - p->wall_ns;

	for (; p->next && spans[p->next].start_ns <= at_ns;
	     p->next = spans[p->next].next) {
		if (spans[p->next].kind != TR2_SPAN_REGION)
			continue;
		while (p->in && p->in != spans[p->next].parent)
			p->in = spans[p->in].parent;
		p->in = p->next;
	}
	while (p->in && spans[p->in].end_ns <= at_ns)
		p->in = spans[p->in].parent;
	return p->in;
}

#define BY_KERNEL TR2_BY_OUTSIDE /* a name that stands for the kernel, which has
				  * none */

static tr2_str waker_of(const struct tr2_model *m, const struct tr2_state *s)
{
	return tr2_state_by(m, s) ?:
	       s->flags & TR2_STATE_BY_KERNEL ? BY_KERNEL : 0;
}

static void add_waker(struct waits *w, uint32_t group, tr2_str by, int64_t ns)
{
	uint32_t *slot = tr2_map_slot(&w->by_waker, tr2_key(group, by));
	uint32_t *first = &w->kinds[group].first_waker;

	if (!*slot) {
		tr2_grow(w->wakers, w->nr_wakers, w->alloc_wakers);
		w->wakers[w->nr_wakers] = (struct waker){ by, 0, *first };
		*slot = *first = ++w->nr_wakers;
	}
	w->wakers[*slot - 1].ns += ns;
}

/* Return the name of the group: cause, object, process, and region. */
static const char *group_name(const struct waits *w, const struct kind *k)
{
	struct tr2_model *m = w->r->m;
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */
	const struct tr2_span *s = &m->spans[k->span];

	tr2_buf_reset(&b);
	tr2_buf_addall(&b, tr2_cause_name(k->cause), "\n", tr2_s(m, k->object),
		       "\n", tr2_s(m, w->process), "\n", tr2_s(m, s->category),
		       "/", tr2_s(m, s->label));
	return tr2_s(m, tr2_intern(m, tr2_buf_str(&b), b.len));
}

static void add_wait(struct waits *w, const struct kind *kind,
		     const struct tr2_state *s, int64_t ns)
{
	struct tr2_model *m = w->r->m;
	tr2_str waker = waker_of(m, s);
	struct tr2_group *group =
		tr2_groups_get(&w->groups,
			       tr2_report_node_group(w->r, kind->node),
			       group_name(w, kind));
	uint32_t i = (uint32_t)(group - w->groups.group);

	tr2_group_add(group, 0, ns);
	if (i == w->nr_kinds) {
		tr2_grow(w->kinds, w->nr_kinds, w->alloc_kinds);
		w->kinds[w->nr_kinds] = *kind;
		w->kinds[w->nr_kinds].on_path_ns = 0;
		w->kinds[w->nr_kinds++].process = w->process;
	}
	w->kinds[i].on_path_ns += kind->on_path_ns;
	w->kinds[i].nr_inferred += s->flags & TR2_STATE_INFERRED ? 1 : 0;
	if (waker)
		add_waker(w, i, waker, ns);
}

TR2_ORDER(by_thread, struct tr2_path_piece,
	  TR2_UP(task_thread) ?: TR2_UP(start_ns))

static void find_path(struct waits *w)
{
	const struct tr2_model *m = w->r->m;
	uint32_t root = tr2_longest_root(m);

	if (root && tr2_critical_by_states(m, root))
		w->nr_path = tr2_critical_pieces(m, root, &w->path);
	if (w->nr_path)
		qsort(w->path, w->nr_path, sizeof(*w->path), by_thread);
}

/* Return how much time of a wait is on the critical path. Call this for the
 * waits of a thread in order of time. */
static int64_t on_path(struct waits *w, uint32_t thread, int64_t from_ns,
		       int64_t to_ns)
{
	const struct tr2_path_piece *p;
	int64_t ns = 0;

	for (; w->at_path < w->nr_path; w->at_path++) {
		p = &w->path[w->at_path];
		if (p->task_thread != thread || p->start_ns >= to_ns)
			break;
		if (p->kind == TR2_STEP_WAIT && p->start_ns >= from_ns)
			ns += p->end_ns - p->start_ns;
	}
	return ns;
}

/* Go to this thread's first piece of the critical path. */
static void begin_path(struct waits *w, uint32_t thread)
{
	size_t low = 0, high = w->nr_path, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (w->path[mid].task_thread < thread)
			low = mid + 1;
		else
			high = mid;
	}
	w->at_path = low;
}

static bool is_chosen(const struct waits *w, uint32_t span, int64_t ns)
{
	const struct tr2_filter *f = w->r->filter;

	return ns >= f->min_ns &&
	       (!f->region || (span && tr2_filter_span(f, w->r->m, span)));
}

static void gather_thread(struct waits *w, uint32_t node, uint32_t thread)
{
	const struct tr2_model *m = w->r->m;
	const struct tr2_model_thread *t =
		&m->threads[m->task_threads[thread].thread];
	struct place place = { m->sessions[t->session].wall_ns, t->first_span,
			       0 };
	struct kind kind = { .node = node };
	int64_t ns;
	uint32_t i;

	begin_path(w, thread);
	tr2_for_each_state(m, thread, i) {
		const struct tr2_state *s = &m->states[i];

		if (s->kind != TR2_STATE_WAIT)
			continue;
		kind.cause = s->cause;
		kind.object = tr2_object_text(m, thread, i);
		kind.span = region_at(m, &place, s->start_ns);
		ns = tr2_state_end(m, thread, i) - s->start_ns;
		kind.on_path_ns = on_path(w, thread, s->start_ns,
					  s->start_ns + ns);
		if (is_chosen(w, kind.span, ns))
			add_wait(w, &kind, s, ns);
	}
}

struct wait_row {
	const struct waits *w;
	const struct tr2_group *g;
	const struct kind *k;
	tr2_str waker; /* 0: unknown */
};

static const struct tr2_span *span_of(const struct wait_row *r)
{
	return &r->w->r->m->spans[r->k->span];
}

/* Show the waker, with a mark if most of the group's wakers were derived, not
 * recorded. */
static void cell_waker(struct tr2_table *t, const struct wait_row *r)
{
	bool derived = r->k->nr_inferred > r->g->nr / 2;
	bool is_text = tr2_output_is_text(t->output);
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	if (!r->waker)
		return;
	tr2_buf_reset(&b);
	tr2_buf_addstr(&b, derived && is_text ? "~" : "");
	if (r->waker == BY_KERNEL)
		tr2_buf_addlit(&b, "(kernel)");
	else if (is_text)
		tr2_by_add(&b, r->w->r->m, r->waker);
	else
		tr2_buf_addstr(&b, tr2_by_name(r->w->r->m, r->waker));
	tr2_cell_str(t, tr2_buf_str(&b));
}

static void cell_wait(struct tr2_table *t, const struct wait_row *r)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	tr2_buf_reset(&b);
	tr2_wait_add_text(&b, r->w->r->m, r->k->cause, r->k->object);
	tr2_cell_str(t, tr2_buf_str(&b));
}

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(on_path_ns, "ON PATH", 0, if (r->k->on_path_ns || \
	       !tr2_output_is_text(t->output)) \
	       tr2_cell_ns(t, r->k->on_path_ns)) \
	COLUMN(total_ns, "SUM", 0, tr2_cell_ns(t, r->g->total_ns)) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->g->nr)) \
	COLUMN(p50_ns, "P50", TR2_COL_SINGLE | TR2_COL_YIELDS, \
	       tr2_cell_ns(t, tr2_group_percentile(r->g, 0.5))) \
	COLUMN(max_ns, "MAX", TR2_COL_SINGLE, tr2_cell_ns(t, r->g->max_ns)) \
	TEXT(wait, "WAIT", TR2_COL_LEFT, cell_wait(t, r)) \
	DATA(cause, tr2_cell_str(t, tr2_cause_name(r->k->cause))) \
	DATA(object, if (r->k->object) \
		tr2_cell_str(t, tr2_s(r->w->r->m, r->k->object))) \
	COLUMN(woken_by, "WOKEN BY", TR2_COL_LEFT, cell_waker(t, r)) \
	DATA(woken_by_outside, if (r->waker) \
	     tr2_cell_bool(t, r->waker & TR2_BY_OUTSIDE)) \
	DATA(inferred, tr2_cell_uint(t, r->k->nr_inferred)) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       tr2_cell_str(t, r->g->by)) \
	COLUMN(process, "PROCESS", TR2_COL_FLEX, \
	       tr2_cell_str(t, tr2_s(r->w->r->m, r->k->process))) \
	COLUMN(region, "REGION", TR2_COL_FLEX, if (r->k->span) \
	       tr2_cell_strf(t, "%s/%s", \
			     tr2_s(r->w->r->m, span_of(r)->category), \
			     tr2_s(r->w->r->m, span_of(r)->label)))

TR2_COLUMN_LIST(columns, struct wait_row, COLUMNS)

static tr2_str main_waker(const struct waits *w, const struct kind *k)
{
	const struct waker *best = NULL;
	uint32_t i;

	for (i = k->first_waker; i; i = w->wakers[i - 1].next)
		if (!best || w->wakers[i - 1].ns > best->ns)
			best = &w->wakers[i - 1];
	return best ? best->by : 0;
}

static void release_waits(struct waits *w)
{
	tr2_groups_release(&w->groups);
	tr2_map_release(&w->by_waker);
	free(w->kinds);
	free(w->wakers);
	free(w->path);
}

/* ---- Without states of threads ---- The waits that the observer saw. Each
 * wait was at least as long as the observer saw it; short waits are missing. */

struct seen_row {
	const struct tr2_report *of;
	const struct tr2_group *g;
	const struct tr2_observed_object *o; /* any object of the group */
};

struct seen {
	const struct tr2_report *r;
	struct tr2_groups groups;
	uint32_t *objects; /* the first object of each group */
	uint32_t nr, alloc;
};

#define SEEN_COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(seen_ns, "SEEN", 0, tr2_cell_ns(t, r->g->total_ns)) \
	COLUMN(count, "COUNT", 0, tr2_cell_uint(t, r->g->nr)) \
	COLUMN(longest_ns, "LONGEST", TR2_COL_SINGLE, \
	       tr2_cell_ns(t, r->g->max_ns)) \
	COLUMN(object, "WAIT", TR2_COL_LEFT, \
	       tr2_cell_str(t, tr2_s(r->of->m, r->o->text))) \
	COLUMN(group, "GROUP", TR2_COL_FLEX | TR2_COL_MIDDLE, \
	       tr2_cell_str(t, r->g->by)) \
	COLUMN(process, "PROCESS", TR2_COL_FLEX, \
	       tr2_cell_str(t, tr2_s(r->of->m, tr2_kind(r->of->m, \
			r->of->m->tasks[r->o->task].node, 0))))

TR2_COLUMN_LIST(seen_columns, struct seen_row, SEEN_COLUMNS)

/* Return the name of the group: object and process. */
static const char *seen_name(struct tr2_model *m,
			   const struct tr2_observed_object *o, uint32_t node)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */

	tr2_buf_reset(&b);
	tr2_buf_addall(&b, tr2_s(m, o->text), "\n",
		       tr2_s(m, tr2_kind(m, node, 0)));
	return tr2_s(m, tr2_intern(m, tr2_buf_str(&b), b.len));
}

static void add_seen(struct seen *s, uint32_t i)
{
	struct tr2_model *m = s->r->m;
	const struct tr2_observed_object *o = &m->objects[i];
	uint32_t node = m->tasks[o->task].node, at;
	struct tr2_group *group;
	int64_t ns = tr2_object_seen_ns(m, i);

	if (ns <= 0 || ns < s->r->filter->min_ns || !node ||
	    !tr2_filter_node(s->r->filter, m, node))
		return;
	group = tr2_groups_get(&s->groups, tr2_report_node_group(s->r, node),
			       seen_name(m, o, node));
	tr2_group_add(group, 0, ns);
	at = (uint32_t)(group - s->groups.group);
	if (at == s->nr) {
		tr2_grow(s->objects, s->nr, s->alloc);
		s->objects[s->nr++] = i;
	}
}

static bool report_seen(const struct tr2_report *r)
{
	struct seen s = { .r = r };
	struct seen_row row = { .of = r };
	struct tr2_table t = TR2_TABLE_OF(r->out, "seen_waits", seen_columns);
	uint32_t i;
	bool ok;

	for (i = 1; i < r->m->nr_objects; i++)
		add_seen(&s, i);
	tr2_groups_sort(&s.groups);
	for (i = 0; i < s.groups.nr; i++) {
		row.g = &s.groups.group[i];
		row.o = &r->m->objects[s.objects[i]];
		tr2_table_add(&t, &row);
	}
	tr2_table_sort(&t, "seen");
	ok = tr2_report_table_if_any(r, &t, "seen");
	tr2_groups_release(&s.groups);
	free(s.objects);
	return ok;
}

bool tr2_report_waits(const struct tr2_report *r)
{
	struct waits w = { .r = r };
	struct wait_row row = { .w = &w };
	struct tr2_table t = TR2_TABLE_OF(r->out, "waits", columns);
	uint32_t i, thread;
	bool ok;

	if (!r->m->has_states && r->m->nr_objects > 1)
		return report_seen(r);
	if (!r->m->has_states && tr2_report_is_text(r)) {
		tr2_warning("no waits in this recording: it has no states of "
			    "threads ('trace2 record' printed the reason at "
			    "its end)");
		return true;
	}
	find_path(&w);
	for (i = r->m->first_root; i; i = tr2_node_after(r->m, i)) {
		if (!tr2_filter_node(r->filter, r->m, i))
			continue;
		w.process = tr2_kind(r->m, i, 0);
		tr2_for_each_task_thread(r->m, r->m->nodes[i].task, thread)
			gather_thread(&w, i, thread);
	}
	tr2_groups_sort(&w.groups);
	for (i = 0; i < w.groups.nr; i++) {
		row.g = &w.groups.group[i];
		row.k = &w.kinds[i];
		row.waker = main_waker(&w, row.k);
		tr2_table_add(&t, &row);
	}
	/* Order by time on the critical path, and equal times by total.
	 * Sleeping threads of pools have the largest totals, but nothing waits
	 * for them. */
	tr2_table_sort(&t, "total");
	ok = tr2_report_table_if_any(r, &t, "on_path");
	release_waits(&w);
	return ok;
}
