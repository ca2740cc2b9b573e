/* SPDX-License-Identifier: MIT */
/*
 * report_span_parts - for trace2 report --spans: where the time of spans of one
 * name went. A span waits in a queue until a thread works for it. Later, too,
 * there may be times in which no thread works for it. While threads work for
 * it, they are in regions, or wait for children; the remaining time is the
 * program's own.
 */
#include <stdlib.h>
#include <string.h>

#include "common/order.h"
#include "common/words.h"
#include "common/memory.h"
#include "model/build/trace_span.h"
#include "report/report.h"

struct part {
	tr2_str category, name; /* category and name of the spans */
	tr2_str what;
	bool is_inside; /* the part is a region or child inside the spans;
			 * false: it is the spans' own time */
	uint64_t count;
	int64_t ns;
	int64_t of_ns; /* the time that all spans of the name took */
};

struct parts {
	struct tr2_model *m;
	struct part *part;
	uint32_t nr, alloc;
};

static void add_part(struct parts *p, uint32_t span, tr2_str what,
		     bool is_inside, int64_t ns)
{
	const struct tr2_trace_span *s = &p->m->trace_spans[span];

	tr2_grow(p->part, p->nr, p->alloc);
	p->part[p->nr++] = (struct part){ s->category, s->name, what, is_inside,
					  1, ns, 0 };
}

static tr2_str intern_text(struct parts *p, const char *s)
{
	return tr2_intern(p->m, s, strlen(s));
}

static tr2_str name_of(struct parts *p, const struct tr2_span *s)
{
	static struct tr2_buf b; /* static, to be used again: each new buffer
				  * would map memory */
	const struct tr2_child *c = &p->m->children[s->child];

	if (s->kind == TR2_SPAN_REGION)
		return intern_text(p, tr2_join(&b, tr2_s(p->m, s->category),
					       tr2_s(p->m, s->label)));
	tr2_buf_reset(&b);
	tr2_buf_addall(&b, "child ", c->argv.nr ?
				     tr2_base_name(c->argv.text) :
				     tr2_s(p->m, c->child_class));
	return intern_text(p, tr2_buf_str(&b));
}

/* Add to each span the outermost regions and children inside it, with their
 * time. */
static void add_inside(struct parts *p, const struct tr2_report *r,
		       uint32_t thread, int64_t *inside_ns)
{
	const struct tr2_model *m = p->m;
	uint32_t i, span;

	tr2_for_each_span(m, thread, i) {
		const struct tr2_span *s = &m->spans[i];

		span = tr2_trace_span_at(r->filter, m, thread, s->start_ns,
					 s->end_ns, s->parent);
		if (!span)
			continue;
		add_part(p, span, name_of(p, s), true, s->end_ns - s->start_ns);
		inside_ns[span] += s->end_ns - s->start_ns;
	}
}

static void add_own(struct parts *p, const struct tr2_report *r,
		    uint32_t session, const int64_t *inside_ns)
{
	struct tr2_trace_span_times t;
	uint32_t i;

	tr2_for_each_trace_span(p->m, session, i) {
		if (!tr2_filter_trace_span(r->filter, p->m, i) ||
		    !tr2_trace_span_times(p->m, i, &t))
			continue;
		add_part(p, i, intern_text(p, "queue"), false, t.queue_ns);
		add_part(p, i, intern_text(p, "no thread"), false, t.idle_ns);
		add_part(p, i, intern_text(p, "itself"), false,
			 t.worked_ns > inside_ns[i] ? t.worked_ns - inside_ns[i]
						    : 0);
	}
}

TR2_ORDER(compare_spans, struct part, TR2_UP(category) ?: TR2_UP(name))
TR2_ORDER(compare, struct part,
	  compare_spans(a, b) ?: TR2_UP(is_inside) ?: TR2_UP(what))

/* Add up equal parts, and the time of all spans of a name. */
static void fold_parts(struct parts *p)
{
	struct part *part = p->part;
	uint32_t i, nr = 0, first = 0;
	int64_t of_ns = 0;

	for (i = 0; i < p->nr; i++) {
		if (nr && !compare(&part[nr - 1], &part[i])) {
			tr2_ns_add(&part[nr - 1].ns, part[i].ns);
			part[nr - 1].count += part[i].count;
		} else {
			if (nr && compare_spans(&part[nr - 1], &part[i])) {
				while (first < nr)
					part[first++].of_ns = of_ns;
				of_ns = 0;
			}
			part[nr++] = part[i];
		}
		tr2_ns_add(&of_ns, part[i].ns);
	}
	while (first < nr)
		part[first++].of_ns = of_ns;
	p->nr = nr;
}

struct part_row {
	const struct tr2_model *m;
	const struct part *part;
};

#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(sum_ns, "SUM", 0, tr2_cell_ns(t, r->part->ns)) \
	COLUMN(share, "SHARE", TR2_COL_HEAT, \
	       tr2_cell_share(t, tr2_report_share(r->part->ns, \
						  r->part->of_ns))) \
	COLUMN(count, "COUNT", TR2_COL_YIELDS, \
	       tr2_cell_uint(t, r->part->count)) \
	COLUMN(span, "SPAN", TR2_COL_LEFT, \
	       tr2_cell_strf(t, "%s/%s", tr2_s(r->m, r->part->category), \
			     tr2_s(r->m, r->part->name))) \
	COLUMN(where, "WHERE", TR2_COL_FLEX, \
	       tr2_cell_str(t, tr2_s(r->m, r->part->what))) \
	DATA(kind, tr2_cell_str(t, r->part->is_inside ? "inside" : "own"))

TR2_COLUMN_LIST(columns, struct part_row, COLUMNS)

void tr2_report_span_parts(const struct tr2_report *r)
{
	struct parts p = { .m = r->m };
	struct part_row row = { .m = r->m };
	struct tr2_report own = *r;
	struct tr2_table table = TR2_TABLE_OF(r->out, "span_parts", columns);
	uint32_t session, thread, i;
	int64_t *inside_ns =
		tr2_calloc(r->m->nr_trace_spans, sizeof(*inside_ns));

	tr2_report_for_each_session(r, session) {
		tr2_for_each_thread(r->m, session, thread)
			add_inside(&p, r, thread, inside_ns);
		add_own(&p, r, session, inside_ns);
	}
	if (p.nr)
		qsort(p.part, p.nr, sizeof(*p.part), compare);
	fold_parts(&p);
	for (i = 0; i < p.nr; i++) {
		row.part = &p.part[i];
		if (row.part->ns)
			tr2_table_add(&table, &row);
	}
	own.sort = NULL; /* Ignore -s: it names a column of the first table, not
			  * of this table. */
	if (p.nr)
		tr2_report_table(&own, &table, "sum");
	free(p.part);
	free(inside_ns);
}
