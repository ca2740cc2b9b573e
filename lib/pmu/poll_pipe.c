/* SPDX-License-Identifier: MIT */
/* A pipe whose reading end becomes readable when an event overflows. */
#include "pmu/poll_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int tr2_poll_pipe_fd(struct tr2_pipe *p)
{
	int error = p->ends[0] < 0 ? tr2_pipe_open(p) : 0;

	return error ? error : p->ends[0];
}

void tr2_poll_pipe_clear(struct tr2_pipe *p)
{
	char bytes[256];

	while (tr2_fd_is(p->ends[0], &p->id) &&
	       read(p->ends[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes))
		;
}

void tr2_poll_pipe_hang_up(struct tr2_pipe *p)
{
	tr2_pipe_close_end(p, 1);
}

/* A pipe that hung up stays so: open a new one under the same number. */
int tr2_poll_pipe_resume(struct tr2_pipe *p)
{
	struct tr2_pipe fresh;
	int error;

	if (p->ends[0] < 0 || p->ends[1] >= 0)
		return 0;
	if (!tr2_fd_is(p->ends[0], &p->id))
		return -EBADF;
	error = tr2_pipe_open(&fresh);
	if (error)
		return error;
	if (dup3(fresh.ends[0], p->ends[0], O_CLOEXEC) < 0) {
		error = -errno;
		tr2_pipe_close(&fresh);
		return error;
	}
	close(fresh.ends[0]);
	fresh.ends[0] = p->ends[0];
	*p = fresh;
	return 0;
}
