/* SPDX-License-Identifier: MIT */
/*
 * perf_data_file - write the events of a perf.data file (attributes, names and
 * groups), and the file around the records of perf_data.c.
 */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "export/profile/perf_data.h"

#define TYPE_APP 0x54320070u /* type of a program's own events, which no PMU
			      * has */

/* Set the attributes of an event. They do not say what the event counts: its
 * name does. */
static void set_attr(struct tr2_export *x, struct perf_event_attr *attr,
		     const struct tr2_perf_data_event *event)
{
	const char *period = strrchr(tr2_s(x->m, event->name), ':');

	memset(attr, 0, sizeof(*attr));
	attr->type = TYPE_APP;
	attr->size = sizeof(*attr);
	attr->sample_period = period ? strtoull(period + 1, NULL, 10) : 0;
	if (!attr->sample_period)
		attr->sample_period = 1;
	attr->sample_type = tr2_perf_sample_type(event);
	if (event->leader)
		attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	attr->exclude_kernel = 1;
	attr->sample_id_all = 1;
}

/* Return the name without the period, as in app/a/b/:10 and page-faults:u:10.
 * The caller frees it. */
static char *name_of(struct tr2_export *x, tr2_str event)
{
	const char *name = tr2_export_text(x, tr2_s(x->m, event));
	const char *end = strrchr(name, '/'), *period = strrchr(name, ':');
	size_t len = strlen(name);

	if (end)
		len = (size_t)(end + 1 - name);
	else if (period && !period[1 + strspn(period + 1, "0123456789")])
		len = (size_t)(period - name);
	return tr2_strf("%.*s", (int)len, name);
}

static uint32_t members(const struct tr2_perf_data *p, uint32_t leader)
{
	uint32_t nr = 1;

	while (leader + nr < p->nr_events &&
	       p->events[leader + nr].group == leader)
		nr++;
	return nr;
}

static void add_group_desc(struct tr2_buf *b, const struct tr2_perf_data *p)
{
	uint32_t i, nr = 0;

	for (i = 0; i < p->nr_events; i += members(p, i))
		nr += members(p, i) > 1;
	if (!nr)
		return;
	tr2_perf_add_u32(b, nr);
	for (i = 0; i < p->nr_events; i += members(p, i)) {
		if (members(p, i) == 1)
			continue;
		tr2_perf_add_str(b, "");
		tr2_perf_add_u32(b, i);
		tr2_perf_add_u32(b, members(p, i));
	}
}

static struct tr2_perf_file_event *make_events(struct tr2_export *x,
					       const struct tr2_perf_data *p)
{
	struct tr2_perf_file_event *events = tr2_calloc(p->nr_events,
							sizeof(*events));
	uint32_t i;

	for (i = 0; i < p->nr_events; i++) {
		set_attr(x, &events[i].attr, &p->events[i]);
		events[i].name = name_of(x, p->events[i].name);
		events[i].ids = p->events[i].ids;
		events[i].nr_ids = p->events[i].nr_ids;
	}
	return events;
}

static void free_events(struct tr2_perf_file_event *events, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		free((char *)events[i].name);
	free(events);
}

/* Write the records without copying them: they may be large. */
static void write_records(struct tr2_export *x, struct tr2_perf_data *p)
{
	struct tr2_buf sink = x->sink.buf;

	x->sink.buf = p->records;
	tr2_sink_flush(&x->sink);
	p->records = x->sink.buf;
	x->sink.buf = sink;
}

void tr2_perf_data_write(struct tr2_export *x, struct tr2_perf_data *p)
{
	struct tr2_perf_file_event *events = make_events(x, p);
	struct tr2_perf_file file = { .events = events,
				      .nr_events = p->nr_events };
	struct tr2_buf *b = &x->sink.buf;
	size_t records = p->records.len;

	file.features[TR2_PERF_BUILD_ID] = p->build_ids;
	p->build_ids = (struct tr2_buf)TR2_BUF_INIT;
	add_group_desc(&file.features[TR2_PERF_GROUP_DESC], p);
	b->failed |= p->records.failed;
	tr2_perf_file_begin(b, &file, records);
	records += b->len;
	tr2_sink_flush(&x->sink);
	write_records(x, p);
	tr2_perf_file_end(b, &file, records);
	tr2_perf_file_release(&file);
	free_events(events, p->nr_events);
}
