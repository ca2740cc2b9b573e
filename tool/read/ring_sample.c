/* SPDX-License-Identifier: MIT */
/*
 * ring_sample - see read/ring_sample.h.
 */
#include "read/ring_sample.h"

#include <stdio.h>
#include <string.h>

#include "model/private.h"
#include "read/utf8.h"

bool tr2_ring_is_sample(const struct tr2_record *record)
{
	return record->type == TR2_RECORD_SAMPLE &&
	       record->size >= sizeof(struct tr2_record_sample);
}

/* What the event was called; its id where nothing says it. */
static tr2_str event_of(struct tr2_model *m, const struct tr2_ring_file *f,
			uint64_t id)
{
	const struct tr2_definition *d = f->definitions;
	const char *name = "";
	char text[40];
	uint32_t i;

	for (i = 0; i < f->nr_definitions && !*name; i++)
		if (d[i].kind == TR2_DEFINITION_EVENT &&
		    d[i].index == (uint32_t)id &&
		    d[i].flags == (uint32_t)(id >> 32))
			name = tr2_ring_file_string(f, d[i].name);
	if (!*name || !tr2_utf8_valid(name, strlen(name))) {
		snprintf(text, sizeof(text), "event %#llx",
			 (unsigned long long)id);
		name = text;
	}
	return tr2_intern(m, name, strlen(name));
}

static uint64_t number(const char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* Moves *p behind a count and so many numbers, all of which are there.
 * Returns the count. */
static uint64_t take_count(const char **p, const char *end, unsigned int words)
{
	uint64_t nr;

	if ((size_t)(end - *p) < sizeof(nr))
		return 0;
	nr = number(*p);
	*p += sizeof(nr);
	return nr <= (size_t)(end - *p) / sizeof(nr) / words ? nr : 0;
}

static bool add_calls(struct tr2_model *m, const char *p, uint64_t nr,
		      struct tr2_sample *s)
{
	uint64_t i, ip;
	uint32_t call;

	for (i = 0; i < nr; i++) {
		ip = number(p + i * sizeof(ip));
		if (ip >= UINT64_MAX - 4095) /* what kind of code follows */
			continue;
		call = tr2_add(m, calls);
		if (!call)
			return false;
		m->calls[call] = ip;
		if (!s->nr_calls++)
			s->first_call = call;
	}
	return true;
}

bool tr2_ring_sample(struct tr2_model *m, const struct tr2_ring_file *f,
		     const struct tr2_record_sample *record,
		     struct tr2_sample *s)
{
	const char *p = (const char *)(record + 1);
	const char *end = (const char *)record + record->head.size;
	uint64_t nr = take_count(&p, end, 2);
	uint32_t i;

	p += nr * 2 * sizeof(uint64_t);
	nr = take_count(&p, end, 1);
	s->event = event_of(m, f, record->id);
	s->tid = record->tid;
	s->cpu = record->cpu;
	s->count = record->period;
	if (!add_calls(m, p, nr, s))
		return false;
	i = tr2_add(m, samples);
	if (i)
		m->samples[i] = *s;
	return i != 0;
}

bool tr2_ring_mapping(struct tr2_model *m, uint32_t session,
		      const struct tr2_record *record)
{
	const struct tr2_record_mmap *mmap = (const void *)record;
	struct tr2_mapping *mapping;
	size_t len;
	uint32_t i;

	if (record->size < sizeof(*mmap))
		return true;
	len = strnlen(mmap->filename, record->size - sizeof(*mmap));
	if (!tr2_utf8_valid(mmap->filename, len))
		return true;
	i = tr2_add(m, mappings);
	if (!i)
		return false;
	mapping = &m->mappings[i];
	mapping->session = session;
	mapping->addr = mmap->addr;
	mapping->len = mmap->len;
	mapping->pgoff = mmap->pgoff;
	mapping->file = tr2_intern(m, mmap->filename, len);
	return true;
}
