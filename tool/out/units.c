/* SPDX-License-Identifier: MIT */
/*
 * units - format numbers with units for people.
 */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/local_time.h"
#include "base/macros.h"
#include "event/render.h"
#include "out/table.h"

/* Add value / unit, rounded to `decimals` decimals (at most 3). */
static void add_ratio(struct tr2_buf *b, uint64_t value, uint64_t unit,
		      unsigned int decimals)
{
	static const unsigned int scale[] = { 1, 10, 100, 1000 };
	uint64_t whole = value / unit;
	uint64_t part = (value % unit * scale[decimals] + unit / 2) / unit;

	if (part >= scale[decimals]) {
		part -= scale[decimals];
		whole++;
	}
	tr2_buf_add_u64(b, whole);
	if (!decimals)
		return;
	tr2_buf_addch(b, '.');
	tr2_buf_add_digits(b, part, decimals);
}

/* Append the sign of a negative number to b, and return the number without its
 * sign. */
static uint64_t unsigned_of(struct tr2_buf *b, int64_t ns)
{
	if (ns >= 0)
		return (uint64_t)ns;
	tr2_buf_addch(b, '-');
	return -(uint64_t)ns;
}

#define US_NS 1000ull
#define MS_NS 1000000ull
#define S_NS 1000000000ull
#define H_NS (3600 * S_NS)

/* Return whether to show nanoseconds: only of small values that were measured
 * exactly enough, as in rings. Streams have microseconds. */
static bool in_ns(uint64_t v)
{
	return v < 10 * US_NS && v % US_NS != 0;
}

/* Use the largest unit in which the duration is at least 1. Print three
 * decimals; microseconds have none. */
void tr2_fmt_ns(struct tr2_buf *b, int64_t ns)
{
	uint64_t v = unsigned_of(b, ns);

	if (in_ns(v)) {
		tr2_buf_add_u64(b, v);
		tr2_buf_addlit(b, " ns");
	} else if (v < 999500) {
		add_ratio(b, v, US_NS, 0);
		tr2_buf_addlit(b, " us");
	} else if (v < 999999500) {
		add_ratio(b, v, MS_NS, 3);
		tr2_buf_addlit(b, " ms");
	} else if (v < H_NS) {
		add_ratio(b, v, S_NS, 3);
		tr2_buf_addlit(b, " s");
	} else {
		add_ratio(b, v, H_NS, 2);
		tr2_buf_addlit(b, " h");
	}
}

void tr2_fmt_ns_short(struct tr2_buf *b, int64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { H_NS, "h" }, { S_NS, "s" }, { MS_NS, "ms" },
		      { US_NS, "us" } };
	uint64_t v = unsigned_of(b, ns), unit;
	size_t i = 0;

	if (in_ns(v)) {
		tr2_buf_add_u64(b, v);
		tr2_buf_addlit(b, "ns");
		return;
	}
	/* Show 999.5 of a unit as 1.00 of the next unit. */
	while (i < 3 && v < units[i].ns - units[i].ns / 2000)
		i++;
	unit = units[i].ns;
	add_ratio(b, v, unit, i == 3 || v >= unit * 100 - unit / 20 ? 0 :
			      v >= unit * 10 - unit / 200	   ? 1 :
								     2);
	tr2_buf_addstr(b, units[i].unit);
}

/* A smaller unit, in which the smallest duration is visible, is used only if
 * all numbers stay below this limit. */
#define MAX_IN_UNIT 1000000

void tr2_unit_choose(struct tr2_unit *unit, uint64_t largest, uint64_t smallest,
		     bool has_ns)
{
	static const struct tr2_unit units[] = { { "s", S_NS, 3 },
						 { "ms", MS_NS, 3 },
						 { "us", US_NS, 0 } };
	size_t i = 0;

	/* Use the unit of which the largest duration is at least 1.000 when
	 * rounded. */
	while (i < 2 && largest < units[i].ns - units[i].ns / 2000)
		i++;
	while (i < 2 && smallest && smallest < units[i].ns / 1000 &&
	       largest < units[i + 1].ns * MAX_IN_UNIT)
		i++;
	*unit = units[i];
	if (i == 2 && has_ns)
		unit->decimals = 3;
}

void tr2_fmt_in_unit(struct tr2_buf *b, int64_t ns, const struct tr2_unit *unit)
{
	uint64_t v = unsigned_of(b, ns);

	add_ratio(b, v, unit->ns, unit->decimals);
}

void tr2_fmt_bytes(struct tr2_buf *b, uint64_t bytes)
{
	static const char *const units[] = { " bytes", " KiB", " MiB", " GiB",
					     " TiB" };
	uint64_t unit = 1;
	size_t i = 0;

	while ((double)bytes / (double)unit >= 1023.95 &&
	       i + 1 < ARRAY_SIZE(units)) {
		unit <<= 10;
		i++;
	}
	add_ratio(b, bytes, unit, i ? 1 : 0);
	tr2_buf_addstr(b, bytes == 1 ? " byte" : units[i]);
}

/* Print the same text as "%.1f%%" would, 50 times as fast. */
void tr2_fmt_share(struct tr2_buf *b, double ratio)
{
	char text[340];
	double v = ratio * 100 * 10, part;
	uint64_t tenths;

	if (!(v >= 0 && v < 1e15)) {
		snprintf(text, sizeof(text), "%.1f%%", ratio * 100);
		tr2_buf_addstr(b, text);
		return;
	}
	tenths = (uint64_t)v;
	part = v - (double)tenths;
	/* Round halves to even. */
	if (part > 0.5 || (part >= 0.5 && tenths & 1))
		tenths++;
	add_ratio(b, tenths, 10, 1);
	tr2_buf_addch(b, '%');
}


/* Add `HH:MM:SS.` in local time. Most calls reuse the text of the previous
 * one. */
static void add_local_time(struct tr2_buf *b, uint64_t seconds)
{
	static bool zone_known;
	static struct tr2_buf text; /* static, to be used again: each new buffer
				     * would map memory */
	static uint64_t of;
	struct tr2_civil t;
	int64_t local;

	if (!zone_known)
		tr2_zone_load();
	zone_known = true;
	if (!text.len || of != seconds) {
		local = (int64_t)seconds + tr2_zone_offset(seconds);
		tr2_clock_civil(&t, local > 0 ? (uint64_t)local : 0);
		tr2_buf_reset(&text);
		tr2_buf_add_digits(&text, t.hour, 2);
		tr2_buf_addch(&text, ':');
		tr2_buf_add_digits(&text, t.minute, 2);
		tr2_buf_addch(&text, ':');
		tr2_buf_add_digits(&text, t.second, 2);
		tr2_buf_addch(&text, '.');
		of = seconds;
	}
	tr2_buf_add(b, text.p, text.len);
}

void tr2_fmt_wall(struct tr2_buf *b, int64_t wall_ns)
{
	uint64_t us = wall_ns > 0 ? (uint64_t)wall_ns / 1000 : 0;

	add_local_time(b, us / 1000000);
	tr2_buf_add_digits(b, us % 1000000, 6);
}

void tr2_fmt_iso(struct tr2_buf *b, int64_t wall_ns)
{
	tr2_render_time_utc(b, wall_ns > 0 ? (uint64_t)wall_ns / 1000 : 0);
}

/*
 * Print a whole number without decimals, and any other number with three
 * significant digits or one decimal.
 */
void tr2_fmt_real(struct tr2_buf *b, double value)
{
	char text[64];
	double size = fabs(value);
	int decimals = size >= 10 ? 1 : size >= 1 ? 2 : 3;

	if (size >= 1e15)
		snprintf(text, sizeof(text), "%.6g", value);
	else if (value == floor(value))
		snprintf(text, sizeof(text), "%.0f", value);
	else
		snprintf(text, sizeof(text), "%.*f", decimals, value);
	tr2_buf_addstr(b, text);
}

struct tr2_buf *tr2_next_text(void)
{
	static struct tr2_buf texts[9];
	static size_t next;
	struct tr2_buf *b = &texts[next++ % ARRAY_SIZE(texts)];

	tr2_buf_reset(b);
	return b;
}

const char *tr2_ns_text(int64_t ns)
{
	struct tr2_buf *b = tr2_next_text();

	tr2_fmt_ns(b, ns);
	return tr2_buf_str(b);
}

const char *tr2_ns_short_text(int64_t ns)
{
	struct tr2_buf *b = tr2_next_text();

	tr2_fmt_ns_short(b, ns);
	return tr2_buf_str(b);
}

const char *tr2_share_text(double ratio)
{
	struct tr2_buf *b = tr2_next_text();

	tr2_fmt_share(b, ratio);
	return tr2_buf_str(b);
}

const char *tr2_bytes_text(uint64_t bytes)
{
	struct tr2_buf *b = tr2_next_text();

	tr2_fmt_bytes(b, bytes);
	return tr2_buf_str(b);
}
