/* SPDX-License-Identifier: MIT */
/* The arena's file: take space on the disk, and map parts of it. */
#include "arena/file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arena/arena.h"
#include "base/fd.h"
#include "base/macros.h"

struct tr2_arena_header *tr2_file_header;

static struct {
	int fd;
	struct tr2_file_id id;
	uint64_t length;
} file = { .fd = -1 };

/* Never written: the source of the file's zeros. */
TR2_LARGE char tr2_file_zeros[16384];

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
	file.id = tr2_file_id_of(&st);
	file.length = 0;
	return true;
}

uint64_t tr2_file_round_up(uint64_t offset)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (offset + page - 1) & -page;
}

void tr2_file_forget(void)
{
	file.fd = -1;
}

/*
 * Not posix_fallocate(): ext4 needs a journal transaction for each page
 * allocated that way when it is touched; a written page is already in memory.
 */
static int write_zeros(const struct tr2_file_piece *piece)
{
	uint64_t at = piece->offset, end = piece->offset + piece->size_bytes;
	ssize_t n;

	while (at < end) {
		n = pwrite(file.fd, tr2_file_zeros,
			   end - at < sizeof(tr2_file_zeros) ?
				   end - at : sizeof(tr2_file_zeros),
			   (off_t)at);
		if (n > 0)
			at += (uint64_t)n;
		else if (!n || errno != EINTR)
			return n ? errno : EIO;
	}
	return 0;
}

static bool is_within_limit(uint64_t end)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       (limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur);
}

/* Return 0, or an errno. */
static int take_space(uint64_t length, const struct tr2_file_piece *pieces,
		      unsigned int nr)
{
	uint64_t end = length;
	unsigned int i;
	int error = 0;

	for (i = 0; i < nr; i++)
		if (pieces[i].offset + pieces[i].size_bytes > end)
			end = pieces[i].offset + pieces[i].size_bytes;
	if (!is_within_limit(end))
		return EFBIG;
	/* Threads that do not extend the file need no lock. */
	if (length && length > file.length) {
		if (ftruncate(file.fd, (off_t)length))
			return errno;
		file.length = length;
	}
	for (i = 0; i < nr && !error; i++)
		error = write_zeros(&pieces[i]);
	return error;
}

/* The limit may have been lowered since take_space() read it. */
static int take_without_signal(uint64_t length,
			       const struct tr2_file_piece *pieces,
			       unsigned int nr)
{
	static const struct timespec now;
	sigset_t xfsz, before, pending;
	bool was_pending;
	int error;

	if (!tr2_fd_is(file.fd, &file.id))
		return EBADF;
	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	if (pthread_sigmask(SIG_BLOCK, &xfsz, &before))
		return EINVAL;
	sigemptyset(&pending);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGXFSZ) == 1;
	error = take_space(length, pieces, nr);
	if (error == EFBIG && !was_pending)
		while (sigtimedwait(&xfsz, NULL, &now) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

bool tr2_file_back(const struct tr2_file_piece *pieces, unsigned int nr)
{
	errno = take_without_signal(0, pieces, nr);
	return !errno;
}

void *tr2_file_map(const struct tr2_file_piece *part,
		   const struct tr2_file_piece *pieces, unsigned int nr)
{
	void *p = MAP_FAILED;

	errno = take_without_signal(part->offset + part->size_bytes, pieces,
				    nr);
	if (!errno)
		p = mmap(NULL, part->size_bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED, file.fd, (off_t)part->offset);
	return p == MAP_FAILED ? NULL : p;
}

void tr2_arena_lost(enum tr2_lost_cause cause, uint64_t nr)
{
	if (tr2_file_header)
		__atomic_fetch_add(&tr2_file_header->lost[cause], nr,
				   __ATOMIC_RELAXED);
}
