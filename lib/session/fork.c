/* SPDX-License-Identifier: MIT */
/*
 * The steps of a fork: before_fork() in the parent; in_child() in the child,
 * which drops the parent's data; and tr2_session_reopen() at the child's first
 * event, which opens its session.
 */
#include "session/fork.h"

#include "base/barrier.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/fork_guard.h"
#include "base/lock.h"
#include "base/mask.h"
#include "base/raw.h"
#include "ring/wake.h"
#include "session/control.h"
#include "session/fastpath.h"
#include "session/inherit.h"
#include "session/parts.h"
#include "session/repo.h"
#include "session/signal.h"
#include "session/targets.h"
#include "session/thread.h"
#include "thread/context.h"
#include "thread/stream.h"

#define MAX_WAITS_FOR_SINK 5u /* number of calls of tr2_await(), 10 ms each */

/* The id of the thread that forks, for a thread that had no context before the
 * fork. */
static __thread uint32_t forking_tid;

/* The parent's session, for a child that continues it. */
static struct {
	struct tr2_session_course course;
	struct tr2_regions regions; /* main's regions, without their memory */
	uint64_t start_ns;
	bool has_ring;
} parents;

/* true: this child must continue the parent's session, as the program asked. */
static atomic_bool is_resumed;

/* The thread that makes the child's session. Its own calls must not wait for
 * the session: functions that replace libc's may make calls in this thread. */
static atomic_uint opener_tid;

static void keep_parents(void)
{
	const struct tr2_regions none = { .nr_open = 0 };

	parents.course = tr2_session.course;
	parents.regions = tr2_self ? tr2_self->regions : none;
	parents.start_ns = tr2_stream.start_ns;
	parents.has_ring = tr2_stream.opened & 1u << TR2_TARGET_ring;
}

static void take_parents(struct tr2_regions *regions)
{
	tr2_session.course = parents.course;
	regions->nr_open = parents.regions.nr_open;
	regions->in_doubt = parents.regions.in_doubt;
	regions->nr_implicit_leaves = parents.regions.nr_implicit_leaves;
	tr2_stream.start_ns = parents.start_ns;
}

/* Return whether a thread of the parent was changing the state. That thread
 * does not exist in this child. */
static bool is_changing(void)
{
	return tr2_session.state == TR2_SESSION_OPENING ||
	       tr2_session.state == TR2_SESSION_PAUSING ||
	       tr2_session.state == TR2_SESSION_CHANGING;
}

static bool had_session(void)
{
	return tr2_session.state == TR2_SESSION_ON || is_changing();
}

static void before_fork(void)
{
	forking_tid = tr2_raw_gettid();
	tr2_clock_before_fork();
}

/* Return whether the calling thread is not the first thread of the child, which
 * is the thread that forked. */
static bool is_late(void)
{
	return !tr2_self && (pid_t)tr2_raw_gettid() != getpid();
}

/* Return the calling thread's slot. During the thread's first call tr2_my_slot
 * is not set yet. */
static const struct tr2_slot *own_slot(void)
{
	return tr2_self ? tr2_self->owner.slot : tr2_my_slot;
}

/* Return whether the fork was noticed before: by a handler of the host for
 * fork(), or by a signal handler. */
static bool is_noticed(void)
{
	return tr2_fork_guard_is_made() && !tr2_fork_guard_is_cleared();
}

static void after_fork(void)
{
	int saved_errno = errno;
	struct tr2_mask before;
	bool late, had, changing;
	unsigned int i;

	tr2_mask_begin(&before);
	if (is_noticed()) {
		tr2_mask_end(&before);
		errno = saved_errno;
		return;
	}
	late = is_late();
	had = had_session();
	changing = is_changing();
	if (had) {
		keep_parents();
		opener_tid = tr2_raw_gettid();
		tr2_session.state = TR2_SESSION_OPENING;
	}
	is_resumed = false;
	tr2_fork_guard_set(late);
	tr2_clock_after_fork();
	tr2_stream.generation++;
	tr2_stream.forked_by = tr2_self ? tr2_self->tid : forking_tid;
	tr2_call_after_fork();
	tr2_inherit_after_fork();
	tr2_wake_close();
	tr2_fastpath_disable();
	tr2_lock_after_fork();
	tr2_arena_forget(late ? NULL : own_slot());
	tr2_parts_forked();
	tr2_thread_after_fork(late);
	if (had) {
		for (i = 0; i < TR2_TARGET_NR; i++)
			tr2_dest_close(tr2_stream_dest(i));
		tr2_stream.start_ns = tr2_clock_now_ns();
		tr2_stream.sid_room = tr2_inherit_sid_room();
		tr2_stream.lost = 0;
		tr2_stream.is_joined = false;
		tr2_session.exit_code = 0;
		tr2_session.course = (struct tr2_session_course){ 0 };
		tr2_repo_after_fork();
		if (changing)
			__atomic_store_n(&trace2_enabled_,
					 tr2_stream.enabled[1],
					 __ATOMIC_RELAXED);
		tr2_session.state = TR2_SESSION_FORKED;
		/* The thread that forked is main, even if another thread has
		 * the first event. */
		tr2_thread_get();
	} else {
		tr2_arena_await_no_file();
	}
	tr2_control_after_fork();
	tr2_signal_after_fork();
	tr2_mask_end(&before);
	errno = saved_errno;
}

static void in_child(void)
{
	if (is_noticed())
		return;
	/* After fork() a child always has a table of descriptors of its own. */
	tr2_fd_are_own();
	after_fork();
}

static void notice_child(void)
{
	int saved_errno = errno;

	tr2_fd_look_whose();
	errno = saved_errno;
	after_fork();
}

void tr2_session_watch_forks(void)
{
	static atomic_bool watched;
	struct tr2_mask before;

	tr2_mask_begin(&before);
	if (!atomic_exchange(&watched, true)) {
		tr2_fork_guard_make(notice_child);
		pthread_atfork(before_fork, NULL, in_child);
	}
	tr2_mask_end(&before);
}

/* Render main's heads again, for the session's longer id. false: no memory. */
static bool rename_main(struct tr2_thread *main_thread)
{
	if (!tr2_context_make_head_room(main_thread))
		return false;
	tr2_thread_name(main_thread, NULL);
	return true;
}

/*
 * Return whether the child continues the parent's session, which must have no
 * ring: a ring belongs to one process.
 */
static bool goes_on(void)
{
	return (is_resumed || tr2_session.forks_go_on) && !parents.has_ring;
}

static void give_up(void)
{
	__atomic_store_n(&trace2_enabled_, tr2_stream.enabled[0],
			 __ATOMIC_RELAXED);
}

/* Continue the parent's session: open its targets again. */
static void open_again(struct tr2_call *call, struct tr2_thread *main_thread)
{
	take_parents(&main_thread->regions);
	tr2_inherit_keep();
	if (!rename_main(main_thread) ||
	    !tr2_session_open_targets(TR2_OPEN_AGAIN)) {
		give_up();
		return;
	}
	tr2_session_publish_targets(call);
}

static void open_new(struct tr2_call *call, struct tr2_thread *main_thread)
{
	main_thread->start_ns = tr2_stream.start_ns;
	tr2_inherit_start(tr2_clock_wall_us(call->now_ns));
	tr2_stream.depth = tr2_inherit_depth();
	tr2_parts_begin_in_child();
	if (!rename_main(main_thread) ||
	    !tr2_session_open_targets(TR2_OPEN_IN_CHILD)) {
		give_up();
		return;
	}
	tr2_session_emit_version(call);
	TR2_EMIT(call, start,
		 .argv.argv = (const char *const *)tr2_session.argv);
}

/* Open the session in main's name, with the buffers of the thread that came
 * first. */
static void open_anew(struct tr2_thread *thread, const char *file, int line)
{
	struct tr2_thread *main_thread = tr2_thread_main();
	struct tr2_call call = { .thread = thread,
				 .file = file,
				 .line = line,
				 .generation = tr2_stream.generation,
				 .now_ns = tr2_clock_now_ns() };

	call.emitter = &main_thread->emitter;
	if (goes_on())
		open_again(&call, main_thread);
	else
		open_new(&call, main_thread);
	if (!trace2_is_enabled())
		return;
	tr2_parts_open(main_thread, NULL);
	if (main_thread->calls_parts)
		tr2_fastpath_disable();
	tr2_parts_emit_begun(&call);
}

bool tr2_session_reopen(struct tr2_thread *thread, const char *file, int line)
{
	unsigned int waits = MAX_WAITS_FOR_SINK;
	int state = TR2_SESSION_FORKED;
	struct tr2_mask before;

	/* Block signals: a handler that jumps out would leave the session half
	 * open, and all other threads would wait forever. */
	tr2_mask_begin(&before);
	if (atomic_compare_exchange_strong(&tr2_session.state, &state,
					   TR2_SESSION_OPENING)) {
		/*
		 * Publish that this child has a session before its files exist:
		 * readers then wait for the files.
		 */
		opener_tid = tr2_raw_gettid();
		tr2_control_tell_on(true);
		open_anew(thread, file, line);
		tr2_arena_await_no_file();
		tr2_control_tell_on(trace2_is_enabled());
		atomic_store_explicit(&tr2_session.state, TR2_SESSION_ON,
				      memory_order_release);
		if (!tr2_barrier_is_alone())
			tr2_awake(&tr2_session.state);
	}
	tr2_mask_end(&before);
	while (tr2_session.state == TR2_SESSION_OPENING) {
		if (opener_tid == tr2_raw_gettid() ||
		    (tr2_stream.sink && !waits--))
			return false;
		tr2_await(&tr2_session.state, TR2_SESSION_OPENING);
		/* A handler may have forked during the wait. */
		tr2_fork_guard_look();
	}
	return true;
}

void tr2_session_resume(void)
{
	tr2_fork_guard_look();
	if (tr2_session.state == TR2_SESSION_FORKED)
		is_resumed = true;
}
