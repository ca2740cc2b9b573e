/* SPDX-License-Identifier: MIT */
/* The budget of waits, and the lock of a destination. */
#include "target/wait.h"

#include "base/clock.h"
#include "base/mask.h"

/*
 * The longest single wait in the kernel. If a handler jumps out of a wait, at
 * most this much time is lost. If the jump has swallowed a wake-up, other
 * threads sleep no longer than this.
 */
#define SLICE_NS (1u * UINT64_C(1000000))
/* The longest time that a wait can have taken: a clock that shows more is
 * wrong. */
#define MOST_NS (1000u * UINT64_C(1000000000))

#define WAITERS UINT32_C(0x80000000) /* a bit of the lock, beside the tid: a
				      * thread sleeps */

/* One part in LAST_PART of an account is for the last line. */
#define LAST_PART 4
/*
 * After waits for an owner that had lost its CPU, one part in KEPT_PART of the
 * time is not given back at once.
 */
#define KEPT_PART 8

/*
 * The time that the host has spent waiting: [1] for readers of patient
 * destinations, [0] for all other readers. A forked child continues its
 * parent's account: otherwise a host that forks for each client would be
 * delayed for each.
 */
static atomic_uint_fast64_t used_ns[2];
static uint64_t limit_ns[2] = { TR2_STALL_NS, 0 };
static atomic_bool urgent, is_last;

void tr2_dest_set_patience(unsigned int seconds)
{
	limit_ns[true] = seconds * UINT64_C(1000000000);
}

bool tr2_wait_is_patient(void)
{
	return limit_ns[true];
}

void tr2_dest_expect_last(void)
{
	atomic_store_explicit(&is_last, true, memory_order_relaxed);
}

void tr2_dest_set_urgent(void)
{
	atomic_store_explicit(&urgent, true, memory_order_relaxed);
}

void tr2_wait_init(struct tr2_dest *dest, bool same)
{
	if (!same) {
		atomic_store_explicit(&dest->charged_ns, 0,
				      memory_order_relaxed);
		atomic_store_explicit(&dest->silence_ns, 0,
				      memory_order_relaxed);
		atomic_store_explicit(&dest->kept_ns, 0, memory_order_relaxed);
	}
	atomic_store_explicit(&dest->pulse, 1, memory_order_relaxed);
	atomic_store_explicit(&dest->silent_at, 0, memory_order_relaxed);
	atomic_store_explicit(&dest->lock, 0, memory_order_release);
}

/* Take at most ns of the time that the account has left up to the limit. Return
 * the time taken. */
static uint64_t take_from_account(atomic_uint_fast64_t *used, uint64_t limit,
				  uint64_t ns)
{
	uint64_t before = atomic_load_explicit(used, memory_order_relaxed);
	uint64_t taken;

	do {
		taken = before < limit ? limit - before : 0;
		taken = taken < ns ? taken : ns;
	} while (taken && !atomic_compare_exchange_weak_explicit(
				  used, &before, before + taken,
				  memory_order_relaxed, memory_order_relaxed));
	return taken;
}

/* Subtract ns from the time used, or all of it if less was used. Return the
 * time that was subtracted. */
static uint64_t give_back(atomic_uint_fast64_t *used, uint64_t ns)
{
	uint64_t before = atomic_load_explicit(used, memory_order_relaxed);
	uint64_t given;

	do {
		given = before < ns ? before : ns;
	} while (given && !atomic_compare_exchange_weak_explicit(
				  used, &before, before - given,
				  memory_order_relaxed, memory_order_relaxed));
	return given;
}

static uint64_t limit_of(bool patient)
{
	uint64_t limit = limit_ns[patient];

	return atomic_load_explicit(&is_last, memory_order_relaxed) ?
		       limit :
		       limit - limit / LAST_PART;
}

/* Return whether waits may use the user's patience now. While a signal is held
 * back, or ends the process, they may not: the sender of the signal waits for
 * its effect. */
static bool is_patient(const struct tr2_dest *dest)
{
	return dest->patient &&
	       !atomic_load_explicit(&urgent, memory_order_relaxed) &&
	       !tr2_mask_holds_back();
}

/*
 * Take time from the account, and charge it to the destination. A destination
 * gives back no more than it took: so a fast reader does not give back the time
 * that a stalling reader took. If a handler jumps out in between, the process
 * has less time to spend.
 */
static uint64_t take_time(struct tr2_dest *dest, uint64_t ns)
{
	bool patient = is_patient(dest);
	uint64_t taken = take_from_account(&used_ns[patient], limit_of(patient),
					   ns);

	if (taken)
		atomic_fetch_add_explicit(&dest->charged_ns, taken,
					  memory_order_relaxed);
	return taken;
}

static void give_time_back(struct tr2_dest *dest, uint64_t ns)
{
	give_back(&used_ns[is_patient(dest)], give_back(&dest->charged_ns, ns));
}

static bool poll_for(int fd, uint64_t ns)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	struct timespec timeout = { (time_t)(ns / 1000000000u),
				    (long)(ns % 1000000000u) };
	int ready = tr2_sys_poll(&p, &timeout);

	return ready > 0 || (ready < 0 && errno == EINTR);
}

/*
 * Wait for room. A terminal may report room for less than the next character: a
 * short sleep prevents a busy loop.
 */
static bool wait_for_room(const struct tr2_dest *dest, int fd, uint64_t ns)
{
	static const struct timespec moment = { 0, SLICE_NS };

	if (!poll_for(fd, ns))
		return false;
	if (dest->terminal)
		tr2_sys_sleep(&moment);
	return true;
}

bool tr2_wait_for_reader(struct tr2_dest *dest, int fd)
{
	uint64_t slice_ns, before_ns, took_ns;
	bool ready;

	if (dest->hurried)
		return false;
	while ((slice_ns = take_time(dest, SLICE_NS))) {
		tr2_wait_beat(dest);
		before_ns = tr2_clock_now_ns();
		ready = wait_for_room(dest, fd, slice_ns);
		took_ns = tr2_clock_now_ns() - before_ns;
		/* Correct the time: the kernel has waited for this long, but
		 * the host's clock may stand still or go back. */
		if (took_ns > MOST_NS || (!ready && took_ns < slice_ns))
			took_ns = slice_ns;
		if (took_ns < slice_ns)
			give_time_back(dest, slice_ns - took_ns);
		else
			take_time(dest, took_ns - slice_ns);
		if (ready)
			return true;
	}
	return false;
}

/* Return whether the reader has read, so that the pipe is writable. A
 * successful write is no proof that the reader has read: a short line may fit
 * where a long one did not. */
static bool has_read(const struct tr2_dest *dest)
{
	static const struct timespec now;
	struct pollfd p = { .fd = dest->fd, .events = POLLOUT };

	return tr2_sys_poll(&p, &now) > 0;
}

static void charge_for_owner(struct tr2_dest *dest, uint64_t ns)
{
	uint64_t taken = take_from_account(&used_ns[false], limit_of(false),
					   ns);

	atomic_fetch_add_explicit(&dest->silence_ns, taken,
				  memory_order_relaxed);
}

/*
 * The owner works again: it had only lost its CPU. So give back most of the
 * time that others waited for it. Keep a part until the reader reads: otherwise
 * a host whose handlers hold up the owner again and again would be delayed each
 * time.
 */
static void forgive_owner(struct tr2_dest *dest)
{
	uint64_t ns = atomic_exchange_explicit(&dest->silence_ns, 0,
					       memory_order_relaxed);
	uint64_t kept = ns / KEPT_PART;

	if (!ns)
		return;
	give_back(&used_ns[false], ns - kept);
	atomic_fetch_add_explicit(&dest->kept_ns, kept, memory_order_relaxed);
}

void tr2_wait_give_back(struct tr2_dest *dest, size_t bytes)
{
	forgive_owner(dest);
	give_back(&used_ns[false],
		  give_back(&dest->kept_ns, bytes * TR2_STALL_BACK_NS));
	if (!atomic_load_explicit(&dest->charged_ns, memory_order_relaxed))
		return;
	if (!is_patient(dest))
		give_time_back(dest, bytes * TR2_STALL_BACK_NS);
	else if (has_read(dest))
		give_time_back(dest, UINT64_MAX);
}

static bool is_owner(uint32_t word, uint32_t tid)
{
	return (word & ~WAITERS) == tid;
}

/* Return whether the owner no longer exists: a thread may end without running
 * its destructors. */
static bool is_dead(uint32_t word)
{
	return syscall(SYS_tgkill, getpid(), (long)(word & ~WAITERS), 0L) &&
	       errno == ESRCH;
}

/*
 * Return false if the owner has shown no progress for longer than the remaining
 * budget: a handler that interrupted the owner may be waiting for this very
 * thread. *slept_ns: how long the caller has slept by its own count, in case
 * the clock is wrong.
 */
static bool may_wait_for_owner(struct tr2_dest *dest, uint64_t *slept_ns)
{
	uint32_t pulse =
		atomic_load_explicit(&dest->pulse, memory_order_relaxed);
	uint64_t now_ns = tr2_clock_now_ns(), silent_ns, used;

	if (atomic_load_explicit(&dest->silent_at, memory_order_acquire) !=
	    pulse) {
		atomic_store_explicit(&dest->silent_since_ns, now_ns,
				      memory_order_relaxed);
		atomic_store_explicit(&dest->silent_at, pulse,
				      memory_order_release);
		*slept_ns = 0;
		forgive_owner(dest);
		return true;
	}
	silent_ns = tr2_clock_since(
		atomic_load_explicit(&dest->silent_since_ns,
				     memory_order_relaxed),
		now_ns);
	if (silent_ns < *slept_ns || silent_ns > MOST_NS)
		silent_ns = *slept_ns;
	used = atomic_load_explicit(&used_ns[false], memory_order_relaxed);
	if (silent_ns + used < limit_of(false))
		return true;
	charge_for_owner(dest, silent_ns);
	return false;
}

static bool take_over(struct tr2_dest *dest, uint32_t word, uint32_t tid)
{
	return atomic_compare_exchange_strong_explicit(&dest->lock, &word, tid,
						       memory_order_acquire,
						       memory_order_relaxed);
}

/*
 * Sleep until the owner wakes a waiter. true: no wake-up came within a slice.
 */
static bool sleep_on(struct tr2_dest *dest, uint32_t word)
{
	if (!(word & WAITERS) && !take_over(dest, word, word | WAITERS))
		return false;
	return tr2_sys_futex_wait(&dest->lock, word | WAITERS, SLICE_NS) &&
	       errno == ETIMEDOUT;
}

/* Wait for the lock. After a sleep, take it with WAITERS set: other threads may
 * sleep, too. */
static bool wait_for_lock(struct tr2_dest *dest, uint32_t tid)
{
	uint32_t mine = tid, word;
	uint64_t slept_ns = 0;

	for (;;) {
		word = atomic_load_explicit(&dest->lock, memory_order_relaxed);
		if (!word) {
			if (take_over(dest, 0, mine))
				return true;
			continue;
		}
		if (!may_wait_for_owner(dest, &slept_ns)) {
			sched_yield(); /* let the owner of the lock run: it may
					* need this CPU */
			return false;
		}
		mine = tid | WAITERS;
		if (!sleep_on(dest, word))
			continue;
		slept_ns += SLICE_NS;
		if (is_dead(word) && take_over(dest, word | WAITERS, mine)) {
			dest->cut = true;
			return true;
		}
	}
}

enum tr2_locking tr2_wait_lock_slow(struct tr2_dest *dest, uint32_t tid)
{
	if (tr2_wait_owns(dest, tid))
		dest->cut = true;
	else if (atomic_load_explicit(&urgent, memory_order_relaxed))
		return TR2_NOT_LOCKED;
	else if (!wait_for_lock(dest, tid))
		return TR2_LOCK_LOST;
	tr2_wait_beat(dest);
	return TR2_LOCKED;
}

void tr2_wait_unlock_slow(struct tr2_dest *dest, uint32_t tid)
{
	if (!tr2_wait_owns(dest, tid))
		return;
	atomic_store_explicit(&dest->lock, 0, memory_order_release);
	tr2_sys_futex_wake(&dest->lock, 1);
}

bool tr2_wait_owns(const struct tr2_dest *dest, uint32_t tid)
{
	return is_owner(atomic_load_explicit(&dest->lock, memory_order_relaxed),
			tid);
}
