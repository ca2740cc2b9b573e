/* SPDX-License-Identifier: MIT */
/* ring_names - a sorted list of the names of threads over time. */
#include "format/ring/ring_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "common/order.h"
#include "event/event.h"
#include "format/events/utf8.h"

void tr2_ring_nesting_correct(struct tr2_ring_nesting *n, bool is_after_loss,
			      struct tr2_parsed_event *ev)
{
	int is_enter = ev->kind == TR2_EV_region_enter;
	int is_leave = ev->kind == TR2_EV_region_leave;
	int64_t off = ev->nesting - (n->open + 1 - is_leave);

	if (!(tr2_event_rows[ev->kind].flags & TR2_E_NESTED))
		return;
	if (off && (is_after_loss ||
		    off != (n->off ? n->off : n->may_be_off))) {
		n->open += off;
		off = 0;
	}
	n->off = (int)off;
	ev->nesting -= off;
	n->open += is_enter - is_leave;
	n->may_be_off = is_enter ? -1 : is_leave;
}

/* Add an entry for a thread id. */
static struct tr2_ring_name *add_name(struct tr2_ring_names *n, uint32_t tid,
				      uint64_t since)
{
	struct tr2_ring_name *name;

	tr2_grow(n->name, n->nr, n->alloc);
	name = &n->name[n->nr++];
	*name = (struct tr2_ring_name){ .tid = tid, .since = since };
	*tr2_map_slot(&n->latest, tr2_key(0, tid)) = n->nr;
	return name;
}

/* Copy a thread's name. The program chose the name, so it may have any
 * bytes. */
static void set_text(struct tr2_ring_name *name, const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len >= sizeof(name->text))
		len = sizeof(name->text) - 1;
	if (!tr2_utf8_valid(text, len))
		return;
	memcpy(name->text, text, len);
	name->text[len] = '\0';
}

/* Return the latest entry of the thread. Without an entry, add one: the record
 * of the thread's start may be overwritten. */
static struct tr2_ring_name *latest(struct tr2_ring_names *n, uint32_t tid)
{
	uint32_t i = tr2_map_get(&n->latest, tr2_key(0, tid));

	return i ? &n->name[i - 1] : add_name(n, tid, 0);
}

void tr2_ring_names_record(struct tr2_ring_names *n,
			   const struct tr2_record *record)
{
	const struct tr2_record_comm *comm = (const void *)record;
	const struct tr2_record_task *task = (const void *)record;

	if (record->type == TR2_RECORD_COMM && record->size >= sizeof(*comm))
		set_text(latest(n, comm->tid), comm->comm,
			 record->size - sizeof(*comm));
	else if (record->size < sizeof(*task))
		return;
	else if (record->type == TR2_RECORD_EXIT)
		latest(n, task->tid)->until = task->time;
	else if (record->type == TR2_RECORD_FORK)
		add_name(n, task->tid, task->time);
}

TR2_ORDER(compare, struct tr2_ring_name, TR2_UP(tid) ?: TR2_UP(since))

/* Add live threads whose records were overwritten. */
static void add_from_slots(struct tr2_ring_names *n, struct tr2_ring_file *f)
{
	struct tr2_control c;
	uint32_t slot;

	for (slot = 1; slot < f->nr_slots; slot++) {
		if (!tr2_ring_file_control(f, slot, &c) || !c.tid ||
		    !c.name[0] || tr2_map_get(&n->latest, tr2_key(0, c.tid)))
			continue;
		set_text(add_name(n, c.tid, 0), c.name, sizeof(c.name));
	}
}

void tr2_ring_names_sort(struct tr2_ring_names *n, struct tr2_ring_file *f)
{
	uint32_t i;

	n->pid = f->header.pid;
	add_from_slots(n, f);
	if (n->nr)
		qsort(n->name, n->nr, sizeof(*n->name), compare);
	for (i = 0; i < n->nr; i++)
		*tr2_map_slot(&n->latest, tr2_key(0, n->name[i].tid)) = i + 1;
}

/* Return the thread id's last entry that began by this time; if there is none,
 * the thread id's first entry. */
struct tr2_ring_name *tr2_ring_names_find(struct tr2_ring_names *n,
					  uint32_t tid, uint64_t time)
{
	uint32_t low = 0, high = n->nr, middle;

	/* Find the first entry after (tid, time). */
	while (low < high) {
		middle = low + (high - low) / 2;
		if (n->name[middle].tid < tid ||
		    (n->name[middle].tid == tid &&
		     n->name[middle].since <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (low && n->name[low - 1].tid == tid)
		return &n->name[low - 1];
	return low < n->nr && n->name[low].tid == tid ? &n->name[low] : NULL;
}

const char *tr2_ring_names_of(struct tr2_ring_names *n, uint32_t tid,
			      uint64_t time, bool as_main)
{
	const struct tr2_ring_name *name;

	if (as_main || tid == n->pid)
		return "main";
	name = tr2_ring_names_find(n, tid, time);
	if (name && name->text[0])
		return name->text;
	snprintf(n->made_up, sizeof(n->made_up), "tid:%u", tid);
	return n->made_up;
}

void tr2_ring_names_reset(struct tr2_ring_names *n)
{
	n->nr = 0;
	tr2_map_release(&n->latest);
	memset(&n->latest, 0, sizeof(n->latest));
}

void tr2_ring_names_release(struct tr2_ring_names *n)
{
	free(n->name);
	tr2_map_release(&n->latest);
	memset(n, 0, sizeof(*n));
}
