/* SPDX-License-Identifier: MIT */
/* The part of the program's metrics. */
#include "base/text.h"
#include "metric/metric.h"
#include "part/part.h"

/*
 * Return the timer's histogram, in the thread's buffer for messages; NULL: the
 * timer has no histogram, or there is no memory for a large one.
 */
static struct tr2_histogram *collect_histogram(struct tr2_call *call,
					       struct tr2_slot *slot,
					       unsigned int index)
{
	const uint64_t *counts = tr2_timer_buckets(slot, index);
	struct tr2_buf *b = &call->thread->message;
	struct tr2_histogram *h;
	unsigned int nr = 0, i;
	uint64_t count;

	for (i = 0; counts && i < TR2_HISTOGRAM_BUCKETS; i++)
		nr += __atomic_load_n(&counts[i], __ATOMIC_RELAXED) != 0;
	if (!nr)
		return NULL;
	tr2_buf_reset(b);
	if (!tr2_buf_room(b, sizeof(*h) + nr * sizeof(h->bucket[0]))) {
		tr2_stream_lost();
		return NULL;
	}
	h = (void *)b->p;
	h->nr = 0;
	/* The timer's thread may still run, and fill another bucket. */
	for (i = 0; h->nr < nr && i < TR2_HISTOGRAM_BUCKETS; i++) {
		count = __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
		if (!count)
			continue;
		h->bucket[h->nr].upper_ns = tr2_histogram_upper(i);
		h->bucket[h->nr++].count = count;
	}
	return h;
}

static void add_string(struct tr2_buf *b, const char *key, const char *s)
{
	tr2_buf_addall(b, b->len ? ",\"" : "{\"", key, "\":");
	tr2_json_add_string(b, s);
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

static void add_names(struct tr2_buf *b, const struct tr2_metric_def *def)
{
	add_string(b, "category", def->category);
	add_string(b, "name", def->name);
	if (def->unit && *def->unit)
		add_string(b, "unit", def->unit);
}

static void add_buckets(struct tr2_buf *b, const uint64_t *counts)
{
	const char *before = ",\"histogram\":[[", *end = "}";
	uint64_t count;
	unsigned int i;

	for (i = 0; counts && i < TR2_HISTOGRAM_BUCKETS; i++) {
		count = __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
		if (!count)
			continue;
		tr2_buf_addstr(b, before);
		tr2_buf_add_u64(b, tr2_histogram_upper(i));
		tr2_buf_addch(b, ',');
		tr2_buf_add_u64(b, count);
		before = "],[";
		end = "]]}";
	}
	tr2_buf_addstr(b, end);
}

/* The occasion on which metrics are emitted. */
enum when { AT_END, OF_THREAD, SO_FAR };

/* The keys of the kinds in the data event, by occasion. */
static const char *const names[][3] = {
#define TR2_METRIC_KIND(KIND, kind, ...) \
	[TR2_DEFINITION_##KIND] = { #kind, "th_" #kind, #kind "_so_far" },
#include "arena/kinds.def"
};

/* Emit a data event: Git's format has no event for these kinds, and every
 * reader shows data. */
static void emit_data(struct tr2_call *call, const struct tr2_metric_def *def,
		      enum when when, struct tr2_buf *json)
{
	if (json->failed)
		tr2_stream_lost();
	else
		TR2_EMIT(call, data_json, .category.s = "trace2",
			 .key.s = names[def->kind][when],
			 .value.s = tr2_buf_str(json));
}

/* Return the thread's buffer for messages. Most values fit into it without more
 * memory, which may be short at the end. */
static struct tr2_buf *begin_json(struct tr2_call *call)
{
	tr2_buf_reset(&call->thread->message);
	return &call->thread->message;
}

static void emit_distribution(struct tr2_call *call, enum when when,
			      struct tr2_slot *slot, unsigned int index,
			      const struct tr2_timer_sum *sum)
{
	const struct tr2_metric_def *def =
		tr2_metric_def(TR2_METRIC_TIMER, index);
	struct tr2_buf *json = begin_json(call);

	if (!sum->count)
		return;
	add_names(json, def);
	add_number(json, "count", sum->count);
	add_number(json, "sum", sum->total_ns);
	add_number(json, "min", sum->min_ns);
	add_number(json, "max", sum->max_ns);
	add_buckets(json, tr2_timer_buckets(slot, index));
	emit_data(call, def, when, json);
}

static void emit_gauge(struct tr2_call *call, enum when when,
		       const struct tr2_gauge_cell *cell,
		       const struct tr2_metric_def *def)
{
	uint64_t high = __atomic_load_n(&cell->high, __ATOMIC_RELAXED);
	uint64_t low = __atomic_load_n(&cell->low, __ATOMIC_RELAXED);
	struct tr2_buf *json = begin_json(call);

	if (!high && !low)
		return;
	add_names(json, def);
	add_signed(json, "last",
		   __atomic_load_n(&cell->last, __ATOMIC_RELAXED));
	add_signed(json, "min", tr2_gauge_value(~low));
	add_signed(json, "max", tr2_gauge_value(high));
	tr2_buf_addch(json, '}');
	emit_data(call, def, when, json);
}

static void emit_gauges(struct tr2_call *call, enum when when)
{
	const struct tr2_gauge_cell *gauges =
		__atomic_load_n(&tr2_gauges, __ATOMIC_RELAXED);
	unsigned int nr = gauges ? tr2_metric_nr(TR2_METRIC_GAUGE) : 0, i;

	for (i = 0; i < nr; i++)
		emit_gauge(call, when, &gauges[i],
			   tr2_metric_def(TR2_METRIC_GAUGE, i));
}

static void emit_timer(struct tr2_call *call, enum when when,
		       struct tr2_slot *slot, unsigned int index)
{
	const struct tr2_metric_def *def =
		tr2_metric_def(TR2_METRIC_TIMER, index);
	struct tr2_histogram *histogram;
	struct tr2_timer_sum sum;

	tr2_timer_read(slot, index, call->now_ns, &sum);
	if (!sum.count && !sum.unfinished)
		return;
	if (def->unit || when == SO_FAR) {
		emit_distribution(call, when, slot, index, &sum);
		return;
	}
	histogram = collect_histogram(call, slot, index);
	/* Assert that the events timer and th_timer have the same fields. */
	_Static_assert(sizeof(struct tr2_v_timer) ==
		       sizeof(struct tr2_v_th_timer), "same fields");
	tr2_call_emit(call,
		      when == OF_THREAD ? TR2_EV_th_timer : TR2_EV_timer,
		      (const struct tr2_value *)&(struct tr2_v_timer){
			      .category.s = def->category,
			      .name.s = def->name,
			      .intervals.u = sum.count,
			      .t_total.u = sum.total_ns,
			      .t_min.u = sum.min_ns,
			      .t_max.u = sum.max_ns,
			      .unfinished.u = sum.unfinished,
			      .histogram.histogram = histogram,
		      });
}

static void emit_counter(struct tr2_call *call, enum when when,
			 struct tr2_slot *slot, unsigned int index)
{
	const struct tr2_metric_def *def =
		tr2_metric_def(TR2_METRIC_COUNTER, index);
	uint64_t count = tr2_counter_read(slot, index);
	struct tr2_buf *json = begin_json(call);

	if (!count)
		return;
	if (when == SO_FAR) {
		add_names(json, def);
		add_number(json, "count", count);
		tr2_buf_addch(json, '}');
		emit_data(call, def, when, json);
		return;
	}
	tr2_call_emit(call,
		      when == OF_THREAD ? TR2_EV_th_counter : TR2_EV_counter,
		      (const struct tr2_value *)&(struct tr2_v_counter){
			      .category.s = def->category,
			      .name.s = def->name,
			      .count.u = count,
		      });
}

/*
 * Emit one event for each used timer and counter of the slot, in the order of
 * registration, timers first. OF_THREAD: only metrics with TRACE2_PER_THREAD.
 * slot may be NULL.
 */
static void emit_slot(struct tr2_call *call, enum when when,
		      struct tr2_slot *slot)
{
	unsigned int wanted = when == OF_THREAD ? TRACE2_PER_THREAD : 0, nr, i;

	nr = slot ? tr2_metric_nr(TR2_METRIC_TIMER) : 0;
	for (i = 0; i < nr; i++)
		if ((tr2_metric_def(TR2_METRIC_TIMER, i)->flags & wanted) ==
		    wanted)
			emit_timer(call, when, slot, i);
	nr = slot ? tr2_metric_nr(TR2_METRIC_COUNTER) : 0;
	for (i = 0; i < nr; i++)
		if ((tr2_metric_def(TR2_METRIC_COUNTER, i)->flags & wanted) ==
		    wanted)
			emit_counter(call, when, slot, i);
}

static void metrics_emit_thread(struct tr2_call *call,
				const struct tr2_thread *thread, void *own)
{
	(void)own;
	emit_slot(call, OF_THREAD, thread->owner.slot);
}

static void metrics_emit_process(struct tr2_call *call, struct tr2_slot *sum)
{
	emit_slot(call, AT_END, sum);
	emit_gauges(call, AT_END);
}

static void metrics_emit_so_far(struct tr2_call *call, struct tr2_slot *sum)
{
	emit_slot(call, SO_FAR, sum);
	emit_gauges(call, SO_FAR);
}

static void emit_ambiguous(struct tr2_call *call, enum tr2_metric_kind kind)
{
	unsigned int i, nr = tr2_metric_nr(kind);
	const struct tr2_metric_def *def;

	for (i = 0; i < nr; i++) {
		def = tr2_metric_def(kind, i);
		if (def->is_ambiguous)
			tr2_call_error(call,
				       "trace2: %s '%s/%s' is defined again "
				       "with another unit or other flags: the "
				       "first ones count",
				       names[def->kind][AT_END], def->category,
				       def->name);
	}
}

static void emit_refused(struct tr2_call *call)
{
	static const char opened[] = "opened metrics do not count";
	unsigned int nr = tr2_metric_nr_refused(TR2_REFUSED_KIND);

	if (nr)
		tr2_call_error(call, "trace2: %u %s: there is no such kind", nr,
			       opened);
	nr = tr2_metric_nr_refused(TR2_REFUSED_LABELS);
	if (nr)
		tr2_call_error(call, "trace2: %u %s: more than %u labels", nr,
			       opened, TR2_METRIC_MAX_LABELS);
	nr = tr2_metric_nr_refused(TR2_REFUSED_NAME);
	if (nr)
		tr2_call_error(call,
			       "trace2: %u %s: a category, or a name with its "
			       "labels, has more than %u bytes",
			       nr, opened, TR2_METRIC_NAME_BYTES - 1);
}

/* Report definitions that do not count. */
static void metrics_emit_errors(struct tr2_call *call)
{
	unsigned int nr = tr2_metric_nr_refused(TR2_REFUSED_ROOM), kind;

	if (nr)
		tr2_call_error(call,
			       "trace2: %u metrics do not count: more than %u "
			       "timers and distributions, %u distributions, %u "
			       "counters or %u gauges are defined%s",
			       nr, TR2_MAX_TIMERS, TR2_MAX_HISTOGRAMS,
			       TR2_MAX_COUNTERS, TR2_MAX_GAUGES,
			       tr2_arena_header() ?
				       ", or the disk of the ring was full" :
				       "");
	emit_refused(call);
	nr = tr2_metric_nr_without_histogram();
	if (nr)
		tr2_call_error(call,
			       "trace2: %u timers have no histogram: more than "
			       "%u are to have one",
			       nr, TR2_MAX_HISTOGRAMS);
	for (kind = 0; kind < TR2_METRIC_KINDS; kind++)
		emit_ambiguous(call, kind);
}

const struct tr2_part tr2_part_metrics = {
	.emit_errors = metrics_emit_errors,
	.emit_thread = metrics_emit_thread,
	.emit_process = metrics_emit_process,
	.emit_so_far = metrics_emit_so_far,
	.forked = tr2_metric_after_fork,
};
