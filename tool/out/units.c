/* SPDX-License-Identifier: MIT */
/*
 * units - numbers as people read them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "model/model.h"
#include "out/table.h"

static void add_formatted(struct tr2_buf *b, double value, int decimals,
			  const char *unit)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f %s", decimals, value, unit);
	tr2_buf_addstr(b, text);
}

/* Three decimals of the largest unit that leaves a whole number before the
 * point; microseconds have one, which is what a stream can say. */
void tr2_fmt_ns(struct tr2_buf *b, int64_t ns)
{
	double v = (double)ns;

	if (v < 0) {
		tr2_buf_addch(b, '-');
		v = -v;
	}
	if (v < 999500)
		add_formatted(b, v / 1e3, 0, "us");
	else if (v < 999999500)
		add_formatted(b, v / 1e6, 3, "ms");
	else if (v < 3600e9)
		add_formatted(b, v / 1e9, 3, "s");
	else
		add_formatted(b, v / 3600e9, 2, "h");
}

void tr2_fmt_ns_short(struct tr2_buf *b, int64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 3600e9, "h" }, { 1e9, "s" }, { 1e6, "ms" },
		      { 1e3, "us" } };
	double v = (double)(ns < 0 ? -ns : ns);
	char text[40];
	size_t i = 0;

	/* 999.5 of a unit is 1.00 of the next. */
	while (i < 3 && v < units[i].ns * 0.9995)
		i++;
	v /= units[i].ns;
	snprintf(text, sizeof(text), "%s%.*f%s", ns < 0 ? "-" : "",
		 i == 3 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v,
		 units[i].unit);
	tr2_buf_addstr(b, text);
}

void tr2_fmt_bytes(struct tr2_buf *b, uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB",
					     "TiB" };
	double v = (double)bytes;
	size_t i = 0;

	while (v >= 1023.95 && i + 1 < sizeof(units) / sizeof(*units)) {
		v /= 1024;
		i++;
	}
	add_formatted(b, v, i ? 1 : 0, units[i]);
}

static void add_time(struct tr2_buf *b, const struct tr2_civil *t,
		     uint64_t us)
{
	tr2_buf_add_digits(b, t->hour, 2);
	tr2_buf_addch(b, ':');
	tr2_buf_add_digits(b, t->minute, 2);
	tr2_buf_addch(b, ':');
	tr2_buf_add_digits(b, t->second, 2);
	tr2_buf_addch(b, '.');
	tr2_buf_add_digits(b, us, 6);
}

/* Seconds and microseconds; moments before 1970 count as its start. */
static uint64_t split(int64_t wall_ns, uint64_t *us)
{
	uint64_t all = wall_ns > 0 ? (uint64_t)wall_ns / 1000 : 0;

	*us = all % 1000000;
	return all / 1000000;
}

void tr2_fmt_wall(struct tr2_buf *b, int64_t wall_ns)
{
	static bool zone_known;
	struct tr2_civil t;
	uint64_t us, seconds = split(wall_ns, &us);
	int64_t local;

	if (!zone_known)
		tr2_zone_load();
	zone_known = true;
	local = (int64_t)seconds + tr2_zone_offset(seconds);
	tr2_clock_civil(&t, local > 0 ? (uint64_t)local : 0);
	add_time(b, &t, us);
}

void tr2_fmt_iso(struct tr2_buf *b, int64_t wall_ns)
{
	struct tr2_civil t;
	uint64_t us, seconds = split(wall_ns, &us);

	tr2_clock_civil(&t, seconds);
	tr2_buf_add_digits(b, t.year, 4);
	tr2_buf_addch(b, '-');
	tr2_buf_add_digits(b, t.month, 2);
	tr2_buf_addch(b, '-');
	tr2_buf_add_digits(b, t.day, 2);
	tr2_buf_addch(b, 'T');
	add_time(b, &t, us);
	tr2_buf_addch(b, 'Z');
}
