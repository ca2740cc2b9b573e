/* SPDX-License-Identifier: MIT */
/*
 * zone - the rules of local time, read without the C library. In the C library,
 * the first call that asks for local time decides the zone of the host's
 * localtime_r(), and sets the host's timezone, tzname and daylight.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A day of the year at which an offset begins. */
struct tr2_zone_day {
	char form; /* 'M': month, week, day; 'J': 1-365; 'n': 0-365 */
	unsigned int month, week, day;
	long seconds; /* seconds since the start of the day, in the local time
		       * before the change */
};

/* A rule in the form of TZ: "CET-1CEST,M3.5.0,M10.5.0/3". */
struct tr2_zone_rule {
	long standard, summer; /* seconds to add to UTC */
	int has_summer;
	struct tr2_zone_day begin, end; /* of summer */
};

/* A file of tzfile(5), or only a rule. */
struct tr2_zone {
	unsigned char *file; /* NULL: none */
	size_t file_bytes;
	const unsigned char *times, *types, *offsets; /* in the file */
	uint32_t nr_times, nr_types;
	int has_rule;
	struct tr2_zone_rule rule; /* the rule after the last change in the
				    * file */
};

/* Read the zone that TZ names, as the C library does; UTC if TZ names none. Not
 * signal-safe. */
void tr2_zone_read(struct tr2_zone *zone);
void tr2_zone_release(struct tr2_zone *zone);

/* Return the seconds to add to UTC at that time. */
long tr2_zone_at(const struct tr2_zone *zone, int64_t when);
