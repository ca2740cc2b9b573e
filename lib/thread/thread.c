/* SPDX-License-Identifier: MIT */
/*
 * The registry of threads: contexts, slots, names, and calls that may be over.
 */
#include "thread/thread.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/raw.h"
#include "base/sanitize.h"
#include "base/text.h"
#include "metric/metric.h"
#include "ring/ring.h"
#include "thread/context.h"
#include "thread/stream.h"

#define MAX_IDLE_WAIT_NS (50u * UINT64_C(1000000))

static struct tr2_thread *registry, *main_thread;
static unsigned int nr_registered;
static atomic_uint last_id;

struct tr2_thread *tr2_thread_main(void)
{
	return main_thread;
}

static void insert_thread(struct tr2_thread *thread)
{
	TR2_LIST_ADD(registry, thread);
	nr_registered++;
}

static void remove_from_registry(struct tr2_thread *thread)
{
	TR2_LIST_REMOVE(registry, thread);
	nr_registered--;
}

static void set_head(struct tr2_thread *thread)
{
	struct tr2_buf *b = &thread->head;
	struct tr2_emitter *emitter = &thread->emitter;

	tr2_kept_forget(&thread->kept_json);
	tr2_kept_forget(&thread->kept_perf);
	tr2_buf_reset(b);
	tr2_render_json_head(b, tr2_stream.sid, thread->name);
	emitter->json_head_len = b->len;
	tr2_render_perf_head(b, tr2_stream.depth, thread->name);
	emitter->perf_head_len = b->len - emitter->json_head_len;
	emitter->json_head = b->p;
	emitter->perf_head = b->p + emitter->json_head_len;
	emitter->thread_name = thread->name;
}

void tr2_thread_name(struct tr2_thread *thread, const char *base)
{
	char name[TR2_THREAD_NAME_MAX * 4];
	size_t len;

	if (thread->is_main) {
		memcpy(name, "main", sizeof("main"));
	} else {
		thread->id = atomic_fetch_add(&last_id, 1) + 1;
		snprintf(name, sizeof(name), "th%02u:%s", thread->id,
			 base ? base : "unknown");
	}
	len = tr2_utf8_cut(name, strlen(name), TR2_THREAD_NAME_MAX);
	memcpy(thread->name, name, len);
	thread->name[len] = '\0';
	set_head(thread);
}

struct tr2_thread *tr2_thread_new(uint32_t creator_tid)
{
	struct tr2_thread *thread = tr2_context_get();

	if (!thread)
		return NULL;
	/* The first thread is main. In a forked child another thread may become
	 * main if the thread that forked got no memory. */
	thread->is_main = !main_thread;
	if (thread->is_main)
		main_thread = thread;
	thread->announced = thread->is_main;
	thread->id = 0;
	*thread->name = '\0';
	thread->named = thread->crossed_fork = false;
	thread->has_new_name = thread->calls_parts = false;
	memset(thread->own, 0, sizeof(thread->own));
	thread->owner.slot = thread->fast.slot = NULL;
	thread->scale.window = 0;
	tr2_regions_end(&thread->regions, false);
	thread->entered.nr = 0;
	thread->in_sink = 0;
	thread->child.nr = TR2_NO_CHILD;
	thread->destructions = thread->nr_procs = 0;
	thread->aside = NULL;
	thread->cancel_type = TR2_NO_CANCEL_TYPE;
	thread->tid = tr2_raw_gettid();
	thread->ptid = creator_tid;
	thread->errno_at = &errno;
	thread->start_ns = tr2_clock_now_ns();
	insert_thread(thread);
	tr2_self = thread;
	if (thread->is_main)
		tr2_thread_name(thread, NULL);
	return thread;
}

void tr2_thread_begin_again(uint64_t now_ns)
{
	struct tr2_thread *thread;

	tr2_lock();
	if (tr2_arena_is_used())
		tr2_metric_move(NULL, tr2_arena_totals(), now_ns);
	for (thread = registry; thread; thread = thread->next) {
		tr2_regions_end(&thread->regions, true);
		thread->start_ns = now_ns;
		/* Store atomically: the thread may be checking whether it may
		 * enter a span. */
		__atomic_store_n(&thread->announced, thread->is_main,
				 __ATOMIC_RELAXED);
		if (thread->owner.slot)
			tr2_metric_move(NULL, thread->owner.slot, now_ns);
		if (*thread->name)
			set_head(thread);
	}
	tr2_unlock();
}

unsigned int tr2_thread_nr(void)
{
	return nr_registered;
}

static bool is_gone(const struct tr2_thread *thread)
{
	return tr2_raw_call(SYS_tgkill, getpid(), (long)thread->tid, 0, 0, 0,
			    0) == -ESRCH;
}

unsigned int tr2_thread_nr_gone(void)
{
	const struct tr2_thread *thread;
	unsigned int nr = 0;

	tr2_lock();
	for (thread = registry; thread; thread = thread->next)
		nr += !thread->is_main && thread->announced && is_gone(thread);
	tr2_unlock();
	return nr;
}

/* Return whether no process has a thread with this id. Other processes count,
 * too: the thread may be in one that shares the memory (CLONE_VM). */
static bool is_nowhere(const struct tr2_thread *thread)
{
	return tr2_raw_call(SYS_tkill, (long)thread->tid, 0, 0, 0, 0, 0) ==
	       -ESRCH;
}

void tr2_thread_each_gone(void (*end)(struct tr2_thread *thread))
{
	struct tr2_thread *thread, *next;

	/* Look only if the ids of threads are valid in this process. A child
	 * that has not noticed its fork may reuse the ids of its parent's
	 * threads. A process that shares the memory may see none of the
	 * threads, not even main, which exists as long as its process. */
	if (!tr2_fork_guard_is_made() || tr2_is_in_sandbox() || !main_thread ||
	    is_nowhere(main_thread))
		return;
	for (thread = registry; thread; thread = next) {
		next = thread->next;
		if (!thread->is_main && is_nowhere(thread))
			end(thread);
	}
}

void tr2_thread_child_ended(int child_nr)
{
	struct tr2_thread *thread;
	int nr;

	tr2_lock();
	for (thread = registry; thread; thread = thread->next) {
		nr = child_nr;
		atomic_compare_exchange_strong(&thread->child.nr, &nr,
					       TR2_NO_CHILD);
	}
	tr2_unlock();
}

void tr2_thread_each(void (*visit)(const struct tr2_thread *thread))
{
	const struct tr2_thread *thread;

	for (thread = registry; thread; thread = thread->next)
		visit(thread);
}

/* Begin a change under the sequence lock of the slot's owner: see struct
 * tr2_control. */
static void control_lock(struct tr2_control *control)
{
	__atomic_store_n(&control->lock, control->lock + 1, __ATOMIC_RELAXED);
	tr2_fence(__ATOMIC_RELEASE);
}

static void control_unlock(struct tr2_control *control)
{
	__atomic_store_n(&control->lock, control->lock + 1, __ATOMIC_RELEASE);
}

static void describe_slot(const struct tr2_thread *thread,
			  struct tr2_slot *slot)
{
	struct tr2_control *control = &slot->control;

	control_lock(control);
	control->tid = thread->tid;
	control->ptid = thread->ptid;
	control->start_ns = thread->start_ns;
	memset(control->name, 0, sizeof(control->name));
	memcpy(control->name, thread->name, sizeof(thread->name));
	control->state = TR2_SLOT_LIVE;
	control_unlock(control);
}

void tr2_thread_describe(const struct tr2_thread *thread)
{
	if (thread->owner.slot)
		describe_slot(thread, thread->owner.slot);
}

static void give_slot_back(struct tr2_thread *thread, uint64_t now_ns)
{
	struct tr2_slot *slot = thread->owner.slot;

	if (!slot)
		return;
	tr2_arena_remove_owner(&thread->owner);
	thread->owner.slot = NULL;
	tr2_metric_move(tr2_arena_totals(), slot, now_ns);
	tr2_ring_finish(slot);
	control_lock(&slot->control);
	slot->control.state = TR2_SLOT_ENDED;
	control_unlock(&slot->control);
	tr2_arena_free(slot);
}

struct tr2_slot *tr2_thread_slot(struct tr2_thread *thread)
{
	if (!thread->owner.slot) {
		tr2_lock();
		thread->owner.slot = tr2_arena_claim();
		if (thread->owner.slot) {
			describe_slot(thread, thread->owner.slot);
			tr2_arena_add_owner(&thread->owner);
		}
		tr2_unlock();
	}
	return thread->owner.slot;
}

void tr2_thread_set_mine(struct tr2_thread *thread)
{
	struct tr2_slot *slot;

	/* Read the slot again if a handler forks in between: the slot is then
	 * the parent's. */
	do {
		slot = *(struct tr2_slot *volatile *)&thread->owner.slot;
		tr2_arena_set_mine(slot);
	} while (*(struct tr2_slot *volatile *)&thread->owner.slot != slot);
}

/* Move the thread to another context. The call in the old context keeps the
 * memory that it uses. */
static void move_context(struct tr2_thread *to, struct tr2_thread *from)
{
	const struct tr2_render render = to->render;
	const struct tr2_buf message = to->message, head = to->head;
	const struct tr2_regions regions = to->regions;
	const struct tr2_kept json = to->kept_json, perf = to->kept_perf;

	*to = *from;
	to->render = render;
	to->message = message;
	to->head = head;
	to->kept_json = json;
	to->kept_perf = perf;
	set_head(to);
	to->regions = regions;
	tr2_regions_copy(&to->regions, &from->regions);
	if (from->owner.slot) {
		tr2_arena_remove_owner(&from->owner);
		tr2_arena_add_owner(&to->owner);
	}
	/* Keep from->fast: a call that was interrupted before it set `busy` may
	 * still use the fastest path, in the thread's ring. */
	from->owner.slot = NULL;
	memset(from->own, 0, sizeof(from->own));
}

/* Return one of the thread's other contexts, if the call in that context is
 * over by now; else a new context, unless the thread has TR2_MAX_ASIDE. */
static struct tr2_thread *find_spare(struct tr2_thread *thread,
				     const struct tr2_call_mark *in)
{
	struct tr2_thread **at = &thread->aside, *spare;
	unsigned int nr;
	uintptr_t inside;

	for (nr = 0; (spare = *at); at = &spare->aside, nr++) {
		inside = spare->busy;
		/* A call at the address of this one is over: two live frames
		 * never have the same address. */
		if (inside && inside != thread->busy &&
		    !tr2_call_mark_is_over(inside, in))
			continue;
		if (inside)
			tr2_stream_lost();
		*at = spare->aside;
		break;
	}
	if (!spare && nr < TR2_MAX_ASIDE)
		spare = tr2_context_get();
	if (!spare || tr2_context_make_head_room(spare))
		return spare;
	tr2_context_put(spare);
	return NULL;
}

struct tr2_thread *tr2_thread_renew(struct tr2_thread *thread,
				    struct tr2_call_mark *in)
{
	struct tr2_thread *fresh;

	tr2_lock();
	/* Look again: a handler that switches stacks may have replaced the
	 * context since the caller read it. */
	fresh = thread == tr2_self ? find_spare(thread, in) : NULL;
	if (fresh) {
		move_context(fresh, thread);
		atomic_store(&fresh->busy, (uintptr_t)in);
		fresh->aside = thread;
		remove_from_registry(thread);
		insert_thread(fresh);
		if (thread == main_thread)
			main_thread = fresh;
		tr2_self = fresh;
	}
	tr2_unlock();
	return fresh;
}

/* Put back the contexts of the thread's other calls: the calls are over,
 * because the thread is. */
static void put_aside_back(struct tr2_thread *thread)
{
	struct tr2_thread *aside;

	while ((aside = thread->aside)) {
		thread->aside = aside->aside;
		if (atomic_exchange(&aside->busy, 0))
			tr2_stream_lost();
		tr2_context_put(aside);
	}
}

void tr2_thread_free(struct tr2_thread *thread, uint64_t now_ns)
{
	if (thread == tr2_self) {
		tr2_arena_set_mine(NULL);
		tr2_self = NULL;
		if (thread->cancel_type != TR2_NO_CANCEL_TYPE)
			tr2_lock_restore_cancel_type(thread->cancel_type);
	}
	give_slot_back(thread, now_ns);
	remove_from_registry(thread);
	atomic_store(&thread->busy, 0);
	put_aside_back(thread);
	tr2_context_put(thread);
}

/* Move all cells into the totals when there is no memory for a sum. Afterwards
 * the cells of the threads are empty. */
static struct tr2_slot *sum_in_place(uint64_t now_ns)
{
	struct tr2_slot *totals = tr2_arena_totals();
	struct tr2_thread *thread;

	for (thread = registry; thread; thread = thread->next)
		if (thread->owner.slot)
			tr2_metric_move(totals, thread->owner.slot, now_ns);
	return totals;
}

struct tr2_slot *tr2_thread_sum(uint64_t now_ns, bool is_last)
{
	unsigned int nr = tr2_metric_nr(TR2_METRIC_TIMER) +
			  tr2_metric_nr(TR2_METRIC_COUNTER);
	struct tr2_thread *thread;
	struct tr2_slot *sum;

	if (!tr2_arena_is_used() || !nr)
		return NULL;
	tr2_lock();
	sum = tr2_arena_scratch();
	if (sum) {
		tr2_metric_fold(sum, tr2_arena_totals(), now_ns);
		for (thread = registry; thread; thread = thread->next)
			tr2_metric_fold(sum, thread->owner.slot, now_ns);
	} else if (is_last) {
		sum = sum_in_place(now_ns);
	} else {
		atomic_fetch_add(&tr2_stream.lost, nr);
	}
	tr2_unlock();
	return sum;
}

void tr2_thread_free_sum(struct tr2_slot *sum, uint64_t now_ns)
{
	if (!sum || sum == tr2_arena_totals())
		return;
	tr2_lock();
	tr2_metric_move(NULL, sum, now_ns);
	tr2_arena_free(sum);
	tr2_unlock();
}

void tr2_thread_release_all(void)
{
	struct tr2_thread *thread = registry, *next;

	registry = main_thread = tr2_self = NULL;
	nr_registered = 0;
	tr2_arena_set_mine(NULL);
	for (; thread; thread = next) {
		next = thread->next;
		if (thread->owner.slot)
			tr2_arena_remove_owner(&thread->owner);
		thread->owner.slot = NULL;
		tr2_context_put(thread);
	}
	tr2_context_release();
}

/*
 * Return whether the thread is in a call, or writes to its ring without a call.
 */
static bool is_busy(const struct tr2_thread *thread)
{
	return atomic_load(&thread->busy) ||
	       (thread->owner.slot &&
		__atomic_load_n(&thread->owner.slot->control.nest,
				__ATOMIC_ACQUIRE));
}

static unsigned int nr_aside(const struct tr2_thread *thread)
{
	const struct tr2_thread *aside;
	unsigned int nr = 0;

	for (aside = thread->aside; aside; aside = aside->aside)
		nr += aside->busy != 0;
	return nr;
}

static struct tr2_thread_nr count_calls(void)
{
	struct tr2_thread_nr nr = { 0, 0 };
	const struct tr2_thread *thread;
	bool locked = tr2_lock_others();

	for (thread = registry; thread; thread = thread->next) {
		nr.busy += thread != tr2_self && is_busy(thread);
		nr.aside += nr_aside(thread);
	}
	if (locked)
		tr2_unlock();
	return nr;
}

/* A handler may jump out of this function, but no handler's call runs it at the
 * same time. In a handler that interrupted a write into the ring, keep the
 * scale: the write uses it. */
__attribute__((noinline)) uint64_t
tr2_thread_now_slow(struct tr2_thread *thread)
{
	uint64_t now_ns = tr2_clock_now_ns();
	struct tr2_scale scale = tr2_clock_newest();
	const struct tr2_slot *slot = tr2_my_slot;

	if (slot && tr2_ring_load(&slot->control.nest))
		return now_ns;
	thread->scale.window = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->scale.base_ticks = scale.base_ticks;
	thread->scale.base_ns = scale.base_ns;
	thread->scale.rate = scale.rate;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->scale.window = scale.window;
	return now_ns;
}

struct tr2_thread_nr tr2_thread_wait_idle(void)
{
	uint64_t deadline = tr2_clock_now_ns() + MAX_IDLE_WAIT_NS;
	unsigned int sleeps = MAX_IDLE_WAIT_NS / TR2_MOMENT_NS;
	struct tr2_thread_nr nr;

	/* Count the sleeps: the host's clock may stand still. */
	while ((nr = count_calls()).busy && sleeps-- &&
	       tr2_clock_now_ns() < deadline)
		tr2_let_others_run();
	return nr;
}

static void begin_in_child(struct tr2_thread *thread)
{
	struct tr2_thread *aside;

	/* Forget the parent's ring, and the parent's scale of the clock. */
	for (aside = thread; aside; aside = aside->aside) {
		aside->fast.slot = NULL;
		aside->scale.window = 0;
	}
	thread->owner.slot = NULL;
	memset(thread->own, 0, sizeof(thread->own));
	thread->calls_parts = false;
	thread->ptid = 0;
	tr2_regions_end(&thread->regions, true);
	thread->entered.nr = 0;
	thread->child.nr = TR2_NO_CHILD;
	thread->crossed_fork = true;
}

/* Keep all threads of the parent, as threads without events: it is unknown
 * which one forked. */
static void keep_all(void)
{
	struct tr2_thread *thread;

	for (thread = registry; thread; thread = thread->next) {
		begin_in_child(thread);
		thread->is_main = thread->announced = thread->named = false;
		thread->id = 0;
		*thread->name = '\0';
		thread->tid = (uint32_t)getpid();
		atomic_store(&thread->busy, 0);
	}
}

void tr2_thread_after_fork(bool is_late)
{
	struct tr2_thread *thread = tr2_self;

	last_id = 0;
	if (is_late) {
		keep_all();
		tr2_context_keep_all();
		main_thread = NULL;
		return;
	}
	registry = NULL;
	nr_registered = 0;
	tr2_context_after_fork(thread, main_thread);
	main_thread = thread;
	if (!thread)
		return;
	insert_thread(thread);
	begin_in_child(thread);
	thread->is_main = true;
	thread->announced = true;
	thread->tid = tr2_raw_gettid();
	/* Keep `busy`: if a handler interrupted a call and forked, the call
	 * continues. */
}
