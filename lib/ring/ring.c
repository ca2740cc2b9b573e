/* SPDX-License-Identifier: MIT */
/* The slow paths of writing: making room, nested and abandoned writes,
 * losses. */
#include "ring/ring.h"

#include <errno.h>

#include "base/mask.h"

/*
 * A ring's own causes come first in enum tr2_lost_cause. The arena alone counts
 * losses outside of rings.
 */
#define NR_RING_CAUSES TR2_LOST_NO_SLOT

/*
 * The most records that wait for an outer write: MAX_WAITING if the outer write
 * may be over, MAX_NESTED if a handler probably interrupted it.
 */
#define MAX_WAITING 16u
#define MAX_NESTED 1000u
_Static_assert(MAX_NESTED < TR2_RING_NEST, "they can be counted");

/* Add to 32 bits, as tr2_ring_add_u64() does to 64 bits. */
static void add_u32(uint32_t *p, uint32_t n)
{
#if defined(__x86_64__) && !TR2_TSAN
	__asm__ volatile("addl %1, %0" : "+m"(*p) : "r"(n) : "cc", "memory");
#else
	__atomic_fetch_add(p, n, __ATOMIC_RELAXED);
#endif
}

static void lose(struct tr2_control *ring, enum tr2_lost_cause cause,
		 uint64_t nr)
{
	tr2_ring_add_u64(&ring->lost[cause], nr);
	tr2_ring_add_u64(&ring->unreported, nr);
	tr2_ring_store(&ring->room_until, 0);
}

void tr2_ring_lost_many(struct tr2_slot *slot, enum tr2_lost_cause cause,
			uint64_t nr)
{
	if (slot && slot->control.data_size && cause < NR_RING_CAUSES)
		lose(&slot->control, cause, nr);
	else
		tr2_arena_lost(cause, nr);
}

void tr2_ring_lost(struct tr2_slot *slot, enum tr2_lost_cause cause)
{
	tr2_ring_lost_many(slot, cause, 1);
}

static unsigned int nr_writing(const struct tr2_control *ring)
{
	return tr2_ring_load(&ring->nest) & TR2_RING_NEST;
}

/* Return the end of the last reservation. */
static uint64_t last_end(const struct tr2_control *ring)
{
	uint64_t head = tr2_ring_load(&ring->data_head);
	uint64_t reserved = tr2_ring_load(&ring->reserved);

	return reserved > head ? reserved : head;
}

static uint64_t part_size(void)
{
	return tr2_arena_rings.data_size / TR2_RING_MARKS;
}

static unsigned int part_of(uint64_t at)
{
	return (unsigned int)(at / part_size() % TR2_RING_MARKS);
}

/* Return whether no other write is in progress. Only then does a writer know
 * how many records are before the head. */
static bool is_alone(const struct tr2_control *ring)
{
	return tr2_ring_load(&ring->nest) == 1;
}

/* If the record at the head is the first one in a part of the ring, store the
 * record's position in the part's entry of ring->mark. */
static void make_mark(struct tr2_control *ring)
{
	uint64_t head = tr2_ring_load(&ring->data_head);
	unsigned int part = part_of(head);
	uint64_t at = tr2_ring_load(&ring->mark[part].at);

	if (at <= head && head - at < part_size())
		return;
	/* Clear the mark first: a handler that interrupts here must find no
	 * mark. */
	tr2_ring_store(&ring->mark[part].at, 0);
	tr2_ring_order();
	tr2_ring_store(&ring->mark[part].nr, tr2_ring_load(&ring->written));
	tr2_ring_order();
	tr2_ring_store(&ring->mark[part].at, head);
}

/* Return a position from `at` to the head that ring->mark contains: a record
 * begins there. Without such a position, return the head, or 0 if another write
 * is in progress. *nr: the number of records before the position. */
static uint64_t find_mark(const struct tr2_control *ring, uint64_t at,
			  uint64_t head, uint64_t *nr)
{
	unsigned int i, part = part_of(at);
	uint64_t found;

	for (i = 0; i < TR2_RING_MARKS; i++, part++) {
		found = tr2_ring_load(&ring->mark[part % TR2_RING_MARKS].at);
		*nr = tr2_ring_load(&ring->mark[part % TR2_RING_MARKS].nr);
		if (found >= at && found <= head)
			return found;
	}
	*nr = tr2_ring_load(&ring->written);
	return is_alone(ring) ? head : 0;
}

/*
 * Overwrite the oldest records, until there is room for the record that ends at
 * `end`, and for one more part of the ring. A handler may interrupt at any
 * place and overwrite further: then the swap fails.
 */
static bool overwrite(struct tr2_control *ring, uint64_t end)
{
	uint64_t data_size = tr2_arena_rings.data_size, tail, head, to;
	uint64_t nr;

	if (is_alone(ring))
		make_mark(ring);
	while (end + part_size() - (tail = tr2_ring_load(&ring->data_tail)) >
	       data_size) {
		head = tr2_ring_load(&ring->data_head);
		to = find_mark(ring, end + part_size() - data_size, head, &nr);
		if (tail == head || !to) {
			/* No record can be overwritten: too many records are
			 * still being written. */
			if (end - tail > data_size)
				return false;
			break;
		}
		TR2_TESTPOINT(found_mark);
		tr2_fork_guard_look();
		if (tr2_ring_swap(&ring->data_tail, tail, to))
			tr2_ring_store(&ring->overwritten, nr);
		TR2_TESTPOINT(made_room);
	}
	/*
	 * Release: later writes to the freed place are visible only after the
	 * tail has moved. Pairs with the fence of a reader, which reads the
	 * tail again after its copy.
	 */
	tr2_fence(__ATOMIC_RELEASE);
	return true;
}

/* Return the position of the ring's first byte, in the lap in which a record
 * ends. */
static uint64_t lap_of(uint64_t end)
{
	return (end - 1) & ~(tr2_arena_rings.data_size - 1);
}

static uint64_t next_lap(uint64_t position)
{
	return lap_of(position + tr2_arena_rings.data_size);
}

/*
 * Start again when the disk is full. Records can only be overwritten in the
 * part of the ring that has space on the disk: drop all records, and continue
 * with the newest ones in that part. Call it with signals blocked.
 */
static bool begin_anew(struct tr2_control *ring, uint32_t size)
{
	uint64_t head = tr2_ring_load(&ring->data_head);
	uint64_t lap = next_lap(head);

	if (tr2_arena_rings.consume || size > tr2_ring_load(&ring->backed) ||
	    nr_writing(ring) > 1 || tr2_ring_load(&ring->reserved) > head ||
	    !overwrite(ring, head + tr2_arena_rings.data_size))
		return false;
	/* Store the tail first: a reader that sees only the tail finds an empty
	 * range. */
	tr2_ring_store(&ring->data_tail, lap);
	tr2_fence(__ATOMIC_RELEASE);
	tr2_ring_store(&ring->reserved, lap);
	__atomic_store_n(&ring->data_head, lap, __ATOMIC_RELEASE);
	return true;
}

/* Get space on the disk for a part of the ring that no record has used yet:
 * double the space. */
static bool find_space(struct tr2_control *ring, uint64_t bytes, uint32_t size)
{
	struct tr2_slot *slot = (struct tr2_slot *)(void *)ring;
	uint64_t backed, wanted;
	int saved_errno = errno;
	struct tr2_mask before;
	bool ok;

	tr2_mask_begin(&before);
	/* Read again: a handler may have got the space already. */
	backed = tr2_ring_load(&ring->backed);
	wanted = backed * 2 > bytes ? backed * 2 : bytes;
	if (backed < bytes) {
		backed = tr2_arena_back_ring(slot, backed, wanted);
		tr2_ring_store(&ring->backed, backed);
	}
	ok = backed >= bytes || begin_anew(ring, size);
	tr2_mask_end(&before);
	errno = saved_errno;
	return ok;
}

static bool is_read(struct tr2_control *ring, uint64_t end)
{
	/*
	 * Acquire: pairs with the reader's release of data_tail, so that the
	 * reader has finished with the records that are overwritten from now
	 * on.
	 */
	return end - __atomic_load_n(&ring->data_tail, __ATOMIC_ACQUIRE) <=
	       tr2_arena_rings.data_size;
}

static uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Return the position up to which a write needs no check. Before that position
 * the ring has space without unread records, no mark is due, and, if the reader
 * set no limits, no wake-up is due. If a handler interrupts this function and
 * gets more space, the result is only lower than necessary.
 */
static uint64_t find_limit(const struct tr2_control *ring, uint64_t end)
{
	uint64_t data_size = tr2_arena_rings.data_size;
	uint64_t backed = tr2_ring_load(&ring->backed);
	uint64_t room = __atomic_load_n(&ring->data_tail, __ATOMIC_ACQUIRE) +
			data_size;
	uint64_t wake = tr2_ring_load(&ring->wake_head) + data_size / 2 -
			TR2_RECORD_ALIGN;

	if (backed < data_size)
		room = smaller_of(room, lap_of(end) + backed);
	if (!tr2_arena_rings.consume)
		room = smaller_of(room, end + part_size());
	return smaller_of(room, wake);
}

static bool make_room(struct tr2_control *ring, uint64_t end, uint32_t size)
{
	uint64_t bytes = end - lap_of(end), limit;

	if (bytes > tr2_ring_load(&ring->backed)) {
		if (!find_space(ring, bytes, size))
			return false;
		if (bytes > tr2_ring_load(&ring->backed))
			return true; /* begin_anew() was called: the ring starts
				      * again */
	}
	if (tr2_arena_rings.consume ? !is_read(ring, end) :
				      !overwrite(ring, end))
		return false;
	limit = find_limit(ring, end);
	TR2_TESTPOINT(found_limit);
	tr2_ring_store(&ring->room_until, limit);
	tr2_ring_order();
	if (tr2_ring_load(&ring->unreported))
		tr2_ring_store(&ring->room_until, 0);
	return true;
}

/* The place for a record that is not announced. */
struct place {
	uint64_t was; /* the value of `reserved` before this record */
	uint64_t announced_at; /* the position of an announced record */
	/* the size of an announced record that will not be written; else 0 */
	uint64_t announced;
	uint64_t gap; /* bytes before the record that a FILLER takes, up to the
		       * end of the buffer */
	uint64_t end;
};

static uint64_t left_in_lap(uint64_t at)
{
	return tr2_arena_rings.data_size -
	       (at & (tr2_arena_rings.data_size - 1));
}

/*
 * Return the size of the announced record. It lies after the head, or lay there
 * until it was published. 0: the record has no room there, and will not be
 * written.
 */
static uint64_t announced_size(const struct tr2_control *ring, uint64_t head)
{
	uint64_t size = (tr2_ring_load(&ring->nest) & ~TR2_RING_NEST) >>
			TR2_RING_ANNOUNCED_SHIFT;

	return size <= left_in_lap(head) ? size : 0;
}

/* Find the place after all other records. */
static void find_place(const struct tr2_control *ring, uint32_t size,
		       struct place *place)
{
	uint64_t head, at;

	place->was = at = tr2_ring_load(&ring->reserved);
	head = tr2_ring_load(&ring->data_head);
	place->announced = 0;
	if (at <= head) {
		place->announced_at = head;
		place->announced = announced_size(ring, head);
		at = head + place->announced;
		if (tr2_ring_load(&ring->announced_at) == head)
			place->announced = 0;
	}
	place->gap = left_in_lap(at);
	if (place->gap >= size)
		place->gap = 0;
	place->end = at + place->gap + size;
}

static void put_filler(char *data, uint64_t at, uint64_t size)
{
	const struct tr2_record filler = { TR2_RECORD_FILLER, 0,
					   (uint16_t)size };

	if (size)
		memcpy(data + (at & (tr2_arena_rings.data_size -
				     TR2_RECORD_ALIGN)),
		       &filler, sizeof(filler));
}

/* Reserve the place for `size` bytes, and return it; NULL: no room. */
static char *reserve_record(struct tr2_control *ring, char *data, uint32_t size)
{
	struct place place;

	do {
		find_place(ring, size, &place);
		TR2_TESTPOINT(looked);
		if (place.end > tr2_ring_load(&ring->room_until) &&
		    !make_room(ring, place.end, size))
			return NULL;
		tr2_fork_guard_look();
	} while (!tr2_ring_swap(&ring->reserved, place.was, place.end));
	add_u32(&ring->placed, 1);
	TR2_TESTPOINT(reserved);
	if (nr_writing(ring) > 1)
		tr2_ring_store(&ring->room_until, 0);
	put_filler(data, place.announced_at, place.announced);
	TR2_TESTPOINT(filled);
	put_filler(data, place.end - size - place.gap, place.gap);
	TR2_TESTPOINT(filled);
	return data + ((place.end - size) & (tr2_arena_rings.data_size - 1));
}

/*
 * Drop the nested records after the head, and `others` more records there: they
 * will not be finished.
 */
static void drop_unfinished(struct tr2_control *ring, uint32_t others)
{
	uint32_t pending;

	tr2_fork_guard_look();
	pending = tr2_ring_load(&ring->pending);
	tr2_ring_store(&ring->announced_at, 0);
	tr2_ring_store(&ring->reserved, tr2_ring_load(&ring->data_head));
	tr2_ring_store(&ring->pending, 0);
	tr2_ring_store(&ring->placed, 0);
	tr2_ring_order();
	tr2_ring_store(&ring->nest, 0);
	lose(ring, TR2_LOST_ABANDONED, pending + (uint64_t)others);
}

/* Make this write the outermost one. */
static void be_outermost(struct tr2_control *ring,
			 const struct tr2_call_mark *in)
{
	tr2_ring_store(&ring->nest_and_inside,
		       (uint64_t)(uintptr_t)in << TR2_RING_INSIDE_SHIFT | 1);
	tr2_ring_order();
}

/* Publish all complete records, of which `records` are the writer's own. Return
 * the head. */
static uint64_t publish_records(struct tr2_control *ring, uint32_t records)
{
	uint64_t head = last_end(ring);
	uint32_t pending, placed;

	tr2_ring_order();
	/* Read both counts after `reserved`. publish_all() finds later writes,
	 * and calls this function again. */
	placed = tr2_ring_load(&ring->placed);
	pending = tr2_ring_load(&ring->pending);
	TR2_TESTPOINT(about_to_publish);
	tr2_fork_guard_look();
	tr2_ring_add_u64(&ring->written, placed);
	/* Release: pairs with the reader's acquire of data_head. */
	__atomic_store_n(&ring->data_head, head, __ATOMIC_RELEASE);
	TR2_TESTPOINT(published);
	add_u32(&ring->pending, -pending);
	add_u32(&ring->placed, -placed);
	records += pending + tr2_ring_load(&ring->wake_records);
	tr2_ring_store(&ring->wake_records, records);
	tr2_ring_order();
	return head;
}

/* Count the outermost writer out; true: it was the only one. */
static bool leave_last(struct tr2_control *ring)
{
	bool is_last = tr2_ring_count_out(ring, 1);

	tr2_ring_order();
	TR2_TESTPOINT(left);
	return is_last && !tr2_ring_load(&ring->nest);
}

/* Publish at the end of the outermost write. Publish again as long as handlers
 * have written further records after the head. */
static void publish_all(struct tr2_control *ring,
			const struct tr2_call_mark *in,
			uint32_t records)
{
	uint64_t head;

	while (true) {
		head = publish_records(ring, records);
		if (!leave_last(ring)) {
			/* Since the records were published, a handler began a
			 * write that will never be finished, because a handler
			 * jumped out of it. */
			drop_unfinished(ring, 0);
			return;
		}
		if (last_end(ring) == head)
			return;
		be_outermost(ring, in);
		records = 0;
	}
}

void tr2_ring_wake_if_due(struct tr2_control *ring, uint32_t records)
{
	uint64_t threshold = tr2_ring_load(&ring->wakeup_watermark);
	uint64_t head = tr2_ring_load(&ring->data_head);
	uint32_t limit = tr2_ring_load(&ring->wakeup_events);

	records += tr2_ring_load(&ring->wake_records);
	tr2_ring_store(&ring->wake_records, records);
	if (!threshold)
		threshold = tr2_arena_rings.data_size / 2;
	if (head - tr2_ring_load(&ring->wake_head) >= threshold ||
	    (limit && records >= limit))
		tr2_ring_wake(ring);
}

/* Publish at the end of the outermost write; other writers only count
 * themselves out. */
static void leave_ring(struct tr2_control *ring, const struct tr2_call_mark *in,
		       uint32_t records)
{
	uint16_t nest = tr2_ring_load(&ring->nest);

	tr2_ring_order();
	if (nr_writing(ring) > 1) {
		tr2_ring_store(&ring->nest, (uint16_t)(nest - 1));
		return;
	}
	publish_all(ring, in, records);
	tr2_ring_wake_if_due(ring, 0);
}

void tr2_ring_end_slow(const struct tr2_ring_write *w)
{
	tr2_ring_order();
	TR2_TESTPOINT(copied);
	leave_ring(w->ring, w->in, 1);
	tr2_call_mark_end(w->in);
}

void tr2_ring_catch_up(struct tr2_control *ring, const struct tr2_call_mark *in,
		       uint32_t records)
{
	if (tr2_ring_load(&ring->nest)) {
		/* A handler began a write and jumped out of it: the write will
		 * never be finished. */
		drop_unfinished(ring, 0);
		return;
	}
	if (last_end(ring) != tr2_ring_load(&ring->data_head)) {
		be_outermost(ring, in);
		publish_all(ring, in, 0);
	}
	tr2_ring_wake_if_due(ring, records);
}

static bool is_of(uint64_t nest_and_inside, const struct tr2_call_mark *in)
{
	uint64_t inside = (uint64_t)(uintptr_t)in << TR2_RING_INSIDE_SHIFT;

	return (nest_and_inside ^ inside) >> 16 == 0;
}

void tr2_ring_count_out_late(struct tr2_control *ring,
			     const struct tr2_call_mark *in)
{
	uint64_t now = tr2_ring_load(&ring->nest_and_inside);

	/*
	 * If the word contains the mark of this write although another write is
	 * counted, a handler jumped out of a write of its own: the next write
	 * drops both. If the word contains another mark, the write with that
	 * mark took this write for abandoned, and counted it as lost.
	 */
	if (is_of(now, in) && nr_writing(ring) > 1)
		tr2_ring_store(&ring->nest,
			       (uint16_t)((now & TR2_RING_NEST) - 1));
}

void tr2_ring_back_out(struct tr2_control *ring, struct tr2_call_mark *in)
{
	uint64_t now = tr2_ring_load(&ring->nest_and_inside);

	if (is_of(now, in) && nr_writing(ring) == 1) {
		(void)tr2_ring_count_out(ring, (uint16_t)now);
		tr2_ring_order();
		tr2_ring_catch_up(ring, in, 0);
	} else {
		tr2_ring_count_out_late(ring, in);
	}
	tr2_call_mark_end(in);
}

/*
 * Return whether too many records wait for a write that may be over: more than
 * the handlers of one write would emit. Records that found no room may be among
 * them.
 */
static bool waits_too_long(struct tr2_control *ring, uintptr_t at,
			   const struct tr2_call_mark *in)
{
	static __thread unsigned int nr;

	nr = tr2_ring_load(&ring->pending) ? nr + 1 : 0;
	return nr >= MAX_WAITING &&
	       (nr >= MAX_NESTED || !tr2_call_mark_is_interrupted(at, in));
}

/*
 * Handle a write that finds another write in progress. Either this write is in
 * a signal handler that interrupted the other write; or a handler jumped out of
 * the other write, which then never ends.
 */
static void be_nested(struct tr2_control *ring, const struct tr2_call_mark *in)
{
	uintptr_t at = (uintptr_t)(tr2_ring_load(&ring->nest_and_inside) >> 16
				   << 3);

	if (tr2_call_mark_is_over(at, in) || waits_too_long(ring, at, in) ||
	    nr_writing(ring) == TR2_RING_NEST) {
		drop_unfinished(ring, 1);
		be_outermost(ring, in);
		return;
	}
	add_u32(&ring->pending, 1);
	tr2_ring_store(&ring->nest, (uint16_t)(tr2_ring_load(&ring->nest) + 1));
}

/* Report the losses of a cause. false: there is no room for the LOST record. */
static bool report_loss(struct tr2_control *ring, char *data,
			unsigned int cause)
{
	struct tr2_record_lost record = {
		.head = { TR2_RECORD_LOST, 0, sizeof(record) },
		.id = cause,
		.lost = tr2_ring_load(&ring->lost[cause]) -
			tr2_ring_load(&ring->reported[cause]),
	};
	char *p;

	if (!record.lost)
		return true;
	/* Count first, or a handler would report the same losses. */
	tr2_ring_add_u64(&ring->reported[cause], record.lost);
	p = reserve_record(ring, data, sizeof(record));
	if (p) {
		memcpy(p, &record, sizeof(record));
		tr2_ring_add_u64(&ring->unreported, -record.lost);
	} else {
		tr2_ring_add_u64(&ring->reported[cause], -record.lost);
	}
	return p != NULL;
}

static void report_losses(struct tr2_control *ring, char *data)
{
	unsigned int cause;

	for (cause = 0; cause < NR_RING_CAUSES; cause++)
		if (!report_loss(ring, data, cause))
			return;
}

/* End a write that got no room, and count a lost record. */
static void give_up(struct tr2_slot *slot, struct tr2_call_mark *in)
{
	tr2_ring_lost(slot, tr2_arena_rings.consume ? TR2_LOST_NO_ROOM :
						      TR2_LOST_NESTED);
	TR2_TESTPOINT(counted_loss);
	leave_ring(&slot->control, in, 0);
	tr2_call_mark_end(in);
}

static bool can_begin(struct tr2_slot *slot, uint32_t size)
{
	if (!slot || !slot->control.data_size || !tr2_arena_rings.data_size) {
		tr2_ring_lost(slot, TR2_LOST_NO_SLOT);
		return false;
	}
	if (size > tr2_arena_rings.data_size / 4) {
		tr2_ring_lost(slot, TR2_LOST_TOO_LARGE);
		return false;
	}
	return true;
}

bool tr2_ring_begin_slow(struct tr2_ring_write *w, struct tr2_slot *slot,
			 uint32_t size, struct tr2_call_mark *in)
{
	struct tr2_control *ring;
	char *data;

	if (!can_begin(slot, size))
		return false;
	ring = &slot->control;
	data = tr2_ring_data(slot);
	tr2_call_mark_begin(in);
	tr2_ring_order();
	if (tr2_ring_load(&ring->nest))
		be_nested(ring, in);
	else
		be_outermost(ring, in);
	tr2_ring_order();
	TR2_TESTPOINT(entered);
	if (tr2_ring_load(&ring->unreported))
		report_losses(ring, data);
	w->ring = ring;
	w->in = in;
	w->announced = 0;
	w->p = reserve_record(ring, data, size);
	if (w->p)
		return true;
	give_up(slot, in);
	return false;
}

__attribute__((noinline)) bool tr2_ring_put(struct tr2_slot *slot,
					    const void *record)
{
	const struct tr2_record *head = record;
	struct tr2_ring_write w;
	struct tr2_call_mark in;

	if (!tr2_ring_begin(&w, slot, head->size, &in))
		return false;
	memcpy(w.p, record, head->size);
	tr2_ring_end(&w);
	return true;
}

void tr2_ring_finish(struct tr2_slot *slot)
{
	struct tr2_control *ring = &slot->control;
	struct tr2_call_mark in;

	if (!ring->data_size || !tr2_arena_rings.data_size)
		return;
	if (tr2_ring_load(&ring->nest))
		drop_unfinished(ring, 1);
	if (tr2_ring_load(&ring->unreported)) {
		tr2_call_mark_begin(&in);
		be_outermost(ring, &in);
		report_losses(ring, tr2_ring_data(slot));
		leave_ring(ring, &in, 0);
		tr2_call_mark_end(&in);
	}
	tr2_ring_wake(ring);
}
