/* SPDX-License-Identifier: MIT */
/*
 * Open a destination again while others write to it: the new file takes over
 * the descriptor's number in one system call, so that writers need no lock.
 * Also find the file of a descriptor that the host has closed.
 */

#include "base/buf.h"
#include "base/fd.h"
#include "base/mask.h"
#include "target/dest.h"

#define LONGEST_NAME 128

/* Copy the members of `fresh` that writers need to know. */
static void describe_file(struct tr2_dest *dest, const struct tr2_dest *fresh)
{
	__atomic_store_n(&dest->id.device, fresh->id.device, __ATOMIC_RELEASE);
	__atomic_store_n(&dest->id.inode, fresh->id.inode, __ATOMIC_RELEASE);
	dest->size_limited = fresh->size_limited;
	dest->place = fresh->place;
}

/* Replace the file. is_closed: the host has closed the descriptor, whose number
 * is no longer the destination's. */
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
		describe_file(dest, fresh);
	atomic_fetch_add(&dest->swaps, 1);
	if (!error) {
		tr2_dest_check_next(dest);
		atomic_store(&dest->on, true);
	}
	return error;
}

#define FIND_FLAGS (O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)

static int open_place(const struct tr2_dest_place *place)
{
	char memory[LONGEST_NAME];
	struct tr2_buf name;
	int directory, fd;

	if (!place->name)
		return open(place->path, FIND_FLAGS);
	tr2_buf_init_fixed(&name, memory, sizeof(memory));
	tr2_buf_addstr(&name, place->name);
	if (place->number) {
		tr2_buf_addch(&name, '.');
		tr2_buf_add_u64(&name, (uint64_t)place->number);
	}
	directory = open(place->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return -1;
	fd = openat(directory, tr2_buf_str(&name), FIND_FLAGS | O_NOFOLLOW);
	close(directory);
	return fd;
}

/*
 * Move fd to the destination's old number, if that number is free: all threads
 * use it, and some may have tables of descriptors of their own (CLONE_FILES).
 * true: the destination has its file again; another thread may have been first.
 */
static bool take_again(struct tr2_dest *dest, int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, dest->fd);

	close(fd);
	if (moved == dest->fd)
		return true;
	if (tr2_dest_has_its_file(dest)) {
		if (moved >= 0)
			close(moved);
		return true;
	}
	/* Fail if other threads still have the file under the old number, in a
	 * table of their own. */
	if (moved >= 0 && tr2_fd_is_elsewhere(dest->fd, &dest->id)) {
		close(moved);
		return false;
	}
	if (moved < 0)
		return false;
	atomic_fetch_add(&dest->swaps, 1);
	dest->fd = moved;
	atomic_fetch_add(&dest->swaps, 1);
	return true;
}

bool tr2_dest_find_again(struct tr2_dest *dest)
{
	struct tr2_mask before;
	bool found = false;
	int fd;

	if (!dest->place.path || !dest->ours || dest->sentinel ||
	    dest->kind != TR2_DEST_FILE || dest->fd < 0 || tr2_is_in_sandbox())
		return false;
	/* Block signals: a handler that jumps out would leak a descriptor. */
	tr2_mask_begin(&before);
	fd = open_place(&dest->place);
	if (tr2_fd_is(fd, &dest->id))
		found = take_again(dest, fd);
	else if (fd >= 0)
		close(fd);
	tr2_mask_end(&before);
	return found;
}

/* Return whether to open the destination again. Do not open again a descriptor
 * of the host, or a fifo or socket that still works: it would lose its
 * reader. */
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
	/* Check before the open, which may give the new file this number. */
	is_closed = !tr2_dest_has_its_file(dest);
	/* Fail if this thread has a table of its own: the new descriptor would
	 * be in that table only. */
	if (is_closed && tr2_fd_is_elsewhere(dest->fd, &dest->id))
		return -EBADF;
	errno = 0;
	if (!tr2_dest_open(&fresh, request))
		return errno ? -errno : -EINVAL;
	if (fresh.kind != dest->kind) {
		error = -EEXIST;
	} else if (is_closed || !is_same_file(dest, &fresh)) {
		/* Write the head; tr2_dest_write() first closes an incomplete
		 * line of other processes. */
		tr2_dest_write(&fresh, head, len, 0, 0);
		error = tr2_dest_lost(&fresh) ? -EIO :
						replace_file(dest, &fresh,
							     is_closed);
	}
	tr2_dest_close(&fresh);
	return error;
}
