/* SPDX-License-Identifier: MIT */
/* The futex and the pipe that wake readers. */
#include "ring/wake.h"

#include "base/fd.h"
#include "ring/ring.h"

static struct tr2_pipe wake_pipe = TR2_PIPE_INIT;

void tr2_wake_open(void)
{
	struct tr2_arena_header *header = tr2_arena_header();

	if (!header || tr2_pipe_open(&wake_pipe))
		return;
	header->wake_inode = wake_pipe.id.inode;
	header->wake_fd = wake_pipe.ends[0];
}

void tr2_wake_close(void)
{
	tr2_pipe_close(&wake_pipe);
}

static void wake_readers(struct tr2_control *ring)
{
	uint32_t sleepers;
	int saved_errno;

	__atomic_fetch_add(&ring->wake, 1, __ATOMIC_SEQ_CST);
	/*
	 * Either this thread sees that a reader sleeps, or the reader sees the
	 * new head. Pairs with the reader's fence between its store to
	 * `sleepers` and its check.
	 */
	tr2_fence(__ATOMIC_SEQ_CST);
	if (!tr2_ring_load(&ring->sleepers))
		return;
	sleepers = __atomic_fetch_and(&ring->sleepers, ~TR2_SLEEPS_POLL,
				      __ATOMIC_RELAXED);
	saved_errno = errno;
	if (sleepers & TR2_SLEEPS_FUTEX)
		syscall(SYS_futex, &ring->wake, FUTEX_WAKE, INT_MAX, NULL, NULL,
			0);
	if (sleepers & TR2_SLEEPS_POLL)
		tr2_pipe_raise(&wake_pipe);
	errno = saved_errno;
}

void tr2_ring_wake(struct tr2_control *ring)
{
	tr2_ring_store(&ring->wake_head, tr2_ring_load(&ring->data_head));
	tr2_ring_store(&ring->wake_records, 0);
	wake_readers(ring);
}

void tr2_wake_all(void)
{
	struct tr2_slot *slot;
	unsigned int i;

	for (i = 0; (slot = tr2_arena_slot(i)); i++)
		if (slot->control.data_size)
			wake_readers(&slot->control);
}
