/* SPDX-License-Identifier: MIT */
/*
 * time - times in nanoseconds: the unknown time, and the range of times in a
 * model (model/model.h). Streams may contain any time: a time outside the range
 * is moved to the end of the range when it is added. So the difference of any
 * two times of a model does not overflow. A sum may overflow: use tr2_ns_add().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TR2_NO_TIME INT64_MIN

/* The greatest wall time, from 1970 on: the end of the year 2115. */
#define TR2_MAX_WALL_NS INT64_C(4607280000000000000)
/* The greatest distance of a time from the start of a process, before or after
 * it: 31 years. */
#define TR2_MAX_AT_NS INT64_C(1000000000000000000)

/* Return the number of days from 1970-01-01 to a date of the Gregorian calendar
 * that is not earlier. This is the inverse of tr2_clock_civil(). */
static inline int64_t tr2_days_until(unsigned int year, unsigned int month,
				     unsigned int day)
{
	unsigned int of_era;

	year -= month <= 2;
	of_era = year % 400;
	return (int64_t)(year / 400) * 146097 + of_era * 365 + of_era / 4 -
	       of_era / 100 +
	       (153 * (month + (month > 2 ? -3u : 9u)) + 2) / 5 + day - 1 -
	       719468;
}

static inline int64_t tr2_wall_ns(int64_t ns)
{
	return ns < 0 ? 0 : ns > TR2_MAX_WALL_NS ? TR2_MAX_WALL_NS : ns;
}

static inline int64_t tr2_at_ns(int64_t ns)
{
	return ns < -TR2_MAX_AT_NS ? -TR2_MAX_AT_NS :
	       ns > TR2_MAX_AT_NS  ? TR2_MAX_AT_NS : ns;
}

/* Add to a sum, but let the sum stay at an end of its range instead of
 * overflowing. */
static inline void tr2_ns_add(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = ns < 0 ? INT64_MIN : INT64_MAX;
}

/*
 * Parse an ISO 8601 time of any usual form into microseconds since 1970. Git
 * writes `2026-11-21T10:15:02.123456Z`; the number of digits may differ, and an
 * offset such as +01:00 or none (UTC) may follow. Session ids have the basic
 * form, `20261121T101502.123456Z`. Return false if this is no such time, or if
 * it is before 1970 or after 2115.
 */
bool tr2_parse_time(const char *s, size_t len, int64_t *wall_us);
