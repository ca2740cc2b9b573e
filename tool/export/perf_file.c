/* SPDX-License-Identifier: MIT */
/*
 * perf_file - write a perf.data file around its records:
 *
 *	header | records | offsets of the features | features | ids | attributes
 *
 * The features here are: the names of events, their groups, and the build ids
 * of the files.
 */
#include <stdlib.h>
#include <string.h>

#include "export/perf_data.h"

#define FEATURE_BUILD_ID 2
#define FEATURE_EVENT_DESC 12
#define FEATURE_GROUP_DESC 17
#define MAX_FEATURES 3
#define TYPE_APP 0x54320070u /* a program's own events: a type of no PMU */

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* The event's name is the only description of the count. */
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

static void add_str(struct tr2_buf *b, const char *s, size_t len)
{
	size_t size = (len / 64 + 1) * 64;

	tr2_perf_add_u32(b, (uint32_t)size);
	tr2_buf_add(b, s, len);
	for (; len < size; len++)
		tr2_buf_addch(b, '\0');
}

/* Add the name without the period: app/a/b/:10, page-faults:u:10. */
static void add_name(struct tr2_export *x, struct tr2_buf *b, tr2_str event)
{
	const char *name = tr2_export_text(x, tr2_s(x->m, event));
	const char *end = strrchr(name, '/'), *period = strrchr(name, ':');
	size_t len = strlen(name);

	if (end)
		len = (size_t)(end + 1 - name);
	else if (period && !period[1 + strspn(period + 1, "0123456789")])
		len = (size_t)(period - name);
	add_str(b, name, len);
}

static void add_event_desc(struct tr2_export *x, struct tr2_buf *b,
			   const struct tr2_perf_data *p)
{
	const struct tr2_perf_data_event *event;
	struct perf_event_attr attr;
	uint32_t i;

	tr2_perf_add_u32(b, p->nr_events);
	tr2_perf_add_u32(b, sizeof(attr));
	for (i = 0; i < p->nr_events; i++) {
		event = &p->events[i];
		set_attr(x, &attr, event);
		tr2_buf_add(b, &attr, sizeof(attr));
		tr2_perf_add_u32(b, event->nr_ids);
		add_name(x, b, event->name);
		tr2_buf_add(b, event->ids, event->nr_ids * sizeof(*event->ids));
	}
}

static uint32_t members(const struct tr2_perf_data *p, uint32_t leader)
{
	uint32_t nr = 1;

	while (leader + nr < p->nr_events &&
	       p->events[leader + nr].group == leader)
		nr++;
	return nr;
}

/* Return their number. */
static uint32_t add_group_desc(struct tr2_buf *b, const struct tr2_perf_data *p)
{
	uint32_t i, nr = 0;

	for (i = 0; i < p->nr_events; i += members(p, i))
		nr += members(p, i) > 1;
	tr2_perf_add_u32(b, nr);
	for (i = 0; i < p->nr_events; i += members(p, i)) {
		if (members(p, i) == 1)
			continue;
		add_str(b, "", 0);
		tr2_perf_add_u32(b, i);
		tr2_perf_add_u32(b, members(p, i));
	}
	return nr;
}

struct feature {
	unsigned int bit;
	struct tr2_buf text;
};

/* Add the sections in the order of their bits, then their content. */
static void add_features(struct tr2_buf *b, uint64_t at, struct feature *f,
			 unsigned int nr)
{
	struct section section = { at + nr * sizeof(section), 0 };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		section.size = f[i].text.len;
		tr2_buf_add(b, &section, sizeof(section));
		section.offset += section.size;
	}
	for (i = 0; i < nr; i++) {
		tr2_buf_add(b, f[i].text.p, f[i].text.len);
		b->failed |= f[i].text.failed;
		tr2_buf_release(&f[i].text);
	}
}

static void add_ids(struct tr2_buf *b, const struct tr2_perf_data *p)
{
	uint32_t i;

	for (i = 0; i < p->nr_events; i++)
		tr2_buf_add(b, p->events[i].ids,
			    p->events[i].nr_ids * sizeof(*p->events[i].ids));
}

static void add_attrs(struct tr2_export *x, struct tr2_buf *b,
		      const struct tr2_perf_data *p, uint64_t ids)
{
	struct file_attr row;
	uint32_t i;

	for (i = 0; i < p->nr_events; i++) {
		memset(&row, 0, sizeof(row));
		set_attr(x, &row.attr, &p->events[i]);
		row.ids.offset = ids;
		row.ids.size = p->events[i].nr_ids * sizeof(uint64_t);
		ids += row.ids.size;
		tr2_buf_add(b, &row, sizeof(row));
	}
}

/* Return their number. */
static unsigned int make_features(struct tr2_export *x, struct tr2_perf_data *p,
				  struct feature *f)
{
	unsigned int nr = 0;

	if (p->build_ids.len) {
		f[nr] = (struct feature){ FEATURE_BUILD_ID, p->build_ids };
		p->build_ids = (struct tr2_buf)TR2_BUF_INIT;
		nr++;
	}
	f[nr] = (struct feature){ FEATURE_EVENT_DESC, TR2_BUF_INIT };
	add_event_desc(x, &f[nr++].text, p);
	f[nr] = (struct feature){ FEATURE_GROUP_DESC, TR2_BUF_INIT };
	if (add_group_desc(&f[nr].text, p))
		return nr + 1;
	tr2_buf_release(&f[nr].text);
	return nr;
}

/* Write without copying: records may be large. */
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
	struct file_header h = { .magic = "PERFILE2", .size = sizeof(h),
				 .attr_size = sizeof(struct file_attr) };
	struct feature feature[MAX_FEATURES];
	struct tr2_buf *b = &x->sink.buf, behind = TR2_BUF_INIT;
	unsigned int nr = make_features(x, p, feature), i;
	uint64_t end;

	for (i = 0; i < nr; i++)
		h.features[0] |= UINT64_C(1) << feature[i].bit;
	h.data = (struct section){ sizeof(h), p->records.len };
	end = h.data.offset + h.data.size;
	add_features(&behind, end, feature, nr);
	h.attrs.offset = end + behind.len + p->last_id * sizeof(uint64_t);
	h.attrs.size = p->nr_events * sizeof(struct file_attr);
	add_ids(&behind, p);
	add_attrs(x, &behind, p, h.attrs.offset - p->last_id * sizeof(uint64_t));
	tr2_buf_add(b, &h, sizeof(h));
	b->failed |= p->records.failed || behind.failed;
	tr2_sink_flush(&x->sink);
	write_records(x, p);
	tr2_buf_add(b, behind.p, behind.len);
	tr2_buf_release(&behind);
}
