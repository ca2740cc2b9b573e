/* SPDX-License-Identifier: MIT */
/* ring_sample - parse records of samples and mappings. */
#include "format/ring/ring_sample.h"

#include <stdio.h>

#include "format/events/utf8.h"
#include "model/private.h"

bool tr2_ring_is_sample(const struct tr2_record *record)
{
	return record->type == TR2_RECORD_SAMPLE &&
	       record->size >= sizeof(struct tr2_record_sample);
}

void tr2_ring_samples_reset(struct tr2_ring_samples *s)
{
	tr2_map_release(&s->events);
	tr2_map_release(&s->times);
	tr2_map_release(&s->tasks);
	memset(s, 0, sizeof(*s));
}

static tr2_str text_of(struct tr2_model *m, const struct tr2_ring_file *f,
		       const struct tr2_definition *d)
{
	const char *name = tr2_ring_file_string(f, d->name);
	size_t len = strlen(name);

	return tr2_utf8_valid(name, len) ? tr2_intern(m, name, len) : 0;
}

/* List the names of events. If two rows have the same id, the first one
 * counts. */
static void list_events(struct tr2_ring_samples *s, struct tr2_model *m,
			const struct tr2_ring_file *f)
{
	const struct tr2_definition *d = f->definitions;
	uint32_t *slot, i;
	uint64_t id;

	s->has_events = true;
	for (i = 0; i < f->nr_definitions; i++) {
		id = (uint64_t)d[i].flags << 32 | d[i].index;
		if (d[i].kind != TR2_DEFINITION_EVENT || !id)
			continue;
		slot = tr2_map_slot(&s->events, id);
		if (*slot)
			continue;
		*slot = text_of(m, f, &d[i]);
		*tr2_map_slot(&s->times, id) =
			!strcmp(tr2_ring_file_string(f, d[i].unit), "ns");
	}
}

/* Return the event's name or, if no row names the event, its id. */
static tr2_str event_of(const struct tr2_ring_samples *s, struct tr2_model *m,
			uint64_t id)
{
	tr2_str name = id ? tr2_map_get(&s->events, id) : 0;
	char text[40];

	if (name)
		return name;
	snprintf(text, sizeof(text), "event %#llx", (unsigned long long)id);
	return tr2_intern(m, text, strlen(text));
}

static uint32_t new_task(struct tr2_model *m, const struct tr2_ring_file *f,
			 uint32_t session, uint32_t tid,
			 const struct tr2_ring_name *name, const char *text)
{
	uint32_t i = tr2_add(m, sample_tasks);
	struct tr2_sample_task *task = &m->sample_tasks[i];

	task->session = session;
	task->tid = tid;
	task->name = tr2_intern(m, text, strlen(text));
	task->start_ns = task->end_ns = TR2_NO_TIME;
	if (name && name->since)
		task->start_ns = tr2_ring_file_since_start(f, name->since);
	if (name && name->until)
		task->end_ns = tr2_ring_file_since_start(f, name->until);
	return i;
}

static uint32_t task_of(struct tr2_ring_samples *s, struct tr2_model *m,
			const struct tr2_ring_file *f, struct tr2_ring_names *n,
			uint32_t session,
			const struct tr2_record_sample *record)
{
	struct tr2_ring_name *name =
		tr2_ring_names_find(n, record->tid, record->time);
	uint32_t *slot = name ? &name->task :
				tr2_map_slot(&s->tasks,
					     tr2_key(0, record->tid));

	if (!*slot)
		*slot = new_task(m, f, session, record->tid, name,
				 tr2_ring_names_of(n, record->tid, record->time,
						   false));
	return *slot;
}

static uint64_t read_u64(const char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* Read a count of values, each of `words` numbers. Return the count if the
 * record has all these values; else 0. */
static uint64_t read_count(const char **p, const char *end, unsigned int words)
{
	uint64_t nr;

	if ((size_t)(end - *p) < sizeof(nr))
		return 0;
	nr = read_u64(*p);
	*p += sizeof(nr);
	return nr <= (size_t)(end - *p) / sizeof(nr) / words ? nr : 0;
}

/* Add the values of a group. A single event is not a group: the sample's count
 * is its value. */
static void add_values(const struct tr2_ring_samples *s, struct tr2_model *m,
		       const char *p, uint64_t nr,
		       struct tr2_model_sample *sample)
{
	uint32_t at;

	for (; nr > 1 && sample->nr_values < nr; p += 2 * sizeof(uint64_t)) {
		at = tr2_add(m, values);
		m->values[at].value = read_u64(p);
		m->values[at].event = event_of(s, m, read_u64(p + 8));
		if (!sample->nr_values++)
			sample->first_value = at;
	}
}

static void add_calls(struct tr2_model *m, const char *p, uint64_t nr,
		      struct tr2_model_sample *sample)
{
	uint64_t i, ip;
	uint32_t call;

	for (i = 0; i < nr; i++) {
		ip = read_u64(p + i * sizeof(ip));
		/* skip a marker before the addresses of the kernel or of the
		 * process */
		if (ip >= UINT64_MAX - 4095)
			continue;
		call = tr2_add(m, calls);
		m->calls[call] = ip;
		if (!sample->nr_calls++)
			sample->first_call = call;
	}
}

/* Return the address space of the session's process. */
static uint32_t space_of(struct tr2_model *m, uint32_t session)
{
	uint32_t i = tr2_rare(m, session)->space;

	if (!i) {
		i = tr2_rare_add(m, session)->space = tr2_add(m, spaces);
		m->spaces[i].session = session;
	}
	return i;
}

static void add_sample(struct tr2_model *m,
		       const struct tr2_model_sample *sample)
{
	struct tr2_rare *session = tr2_rare_add(m, sample->session);
	uint32_t i = tr2_add(m, samples);

	m->samples[i] = *sample;
	if (session->last_sample)
		m->samples[session->last_sample].next = i;
	else
		session->first_sample = i;
	session->last_sample = i;
}

void tr2_ring_sample(struct tr2_ring_samples *s, struct tr2_model *m,
		     const struct tr2_ring_file *f, struct tr2_ring_names *n,
		     uint32_t session, const struct tr2_record_sample *record)
{
	struct tr2_model_sample sample = { .session = session,
					   .cpu = record->cpu,
					   .count = record->period };
	const char *p = (const char *)(record + 1);
	const char *end = (const char *)record + record->head.size;
	uint64_t nr = read_count(&p, end, 2);

	if (!s->has_events)
		list_events(s, m, f);
	add_values(s, m, p, nr, &sample);
	p += nr * 2 * sizeof(uint64_t);
	nr = read_count(&p, end, 1);
	sample.event = event_of(s, m, record->id);
	sample.is_time = record->id && tr2_map_get(&s->times, record->id);
	sample.at_ns = tr2_ring_file_since_start(f, record->time);
	sample.task = task_of(s, m, f, n, session, record);
	sample.space = space_of(m, session);
	add_calls(m, p, nr, &sample);
	add_sample(m, &sample);
}

bool tr2_ring_is_mapping(const struct tr2_record *record)
{
	return record->type == TR2_RECORD_MMAP2;
}

static void add_mapping(struct tr2_model *m, struct tr2_mapping *mapping,
			uint32_t of, const char *name, size_t size)
{
	struct tr2_rare *session = tr2_rare_add(m, of);
	size_t len = strnlen(name, size);
	uint32_t i;

	if (!tr2_utf8_valid(name, len))
		return;
	mapping->file = tr2_intern(m, name, len);
	mapping->space = space_of(m, of);
	i = tr2_add(m, mappings);
	m->mappings[i] = *mapping;
	if (session->last_mapping)
		m->mappings[session->last_mapping].next = i;
	else
		session->first_mapping = i;
	session->last_mapping = i;
}

static void read_build_id(struct tr2_mapping *mapping,
			  const struct tr2_record_mmap2 *mmap)
{
	if (!(mmap->head.misc & TR2_MISC_BUILD_ID) ||
	    mmap->build_id_size > sizeof(mapping->build_id))
		return;
	mapping->build_id_size = mmap->build_id_size;
	memcpy(mapping->build_id, mmap->build_id, mmap->build_id_size);
}

void tr2_ring_mapping(struct tr2_model *m, const struct tr2_ring_file *f,
		      uint32_t session, const struct tr2_record *record)
{
	const struct tr2_record_mmap2 *mmap = (const void *)record;
	struct tr2_mapping mapping = { 0 };
	size_t size = mmap->head.size;
	uint64_t time;

	if (size < sizeof(*mmap) + sizeof(time))
		return;
	mapping.addr = mmap->addr;
	mapping.len = mmap->len;
	mapping.pgoff = mmap->pgoff;
	size -= sizeof(time);
	memcpy(&time, (const char *)mmap + size, sizeof(time));
	mapping.at_ns = tr2_ring_file_since_start(f, time);
	read_build_id(&mapping, mmap);
	add_mapping(m, &mapping, session, mmap->filename, size - sizeof(*mmap));
}
