/* SPDX-License-Identifier: MIT */
/*
 * prometheus - write sums over an input, as a textfile for node_exporter. All
 * values count from the beginning of the input: as for every counter, a smaller
 * value means a reset.
 *
 * In most programs, labels have few values: names of commands, regions, timers
 * and counters. But a program may use names of files or users. So each metric
 * has at most MAX_SERIES series; all others are summed as "other".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "export/export.h"
#include "export/series.h"
#include "model/memory_use.h"
#include "model/stats.h"
#include "model/join/self_time.h"
#include "model/states.h"

#define MAX_SERIES 100
#define FIRST_PROCESS_BOUND 9 /* index of the bound 1 ms: no process is
			       * faster */

/* Indexes of value[] of commands: results of processes, and their cost. */
enum { OK, FAILED, KILLED, UNFINISHED, ALL, SELF, SPAWN, ERRORS, CPU, READY };
enum { TOTAL, CALLS, REGION_SELF }; /* indexes for regions; metrics use the
				     * first two, too */
enum { SEEN = REGION_SELF, LAST, LEAST, MOST }; /* indexes for metrics; the
						 * values are int64_t */

struct prometheus {
	struct tr2_series_set commands, waits, regions;
	struct tr2_series_set metrics[TR2_DEFINITION_KINDS];
	uint64_t lost;
	bool has_cpu; /* the CPU time of at least one process is known */
	int64_t *self; /* by span */
};

static uint64_t at_least_zero(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

/* Redact a label. Series whose labels become equal are merged. */
static tr2_str safe(struct tr2_export *x, tr2_str s)
{
	const char *text;

	if (!x->opt->redact)
		return s;
	text = tr2_export_text(x, tr2_s(x->m, s));
	return tr2_intern(x->m, text, strlen(text));
}

static bool begin_metrics(struct tr2_export *x)
{
	struct prometheus *p = tr2_calloc(1, sizeof(*p));

	x->state = p;
	p->self = tr2_calloc(x->m->nr_spans, sizeof(*p->self));
	tr2_own_sums(x->m, p->self);
	return true;
}

static int end_of(const struct tr2_node *n)
{
	if (n->end == TR2_END_SIGNAL)
		return KILLED;
	if (n->end == TR2_END_OPEN)
		return UNFINISHED;
	return n->has_code && n->code ? FAILED : OK;
}

static void add_waits(struct tr2_export *x, const struct tr2_node *n,
		      tr2_str name)
{
	struct prometheus *p = x->state;
	struct tr2_state_sums sums = { 0 };
	const char *cause;
	int i;

	tr2_states_sum_task(x->m, n->task, n->start_ns, n->end_ns, &sums);
	for (i = 0; i < TR2_CAUSE_NR; i++) {
		if (!sums.cause_ns[i])
			continue;
		cause = tr2_cause_name(i);
		tr2_series_at(&p->waits, name,
			      tr2_intern(x->m, cause, strlen(cause)))
			->value[TOTAL] += at_least_zero(sums.cause_ns[i]);
	}
}

static void add_node(struct tr2_export *x, uint32_t i)
{
	struct prometheus *p = x->state;
	const struct tr2_node *n = &x->m->nodes[i];
	const struct tr2_times *times = tr2_times(x->m, n);
	struct tr2_series *s;
	uint64_t wall = at_least_zero(n->end_ns - n->start_ns);
	tr2_str name;

	tr2_export_name(x, tr2_export_node_name, i);
	name = tr2_intern(x->m, x->text.p, x->text.len);
	s = tr2_series_at(&p->commands, name, 0);
	s->value[ALL]++;
	s->value[end_of(n)]++;
	if (n->end != TR2_END_OPEN) {
		s->sum_ns += wall;
		tr2_series_observe(s, wall, 1);
	}
	s->value[SELF] += at_least_zero(n->self_ns);
	s->value[SPAWN] +=
		n->spawn_ns == TR2_NO_TIME ? 0 : at_least_zero(n->spawn_ns);
	if (times->cpu_ns != TR2_NO_TIME) {
		s->value[CPU] += at_least_zero(times->cpu_ns);
		p->has_cpu = true;
	}
	if (n->task && times->wait_ns != TR2_NO_TIME) {
		s->value[READY] += at_least_zero(times->ready_ns);
		add_waits(x, n, name);
	}
	for (i = n->session; i; i = x->m->sessions[i].next_of_node) {
		s->value[ERRORS] += tr2_rare(x->m, i)->nr_errors;
		p->lost += tr2_rare(x->m, i)->lost;
	}
}

static void add_span(struct tr2_export *x, uint32_t i)
{
	struct prometheus *p = x->state;
	const struct tr2_span *span = &x->m->spans[i];
	struct tr2_series *s;

	if (span->kind != TR2_SPAN_REGION)
		return;
	s = tr2_series_at(&p->regions, safe(x, span->category),
			  safe(x, span->label));
	s->value[TOTAL] += at_least_zero(span->end_ns - span->start_ns);
	s->value[REGION_SELF] += at_least_zero(p->self[i]);
	s->value[CALLS]++;
}

/* Multiply plain values by this: their bounds begin at 1, but the bounds of
 * series are in ns and begin at a microsecond. */
#define BOUND_OF_1 1000u

static void add_histogram(struct tr2_series *s, const struct tr2_metric *metric)
{
	uint64_t unit = metric->kind == TR2_DEFINITION_TIMER ? 1 : BOUND_OF_1;
	const char *json = metric->histogram;
	uint64_t upper, count;

	s->sum_ns += metric->total_ns;
	while (tr2_histogram_next(metric, &json, &upper, &count))
		tr2_series_observe(s, upper < UINT64_MAX / unit ?
					      upper * unit : UINT64_MAX,
				   count);
}

/* Add up metrics of processes, which include their threads' metrics. Of a
 * gauge, keep the last value of the process that began last. */
static void metric(struct tr2_export *x, uint32_t i)
{
	struct prometheus *p = x->state;
	const struct tr2_metric *metric = &x->m->metrics[i];
	struct tr2_series *s;

	if (metric->thread)
		return;
	s = tr2_series_at(&p->metrics[metric->kind], safe(x, metric->category),
			  safe(x, metric->name));
	s->value[TOTAL] += metric->total_ns;
	s->value[CALLS] += metric->count;
	s->value[LAST] = metric->count;
	if (!s->value[SEEN] ||
	    (int64_t)metric->min_ns < (int64_t)s->value[LEAST])
		s->value[LEAST] = metric->min_ns;
	if (!s->value[SEEN] ||
	    (int64_t)metric->max_ns > (int64_t)s->value[MOST])
		s->value[MOST] = metric->max_ns;
	s->value[SEEN]++;
	if (metric->histogram)
		add_histogram(s, metric);
}

static void add_head(struct tr2_buf *b, const char *name, const char *type,
		     const char *help)
{
	tr2_buf_addall(b, "# HELP ", name, " ", help, "\n# TYPE ", name, " ",
		       type, "\n");
}

static void add_label_part(struct tr2_buf *b, const char *name,
			   const char *value, size_t len)
{
	tr2_buf_addstr(b, name);
	tr2_buf_addlit(b, "=\"");
	for (; len--; value++) {
		if (*value == '\\' || *value == '"')
			tr2_buf_addch(b, '\\');
		if (*value == '\n')
			tr2_buf_addlit(b, "\\n");
		else
			tr2_buf_addch(b, *value);
	}
	tr2_buf_addch(b, '"');
}

static void add_label(struct tr2_buf *b, const char *name, const char *value)
{
	add_label_part(b, name, value, strlen(value));
}

/* Return the end of `KEY="VALUE"`; NULL: the text is no label, or its key is
 * `taken`. */
static const char *end_of_label(const char *p, const char *taken)
{
	size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

#define IS_KEY(name) (len == strlen(name) && !strncmp(p, name, len))
	if (!len || strchr("0123456789", *p) || !strncmp(p, "__", 2) ||
	    IS_KEY("le") || IS_KEY("category") || IS_KEY(taken) ||
	    strncmp(p + len, "=\"", 2))
		return NULL;
	for (p += len + 2; *p != '"'; p++)
		if (!*p || (*p == '\\' && !*++p))
			return NULL;
	return p + 1;
}

/* Return the labels that trace2_metric_open() put into this name; NULL:
 * none. */
static const char *find_labels(const char *name, const char *taken)
{
	const char *labels = strchr(name, '{'), *p = labels;

	if (!p)
		return NULL;
	do {
		p = end_of_label(p + 1, taken);
		if (!p)
			return NULL;
	} while (*p == ',');
	return strcmp(p, "}") ? NULL : labels + 1;
}

/* Append the label `key` with a metric's name, and the labels in the name. */
static void add_name(struct tr2_buf *b, const char *key, const char *name)
{
	const char *labels = find_labels(name, key);

	if (!labels) {
		add_label(b, key, name);
		return;
	}
	add_label_part(b, key, name, (size_t)(labels - 1 - name));
	tr2_buf_addch(b, ',');
	for (; labels[1]; labels++)
		if (*labels == '\n')
			tr2_buf_addlit(b, "\\n");
		else
			tr2_buf_addch(b, *labels);
}

/* Append `NAME{a="…",b="…"`, with the brace open. labels: "a" or "a b". */
static void add_series(struct tr2_export *x, const char *name,
		       const char *suffix, const char *labels,
		       const struct tr2_series *s)
{
	struct tr2_buf *b = &x->sink.buf;
	const char *second = strchr(labels, ' ');
	char first[16];

	snprintf(first, sizeof(first), "%.*s",
		 second ? (int)(second - labels) : 15, labels);
	tr2_buf_addstr(b, name);
	tr2_buf_addstr(b, suffix);
	tr2_buf_addch(b, '{');
	add_label(b, first, tr2_s(x->m, s->label[0]));
	if (!second)
		return;
	tr2_buf_addch(b, ',');
	add_name(b, second + 1, tr2_s(x->m, s->label[1]));
}

static void add_number(struct tr2_buf *b, uint64_t value)
{
	tr2_addf(b, "} %" PRIu64 "\n", value);
}

static void add_signed(struct tr2_buf *b, uint64_t value)
{
	tr2_addf(b, "} %" PRId64 "\n", (int64_t)value);
}

static void add_time(struct tr2_buf *b, uint64_t ns)
{
	tr2_buf_addlit(b, "} ");
	tr2_buf_add_seconds9(b, ns);
	tr2_buf_addch(b, '\n');
}

/* A function that appends a value, and ends the line. */
typedef void add_value(struct tr2_buf *b, uint64_t value);
/* Print one value of each series: as a gauge if the value may be negative, else
 * as a counter. */
static void print_series(struct tr2_export *x, const struct tr2_series_set *set,
			 int value, add_value *add, const char *labels,
			 const char *name, const char *help)
{
	size_t i;

	if (!set->nr)
		return;
	add_head(&x->sink.buf, name, add == add_signed ? "gauge" : "counter",
		 help);
	for (i = 0; i < set->nr; i++) {
		add_series(x, name, "", labels, &set->item[i]);
		add(&x->sink.buf, set->item[i].value[value]);
		tr2_sink_step(&x->sink);
	}
}

static void print_buckets(struct tr2_export *x, const struct tr2_series *s,
			  int first, bool is_time, const char *labels,
			  const char *name)
{
	struct tr2_buf *b = &x->sink.buf;
	uint64_t count = 0;
	char bound[32];
	int i;

	for (i = 0; i <= TR2_SERIES_BOUNDS; i++) {
		count += s->bucket[i];
		if (i < first)
			continue;
		if (i < TR2_SERIES_BOUNDS)
			snprintf(bound, sizeof(bound), "%g",
				 (is_time ? 1e-9 : 1.0 / BOUND_OF_1) *
					 tr2_series_bound_ns(i));
		else
			snprintf(bound, sizeof(bound), "+Inf");
		add_series(x, name, "_bucket", labels, s);
		tr2_buf_addch(b, ',');
		add_label(b, "le", bound);
		add_number(b, count);
	}
	add_series(x, name, "_sum", labels, s);
	(is_time ? add_time : add_number)(b, s->sum_ns);
	add_series(x, name, "_count", labels, s);
	add_number(b, count);
}

static void print_histogram(struct tr2_export *x,
			    const struct tr2_series_set *set, int first,
			    bool is_time, const char *labels, const char *name,
			    const char *help)
{
	bool any = false;
	size_t i;

	for (i = 0; i < set->nr; i++) {
		if (!set->item[i].has_histogram)
			continue;
		if (!any)
			add_head(&x->sink.buf, name, "histogram", help);
		any = true;
		print_buckets(x, &set->item[i], first, is_time, labels, name);
		tr2_sink_step(&x->sink);
	}
}

static void print_ends(struct tr2_export *x, const struct tr2_series_set *set)
{
	static const char name[] = "trace2_processes_total";
	static const char *const results[] = { [OK] = "ok",
					       [FAILED] = "failed",
					       [KILLED] = "killed",
					       [UNFINISHED] = "unfinished" };
	struct tr2_buf *b = &x->sink.buf;
	size_t i;
	int r;

	if (set->nr)
		add_head(b, name, "counter", "Processes, and how they ended.");
	for (i = 0; i < set->nr; i++) {
		for (r = OK; r <= UNFINISHED; r++) {
			if (!set->item[i].value[r])
				continue;
			add_series(x, name, "", "command", &set->item[i]);
			tr2_buf_addch(b, ',');
			add_label(b, "result", results[r]);
			add_number(b, set->item[i].value[r]);
		}
		tr2_sink_step(&x->sink);
	}
}

static void print_processes(struct tr2_export *x, struct prometheus *p)
{
	print_ends(x, &p->commands);
	print_histogram(x, &p->commands, FIRST_PROCESS_BOUND, true, "command",
			"trace2_process_duration_seconds",
			"Wall time of processes that ended.");
	print_series(x, &p->commands, SELF, add_time, "command",
		     "trace2_process_self_seconds_total",
		     "Wall time in which no child of the process ran.");
	print_series(x, &p->commands, SPAWN, add_time, "command",
		     "trace2_process_spawn_seconds_total",
		     "Wall time that parents waited for processes to start and "
		     "end.");
	if (p->has_cpu)
		print_series(x, &p->commands, CPU, add_time, "command",
			     "trace2_process_cpu_seconds_total",
			     "CPU time of all threads of processes.");
	if (x->m->has_states)
		print_series(x, &p->commands, READY, add_time, "command",
			     "trace2_process_ready_seconds_total",
			     "Wall time in which a process could run, and had "
			     "no CPU.");
	print_series(x, &p->waits, TOTAL, add_time, "command cause",
		     "trace2_process_wait_seconds_total",
		     "Wall time in which all threads of a process waited.");
	print_series(x, &p->commands, ERRORS, add_number, "command",
		     "trace2_errors_total", "Errors that processes reported.");
}

static void print_metrics(struct tr2_export *x, struct prometheus *p)
{
	static const struct {
		enum tr2_definition_kind kind;
		int value;
		add_value *add; /* NULL: print the histogram */
		const char *name, *help;
	} rows[] = {
		{ TR2_DEFINITION_TIMER, TOTAL, add_time,
		  "trace2_timer_seconds_total", "Time that timers ran." },
		{ TR2_DEFINITION_TIMER, CALLS, add_number,
		  "trace2_timer_intervals_total", "Intervals of timers." },
		{ TR2_DEFINITION_TIMER, 0, NULL,
		  "trace2_timer_interval_seconds",
		  "Intervals of timers that keep a histogram." },
		{ TR2_DEFINITION_COUNTER, CALLS, add_number,
		  "trace2_value_total", "Values of counters." },
		{ TR2_DEFINITION_DISTRIBUTION, 0, NULL, "trace2_distribution",
		  "Values of distributions, in their units." },
		{ TR2_DEFINITION_GAUGE, LAST, add_signed, "trace2_gauge",
		  "The last value of gauges." },
		{ TR2_DEFINITION_GAUGE, LEAST, add_signed, "trace2_gauge_min",
		  "The least value of gauges." },
		{ TR2_DEFINITION_GAUGE, MOST, add_signed, "trace2_gauge_max",
		  "The greatest value of gauges." },
	};
	const struct tr2_series_set *set;
	char labels[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		set = &p->metrics[rows[i].kind];
		snprintf(labels, sizeof(labels), "category %s",
			 tr2_metric_names[rows[i].kind]);
		if (rows[i].add)
			print_series(x, set, rows[i].value, rows[i].add,
				     labels, rows[i].name, rows[i].help);
		else
			print_histogram(x, set, 0,
					rows[i].kind == TR2_DEFINITION_TIMER,
					labels, rows[i].name, rows[i].help);
	}
}

static void print_peak(struct tr2_export *x)
{
	static const char name[] = "trace2_peak_memory_bytes";
	struct tr2_observed_memory_point peak;

	if (!tr2_memory_peak(x->m, &peak))
		return;
	add_head(&x->sink.buf, name, "gauge",
		 "The most memory that all processes had together.");
	tr2_addf(&x->sink.buf, "%s %" PRIu64 "\n", name, peak.tree_bytes);
}

static void print_all(struct tr2_export *x, struct prometheus *p)
{
	print_processes(x, p);
	print_series(x, &p->regions, TOTAL, add_time, "category region",
		     "trace2_region_seconds_total", "Wall time in regions.");
	print_series(x, &p->regions, REGION_SELF, add_time, "category region",
		     "trace2_region_self_seconds_total",
		     "Wall time in regions, less that of the regions inside.");
	print_series(x, &p->regions, CALLS, add_number, "category region",
		     "trace2_region_calls_total",
		     "How often regions were entered.");
	print_metrics(x, p);
	print_peak(x);
	add_head(&x->sink.buf, "trace2_lost_events_total", "counter",
		 "Events that processes could not write.");
	tr2_addf(&x->sink.buf, "trace2_lost_events_total %" PRIu64 "\n",
		 p->lost);
}

static void bound(struct tr2_export *x, struct prometheus *p)
{
	tr2_str other = tr2_intern(x->m, "other", 5);
	int kind;

	tr2_series_bound(&p->commands, MAX_SERIES, ALL, other);
	tr2_series_bound(&p->waits, MAX_SERIES, TOTAL, other);
	tr2_series_bound(&p->regions, MAX_SERIES, TOTAL, other);
	for (kind = 0; kind < TR2_DEFINITION_KINDS; kind++)
		tr2_series_bound(&p->metrics[kind], MAX_SERIES,
				 kind == TR2_DEFINITION_TIMER ? TOTAL :
				 kind == TR2_DEFINITION_GAUGE ? SEEN :
								CALLS, other);
}

static bool end_metrics(struct tr2_export *x)
{
	struct prometheus *p = x->state;
	int kind;

	if (!x->failed) {
		bound(x, p);
		print_all(x, p);
	}
	tr2_series_release(&p->commands);
	tr2_series_release(&p->waits);
	tr2_series_release(&p->regions);
	for (kind = 0; kind < TR2_DEFINITION_KINDS; kind++)
		tr2_series_release(&p->metrics[kind]);
	free(p->self);
	free(p);
	return true;
}

const struct tr2_export_format tr2_export_prometheus = {
	.begin = begin_metrics,
	.end = end_metrics,
	.node = add_node,
	.span = add_span,
	.metric = metric,
};
