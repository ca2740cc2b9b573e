/* SPDX-License-Identifier: MIT */
/* ring_copy - implements record/ring_copy.h. */
#include "record/streams/ring_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4096u

static bool is_zero(const char *p, size_t len)
{
	return !*p && !memcmp(p, p + 1, len - 1);
}

/* Copy a part; zeros stay holes. */
static bool copy_part(const struct tr2_ring_file *from, int fd, uint64_t at,
		      uint64_t end)
{
	char block[BLOCK_BYTES];
	size_t len;

	for (; at < end; at += len) {
		len = end - at < sizeof(block) ? (size_t)(end - at) :
						 sizeof(block);
		if (!tr2_ring_file_read(from, at, block, len))
			return true; /* it was cut short */
		if (!is_zero(block, len) &&
		    pwrite(fd, block, len, (off_t)at) != (ssize_t)len)
			return false;
	}
	return true;
}

static bool copy_slot(struct tr2_ring_file *from, int fd, uint32_t slot,
		      uint64_t taken, uint64_t overwritten)
{
	uint64_t at = tr2_ring_file_slot(from, slot);
	struct tr2_control c;
	uint64_t end = from->header.slot_size;

	if (!tr2_ring_file_control(from, slot, &c))
		return true;
	if (tr2_ring_file_place(from, slot, &c).size)
		end = c.data_offset;
	c.data_head = c.data_tail = taken ? taken : c.data_tail;
	c.overwritten = overwritten;
	return copy_part(from, fd, at + sizeof(c), at + end) &&
	       pwrite(fd, &c, sizeof(c), (off_t)at) == sizeof(c);
}

bool tr2_ring_copy(struct tr2_ring_file *from, int dir_fd, const char *name,
		   const uint64_t *taken, const uint64_t *overwritten)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			0600);
	bool ok = fd >= 0 && !ftruncate(fd, (off_t)from->size);
	uint32_t slot;
	int err;

	for (slot = 0; ok && slot < from->nr_slots && slot < TR2_MAX_SLOTS;
	     slot++)
		ok = copy_slot(from, fd, slot, taken[slot], overwritten[slot]);
	/* Last, so that strings and definitions of all records are there. */
	ok = ok && copy_part(from, fd, 0, from->header.slots_offset);
	err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	return ok;
}
