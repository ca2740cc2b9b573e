/* SPDX-License-Identifier: MIT */
/* Encode an event as a record of the ring. */
#include "target/target.h"

#include "base/lock.h"
#include "event/render_internal.h"
#include "ring/ring.h"

#define COUNT_BYTES sizeof(uint16_t)

/* A record in r->line. The line may grow up to `limit`, which leaves room for
 * the fields that follow. */
struct record {
	struct tr2_render *r;
	size_t limit; /* the limit of r->line.len for the present field */
	uint16_t misc;
};

static void add_u16(struct record *record, size_t value)
{
	uint16_t number = (uint16_t)value;

	tr2_buf_add(&record->r->line, &number, sizeof(number));
}

static void add_u64(struct record *record, uint64_t value)
{
	tr2_buf_add(&record->r->line, &value, sizeof(value));
}

static size_t room(const struct record *record)
{
	return record->limit - record->r->line.len;
}

/*
 * Add a string, cut if needed. There is room at least for the count before the
 * string.
 */
static void add_shown(struct record *record, const char *s, size_t len)
{
	size_t most = room(record) - COUNT_BYTES;

	if (len > most) {
		len = most;
		record->misc |= TR2_MISC_CUT;
	}
	add_u16(record, len);
	tr2_buf_add(&record->r->line, s, len);
}

static void add_string(struct record *record, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	if (!s) {
		add_u16(record, TR2_RECORD_ABSENT);
		return;
	}
	s = tr2_render_shown(record->r, s, &len);
	add_shown(record, s, len);
}

/* Store the number of elements before the elements: the number is known only
 * after the elements are written. */
static void set_count(struct record *record, size_t at, size_t count)
{
	uint16_t number = (uint16_t)count;

	if (!record->r->line.failed)
		memcpy(record->r->line.p + at, &number, sizeof(number));
}

static void add_argv(struct record *record, const char *const *argv)
{
	size_t at = record->r->line.len, nr = 0, len;
	const char *word;

	add_u16(record, TR2_RECORD_ABSENT);
	if (!argv)
		return;
	for (; argv[nr] && room(record) >= COUNT_BYTES &&
	       !record->r->line.failed; nr++) {
		word = tr2_render_word(record->r, argv, argv + nr, &len);
		add_shown(record, word, len);
	}
	if (argv[nr])
		record->misc |= TR2_MISC_CUT;
	set_count(record, at, nr);
}

static void add_histogram(struct record *record, const struct tr2_histogram *h)
{
	size_t at = record->r->line.len;
	unsigned int i;

	add_u16(record, TR2_RECORD_ABSENT);
	if (!h)
		return;
	for (i = 0; i < h->nr && room(record) >= 2 * sizeof(uint64_t); i++) {
		add_u64(record, h->bucket[i].upper_ns);
		add_u64(record, h->bucket[i].count);
	}
	if (i < h->nr)
		record->misc |= TR2_MISC_CUT;
	set_count(record, at, i);
}

/* Return the minimal size of a field. */
static size_t least_bytes(enum tr2_field_type type)
{
	switch (type) {
	case TR2_T_T_ABS:
	case TR2_T_NESTING:
		return 0;
	case TR2_T_STR:
	case TR2_T_JSON:
	case TR2_T_ARGV:
	case TR2_T_HISTOGRAM:
		return COUNT_BYTES;
	default:
		return sizeof(uint64_t);
	}
}

static void add_field(struct record *record, const struct tr2_event *ev,
		      enum tr2_field_type type, const struct tr2_value *v)
{
	switch (type) {
	case TR2_T_T_ABS:
	case TR2_T_NESTING:
		return;
	case TR2_T_STR:
	case TR2_T_JSON:
		add_string(record, v->s);
		return;
	case TR2_T_ARGV:
		add_argv(record, v->argv);
		return;
	case TR2_T_HISTOGRAM:
		add_histogram(record, v->histogram);
		return;
	case TR2_T_T_REL:
		add_u64(record, ev->t_rel_ns);
		return;
	default:
		add_u64(record, v->u);
	}
}

static void add_head(struct record *record, const struct tr2_event *ev,
		     bool brief)
{
	const struct tr2_record_event head = {
		.head.type = TR2_RECORD_EVENT + (uint32_t)ev->kind,
		.time = ev->now_ns,
		.tid = ev->tid,
		.line = brief ? 0 : (uint32_t)ev->line,
		.repo_id = (uint32_t)ev->repo_id,
		.nesting = ev->nesting,
	};

	tr2_buf_add(&record->r->line, &head, sizeof(head));
	add_string(record, brief ? NULL : ev->file);
}

static void finish_record(struct record *record, const struct tr2_event *ev)
{
	struct tr2_buf *b = &record->r->line;
	struct tr2_record *head;

	while (b->len % TR2_RECORD_ALIGN && !b->failed)
		tr2_buf_addch(b, '\0');
	if (b->failed)
		return;
	head = (struct tr2_record *)(void *)b->p;
	head->misc = record->misc;
	if (ev->as_main)
		head->misc |= TR2_MISC_MAIN;
	head->size = (uint16_t)b->len;
}

/* Encode an event. brief: leave out file and line. */
static void encode(struct tr2_render *r, const struct tr2_event *ev, bool brief)
{
	const struct tr2_field *f = tr2_event_rows[ev->kind].field;
	struct record record = { .r = r, .limit = TR2_RECORD_MAX };
	unsigned int i;

	tr2_buf_reset(&r->line);
	for (i = 0; *f[i].name; i++)
		record.limit -= least_bytes(f[i].type);
	add_head(&record, ev, brief);
	for (i = 0; *f[i].name && !r->line.failed; i++) {
		record.limit += least_bytes(f[i].type);
		add_field(&record, ev, f[i].type, &ev->v[i]);
	}
	finish_record(&record, ev);
}

/* Write into the ring of slot 0, under the process's lock. */
static bool put_of_process(const void *record)
{
	bool locked = !tr2_lock_is_mine(), ok;

	if (locked)
		tr2_lock();
	ok = tr2_ring_put(tr2_arena_totals(), record);
	if (locked)
		tr2_unlock();
	return ok;
}

void tr2_target_emit_to_ring(struct tr2_target *target,
			     struct tr2_render *render,
			     const struct tr2_event *ev)
{
	const struct tr2_buf *record = &render->line;
	struct tr2_ring_write w;
	struct tr2_call_mark in;

	/* Encode without the lock: the program's text may be on a page that its
	 * handler for SIGSEGV provides. */
	encode(render, ev, target->brief);
	if (record->failed) {
		tr2_dest_drop(&target->dest);
		return;
	}
	if (tr2_event_flags(ev->kind) & TR2_E_PROCESS) {
		if (!put_of_process(record->p))
			tr2_dest_drop(&target->dest);
		return;
	}
	if (!tr2_ring_begin(&w, tr2_my_slot, (uint32_t)record->len, &in)) {
		tr2_dest_drop(&target->dest);
		return;
	}
	memcpy(w.p, record->p, record->len);
	tr2_ring_end(&w);
}
