/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <stdatomic.h>
#include <time.h>

#define NS_PER_S 1000000000u
#define REFRESH_NS (5u * (uint64_t)NS_PER_S)
#define DAY_S 86400

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t tr2_clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t tr2_clock_wall_us(uint64_t now_ns)
{
	/*
	 * Relaxed: the two are independent guesses. A thread that sees a new
	 * deadline with the old offset uses an offset some seconds old.
	 */
	static _Atomic uint64_t wall_minus_mono, refresh_at;
	uint64_t offset;

	if (now_ns >= atomic_load_explicit(&refresh_at, memory_order_relaxed)) {
		uint64_t mono = read_clock(CLOCK_MONOTONIC);

		offset = read_clock(CLOCK_REALTIME) - mono;
		atomic_store_explicit(&wall_minus_mono, offset,
				      memory_order_relaxed);
		atomic_store_explicit(&refresh_at, mono + REFRESH_NS,
				      memory_order_relaxed);
	}
	offset = atomic_load_explicit(&wall_minus_mono, memory_order_relaxed);
	return (now_ns + offset) / 1000u;
}

/* Days to a date in the proleptic Gregorian calendar, by counting 400-year
 * eras from 1 March of year 0 so that the leap day ends each year. */
void tr2_clock_civil(struct tr2_civil *out, uint64_t seconds)
{
	uint64_t days = seconds / DAY_S + 719468;
	uint64_t era = days / 146097;
	unsigned int of_era = (unsigned int)(days % 146097);
	unsigned int year = (of_era - of_era / 1460 + of_era / 36524 -
			     of_era / 146096) / 365;
	unsigned int of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned int shifted = (5 * of_year + 2) / 153;
	unsigned int of_day = (unsigned int)(seconds % DAY_S);

	out->day = of_year - (153 * shifted + 2) / 5 + 1;
	out->month = shifted < 10 ? shifted + 3 : shifted - 9;
	out->year = (unsigned int)(era * 400) + year + (out->month <= 2);
	out->hour = of_day / 3600;
	out->minute = of_day / 60 % 60;
	out->second = of_day % 60;
}

/*
 * Local time without localtime_r() at every event, which takes a lock that a
 * signal handler may have interrupted: the moments of the coming year at which
 * the offset changes, found once by looking at each day.
 */
#define MAX_CHANGES 8

static struct {
	unsigned int nr;
	int64_t from[MAX_CHANGES];
	long offset[MAX_CHANGES];
} zone;

static long offset_at(int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

static void add_change(int64_t from, long offset)
{
	if (zone.nr == MAX_CHANGES)
		return;
	zone.from[zone.nr] = from;
	zone.offset[zone.nr++] = offset;
}

void tr2_zone_load(void)
{
	int64_t now = (int64_t)time(NULL);
	int64_t day, low, high, middle;
	long before, after;

	zone.nr = 0;
	tzset();
	before = offset_at(now);
	add_change(now, before);
	for (day = now; day < now + 366 * DAY_S; day += DAY_S) {
		after = offset_at(day + DAY_S);
		if (after == before)
			continue;
		for (low = day, high = day + DAY_S; high - low > 1;) {
			middle = low + (high - low) / 2;
			if (offset_at(middle) == before)
				low = middle;
			else
				high = middle;
		}
		add_change(high, after);
		before = after;
	}
}

long tr2_zone_offset(uint64_t wall_seconds)
{
	unsigned int i = zone.nr;

	while (i-- > 1)
		if ((int64_t)wall_seconds >= zone.from[i])
			return zone.offset[i];
	return zone.nr ? zone.offset[0] : 0;
}
