/* SPDX-License-Identifier: MIT */
/*
 * perf_data - samples as a perf.data file, which perf script and perf report
 * read: what was counted is an event of that name, its period how much.
 *
 *	header | ids | attrs | data: records | features: names of the events
 *
 * Records of a process stand together, in the order in which perf needs them:
 * its name, its mappings, its threads, their samples. Times are wall times.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "model/private.h"
#include "options.h"

#define MAX_EVENTS 1024
#define FEATURE_EVENT_DESC 12
#define TYPE_APP 0x54320070u /* a program's own: a type of no PMU */
#define SAMPLE_TYPE                                              \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |   \
	 PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)

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

struct perf_data {
	struct tr2_buf data;
	tr2_str events[MAX_EVENTS]; /* the id of each is its place + 1 */
	uint32_t nr_events;
	struct tr2_map threads; /* that were told, of the session at hand */
};

static bool begin(struct tr2_export *x)
{
	x->state = calloc(1, sizeof(struct perf_data));
	if (!x->state)
		tr2_error("out of memory");
	return x->state != NULL;
}

/* 0: there are too many. */
static uint64_t id_of(struct perf_data *p, tr2_str event)
{
	uint32_t i;

	for (i = 0; i < p->nr_events; i++)
		if (p->events[i] == event)
			return i + 1;
	if (p->nr_events == MAX_EVENTS)
		return 0;
	p->events[p->nr_events++] = event;
	return p->nr_events;
}

static void add_u32(struct tr2_buf *b, uint32_t value)
{
	tr2_buf_add(b, &value, sizeof(value));
}

static void add_u64(struct tr2_buf *b, uint64_t value)
{
	tr2_buf_add(b, &value, sizeof(value));
}

/* ---- records --------------------------------------------------------------- */

/* Returns where it begins, for end_record(). */
static size_t begin_record(struct tr2_buf *b, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = { type, misc, 0 };
	size_t at = b->len;

	tr2_buf_add(b, &header, sizeof(header));
	return at;
}

static void end_record(struct tr2_buf *b, size_t at)
{
	uint16_t size = (uint16_t)(b->len - at);

	if (!b->failed)
		memcpy(b->p + at + offsetof(struct perf_event_header, size),
		       &size, sizeof(size));
}

/* With its NUL, and more up to a multiple of 8. */
static void add_padded(struct tr2_buf *b, const char *s, size_t most)
{
	static const char zeros[8];
	size_t len = strlen(s);

	if (len > most)
		len = most;
	tr2_buf_add(b, s, len);
	tr2_buf_add(b, zeros, 8 - len % 8);
}

static void add_comm(struct tr2_buf *b, int32_t pid, uint32_t tid,
		     const char *comm)
{
	uint16_t misc = tid == (uint32_t)pid ? PERF_RECORD_MISC_COMM_EXEC : 0;
	size_t at = begin_record(b, PERF_RECORD_COMM, misc);

	add_u32(b, (uint32_t)pid);
	add_u32(b, tid);
	add_padded(b, comm, 15);
	end_record(b, at);
}

static void add_task(struct tr2_buf *b, uint32_t type, int32_t pid,
		     uint32_t tid, int64_t wall_ns)
{
	size_t at = begin_record(b, type, 0);

	add_u32(b, (uint32_t)pid);
	add_u32(b, (uint32_t)pid);
	add_u32(b, tid);
	add_u32(b, (uint32_t)pid);
	add_u64(b, (uint64_t)wall_ns);
	end_record(b, at);
}

static void add_mappings(struct tr2_export *x, struct tr2_buf *b,
			 uint32_t session, int32_t pid)
{
	const struct tr2_mapping *mapping;
	size_t at;
	uint32_t i;

	for (i = 1; i < x->m->nr_mappings; i++) {
		mapping = &x->m->mappings[i];
		if (mapping->session != session)
			continue;
		at = begin_record(b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		add_u32(b, (uint32_t)pid);
		add_u32(b, (uint32_t)pid);
		add_u64(b, mapping->addr);
		add_u64(b, mapping->len);
		add_u64(b, mapping->pgoff);
		add_padded(b, tr2_export_text(x, tr2_s(x->m, mapping->file)),
			   4095);
		end_record(b, at);
	}
}

/* A thread, before its first sample. */
static void add_thread(struct tr2_export *x, struct perf_data *p,
		       const struct tr2_sample *s, int32_t pid)
{
	const struct tr2_session *session = &x->m->sessions[s->session];
	uint32_t *known = tr2_map_slot(&p->threads, tr2_key(s->session, s->tid));

	if (!known || *known || s->tid == (uint32_t)pid)
		return;
	*known = 1;
	add_task(&p->data, PERF_RECORD_FORK, pid, s->tid,
		 session->wall_ns + s->at_ns);
	add_comm(&p->data, pid, s->tid,
		 tr2_export_text(x, tr2_s(x->m, s->thread)));
}

static void add_sample(struct tr2_export *x, struct perf_data *p,
		       const struct tr2_sample *s, int32_t pid)
{
	const uint64_t *calls = x->m->calls + s->first_call;
	uint64_t id = id_of(p, s->event);
	struct tr2_buf *b = &p->data;
	size_t at;
	uint32_t i;

	if (!id) {
		tr2_error("more than %u events", MAX_EVENTS);
		x->failed = true;
		return;
	}
	add_thread(x, p, s, pid);
	at = begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	add_u64(b, s->nr_calls ? calls[0] : 0);
	add_u32(b, (uint32_t)pid);
	add_u32(b, s->tid);
	add_u64(b, (uint64_t)(x->m->sessions[s->session].wall_ns + s->at_ns));
	add_u64(b, id);
	add_u32(b, s->cpu);
	add_u32(b, 0);
	add_u64(b, s->count);
	add_u64(b, s->nr_calls ? s->nr_calls + 1 : 0);
	if (s->nr_calls)
		add_u64(b, PERF_CONTEXT_USER);
	for (i = 0; i < s->nr_calls; i++)
		add_u64(b, calls[i]);
	end_record(b, at);
}

static void session(struct tr2_export *x, uint32_t session)
{
	const struct tr2_session *s = &x->m->sessions[session];
	struct perf_data *p = x->state;
	uint32_t i;
	bool begun = false;

	for (i = 1; i < x->m->nr_samples && !x->failed; i++) {
		if (x->m->samples[i].session != session)
			continue;
		if (!begun) {
			tr2_buf_reset(&x->text);
			tr2_export_node_name(x, &x->text, s->node);
			add_comm(&p->data, s->pid, (uint32_t)s->pid,
				 tr2_buf_str(&x->text));
			add_mappings(x, &p->data, session, s->pid);
			begun = true;
		}
		add_sample(x, p, &x->m->samples[i], s->pid);
	}
	if (begun)
		add_task(&p->data, PERF_RECORD_EXIT, s->pid, (uint32_t)s->pid,
			 s->wall_ns + s->end_ns);
}

/* ---- the file -------------------------------------------------------------------- */

/* What it counts only its name says. */
static void set_attr(struct perf_event_attr *attr, const char *event)
{
	const char *period = strrchr(event, ':');

	memset(attr, 0, sizeof(*attr));
	attr->type = TYPE_APP;
	attr->size = sizeof(*attr);
	attr->sample_period = period ? strtoull(period + 1, NULL, 10) : 0;
	if (!attr->sample_period)
		attr->sample_period = 1;
	attr->sample_type = SAMPLE_TYPE;
	attr->exclude_kernel = 1;
}

static void add_attrs(struct tr2_export *x, struct tr2_buf *b, uint64_t ids)
{
	const struct perf_data *p = x->state;
	struct file_attr row;
	uint32_t i;

	for (i = 0; i < p->nr_events; i++) {
		memset(&row, 0, sizeof(row));
		set_attr(&row.attr, tr2_s(x->m, p->events[i]));
		row.ids = (struct section){ ids + i * sizeof(uint64_t),
					    sizeof(uint64_t) };
		tr2_buf_add(b, &row, sizeof(row));
	}
}

/* Without its period, by which nobody calls it. */
static void add_name(struct tr2_export *x, struct tr2_buf *b, tr2_str event)
{
	const char *name = tr2_export_text(x, tr2_s(x->m, event));
	const char *end = strrchr(name, '/');
	size_t len = end ? (size_t)(end + 1 - name) : strlen(name);
	size_t size = (len / 64 + 1) * 64;

	add_u32(b, (uint32_t)size);
	tr2_buf_add(b, name, len);
	for (; len < size; len++)
		tr2_buf_addch(b, '\0');
}

static void add_names(struct tr2_export *x, struct tr2_buf *b)
{
	const struct perf_data *p = x->state;
	struct perf_event_attr attr;
	uint32_t i;

	add_u32(b, p->nr_events);
	add_u32(b, sizeof(attr));
	for (i = 0; i < p->nr_events; i++) {
		set_attr(&attr, tr2_s(x->m, p->events[i]));
		tr2_buf_add(b, &attr, sizeof(attr));
		add_u32(b, 1);
		add_name(x, b, p->events[i]);
		add_u64(b, i + 1);
	}
}

static void write_file(struct tr2_export *x)
{
	const struct perf_data *p = x->state;
	struct tr2_buf *b = &x->sink.buf, names = TR2_BUF_INIT;
	struct file_header h = { .magic = "PERFILE2", .size = sizeof(h),
				 .attr_size = sizeof(struct file_attr) };
	uint64_t ids = sizeof(h);
	struct section feature;
	uint32_t i;

	h.attrs.offset = ids + p->nr_events * sizeof(uint64_t);
	h.attrs.size = p->nr_events * sizeof(struct file_attr);
	h.data.offset = h.attrs.offset + h.attrs.size;
	h.data.size = p->data.len;
	h.features[0] = UINT64_C(1) << FEATURE_EVENT_DESC;
	tr2_buf_add(b, &h, sizeof(h));
	for (i = 0; i < p->nr_events; i++)
		add_u64(b, i + 1);
	add_attrs(x, b, ids);
	tr2_buf_add(b, p->data.p, p->data.len);
	add_names(x, &names);
	feature.offset = h.data.offset + h.data.size + sizeof(feature);
	feature.size = names.len;
	tr2_buf_add(b, &feature, sizeof(feature));
	tr2_buf_add(b, names.p, names.len);
	b->failed |= names.failed || p->data.failed;
	tr2_buf_release(&names);
}

static bool end(struct tr2_export *x)
{
	struct perf_data *p = x->state;
	bool ok = p && !x->failed;

	if (ok && !p->nr_events) {
		tr2_error("no samples in this recording: set GIT_TRACE2_SAMPLE "
			  "and GIT_TRACE2_RING");
		ok = false;
	}
	if (ok)
		write_file(x);
	if (p) {
		tr2_buf_release(&p->data);
		tr2_map_release(&p->threads);
	}
	free(p);
	return ok;
}

const struct tr2_export_format tr2_export_perf = {
	.name = "perf",
	.begin = begin,
	.end = end,
	.session = session,
};
