/* SPDX-License-Identifier: MIT */
/* Barriers in other threads. */
#include "base/barrier.h"

#include <linux/membarrier.h>

#include "base/raw.h"

#ifdef __has_include
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define IS_ALONE __libc_single_threaded
#endif
#endif
#ifndef IS_ALONE /* nobody knows */
#define IS_ALONE false
#endif

/*
 * musl registers the process itself before it creates the first thread, and a
 * second time takes no time. Only a static program, in which it does not, waits
 * if it has threads already.
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

/* If a sandbox refuses it, wait: stores become visible in far less time. */
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
