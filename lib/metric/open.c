/* SPDX-License-Identifier: MIT */
/* Metrics that are defined at run time, with labels in their names. */
#include <errno.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/macros.h"
#include "metric/metric.h"

/*
 * The objects that opening a definition returns, one for each index. An object
 * is unused until its definition is opened.
 */
union tr2_opened {
#define TR2_METRIC_KIND(KIND, kind, ...) struct trace2_##kind kind;
#include "arena/kinds.def"
};
TR2_LARGE union tr2_opened tr2_opened_timers[TR2_MAX_TIMERS];
TR2_LARGE union tr2_opened tr2_opened_counters[TR2_MAX_COUNTERS];
TR2_LARGE union tr2_opened tr2_opened_gauges[TR2_MAX_GAUGES];

static struct row {
	enum tr2_definition_kind kind;
	enum tr2_metric_kind cell;
	bool has_unit;
	unsigned int always; /* flags */
	union tr2_opened none; /* an opened metric that counts nothing */
} rows[] = {
#define TR2_METRIC_KIND(KIND, kind, number, CELL, has_unit, always)      \
	[TRACE2_METRIC_##KIND] = { TR2_DEFINITION_##KIND,                \
				   TR2_METRIC_##CELL, has_unit, always,  \
				   .none.kind.index = TRACE2_UNREGISTERED_ },
#include "arena/kinds.def"
};

static union tr2_opened *at(enum tr2_metric_kind kind, unsigned int index)
{
	return kind == TR2_METRIC_COUNTER ? &tr2_opened_counters[index] :
	       kind == TR2_METRIC_GAUGE	  ? &tr2_opened_gauges[index] :
					    &tr2_opened_timers[index];
}

/* Store the string atomically: another thread may store the same one. */
static void set_once(const char **at, const char *s)
{
	__atomic_store_n(at, s, __ATOMIC_RELAXED);
}

/* Assert that the structs of all kinds begin with the same members. */
#define TR2_METRIC_KIND(KIND, kind, number, CELL, has_unit, always)       \
	_Static_assert(offsetof(struct trace2_##kind, index) ==           \
			       (has_unit ? offsetof(struct trace2_gauge,  \
						    index) :              \
					   offsetof(struct trace2_timer,  \
						    index)),              \
		       "layout");
#include "arena/kinds.def"

static unsigned int *place_of(enum tr2_metric_kind cell, unsigned int index)
{
	const struct tr2_metric_def *def = tr2_metric_def(cell, index);
	union tr2_opened *opened = at(cell, index);

	set_once(&opened->timer.category, def->category);
	set_once(&opened->timer.name, def->name);
	if (!def->unit)
		return &opened->timer.index;
	set_once(&opened->gauge.unit, def->unit);
	return &opened->gauge.index;
}

static int compare_labels(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Sort the labels by their keys, by insertion: there are few labels. */
static void sort_labels(const struct trace2_label **sorted,
			const struct trace2_label *labels, unsigned int nr)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		for (j = i;
		     j && compare_labels(sorted[j - 1]->key, labels[i].key) > 0;
		     j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = &labels[i];
	}
}

static void add_label(struct tr2_buf *b, const struct trace2_label *label)
{
	const char *p = label->value ? label->value : "";

	tr2_buf_addall(b, label->key ? label->key : "", "=\"");
	for (; *p; p++) {
		if (*p == '"' || *p == '\\')
			tr2_buf_addch(b, '\\');
		tr2_buf_addch(b, *p);
	}
	tr2_buf_addch(b, '"');
}

static void add_labels(struct tr2_buf *b, const struct trace2_label *labels,
		       unsigned int nr)
{
	const struct trace2_label *sorted[TR2_METRIC_MAX_LABELS];
	unsigned int i;

	sort_labels(sorted, labels, nr);
	for (i = 0; i < nr; i++) {
		tr2_buf_addch(b, i ? ',' : '{');
		add_label(b, sorted[i]);
	}
	if (nr)
		tr2_buf_addch(b, '}');
}

/* Make both names; split the path at its first slash. false: too long. */
static bool make_names(struct tr2_buf *category, struct tr2_buf *name,
		       const char *path, const struct trace2_label *labels,
		       unsigned int nr)
{
	const char *slash = strchr(path, '/');

	if (slash)
		tr2_buf_add(category, path, (size_t)(slash - path));
	tr2_buf_addstr(name, slash ? slash + 1 : path);
	add_labels(name, labels, nr);
	return !category->failed && !name->failed;
}

static void *open_metric(enum trace2_metric_kind kind,
			 struct tr2_metric_given *given)
{
	struct row *row = &rows[kind];
	unsigned int index;

	given->kind = row->kind;
	if (row->always)
		given->flags = row->always;
	if (!row->has_unit)
		given->unit = NULL;
	else if (!given->unit)
		given->unit = "";
	index = tr2_metric_open(row->cell, given, place_of);
	return index == TRACE2_UNREGISTERED_ ? &row->none :
					       at(row->cell, index);
}

void *trace2_metric_open(enum trace2_metric_kind kind, const char *path,
			 const char *unit, unsigned int flags,
			 const struct trace2_label *labels,
			 unsigned int nr_labels)
{
	char category_bytes[TR2_METRIC_NAME_BYTES];
	char name_bytes[TR2_METRIC_NAME_BYTES];
	struct tr2_metric_given given = { .unit = unit, .flags = flags };
	int saved_errno = errno;
	struct tr2_buf category, name;
	void *opened = &rows[0].none;

	if ((unsigned int)kind >= ARRAY_SIZE(rows)) {
		tr2_metric_refuse(TR2_REFUSED_KIND);
		return opened;
	}
	opened = &rows[kind].none;
	tr2_buf_init_fixed(&category, category_bytes, sizeof(category_bytes));
	tr2_buf_init_fixed(&name, name_bytes, sizeof(name_bytes));
	if (nr_labels > TR2_METRIC_MAX_LABELS) {
		tr2_metric_refuse(TR2_REFUSED_LABELS);
	} else if (!make_names(&category, &name, path ? path : "", labels,
			       labels ? nr_labels : 0)) {
		tr2_metric_refuse(TR2_REFUSED_NAME);
	} else {
		given.category = tr2_buf_str(&category);
		given.name = tr2_buf_str(&name);
		opened = open_metric(kind, &given);
	}
	errno = saved_errno;
	return opened;
}
