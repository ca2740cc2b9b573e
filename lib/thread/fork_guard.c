/* SPDX-License-Identifier: MIT */
/* The page that the kernel clears in children. */
#include "thread/fork_guard.h"

#include <sys/mman.h>
#include <unistd.h>

static uint32_t no_guard = 1;
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
	*guard = 1;
	__atomic_store_n(&tr2_fork_guard, page, __ATOMIC_RELEASE);
}

void tr2_fork_guard_set(void)
{
	*guard = 1;
}

void tr2_fork_guard_release(void)
{
	tr2_fork_guard = &no_guard;
	if (guard != &no_guard)
		munmap((void *)(uintptr_t)guard, (size_t)sysconf(_SC_PAGESIZE));
	guard = &no_guard;
}
