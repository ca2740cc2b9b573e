/* SPDX-License-Identifier: MIT */
/*
 * ring - collect the records of all slots, sort them, and add them to the
 * model.
 */
#include "format/ring/ring.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/memory.h"
#include "common/order.h"
#include "format/events/parsed_render.h"
#include "format/ring/ring_event.h"
#include "format/ring/ring_metrics.h"
#include "format/ring/ring_names.h"
#include "format/ring/ring_sample.h"
#include "format/ring/ring_file.h"
#include "model/build/build.h"

/* One record with its time. */
struct entry {
	uint64_t time; /* ticks */
	const struct tr2_record *record;
	uint32_t order; /* position in the list, which orders records of equal
			 * time */
	bool is_after_loss;
};

struct tr2_ring_reader {
	struct tr2_model *m;
	tr2_event_fn *fn;
	void *data;
	struct tr2_ring_file file;
	struct tr2_ring_event event;
	struct tr2_parsed_render render;
	struct tr2_ring_names names;
	struct tr2_ring_samples samples;
	struct tr2_ring_spans spans;
	/* All records that were copied from the current file, and the file's
	 * entries. */
	struct tr2_ring_records *records;
	uint32_t nr_records, alloc_records;
	struct entry *entries;
	uint32_t nr_entries, alloc_entries;
	/* taken_until: by slot, the position up to which spilled records were
	 * read or, if the file is followed, all records. pieces_at: the offset
	 * up to which the file of pieces was read. */
	uint64_t taken_until[TR2_MAX_SLOTS];
	uint64_t pieces_at;
	bool waited; /* the reader has waited once for a recorder's first
		      * piece */
	bool is_after_loss; /* records before the next record were lost */
	tr2_str source;
	uint32_t session;
	uint64_t last_ns;
};

struct tr2_ring_reader *tr2_ring_reader_new(struct tr2_model *m,
					    tr2_event_fn *fn, void *data)
{
	struct tr2_ring_reader *r = tr2_calloc(1, sizeof(*r));

	r->m = m;
	r->fn = fn;
	r->data = data;
	r->file.fd = -1;
	return r;
}

static void forget_file(struct tr2_ring_reader *r)
{
	uint32_t i;

	for (i = 0; i < r->nr_records; i++)
		free(r->records[i].p);
	r->nr_records = r->nr_entries = 0;
	memset(r->taken_until, 0, sizeof(r->taken_until));
	tr2_ring_names_reset(&r->names);
	tr2_ring_samples_reset(&r->samples);
	tr2_ring_spans_reset(&r->spans);
	tr2_ring_file_release(&r->file);
	r->last_ns = r->pieces_at = 0;
}

void tr2_ring_reader_free(struct tr2_ring_reader *r)
{
	if (!r)
		return;
	forget_file(r);
	free(r->records);
	free(r->entries);
	tr2_ring_names_release(&r->names);
	tr2_ring_event_release(&r->event);
	tr2_ring_spans_release(&r->spans);
	tr2_parsed_render_release(&r->render);
	free(r);
}

static void problem(struct tr2_ring_reader *r, enum tr2_problem_kind kind,
		    const char *text)
{
	tr2_build_problem(r->m, kind, r->source, 0, text);
}

static void add_entry(struct tr2_ring_reader *r,
		      const struct tr2_record *record, uint64_t time)
{
	struct entry *e;

	tr2_grow(r->entries, r->nr_entries, r->alloc_entries);
	e = &r->entries[r->nr_entries];
	e->time = time;
	e->record = record;
	e->order = r->nr_entries++;
	e->is_after_loss = r->is_after_loss;
	r->is_after_loss = false;
}

static void read_record(struct tr2_ring_reader *r,
			const struct tr2_record *record)
{
	const struct tr2_record_event *event = (const void *)record;
	const struct tr2_record_sample *sample = (const void *)record;
	const struct tr2_record_span *span = (const void *)record;

	if (tr2_ring_is_event(record))
		add_entry(r, record, event->time);
	else if (tr2_ring_is_span(record))
		add_entry(r, record, span->time);
	else if (tr2_ring_is_sample(record))
		add_entry(r, record, sample->time);
	else if (tr2_ring_is_mapping(record)) /* time 0: mappings come before
					       * all samples */
		add_entry(r, record, 0);
	else if (record->type == TR2_RECORD_LOST)
		r->is_after_loss = true;
	else
		tr2_ring_names_record(&r->names, record);
}

/* Add the records of a copy. Keep the copy as long as the file is read. */
static void read_records(struct tr2_ring_reader *r,
			 const struct tr2_ring_records *records, uint32_t slot)
{
	const struct tr2_record *record;
	char text[100];
	size_t at = 0;
	bool bad;

	tr2_grow(r->records, r->nr_records, r->alloc_records);
	r->records[r->nr_records++] = *records;
	while ((record = tr2_ring_records_next(records, &at, &bad)))
		read_record(r, record);
	if (bad) {
		snprintf(text, sizeof(text),
			 "the ring of slot %u is damaged: %zu bytes of it are "
			 "left out", slot, records->len - at);
		problem(r, TR2_PROBLEM_BAD_LINE, text);
	}
}

/* Add one spilled piece, without records that an earlier piece has. If a
 * recorder dies after it wrote a piece and before it released the records in
 * the ring, the next recorder writes these records again. */
static void read_piece(struct tr2_ring_reader *r, const struct tr2_piece *piece,
		       struct tr2_ring_records *records)
{
	uint64_t *until = &r->taken_until[piece->slot];
	uint64_t skip = 0;

	if (*until && piece->position > *until) {
		problem(r, TR2_PROBLEM_FILE, "records are missing between the "
					     "parts that 'record --ring' "
					     "saved");
		r->is_after_loss = true;
	}
	if (*until > piece->position)
		skip = *until - piece->position;
	if (skip >= records->len) {
		free(records->p);
		return;
	}
	memmove(records->p, records->p + skip, records->len - skip);
	records->len -= skip;
	records->position += skip;
	*until = records->position + records->len;
	read_records(r, records, piece->slot);
}

static bool is_piece(const struct tr2_piece *piece, uint64_t left)
{
	return piece->magic == TR2_PIECE_MAGIC && piece->slot < TR2_MAX_SLOTS &&
	       piece->len % 8 == 0 && piece->len <= left &&
	       piece->position % 8 == 0 && piece->len <= piece->ring_size &&
	       piece->ring_size >= TR2_RING_MIN_SIZE &&
	       !(piece->ring_size & (piece->ring_size - 1));
}

static void read_pieces(struct tr2_ring_reader *r, int fd)
{
	struct tr2_ring_file pieces = { .fd = fd, .size = UINT64_MAX };
	struct tr2_ring_records records;
	struct tr2_piece piece;
	uint64_t at = r->pieces_at;

	while (tr2_ring_file_read(&pieces, at, &piece, sizeof(piece))) {
		at += sizeof(piece);
		if (!is_piece(&piece, UINT64_MAX - at)) {
			problem(r, TR2_PROBLEM_BAD_LINE,
				"the file that 'record --ring' saved is "
				"damaged: its rest is left out");
			break;
		}
		records = (struct tr2_ring_records){
			malloc(piece.len + 8), piece.len, piece.position,
			piece.ring_size };
		if (!records.p ||
		    !tr2_ring_file_read(&pieces, at, records.p, piece.len)) {
			free(records.p);
			problem(r, TR2_PROBLEM_CUT_LINE,
				"the last part that 'record --ring' saved is "
				"cut short: left out");
			break;
		}
		at += piece.len;
		r->m->nr_bytes += sizeof(piece) + piece.len;
		read_piece(r, &piece, &records);
		r->pieces_at = at;
	}
}

/* Read all slots, slot 0 last. The process announces a thread by a record in
 * slot 0, before it writes the thread's first record. */
static void read_slots(struct tr2_ring_reader *r)
{
	struct tr2_ring_records records;
	uint32_t i, slot;

	for (i = 1; i <= r->file.nr_slots; i++) {
		slot = i % r->file.nr_slots;
		if (!tr2_ring_file_records(&r->file, slot,
					   slot < TR2_MAX_SLOTS ?
						   r->taken_until[slot] : 0,
					   &records))
			problem(r, TR2_PROBLEM_BAD_LINE,
				"a ring is larger than memory: left out");
		r->m->nr_bytes += records.len;
		if (records.p)
			read_records(r, &records, slot);
	}
}

TR2_ORDER(compare_entries, struct entry, TR2_UP(time) ?: TR2_UP(order))

/* Set the times. A time that is too large, as in a damaged file, becomes the
 * largest valid one. */
static void set_times(struct tr2_ring_reader *r, struct tr2_parsed_event *ev,
		      uint64_t ticks)
{
	uint64_t wall = r->file.header.start_wall_ns;
	uint64_t ns = tr2_ring_file_ns(&r->file, ticks);

	ev->t_abs = tr2_ring_file_since_start(&r->file, ticks);
	if (wall > TR2_MAX_WALL_NS)
		wall = TR2_MAX_WALL_NS;
	ev->wall_us = (int64_t)((wall + (uint64_t)ev->t_abs) / 1000);
	if (ns > r->last_ns)
		r->last_ns = ns;
}

/* If the loader keeps lines, render the line that the event target would have
 * written. */
static void render_event(struct tr2_ring_reader *r, struct tr2_parsed_event *ev)
{
	struct tr2_render *render = &r->render.render;

	tr2_parsed_render_set(&r->render, r->m, ev,
			      (unsigned int)ev->nesting);
	tr2_render_event(render, &r->render.event, false);
	tr2_must(!render->line.failed);
	ev->raw.p = render->line.p;
	ev->raw.len = render->line.len - 1;
}

/* Add an event to the model. time: the event's time; of_thread: a time at which
 * its thread had the name to use. */
static void add_parsed(struct tr2_ring_reader *r, struct tr2_parsed_event *ev,
		       uint64_t time, uint32_t tid, uint64_t of_thread,
		       bool as_main)
{
	const char *thread;

	set_times(r, ev, time);
	thread = tr2_ring_names_of(&r->names, tid, of_thread, as_main);
	ev->session = r->session;
	ev->thread = tr2_build_thread(r->m, r->session, thread, strlen(thread));
	if (r->fn)
		render_event(r, ev);
	tr2_build_event(r->m, ev);
	ev->session = tr2_build_last_session(r->m);
	ev->thread = tr2_build_last_thread(r->m);
	r->m->threads[ev->thread].tid = (int32_t)tid;
	if (r->fn)
		r->fn(r->data, r->m, ev);
}

/* Add an event with its nesting. as_main: the event was written in main's name,
 * so its nesting is main's, not tid's. */
static void add_nested(struct tr2_ring_reader *r, const struct entry *entry,
		       uint32_t tid, bool as_main, struct tr2_parsed_event *ev)
{
	struct tr2_ring_name *thread =
		tr2_ring_names_find(&r->names, tid, entry->time);

	if (thread && !as_main)
		tr2_ring_nesting_correct(&thread->nesting,
					 entry->is_after_loss, ev);
	add_parsed(r, ev, entry->time, tid, entry->time, as_main);
}

/* Add the event of a span or a trace. The library emits the trace, and spans
 * that end with the process, in main's name. */
static void add_span(struct tr2_ring_reader *r, const struct entry *entry,
		     struct tr2_parsed_event *ev)
{
	const struct tr2_record_span *span = (const void *)entry->record;
	bool as_main = span->head.type == TR2_RECORD_TRACE ||
		       span->flags & TR2_SPAN_DATA_UNFINISHED;

	if (tr2_ring_span(&r->spans, &r->event, &r->file, span, ev))
		add_nested(r, entry, span->tid, as_main, ev);
}

/* Add the spans that a killed process left open, or whose ends were lost. These
 * spans come after all other events except atexit. */
static void add_unfinished(struct tr2_ring_reader *r)
{
	uint64_t last = r->nr_entries ? r->entries[r->nr_entries - 1].time : 0;
	struct tr2_parsed_event ev;
	uint32_t i;

	for (i = 0; i < r->spans.nr; i++)
		if (tr2_ring_span_unfinished(&r->spans, i, &r->event, &r->file,
					     tr2_ring_file_ns(&r->file, last),
					     &ev))
			add_parsed(r, &ev, last, r->spans.start[i]->tid,
				   r->spans.start[i]->time, false);
	tr2_ring_spans_reset(&r->spans);
}

static void add_entry_to_model(struct tr2_ring_reader *r,
			       const struct entry *entry)
{
	struct tr2_parsed_event ev;

	switch (entry->record->type) {
	case TR2_RECORD_SAMPLE:
		tr2_ring_sample(&r->samples, r->m, &r->file, &r->names,
				r->session, (const void *)entry->record);
		break;
	case TR2_RECORD_MMAP2:
		tr2_ring_mapping(r->m, &r->file, r->session, entry->record);
		break;
	case TR2_RECORD_SPAN_START:
	case TR2_RECORD_SPAN_END:
	case TR2_RECORD_TRACE:
		add_span(r, entry, &ev);
		break;
	default:
		if (tr2_ring_event(&r->event, &r->file, entry->record, &ev))
			add_nested(r, entry, tr2_ring_event_tid(entry->record),
				   entry->record->misc & TR2_MISC_MAIN, &ev);
	}
}

/* Add all entries, in order of time. */
static void add_entries(struct tr2_ring_reader *r)
{
	uint32_t i;

	if (r->nr_entries)
		qsort(r->entries, r->nr_entries, sizeof(*r->entries),
		      compare_entries);
	for (i = 0; i < r->nr_entries; i++) {
		if (r->entries[i].record->type ==
		    TR2_RECORD_EVENT + TR2_EV_atexit)
			add_unfinished(r);
		add_entry_to_model(r, &r->entries[i]);
	}
}

static void set_end(struct tr2_ring_reader *r)
{
	struct tr2_model_session *s = &r->m->sessions[r->session];
	const struct tr2_arena_header *h = &r->file.header;

	if (s->end != TR2_END_OPEN)
		return;
	if (h->state == TR2_ARENA_EXITED)
		s->end = TR2_END_EXIT;
	else if (h->state == TR2_ARENA_SIGNALLED)
		s->end = TR2_END_SIGNAL;
	else
		return;
	s->code = (int32_t)h->status;
	s->has_code = true;
}

/* Count the events that a flight recorder overwrote. */
static uint64_t count_overwritten(struct tr2_ring_reader *r)
{
	struct tr2_control c;
	uint64_t nr = 0;
	uint32_t slot;

	for (slot = 0; slot < r->file.nr_slots; slot++)
		if (tr2_ring_file_control(&r->file, slot, &c))
			nr += c.overwritten;
	return nr;
}

/* Has a reader released records from the ring that no piece contains? */
static bool is_taken(struct tr2_ring_reader *r)
{
	struct tr2_control c;
	uint64_t until;
	uint32_t slot;

	if (r->file.header.mode != TR2_RING_CONSUME)
		return false;
	for (slot = 0; slot < r->file.nr_slots && slot < TR2_MAX_SLOTS;
	     slot++) {
		if (!tr2_ring_file_control(&r->file, slot, &c))
			continue;
		until = r->taken_until[slot] ? r->taken_until[slot] :
					       TR2_RING_START(c.data_size);
		if (c.data_tail > until)
			return true;
	}
	return false;
}

/* Add the losses that atexit did not report. Losses that atexit reported are
 * already counted. */
static void set_lost(struct tr2_ring_reader *r, uint64_t lost)
{
	uint64_t counted = tr2_rare(r->m, r->session)->lost;

	if (lost <= counted)
		return;
	r->m->lost += lost - counted;
	tr2_rare_add(r->m, r->session)->lost = lost;
}

static void note_beginning(struct tr2_ring_reader *r)
{
	uint64_t overwritten = count_overwritten(r);
	char text[160] = "";

	if (overwritten)
		snprintf(text, sizeof(text),
			 "newer records replaced the oldest %llu (to keep "
			 "more, increase GIT_TRACE2_RING_SIZE)",
			 (unsigned long long)overwritten);
	else if (is_taken(r))
		snprintf(text, sizeof(text),
			 "a reader took the oldest records");
	else
		return;
	problem(r, TR2_PROBLEM_OVERWRITTEN, text);
	r->m->sessions[r->session].flags |= TR2_SESSION_NO_BEGINNING;
}

static void begin_session(struct tr2_ring_reader *r)
{
	const char *sid = tr2_ring_file_string(&r->file, r->file.header.sid);

	if (!*sid)
		sid = "no-session-id";
	r->session = tr2_build_session(r->m, sid, strlen(sid), r->source);
}

static void fill_model(struct tr2_ring_reader *r)
{
	begin_session(r);
	note_beginning(r);
	add_entries(r);
	add_unfinished(r);
	set_end(r);
	set_lost(r, tr2_ring_file_lost(&r->file));
	tr2_ring_metrics(r->m, &r->file, &r->names, r->session, r->last_ns);
}

static void load_ring(struct tr2_ring_reader *r, int records_fd)
{
	if (records_fd >= 0)
		read_pieces(r, records_fd);
	read_slots(r);
	tr2_must(tr2_ring_file_update_strings(&r->file) ||
		 r->file.strings != NULL);
	tr2_ring_names_sort(&r->names, &r->file);
	fill_model(r);
	if (r->file.problem[0])
		problem(r, TR2_PROBLEM_FILE, r->file.problem);
}

/* Read the new records of a slot. Return false if some records were overwritten
 * since the first call. */
static bool read_new(struct tr2_ring_reader *r, uint32_t slot, bool first)
{
	uint64_t *until = &r->taken_until[slot];
	struct tr2_ring_records records;
	bool whole;

	if (!tr2_ring_file_records(&r->file, slot, *until, &records) ||
	    !records.p)
		return true;
	if (!*until)
		*until = first ? records.position :
				 TR2_RING_START(records.ring_size);
	whole = records.position == *until;
	/* Wait once if records are missing: a recorder may have taken these
	 * records, and may be writing its first piece. */
	if (!whole && r->file.header.mode == TR2_RING_CONSUME && !r->waited) {
		r->waited = true;
		free(records.p);
		return true;
	}
	r->is_after_loss = !whole;
	*until = records.position + records.len;
	read_records(r, &records, slot);
	return whole;
}

/* Read the new records of all slots. While a recorder takes records out of the
 * ring, all records are in the pieces. */
static bool read_all_new(struct tr2_ring_reader *r, int records_fd, bool first,
			 bool is_alive)
{
	uint32_t i, nr = r->file.nr_slots < TR2_MAX_SLOTS ? r->file.nr_slots :
							    TR2_MAX_SLOTS;
	bool whole = true;

	if (records_fd >= 0)
		read_pieces(r, records_fd);
	if (records_fd >= 0 && is_alive)
		return true;
	for (i = 1; i <= nr; i++)
		whole &= read_new(r, i % nr, first);
	return whole;
}

enum tr2_ring_news tr2_ring_reader_follow(struct tr2_ring_reader *r, int fd,
					  int records_fd, tr2_str source)
{
	bool first = r->file.fd < 0, is_alive, whole;
	enum tr2_ring_is is;

	r->source = source;
	is = first ? tr2_ring_file_open(&r->file, fd) :
		     tr2_ring_file_update(&r->file);
	if (is != TR2_RING_IS_GOOD) {
		forget_file(r);
		return is == TR2_RING_IS_BEGUN ? TR2_RING_GOES_ON :
						 TR2_RING_OVER;
	}
	is_alive = tr2_ring_file_is_alive(&r->file);
	if (first)
		begin_session(r);
	whole = read_all_new(r, records_fd, first, is_alive);
	tr2_must(tr2_ring_file_update_strings(&r->file) ||
		 r->file.strings != NULL);
	tr2_ring_names_sort(&r->names, &r->file);
	add_entries(r);
	r->nr_entries = 0;
	if (!is_alive)
		add_unfinished(r);
	return !whole ? TR2_RING_MISSED :
	       is_alive ? TR2_RING_GOES_ON : TR2_RING_OVER;
}

enum tr2_ring_load tr2_ring_reader_load(struct tr2_ring_reader *r, int fd,
					int records_fd, tr2_str source,
					const char **why)
{
	enum tr2_ring_load result = TR2_RING_REFUSED;
	static char text[160];

	r->source = source;
	switch (tr2_ring_file_open(&r->file, fd)) {
	case TR2_RING_IS_GOOD:
		load_ring(r, records_fd);
		result = TR2_RING_LOADED;
		break;
	case TR2_RING_IS_BEGUN:
		result = TR2_RING_EMPTY;
		break;
	case TR2_RING_IS_NO_MEMORY:
		snprintf(text, sizeof(text), "it is larger than memory");
		break;
	case TR2_RING_IS_NONE:
		snprintf(text, sizeof(text), "it is too short for a ring");
		break;
	default:
		snprintf(text, sizeof(text), "%s", r->file.problem);
	}
	*why = text;
	forget_file(r);
	return result;
}

int tr2_ring_open_pieces(const char *path)
{
	char *name = tr2_strf("%s" TR2_PIECES_SUFFIX, path);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	free(name);
	return fd;
}
