/* SPDX-License-Identifier: MIT */
/* Write a perf.data file around its records. */
#include "common/perf_file.h"

#define PADDED 64 /* strings of features are padded to a multiple of this */

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

void tr2_perf_file_release(struct tr2_perf_file *file)
{
	size_t i;

	for (i = 0; i < TR2_PERF_NR_FEATURES; i++)
		tr2_buf_release(&file->features[i]);
	tr2_buf_release(&file->tracing);
}

size_t tr2_perf_begin_record(struct tr2_buf *b, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = { type, misc, 0 };
	size_t at = b->len;

	tr2_buf_add(b, &header, sizeof(header));
	return at;
}

void tr2_perf_end_record(struct tr2_buf *b, size_t at)
{
	uint16_t size = (uint16_t)(b->len - at);

	if (!b->failed)
		memcpy(b->p + at + offsetof(struct perf_event_header, size),
		       &size, sizeof(size));
}

void tr2_perf_add_padded(struct tr2_buf *b, const char *s, size_t most)
{
	static const char zeros[8];
	size_t len = strlen(s);

	if (len > most)
		len = most;
	tr2_buf_add(b, s, len);
	tr2_buf_add(b, zeros, 8 - len % 8);
}

void tr2_perf_add_str(struct tr2_buf *b, const char *text)
{
	size_t len = strlen(text), size = (len / PADDED + 1) * PADDED;

	tr2_perf_add_u32(b, (uint32_t)size);
	tr2_buf_add(b, text, len);
	for (; len < size; len++)
		tr2_buf_addch(b, '\0');
}

static void add_ids(struct tr2_buf *b, const struct tr2_perf_file_event *event)
{
	tr2_buf_add(b, event->ids, event->nr_ids * sizeof(*event->ids));
}

static void add_event_desc(struct tr2_buf *b, const struct tr2_perf_file *file)
{
	const struct tr2_perf_file_event *event;
	uint32_t i;

	tr2_perf_add_u32(b, file->nr_events);
	tr2_perf_add_u32(b, sizeof(event->attr));
	for (i = 0; i < file->nr_events; i++) {
		event = &file->events[i];
		tr2_buf_add(b, &event->attr, sizeof(event->attr));
		tr2_perf_add_u32(b, event->nr_ids);
		tr2_perf_add_str(b, event->name);
		add_ids(b, event);
	}
}

static uint64_t ids_size(const struct tr2_perf_file *file)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 0; i < file->nr_events; i++)
		nr += file->events[i].nr_ids;
	return nr * sizeof(uint64_t);
}

/* Return the bytes of padding that make the records begin at a multiple of
 * 8. */
static uint64_t padding(const struct tr2_buf *tracing)
{
	return -tracing->len % 8;
}

static struct section tracing_section(const struct tr2_perf_file *file)
{
	uint64_t offset = sizeof(struct file_header) + ids_size(file) +
			  file->nr_events * sizeof(struct file_attr);

	return (struct section){ offset, file->tracing.len };
}

static bool has_feature(const struct tr2_perf_file *file, unsigned int bit)
{
	return file->features[bit].len || bit == TR2_PERF_EVENT_DESC ||
	       (bit == TR2_PERF_TRACING_DATA && file->tracing.len);
}

static void add_header(struct tr2_buf *b, const struct tr2_perf_file *file,
		       uint64_t data_size)
{
	struct file_header h = { .magic = "PERFILE2", .size = sizeof(h),
				 .attr_size = sizeof(struct file_attr) };
	struct section tracing = tracing_section(file);
	unsigned int bit;

	h.attrs.offset = sizeof(h) + ids_size(file);
	h.attrs.size = tracing.offset - h.attrs.offset;
	if (tracing.size)
		h.event_types = tracing;
	h.data.offset = tracing.offset + tracing.size + padding(&file->tracing);
	h.data.size = data_size;
	for (bit = 0; data_size && bit < TR2_PERF_NR_FEATURES; bit++)
		if (has_feature(file, bit))
			h.features[0] |= UINT64_C(1) << bit;
	tr2_buf_add(b, &h, sizeof(h));
}

void tr2_perf_file_begin(struct tr2_buf *b, const struct tr2_perf_file *file,
			 uint64_t data_size)
{
	static const char zeros[8];
	struct file_attr row = { .ids.offset = sizeof(struct file_header) };
	uint32_t i;

	add_header(b, file, data_size);
	for (i = 0; i < file->nr_events; i++)
		add_ids(b, &file->events[i]);
	for (i = 0; i < file->nr_events; i++) {
		row.attr = file->events[i].attr;
		row.ids.size = file->events[i].nr_ids * sizeof(uint64_t);
		tr2_buf_add(b, &row, sizeof(row));
		row.ids.offset += row.ids.size;
	}
	if (file->tracing.len)
		tr2_buf_add(b, file->tracing.p, file->tracing.len);
	tr2_buf_add(b, zeros, padding(&file->tracing));
	b->failed |= file->tracing.failed;
}

void tr2_perf_file_end(struct tr2_buf *b, const struct tr2_perf_file *file,
		       uint64_t offset)
{
	struct tr2_buf desc = TR2_BUF_INIT;
	const struct tr2_buf *text[TR2_PERF_NR_FEATURES];
	struct section s;
	unsigned int bit, nr = 0, i;

	add_event_desc(&desc, file);
	for (bit = 0; bit < TR2_PERF_NR_FEATURES; bit++)
		if (has_feature(file, bit))
			text[nr++] = bit == TR2_PERF_EVENT_DESC ? &desc :
				     bit == TR2_PERF_TRACING_DATA ?
					     &file->tracing :
					     &file->features[bit];
	offset += nr * sizeof(s);
	for (i = 0; i < nr; i++) {
		s = (struct section){ offset, text[i]->len };
		if (text[i] == &file->tracing)
			s = tracing_section(file);
		else
			offset += s.size;
		tr2_buf_add(b, &s, sizeof(s));
	}
	for (i = 0; i < nr; i++) {
		b->failed |= text[i]->failed;
		if (text[i] != &file->tracing)
			tr2_buf_add(b, text[i]->p, text[i]->len);
	}
	tr2_buf_release(&desc);
}
