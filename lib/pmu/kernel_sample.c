/* SPDX-License-Identifier: MIT */
/*
 * Sampling by the kernel. Its records are passed on unchanged, with two
 * exceptions. Readings are requested in the library's own format, and
 * converted. Periods are added where requesting them would change how the
 * kernel samples.
 */
#include <errno.h>
#include <string.h>

#include "base/fork_guard.h"
#include "pmu/kernel.h"
#include "pmu/pmu.h"

/* The fields that precede the id and the period in a sample, 8 bytes each. */
#define BEFORE_ID                                                             \
	(TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |                     \
	 TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_ADDR)
#define BEFORE_PERIOD                                                          \
	(TRACE2_PERF_SAMPLE_IP | TRACE2_PERF_SAMPLE_TID |                      \
	 TRACE2_PERF_SAMPLE_TIME | TRACE2_PERF_SAMPLE_ADDR |                   \
	 TRACE2_PERF_SAMPLE_ID | TRACE2_PERF_SAMPLE_CPU)

int tr2_kernel_map(struct trace2_perf *ev, size_t pages)
{
	int error;

	if (!tr2_kernel_is_there(&ev->kernel))
		return -EBADF;
	/* Reject a mapping without the fork guard: a forked child does not have
	 * the mapping, and could not notice its fork. */
	if (!tr2_fork_guard_is_made())
		return -ECANCELED;
	/* An event has one mapping: replace the page by the whole buffer. */
	tr2_kernel_unmap_page(&ev->kernel);
	error = tr2_buffer_map(&ev->buffer, ev->kernel.fd, pages);
	if (error)
		tr2_kernel_map_page(ev);
	return error;
}

int tr2_kernel_refresh(struct trace2_perf *ev, unsigned int overflows)
{
	if (!tr2_kernel_is_there(&ev->kernel))
		return -EBADF;
	/* Set the number of overflows first, so that all are counted. */
	if (ioctl(ev->kernel.fd, PERF_EVENT_IOC_REFRESH, overflows))
		return -errno;
	return tr2_perf_enable(ev);
}

int tr2_kernel_set_period(struct trace2_perf *ev, uint64_t period)
{
	if (!tr2_kernel_is_there(&ev->kernel))
		return -EBADF;
	if (ioctl(ev->kernel.fd, PERF_EVENT_IOC_PERIOD, &period))
		return -errno;
	ev->attr.sample_period = period;
	/* A running event would finish its old period first: restart it. */
	if (ev->counting && (ioctl(ev->kernel.fd, PERF_EVENT_IOC_DISABLE, 0) ||
			     ioctl(ev->kernel.fd, PERF_EVENT_IOC_ENABLE, 0)))
		return -errno;
	return 0;
}

/* Return a descriptor only with a buffer: without one the kernel returns
 * POLLHUP at once. */
int tr2_kernel_poll_fd(struct trace2_perf *ev)
{
	if (!ev->buffer.base)
		return -EINVAL;
	return tr2_kernel_is_there(&ev->kernel) ? ev->kernel.fd : -EBADF;
}

/* The changes that a kernel's record needs. */
struct edit {
	const struct trace2_perf *ev;
	size_t at, end; /* the bytes to replace */
	bool adds_period;
	/* The kernel's reading in the record: nr and the times, then { value id
	 * [lost] } nr times. */
	bool has_reading, has_lost, of_task;
	size_t entries;
	uint64_t nr, enabled_ns, running_ns;
};

static uint64_t word(const struct tr2_buffer *buffer, size_t at)
{
	uint64_t value;

	tr2_buffer_copy(buffer, at, &value, sizeof(value));
	return value;
}

static size_t entry_bytes(const struct edit *edit)
{
	return edit->has_lost ? 24 : 16;
}

/* Find the reading in the record. false: the record is too small for it. */
static bool find_reading(struct edit *edit, size_t size)
{
	const struct tr2_buffer *buffer = &edit->ev->buffer;
	size_t at = edit->at;

	if (size < at + 24)
		return false;
	edit->nr = word(buffer, at);
	edit->enabled_ns = word(buffer, at + 8);
	edit->running_ns = word(buffer, at + 16);
	edit->entries = at + 24;
	if (edit->nr > (size - edit->entries) / entry_bytes(edit))
		return false;
	edit->end = edit->entries + (size_t)edit->nr * entry_bytes(edit);
	return true;
}

/* Find the changes that the record needs. false: it needs no change. */
static bool find_edit(const struct trace2_perf *ev,
		      const struct trace2_perf_record *head, struct edit *edit)
{
	uint64_t type = ev->attr.sample_type;

	*edit = (struct edit){ .ev = ev };
	edit->has_lost = ev->kernel.read_format & TRACE2_PERF_FORMAT_LOST;
	edit->of_task = head->type == TRACE2_PERF_RECORD_READ;
	edit->at = sizeof(*head) + 8;
	if (edit->of_task)
		return edit->has_reading = find_reading(edit, head->size);
	if (head->type != TRACE2_PERF_RECORD_SAMPLE)
		return false;
	edit->at = edit->end = sizeof(*head) +
		8 * (size_t)__builtin_popcountll(type & BEFORE_PERIOD);
	edit->adds_period = tr2_kernel_has_fixed_period(&ev->attr);
	if (type & TRACE2_PERF_SAMPLE_PERIOD && !edit->adds_period)
		edit->at = edit->end += 8;
	edit->has_reading = type & TRACE2_PERF_SAMPLE_READ &&
			    find_reading(edit, head->size);
	return (edit->has_reading || edit->adds_period) &&
	       edit->at <= head->size;
}

/* Subtract the value at the last reset. A smaller value was sampled before that
 * reset and stays as it is. */
static uint64_t value_since_reset(const struct edit *edit, uint64_t value,
				  uint64_t id)
{
	const struct trace2_perf *ev = edit->ev->leader;

	while (ev && ev->kernel.id != id)
		ev = ev->member;
	if (!ev || edit->of_task || ev->attr.inherit || value < ev->reset_at)
		return value;
	return value - ev->reset_at;
}

/* Write the reading in the layout of trace2_perf_read(), and return the number
 * of values. */
static unsigned int lay_out(const struct edit *edit, uint64_t *out)
{
	uint64_t format = edit->ev->attr.read_format, *at = out, *nr = NULL, i,
		 id;
	bool group = format & TRACE2_PERF_FORMAT_GROUP;
	size_t entry;

	if (group)
		nr = at++;
	else
		at++; /* the value of the event comes first, and is written
		       * below */
	if (format & TRACE2_PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = edit->enabled_ns;
	if (format & TRACE2_PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = edit->running_ns;
	if (nr)
		*nr = 0;
	for (i = 0; i < edit->nr && i <= TR2_MAX_GROUP; i++) {
		entry = edit->entries + (size_t)i * entry_bytes(edit);
		id = word(&edit->ev->buffer, entry + 8);
		/* Skip the library's own leader, which counts nothing. */
		if (group ? id == edit->ev->leader->lead.id :
			    id != edit->ev->kernel.id)
			continue;
		*(group ? at++ : out) = value_since_reset(
			edit, word(&edit->ev->buffer, entry), id);
		if (format & TRACE2_PERF_FORMAT_ID)
			*at++ = id;
		if (format & TRACE2_PERF_FORMAT_LOST)
			*at++ = edit->has_lost ?
					word(&edit->ev->buffer, entry + 16) : 0;
		if (nr)
			++*nr;
		else
			break;
	}
	return (unsigned int)(at - out);
}

static int copy_record(struct trace2_perf *ev,
		       const struct trace2_perf_record *head, void *record,
		       size_t size_bytes)
{
	uint64_t numbers[TR2_READING_MAX + 4];
	struct trace2_perf_record new_head = *head;
	size_t bytes = 0;
	struct edit edit;
	char *out = record;

	if (!find_edit(ev, head, &edit)) {
		if (head->size > size_bytes)
			return -ENOSPC;
		tr2_buffer_copy(&ev->buffer, 0, record, head->size);
		return head->size;
	}
	if (edit.adds_period)
		numbers[bytes++] = ev->attr.sample_period;
	if (edit.has_reading)
		bytes += lay_out(&edit, numbers + bytes);
	bytes *= sizeof(*numbers);
	new_head.size = (uint16_t)(head->size - (edit.end - edit.at) + bytes);
	if (new_head.size > size_bytes)
		return -ENOSPC;
	tr2_buffer_copy(&ev->buffer, 0, out, edit.at);
	memcpy(out, &new_head, sizeof(new_head));
	memcpy(out + edit.at, numbers, bytes);
	tr2_buffer_copy(&ev->buffer, edit.end, out + edit.at + bytes,
			head->size - edit.end);
	return new_head.size;
}

/*
 * Set the event's own id. If several software events sample one fault, the
 * kernel (seen with 6.18) builds the sample once: all records have the id of
 * one event.
 */
static void set_id(const struct trace2_perf *ev, char *record, size_t size)
{
	size_t at = sizeof(struct trace2_perf_record) +
		    8 * (size_t)__builtin_popcountll(ev->attr.sample_type &
						     BEFORE_ID);

	if (ev->attr.sample_type & TRACE2_PERF_SAMPLE_ID && size >= at + 8)
		memcpy(record + at, &ev->id, sizeof(ev->id));
}

int tr2_kernel_record(struct trace2_perf *ev,
		      const struct trace2_perf_record *head, void *record,
		      size_t size_bytes)
{
	int size = copy_record(ev, head, record, size_bytes);

	if (size > 0 && head->type == TRACE2_PERF_RECORD_SAMPLE)
		set_id(ev, record, (size_t)size);
	return size;
}
