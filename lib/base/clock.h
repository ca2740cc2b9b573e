/* SPDX-License-Identifier: MIT */
/*
 * clock - the two clocks of an event from one read.
 *
 * Durations come from the monotonic clock. Wall time is the monotonic time
 * plus an offset that is looked up again every few seconds, so that one read
 * serves both and a clock that is set is followed.
 */
#ifndef TR2_BASE_CLOCK_H
#define TR2_BASE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. Signal-safe. */
uint64_t tr2_clock_now_ns(void);

/* Wall time of a moment that tr2_clock_now_ns() gave, in microseconds since
 * 1970. Signal-safe; any thread. */
uint64_t tr2_clock_wall_us(uint64_t now_ns);

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
