/* SPDX-License-Identifier: MIT */
/* Order the stores and loads of other threads. */
#include "base/barrier.h"

#include <linux/membarrier.h>

#include "base/raw.h"

#ifdef __has_include
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_ALONE __libc_single_threaded
#endif
#endif
#ifndef IS_ALONE /* unknown */
#define IS_ALONE false
#endif

/*
 * musl registers the process itself before it creates the first thread, and a
 * second registration takes no time. In a static program musl does not
 * register: if such a program already has threads, the registration takes some
 * milliseconds.
 */
#ifdef __GLIBC__
#define IS_QUICK IS_ALONE
#else
#define IS_QUICK true
#endif

bool tr2_barrier_works;

void tr2_barrier_start(bool may_wait)
{
	if (!tr2_barrier_works && (may_wait || IS_QUICK) &&
	    !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
		     0))
		tr2_barrier_works = true;
}

/* If a sandbox refuses the system call, sleep: stores become visible to other
 * threads much sooner than the sleep ends. */
void tr2_barrier(void)
{
	static const struct timespec a_while = { 0, 50000 };

	if (tr2_barrier_works && !IS_ALONE &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0))
		tr2_sys_sleep(&a_while);
}

bool tr2_barrier_is_alone(void)
{
	return IS_ALONE;
}
