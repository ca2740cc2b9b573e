/* SPDX-License-Identifier: MIT */
/* The process's lock, which masks signals and cancellation. */
#include "base/lock.h"

#include "base/barrier.h"
#include "base/fork_guard.h"
#include "base/mask.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__thread struct tr2_own tr2_tls_own TR2_TLS_USED;

/* The state that the holder of the lock restores. */
static struct tr2_mask before_lock;

void tr2_lock(void)
{
	struct tr2_mask before;

	tr2_mask_begin(&before);
	/* Notice a fork first: the lock's holder may not exist in this
	 * process. */
	tr2_fork_guard_look();
	/* Set it first: the program may replace the functions of the mutex, and
	 * call the library in them. */
	TR2_TLS(tr2_tls_own).has_lock = true;
	pthread_mutex_lock(&lock);
	before_lock = before;
}

bool tr2_lock_others(void)
{
	if (tr2_barrier_is_alone())
		return false;
	tr2_lock();
	return true;
}

void tr2_unlock(void)
{
	struct tr2_mask before = before_lock;

	pthread_mutex_unlock(&lock);
	TR2_TLS(tr2_tls_own).has_lock = false;
	tr2_mask_end(&before);
}

void tr2_lock_restore_cancel_type(int type)
{
	before_lock.cancel_type = type;
}

void tr2_lock_after_fork(void)
{
	static const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	lock = unlocked;
	TR2_TLS(tr2_tls_own).has_lock = false;
}
