/* SPDX-License-Identifier: MIT */
/*
 * clock - both clocks of an event from one read.
 *
 * Durations come from the monotonic clock. If the kernel trusts the processor's
 * counter, the time is computed from the counter (see clock_fit.h), for a third
 * of the cost. Wall time is the monotonic time plus an offset that is updated
 * every few seconds, so that one read serves both, and a change of the clock is
 * followed.
 */
#pragma once

#include <stdint.h>

#include "base/clock_fit.h"
#include "base/macros.h"
#include "base/sanitize.h"

#if defined(__x86_64__)
/* The read is not ordered with the surrounding instructions: waiting for them
 * would cost more than the inaccuracy. */
static inline uint64_t tr2_clock_ticks(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t tr2_clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}
#else /* never called: tr2_clock_start() trusts no counter on this machine */
static inline uint64_t tr2_clock_ticks(void)
{
	return 0;
}
#endif

/*
 * The newest scale is scale[generation & 1]; the other one is the previous or
 * the next one. A reader that finds generation unchanged after its read has a
 * complete scale.
 */
struct tr2_clock {
	uint32_t generation;
	struct tr2_scale scale[2];
	struct tr2_clock_line line[2]; /* the line for past ticks, of the same
					* generation as the scale */
	/*
	 * CLOCK_REALTIME is wall_ns later than CLOCK_MONOTONIC; the value
	 * expires at wall_until_ns. Both are read and written relaxed: a reader
	 * that sees a new limit with the old offset only uses an offset that is
	 * some seconds old.
	 */
	uint64_t wall_ns, wall_until_ns;
} __attribute__((aligned(64)));
extern struct tr2_clock tr2_clock TR2_HIDDEN;

/* Return the time while no scale is valid: ask the kernel for the time, and
 * make the next scale. */
uint64_t tr2_clock_now_slow(void);

#if TR2_TSAN
#define tr2_clock_fence(order) __atomic_signal_fence(order)
#else
#define tr2_clock_fence(order) __atomic_thread_fence(order)
#endif

/* Return the scale that tr2_clock_now_ns() uses. It is replaced at the end of
 * its window, or in a forked child. Signal-safe. */
struct tr2_scale tr2_clock_newest(void);

/*
 * Return CLOCK_MONOTONIC in nanoseconds, in the time namespace in which the
 * process began. Within a thread the time never goes back, unless the counter
 * goes back by less than a window. Signal-safe.
 */
TR2_INLINE uint64_t tr2_clock_now_ns(void)
{
	/* Acquire: pairs with the release in publish(). */
	uint32_t generation =
		__atomic_load_n(&tr2_clock.generation, __ATOMIC_ACQUIRE);
	const struct tr2_scale *scale = &tr2_clock.scale[generation & 1];
	uint64_t window = __atomic_load_n(&scale->window, __ATOMIC_RELAXED);
	uint64_t ticks, ns;

	/* A counter that may not be read has window 0. */
	if (unlikely(!window))
		return tr2_clock_now_slow();
	ticks = tr2_clock_ticks() -
		__atomic_load_n(&scale->base_ticks, __ATOMIC_RELAXED);
	ns = ticks * __atomic_load_n(&scale->rate, __ATOMIC_RELAXED) >> 32;
	ns += __atomic_load_n(&scale->base_ns, __ATOMIC_RELAXED);
	/* Pairs with the release fence in publish(). */
	tr2_clock_fence(__ATOMIC_ACQUIRE);
	if (unlikely(ticks >= window) ||
	    unlikely(__atomic_load_n(&tr2_clock.generation, __ATOMIC_RELAXED) !=
		     generation))
		return tr2_clock_now_slow();
	return ns;
}

/* A time in ticks, to be converted later: reading ticks alone is cheaper than
 * tr2_clock_now_ns(). */
struct tr2_ticks {
	uint64_t now;
	uint64_t until; /* the end of this scale, after which the caller asks
			 * for a new one */
	struct tr2_clock_line line;
};

/* Read the counter, and the scale that the last tr2_clock_now_ns() left. false:
 * the counter cannot be used now. Signal-safe. */
bool tr2_clock_ticks_now(struct tr2_ticks *out);

/* Return the time of past ticks, as tr2_fit_past() does. Signal-safe. */
uint64_t tr2_clock_past_ns(uint64_t ticks);

/* Return later - earlier, or 0 if that is negative: two cores may be some ns
 * apart. */
static inline uint64_t tr2_clock_since(uint64_t earlier_ns, uint64_t later_ns)
{
	uint64_t ns;

	return __builtin_sub_overflow(later_ns, earlier_ns, &ns) ? 0 : ns;
}

/* Return the sum, but at most INT64_MAX: readers accept no larger number. */
static inline uint64_t tr2_clock_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum > INT64_MAX ?
		       INT64_MAX :
		       sum;
}

/* Nanoseconds as seconds, for "%llu.%03llu": see base/double.h. */
#define TR2_SECONDS_3(ns)                     \
	(unsigned long long)((ns) / 1000000000u), \
		(unsigned long long)((ns) / 1000000u % 1000u)

/*
 * Call it before the first read of a clock. A process may forbid itself to read
 * the counter. Then libc's clock_gettime() would kill the process, since it
 * reads the counter, too.
 */
void tr2_clock_prepare(void);

/* Use the counter from now on, if it can be trusted. This opens a file. Call it
 * before threads and signal handlers exist. */
void tr2_clock_start(void);

/* Call it in the library's handler that runs before a fork, if there is one. */
void tr2_clock_before_fork(void);
/* Call it in a forked child, which may be in another time namespace. It also
 * repairs data that another thread was changing. */
void tr2_clock_after_fork(void);

/* Return the largest error of times so far, in ns. Errors are found by
 * comparisons with the kernel's clock; this call makes one more comparison. */
uint64_t tr2_clock_worst_ns(void);

#define TR2_WALL_REFRESH_NS UINT64_C(5000000000)
void tr2_clock_look_up_wall(void);

/* Convert a time of tr2_clock_now_ns() to wall time in microseconds since 1970.
 * Signal-safe; any thread. */
static inline uint64_t tr2_clock_wall_us(uint64_t now_ns)
{
	uint64_t until_ns = __atomic_load_n(&tr2_clock.wall_until_ns,
					    __ATOMIC_RELAXED);

	if (unlikely(until_ns - now_ns - 1 >= TR2_WALL_REFRESH_NS))
		tr2_clock_look_up_wall();
	return (now_ns +
		__atomic_load_n(&tr2_clock.wall_ns, __ATOMIC_RELAXED)) /
	       1000u;
}

/* UTC as fields, for years 1970 to 9999. */
struct tr2_civil {
	unsigned int year, month, day, hour, minute, second;
};
void tr2_clock_civil(struct tr2_civil *out, uint64_t seconds);
