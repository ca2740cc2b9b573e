/* SPDX-License-Identifier: MIT */
/* End a thread: its last events, and the destructor that notices its end. */
#include "base/check.h"
#include "base/clock.h"
#include "base/lock.h"
#include "session/call.h"
#include "session/parts.h"
#include "session/thread.h"
#include "thread/enter.h"

/*
 * Destructors of the host may still call the library after the library's
 * destructor. So the library's destructor ends the thread only in the third
 * round of destructors. A later call makes another context, which ends at the
 * next destructor at once, since there may be no further round. If no context
 * can be made, the old one stays until other threads begin.
 */
#define LAST_DESTRUCTION 3
static __thread bool has_ended;

static void end_thread(struct tr2_thread *thread, uint64_t now_ns)
{
	TR2_CHECK(thread == tr2_self && !thread->is_main);
	tr2_lock();
	has_ended = true;
	tr2_thread_set_key(false);
	tr2_parts_thread_end(thread);
	tr2_thread_free(thread, now_ns);
	tr2_unlock();
}

void tr2_thread_exit(struct tr2_call *call)
{
	struct tr2_thread *thread = call->thread;

	tr2_regions_end(&thread->regions, false);
	tr2_parts_emit_thread(call, thread);
	call->t_rel_ns = tr2_clock_since(thread->start_ns, call->now_ns);
	if (thread->announced)
		TR2_EMIT(call, thread_exit, );
	if (thread->has_new_name)
		tr2_thread_tell_name(thread);
	end_thread(thread, call->now_ns);
	call->thread = NULL; /* the context may already belong to another
			      * thread */
}

/* End a thread that did not call trace2_thread_exit(). Another thread may begin
 * a session at the same time. */
static void exit_silently(const struct tr2_thread *thread)
{
	bool announced = __atomic_load_n(&thread->announced, __ATOMIC_RELAXED);
	struct tr2_call call;

	if (trace2_is_enabled() && (announced || thread->owner.slot) &&
	    tr2_call_begin(&call, __FILE__, __LINE__)) {
		/* Do not end main: in a child whose fork was not noticed, this
		 * thread is main. */
		if (!call.thread->is_main)
			tr2_thread_exit(&call);
		tr2_call_end(&call);
	}
	if (tr2_self && !tr2_self->is_main)
		end_thread(tr2_self, tr2_clock_now_ns());
}

static void on_thread_end(void *unused)
{
	struct tr2_thread *thread = tr2_self;

	(void)unused;
	if (!thread)
		return;
	tr2_thread_abandon(thread);
	if (thread->is_main)
		return;
	if (!has_ended && ++thread->destructions < LAST_DESTRUCTION)
		tr2_thread_set_key(true);
	else
		exit_silently(thread);
}

/*
 * Make the key at load time, to get a low number: with a high one
 * pthread_setspecific() calls malloc, and a thread's first call may come from a
 * signal handler.
 */
__attribute__((constructor)) static void make_key(void)
{
	tr2_thread_key.exists =
		!pthread_key_create(&tr2_thread_key.key, on_thread_end);
}

void tr2_thread_forget_key(void)
{
	if (tr2_thread_key.exists)
		pthread_key_delete(tr2_thread_key.key);
	tr2_thread_key.exists = false;
}
