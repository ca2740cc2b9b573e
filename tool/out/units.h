/* SPDX-License-Identifier: MIT */
/* units - values as text, with their units. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The unit of a column of durations. */
struct tr2_unit {
	const char *name;
	uint64_t ns;
	unsigned int decimals;
};

/* Choose the unit for durations up to `largest`, or a smaller unit in which
 * `smallest` is not shown as 0.000. smallest 0: any unit will do. has_ns: some
 * durations are not whole microseconds. */
void tr2_unit_choose(struct tr2_unit *unit, uint64_t largest, uint64_t smallest,
		     bool has_ns);
void tr2_fmt_in_unit(struct tr2_buf *b, int64_t ns,
		     const struct tr2_unit *unit);

/* Format values with their units for text. */
void tr2_fmt_ns(struct tr2_buf *b, int64_t ns);         /* 1.234 ms */
void tr2_fmt_ns_short(struct tr2_buf *b, int64_t ns);   /* 1.23ms */
void tr2_fmt_real(struct tr2_buf *b, double value);     /* 12.5, 0.125 */
void tr2_fmt_bytes(struct tr2_buf *b, uint64_t bytes);  /* 23.1 KiB */
void tr2_fmt_share(struct tr2_buf *b, double ratio);    /* 12.3% */
void tr2_fmt_wall(struct tr2_buf *b, int64_t wall_ns);  /* HH:MM:SS.uuuuuu */
void tr2_fmt_iso(struct tr2_buf *b, int64_t wall_ns);   /* 2026-…T…Z */

/* Return an empty buffer for a text that a function returns. The text stays
 * valid during the next eight calls. */
struct tr2_buf *tr2_next_text(void);
const char *tr2_ns_text(int64_t ns);
const char *tr2_ns_short_text(int64_t ns);
const char *tr2_share_text(double ratio);
const char *tr2_bytes_text(uint64_t bytes);
