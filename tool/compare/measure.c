/* SPDX-License-Identifier: MIT */
/* Collect the measures of runs from their models. */
#include "compare/measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/macros.h"
#include "common/words.h"
#include "common/map.h"
#include "common/memory.h"
#include "model/join/self_time.h"
#include "model/kind.h"
#include "model/memory_use.h"
#include "model/stats.h"

const char *const tr2_measure_names[TR2_MEASURE_NR] = {
#define TR2_MEASURE(kind, name, plural, heading) name,
#include "compare/measures.def"
};

const char *const tr2_measure_plurals[TR2_MEASURE_NR] = {
#define TR2_MEASURE(kind, name, plural, heading) plural,
#include "compare/measures.def"
};

const char *const tr2_measure_headings[TR2_MEASURE_NR] = {
#define TR2_MEASURE(kind, name, plural, heading) heading,
#include "compare/measures.def"
};

const char *const tr2_measure_units[] = {
	[TR2_UNIT_COUNT] = "",
	[TR2_UNIT_NS] = "ns",
	[TR2_UNIT_BYTES] = "bytes",
};

static bool is_event_of(enum tr2_measure_kind kind, const char *name,
			const char *const *events)
{
	if (kind == TR2_MEASURE_EVENT)
		for (; *events; events++)
			if (!strncmp(name, *events, strlen(*events)))
				return true;
	return false;
}

bool tr2_measure_is_random(enum tr2_measure_kind kind, const char *name)
{
	static const char *const events[] = { "page-faults", "minor-faults",
					      NULL };

	return is_event_of(kind, name, events);
}

bool tr2_measure_is_of_machine(enum tr2_measure_kind kind, const char *name)
{
	static const char *const events[] = { "context-switches",
					      "cpu-migrations",
					      "major-faults", NULL };

	return kind == TR2_MEASURE_RUN ? !strcmp(name, "maxrss") ||
					 !strcmp(name, "peak-memory") :
					 is_event_of(kind, name, events);
}

enum tr2_measure_unit tr2_measure_unit_of(const char *name)
{
	return !strcmp(name, "ns")    ? TR2_UNIT_NS :
	       !strcmp(name, "bytes") ? TR2_UNIT_BYTES : TR2_UNIT_COUNT;
}

void tr2_measures_release(struct tr2_measures *ms)
{
	uint32_t i;

	for (i = 0; i < ms->nr; i++) {
		free(ms->item[i].name);
		free(ms->item[i].values);
		free(ms->item[i].calls);
		free(ms->item[i].note);
	}
	free(ms->item);
	free(ms->has_states);
	tr2_origin_release(&ms->origin);
	tr2_map_release(&ms->map);
	memset(ms, 0, sizeof(*ms));
}

bool tr2_measures_have_syscalls(const struct tr2_measures *ms, uint32_t run)
{
	const struct tr2_measure *all =
		tr2_measures_find(ms, TR2_MEASURE_RUN, "system-calls");

	return all && !isnan(all->values[run]);
}

/* Return the value of a measure for a run that does not contain this
 * measure. */
static double absent(const struct tr2_measures *ms, enum tr2_measure_kind kind,
		     uint32_t run)
{
	if (tr2_measure_is_of_states(kind))
		return ms->has_states[run] ? 0 : NAN;
	if (kind == TR2_MEASURE_SYSCALL)
		return tr2_measures_have_syscalls(ms, run) ? 0 : NAN;
	return kind == TR2_MEASURE_RUN || kind == TR2_MEASURE_EVENT ? NAN : 0;
}

static bool is_it(const struct tr2_measure *it, enum tr2_measure_kind kind,
		  const char *name)
{
	return it->kind == kind && !strcmp(it->name, name);
}

static uint64_t key_of(enum tr2_measure_kind kind, const char *name)
{
	return tr2_mix(tr2_hash(name, strlen(name)), (uint64_t)kind + 1) | 1;
}

/* Return the key to try after this one: names with equal hashes get consecutive
 * keys. Skip 0, which is no key. */
static uint64_t key_after(uint64_t key)
{
	return key + 2 ? key + 2 : 1;
}

const struct tr2_measure *tr2_measures_find(const struct tr2_measures *ms,
					    enum tr2_measure_kind kind,
					    const char *name)
{
	uint64_t key;
	uint32_t i;

	for (key = key_of(kind, name);; key = key_after(key)) {
		i = tr2_map_get(&ms->map, key);
		if (!i)
			return NULL;
		if (is_it(&ms->item[i - 1], kind, name))
			return &ms->item[i - 1];
	}
}

static struct tr2_measure *new_measure(struct tr2_measures *ms,
				       enum tr2_measure_kind kind,
				       const char *name)
{
	struct tr2_measure *it;
	uint32_t i;

	tr2_grow(ms->item, ms->nr, ms->alloc);
	it = &ms->item[ms->nr++];
	*it = (struct tr2_measure){
		.kind = kind,
		.name = tr2_strdup(name),
		.values = tr2_calloc(ms->alloc_runs, sizeof(*it->values)),
		.calls = tr2_calloc(ms->alloc_runs, sizeof(*it->calls)),
	};
	for (i = 0; i < ms->alloc_runs; i++)
		it->values[i] = absent(ms, kind, i);
	return it;
}

struct tr2_measure *tr2_measures_get(struct tr2_measures *ms,
				     enum tr2_measure_kind kind,
				     const char *name)
{
	uint32_t *slot;
	uint64_t key;

	for (key = key_of(kind, name);; key = key_after(key)) {
		slot = tr2_map_slot(&ms->map, key);
		if (!*slot)
			break;
		if (is_it(&ms->item[*slot - 1], kind, name))
			return &ms->item[*slot - 1];
	}
	*slot = ms->nr + 1;
	return new_measure(ms, kind, name);
}

/* Add to the value of a measure in the current run. Return the measure. */
static struct tr2_measure *
add_value(struct tr2_measures *ms, enum tr2_measure_kind kind,
	  enum tr2_measure_unit unit, const char *name, double value,
	  double calls)
{
	struct tr2_measure *it = tr2_measures_get(ms, kind, name);
	uint32_t run = ms->nr_runs - 1;

	it->unit = unit;
	if (isnan(it->values[run]))
		it->values[run] = 0;
	it->values[run] += value;
	it->calls[run] += calls;
	return it;
}

static void grow_runs(struct tr2_measures *ms)
{
	uint32_t alloc = ms->alloc_runs ? ms->alloc_runs * 2 : 16, i, run;
	struct tr2_measure *it;

	ms->has_states = tr2_realloc(ms->has_states, alloc, sizeof(bool));
	for (run = ms->alloc_runs; run < alloc; run++)
		ms->has_states[run] = false;
	for (i = 0; i < ms->nr; i++) {
		it = &ms->item[i];
		it->values = tr2_realloc(it->values, alloc, sizeof(double));
		it->calls = tr2_realloc(it->calls, alloc, sizeof(double));
		for (run = ms->alloc_runs; run < alloc; run++) {
			it->values[run] = absent(ms, it->kind, run);
			it->calls[run] = 0;
		}
	}
	ms->alloc_runs = alloc;
}

void tr2_measures_begin_run(struct tr2_measures *ms)
{
	if (ms->nr_runs >= ms->alloc_runs)
		grow_runs(ms);
	ms->nr_runs++;
}

/* Return the length of a time as a double, which cannot overflow: streams may
 * contain any times. */
static double length(int64_t start_ns, int64_t end_ns)
{
	int64_t ns;

	return __builtin_sub_overflow(end_ns, start_ns, &ns) ? 0 : (double)ns;
}

/* Return the time from the first start to the last end, for a run without a
 * measured wall time. */
static double span_of_all(const struct tr2_model *m)
{
	int64_t start = INT64_MAX, end = INT64_MIN;
	uint32_t i;

	tr2_for_each_root(m, i) {
		if (m->nodes[i].start_ns < start)
			start = m->nodes[i].start_ns;
		if (m->nodes[i].end_ns > end)
			end = m->nodes[i].end_ns;
	}
	return end > start ? length(start, end) : 0;
}

static bool has_open_root(const struct tr2_model *m)
{
	uint32_t i;

	tr2_for_each_root(m, i)
		if (m->nodes[i].at_least)
			return true;
	return false;
}

/* Add a number of meta.json. value -1: meta.json lacks the number; name NULL:
 * the number is not shown. */
static void add_number(struct tr2_measures *ms, enum tr2_measure_unit unit,
		       const char *name, double value)
{
	if (name && value >= 0)
		add_value(ms, TR2_MEASURE_RUN, unit, name, value, 1);
}

/* Set kinds of system calls without a count in this run to 0, since all kinds
 * were counted. */
static void add_syscalls(struct tr2_measures *ms, int64_t all)
{
	uint32_t run = ms->nr_runs - 1, i;

	for (i = 0; all >= 0 && i < ms->nr; i++)
		if (ms->item[i].kind == TR2_MEASURE_SYSCALL &&
		    isnan(ms->item[i].values[run]))
			ms->item[i].values[run] = 0;
}

/* Return the peak of memory; -1: memory was not observed. */
static double peak_memory(const struct tr2_model *m)
{
	struct tr2_observed_memory_point peak;

	return tr2_memory_peak(m, &peak) ? (double)peak.tree_bytes : -1;
}

static void add_run(struct tr2_measures *ms, const struct tr2_model *m,
		    const struct tr2_run_meta *meta)
{
	double wall = meta->wall_ns >= 0 ? (double)meta->wall_ns :
					   span_of_all(m);

	add_value(ms, TR2_MEASURE_RUN, TR2_UNIT_NS, "wall", wall, 1)
		->at_least |= meta->wall_ns < 0 && has_open_root(m);
#define TR2_META_USAGE(key, value, name, unit) \
	add_number(ms, TR2_UNIT_##unit, name, (double)meta->key);
#include "format/recording/meta.def"
#define TR2_RUN_NUMBER(name, unit, value) \
	add_number(ms, TR2_UNIT_##unit, name, value);
#include "compare/measures.def"
#define TR2_META_IO(key, field, name, unit) \
	add_number(ms, TR2_UNIT_##unit, name, (double)meta->key);
#include "format/recording/meta.def"
	add_syscalls(ms, meta->syscalls);
}

static void add_event(void *data, const struct tr2_run_counter *c)
{
	struct tr2_measures *ms = data;
	struct tr2_measure *it;

	if (c->note) {
		it = tr2_measures_get(ms, TR2_MEASURE_EVENT, c->name);
		if (!it->note)
			it->note = tr2_strdup(c->note);
		return;
	}
	add_value(ms, c->is_syscall ? TR2_MEASURE_SYSCALL : TR2_MEASURE_EVENT,
		  tr2_measure_unit_of(c->unit), c->name, c->value, 1);
}

static void add_processes(struct tr2_measures *ms, const struct tr2_model *m)
{
	uint32_t i;

	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		const struct tr2_node *n = &m->nodes[i];

		add_value(ms, TR2_MEASURE_PROCESS, TR2_UNIT_NS,
			  tr2_node_name(m, i), length(n->start_ns, n->end_ns),
			  1)->at_least |= n->at_least;
	}
}

/* Note that the run has states: if it lacks a measure of states, the value is 0
 * instead of unknown. */
static void begin_states(struct tr2_measures *ms)
{
	uint32_t run = ms->nr_runs - 1, i;

	ms->any_states = ms->has_states[run] = true;
	for (i = 0; i < ms->nr; i++)
		if (tr2_measure_is_of_states(ms->item[i].kind))
			ms->item[i].values[run] = 0;
}

struct own {
	const struct tr2_model *m;
	struct tr2_groups groups;
	uint32_t group, root;
};

static void own_of_node(void *data, uint32_t of, int64_t from_ns, int64_t to_ns)
{
	struct own *own = data;
	const struct tr2_group_piece piece = { own->group, own->root, from_ns,
					       to_ns };

	(void)of;
	tr2_groups_piece(&own->groups, own->m, &piece);
}

static void add_times(struct tr2_measures *ms, const struct tr2_times *t,
		      const char *kind)
{
	if (t->cpu_ns == TR2_NO_TIME)
		return;
	add_value(ms, TR2_MEASURE_CPU, TR2_UNIT_NS, kind, (double)t->cpu_ns, 1);
	add_value(ms, TR2_MEASURE_WAIT, TR2_UNIT_NS, kind, (double)t->wait_ns,
		  1);
	add_value(ms, TR2_MEASURE_READY, TR2_UNIT_NS, kind,
		  (double)t->ready_ns, 1);
}

static void add_states(struct tr2_measures *ms, const struct tr2_model *m)
{
	struct own own = { .m = m };
	struct tr2_buf kind = TR2_BUF_INIT;
	const char *name;
	uint32_t i;

	begin_states(ms);
	for (i = m->first_root; i; i = tr2_node_after(m, i)) {
		if (!m->nodes[i].parent)
			own.root = i;
		tr2_buf_reset(&kind);
		tr2_kind_add(m, i, 0, &kind);
		add_times(ms, tr2_times(m, &m->nodes[i]), tr2_buf_str(&kind));
		/* Use the measure's copy of the name: `kind` will be
		 * overwritten. */
		name = add_value(ms, TR2_MEASURE_SELF, TR2_UNIT_NS,
				 tr2_buf_str(&kind), 0, 1)->name;
		own.group = (uint32_t)(tr2_groups_get(&own.groups, NULL, name) -
				       own.groups.group);
		tr2_own_of_node(m, i, own_of_node, &own);
	}
	tr2_groups_sort(&own.groups);
	for (i = 0; i < own.groups.nr; i++)
		add_value(ms, TR2_MEASURE_SELF, TR2_UNIT_NS,
			  own.groups.group[i].name,
			  (double)own.groups.group[i].once_ns, 0);
	tr2_groups_release(&own.groups);
	tr2_buf_release(&kind);
}

static const char *full_name(const struct tr2_model *m, tr2_str category,
			     tr2_str name)
{
	static struct tr2_buf b; /* later calls reuse its memory */

	return tr2_join(&b, tr2_s(m, category), tr2_s(m, name));
}

static void add_regions(struct tr2_measures *ms, const struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_spans; i++) {
		const struct tr2_span *s = &m->spans[i];

		if (s->kind == TR2_SPAN_REGION)
			add_value(ms, TR2_MEASURE_REGION, TR2_UNIT_NS,
				  full_name(m, s->category, s->label),
				  length(s->start_ns, s->end_ns), 1);
	}
}

static void add_metrics(struct tr2_measures *ms, const struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_metrics; i++) {
		const struct tr2_metric *metric = &m->metrics[i];
		const char *name = full_name(m, metric->category, metric->name);

		/* Skip metrics of threads: the metric of the process includes
		 * them. */
		if (metric->thread)
			continue;
		if (metric->kind == TR2_DEFINITION_TIMER)
			add_value(ms, TR2_MEASURE_TIMER, TR2_UNIT_NS, name,
				  (double)metric->total_ns,
				  (double)metric->count);
		else if (metric->kind == TR2_DEFINITION_COUNTER)
			add_value(ms, TR2_MEASURE_COUNTER, TR2_UNIT_COUNT, name,
				  (double)metric->count, 1);
	}
}

/* Add the whole numbers that programs reported as data. */
static void add_data(struct tr2_measures *ms, const struct tr2_model *m)
{
	uint32_t i;
	long long value;
	char *end;

	for (i = 1; i < m->nr_points; i++) {
		const struct tr2_point *p = &m->points[i];

		if (p->kind != TR2_POINT_DATA || !p->value || !*p->value)
			continue;
		value = strtoll(p->value, &end, 10);
		if (!*end)
			add_value(ms, TR2_MEASURE_DATA, TR2_UNIT_COUNT,
				  full_name(m, p->category, p->key),
				  (double)value, 1);
	}
}

void tr2_measures_take(struct tr2_measures *ms, const struct tr2_model *m)
{
	struct tr2_run_meta meta;

	tr2_measures_begin_run(ms);
	ms->lost += m->lost;
	tr2_run_meta_read(&meta, m, &ms->origin, add_event, ms);
	ms->nr_failed += meta.failed;
	add_run(ms, m, &meta);
	add_processes(ms, m);
	if (m->has_states)
		add_states(ms, m);
	add_regions(ms, m);
	add_metrics(ms, m);
	add_data(ms, m);
}
