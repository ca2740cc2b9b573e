/* SPDX-License-Identifier: MIT */
/* ring_event - parse the fields of a record by the table of events. */
#include "format/ring/ring_event.h"

#include <stdlib.h>

#include "base/text.h"
#include "common/memory.h"
#include "common/time.h"
#include "event/span.h"
#include "format/events/utf8.h"

/* The unread rest of a record. */
struct cursor {
	const char *p, *end;
	bool short_of; /* the record ended within a field */
	bool of_numbers; /* fields of type string have numbers */
};

static uint64_t read_bytes(struct cursor *c, size_t len)
{
	uint64_t value = 0;

	if ((size_t)(c->end - c->p) < len) {
		c->short_of = true;
		c->p = c->end;
		return 0;
	}
	memcpy(&value, c->p, len);
	c->p += len;
	return value;
}

static struct tr2_view read_string(struct cursor *c)
{
	struct tr2_view v = { NULL, 0 };
	size_t len = read_bytes(c, sizeof(uint16_t));

	if (c->short_of || len == TR2_RECORD_ABSENT)
		return v;
	if ((size_t)(c->end - c->p) < len) {
		c->short_of = true;
		len = (size_t)(c->end - c->p);
	}
	v.p = c->p;
	v.len = len;
	c->p += len;
	return v;
}

/* Append the text, with U+FFFD in place of every NUL and every byte that is not
 * UTF-8. */
static void add_repaired(struct tr2_buf *b, const struct tr2_view *v)
{
	size_t i = 0, n;

	while (i < v->len) {
		n = v->p[i] ? tr2_utf8_sequence(v->p + i, v->len - i) : 0;
		if (n)
			tr2_buf_add(b, v->p + i, n);
		else
			tr2_buf_addlit(b, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
}

/* Return a repaired copy in e->text, which has enough room and does not
 * move. */
static struct tr2_view as_text(struct tr2_ring_event *e, struct tr2_view v)
{
	size_t start = e->text.len;

	if (!v.p || (tr2_utf8_valid(v.p, v.len) && !memchr(v.p, 0, v.len)))
		return v;
	add_repaired(&e->text, &v);
	return (struct tr2_view){ e->text.p + start, e->text.len - start };
}

static struct tr2_view as_json(struct tr2_ring_event *e, struct tr2_view v)
{
	size_t start = e->text.len;

	if (!v.p)
		return v;
	tr2_json_add_text(&e->text, v.p, v.len);
	return (struct tr2_view){ e->text.p + start, e->text.len - start };
}

static struct tr2_words_view read_argv(struct tr2_ring_event *e,
				       struct cursor *c)
{
	struct tr2_words_view words = { NULL, 0, 0 };
	size_t nr = read_bytes(c, sizeof(uint16_t)), i;
	struct tr2_view word;

	tr2_buf_reset(&e->argv);
	if (c->short_of || nr == TR2_RECORD_ABSENT)
		return words;
	for (i = 0; i < nr; i++) {
		word = read_string(c);
		if (c->short_of && !word.p)
			break;
		add_repaired(&e->argv, &word);
		tr2_buf_addch(&e->argv, '\0');
	}
	words.p = tr2_buf_str(&e->argv);
	words.len = e->argv.len;
	words.nr = (uint32_t)i;
	return words;
}

void tr2_ring_add_bucket(struct tr2_buf *out, uint64_t upper, uint64_t count,
			 bool is_time)
{
	tr2_buf_addstr(out, out->len ? ",[" : "[[");
	if (is_time)
		tr2_buf_add_seconds9(out, upper);
	else
		tr2_buf_add_u64(out, upper);
	tr2_buf_addch(out, ',');
	tr2_buf_add_u64(out, count);
	tr2_buf_addch(out, ']');
}

/* Read a histogram as text and as numbers. */
static void read_histogram(struct tr2_ring_event *e, struct cursor *c,
			   struct tr2_parsed_value *v)
{
	unsigned int nr = (unsigned int)read_bytes(c, sizeof(uint16_t)), i;
	uint64_t bucket[2]; /* members in the order of struct tr2_histogram */

	if (c->short_of || nr == TR2_RECORD_ABSENT)
		return;
	tr2_buf_reset(&e->histogram);
	tr2_buf_reset(&e->buckets);
	tr2_buf_addchars(&e->buckets, '\0', sizeof(struct tr2_histogram));
	for (i = 0; i < nr; i++) {
		bucket[0] = read_bytes(c, sizeof(bucket[0]));
		bucket[1] = read_bytes(c, sizeof(bucket[1]));
		if (c->short_of)
			break;
		tr2_ring_add_bucket(&e->histogram, bucket[0], bucket[1], true);
		tr2_buf_add(&e->buckets, bucket, sizeof(bucket));
	}
	tr2_must(!e->buckets.failed);
	if (!i)
		return;
	tr2_buf_addch(&e->histogram, ']');
	v->text.p = tr2_buf_str(&e->histogram);
	v->text.len = e->histogram.len;
	memcpy(e->buckets.p, &i, sizeof(i));
	v->histogram = (const void *)e->buckets.p;
}

_Static_assert(offsetof(struct tr2_histogram, bucket) ==
		       sizeof(struct tr2_histogram) &&
	       sizeof(((struct tr2_histogram *)0)->bucket[0]) ==
		       2 * sizeof(uint64_t),
	       "buckets are pairs of numbers behind their number");

/* Read a time, limited to TR2_MAX_AT_NS. */
static void read_time(struct cursor *c, int64_t *ns)
{
	uint64_t value = read_bytes(c, sizeof(value));

	if (!c->short_of)
		*ns = (int64_t)(value > TR2_MAX_AT_NS ? TR2_MAX_AT_NS :
							  value);
}

/* Read a number in place of a string. Append the number's text to e->text. */
static struct tr2_view read_number(struct tr2_ring_event *e, struct cursor *c)
{
	uint64_t value = read_bytes(c, sizeof(value));
	size_t start = e->text.len;

	if (c->short_of)
		return (struct tr2_view){ NULL, 0 };
	tr2_buf_add_i64(&e->text, (int64_t)value);
	return (struct tr2_view){ e->text.p + start, e->text.len - start };
}

/* Read a string. A NULL in a mandatory field becomes an empty string, as in
 * lines of the event target. */
static struct tr2_view read_text(struct tr2_ring_event *e, struct cursor *c,
				 const struct tr2_field *field)
{
	struct tr2_view v = c->of_numbers ? read_number(e, c) : read_string(c);

	if (!v.p && !c->short_of && !(field->flags & TR2_F_OPT))
		v.p = "";
	return field->type == TR2_T_JSON ? as_json(e, v) : as_text(e, v);
}

static void read_field(struct tr2_ring_event *e, struct cursor *c, int i,
		       struct tr2_parsed_event *ev)
{
	const struct tr2_field *field = &tr2_event_rows[ev->kind].field[i];
	struct tr2_parsed_value *v = &ev->value[i];
	uint64_t value;

	switch (field->type) {
	case TR2_T_STR:
	case TR2_T_JSON:
		v->text = read_text(e, c, field);
		break;
	case TR2_T_ARGV:
		v->words = read_argv(e, c);
		break;
	case TR2_T_HISTOGRAM:
		read_histogram(e, c, v);
		break;
	case TR2_T_BOOL:
		v->b = read_bytes(c, sizeof(value)) != 0;
		break;
	case TR2_T_SECONDS:
	case TR2_T_T_REL:
		read_time(c, tr2_parsed_number_at(ev, i));
		break;
	case TR2_T_INT:
	case TR2_T_UINT:
		value = read_bytes(c, sizeof(value));
		if (!c->short_of)
			v->u = value;
		break;
	case TR2_T_T_ABS: /* these fields are in the record's head */
	case TR2_T_NESTING:
		break;
	}
}

static bool is_of_site(const struct tr2_record *record)
{
	return record->type >= TR2_RECORD_SITE_EVENT;
}

static bool is_of_numbers(const struct tr2_record *record)
{
	return record->type >= TR2_RECORD_SITE_NUMBER;
}

static uint32_t kind_of(const struct tr2_record *record)
{
	if (is_of_numbers(record))
		return record->type - TR2_RECORD_SITE_NUMBER;
	return record->type - (is_of_site(record) ? TR2_RECORD_SITE_EVENT :
						    TR2_RECORD_EVENT);
}

bool tr2_ring_is_event(const struct tr2_record *record)
{
	return record->type >= TR2_RECORD_EVENT &&
	       kind_of(record) < TR2_EVENT_NR &&
	       record->size >= (is_of_site(record) ?
					sizeof(struct tr2_record_site_event) :
					sizeof(struct tr2_record_event));
}

_Static_assert(offsetof(struct tr2_record_event, tid) ==
			       offsetof(struct tr2_record_site_event, tid) &&
		       offsetof(struct tr2_record_event, time) ==
			       offsetof(struct tr2_record_site_event, time),
	       "both heads begin alike");

uint32_t tr2_ring_event_tid(const struct tr2_record *record)
{
	return ((const struct tr2_record_event *)(const void *)record)->tid;
}

/* The strings of an event's site. All are absent if the site has no row. */
struct site {
	struct tr2_view file, names[2];
	uint32_t line;
	int nr_taken; /* of names */
};

static struct tr2_view string_at(const struct tr2_ring_file *f, uint32_t offset)
{
	const char *s = tr2_ring_file_string(f, offset);

	return (struct tr2_view){ s, strlen(s) };
}

static void look_up(struct site *site, const struct tr2_ring_file *f,
		    uint32_t offset)
{
	struct tr2_site_row row = { 0 };

	if (offset <= f->strings_used &&
	    sizeof(row) <= f->strings_used - offset)
		memcpy(&row, f->strings + offset, sizeof(row));
	site->line = row.line;
	site->file = string_at(f, row.file);
	site->names[0] = string_at(f, row.category);
	site->names[1] = string_at(f, row.name);
	site->nr_taken = 0;
}

/* Make room for the texts of all fields. The longest form of a byte is \u00xx;
 * a number of 8 bytes is shorter. */
static void make_room(struct tr2_ring_event *e, const struct tr2_record *record,
		      const struct site *site)
{
	size_t bytes = record->size + site->file.len + site->names[0].len +
		       site->names[1].len;

	tr2_buf_reset(&e->text);
	tr2_must(tr2_buf_room(&e->text, 6 * bytes + 64));
}

static void read_head(struct tr2_ring_event *e, struct cursor *c,
		      const struct tr2_record *record, struct site *site,
		      struct tr2_parsed_event *ev)
{
	const struct tr2_record_event *head = (const void *)record;

	if (is_of_site(record)) {
		c->p = (const char *)record +
		       sizeof(struct tr2_record_site_event);
		ev->file = as_text(e, site->file);
		ev->line = (int64_t)site->line;
		ev->repo = TR2_ABSENT;
		ev->nesting = record->misc >> TR2_MISC_NESTING_SHIFT;
		return;
	}
	c->p = (const char *)(head + 1);
	ev->file = as_text(e, read_string(c));
	ev->line = ev->file.p ? (int64_t)head->line : TR2_ABSENT;
	ev->repo = !head->repo_id ? TR2_ABSENT :
		   head->repo_id == (uint32_t)TR2_REPO_UNDEFINED ?
				    0 : (int64_t)head->repo_id;
	ev->nesting = head->nesting;
}

bool tr2_ring_event(struct tr2_ring_event *e, const struct tr2_ring_file *f,
		    const struct tr2_record *record,
		    struct tr2_parsed_event *ev)
{
	bool of_site = is_of_site(record);
	uint32_t kind = kind_of(record);
	const struct tr2_field *field;
	struct site site = { .nr_taken = 0 };
	struct cursor c = { .end = (const char *)record + record->size,
			    .of_numbers = is_of_numbers(record) };
	int i;

	if (!tr2_ring_is_event(record))
		return false;
	if (of_site)
		look_up(&site, f, ((const struct tr2_record_site_event *)
				   (const void *)record)->site);
	make_room(e, record, &site);
	tr2_parsed_event_init(ev);
	tr2_parsed_event_set_kind(ev, (int)kind);
	ev->event.p = tr2_event_rows[kind].name;
	ev->event.len = strlen(ev->event.p);
	read_head(e, &c, record, &site, ev);
	field = tr2_event_rows[kind].field;
	for (i = 0; *field[i].name && !c.short_of; i++)
		if (!of_site)
			read_field(e, &c, i, ev);
		else if (field[i].flags & TR2_F_SITE && site.nr_taken < 2)
			ev->value[i].text =
				as_text(e, site.names[site.nr_taken++]);
		else if (!(field[i].flags & TR2_F_OPT))
			read_field(e, &c, i, ev);
	tr2_must(!e->text.failed && !e->argv.failed && !e->histogram.failed);
	return true;
}

void tr2_ring_event_release(struct tr2_ring_event *e)
{
	tr2_buf_release(&e->text);
	tr2_buf_release(&e->argv);
	tr2_buf_release(&e->histogram);
	tr2_buf_release(&e->buckets);
}

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

/* Fill ev with a data_json event of the JSON in e->text. */
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
		tr2_grow(s->start, s->nr, s->alloc);
		s->start[s->nr++] = record;
		*tr2_map_slot(&s->open, record->id) = s->nr;
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
