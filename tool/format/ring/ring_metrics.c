/* SPDX-License-Identifier: MIT */
/* ring_metrics - add the values of cells to the model. */
#include "format/ring/ring_metrics.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "format/ring/ring_cells.h"
#include "model/build/build.h"
#include "trace2.h"

struct adding {
	struct tr2_model *m;
	struct tr2_ring_file *f;
	uint32_t session;
	/* The owner of the values: thread 0 with TR2_RING_ALL_SLOTS, or a
	 * thread with its slot. */
	uint32_t thread, slot;
	struct tr2_map reported; /* metrics that events have reported */
	struct tr2_buf histogram;
};

static uint64_t key_of(uint32_t thread, enum tr2_definition_kind kind,
		       tr2_str category, tr2_str name)
{
	return tr2_mix(tr2_key(thread, kind), tr2_key(category, name)) | 1;
}

static void note_reported(struct adding *a)
{
	const struct tr2_model *m = a->m;
	uint32_t i;

	tr2_for_each_metric(m, a->session, i) {
		const struct tr2_metric *metric = &m->metrics[i];

		*tr2_map_slot(&a->reported,
			      key_of(metric->thread, metric->kind,
				     metric->category, metric->name)) = 1;
	}
}

static tr2_str intern_name(const struct adding *a, uint32_t offset)
{
	const char *s = tr2_ring_file_string(a->f, offset);

	return tr2_intern(a->m, s, strlen(s));
}

/* Return a new metric without values; NULL: an event reported the metric. */
static struct tr2_metric *new_metric(struct adding *a,
				     const struct tr2_definition *d)
{
	tr2_str category = intern_name(a, d->category),
		name = intern_name(a, d->name);
	struct tr2_metric *metric;

	if (tr2_map_get(&a->reported,
			key_of(a->thread, d->kind, category, name)))
		return NULL;
	metric = tr2_build_metric(a->m, a->session, d->kind);
	metric->thread = a->thread;
	metric->category = category;
	metric->name = name;
	metric->unit = intern_name(a, d->unit);
	return metric;
}

static void add_metric(struct adding *a, const struct tr2_definition *d,
		       const struct tr2_ring_value *v)
{
	struct tr2_metric *metric = new_metric(a, d);

	if (!metric)
		return;
	metric->count = v->count;
	metric->total_ns = tr2_clock_sum(v->total_ns, v->running_ns);
	metric->min_ns = tr2_clock_sum(v->min_ns, 0);
	metric->max_ns = tr2_clock_sum(v->max_ns, 0);
	metric->unfinished = v->unpaired + v->running;
	tr2_buf_reset(&a->histogram);
	tr2_ring_cells_histogram(a->f, d, a->slot, &a->histogram);
	if (a->histogram.len)
		metric->histogram = tr2_model_copy(a->m, a->histogram.p,
						   a->histogram.len);
}

static void add_gauges(struct adding *a)
{
	struct tr2_ring_gauge value;
	struct tr2_metric *metric;
	uint32_t i;

	for (i = 0; i < a->f->nr_definitions; i++) {
		if (!tr2_ring_cells_gauge(a->f, &a->f->definitions[i], &value))
			continue;
		metric = new_metric(a, &a->f->definitions[i]);
		if (!metric)
			continue;
		metric->count = (uint64_t)value.last;
		metric->min_ns = (uint64_t)value.min;
		metric->max_ns = (uint64_t)value.max;
	}
}

static void add_metrics(struct adding *a, const struct tr2_ring_value *values)
{
	const struct tr2_definition *d = a->f->definitions;
	uint32_t i;

	for (i = 0; i < a->f->nr_definitions; i++)
		if ((values[i].count || values[i].unpaired ||
		     values[i].running) &&
		    (!a->thread || d[i].flags & TRACE2_PER_THREAD))
			add_metric(a, &d[i], &values[i]);
}

/* Return the thread of a slot. Add the thread if it has no events, because it
 * only used timers or counters. */
static uint32_t thread_of(struct adding *a, struct tr2_ring_names *names,
			  const struct tr2_control *c)
{
	const char *name = tr2_ring_names_of(names, c->tid, UINT64_MAX, false);
	uint32_t before = a->m->nr_threads;
	uint32_t i = tr2_build_thread(a->m, a->session, name, strlen(name));

	/* This thread has no thread_start event: only its slot shows it. */
	if (a->m->nr_threads > before)
		a->m->threads[i].flags &= (uint8_t)~TR2_THREAD_UNANNOUNCED;
	return i;
}

static bool has_any(const struct tr2_ring_file *f)
{
	uint32_t i;

	for (i = 0; i < f->nr_definitions; i++)
		if (f->definitions[i].flags & TRACE2_PER_THREAD)
			return true;
	return false;
}

static void add_of_threads(struct adding *a, struct tr2_ring_names *names,
			   uint64_t now_ns, struct tr2_ring_value *values)
{
	struct tr2_control c;

	for (a->slot = 1; a->slot < a->f->nr_slots; a->slot++) {
		if (!tr2_ring_file_control(a->f, a->slot, &c) ||
		    c.state != TR2_SLOT_LIVE)
			continue;
		a->thread = thread_of(a, names, &c);
		tr2_ring_cells_of(a->f, a->slot, now_ns, values);
		add_metrics(a, values);
	}
}

void tr2_ring_metrics(struct tr2_model *m, struct tr2_ring_file *f,
		      struct tr2_ring_names *names, uint32_t session,
		      uint64_t now_ns)
{
	struct adding a = { .m = m, .f = f, .session = session,
			    .slot = TR2_RING_ALL_SLOTS };
	struct tr2_ring_value *values =
		tr2_calloc(f->nr_definitions + 1, sizeof(*values));

	note_reported(&a);
	tr2_ring_cells_sum(f, now_ns, values);
	add_metrics(&a, values);
	add_gauges(&a);
	if (has_any(f))
		add_of_threads(&a, names, now_ns, values);
	tr2_buf_release(&a.histogram);
	tr2_map_release(&a.reported);
	free(values);
}
