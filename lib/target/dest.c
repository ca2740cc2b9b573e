/* SPDX-License-Identifier: MIT */
/* Writing. Opening is in dest_open.c. */
#include "target/dest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* A pipe that polls as writable takes this much without blocking. */
#define PIPE_CHUNK 4096u

/* Time that the host has spent waiting for readers. */
static atomic_uint_fast64_t stalled_ns;
static atomic_bool urgent;

bool tr2_dest_is_on(const struct tr2_dest *dest)
{
	return atomic_load_explicit(&dest->on, memory_order_relaxed);
}

uint64_t tr2_dest_lost(const struct tr2_dest *dest)
{
	return atomic_load_explicit(&dest->lost, memory_order_relaxed);
}

void tr2_dest_drop(struct tr2_dest *dest)
{
	atomic_fetch_add_explicit(&dest->lost, 1, memory_order_relaxed);
}

void tr2_dest_after_fork(void)
{
	atomic_store_explicit(&stalled_ns, 0, memory_order_relaxed);
}

void tr2_dest_set_urgent(void)
{
	atomic_store_explicit(&urgent, true, memory_order_relaxed);
}

/* true: it was on until now. */
static bool switch_off(struct tr2_dest *dest)
{
	return atomic_exchange_explicit(&dest->on, false, memory_order_relaxed);
}

static void tell_failure(const struct tr2_dest *dest, int error)
{
	char memory[512], text[128];
	struct tr2_buf b;
	ssize_t ignored;

	if (!dest->told_as)
		return;
	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addlit(&b, "warning: trace2: stopped writing to '");
	tr2_text_add(&b, dest->told_as, strlen(dest->told_as));
	tr2_buf_addlit(&b, "': ");
	tr2_buf_addstr(&b, tr2_error_text(error, text, sizeof(text)));
	tr2_buf_addch(&b, '\n');
	ignored = write(STDERR_FILENO, b.p, b.len);
	(void)ignored;
}

/* The descriptor is still what was opened: not closed and reused by the host,
 * as programs do that close all descriptors to become a daemon. */
static bool is_unchanged(const struct tr2_dest *dest, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == dest->device &&
	       st.st_ino == dest->inode;
}

void tr2_dest_close(struct tr2_dest *dest)
{
	switch_off(dest);
	if (dest->fd >= 0 && dest->ours && is_unchanged(dest, dest->fd))
		close(dest->fd);
	dest->fd = -1;
}

/*
 * Waits until the reader takes more. false: the budget is used up, or the
 * reader is gone (the next write then says so).
 */
static bool wait_for_reader(int fd)
{
	uint64_t used = atomic_load_explicit(&stalled_ns, memory_order_relaxed);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	struct timespec timeout = { 0 };
	uint64_t before;
	int ready;

	if (used >= TR2_STALL_NS)
		return false;
	before = tr2_clock_now_ns();
	timeout.tv_nsec = (long)(TR2_STALL_NS - used);
	ready = ppoll(&p, 1, &timeout, NULL);
	atomic_fetch_add_explicit(&stalled_ns, tr2_clock_now_ns() - before,
				  memory_order_relaxed);
	return ready > 0 || (ready < 0 && errno == EINTR);
}

/* Is there room now? Errors count as room: the write will name them. */
static bool has_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	struct timespec now = { 0 };

	return ppoll(&p, 1, &now, NULL) != 0;
}

/*
 * A pipe of the host that blocks must stay as it is, since others share it.
 * Kernels that can are asked not to wait this once; on others the pipe is
 * asked for room first, and gets no more than fits then.
 */
static ssize_t write_pipe(struct tr2_dest *dest, int fd, const char *p,
			  size_t len)
{
#ifdef RWF_NOWAIT /* musl has not */
	static atomic_bool no_nowait;

	if (dest->blocking &&
	    !atomic_load_explicit(&no_nowait, memory_order_relaxed)) {
		struct iovec iov = { .iov_base = (void *)(uintptr_t)p,
				     .iov_len = len };
		ssize_t n = pwritev2(fd, &iov, 1, -1, RWF_NOWAIT);

		if (n >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS))
			return n;
		atomic_store_explicit(&no_nowait, true, memory_order_relaxed);
	}
#endif
	if (!dest->blocking)
		return write(fd, p, len);
	if (!has_room(fd)) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, p, len < PIPE_CHUNK ? len : PIPE_CHUNK);
}

static ssize_t write_some(struct tr2_dest *dest, int fd, const char *p,
			  size_t len)
{
	switch (dest->kind) {
	case TR2_DEST_SOCKET:
		return send(fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	case TR2_DEST_PIPE:
		return write_pipe(dest, fd, p, len);
	default:
		return write(fd, p, len);
	}
}

/* Writes all of it, or returns how much; errno then says why no more. */
static size_t write_all(struct tr2_dest *dest, int fd, const char *p,
			size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write_some(dest, fd, p + done, len - done);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == ENOBUFS) &&
		    wait_for_reader(fd))
			continue;
		if (!n)
			errno = ENOSPC;
		break;
	}
	return done;
}

/* A reader that is merely slow may come back; all else is final. */
static bool is_final(int error)
{
	return error != EAGAIN && error != ENOBUFS;
}

static void write_line(struct tr2_dest *dest, int fd, const char *line,
		       size_t len)
{
	size_t done = 0;

	if (dest->cut) {
		if (write_all(dest, fd, "\n", 1) != 1)
			goto failed;
		dest->cut = false;
	}
	done = write_all(dest, fd, line, len);
	if (done == len)
		return;
failed:
	tr2_dest_drop(dest);
	if (is_final(errno)) {
		int error = errno;

		if (done)
			write_all(dest, fd, "\n", 1);
		if (switch_off(dest))
			tell_failure(dest, error);
	} else if (done) {
		dest->cut = true;
	}
}

/*
 * Signals that a write may raise in this thread are held back meanwhile, and
 * taken away if the write raised them.
 */
static void write_line_guarded(struct tr2_dest *dest, int fd, const char *line,
			       size_t len, int signo)
{
	static const struct timespec now;
	sigset_t one, before, pending;
	bool was_pending = false;

	sigemptyset(&one);
	sigaddset(&one, signo);
	if (pthread_sigmask(SIG_BLOCK, &one, &before))
		return;
	if (sigismember(&before, signo) == 1) {
		sigemptyset(&pending);
		sigpending(&pending);
		was_pending = sigismember(&pending, signo) == 1;
	}
	write_line(dest, fd, line, len);
	if (!was_pending && !tr2_dest_is_on(dest))
		while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* false: the lock was not taken, but the line is to be written all the same. */
static bool take_lock(struct tr2_dest *dest)
{
	if (atomic_load_explicit(&urgent, memory_order_relaxed))
		return !pthread_mutex_trylock(&dest->lock);
	return !pthread_mutex_lock(&dest->lock);
}

static void write_whole(struct tr2_dest *dest, const char *line, size_t len)
{
	bool locked = take_lock(dest);

	if (!tr2_dest_is_on(dest))
		tr2_dest_drop(dest);
	else if (dest->kind == TR2_DEST_PIPE)
		write_line_guarded(dest, dest->fd, line, len, SIGPIPE);
	else
		write_line(dest, dest->fd, line, len);
	if (locked)
		pthread_mutex_unlock(&dest->lock);
}

void tr2_dest_write(struct tr2_dest *dest, const char *line, size_t len)
{
	if (!tr2_dest_is_on(dest))
		tr2_dest_drop(dest);
	else if (dest->kind != TR2_DEST_FILE)
		write_whole(dest, line, len);
	else if (dest->size_limited)
		write_line_guarded(dest, dest->fd, line, len, SIGXFSZ);
	else
		write_line(dest, dest->fd, line, len);
}
