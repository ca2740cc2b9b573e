/* SPDX-License-Identifier: MIT */
/* Decide which switches and wake-ups of the machine are recorded. */
#include "record/kernel/machine_filter.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/order.h"

/* Positions in samples of TR2_CALLCHAINS_TYPE. */
#define CHAIN_AT (sizeof(struct perf_event_header) + 6 * sizeof(uint64_t))

enum { MOMENT_OTHER, MOMENT_BEGIN, MOMENT_EXEC, MOMENT_SWITCH, MOMENT_WAKING };

void tr2_machine_filter_release(struct tr2_machine_filter *f)
{
	tr2_map_release(&f->ids);
	tr2_map_release(&f->tids);
	tr2_map_release(&f->names);
	free(f->threads);
	free(f->moments);
	free(f->order);
	memset(f, 0, sizeof(*f));
}

static struct tr2_machine_moment *add_moment(struct tr2_machine_filter *f)
{
	struct tr2_machine_moment *m;

	tr2_grow(f->moments, f->nr_moments, f->alloc_moments);
	m = &f->moments[f->nr_moments++];
	memset(m, 0, sizeof(*m));
	return m;
}

void tr2_machine_filter_begin_thread(struct tr2_machine_filter *f, int32_t tid,
				     uint64_t time_ns)
{
	uint32_t *slot = tr2_map_slot(&f->tids, tr2_key(0, (uint32_t)tid));

	if (!f->nr_threads)
		f->nr_threads = 1;
	tr2_grow(f->threads, f->nr_threads, f->alloc_threads);
	if (!*slot)
		*slot = f->nr_threads++;
	else if (f->threads[*slot].is_ready)
		f->nr_ready--;
	f->threads[*slot] = (struct tr2_machine_thread){ .since_ns = time_ns };
	*add_moment(f) = (struct tr2_machine_moment){ .time_ns = time_ns,
						      .to = tid,
						      .kind = MOMENT_BEGIN };
}

void tr2_machine_filter_exec(struct tr2_machine_filter *f, int32_t tid,
			     uint64_t time_ns)
{
	if (!tr2_map_get(&f->tids, tr2_key(0, (uint32_t)tid)))
		tr2_machine_filter_begin_thread(f, tid, time_ns);
	*add_moment(f) = (struct tr2_machine_moment){ .time_ns = time_ns,
						      .to = tid,
						      .kind = MOMENT_EXEC };
}

/* Return a number in a tracepoint's data; `raw` has the data's size (4 bytes),
 * then the data. */
static uint64_t read_field(const unsigned char *raw, size_t size,
			   const struct tr2_kernel_field *field)
{
	uint64_t value = 0;
	size_t at = 4 + (size_t)field->at;

	if (field->size <= sizeof(value) && at + field->size <= size)
		memcpy(&value, raw + at, field->size);
	return value;
}

static void copy_comm(char comm[TR2_COMM_SIZE], const unsigned char *raw,
		      size_t size, const struct tr2_kernel_field *field)
{
	size_t at = 4 + (size_t)field->at, len = field->size;

	if (len >= TR2_COMM_SIZE)
		len = TR2_COMM_SIZE - 1;
	if (at + len <= size)
		memcpy(comm, raw + at, len);
}

void tr2_machine_filter_add(struct tr2_machine_filter *f,
			    const unsigned char *record, size_t size)
{
	const struct tr2_kernel_formats *formats = f->formats;
	struct tr2_machine_moment *m = add_moment(f);
	uint64_t id, nr = 0, state;
	size_t raw_at = CHAIN_AT;
	uint32_t ids[2];

	m->kept = TR2_MACHINE_KEEP; /* keep samples that are not understood */
	if (size < CHAIN_AT + sizeof(nr))
		return;
	memcpy(&id, record + sizeof(struct perf_event_header), sizeof(id));
	memcpy(&m->time_ns, record + TR2_SAMPLE_TIME_AT, sizeof(m->time_ns));
	if (tr2_map_get(&f->ids, id + 1) == TR2_MACHINE_SWITCHES) {
		memcpy(&nr, record + CHAIN_AT, sizeof(nr));
		if (nr > (size - CHAIN_AT - sizeof(nr)) / sizeof(nr))
			return;
		raw_at += sizeof(nr) * (size_t)(nr + 1);
	}
	m->kept = TR2_MACHINE_DROP;
	record += raw_at;
	size -= raw_at;
	if (raw_at == CHAIN_AT) {
		memcpy(ids, record - 4 * sizeof(uint64_t), sizeof(ids));
		m->kind = MOMENT_WAKING;
		m->from = (int32_t)ids[1];
		m->to = (int32_t)read_field(record, size, &formats->pid);
		return;
	}
	state = read_field(record, size, &formats->prev_state);
	m->kind = MOMENT_SWITCH;
	m->from = (int32_t)read_field(record, size, &formats->prev_pid);
	m->to = (int32_t)read_field(record, size, &formats->next_pid);
	copy_comm(m->comm, record, size, &formats->prev_comm);
	m->goes_on = !state || state & TR2_PREV_STATE_PREEMPTED;
	m->is_dead = state & TR2_PREV_STATE_DEAD;
}

/* Return the recording's thread that had this tid at this moment; NULL: no
 * thread of the recording had the tid. */
static struct tr2_machine_thread *
find_thread(const struct tr2_machine_filter *f, int32_t tid, uint64_t time_ns)
{
	uint32_t i = tr2_map_get(&f->tids, tr2_key(0, (uint32_t)tid));
	struct tr2_machine_thread *thread = i ? &f->threads[i] : NULL;

	return thread && !thread->has_ended && thread->since_ns <= time_ns ?
		       thread : NULL;
}

static void set_ready(struct tr2_machine_filter *f,
		      struct tr2_machine_thread *thread, bool is_ready)
{
	f->nr_ready += (uint32_t)is_ready - (uint32_t)thread->is_ready;
	thread->is_ready = is_ready;
}

static void decide_switch(struct tr2_machine_filter *f,
			  struct tr2_machine_moment *m)
{
	struct tr2_machine_thread *from = find_thread(f, m->from, m->time_ns);
	struct tr2_machine_thread *to = find_thread(f, m->to, m->time_ns);

	if (from)
		m->kept = TR2_MACHINE_OWN;
	else if (to || f->nr_ready)
		m->kept = TR2_MACHINE_KEEP;
	if (from) {
		from->is_running = false;
		from->has_ended = m->is_dead;
		set_ready(f, from, m->goes_on && !m->is_dead);
	}
	if (to) {
		to->is_running = true;
		set_ready(f, to, false);
	}
}

static void decide_moment(struct tr2_machine_filter *f,
			  struct tr2_machine_moment *m)
{
	struct tr2_machine_thread *to;

	switch (m->kind) {
	case MOMENT_BEGIN:
		to = find_thread(f, m->to, m->time_ns);
		if (to && !to->is_running)
			set_ready(f, to, true);
		break;
	case MOMENT_EXEC:
		to = &f->threads[tr2_map_get(&f->tids,
					     tr2_key(0, (uint32_t)m->to))];
		to->has_ended = false;
		to->is_running = true;
		set_ready(f, to, false);
		break;
	case MOMENT_SWITCH:
		decide_switch(f, m);
		break;
	case MOMENT_WAKING:
		to = find_thread(f, m->to, m->time_ns);
		if (find_thread(f, m->from, m->time_ns))
			m->kept = TR2_MACHINE_KEEP;
		else if (to)
			m->kept = TR2_MACHINE_OUTSIDE;
		f->has_outside |= m->kept == TR2_MACHINE_OUTSIDE;
		if (to && !to->is_running)
			set_ready(f, to, true);
		break;
	default:
		break;
	}
}

static int by_time(const void *a, const void *b, void *filter)
{
	const struct tr2_machine_filter *f = filter;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = f->moments[i].time_ns, y = f->moments[j].time_ns;

	return tr2_order(x, y) ?: tr2_order(i, j);
}

static void find_names(struct tr2_machine_filter *f)
{
	uint32_t i;

	for (i = 0; i < f->nr_moments; i++)
		if (f->moments[i].kind == MOMENT_SWITCH)
			*tr2_map_slot(&f->names,
				      tr2_key(0, (uint32_t)f->moments[i].from)) =
				i + 1;
}

void tr2_machine_filter_decide(struct tr2_machine_filter *f)
{
	uint32_t i;

	while (f->alloc_order < f->nr_moments)
		f->order = tr2_grow_array(f->order, f->nr_moments,
					  &f->alloc_order, sizeof(*f->order));
	for (i = 0; i < f->nr_moments; i++)
		f->order[i] = i;
	qsort_r(f->order, f->nr_moments, sizeof(*f->order), by_time, f);
	for (i = 0; i < f->nr_moments; i++)
		decide_moment(f, &f->moments[f->order[i]]);
	if (f->has_outside)
		find_names(f);
	f->next = 0;
}

enum tr2_machine_kept tr2_machine_filter_next(struct tr2_machine_filter *f,
					      int32_t *tid, const char **comm)
{
	const struct tr2_machine_moment *m;
	uint32_t i;

	do {
		m = &f->moments[f->next++];
	} while (m->kind == MOMENT_BEGIN || m->kind == MOMENT_EXEC);
	i = m->kept == TR2_MACHINE_OUTSIDE ?
		    tr2_map_get(&f->names, tr2_key(0, (uint32_t)m->from)) : 0;
	*tid = m->from;
	*comm = i ? f->moments[i - 1].comm : NULL;
	return m->kept;
}

void tr2_machine_filter_end_pass(struct tr2_machine_filter *f)
{
	f->nr_moments = f->next = 0;
	f->has_outside = false;
	tr2_map_release(&f->names);
}
