/* SPDX-License-Identifier: MIT */
/* Hold a descriptor of each process, and read the exit status from it when the
 * process has ended. */
#include "record/sources/pidfds.h"

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keep at most this many descriptors, and at most a quarter of the recorder's
 * limit. While all are in use, new processes get no exit code. */
#define MOST 512u

/* Definitions of <linux/pidfd.h>, which older systems lack. */
#define INFO_EXIT (UINT64_C(1) << 3)
struct info {
	uint64_t mask, cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define GET_INFO _IOWR(0xff, 11, struct info)

static bool make_room(struct tr2_pidfds *p)
{
	size_t alloc = p->alloc ? p->alloc * 2 : 32;
	struct pollfd *fds;
	pid_t *pids;

	if (p->nr >= p->most)
		return false;
	if (p->nr < p->alloc)
		return true;
	fds = realloc(p->fds, alloc * sizeof(*fds));
	if (fds)
		p->fds = fds;
	pids = realloc(p->pids, alloc * sizeof(*pids));
	if (pids)
		p->pids = pids;
	if (fds && pids)
		p->alloc = alloc;
	return fds && pids;
}

static bool ask_pidfd(int fd, struct info *info)
{
	info->mask = INFO_EXIT;
	return !ioctl(fd, GET_INFO, info);
}

static int open_one(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

void tr2_pidfds_init(struct tr2_pidfds *p)
{
	int fd = open_one(getpid());
	struct rlimit files = { 0, 0 };
	struct info info;

	getrlimit(RLIMIT_NOFILE, &files);
	*p = (struct tr2_pidfds){
		.most = files.rlim_cur / 4 < MOST ? files.rlim_cur / 4 : MOST,
		.is_missing = fd < 0 || !ask_pidfd(fd, &info),
	};
	if (fd >= 0)
		close(fd);
}

void tr2_pidfds_add(struct tr2_pidfds *p, pid_t pid)
{
	int fd;

	if (p->is_missing || !make_room(p))
		return;
	fd = open_one(pid);
	if (fd < 0)
		return;
	p->fds[p->nr] = (struct pollfd){ .fd = fd };
	p->pids[p->nr++] = pid;
}

static void drop_pidfd(struct tr2_pidfds *p, size_t i)
{
	close(p->fds[i].fd);
	p->nr--;
	p->fds[i] = p->fds[p->nr];
	p->pids[i] = p->pids[p->nr];
}

void tr2_pidfds_drop_last(struct tr2_pidfds *p)
{
	if (p->nr)
		drop_pidfd(p, p->nr - 1);
}

void tr2_pidfds_read(struct tr2_pidfds *p,
		     void (*take)(void *data, pid_t pid, int status),
		     void *data)
{
	struct info info;
	size_t i;

	if (!p->nr || poll(p->fds, (nfds_t)p->nr, 0) <= 0)
		return;
	for (i = p->nr; i-- > 0;) {
		if (!(p->fds[i].revents & POLLHUP))
			continue;
		if (ask_pidfd(p->fds[i].fd, &info) && info.mask & INFO_EXIT)
			take(data, p->pids[i], info.exit_code);
		drop_pidfd(p, i);
	}
}

void tr2_pidfds_release(struct tr2_pidfds *p)
{
	while (p->nr)
		tr2_pidfds_drop_last(p);
	free(p->fds);
	free(p->pids);
}
