/* SPDX-License-Identifier: MIT */
/*
 * perf_data - write samples as a perf.data file, which perf script and perf
 * report read. An event gets its name from the setting, the period of a sample
 * is its count, and a group of events stays a group.
 *
 * All records have wall times, by which perf sorts them.
 */
#include "export/profile/perf_data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/map.h"
#include "common/memory.h"
#include "common/say.h"

/* Headers of the kernel have this constant since 5.12. The format of the file
 * did not change. */
#define MISC_MMAP_BUILD_ID 0x4000
#define MISC_BUILD_ID_SIZE 0x8000

static bool begin_perf_data(struct tr2_export *x)
{
	struct tr2_perf_data *p = tr2_calloc(1, sizeof(*p));

	x->state = p;
	tr2_mappings_init(&p->mappings, x->m);
	return true;
}

/* Append the fields that end every record other than a sample. */
static void end_side_record(struct tr2_buf *b, size_t at, int32_t pid,
			    uint32_t tid, int64_t wall_ns)
{
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, tid);
	tr2_perf_add_u64(b, (uint64_t)wall_ns);
	tr2_perf_add_u64(b, 1); /* id of the first event */
	tr2_perf_add_u64(b, 0); /* cpu */
	tr2_perf_end_record(b, at);
}

static void add_comm(struct tr2_buf *b, int32_t pid, uint32_t tid,
		     const char *comm, int64_t wall_ns)
{
	uint16_t misc = tid == (uint32_t)pid ? PERF_RECORD_MISC_COMM_EXEC : 0;
	size_t at = tr2_perf_begin_record(b, PERF_RECORD_COMM, misc);

	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, tid);
	tr2_perf_add_padded(b, comm, 15);
	end_side_record(b, at, pid, tid, wall_ns);
}

static void add_task(struct tr2_buf *b, uint32_t type, int32_t pid,
		     uint32_t tid, int64_t wall_ns)
{
	size_t at = tr2_perf_begin_record(b, type, 0);

	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, tid);
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u64(b, (uint64_t)wall_ns);
	end_side_record(b, at, pid, tid, wall_ns);
}

static void add_build_id(struct tr2_buf *b, const struct tr2_mapping *mapping)
{
	static const uint8_t zeros[24];
	const uint8_t size[4] = { mapping->build_id_size };

	if (!mapping->build_id_size) { /* without a build id: fields for device
					* and inode, which are unknown */
		tr2_buf_add(b, zeros, sizeof(zeros));
		return;
	}
	tr2_buf_add(b, size, sizeof(size));
	tr2_buf_add(b, mapping->build_id, sizeof(mapping->build_id));
}

static void add_mapping(struct tr2_buf *b, const struct tr2_mapping *mapping,
			const char *file, int32_t pid, int64_t wall_ns)
{
	uint16_t misc = PERF_RECORD_MISC_USER;
	size_t at;

	if (mapping->build_id_size)
		misc |= MISC_MMAP_BUILD_ID;
	at = tr2_perf_begin_record(b, PERF_RECORD_MMAP2, misc);
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u64(b, mapping->addr);
	tr2_perf_add_u64(b, mapping->len);
	tr2_perf_add_u64(b, mapping->pgoff);
	add_build_id(b, mapping);
	tr2_perf_add_u32(b, PROT_READ | PROT_EXEC);
	tr2_perf_add_u32(b, MAP_PRIVATE);
	tr2_perf_add_padded(b, file, 4095);
	end_side_record(b, at, pid, (uint32_t)pid, wall_ns);
}

/* Add the build id to the file's header, for programs that read only the
 * header. */
static void tell_build_id(struct tr2_perf_data *p,
			  const struct tr2_mapping *mapping, const char *file)
{
	uint64_t id = tr2_hash((const char *)mapping->build_id,
			       mapping->build_id_size);
	uint32_t *known =
		tr2_map_slot(&p->files, tr2_mix(id, mapping->file) | 1);
	struct tr2_buf *b = &p->build_ids;
	size_t at;

	if (!mapping->build_id_size || *known)
		return;
	*known = 1;
	at = tr2_perf_begin_record(b, 0, PERF_RECORD_MISC_USER |
					 MISC_BUILD_ID_SIZE);
	tr2_perf_add_u32(b, UINT32_MAX); /* pid: no particular process */
	tr2_buf_add(b, mapping->build_id, sizeof(mapping->build_id));
	tr2_perf_add_u32(b, mapping->build_id_size);
	tr2_perf_add_padded(b, file, 4095);
	tr2_perf_end_record(b, at);
}

/* Add the mappings of a process. The first mapping at an address counts from
 * the start of the process, since it may have existed from then on. */
static void add_mappings(struct tr2_export *x, struct tr2_perf_data *p,
			 uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	const struct tr2_mapping *mapping;
	const char *file;
	uint32_t i;
	bool first;

	tr2_for_each_in(x->m->mappings,
			tr2_rare(x->m, session)->first_mapping, i) {
		mapping = &x->m->mappings[i];
		first = tr2_mappings_is_first(&p->mappings, i);
		file = tr2_export_text(x, tr2_s(x->m, mapping->file));
		add_mapping(&p->records, mapping, file, s->pid,
			    s->wall_ns + (first ? 0 : mapping->at_ns));
		tell_build_id(p, mapping, file);
	}
}

/* Return the index of an event; TR2_PERF_MAX_EVENTS: there are too many. */
static uint32_t event_of(struct tr2_perf_data *p, tr2_str name, tr2_str leader)
{
	uint32_t i;

	for (i = 0; i < p->nr_events; i++)
		if (p->events[i].name == name && p->events[i].leader == leader)
			return i;
	if (i < TR2_PERF_MAX_EVENTS) {
		p->events[i].name = name;
		p->events[i].leader = leader;
		p->events[i].group = i;
		p->nr_events++;
	}
	return i;
}

/* Add the events of a group in order: perf requires the members after the
 * leader. */
static void add_group(struct tr2_export *x, struct tr2_perf_data *p,
		      const struct tr2_model_sample *s)
{
	const struct tr2_sample_value *value = &x->m->values[s->first_value];
	uint32_t leader = event_of(p, value->event, value->event), i, at;

	for (i = 1; i < s->nr_values; i++) {
		at = event_of(p, value[i].event, value->event);
		if (at < TR2_PERF_MAX_EVENTS)
			p->events[at].group = leader;
	}
}

/* Return the id of an event in a process. Each process needs an id of its own:
 * perf subtracts the previous value with the same id. 0: there are too many
 * events. */
static uint64_t id_of(struct tr2_perf_data *p, uint32_t place, uint32_t session)
{
	struct tr2_perf_data_event *event = &p->events[place];

	if (place == TR2_PERF_MAX_EVENTS)
		return 0;
	if (event->session == session)
		return event->ids[event->nr_ids - 1];
	tr2_grow(event->ids, event->nr_ids, event->alloc_ids);
	event->session = session;
	event->ids[event->nr_ids++] = ++p->last_id;
	return p->last_id;
}

uint64_t tr2_perf_sample_type(const struct tr2_perf_data_event *event)
{
	return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	       PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
	       PERF_SAMPLE_CALLCHAIN | (event->leader ? PERF_SAMPLE_READ : 0);
}

static void add_values(struct tr2_export *x, struct tr2_perf_data *p,
		       const struct tr2_model_sample *s)
{
	const struct tr2_sample_value *value = &x->m->values[s->first_value];
	uint32_t i;

	if (!s->nr_values)
		return;
	tr2_perf_add_u64(&p->records, s->nr_values);
	for (i = 0; i < s->nr_values; i++) {
		tr2_perf_add_u64(&p->records, value[i].value);
		tr2_perf_add_u64(&p->records,
				 id_of(p, event_of(p, value[i].event,
						   value->event),
				       s->session));
	}
}

static void add_calls(struct tr2_buf *b, const uint64_t *calls, uint32_t nr)
{
	tr2_perf_add_u64(b, nr ? (uint64_t)nr + 1 : 0);
	if (nr)
		tr2_perf_add_u64(b, PERF_CONTEXT_USER);
	tr2_buf_add(b, calls, nr * sizeof(*calls));
}

static void add_sample(struct tr2_export *x, struct tr2_perf_data *p,
		       const struct tr2_model_sample *s)
{
	const struct tr2_model_session *session = &x->m->sessions[s->session];
	const uint64_t *calls = x->m->calls + s->first_call;
	struct tr2_buf *b = &p->records;
	uint64_t id;
	size_t at;

	if (s->nr_values)
		add_group(x, p, s);
	id = id_of(p, event_of(p, s->event,
			       s->nr_values ?
				       x->m->values[s->first_value].event : 0),
		   s->session);
	if (!id) {
		tr2_error("more than %u events", TR2_PERF_MAX_EVENTS);
		x->failed = true;
		return;
	}
	at = tr2_perf_begin_record(b, PERF_RECORD_SAMPLE,
				   PERF_RECORD_MISC_USER);
	tr2_perf_add_u64(b, s->nr_calls ? calls[0] : 0);
	tr2_perf_add_u32(b, (uint32_t)session->pid);
	tr2_perf_add_u32(b, x->m->sample_tasks[s->task].tid);
	tr2_perf_add_u64(b, (uint64_t)(session->wall_ns + s->at_ns));
	tr2_perf_add_u64(b, id);
	tr2_perf_add_u32(b, s->cpu);
	tr2_perf_add_u32(b, 0);
	tr2_perf_add_u64(b, s->count);
	add_values(x, p, s);
	add_calls(b, calls, s->nr_calls);
	tr2_perf_end_record(b, at);
}

static bool is_main(const struct tr2_export *x, uint32_t task)
{
	const struct tr2_sample_task *t = &x->m->sample_tasks[task];

	return t->tid == (uint32_t)x->m->sessions[t->session].pid;
}

/* Begin a thread. `s` is the thread's first sample. */
static void begin_task(struct tr2_export *x, struct tr2_perf_data *p,
		       const struct tr2_model_sample *s)
{
	const struct tr2_sample_task *task = &x->m->sample_tasks[s->task];
	const struct tr2_model_session *session = &x->m->sessions[s->session];
	int64_t at_ns = s->at_ns;

	if (task->start_ns != TR2_NO_TIME && task->start_ns < at_ns)
		at_ns = task->start_ns;
	add_task(&p->records, PERF_RECORD_FORK, session->pid, task->tid,
		 session->wall_ns + at_ns);
	add_comm(&p->records, session->pid, task->tid,
		 tr2_export_text(x, tr2_s(x->m, task->name)),
		 session->wall_ns + at_ns);
}

static void begin_process(struct tr2_export *x, struct tr2_perf_data *p,
			  uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];

	add_comm(&p->records, s->pid, (uint32_t)s->pid,
		 tr2_export_name(x, tr2_export_node_name, s->node), s->wall_ns);
	add_mappings(x, p, session);
}

/* End the threads. If a thread's end is unknown, take the end of its
 * process. */
static void end_tasks(struct tr2_export *x, struct tr2_perf_data *p,
		      const struct tr2_model_session *s, uint32_t first,
		      uint32_t end)
{
	const struct tr2_sample_task *task;
	int64_t at_ns;

	for (; first < end; first++) {
		task = &x->m->sample_tasks[first];
		if (is_main(x, first))
			continue;
		at_ns = task->end_ns == TR2_NO_TIME ? s->end_ns : task->end_ns;
		add_task(&p->records, PERF_RECORD_EXIT, s->pid, task->tid,
			 s->wall_ns + at_ns);
	}
	add_task(&p->records, PERF_RECORD_EXIT, s->pid, (uint32_t)s->pid,
		 s->wall_ns + s->end_ns);
}

/* Begin threads in the order of the model, in which their first samples are
 * sorted by time. */
static void begin_threads(struct tr2_export *x, uint32_t session)
{
	const struct tr2_model_session *s = &x->m->sessions[session];
	struct tr2_perf_data *p = x->state;
	const struct tr2_model_sample *sample;
	uint32_t i, first = 0, next = 0;

	tr2_for_each_sample(x->m, session, i) {
		sample = &x->m->samples[i];
		if (x->failed)
			return;
		/* Leave out the kernel's samples: perf can read the kernel's
		 * own file. */
		if (!sample->task)
			continue;
		if (!first) {
			begin_process(x, p, session);
			first = next = sample->task;
		}
		if (sample->task >= next && !is_main(x, sample->task))
			begin_task(x, p, sample);
		if (sample->task >= next)
			next = sample->task + 1;
		add_sample(x, p, sample);
	}
	if (first)
		end_tasks(x, p, s, first, next);
}

static void release_data(struct tr2_perf_data *p)
{
	uint32_t i;

	for (i = 0; i < p->nr_events; i++)
		free(p->events[i].ids);
	tr2_buf_release(&p->records);
	tr2_buf_release(&p->build_ids);
	tr2_map_release(&p->files);
	tr2_mappings_release(&p->mappings);
	free(p);
}

static bool end_perf_data(struct tr2_export *x)
{
	struct tr2_perf_data *p = x->state;
	bool ok = !x->failed;

	if (ok && !p->nr_events) {
		if (x->m->nr_samples > 1)
			tr2_error("the samples of this recording are the "
				  "kernel's, which perf reads directly: perf "
				  "report -i RECORDING/kernel.data");
		else
			tr2_error("no samples in this recording: record it "
				  "with 'trace2 record --profile', for 'perf "
				  "report -i RECORDING/kernel.data'; or of "
				  "counters, with --ring and GIT_TRACE2_SAMPLE "
				  "set");
		ok = false;
	}
	if (ok)
		tr2_perf_data_write(x, p);
	release_data(p);
	return ok;
}

const struct tr2_export_format tr2_export_perf = {
	.flags = TR2_EXPORT_BINARY,
	.begin = begin_perf_data,
	.end = end_perf_data,
	.session = begin_threads,
};
