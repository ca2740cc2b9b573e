/* SPDX-License-Identifier: MIT */
/* Make the context of a thread at its first call. */
#include "base/lock.h"
#include "session/parts.h"
#include "session/thread.h"

struct tr2_thread_key tr2_thread_key;

/* Without a key the contexts of threads that have ended stay. */
#define MAX_UNNOTICED 64u

static struct tr2_thread *begin_thread(uint32_t creator_tid)
{
	struct tr2_thread *thread = NULL;

	tr2_lock();
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
