/* SPDX-License-Identifier: MIT */
/*
 * Open a destination again while others write to it: the new file takes the
 * descriptor's number in one system call, so that writers need no lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "target/dest.h"

/* Take what the calls of writers need to know of the new file. */
static void describe(struct tr2_dest *dest, const struct tr2_dest *fresh)
{
	__atomic_store_n(&dest->id.device, fresh->id.device, __ATOMIC_RELEASE);
	__atomic_store_n(&dest->id.inode, fresh->id.inode, __ATOMIC_RELEASE);
	dest->size_limited = fresh->size_limited;
}

/* is_closed: the host has closed the descriptor, whose number is no longer the
 * destination's. */
static int replace_file(struct tr2_dest *dest, struct tr2_dest *fresh,
			bool is_closed)
{
	int error = 0;

	atomic_fetch_add(&dest->swaps, 1);
	if (is_closed) {
		dest->fd = fresh->fd;
		fresh->fd = -1;
	} else if (dup3(fresh->fd, dest->fd, O_CLOEXEC) < 0) {
		error = -errno;
	}
	if (!error)
		describe(dest, fresh);
	atomic_fetch_add(&dest->swaps, 1);
	if (!error) {
		tr2_dest_check_next(dest);
		atomic_store(&dest->on, true);
	}
	return error;
}

/* A descriptor of the host is the host's business, and so is who reads what a
 * fifo or a socket gets, as long as that works. */
static bool is_due(const struct tr2_dest *dest,
		   const struct tr2_dest_request *request)
{
	return dest->fd >= 0 && dest->ours && !request->prepare &&
	       !dest->terminal && !dest->sentinel &&
	       (dest->kind == TR2_DEST_FILE || !tr2_dest_is_on(dest));
}

static bool is_same_file(const struct tr2_dest *dest,
			 const struct tr2_dest *fresh)
{
	return tr2_dest_is_on(dest) && fresh->id.device == dest->id.device &&
	       fresh->id.inode == dest->id.inode;
}

int tr2_dest_reopen(struct tr2_dest *dest,
		    const struct tr2_dest_request *request, const char *head,
		    size_t len)
{
	struct tr2_dest fresh = { .fd = -1 };
	int error = 0;
	bool is_closed;

	if (!is_due(dest, request))
		return 0;
	/* Before the open, which may get its number. */
	is_closed = !tr2_dest_has_its_file(dest);
	/* A new one would be in this thread's own table. */
	if (is_closed && tr2_fd_is_elsewhere(dest->fd, &dest->id))
		return -EBADF;
	errno = 0;
	if (!tr2_dest_open(&fresh, request))
		return errno ? -errno : -EINVAL;
	if (fresh.kind != dest->kind) {
		error = -EEXIST;
	} else if (is_closed || !is_same_file(dest, &fresh)) {
		/* Behind an incomplete line of others, too. */
		tr2_dest_write(&fresh, head, len, 0, 0);
		error = tr2_dest_lost(&fresh) ? -EIO :
						replace_file(dest, &fresh,
							     is_closed);
	}
	tr2_dest_close(&fresh);
	return error;
}
