/* SPDX-License-Identifier: MIT */
/* Write frequent events straight into the ring. */
#include "session/fastpath.h"

#include <errno.h>

#include "base/clock.h"
#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/macros.h"
#include "base/mask.h"
#include "metric/metric.h"
#include "ring/ring.h"
#include "ring/site.h"
#include "session/fastpath_at.h"
#include "session/fastpath_record.h"
#include "thread/emit.h"
#include "thread/stream.h"

/* An event with its file, line and names. */
struct fastpath {
	struct tr2_thread *thread;
	struct tr2_ring_write w;
	enum tr2_event_kind kind;
	struct tr2_fast_text file;
	int line, repo_id;
	unsigned int nesting;
	uint64_t now_ns;
};

/* Return the calling thread with its slot, if it can write now; NULL: its state
 * requires the slow path. */
TR2_INLINE struct tr2_thread *ready_thread(void)
{
	struct tr2_thread *thread = tr2_self;

	if (!thread || !tr2_my_slot || !thread->announced ||
	    tr2_fork_guard_is_cleared() ||
	    atomic_load_explicit(&thread->busy, memory_order_relaxed))
		return NULL;
	return thread;
}

TR2_INLINE bool prepare(struct fastpath *q, const char *file, int line,
			int repo_id)
{
	q->thread = ready_thread();
	if (!q->thread)
		return false;
	q->line = line;
	q->repo_id = repo_id;
	q->file = tr2_fast_measure(
		tr2_stream.target[TR2_TARGET_ring].brief ? NULL : file);
	return true;
}

/* Return whether the fast path may write the fields; false: they require the
 * slow path. */
#define MAY_WRITE(q, name, v)                                \
	(TR2_FAST_MAY_WRITE(name, v, TR2_FAST_LONG) &&        \
	 tr2_fast_bytes_of_##name(v, TR2_FAST_LONG) +         \
			 tr2_fast_room(&(q)->file) <=         \
		 TR2_FAST_MAX_BYTES)

__attribute__((noinline)) void tr2_fastpath_put_filler(struct tr2_ring_write w,
						       size_t size)
{
	const struct tr2_record filler = { TR2_RECORD_FILLER, 0,
					   (uint16_t)size };

	memcpy(w.p, &filler, sizeof(filler));
	tr2_ring_end(&w);
}

/*
 * Reserve the record, read the clock and write the part before the fields,
 * which take `bytes` bytes. Return the place of the fields; NULL: there is no
 * room, or tracing has ended.
 */
TR2_INLINE char *begin(struct fastpath *q,
		       struct tr2_call_mark *in, size_t bytes)
{
	size_t n = sizeof(struct tr2_record_event) + tr2_fast_room(&q->file) +
		   bytes;
	char *p;

	n = (n + TR2_RECORD_ALIGN - 1) & -(size_t)TR2_RECORD_ALIGN;
	if (!tr2_ring_begin(&q->w, tr2_my_slot, (uint32_t)n, in)) {
		tr2_dest_drop(tr2_stream_dest(TR2_TARGET_ring));
		return NULL;
	}
	/* Pairs with the barrier at the end of the session: the end switches
	 * tracing off, calls the barrier, and waits for writes that have
	 * begun. */
	if (unlikely(!trace2_is_enabled())) {
		tr2_fastpath_put_filler(q->w, n);
		return NULL;
	}
	q->now_ns = tr2_clock_now_ns();
	p = q->w.p;
	/* Clear the last word first, so that bytes after the fields stay
	 * zero. */
	tr2_fast_put_u64(p + n - 8, 0);
	/* Write a struct tr2_record_event by words of 8 bytes. */
	p = tr2_fast_put_u64(p, (TR2_RECORD_EVENT + (uint64_t)q->kind) |
					n << 48);
	p = tr2_fast_put_u64(p, q->now_ns);
	p = tr2_fast_put_u64(
		p, q->thread->tid |
			   (q->file.s ? (uint64_t)(uint32_t)q->line << 32 : 0));
	p = tr2_fast_put_u64(p, (uint32_t)q->repo_id |
					(uint64_t)q->nesting << 32);
	return tr2_fast_put_text(p, &q->file);
}

bool tr2_fastpath_region_enter(const char *file, int line, const char *category,
			       const char *label, int repo_id)
{
	const struct tr2_fast_region_enter v = {
		.category = tr2_fast_measure(category),
		.label = tr2_fast_measure(label)
	};
	const struct tr2_region_names names = { category, label,
						v.category.len, v.label.len };
	struct tr2_regions *regions;
	struct tr2_call_mark in;
	struct fastpath q;
	char *p;

	q.kind = TR2_EV_region_enter;
	if (!prepare(&q, file, line, repo_id) ||
	    !MAY_WRITE(&q, region_enter, &v))
		return false;
	regions = &q.thread->regions;
	if (regions->nr_open >= regions->fastpath_alloc ||
	    !tr2_region_have_room(&names))
		return false;
	q.nesting = (unsigned int)regions->nr_open + 1;
	p = begin(&q, &in, tr2_fast_bytes_of_region_enter(&v, TR2_FAST_LONG));
	if (p) {
		tr2_fast_put_region_enter(p, &v, TR2_FAST_LONG);
		tr2_ring_end(&q.w);
	} else {
		q.now_ns = tr2_clock_now_ns();
	}
	tr2_region_fill(tr2_region_count(regions), &names, q.now_ns, repo_id,
			TR2_REGION_OWN_NAMES);
	return true;
}

/* Do not search the names for secrets: they are the names of the enter, and
 * were searched then. */
bool tr2_fastpath_region_leave(const char *file, int line, const char *category,
			       const char *label, int repo_id)
{
	struct tr2_fast_region_leave v = { .t_rel = 0 };
	const struct tr2_region *region;
	const struct tr2_site *site;
	struct tr2_call_mark in;
	struct fastpath q;
	char *p;

	q.kind = TR2_EV_region_leave;
	if (!prepare(&q, file, line, repo_id))
		return false;
	region = tr2_region_top(&q.thread->regions);
	if (!region || region->fastpath_names == TR2_REGION_SLOW ||
	    !tr2_region_is(region, category, label))
		return false;
	site = region->site;
	v.category = (struct tr2_fast_text){ tr2_region_category(region),
				    site ? site->category_len :
					   region->category_len };
	v.label = (struct tr2_fast_text){ tr2_region_label(region),
				 site ? site->name_len : region->label_len };
	if (tr2_fast_bytes_of_region_leave(&v, TR2_FAST_LONG) +
		    tr2_fast_room(&q.file) > TR2_FAST_MAX_BYTES)
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open;
	p = begin(&q, &in, tr2_fast_bytes_of_region_leave(&v, TR2_FAST_LONG));
	if (!p) {
		tr2_region_pop(&q.thread->regions);
		return true;
	}
	v.t_rel = q.now_ns - region->start_ns;
	tr2_fast_put_region_leave(p, &v, TR2_FAST_LONG);
	/* From here on, a signal handler's regions may overwrite the entry of
	 * this region. */
	tr2_region_pop(&q.thread->regions);
	tr2_ring_end(&q.w);
	return true;
}

bool tr2_fastpath_data(const char *file, int line, const char *category,
		       int repo_id, const char *key, const char *value)
{
	struct tr2_fast_data v = { .category = tr2_fast_measure(category),
			       .key = tr2_fast_measure(key),
			       .value = tr2_fast_measure(value) };
	struct tr2_call_mark in;
	struct fastpath q;
	uint64_t start_ns;
	char *p;

	q.kind = TR2_EV_data;
	if (!prepare(&q, file, line, repo_id) || !MAY_WRITE(&q, data, &v))
		return false;
	q.nesting = (unsigned int)q.thread->regions.nr_open + 1;
	start_ns = tr2_region_start(q.thread);
	p = begin(&q, &in, tr2_fast_bytes_of_data(&v, TR2_FAST_LONG));
	if (p) {
		v.t_rel = q.now_ns - start_ns;
		tr2_fast_put_data(p, &v, TR2_FAST_LONG);
		tr2_ring_end(&q.w);
	}
	return true;
}

/* Write the row of a site into the file, before its first event. */
__attribute__((noinline, cold)) static void add_row(const struct tr2_site *site)
{
	int saved_errno = errno;
	bool may = !tr2_stream.target[TR2_TARGET_ring].brief &&
		   !(site->may_have_secret && tr2_stream.redact);

	if (tr2_lock_is_mine())
		return;
	tr2_lock();
	tr2_ring_add_site(site, may);
	tr2_unlock();
	errno = saved_errno;
}

/*
 * Let the thread take the fastest path, with the newest scale of the clock.
 * Signals are blocked: a handler must not see half of a scale, or change data
 * that an interrupted write uses.
 */
static void speed_up(struct tr2_thread *thread)
{
	const struct tr2_scale scale = tr2_clock_newest();
	struct tr2_slot *slot = tr2_my_slot;
	struct tr2_mask before;

	if (!scale.window || !slot || !tr2_arena_rings.data_size ||
	    !slot->control.data_size || tr2_ring_load(&slot->control.nest) ||
	    (thread->fast.slot &&
	     thread->scale.base_ticks == scale.base_ticks))
		return;
	tr2_mask_begin(&before);
	thread->scale = scale;
	thread->fast.data = tr2_ring_data(slot);
	thread->fast.mask = tr2_arena_rings.data_size - 1;
	thread->fast.slot = slot;
	tr2_mask_end(&before);
}

/* Prepare a short record. false: a record in another form may still be
 * possible. */
static bool prepare_at(struct tr2_fastpath *q, const struct tr2_site *site,
		       const struct trace2_repo *repo)
{
	q->thread = ready_thread();
	q->slot = tr2_my_slot;
	if (!q->thread || !site || repo)
		return false;
	speed_up(q->thread);
	q->site = tr2_ring_find_site(site);
	if (!q->site && !__atomic_load_n(&tr2_ring_site_at(site->key)->row,
					 __ATOMIC_RELAXED)) {
		add_row(site);
		q->site = tr2_ring_find_site(site);
	}
	return q->site != NULL;
}

bool tr2_fastpath_region_enter_at(const struct tr2_site *site,
				  const char *category, const char *label,
				  const struct trace2_repo *repo)
{
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	return prepare_at(&q, site, repo) &&
	       tr2_fastpath_put_enter(&q, false, category, label);
}

bool tr2_fastpath_region_leave_at(const struct tr2_site *site,
				  const struct trace2_repo *repo)
{
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	return prepare_at(&q, site, repo) && tr2_fastpath_put_leave(&q, false);
}

bool tr2_fastpath_data_at(const struct tr2_site *site,
			  const struct trace2_repo *repo, const char *value)
{
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	return prepare_at(&q, site, repo) &&
	       tr2_fastpath_put_data(&q, false, TR2_FAST_SITE,
				     tr2_fast_measure(value));
}

bool tr2_fastpath_number_at(const struct tr2_site *site,
			    const struct trace2_repo *repo, int64_t value)
{
	const struct tr2_fast_text number = { .len = (size_t)value };
	struct tr2_call_mark in;
	struct tr2_fastpath q = { .in = &in };

	return prepare_at(&q, site, repo) &&
	       tr2_fastpath_put_data(&q, false, TR2_FAST_NUMBER, number);
}

void tr2_fastpath_back_out(struct tr2_call_mark *announced)
{
	struct tr2_slot *slot = tr2_my_slot;

	if (slot)
		tr2_ring_back_out(&slot->control, announced);
	else
		tr2_call_mark_end(announced); /* a handler forked: this child
					       * has no slot */
}
