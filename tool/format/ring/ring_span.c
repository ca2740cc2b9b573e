/* SPDX-License-Identifier: MIT */
/* ring_span - write the JSON of spans from their records. */
#include "format/ring/ring_span.h"

#include <stdlib.h>

#include "common/memory.h"
#include "event/span.h"

bool tr2_ring_is_span(const struct tr2_record *record)
{
	const struct tr2_record_span *span = (const void *)record;

	return record->type >= TR2_RECORD_SPAN_START &&
	       record->type <= TR2_RECORD_TRACE &&
	       record->size >= sizeof(*span) &&
	       span->bytes <= record->size - sizeof(*span);
}

static struct tr2_span_data data_of(const struct tr2_record_span *record,
				    uint64_t end_ns)
{
	const struct tr2_span_data data = {
		.self = { { record->trace[0], record->trace[1] }, record->id },
		.parent = record->parent,
		.start_ns = record->start_ns,
		.end_ns = end_ns,
		.flags = record->flags,
		.one_in = record->one_in,
		.lost = record->lost,
		.nesting = record->head.misc >> TR2_MISC_NESTING_SHIFT,
		.bytes = (const char *)(record + 1),
		.len = record->bytes,
	};

	return data;
}

static struct tr2_view view_of(const char *s)
{
	return (struct tr2_view){ s, strlen(s) };
}

/* Make it the event of the JSON in e->text. */
static void set_event(struct tr2_ring_event *e, const char *key,
		      unsigned int nesting, struct tr2_parsed_event *ev)
{
	tr2_must(!e->text.failed);
	tr2_parsed_event_init(ev);
	tr2_parsed_event_set_kind(ev, TR2_EV_data_json);
	ev->event = view_of(tr2_event_rows[TR2_EV_data_json].name);
	ev->nesting = nesting;
	ev->as.data_json.category.text = view_of(TR2_SPAN_EVENT_CATEGORY);
	ev->as.data_json.key.text = view_of(key);
	ev->as.data_json.value.text = view_of(tr2_buf_str(&e->text));
}

static void set_span(struct tr2_ring_event *e, const struct tr2_ring_file *f,
		     const struct tr2_span_data *data,
		     struct tr2_parsed_event *ev)
{
	tr2_span_data_json(&e->text, data, f->header.start_ns);
	set_event(e, TR2_SPAN_EVENT_KEY, data->nesting, ev);
	ev->t_rel = (int64_t)((data->end_ns > data->start_ns ?
				       data->end_ns - data->start_ns : 0) /
			      1000 * 1000);
}

static void keep_start(struct tr2_ring_spans *s,
		       const struct tr2_record_span *record)
{
	tr2_grow(s->start, s->nr, s->alloc);
	s->start[s->nr++] = record;
	*tr2_map_slot(&s->open, record->id) = s->nr;
}

static void forget_start(struct tr2_ring_spans *s, uint64_t id)
{
	uint32_t i = tr2_map_get(&s->open, id);

	if (i)
		s->start[i - 1] = NULL;
}

bool tr2_ring_span(struct tr2_ring_spans *s, struct tr2_ring_event *e,
		   const struct tr2_ring_file *f,
		   const struct tr2_record_span *record,
		   struct tr2_parsed_event *ev)
{
	const struct tr2_span_data data =
		data_of(record, tr2_ring_file_ns(f, record->time));

	tr2_buf_reset(&e->text);
	switch (record->head.type) {
	case TR2_RECORD_SPAN_START:
		keep_start(s, record);
		return false;
	case TR2_RECORD_SPAN_END:
		forget_start(s, record->id);
		set_span(e, f, &data, ev);
		return true;
	default:
		tr2_trace_data_json(&e->text, &data.self, data.parent,
				    data.flags & TR2_SPAN_DATA_SAMPLED);
		set_event(e, TR2_TRACE_EVENT_KEY, 1, ev);
		ev->t_rel = 0;
		return true;
	}
}

bool tr2_ring_span_unfinished(const struct tr2_ring_spans *s, uint32_t i,
			      struct tr2_ring_event *e,
			      const struct tr2_ring_file *f, uint64_t end_ns,
			      struct tr2_parsed_event *ev)
{
	struct tr2_span_data data;

	if (!s->start[i])
		return false;
	data = data_of(s->start[i], end_ns);
	data.flags |= TR2_SPAN_DATA_UNFINISHED;
	tr2_buf_reset(&e->text);
	set_span(e, f, &data, ev);
	return true;
}

void tr2_ring_spans_reset(struct tr2_ring_spans *s)
{
	s->nr = 0;
	tr2_map_release(&s->open);
}

void tr2_ring_spans_release(struct tr2_ring_spans *s)
{
	tr2_ring_spans_reset(s);
	free(s->start);
	s->start = NULL;
	s->alloc = 0;
}
