/* SPDX-License-Identifier: MIT */
/* Files of tzfile(5) and rules of TZ. */
#include "base/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/raw.h"

#define DAY_S 86400
#define HOUR_S 3600
#define FILE_MAX_BYTES (256u << 10)
#define HEADER_BYTES 44u
#define PATH_BYTES 1024
#define LOCAL_FILE "/etc/localtime"
#define ZONES "/usr/share/zoneinfo"
/* The rule of a TZ that names summer time, but not its begin and end. */
#define USUAL_RULE ",M3.2.0,M11.1.0"

static uint32_t zone_get32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static int64_t zone_get64(const unsigned char *p)
{
	return (int64_t)((uint64_t)zone_get32(p) << 32 | zone_get32(p + 4));
}

/* Read a number of at most `max` at p. Return the end of its text; NULL if p is
 * NULL, or if there is no such number. */
static const char *read_number(const char *p, unsigned int max,
			       unsigned int *out)
{
	unsigned int value = 0;

	if (!p || *p < '0' || *p > '9')
		return NULL;
	for (; *p >= '0' && *p <= '9'; p++) {
		value = value * 10 + (unsigned int)(*p - '0');
		if (value > max)
			return NULL;
	}
	*out = value;
	return p;
}

/* Read [+-]hh[:mm[:ss]]. */
static const char *read_time(const char *p, long *out)
{
	unsigned int part = 0;
	long unit = HOUR_S;
	int sign = 1;

	*out = 0;
	if (p && (*p == '+' || *p == '-'))
		sign = *p++ == '-' ? -1 : 1;
	p = read_number(p, 167, &part);
	*out = (long)part * unit;
	while (p && *p == ':' && unit > 1) {
		unit /= 60;
		p = read_number(p + 1, 59, &part);
		*out += (long)part * unit;
	}
	*out *= sign;
	return p;
}

/* Read a name: three letters or more, or anything in <>. */
static const char *read_name(const char *p)
{
	const char *begin = p, *end;

	if (*p == '<') {
		end = strchr(p, '>');
		return end ? end + 1 : NULL;
	}
	while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'))
		p++;
	return p - begin >= 3 ? p : NULL;
}

static const char *read_day(const char *p, struct tr2_zone_day *day)
{
	if (!p || *p++ != ',')
		return NULL;
	day->form = *p == 'M' || *p == 'J' ? *p++ : 'n';
	day->seconds = 2 * HOUR_S;
	if (day->form == 'M') {
		p = read_number(p, 12, &day->month);
		p = p && *p == '.' ? read_number(p + 1, 5, &day->week) : NULL;
		p = p && *p == '.' ? read_number(p + 1, 6, &day->day) : NULL;
		if (!day->month || !day->week)
			return NULL;
	} else {
		p = read_number(p, 365, &day->day);
	}
	return p && *p == '/' ? read_time(p + 1, &day->seconds) : p;
}

static int read_rule(const char *p, struct tr2_zone_rule *rule)
{
	long west;

	memset(rule, 0, sizeof(*rule));
	p = read_name(p);
	p = read_time(p, &west);
	if (!p)
		return 0;
	rule->standard = -west;
	rule->summer = rule->standard + HOUR_S;
	if (!*p)
		return 1;
	p = read_name(p);
	if (p && *p && *p != ',') {
		p = read_time(p, &west);
		rule->summer = -west;
	}
	if (!p)
		return 0;
	p = read_day(*p ? p : USUAL_RULE, &rule->begin);
	p = read_day(p, &rule->end);
	rule->has_summer = p && !*p;
	return rule->has_summer;
}

static int is_leap(int64_t year)
{
	return (!(year % 4) && year % 100) || !(year % 400);
}

/* Return the number of days from 1 January 1970 to the first day of the
 * month. */
static int64_t days_to(int64_t year, unsigned int month)
{
	static const unsigned short before[] = { 0,   31,  59,	90,  120, 151,
						 181, 212, 243, 273, 304, 334 };
	int64_t past = year - 1;

	return past * 365 + past / 4 - past / 100 + past / 400 - 719162 +
	       before[month - 1] + (month > 2 && is_leap(year));
}

static int64_t begin_of(const struct tr2_zone_day *day, int64_t year)
{
	int64_t days = days_to(year, 1), next;

	if (day->form == 'n') {
		days += day->day;
	} else if (day->form == 'J') {
		days += day->day - 1 + (day->day > 59 && is_leap(year));
	} else {
		days = days_to(year, day->month);
		next = day->month < 12 ? days_to(year, day->month + 1) :
					 days_to(year + 1, 1);
		/* 1 January 1970 was a Thursday. */
		days += (day->day + 7 - (unsigned int)((days + 4) % 7)) % 7 +
			(day->week - 1) * 7;
		while (days >= next)
			days -= 7;
	}
	return days * DAY_S + day->seconds;
}

static long rule_at(const struct tr2_zone_rule *rule, int64_t when)
{
	struct tr2_civil date;
	int64_t begin, end;
	int is_summer;

	if (!rule->has_summer || when + rule->standard < 0)
		return rule->standard;
	tr2_clock_civil(&date, (uint64_t)(when + rule->standard));
	begin = begin_of(&rule->begin, date.year) - rule->standard;
	end = begin_of(&rule->end, date.year) - rule->summer;
	is_summer = begin < end ? when >= begin && when < end :
				  when >= begin || when < end;
	return is_summer ? rule->summer : rule->standard;
}

/* Read the rule at the end of the file, which stands between two newlines. */
static void read_footer(struct tr2_zone *zone, const unsigned char *p,
			const unsigned char *end)
{
	char text[128];
	size_t len;

	if (p >= end || *p++ != '\n')
		return;
	for (len = 0; p + len < end && p[len] != '\n'; len++)
		if (len == sizeof(text) - 1)
			return;
	memcpy(text, p, len);
	text[len] = '\0';
	zone->has_rule = read_rule(text, &zone->rule);
}

/* Return the size of the block after a header, with times of time_bytes. */
static uint64_t block_bytes(const unsigned char *header,
			    unsigned int time_bytes)
{
	return (uint64_t)zone_get32(header + 32) * (time_bytes + 1) +
	       (uint64_t)zone_get32(header + 36) * 6 + zone_get32(header + 40) +
	       (uint64_t)zone_get32(header + 28) * (time_bytes + 4) +
	       zone_get32(header + 24) + zone_get32(header + 20);
}

/* Use the second block, with times of 64 bits: all files have it since 2005. */
static int use_file(struct tr2_zone *zone)
{
	const unsigned char *p = zone->file, *end = p + zone->file_bytes;
	uint64_t skip;

	if (zone->file_bytes < 2 * HEADER_BYTES || memcmp(p, "TZif", 4) ||
	    p[4] < '2')
		return 0;
	skip = HEADER_BYTES + block_bytes(p, 4);
	if (skip > zone->file_bytes - HEADER_BYTES)
		return 0;
	p += skip;
	if (memcmp(p, "TZif", 4) ||
	    block_bytes(p, 8) > (uint64_t)(end - p) - HEADER_BYTES)
		return 0;
	zone->nr_times = zone_get32(p + 32);
	zone->nr_types = zone_get32(p + 36);
	zone->times = p + HEADER_BYTES;
	zone->types = zone->times + (size_t)zone->nr_times * 8;
	zone->offsets = zone->types + zone->nr_times;
	read_footer(zone, p + HEADER_BYTES + block_bytes(p, 8), end);
	return zone->nr_types > 0;
}

static int read_file(struct tr2_zone *zone, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	ssize_t n = 0;
	void *p = MAP_FAILED;

	if (fd < 0)
		return 0;
	if (!tr2_raw_fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= FILE_MAX_BYTES)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED)
		n = tr2_sys_pread(fd, p, (size_t)st.st_size, 0);
	close(fd);
	if (p == MAP_FAILED)
		return 0;
	zone->file = p;
	zone->file_bytes = (size_t)st.st_size;
	if (n == st.st_size && use_file(zone))
		return 1;
	tr2_zone_release(zone);
	return 0;
}

static int read_named(struct tr2_zone *zone, const char *name)
{
	const char *directory = getenv("TZDIR");
	char path[PATH_BYTES];
	int len;

	if (*name == '/')
		return read_file(zone, name);
	if (!directory || !*directory)
		directory = ZONES;
	len = snprintf(path, sizeof(path), "%s/%s", directory, name);
	return len > 0 && (size_t)len < sizeof(path) && read_file(zone, path);
}

void tr2_zone_read(struct tr2_zone *zone)
{
	const char *name = getenv("TZ");

	memset(zone, 0, sizeof(*zone));
	if (!name)
		name = LOCAL_FILE;
	if (*name == ':')
		name++;
	if (!*name || read_named(zone, name))
		return;
	zone->has_rule = read_rule(name, &zone->rule);
}

void tr2_zone_release(struct tr2_zone *zone)
{
	if (zone->file)
		munmap(zone->file, zone->file_bytes);
	memset(zone, 0, sizeof(*zone));
}

long tr2_zone_at(const struct tr2_zone *zone, int64_t when)
{
	uint32_t low = 0, high = zone->nr_times, middle, type;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (zone_get64(zone->times + (size_t)middle * 8) <= when)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == zone->nr_times && zone->has_rule)
		return rule_at(&zone->rule, when);
	if (!zone->nr_types)
		return 0;
	type = low ? zone->types[low - 1] : 0;
	if (type >= zone->nr_types)
		return 0;
	return (int32_t)zone_get32(zone->offsets + (size_t)type * 6);
}
