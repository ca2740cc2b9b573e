/* SPDX-License-Identifier: MIT */
#include "arena/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct tr2_arena_header *tr2_file_header;

static struct {
	int fd;
	dev_t device;
	ino_t inode;
} file = { .fd = -1 };

bool tr2_file_use(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (!S_ISREG(st.st_mode) || st.st_size) {
		errno = S_ISREG(st.st_mode) ? EEXIST : EINVAL;
		return false;
	}
	file.fd = fd;
	file.device = st.st_dev;
	file.inode = st.st_ino;
	return true;
}

void tr2_file_forget(void)
{
	file.fd = -1;
}

/* Hosts that become daemons close all descriptors, and reuse the numbers. */
static bool is_unchanged(void)
{
	struct stat st;

	return !fstat(file.fd, &st) && st.st_dev == file.device &&
	       st.st_ino == file.inode;
}

static int grow(uint64_t offset, size_t size_bytes)
{
	struct rlimit limit;
	int error;

	if (getrlimit(RLIMIT_FSIZE, &limit))
		return errno;
	if (limit.rlim_cur != RLIM_INFINITY &&
	    (offset > limit.rlim_cur || size_bytes > limit.rlim_cur - offset))
		return EFBIG;
	do {
		error = posix_fallocate(file.fd, (off_t)offset,
					(off_t)size_bytes);
	} while (error == EINTR);
	return error;
}

/* The limit may have been lowered since grow() looked at it. */
static int grow_without_signal(uint64_t offset, size_t size_bytes)
{
	static const struct timespec now;
	sigset_t xfsz, before, pending;
	bool was_pending;
	int error;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	if (pthread_sigmask(SIG_BLOCK, &xfsz, &before))
		return EINVAL;
	sigemptyset(&pending);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGXFSZ) == 1;
	error = grow(offset, size_bytes);
	if (error == EFBIG && !was_pending)
		while (sigtimedwait(&xfsz, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

void *tr2_file_pages(uint64_t offset, size_t size_bytes)
{
	void *p = MAP_FAILED;

	if (file.fd < 0 || !is_unchanged()) {
		errno = EBADF;
		return NULL;
	}
	errno = grow_without_signal(offset, size_bytes);
	if (!errno)
		p = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
			 file.fd, (off_t)offset);
	return p == MAP_FAILED ? NULL : p;
}
