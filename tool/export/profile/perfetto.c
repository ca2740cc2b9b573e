/* SPDX-License-Identifier: MIT */
/*
 * perfetto - slices on tracks in Perfetto's own format, by protobuf-c.
 * perfetto.proto has the part of the format that is used here.
 *
 * Perfetto shows the processes of a system side by side, so each process is a
 * plain track here. Below it are its threads, their states, its counters, and
 * the processes that it started. The main thread is on the track of the process
 * itself.
 *
 * Times count from the start of the recording; a snapshot of clocks gives the
 * wall time of that start. Each packet is written when it is complete, and
 * readers sort the packets.
 */
#include "export/profile/tracks.h"

#ifdef HAVE_PROTOBUF_C

#include <perfetto.pb-c.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "model/build/trace_span.h"

/* All packets belong to one sequence, which owns the interned strings. */
#define SEQUENCE 1
#define INCREMENTAL_STATE_CLEARED 1
#define NEEDS_INCREMENTAL_STATE 2

/* Perfetto's numbers for two clocks of Linux: BOOTTIME for the times in
 * packets, REALTIME for the wall clock. */
#define BOOTTIME 6
#define REALTIME 1

/* Ranks of the tracks below a process: first counters, then threads by their
 * own ranks, then spans of the program, then processes in their order. */
#define RANK_COUNTERS (-1)
#define RANK_SPANS (1 << 29)
#define RANK_PROCESSES (1 << 30)

/* Write at most this many arguments of an event. */
#define MAX_ARGS 24
/* After this many interned strings, forget all of them. A string that is used
 * again then gets a new number, which no earlier string had. */
#define MAX_INTERNED 16384

/* The indexes of interned strings. Values of arguments are not interned: that
 * would save only 3 % of a file. */
enum index { CATEGORIES, NAMES, KEYS, NR_INDEXES };

struct interned {
	char *text;
	enum index index;
};

struct perfetto {
	struct tr2_map numbers; /* numbers of strings, by a hash of index and
				 * text */
	struct interned strings[MAX_INTERNED]; /* strings with the numbers from
						* first_number on */
	uint32_t nr_strings, first_number;
	bool is_first; /* the next packet with strings must say that the
			* sequence begins again */

	/* The open packet, and the objects to which it points. */
	Pf__TracePacket packet;
	Pf__TrackEvent event;
	uint64_t category, flow;
	int64_t end_ns; /* end of the open slice */
	Pf__DebugAnnotation args[MAX_ARGS];
	Pf__DebugAnnotation *arg_list[MAX_ARGS];
	Pf__InternedData new;
	Pf__InternedString new_strings[NR_INDEXES][MAX_ARGS];
	Pf__InternedString *new_list[NR_INDEXES][MAX_ARGS];
	size_t nr_new[NR_INDEXES];
};

static struct perfetto *perfetto_of(const struct tr2_export *x)
{
	return ((const struct tr2_tracks *)x->state)->own;
}

/* Write a packet as a trace of its own. A file with many such traces is one
 * trace. */
static void write_packet(struct tr2_export *x, Pf__TracePacket *packet)
{
	struct tr2_buf *b = &x->sink.buf;
	Pf__Trace trace = PF__TRACE__INIT;

	trace.n_packet = 1;
	trace.packet = &packet;
	if (tr2_buf_room(b, pf__trace__get_packed_size(&trace)))
		b->len += pf__trace__pack(&trace, (uint8_t *)b->p + b->len);
}

static void forget_strings(struct perfetto *p)
{
	uint32_t i;

	for (i = 0; i < p->nr_strings; i++)
		free(p->strings[i].text);
	p->first_number += p->nr_strings;
	p->nr_strings = 0;
	tr2_map_release(&p->numbers);
	p->numbers = (struct tr2_map){ 0 };
}

/* Return the number of a string. Add a new string to the open packet. */
static uint64_t intern_name(struct perfetto *p, enum index index, const char *s)
{
	uint64_t key = tr2_mix(tr2_hash(s, strlen(s)), index) | 1;
	uint32_t *number = tr2_map_slot(&p->numbers, key);
	const struct interned *old = *number ?
		&p->strings[*number - p->first_number] : NULL;
	Pf__InternedString *new;
	char *copy;

	if (old && old->index == index && !strcmp(old->text, s))
		return *number;
	copy = tr2_strdup(s);
	p->strings[p->nr_strings] = (struct interned){ copy, index };
	*number = p->first_number + p->nr_strings++;
	new = &p->new_strings[index][p->nr_new[index]++];
	*new = (Pf__InternedString)PF__INTERNED_STRING__INIT;
	new->has_iid = true;
	new->iid = *number;
	new->str = copy;
	return *number;
}

static void set_time(struct tr2_export *x, Pf__TracePacket *packet,
		     int64_t wall_ns)
{
	const struct tr2_tracks *t = x->state;

	packet->has_timestamp = true;
	packet->timestamp = wall_ns < t->origin_ns ?
		0 : (uint64_t)(wall_ns - t->origin_ns);
	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = SEQUENCE;
}

static struct perfetto *open_event(struct tr2_export *x,
				   Pf__TrackEvent__Type type, uint32_t track,
				   int64_t wall_ns)
{
	struct perfetto *p = perfetto_of(x);

	if (p->nr_strings > MAX_INTERNED - NR_INDEXES * MAX_ARGS)
		forget_strings(p);
	p->packet = (Pf__TracePacket)PF__TRACE_PACKET__INIT;
	p->event = (Pf__TrackEvent)PF__TRACK_EVENT__INIT;
	p->packet.track_event = &p->event;
	p->event.debug_annotations = p->arg_list;
	p->event.has_type = true;
	p->event.type = type;
	p->event.has_track_uuid = true;
	p->event.track_uuid = track;
	set_time(x, &p->packet, wall_ns);
	return p;
}

static void set_name(struct perfetto *p, const char *category, const char *name)
{
	p->category = intern_name(p, CATEGORIES, category);
	p->event.n_category_iids = 1;
	p->event.category_iids = &p->category;
	p->event.has_name_iid = true;
	p->event.name_iid = intern_name(p, NAMES, name);
}

static void add_new_strings(struct perfetto *p)
{
	struct {
		size_t *nr;
		Pf__InternedString ***list;
	} fields[NR_INDEXES] = {
		[CATEGORIES] = { &p->new.n_event_categories,
				 &p->new.event_categories },
		[NAMES] = { &p->new.n_event_names, &p->new.event_names },
		[KEYS] = { &p->new.n_debug_annotation_names,
			   &p->new.debug_annotation_names },
	};
	size_t i, j;

	p->new = (Pf__InternedData)PF__INTERNED_DATA__INIT;
	for (i = 0; i < NR_INDEXES; i++) {
		for (j = 0; j < p->nr_new[i]; j++) {
			p->new_list[i][j] = &p->new_strings[i][j];
			p->packet.interned_data = &p->new;
		}
		*fields[i].nr = p->nr_new[i];
		*fields[i].list = p->new_list[i];
		p->nr_new[i] = 0;
	}
}

/* Write the open packet. */
static void write_event(struct tr2_export *x)
{
	struct perfetto *p = perfetto_of(x);
	size_t i;

	add_new_strings(p);
	if (p->event.has_name_iid) {
		p->packet.has_sequence_flags = true;
		p->packet.sequence_flags = NEEDS_INCREMENTAL_STATE |
			(p->is_first ? INCREMENTAL_STATE_CLEARED : 0);
		p->is_first = false;
	}
	write_packet(x, &p->packet);
	for (i = 0; i < p->event.n_debug_annotations; i++)
		free(p->args[i].string_value);
}

/* Write the open event, and the end of a slice. */
static void close_event(struct tr2_export *x)
{
	struct perfetto *p = perfetto_of(x);
	bool is_slice =
		p->event.type == PF__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN;

	write_event(x);
	if (!is_slice)
		return;
	open_event(x, PF__TRACK_EVENT__TYPE__TYPE_SLICE_END,
		   (uint32_t)p->event.track_uuid, p->end_ns);
	write_event(x);
}

static Pf__DebugAnnotation *add_arg(struct tr2_export *x, const char *key)
{
	struct perfetto *p = perfetto_of(x);
	size_t i = p->event.n_debug_annotations++;

	tr2_must(i < MAX_ARGS);
	p->arg_list[i] = &p->args[i];
	p->args[i] = (Pf__DebugAnnotation)PF__DEBUG_ANNOTATION__INIT;
	p->args[i].has_name_iid = true;
	p->args[i].name_iid = intern_name(p, KEYS, key);
	return &p->args[i];
}

static void add_text(struct tr2_export *x, const char *key, const char *value)
{
	add_arg(x, key)->string_value = tr2_strdup(value);
}

static void write_integer(struct tr2_export *x, const char *key, int64_t value)
{
	Pf__DebugAnnotation *arg = add_arg(x, key);

	arg->has_int_value = true;
	arg->int_value = value;
}

static void write_true(struct tr2_export *x, const char *key)
{
	Pf__DebugAnnotation *arg = add_arg(x, key);

	arg->has_bool_value = true;
	arg->bool_value = true;
}

/* Write words as a user types them in a shell. */
static void write_words(struct tr2_export *x, const char *key,
			const struct tr2_words *value)
{
	tr2_buf_reset(&x->text);
	tr2_export_add_command(x, &x->text, value);
	add_text(x, key, tr2_buf_str(&x->text));
}

/* Add a track. Perfetto must not merge processes or threads of one name; all
 * spans share a name. */
static void add_track(struct tr2_export *x, Pf__TrackDescriptor *d,
		      uint32_t number, uint32_t parent, const char *name,
		      int32_t rank)
{
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;

	packet.track_descriptor = d;
	d->has_uuid = true;
	d->uuid = number;
	d->has_parent_uuid = parent != 0;
	d->parent_uuid = parent;
	d->name = (char *)name;
	d->has_sibling_order_rank = true;
	d->sibling_order_rank = rank;
	d->has_sibling_merge_behavior = rank != RANK_SPANS;
	d->sibling_merge_behavior =
		PF__TRACK_DESCRIPTOR__SIBLING_MERGE_BEHAVIOR__SIBLING_MERGE_BEHAVIOR_NONE;
	write_packet(x, &packet);
}

static void write_process(struct tr2_export *x, uint32_t node, uint32_t pid,
			  uint32_t parent_pid)
{
	Pf__TrackDescriptor d = PF__TRACK_DESCRIPTOR__INIT;

	d.has_child_ordering = true;
	d.child_ordering =
		PF__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
	tr2_buf_reset(&x->text);
	tr2_export_node_name(x, &x->text, node);
	if (x->m->nodes[node].pid > 0)
		tr2_addf(&x->text, " %d", x->m->nodes[node].pid);
	add_track(x, &d, pid, parent_pid, tr2_buf_str(&x->text),
		  RANK_PROCESSES + (int32_t)(node & (RANK_PROCESSES - 1)));
}

static void write_track(struct tr2_export *x, const struct tr2_track *t)
{
	Pf__TrackDescriptor d = PF__TRACK_DESCRIPTOR__INIT;

	if (t->tid != t->pid)
		add_track(x, &d, t->tid, t->pid, t->name,
			  (int32_t)(t->rank & (RANK_SPANS - 1)));
}

/* Begin the arrow at an instant: Perfetto lets an arrow from a slice begin at
 * the slice's end. */
static void open_slice(struct tr2_export *x, const struct tr2_slice *at,
		       const char *category, const char *name)
{
	const struct tr2_flow *from = &at->from;
	struct perfetto *p;

	if (from->id) {
		p = open_event(x, PF__TRACK_EVENT__TYPE__TYPE_INSTANT,
			       from->tid,
			       from->at_ns < at->start_ns ? from->at_ns :
							    at->start_ns);
		set_name(p, from->name, from->name);
		p->flow = from->id;
		p->event.n_flow_ids = 1;
		p->event.flow_ids = &p->flow;
		write_event(x);
	}
	p = open_event(x, PF__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, at->tid,
		       at->start_ns);
	set_name(p, category, name);
	p->end_ns = at->end_ns;
	p->event.n_terminating_flow_ids = from->id != 0;
	p->event.terminating_flow_ids = &p->flow;
}

static void open_instant(struct tr2_export *x, const struct tr2_slice *at,
			 const char *category, const char *name,
			 bool of_process)
{
	(void)of_process;
	set_name(open_event(x, PF__TRACK_EVENT__TYPE__TYPE_INSTANT, at->tid,
			    at->start_ns),
		 category, name);
}

static void open_span(struct tr2_export *x, const struct tr2_slice *at,
		      uint64_t id, const char *name)
{
	Pf__TrackDescriptor d = PF__TRACK_DESCRIPTOR__INIT;

	add_track(x, &d, at->tid, at->pid, "spans", RANK_SPANS);
	open_slice(x, at, "span", name);
	tr2_buf_reset(&x->text);
	tr2_context_add_id(&x->text, id);
	add_text(x, "span_id", tr2_buf_str(&x->text));
}

static void counter_track(struct tr2_export *x,
			  const struct tr2_track_counter *c)
{
	Pf__TrackDescriptor d = PF__TRACK_DESCRIPTOR__INIT;
	Pf__CounterDescriptor counter = PF__COUNTER_DESCRIPTOR__INIT;

	counter.has_unit = true;
	counter.unit = c->is_bytes ?
		PF__COUNTER_DESCRIPTOR__UNIT__UNIT_SIZE_BYTES :
		PF__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
	d.counter = &counter;
	add_track(x, &d, c->track, c->pid, c->name, RANK_COUNTERS);
}

/* Write a counter. Limit the value, since Perfetto has only signed values. */
static void write_counter(struct tr2_export *x,
			  const struct tr2_track_counter *c, int64_t wall_ns,
			  int64_t value)
{
	struct perfetto *p = open_event(x, PF__TRACK_EVENT__TYPE__TYPE_COUNTER,
					c->track, wall_ns);

	p->event.has_counter_value = c->is_signed || value >= 0;
	p->event.counter_value = value;
	p->event.has_double_counter_value = !p->event.has_counter_value;
	p->event.double_counter_value = (double)(uint64_t)value;
	write_event(x);
}

static void write_clocks(struct tr2_export *x)
{
	const struct tr2_tracks *t = x->state;
	Pf__TracePacket packet = PF__TRACE_PACKET__INIT;
	Pf__ClockSnapshot snapshot = PF__CLOCK_SNAPSHOT__INIT;
	Pf__ClockSnapshot__Clock clocks[2] = {
		PF__CLOCK_SNAPSHOT__CLOCK__INIT,
		PF__CLOCK_SNAPSHOT__CLOCK__INIT,
	}, *list[] = { &clocks[0], &clocks[1] };

	clocks[0].clock_id = BOOTTIME;
	clocks[1].clock_id = REALTIME;
	clocks[1].timestamp = t->origin_ns < 0 ? 0 : (uint64_t)t->origin_ns;
	clocks[0].has_clock_id = clocks[1].has_clock_id = true;
	clocks[0].has_timestamp = clocks[1].has_timestamp = true;
	snapshot.n_clocks = 2;
	snapshot.clocks = list;
	snapshot.has_primary_trace_clock = true;
	snapshot.primary_trace_clock = BOOTTIME;
	packet.clock_snapshot = &snapshot;
	set_time(x, &packet, t->origin_ns);
	write_packet(x, &packet);
}

static bool begin_perfetto(struct tr2_export *x)
{
	static const struct tr2_track_writer writer = {
		.process = write_process,
		.track = write_track,
		.open = open_slice,
		.open_instant = open_instant,
		.open_span = open_span,
		.text = add_text,
		.integer = write_integer,
		.yes = write_true,
		.words = write_words,
		.json = add_text,
		.close = close_event,
		.counter_track = counter_track,
		.counter = write_counter,
	};
	struct perfetto *p = tr2_calloc(1, sizeof(*p));

	tr2_tracks_begin(x, &writer);
	((struct tr2_tracks *)x->state)->own = p;
	p->first_number = 1;
	p->is_first = true;
	write_clocks(x);
	return true;
}

static bool end_perfetto(struct tr2_export *x)
{
	struct perfetto *p = perfetto_of(x);

	forget_strings(p);
	free(p);
	tr2_tracks_end(x);
	return true;
}

const struct tr2_export_format tr2_export_perfetto = {
	.flags = TR2_EXPORT_BINARY,
	TR2_TRACKS_OPERATIONS,
	.begin = begin_perfetto,
	.end = end_perfetto,
};

#else

const struct tr2_export_format tr2_export_perfetto = {
	.missing_library = "protobuf-c",
	.missing_package = "libprotobuf-c-dev",
};

#endif
