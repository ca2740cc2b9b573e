/* SPDX-License-Identifier: MIT */
/* The table of the coming year's changes of the offset of local time. */
#include "base/local_time.h"

#include <time.h>

#include "base/zone.h"

#define DAY_S 86400

/*
 * Give local time without calling localtime_r() at every event: a signal
 * handler may have interrupted a call of that function, which holds a lock. The
 * table is made once, and has the times of the coming year at which the offset
 * changes. An offset that holds for less than STEP_S may be missed; no zone has
 * such an offset before 2040.
 */
#define MAX_CHANGES 8
#define HOUR_S 3600
#define STEP_S (28 * DAY_S)
#define YEAR_S (366 * DAY_S)

static struct {
	unsigned int nr;
	int64_t from[MAX_CHANGES];
	long offset[MAX_CHANGES];
} zone;

/* The rules of the zone, used only while the table is made. */
static struct tr2_zone rules;

static long offset_at(int64_t when)
{
	return tr2_zone_at(&rules, when);
}

static void add_change(int64_t from, long offset)
{
	if (zone.nr == MAX_CHANGES)
		return;
	zone.from[zone.nr] = from;
	zone.offset[zone.nr++] = offset;
}

/* Return the end of the unit of time, between low and high, in which the offset
 * stops being `before`. */
static int64_t bisect_change(int64_t low, int64_t high, int64_t unit,
			     long before)
{
	int64_t middle;

	while (high - low > unit) {
		middle = low + (high - low) / unit / 2 * unit;
		if (offset_at(middle) == before)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Return the time of a change, in seconds. Nearly all changes are at a full
 * hour of UTC. */
static int64_t find_change(int64_t low, int64_t high, long before)
{
	high = bisect_change(low, high, HOUR_S, before);
	if (offset_at(high - 1) == before)
		return high;
	return bisect_change(high - HOUR_S, high, 1, before);
}

void tr2_zone_load(void)
{
	int64_t now = (int64_t)time(NULL);
	int64_t from = now - now % HOUR_S, to;
	long before, after;

	zone.nr = 0;
	tr2_zone_read(&rules);
	before = offset_at(from);
	add_change(from, before);
	for (to = from + STEP_S; to < now + YEAR_S + STEP_S; to += STEP_S) {
		after = offset_at(to);
		if (after != before)
			add_change(find_change(to - STEP_S, to, before), after);
		before = after;
	}
	tr2_zone_release(&rules);
}

long tr2_zone_offset(uint64_t wall_seconds)
{
	unsigned int i = zone.nr;

	while (i-- > 1)
		if ((int64_t)wall_seconds >= zone.from[i])
			return zone.offset[i];
	return zone.nr ? zone.offset[0] : 0;
}
