/* SPDX-License-Identifier: MIT */
/* A pipe whose reading end becomes readable when an event overflows. */
#include "pmu/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

void tr2_notice_init(struct tr2_notice *notice)
{
	notice->read_fd = notice->write_fd = -1;
	notice->inode = 0;
}

/*
 * Is fd still this pipe? The host may have closed it and opened another file
 * under its number.
 */
static bool is_ours(const struct tr2_notice *notice, int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISFIFO(st.st_mode) &&
	       st.st_ino == notice->inode;
}

static void drop(const struct tr2_notice *notice, int *fd)
{
	if (is_ours(notice, *fd))
		close(*fd);
	*fd = -1;
}

void tr2_notice_release(struct tr2_notice *notice)
{
	drop(notice, &notice->read_fd);
	drop(notice, &notice->write_fd);
}

static int make(struct tr2_notice *notice)
{
	struct stat st;
	int fd[2];

	if (pipe2(fd, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	notice->read_fd = tr2_fd_move_up(fd[0]);
	notice->write_fd = tr2_fd_move_up(fd[1]);
	if (notice->read_fd >= 0 && notice->write_fd >= 0 &&
	    !fstat(notice->read_fd, &st)) {
		notice->inode = st.st_ino;
		return 0;
	}
	if (notice->read_fd >= 0)
		close(notice->read_fd);
	if (notice->write_fd >= 0)
		close(notice->write_fd);
	tr2_notice_init(notice);
	return -EMFILE;
}

int tr2_notice_fd(struct tr2_notice *notice)
{
	int error = notice->read_fd < 0 ? make(notice) : 0;

	return error ? error : notice->read_fd;
}

/* If the pipe is full, the reader is woken already. This process has the
 * reading end open, so there is no SIGPIPE. */
void tr2_notice_raise(struct tr2_notice *notice)
{
	if (is_ours(notice, notice->read_fd) &&
	    is_ours(notice, notice->write_fd) &&
	    write(notice->write_fd, "", 1) < 0)
		return;
}

void tr2_notice_clear(struct tr2_notice *notice)
{
	char bytes[256];

	while (is_ours(notice, notice->read_fd) &&
	       read(notice->read_fd, bytes, sizeof(bytes)) ==
		       (ssize_t)sizeof(bytes))
		;
}

void tr2_notice_hang_up(struct tr2_notice *notice)
{
	drop(notice, &notice->write_fd);
}

/* A pipe that hung up stays so: open a new one under the same number. */
int tr2_notice_resume(struct tr2_notice *notice)
{
	struct tr2_notice fresh;
	int error;

	if (notice->read_fd < 0 || notice->write_fd >= 0)
		return 0;
	if (!is_ours(notice, notice->read_fd))
		return -EBADF;
	tr2_notice_init(&fresh);
	error = make(&fresh);
	if (error)
		return error;
	if (dup3(fresh.read_fd, notice->read_fd, O_CLOEXEC) < 0) {
		error = -errno;
		tr2_notice_release(&fresh);
		return error;
	}
	close(fresh.read_fd);
	fresh.read_fd = notice->read_fd;
	*notice = fresh;
	return 0;
}
