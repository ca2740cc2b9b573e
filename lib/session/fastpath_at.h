/* SPDX-License-Identifier: MIT */
/*
 * fastpath_at - write events of sites into the ring, inline.
 *
 * Each function has two forms. With `hot`, it is for the function that the
 * program calls, and does only the steps that nearly all events need. It calls
 * no function, and leaves the rest to a slow path. The caller must go on with
 * the slow path, after tr2_fastpath_back_out() if the write is announced.
 * Without `hot`, false means that the event does not fit a short record.
 */
#pragma once

#include "base/clock.h"
#include "base/fork_guard.h"
#include "base/macros.h"
#include "ring/ring.h"
#include "ring/site.h"
#include "session/fastpath_record.h"
#include "thread/stream.h"
#include "thread/thread.h"

struct tr2_fastpath {
	struct tr2_thread *thread;
	struct tr2_slot *slot;
	const struct tr2_ring_site *site;
	enum tr2_event_kind kind;
	enum tr2_fast_form form;
	unsigned int nesting;
	bool is_announced; /* a write is announced; after a failure,
			    * tr2_fastpath_back_out() must follow */
	uint64_t now_ns;
	struct tr2_ring_write w;
	struct tr2_call_mark *in; /* the mark of the write, a variable of the
				   * public function */
};

/*
 * Check the state; call it after tr2_fastpath_is_on(). false: something is
 * unusual. Most checks are numbers that must be 0, joined for one branch.
 * `busy` is not 0 in a handler that interrupted the library, and `nest` is not
 * 0 in a handler that interrupted a write.
 */
TR2_INLINE bool tr2_fastpath_find(struct tr2_fastpath *q,
				  const struct trace2_site *site,
				  const struct trace2_repo *repo)
{
	struct tr2_thread *thread = tr2_self;
	const struct tr2_ring_site *found;
	uint32_t key;

	q->is_announced = false;
	if (unlikely(!thread) || unlikely(!site))
		return false;
	key = __atomic_load_n(&site->number, __ATOMIC_RELAXED);
	found = tr2_ring_site_at(key);
	q->thread = thread;
	q->slot = __atomic_load_n(&thread->fast.slot, __ATOMIC_RELAXED);
	q->site = found;
	if (unlikely(!q->slot))
		return false;
	/* Acquire: pairs with the release in tr2_ring_add_site(). */
	return likely(!((__atomic_load_n(&found->key, __ATOMIC_ACQUIRE) ^ key) |
			tr2_ring_load(&q->slot->control.nest) |
			(uintptr_t)repo |
			atomic_load_explicit(&thread->busy,
					     memory_order_relaxed)));
}

/* Announce the record, read the clock, and take a place. false: the slow path
 * must write the record. The checks are numbers that must not be negative,
 * joined for one branch. */
TR2_INLINE bool tr2_fastpath_begin_hot(struct tr2_fastpath *q, uint32_t size)
{
	struct tr2_thread *thread = q->thread;
	const struct tr2_scale *scale = &thread->scale;
	uint64_t ticks, mask = thread->fast.mask;

	tr2_ring_announce(&q->w, &q->slot->control, size, q->in);
	q->is_announced = true;
	ticks = tr2_clock_ticks() - scale->base_ticks;
	q->now_ns = scale->base_ns + (ticks * scale->rate >> 32);
	/* The check of trace2_is_enabled() pairs with the barrier at the end of
	 * the session: the end switches tracing off, calls the barrier, and
	 * waits for writes that have begun. */
	if (unlikely((((int64_t)trace2_is_enabled() - 1) |
		      (int64_t)(scale->window - 1 - ticks) |
		      tr2_ring_room(&q->w, size, mask)) < 0))
		return false;
	tr2_ring_commit(&q->w, thread->fast.data, mask);
	return true;
}

/* Write a filler in place of an event that came after the end of tracing. */
void tr2_fastpath_put_filler(struct tr2_ring_write w, size_t size);

/* Begin a record, with all rare steps, in a thread that may write. false:
 * tracing has ended; or there is no room, and the loss was counted. */
TR2_INLINE bool tr2_fastpath_begin_cold(struct tr2_fastpath *q, size_t size)
{
	if (!tr2_ring_begin(&q->w, q->slot, (uint32_t)size, q->in)) {
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
		return false;
	}
	if (unlikely(!trace2_is_enabled())) {
		tr2_fastpath_put_filler(q->w, size);
		return false;
	}
	q->now_ns = tr2_clock_now_ns();
	return true;
}

/* Begin a record, and return the place of its fields, which take `bytes` bytes.
 * NULL: the record could not be begun. */
TR2_INLINE char *tr2_fastpath_begin_at(struct tr2_fastpath *q, bool hot,
				       size_t bytes)
{
	uint32_t type = (q->form == TR2_FAST_NUMBER ? TR2_RECORD_SITE_NUMBER :
						     TR2_RECORD_SITE_EVENT) +
			(uint32_t)q->kind;
	size_t n = sizeof(struct tr2_record_site_event) + bytes;
	bool is_padded = bytes % TR2_RECORD_ALIGN;
	char *p;

	n = (n + TR2_RECORD_ALIGN - 1) & -(size_t)TR2_RECORD_ALIGN;
	if (hot ? !tr2_fastpath_begin_hot(q, (uint32_t)n) :
		  !tr2_fastpath_begin_cold(q, n))
		return NULL;
	p = q->w.p;
	/* Clear the last word first, so that bytes after the fields stay
	 * zero. */
	if (!__builtin_constant_p(is_padded) || is_padded)
		tr2_fast_put_u64(p + n - 8, 0);
	/* Write the struct tr2_record: its type, then `misc` and the size as
	 * one word. */
	p = tr2_fast_put_u32(p, type);
	p = tr2_fast_put_u32(p, q->nesting << TR2_MISC_NESTING_SHIFT |
					(uint32_t)n << 16);
	p = tr2_fast_put_u64(p, q->now_ns);
	return tr2_fast_put_u64(p, q->thread->tid |
					   (uint64_t)q->site->row << 32);
}

TR2_INLINE void tr2_fastpath_end(const struct tr2_fastpath *q, bool hot)
{
	if (hot)
		tr2_ring_publish_announced(&q->w);
	else
		tr2_ring_end(&q->w);
}

TR2_INLINE bool tr2_fastpath_put_enter(struct tr2_fastpath *q, bool hot,
				       const char *category, const char *label)
{
	const struct tr2_fast_region_enter v = { .category.s = category };
	struct tr2_regions *regions = &q->thread->regions;
	char *p;

	q->kind = TR2_EV_region_enter;
	q->form = TR2_FAST_SITE;
	if (unlikely(regions->nr_open >= regions->fastpath_alloc))
		return false;
	q->nesting = (unsigned int)regions->nr_open + 1;
	p = tr2_fastpath_begin_at(
		q, hot, tr2_fast_bytes_of_region_enter(&v, TR2_FAST_SITE));
	if (p)
		tr2_fast_put_region_enter(p, &v, TR2_FAST_SITE);
	else if (hot)
		return false;
	else
		q->now_ns = tr2_clock_now_ns();
	tr2_region_fill_at(tr2_region_count(regions), q->site->site, category,
			   label, q->now_ns, 0, q->site->names);
	if (p)
		tr2_fastpath_end(q, hot);
	return true;
}

TR2_INLINE bool tr2_fastpath_put_leave(struct tr2_fastpath *q, bool hot)
{
	struct tr2_fast_region_leave v = { .t_rel = 0 };
	struct tr2_regions *regions = &q->thread->regions;
	const struct tr2_region *region;
	char *p;

	q->kind = TR2_EV_region_leave;
	q->form = TR2_FAST_SITE;
	if (unlikely(regions->nr_open - 1 >= regions->fastpath_alloc))
		return false;
	region = &regions->at[regions->nr_open - 1];
	if (unlikely(region->fastpath_names != q->site->names))
		return false;
	q->nesting = (unsigned int)regions->nr_open;
	p = tr2_fastpath_begin_at(
		q, hot, tr2_fast_bytes_of_region_leave(&v, TR2_FAST_SITE));
	if (p) {
		v.t_rel = tr2_clock_since(region->start_ns, q->now_ns);
		tr2_fast_put_region_leave(p, &v, TR2_FAST_SITE);
	} else if (hot) {
		return false;
	}
	/* From here on, a signal handler's regions may overwrite the entry of
	 * this region. */
	tr2_region_pop(regions);
	if (p)
		tr2_fastpath_end(q, hot);
	return true;
}

/* The maximal size of a data record without its value. */
#define TR2_FAST_DATA_BYTES \
	(sizeof(struct tr2_record_site_event) + sizeof(uint64_t) + \
	 sizeof(uint16_t) + TR2_RECORD_ALIGN)

/* Put the record of a data event. form must be a constant. */
TR2_INLINE bool tr2_fastpath_put_data(struct tr2_fastpath *q, bool hot,
				      enum tr2_fast_form form,
				      struct tr2_fast_text value)
{
	struct tr2_fast_data v = { .value = value };
	const struct tr2_regions *regions = &q->thread->regions;
	uint64_t start_ns;
	char *p;

	q->kind = TR2_EV_data;
	q->form = form;
	if (unlikely(regions->nr_open >= TR2_MISC_NESTING_MAX) ||
	    (hot && unlikely(value.len > TR2_RING_ANNOUNCED_MAX -
						 TR2_FAST_DATA_BYTES) &&
	     form != TR2_FAST_NUMBER) ||
	    (form != TR2_FAST_NUMBER && !TR2_FAST_MAY_WRITE(data, &v, form)))
		return false;
	q->nesting = (unsigned int)regions->nr_open + 1;
	start_ns = tr2_region_start(q->thread);
	p = tr2_fastpath_begin_at(q, hot, tr2_fast_bytes_of_data(&v, form));
	if (!p)
		return !hot;
	v.t_rel = tr2_clock_since(start_ns, q->now_ns);
	tr2_fast_put_data(p, &v, form);
	tr2_fastpath_end(q, hot);
	return true;
}
