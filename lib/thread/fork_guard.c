/* SPDX-License-Identifier: MIT */
/* The page that the kernel clears in children. */
#include "thread/fork_guard.h"

#include <sys/mman.h>
#include <unistd.h>

static uint32_t no_guard = TR2_GUARD_SET;
static volatile uint32_t *guard = &no_guard;
const volatile uint32_t *tr2_fork_guard = &no_guard;

void tr2_fork_guard_make(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		munmap(page, size);
		return;
	}
	guard = page;
	*guard = TR2_GUARD_SET;
	__atomic_store_n(&tr2_fork_guard, page, __ATOMIC_RELEASE);
}

void tr2_fork_guard_set(void)
{
	*guard = TR2_GUARD_SET;
}

void tr2_fork_guard_set_fastpath(bool on)
{
	/* A child that has not noticed the fork stays so. */
	if (on)
		__atomic_fetch_or(guard, TR2_GUARD_FASTPATH, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(guard, ~TR2_GUARD_FASTPATH,
				   __ATOMIC_RELAXED);
}

void tr2_fork_guard_release(void)
{
	tr2_fork_guard = &no_guard;
	no_guard = TR2_GUARD_SET;
	if (guard != &no_guard)
		munmap((void *)(uintptr_t)guard, (size_t)sysconf(_SC_PAGESIZE));
	guard = &no_guard;
}
