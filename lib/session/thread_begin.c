/* SPDX-License-Identifier: MIT */
/* Make the context of a thread at its first call. */
#include "base/clock.h"
#include "base/lock.h"
#include "session/parts.h"
#include "session/thread.h"
#include "thread/enter.h"

struct tr2_thread_key tr2_thread_key;

/* The most threads while no key could be made: without a key, contexts of ended
 * threads stay. */
#define MAX_UNNOTICED 64u

/* Do not look for gone threads while there are fewer threads than this. */
#define MIN_TO_LOOK 16u

static void end_gone(struct tr2_thread *thread)
{
	tr2_thread_abandon(thread);
	tr2_parts_thread_end(thread);
	tr2_thread_free(thread, tr2_clock_now_ns());
}

/* End all threads that are gone. Look for them whenever the number of threads
 * has doubled since the last look, so that a thread costs one or two looks. */
static void end_all_gone(void)
{
	static unsigned int nr_to_look = MIN_TO_LOOK;

	if (tr2_thread_nr() < nr_to_look)
		return;
	tr2_thread_each_gone(end_gone);
	nr_to_look = 2 * tr2_thread_nr() + MIN_TO_LOOK;
}

static struct tr2_thread *begin_thread(uint32_t creator_tid)
{
	struct tr2_thread *thread = NULL;

	tr2_lock();
	if (tr2_thread_key.exists)
		end_all_gone();
	if (tr2_thread_key.exists || tr2_thread_nr() < MAX_UNNOTICED)
		thread = tr2_thread_new(creator_tid);
	if (thread) {
		tr2_thread_set_key(true);
		tr2_parts_thread_begin(thread);
		if (thread->is_main)
			tr2_parts_thread_named(thread);
	}
	tr2_unlock();
	return thread;
}

struct tr2_thread *tr2_thread_begin(void)
{
	return begin_thread(0);
}

struct tr2_thread *tr2_thread_get_made_by(uint32_t creator_tid)
{
	return tr2_self ? tr2_self : begin_thread(creator_tid);
}

void tr2_thread_tell_name(struct tr2_thread *thread)
{
	thread->has_new_name = false;
	tr2_lock();
	tr2_thread_describe(thread);
	tr2_parts_thread_named(thread);
	tr2_unlock();
}
