/* SPDX-License-Identifier: MIT */
/* The page that the kernel clears in children. */
#include "base/fork_guard.h"

#include <sys/mman.h>
#include <unistd.h>

static const struct trace2_guard_ set = {
	TR2_GUARD_SET, TRACE2_INLINE_COUNTERS_, TRACE2_INLINE_TIMERS_
};
static struct trace2_guard_ no_guard = {
	TR2_GUARD_SET, TRACE2_INLINE_COUNTERS_, TRACE2_INLINE_TIMERS_
};
static void (*after_fork)(void);
static struct trace2_guard_ *guard = &no_guard;
const struct trace2_guard_ *tr2_fork_guard = &no_guard;

void tr2_fork_guard_make(void (*in_child)(void))
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
	after_fork = in_child;
	guard = page;
	*guard = set;
	__atomic_store_n(&tr2_fork_guard, page, __ATOMIC_RELEASE);
}

void tr2_fork_guard_notice(void)
{
	after_fork();
}

bool tr2_fork_guard_is_made(void)
{
	return guard != &no_guard;
}

void tr2_fork_guard_set(bool is_late)
{
	static const struct trace2_guard_ late = { TR2_GUARD_LATE, 0, 0 };

	*guard = is_late ? late : set;
}

void tr2_fork_guard_set_fastpath(bool on)
{
	/* A child that noticed the fork late never gets the fast path. */
	if (on && tr2_fork_guard_flags() & TR2_GUARD_LATE)
		return;
	if (on)
		__atomic_fetch_or(&guard->flags, TR2_GUARD_FASTPATH,
				  __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&guard->flags, ~TR2_GUARD_FASTPATH,
				   __ATOMIC_RELAXED);
}

void tr2_fork_guard_release(void)
{
	tr2_fork_guard = &no_guard;
	no_guard = set;
	if (guard != &no_guard)
		munmap(guard, (size_t)sysconf(_SC_PAGESIZE));
	guard = &no_guard;
}
