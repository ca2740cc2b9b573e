/* SPDX-License-Identifier: MIT */
/*
 * time - parse the times of day that producers of Trace2 write: Git,
 * JavaScript, Python, .NET and Go differ in digits and zones (ISO 8601,
 * RFC 3339).
 */
#include "common/time.h"

struct text {
	const char *p, *end;
};

static bool skip_chars(struct text *t, const char *any_of)
{
	if (t->p >= t->end)
		return false;
	for (; *any_of; any_of++) {
		if (*t->p == *any_of) {
			t->p++;
			return true;
		}
	}
	return false;
}

static bool digit_next(const struct text *t)
{
	return t->p < t->end && *t->p >= '0' && *t->p <= '9';
}

/* Parse exactly `n` digits. */
static bool read_number(struct text *t, int n, unsigned int *value)
{
	for (*value = 0; n; n--) {
		if (!digit_next(t))
			return false;
		*value = *value * 10 + (unsigned int)(*t->p++ - '0');
	}
	return true;
}

/* Parse the digits of a fraction, and ignore the digits after microseconds. */
static bool fraction(struct text *t, unsigned int *us)
{
	unsigned int unit = 1000000;

	if (!digit_next(t))
		return false;
	for (*us = 0; digit_next(t); t->p++) {
		unit /= 10;
		*us += (unsigned int)(*t->p - '0') * unit;
	}
	return true;
}

/*
 * Parse the zone after the time: nothing, Z, +HH, +HHMM or +HH:MM; Android's
 * tool `repo` writes +00:00Z. A time without a zone is UTC, as all times that
 * Git writes.
 */
static bool zone(struct text *t, int64_t *east_s)
{
	unsigned int hours, minutes = 0;
	bool west = t->p < t->end && *t->p == '-';

	*east_s = 0;
	if (skip_chars(t, "+-")) {
		if (!read_number(t, 2, &hours) || hours > 23)
			return false;
		if ((skip_chars(t, ":") || digit_next(t)) &&
		    (!read_number(t, 2, &minutes) || minutes > 59))
			return false;
		*east_s = (int64_t)(hours * 60 + minutes) * 60;
		if (west)
			*east_s = -*east_s;
	}
	skip_chars(t, "Zz");
	return t->p == t->end;
}

/* Return the days in a month by the Gregorian rule, as tr2_days_until()
 * does. */
static unsigned int days_in(unsigned int year, unsigned int month)
{
	unsigned int next_year = month == 12 ? year + 1 : year;

	return (unsigned int)(tr2_days_until(next_year, month % 12 + 1, 1) -
			      tr2_days_until(year, month, 1));
}

/* Parse YYYY-MM-DD or YYYYMMDD into days since 1970. */
static bool date(struct text *t, int64_t *days)
{
	unsigned int y, mon, d;
	bool dashes;

	if (!read_number(t, 4, &y))
		return false;
	dashes = skip_chars(t, "-");
	if (!read_number(t, 2, &mon) || dashes != skip_chars(t, "-") ||
	    !read_number(t, 2, &d) || y < 1970 || y > 2115 || mon < 1 ||
	    mon > 12 || d < 1 || d > days_in(y, mon))
		return false;
	*days = tr2_days_until(y, mon, d);
	return true;
}

/* Parse HH:MM, HH:MM:SS or HHMMSS; a time with seconds may have a fraction. */
static bool time_of_day(struct text *t, int64_t *us)
{
	unsigned int h, min, sec = 0, part = 0;
	bool colons;

	if (!read_number(t, 2, &h))
		return false;
	colons = skip_chars(t, ":");
	if (!read_number(t, 2, &min))
		return false;
	if (colons ? skip_chars(t, ":") : digit_next(t)) {
		if (!read_number(t, 2, &sec) ||
		    (skip_chars(t, ".,") && !fraction(t, &part)))
			return false;
	}
	/* Accept second 60, a leap second, as the first second of the next
	 * minute. */
	if (h > 23 || min > 59 || sec > 60)
		return false;
	*us = ((int64_t)(h * 60 + min) * 60 + sec) * 1000000 + part;
	return true;
}

bool tr2_parse_time(const char *s, size_t len, int64_t *wall_us)
{
	struct text t = { s, s + len };
	int64_t days, us, east_s;

	if (!date(&t, &days) || !skip_chars(&t, "Tt ") ||
	    !time_of_day(&t, &us) || !zone(&t, &east_s))
		return false;
	us += (days * 86400 - east_s) * 1000000;
	if (us < 0)
		return false;
	*wall_us = us;
	return true;
}
