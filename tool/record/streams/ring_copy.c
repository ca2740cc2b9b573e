/* SPDX-License-Identifier: MIT */
/* ring_copy - copy rings, and map control pages so that SIGBUS does no harm. */
#include "record/streams/ring_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The most control pages. All are in one range of addresses, by which the
 * handler of SIGBUS recognises them. */
#define MAX_PAGES 65536u

static struct {
	char *base; /* NULL: nothing mapped yet */
	size_t page_size;
	uint32_t nr_used; /* pages that were ever used; some of them may be in
			   * `free` */
	uint32_t free[MAX_PAGES];
	uint32_t nr_free;
	struct sigaction before;
} map;

static void on_bus_error(int signo, siginfo_t *info, void *context)
{
	char *at = info->si_addr;

	(void)context;
	if (at >= map.base && at < map.base + MAX_PAGES * map.page_size) {
		at -= (uintptr_t)at % map.page_size;
		if (mmap(at, map.page_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at)
			return;
	}
	/* The page is not ours: restore the old handler. The access then raises
	 * the signal again. */
	sigaction(signo, &map.before, NULL);
}

static int prepare_copy(void)
{
	struct sigaction action;
	void *base;

	map.page_size = (size_t)sysconf(_SC_PAGESIZE);
	base = mmap(NULL, MAX_PAGES * map.page_size, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return -1;
	map.base = base;
	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_bus_error;
	action.sa_flags = SA_SIGINFO;
	return sigaction(SIGBUS, &action, &map.before);
}

struct tr2_control *tr2_ringmap_add(int fd, uint64_t offset)
{
	uint32_t page;
	char *at;

	if ((!map.base && prepare_copy()) || offset % map.page_size ||
	    (!map.nr_free && map.nr_used >= MAX_PAGES))
		return NULL;
	page = map.nr_free ? map.free[--map.nr_free] : map.nr_used++;
	at = map.base + page * map.page_size;
	if (mmap(at, map.page_size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, (off_t)offset) == at)
		return (struct tr2_control *)(void *)at;
	map.free[map.nr_free++] = page;
	return NULL;
}

void tr2_ringmap_remove(struct tr2_control *control)
{
	char *at = (char *)control;

	if (!control)
		return;
	/* Do not reuse a page that cannot be unmapped. */
	if (mmap(at, map.page_size, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == at)
		map.free[map.nr_free++] =
			(uint32_t)((size_t)(at - map.base) / map.page_size);
}

#define BLOCK_BYTES 4096u

static bool is_zero(const char *p, size_t len)
{
	return !*p && !memcmp(p, p + 1, len - 1);
}

/* Copy a part of the file; leave holes for blocks of zeros. */
static bool copy_part(const struct tr2_ring_file *from, int fd, uint64_t at,
		      uint64_t end)
{
	char block[BLOCK_BYTES];
	size_t len;

	for (; at < end; at += len) {
		len = end - at < sizeof(block) ? (size_t)(end - at) :
						 sizeof(block);
		if (!tr2_ring_file_read(from, at, block, len))
			return true; /* the file was cut short */
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
	int fd = openat(dir_fd, name,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && !ftruncate(fd, (off_t)from->size);
	uint32_t slot;
	int err;

	for (slot = 0; ok && slot < from->nr_slots && slot < TR2_MAX_SLOTS;
	     slot++)
		ok = copy_slot(from, fd, slot, taken[slot], overwritten[slot]);
	/* Copy header, strings and definitions last, so that they cover all
	 * copied records. */
	ok = ok && copy_part(from, fd, 0, from->header.slots_offset);
	err = errno;
	if (fd >= 0)
		close(fd);
	errno = err;
	return ok;
}
