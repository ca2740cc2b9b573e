/* SPDX-License-Identifier: MIT */
/* Map control pages of other processes' rings, and survive SIGBUS on them. */
#include "record/streams/ringmap.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All control pages are in one range of addresses, by which the handler of
 * SIGBUS recognises them. */
#define MAX_PAGES 65536u

static struct {
	char *base; /* NULL: nothing mapped yet */
	size_t page_size;
	uint32_t nr_used; /* pages used at any time */
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
	/* Not one of these pages: with the old handler, the signal is raised
	 * again. */
	sigaction(signo, &map.before, NULL);
}

static int prepare(void)
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

	if ((!map.base && prepare()) || offset % map.page_size ||
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
	/* A page that cannot be unmapped is not reused. */
	if (mmap(at, map.page_size, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == at)
		map.free[map.nr_free++] =
			(uint32_t)((size_t)(at - map.base) / map.page_size);
}
