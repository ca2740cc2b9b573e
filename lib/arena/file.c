/* SPDX-License-Identifier: MIT */
/* Take space on the disk for the arena's file, and map parts of it. */
#include "arena/file.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "arena/arena.h"
#include "base/fd.h"
#include "base/macros.h"
#include "base/mask.h"
#include "base/raw.h"

struct tr2_arena_header *tr2_file_header;

static struct {
	int fd;
	struct tr2_file_id id;
	uint64_t length;
} file = { .fd = -1 };

/* Zeros to be written into the file. */
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
 * Write zeros instead of calling posix_fallocate(): after that call, ext4 needs
 * a journal transaction for each page that is touched. A written page is
 * already in memory.
 */
static int write_zeros(const struct tr2_file_piece *piece)
{
	uint64_t at = piece->offset, end = piece->offset + piece->size_bytes;
	ssize_t n;

	while (at < end) {
		n = tr2_sys_pwrite(file.fd, tr2_file_zeros,
				   end - at < sizeof(tr2_file_zeros) ?
					   end - at : sizeof(tr2_file_zeros),
				   at);
		if (n > 0)
			at += (uint64_t)n;
		else if (!n || errno != EINTR)
			return n ? errno : EIO;
	}
	return 0;
}

static uint64_t end_of(const struct tr2_file_piece *piece)
{
	return piece->offset + piece->size_bytes;
}

/*
 * Extend the file, and check its size: a sandbox may report success without
 * doing anything. Return 0, or an errno.
 */
static int extend(uint64_t length)
{
	struct stat st;

	if (ftruncate(file.fd, (off_t)length) || fstat(file.fd, &st))
		return errno;
	if ((uint64_t)st.st_size < length)
		return EIO;
	file.length = length;
	return 0;
}

/* Extend the file, and get space for the pieces. Return 0, or an errno. */
static int take_space(uint64_t length, const struct tr2_file_piece *pieces,
		      unsigned int nr, uint64_t limit)
{
	uint64_t end = length;
	unsigned int i;
	int error = 0;

	for (i = 0; i < nr; i++)
		if (end_of(&pieces[i]) > end)
			end = end_of(&pieces[i]);
	if (limit != RLIM_INFINITY && end > limit)
		return EFBIG;
	/* Callers without the lock pass a length of 0: they must not read
	 * file.length. */
	if (length && length > file.length)
		error = extend(length);
	for (i = 0; i < nr && !error; i++)
		error = write_zeros(&pieces[i]);
	return error;
}

static bool is_pending(int signo)
{
	sigset_t pending;

	sigemptyset(&pending);
	sigpending(&pending);
	return sigismember(&pending, signo) == 1;
}

static void take_signal(int signo)
{
	static const struct timespec now;
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, signo);
	while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
		;
}

/* Block SIGXFSZ: another thread may have lowered the limit after it was
 * read. */
static int take_without_signal(uint64_t length,
			       const struct tr2_file_piece *pieces,
			       unsigned int nr)
{
	uint64_t limit = tr2_file_size_limit();
	struct tr2_mask before;
	bool was_pending;
	int error;

	tr2_mask_begin(&before);
	was_pending = limit != RLIM_INFINITY && is_pending(SIGXFSZ);
	error = take_space(length, pieces, nr, limit);
	if (error == EFBIG && !was_pending)
		take_signal(SIGXFSZ);
	tr2_mask_end(&before);
	return error;
}

bool tr2_file_back(const struct tr2_file_piece *pieces, unsigned int nr)
{
	errno = tr2_fd_is(file.fd, &file.id) ?
			take_without_signal(0, pieces, nr) : EBADF;
	return !errno;
}

void *tr2_file_map(const struct tr2_file_piece *part,
		   const struct tr2_file_piece *pieces, unsigned int nr)
{
	void *p = MAP_FAILED;

	errno = EBADF;
	if (!file.length || tr2_fd_is(file.fd, &file.id))
		errno = take_without_signal(end_of(part), pieces, nr);
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
