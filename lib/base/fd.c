/* SPDX-License-Identifier: MIT */
/* Choose high numbers for the library's descriptors, and tell them from the
 * host's. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/raw.h"

/* Numbers away from those that a host or a shell is likely to use. */
#define FDS_BELOW_LIMIT 32
#define HIGHEST_LIMIT 1024
#define FIRST_SAFE_FD 3

int tr2_fd_move_up(int fd)
{
	struct rlimit limit;
	int moved;

	if (fd < 0)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, HIGHEST_LIMIT - FDS_BELOW_LIMIT);
	if (moved < 0 && !getrlimit(RLIMIT_NOFILE, &limit) &&
	    limit.rlim_cur < HIGHEST_LIMIT &&
	    limit.rlim_cur > FIRST_SAFE_FD + FDS_BELOW_LIMIT)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      (int)limit.rlim_cur - FDS_BELOW_LIMIT);
	if (moved < 0)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_SAFE_FD);
	if (moved < 0 && fd >= FIRST_SAFE_FD)
		return fd;
	close(fd);
	if (moved < 0)
		errno = EMFILE;
	return moved;
}

int tr2_pipe_open(struct tr2_pipe *p)
{
	struct stat st;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	ends[0] = tr2_fd_move_up(ends[0]);
	ends[1] = tr2_fd_move_up(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0 && !fstat(ends[0], &st)) {
		*p = (struct tr2_pipe){ .ends = { ends[0], ends[1] },
					.id = tr2_file_id_of(&st) };
		return 0;
	}
	error = errno;
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return -error;
}

void tr2_pipe_close_end(struct tr2_pipe *p, unsigned int end)
{
	if (tr2_fd_is(p->ends[end], &p->id))
		close(p->ends[end]);
	p->ends[end] = -1;
}

void tr2_pipe_close(struct tr2_pipe *p)
{
	tr2_pipe_close_end(p, 0);
	tr2_pipe_close_end(p, 1);
}

bool tr2_pipe_is_open(const struct tr2_pipe *p)
{
	return tr2_fd_is(p->ends[0], &p->id) && tr2_fd_is(p->ends[1], &p->id);
}

void tr2_pipe_raise(const struct tr2_pipe *p)
{
	if (tr2_pipe_is_open(p))
		tr2_sys_write(p->ends[1], "", 1);
}
