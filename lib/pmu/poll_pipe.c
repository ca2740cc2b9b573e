/* SPDX-License-Identifier: MIT */
/* A pipe whose reading end becomes readable when an event overflows. */
#include "pmu/poll_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

void tr2_poll_pipe_init(struct tr2_poll_pipe *poll_pipe)
{
	poll_pipe->read_fd = poll_pipe->write_fd = -1;
	poll_pipe->inode = 0;
}

/* Is fd still this pipe? The host may have closed it and opened another file
 * under its number. */
static bool is_ours(const struct tr2_poll_pipe *poll_pipe, int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISFIFO(st.st_mode) &&
	       st.st_ino == poll_pipe->inode;
}

static void close_end(const struct tr2_poll_pipe *poll_pipe, int *fd)
{
	if (is_ours(poll_pipe, *fd))
		close(*fd);
	*fd = -1;
}

void tr2_poll_pipe_release(struct tr2_poll_pipe *poll_pipe)
{
	close_end(poll_pipe, &poll_pipe->read_fd);
	close_end(poll_pipe, &poll_pipe->write_fd);
}

static int make_pipe(struct tr2_poll_pipe *poll_pipe)
{
	struct stat st;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	poll_pipe->read_fd = tr2_fd_move_up(fd[0]);
	poll_pipe->write_fd = tr2_fd_move_up(fd[1]);
	if (poll_pipe->read_fd >= 0 && poll_pipe->write_fd >= 0 &&
	    !fstat(poll_pipe->read_fd, &st)) {
		poll_pipe->inode = st.st_ino;
		return 0;
	}
	if (poll_pipe->read_fd >= 0)
		close(poll_pipe->read_fd);
	if (poll_pipe->write_fd >= 0)
		close(poll_pipe->write_fd);
	tr2_poll_pipe_init(poll_pipe);
	return -EMFILE;
}

int tr2_poll_pipe_fd(struct tr2_poll_pipe *poll_pipe)
{
	int error = poll_pipe->read_fd < 0 ? make_pipe(poll_pipe) : 0;

	return error ? error : poll_pipe->read_fd;
}

/* If the pipe is full, the reader is woken already. This process has the
 * reading end open, so there is no SIGPIPE. */
void tr2_poll_pipe_raise(struct tr2_poll_pipe *poll_pipe)
{
	if (is_ours(poll_pipe, poll_pipe->read_fd) &&
	    is_ours(poll_pipe, poll_pipe->write_fd) &&
	    write(poll_pipe->write_fd, "", 1) < 0)
		return;
}

void tr2_poll_pipe_clear(struct tr2_poll_pipe *poll_pipe)
{
	char bytes[256];

	while (is_ours(poll_pipe, poll_pipe->read_fd) &&
	       read(poll_pipe->read_fd, bytes, sizeof(bytes)) ==
		       (ssize_t)sizeof(bytes))
		;
}

void tr2_poll_pipe_hang_up(struct tr2_poll_pipe *poll_pipe)
{
	close_end(poll_pipe, &poll_pipe->write_fd);
}

/* A pipe that hung up stays so: open a new one under the same number. */
int tr2_poll_pipe_resume(struct tr2_poll_pipe *poll_pipe)
{
	struct tr2_poll_pipe fresh;
	int error;

	if (poll_pipe->read_fd < 0 || poll_pipe->write_fd >= 0)
		return 0;
	if (!is_ours(poll_pipe, poll_pipe->read_fd))
		return -EBADF;
	tr2_poll_pipe_init(&fresh);
	error = make_pipe(&fresh);
	if (error)
		return error;
	if (dup3(fresh.read_fd, poll_pipe->read_fd, O_CLOEXEC) < 0) {
		error = -errno;
		tr2_poll_pipe_release(&fresh);
		return error;
	}
	close(fresh.read_fd);
	fresh.read_fd = poll_pipe->read_fd;
	*poll_pipe = fresh;
	return 0;
}
