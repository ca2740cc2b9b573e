/* SPDX-License-Identifier: MIT */
/* Map the ring's file, and write its header at the start and the end. */
#include "session/ring.h"

#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "metric/metric.h"
#include "ring/ring.h"
#include "ring/site.h"
#include "ring/wake.h"
#include "session/parts.h"
#include "session/session.h"
#include "thread/stream.h"

static uint64_t rounded_size(void)
{
	uint64_t size = TR2_RING_MIN_SIZE;

	while (size < tr2_session.settings.ring_size &&
	       size < TR2_RING_MAX_SIZE)
		size *= 2;
	return size;
}

/* Map the ring. Take the lock: in a forked child other threads may begin at the
 * same time. */
bool tr2_session_map_ring(int fd)
{
	bool ok;

	/* Lock the file: the lock shows readers that the process lives. */
	(void)flock(fd, LOCK_EX | LOCK_NB);
	tr2_lock();
	tr2_metric_back(tr2_arena_back_cells);
	tr2_ring_forget_sites();
	ok = tr2_arena_map(fd, rounded_size(), tr2_session.settings.ring_mode);
	if (!ok)
		tr2_metric_back(NULL);
	tr2_unlock();
	return ok;
}

static void describe_process(struct tr2_arena_header *header)
{
	uint64_t wall_us = tr2_clock_wall_us(tr2_stream.start_ns);

	header->start_ns = tr2_stream.start_ns;
	header->start_wall_ns = wall_us * 1000;
	header->sid = tr2_arena_intern(tr2_stream.sid);
}

void tr2_session_begin_ring(void)
{
	struct tr2_arena_header *header = tr2_arena_header();

	/* A flight recorder is read after an incident, so it wakes no
	 * reader. */
	if (header->mode == TR2_RING_CONSUME)
		tr2_wake_open();
	tr2_lock();
	describe_process(header);
	tr2_metric_publish();
	tr2_parts_ring_begin(header);
	tr2_arena_publish();
	tr2_unlock();
}

static void end_parts(void)
{
	struct tr2_thread *main_thread = tr2_thread_main();

	tr2_lock();
	if (main_thread && main_thread == tr2_self && main_thread->owner.slot)
		tr2_metric_move(tr2_arena_totals(), main_thread->owner.slot,
				tr2_clock_now_ns());
	tr2_parts_ring_end();
	tr2_ring_finish(tr2_arena_totals());
	tr2_unlock();
}

void tr2_session_end_open_ring(enum tr2_arena_state how, int status,
			       bool locked)
{
	struct tr2_arena_header *header = tr2_arena_header();

	if (!locked)
		end_parts();
	__atomic_store_n(&header->status, (uint32_t)status, __ATOMIC_RELAXED);
	/* Release: a reader that sees the state finds the status. */
	__atomic_store_n(&header->state, how, __ATOMIC_RELEASE);
	tr2_wake_all();
	tr2_wake_close();
}
