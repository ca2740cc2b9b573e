/* SPDX-License-Identifier: MIT */
/* ring_metrics - turn cells into the events that the model takes metrics
 * from. */
#include "format/ring/ring_metrics.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "format/ring/ring_cells.h"
#include "model/build/build.h"
#include "model/parsed_event.h"
#include "trace2.h"

struct adding {
	struct tr2_model *m;
	struct tr2_ring_file *f;
	uint32_t session;
	/* The owner of the values: 0 and all slots, or a thread and its
	 * slot. */
	uint32_t thread, slot;
	struct tr2_map reported; /* metrics that events reported */
	struct tr2_buf histogram, json;
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

static bool is_recorded(const struct adding *a, enum tr2_definition_kind kind,
		    const struct tr2_view *category,
		    const struct tr2_view *name)
{
	return tr2_map_get(&a->reported,
			   key_of(a->thread, kind,
				  tr2_intern(a->m, category->p, category->len),
				  tr2_intern(a->m, name->p, name->len)));
}

static struct tr2_view string_of(const struct adding *a, uint32_t offset)
{
	const char *s = tr2_ring_file_string(a->f, offset);

	return (struct tr2_view){ s, strlen(s) };
}

static void add_timer(struct adding *a, struct tr2_parsed_event *ev,
		      const struct tr2_definition *d,
		      const struct tr2_ring_value *value)
{
	/* same layout as th_timer */
	struct tr2_parsed_timer *v = &ev->as.timer;

	tr2_parsed_event_set_kind(ev, a->thread ? TR2_EV_th_timer :
						  TR2_EV_timer);
	v->category.text = string_of(a, d->category);
	v->name.text = string_of(a, d->name);
	v->intervals.u = value->count;
	v->t_total.i = (int64_t)tr2_clock_sum(value->total_ns,
					      value->running_ns);
	v->t_min.i = (int64_t)value->min_ns;
	v->t_max.i = (int64_t)value->max_ns;
	v->unfinished.u = value->unpaired + value->running;
	tr2_buf_reset(&a->histogram);
	tr2_ring_cells_histogram(a->f, d, a->slot, &a->histogram);
	if (a->histogram.len)
		v->histogram.text = (struct tr2_view){ a->histogram.p,
						       a->histogram.len };
	if (!is_recorded(a, TR2_DEFINITION_TIMER, &v->category.text, &v->name.text))
		tr2_build_metric(a->m, ev);
}

static void add_string(struct tr2_buf *b, const char *key,
		       const struct tr2_view *s)
{
	tr2_buf_addall(b, b->len ? ",\"" : "{\"", key, "\":");
	tr2_json_add_string(b, s->p);
}

static void add_number(struct tr2_buf *b, const char *key, uint64_t value)
{
	tr2_buf_addall(b, ",\"", key, "\":");
	tr2_buf_add_u64(b, value);
}

static void add_signed(struct tr2_buf *b, const char *key, int64_t value)
{
	tr2_buf_addall(b, ",\"", key, "\":");
	tr2_buf_add_i64(b, value);
}

/* Begin the object of a metric, unless an event reported that. */
static bool begin_json(struct adding *a, const struct tr2_definition *d,
		       enum tr2_definition_kind kind)
{
	struct tr2_view category = string_of(a, d->category);
	struct tr2_view name = string_of(a, d->name);
	struct tr2_view unit = string_of(a, d->unit);

	if (is_recorded(a, kind, &category, &name))
		return false;
	tr2_buf_reset(&a->json);
	add_string(&a->json, "category", &category);
	add_string(&a->json, "name", &name);
	if (unit.len)
		add_string(&a->json, "unit", &unit);
	return true;
}

static void end_json(struct adding *a, struct tr2_parsed_event *ev,
		     const char *key)
{
	struct tr2_parsed_data_json *v = &ev->as.data_json;

	tr2_buf_addch(&a->json, '}');
	tr2_parsed_event_set_kind(ev, TR2_EV_data_json);
	v->category.text = (struct tr2_view){ "trace2", strlen("trace2") };
	v->key.text = (struct tr2_view){ key, strlen(key) };
	v->value.text = (struct tr2_view){ tr2_buf_str(&a->json), a->json.len };
	tr2_build_metric(a->m, ev);
}

/* As the library writes it: see Documentation/trace2-format.adoc. */
static void add_distribution(struct adding *a, struct tr2_parsed_event *ev,
			     const struct tr2_definition *d,
			     const struct tr2_ring_value *value)
{
	struct tr2_buf *json = &a->json;

	if (a->thread || !value->count ||
	    !begin_json(a, d, TR2_DEFINITION_DISTRIBUTION))
		return;
	add_number(json, "count", value->count);
	add_number(json, "sum", value->total_ns);
	add_number(json, "min", value->min_ns);
	add_number(json, "max", value->max_ns);
	tr2_buf_reset(&a->histogram);
	tr2_ring_cells_histogram(a->f, d, a->slot, &a->histogram);
	if (a->histogram.len)
		tr2_buf_addall(json, ",\"histogram\":",
			       tr2_buf_str(&a->histogram));
	end_json(a, ev, "distribution");
}

static void add_gauge(struct adding *a, const struct tr2_definition *d,
		      const struct tr2_ring_gauge *value)
{
	struct tr2_parsed_event ev;

	if (!begin_json(a, d, TR2_DEFINITION_GAUGE))
		return;
	tr2_parsed_event_init(&ev);
	ev.session = a->session;
	add_signed(&a->json, "last", value->last);
	add_signed(&a->json, "min", value->min);
	add_signed(&a->json, "max", value->max);
	end_json(a, &ev, "gauge");
}

static void add_gauges(struct adding *a)
{
	struct tr2_ring_gauge value;
	uint32_t i;

	for (i = 0; i < a->f->nr_definitions; i++)
		if (tr2_ring_cells_gauge(a->f, &a->f->definitions[i], &value))
			add_gauge(a, &a->f->definitions[i], &value);
}

static void add_counter(struct adding *a, struct tr2_parsed_event *ev,
			const struct tr2_definition *d, uint64_t count)
{
	/* same layout as th_counter */
	struct tr2_parsed_counter *v = &ev->as.counter;

	tr2_parsed_event_set_kind(ev, a->thread ? TR2_EV_th_counter :
						  TR2_EV_counter);
	v->category.text = string_of(a, d->category);
	v->name.text = string_of(a, d->name);
	v->count.u = count;
	if (!is_recorded(a, TR2_DEFINITION_COUNTER, &v->category.text, &v->name.text))
		tr2_build_metric(a->m, ev);
}

static void add_metric(struct adding *a, const struct tr2_definition *d,
		       const struct tr2_ring_value *v)
{
	struct tr2_parsed_event ev;

	tr2_parsed_event_init(&ev);
	ev.session = a->session;
	ev.thread = a->thread;
	if (d->kind == TR2_DEFINITION_TIMER)
		add_timer(a, &ev, d, v);
	else if (d->kind == TR2_DEFINITION_DISTRIBUTION)
		add_distribution(a, &ev, d, v);
	else
		add_counter(a, &ev, d, v->count);
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

/* Return the thread of a slot; a thread that only counted is in no event. */
static uint32_t thread_of(struct adding *a, struct tr2_ring_names *names,
			  const struct tr2_control *c)
{
	const char *name = tr2_ring_names_of(names, c->tid, UINT64_MAX, false);
	uint32_t before = a->m->nr_threads;
	uint32_t i = tr2_build_thread(a->m, a->session, name, strlen(name));

	/* The slot announces the thread. */
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
	tr2_buf_release(&a.json);
	tr2_map_release(&a.reported);
	free(values);
}
