/* SPDX-License-Identifier: MIT */
/* kernel_data - read and check the header and the events of the file. */
#include "format/kernel/kernel_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/memory.h"

struct text {
	const char *p;
	size_t len;
};

/* Move to the text after `want`. Return false if the text does not contain
 * `want`. */
static bool skip_to(struct text *t, const char *want)
{
	size_t len = strlen(want);
	const char *at = memmem(t->p, t->len, want, len);

	if (!at)
		return false;
	at += len;
	t->len -= (size_t)(at - t->p);
	t->p = at;
	return true;
}

static uint32_t read_number(const struct text *t)
{
	uint32_t value = 0;
	size_t i;

	for (i = 0; i < t->len && i < 9 && t->p[i] >= '0' && t->p[i] <= '9';
	     i++)
		value = value * 10 + (uint32_t)(t->p[i] - '0');
	return value;
}

/* Find the format of an event: "name: NAME\nID: N\nformat:\n", lines with
 * fields, and "print fmt". Return false if the text lacks this event. */
static bool find_event(struct text *t, const char *name, uint64_t *id)
{
	const char *end;

	if (!skip_to(t, name))
		return false;
	end = memmem(t->p, t->len, "print fmt:", 10);
	if (end)
		t->len = (size_t)(end - t->p);
	*id = read_number(t);
	return *id != 0;
}

/* Find a field: "field:TYPE NAME;\toffset:N;\tsize:N;". `name` includes the
 * text around the name. */
static void find_field(const struct text *event, const char *name,
		       struct tr2_kernel_field *field)
{
	struct text t = *event;

	if (!skip_to(&t, name) || !skip_to(&t, "offset:"))
		return;
	field->at = read_number(&t);
	if (skip_to(&t, "size:"))
		field->size = read_number(&t);
}

void tr2_kernel_formats_read(struct tr2_kernel_formats *formats,
			     const char *text, size_t len)
{
	struct text event = { text, len };

	if (find_event(&event, "name: sched_switch\nID: ",
		       &formats->switch_id)) {
		find_field(&event, " prev_pid;", &formats->prev_pid);
		find_field(&event, " prev_comm[", &formats->prev_comm);
		find_field(&event, " prev_state;", &formats->prev_state);
		find_field(&event, " next_pid;", &formats->next_pid);
		find_field(&event, " next_comm[", &formats->next_comm);
	}
	event = (struct text){ text, len };
	if (find_event(&event, "name: sched_waking\nID: ",
		       &formats->waking_id)) {
		find_field(&event, " pid;", &formats->pid);
		find_field(&event, " common_flags;", &formats->flags);
		find_field(&event, " common_preempt_count;", &formats->depth);
	}
}

#define MAGIC "PERFILE2"
#define MAGIC_OTHER_ORDER "2ELIFREP"
/* Reject a file with more sources: no recorder writes it. */
#define MAX_SOURCES 4096
#define MAX_RINGS 65536
#define MAX_OPENED (1u << 22)
#define MAX_FORMATS (4u << 20)
#define FEATURE_TRACING_DATA (1u << 1)

struct section {
	uint64_t at, size;
};

struct header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

static bool refuse_file(struct tr2_kernel_data *f, const char *problem)
{
	if (!f->problem)
		f->problem = problem;
	return false;
}

bool tr2_kernel_data_read(const struct tr2_kernel_data *f, uint64_t at,
			  void *out, size_t len)
{
	char *p = out;
	ssize_t n;

	if (at > f->size || len > f->size - at)
		return false;
	while (len) {
		n = pread(f->fd, p, len, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_header(struct tr2_kernel_data *f, struct header *h)
{
	memset(h, 0, sizeof(*h));
	if (!f->size)
		return refuse_file(f, "it is empty: states are unknown");
	if (!tr2_kernel_data_read(f, 0, h, sizeof(*h)))
		return refuse_file(f, "it was cut short in its header");
	if (!memcmp(h->magic, MAGIC_OTHER_ORDER, sizeof(h->magic)))
		return refuse_file(f,
				   "it was recorded on a machine of the other "
				   "byte order");
	if (memcmp(h->magic, MAGIC, sizeof(h->magic)))
		return refuse_file(f, "it is not in the format of perf.data");
	if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct section) ||
	    h->attr_size > 4096)
		return refuse_file(f, "its header is invalid");
	return true;
}

static bool add_ids(struct tr2_kernel_data *f, uint32_t source,
		    const struct section *ids)
{
	uint64_t nr = ids->size / sizeof(uint64_t), i, id;
	uint32_t *slot;

	if (nr > MAX_RINGS || f->nr_opened + nr > MAX_OPENED)
		return refuse_file(f, "its header is invalid");
	for (i = 0; i < nr; i++) {
		if (!tr2_kernel_data_read(f, ids->at + i * sizeof(id), &id,
					  sizeof(id)))
			return refuse_file(f, "it was cut short in its header");
		if (id == UINT64_MAX)
			continue;
		slot = tr2_map_slot(&f->ids, id + 1);
		tr2_grow(f->opened, f->nr_opened, f->alloc_opened);
		f->opened[f->nr_opened] =
			(struct tr2_data_opened){ source, (uint32_t)i };
		*slot = f->nr_opened++;
		if (f->nr_rings <= i)
			f->nr_rings = (uint32_t)i + 1;
	}
	return true;
}

static bool add_source(struct tr2_kernel_data *f, const struct header *h,
		       uint64_t at)
{
	struct tr2_data_source *source = &f->sources[f->nr_sources];
	size_t size = h->attr_size - sizeof(struct section);
	struct perf_event_attr attr;
	struct section ids;

	memset(&attr, 0, sizeof(attr));
	if (!tr2_kernel_data_read(f, at, &attr,
				  size < sizeof(attr) ? size : sizeof(attr)) ||
	    !tr2_kernel_data_read(f, at + size, &ids, sizeof(ids)))
		return refuse_file(f, "it was cut short in its header");
	if (!attr.use_clockid || attr.clockid != CLOCK_MONOTONIC)
		return refuse_file(f, "its clock is not CLOCK_MONOTONIC (perf "
				      "record -k CLOCK_MONOTONIC)");
	*source = (struct tr2_data_source){
		.type = attr.type,
		.config = attr.config,
		.without_kernel = attr.exclude_kernel,
		.of_machine = !attr.inherit,
		.sample_type = attr.sample_type,
		.sample_period = attr.sample_period,
		.read_format = attr.read_format,
		.registers = attr.sample_regs_user,
	};
	if (!(attr.sample_type & PERF_SAMPLE_IDENTIFIER) || !attr.sample_id_all)
		f->has_identifier = false;
	return add_ids(f, f->nr_sources++, &ids);
}

static bool read_sources(struct tr2_kernel_data *f, const struct header *h)
{
	uint64_t nr = h->attrs.size / h->attr_size, i;

	if (!nr || nr > MAX_SOURCES)
		return refuse_file(f, "its header is invalid");
	f->sources = tr2_calloc(nr, sizeof(*f->sources));
	f->has_identifier = true;
	for (i = 0; i < nr; i++)
		if (!add_source(f, h, h->attrs.at + i * h->attr_size))
			return false;
	if (!f->has_identifier && nr > 1)
		return refuse_file(f, "its records do not name their events "
				      "(sample_type without IDENTIFIER)");
	if (!f->nr_rings)
		f->nr_rings = 1;
	f->rings = tr2_calloc(f->nr_rings, sizeof(*f->rings));
	return true;
}

/* Read the formats of tracepoints. `trace2 record` puts them before the
 * records, where older versions of perf put names of events. perf puts them
 * after the records. */
static void read_formats(struct tr2_kernel_data *f, const struct header *h)
{
	struct section section = h->event_types;
	char *text;

	if (!section.size && h->features[0] & FEATURE_TRACING_DATA &&
	    h->data.size &&
	    !tr2_kernel_data_read(f, h->data.at + h->data.size, &section,
				  sizeof(section)))
		return;
	/* Read only the beginning: the formats come first, and the names of
	 * functions may follow. */
	if (section.size > MAX_FORMATS)
		section.size = MAX_FORMATS;
	if (!section.size || section.at > f->size)
		return;
	if (section.size > f->size - section.at)
		section.size = f->size - section.at;
	text = tr2_calloc(1, section.size + 1);
	if (tr2_kernel_data_read(f, section.at, text, section.size))
		tr2_kernel_formats_read(&f->formats, text, section.size);
	free(text);
}

static enum tr2_data_is kind_of(const struct tr2_kernel_data *f,
				const struct tr2_data_source *s)
{
	if (s->type == PERF_TYPE_TRACEPOINT && s->config)
		return s->config == f->formats.switch_id ?
			       TR2_DATA_SCHED_SWITCH :
		       s->config == f->formats.waking_id ?
			       TR2_DATA_SCHED_WAKING : TR2_DATA_OTHER;
	if (s->type != PERF_TYPE_SOFTWARE)
		return TR2_DATA_OTHER;
	if (s->config == PERF_COUNT_SW_TASK_CLOCK &&
	    s->sample_type & PERF_SAMPLE_CALLCHAIN)
		return TR2_DATA_PROFILE;
	if (s->config == PERF_COUNT_SW_TASK_CLOCK && s == f->sources)
		return TR2_DATA_TASK_CLOCK;
	return s->config == PERF_COUNT_SW_CONTEXT_SWITCHES ? TR2_DATA_SWITCHES :
							     TR2_DATA_OTHER;
}

bool tr2_kernel_data_open(struct tr2_kernel_data *f, int fd)
{
	struct header h;
	struct stat st;
	uint32_t i;

	memset(f, 0, sizeof(*f));
	f->fd = fd;
	f->nr_opened = f->alloc_opened = 0;
	if (fstat(fd, &st) || st.st_size < 0)
		return refuse_file(f, "it cannot be read");
	f->size = (uint64_t)st.st_size;
	tr2_grow(f->opened, f->nr_opened, f->alloc_opened);
	f->opened[f->nr_opened++] = (struct tr2_data_opened){ 0, 0 };
	if (!read_header(f, &h) || !read_sources(f, &h))
		return false;
	read_formats(f, &h);
	for (i = 0; i < f->nr_sources; i++)
		f->sources[i].is = kind_of(f, &f->sources[i]);
	/* A size of 0 shows that the file is not complete. */
	f->growing = !h.data.size;
	f->data_at = h.data.at;
	if (f->data_at < sizeof(h) || f->data_at > f->size)
		return refuse_file(f, "its header is invalid");
	f->data_end = f->size;
	if (!f->growing && h.data.size <= f->size - f->data_at)
		f->data_end = f->data_at + h.data.size;
	else if (!f->growing)
		refuse_file(f,
			    "it was cut short: its last records are missing");
	return true;
}

void tr2_kernel_data_release(struct tr2_kernel_data *f)
{
	uint32_t i;

	for (i = 0; f->rings && i < f->nr_rings; i++)
		free(f->rings[i].extents);
	free(f->rings);
	free(f->sources);
	free(f->opened);
	tr2_map_release(&f->ids);
}
