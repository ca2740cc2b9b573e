/* SPDX-License-Identifier: MIT */
/* The futex and the pipe that wake readers. */
#include "ring/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "ring/ring.h"

/* Read end, write end; -1: there is no pipe. */
static int ends[2] = { -1, -1 };
static ino_t inode;

/* Hosts that become daemons close all descriptors, and reuse their numbers. */
static bool is_our_pipe(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISFIFO(st.st_mode) &&
	       st.st_ino == inode;
}

void tr2_wake_open(void)
{
	struct tr2_arena_header *header = tr2_arena_header();
	int fds[2];
	struct stat st;

	if (!header || pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return;
	fds[0] = tr2_fd_move_up(fds[0]);
	fds[1] = tr2_fd_move_up(fds[1]);
	if (fds[0] < 0 || fds[1] < 0 || fstat(fds[0], &st)) {
		if (fds[0] >= 0)
			close(fds[0]);
		if (fds[1] >= 0)
			close(fds[1]);
		return;
	}
	inode = st.st_ino;
	ends[0] = fds[0];
	ends[1] = fds[1];
	header->wake_inode = inode;
	header->wake_fd = ends[0];
}

void tr2_wake_close(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (is_our_pipe(ends[i]))
			close(ends[i]);
		ends[i] = -1;
	}
}

/* A full pipe wakes as well. */
static void write_byte(void)
{
	int fd = ends[1];

	if (is_our_pipe(fd) && is_our_pipe(ends[0]))
		syscall(SYS_write, fd, "", 1); /* no cancellation point */
}

static void wake_readers(struct tr2_control *ring)
{
	uint32_t sleepers;
	int saved_errno;

	__atomic_fetch_add(&ring->wake, 1, __ATOMIC_SEQ_CST);
	/*
	 * Either we see that a reader sleeps, or it sees the new head: pairs
	 * with the fence between its store to `sleepers` and its check.
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
		write_byte();
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
