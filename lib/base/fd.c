/* SPDX-License-Identifier: MIT */
/* Choose high numbers for the library's descriptors. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Numbers away from those that a host or a shell is likely to use. */
#define FDS_BELOW_LIMIT 32
#define HIGHEST_LIMIT 1024
#define FIRST_SAFE_FD 3

int tr2_fd_move_up(int fd)
{
	struct rlimit limit;
	int moved = -1, preferred = HIGHEST_LIMIT;

	if (fd < 0)
		return fd;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < HIGHEST_LIMIT)
		preferred = (int)limit.rlim_cur;
	preferred -= FDS_BELOW_LIMIT;
	if (preferred > FIRST_SAFE_FD)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, preferred);
	if (moved < 0)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_SAFE_FD);
	if (moved < 0 && fd >= FIRST_SAFE_FD)
		return fd;
	close(fd);
	if (moved < 0)
		errno = EMFILE;
	return moved;
}
