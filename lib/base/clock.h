/* SPDX-License-Identifier: MIT */
/*
 * clock - the two clocks of an event from one read.
 *
 * Durations come from the monotonic clock, which where the kernel trusts it is
 * computed from the processor's counter (see clock_fit.h): a third of the cost.
 * Wall time is the monotonic time plus an offset that is looked up again every
 * few seconds, so that one read serves both and a clock that is set is
 * followed.
 */
#ifndef TR2_BASE_CLOCK_H
#define TR2_BASE_CLOCK_H

#include <stdint.h>

#include "base/clock_fit.h"
#include "base/sanitize.h"

#if defined(__x86_64__)
/* Not in order with what stands around it: what the processor moves across it
 * takes less time than waiting for that would. */
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
#else /* never called: tr2_clock_start() trusts no counter here */
static inline uint64_t tr2_clock_ticks(void)
{
	return 0;
}
#endif

/*
 * The newest scale is scale[generation & 1]; the other one is the last or the
 * next one. Whoever read one and finds generation as it was before has it
 * whole.
 */
struct tr2_clock {
	uint32_t generation;
	struct tr2_scale scale[2];
	/* CLOCK_REALTIME is wall_ns later than CLOCK_MONOTONIC; to be looked
	 * up again from wall_until_ns on. Relaxed: the two are independent
	 * guesses, and whoever sees a new limit with the old offset uses one
	 * some seconds old. */
	uint64_t wall_ns, wall_until_ns;
} __attribute__((aligned(64)));
extern struct tr2_clock tr2_clock;

/* Where no scale holds: asks the kernel, and makes the next one. */
uint64_t tr2_clock_now_slow(void);

#if TR2_TSAN
#define tr2_clock_fence(order) __atomic_signal_fence(order)
#else
#define tr2_clock_fence(order) __atomic_thread_fence(order)
#endif

/* CLOCK_MONOTONIC in nanoseconds; in a thread never before what it gave there
 * last. Signal-safe. */
static inline uint64_t tr2_clock_now_ns(void)
{
	/* Acquire: pairs with the release in publish(). */
	uint32_t generation =
		__atomic_load_n(&tr2_clock.generation, __ATOMIC_ACQUIRE);
	const struct tr2_scale *scale = &tr2_clock.scale[generation & 1];
	uint64_t window = __atomic_load_n(&scale->window, __ATOMIC_RELAXED);
	uint64_t ticks, ns;

	/* A counter that may not be read has none. */
	if (__builtin_expect(!window, 0))
		return tr2_clock_now_slow();
	ticks = tr2_clock_ticks() -
		__atomic_load_n(&scale->base_ticks, __ATOMIC_RELAXED);
	ns = ticks * __atomic_load_n(&scale->rate, __ATOMIC_RELAXED) >> 32;
	ns += __atomic_load_n(&scale->base_ns, __ATOMIC_RELAXED);
	/* Pairs with the release fence in publish(). */
	tr2_clock_fence(__ATOMIC_ACQUIRE);
	if (__builtin_expect(ticks >= window, 0) ||
	    __builtin_expect(__atomic_load_n(&tr2_clock.generation,
					     __ATOMIC_RELAXED) != generation,
			     0))
		return tr2_clock_now_slow();
	return ns;
}

/* later - earlier, 0 when it is not: two cores may be some ns apart. */
static inline uint64_t tr2_clock_since(uint64_t earlier_ns, uint64_t later_ns)
{
	return later_ns > earlier_ns ? later_ns - earlier_ns : 0;
}

/*
 * Before the first look at a clock: in a process that forbids itself to read
 * the counter, libc's clock_gettime(), which reads it too, would end it.
 */
void tr2_clock_prepare(void);

/* From now on the counter is used, if there is one to be trusted. Before
 * threads and signal handlers; opens a file. */
void tr2_clock_start(void);

/* In a forked child: what another thread was changing is made anew. */
void tr2_clock_after_fork(void);

/* By how much times may have been wrong, in ns: what was found while they were
 * compared with the kernel's, the last time now. */
uint64_t tr2_clock_worst_ns(void);

void tr2_clock_look_up_wall(void);

/* Wall time of a moment that tr2_clock_now_ns() gave, in microseconds since
 * 1970. Signal-safe; any thread. */
static inline uint64_t tr2_clock_wall_us(uint64_t now_ns)
{
	if (__builtin_expect(now_ns >= __atomic_load_n(&tr2_clock.wall_until_ns,
						       __ATOMIC_RELAXED),
			     0))
		tr2_clock_look_up_wall();
	return (now_ns +
		__atomic_load_n(&tr2_clock.wall_ns, __ATOMIC_RELAXED)) /
	       1000u;
}

/* UTC in fields, for years 1970 to 9999. */
struct tr2_civil {
	unsigned int year, month, day, hour, minute, second;
};
void tr2_clock_civil(struct tr2_civil *out, uint64_t seconds);

/*
 * Seconds to add to UTC for local time. tr2_zone_load() looks up the rules
 * once (it takes libc's lock, hence: not in a signal handler);
 * tr2_zone_offset() is signal-safe and right for a year from then.
 */
void tr2_zone_load(void);
long tr2_zone_offset(uint64_t wall_seconds);

#endif
