/* SPDX-License-Identifier: MIT */
/* option_value - parse numbers, sizes, durations and times. */
#include "common/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/macros.h"
#include "base/split.h"
#include "common/memory.h"
#include "common/options.h"

/* Parse a number and the text after it. false: no number. */
static bool number_and_unit(const char *s, double *number, const char **unit)
{
	char *end;

	if (!((*s >= '0' && *s <= '9') || *s == '.'))
		return false;
	errno = 0;
	*number = strtod(s, &end);
	*unit = end;
	return end > s && !errno;
}

static bool parse_int(const char *s, int64_t *out)
{
	char *end;

	if (!(*s >= '0' && *s <= '9'))
		return false;
	errno = 0;
	*out = strtoll(s, &end, 10);
	return !errno && !*end;
}

struct unit {
	const char *name;
	double factor;
};

static bool parse_unit(const char *s, const struct unit *units, int64_t *out)
{
	const char *unit;
	double number;

	if (!number_and_unit(s, &number, &unit))
		return false;
	while (*unit == ' ')
		unit++;
	for (; units->name; units++)
		if (!strcmp(units->name, unit))
			break;
	if (!units->name || number * units->factor > 9e18)
		return false;
	*out = (int64_t)(number * units->factor + 0.5);
	return true;
}

static bool parse_duration(const char *s, int64_t *out)
{
	static const struct unit units[] = {
		{ "", 1e9 },    { "s", 1e9 },  { "ms", 1e6 },	 { "us", 1e3 },
		{ "µs", 1e3 }, { "ns", 1 },   { "min", 60e9 }, { "m", 60e9 },
		{ "h", 3600e9 }, { "d", 86400e9 }, { NULL, 0 }
	};

	return parse_unit(s, units, out);
}

static bool parse_size(const char *s, int64_t *out)
{
	static const struct unit units[] = {
		{ "", 1 },	      { "k", 1024 },	    { "K", 1024 },
		{ "KiB", 1024 },      { "M", 1048576 },	    { "MiB", 1048576 },
		{ "G", 1073741824.0 }, { "GiB", 1073741824.0 }, { NULL, 0 }
	};

	return parse_unit(s, units, out);
}

static bool parse_percent(const char *s, double *out)
{
	const char *unit;

	if (!number_and_unit(s, out, &unit))
		return false;
	if (!strcmp(unit, "%"))
		*out /= 100;
	else if (*unit || *out >= 1) /* 5 for 5% would be 500% */
		return false;
	return true;
}

/* Parse a date and time, a time of today, or a duration before now. Local time
 * unless it ends with Z. */
static bool parse_time(const char *s, int64_t *out)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S",
					     "%Y-%m-%d %H:%M:%S",
					     "%Y-%m-%d %H:%M", "%Y-%m-%d",
					     "%H:%M:%S", "%H:%M" };
	time_t now = time(NULL), t;
	const char *rest = NULL;
	struct tm tm;
	double fraction = 0;
	int64_t ago;
	size_t i;

	if (parse_duration(s, &ago)) {
		*out = (int64_t)now * 1000000000 - ago;
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(forms) && !rest; i++) {
		localtime_r(&now, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		rest = strptime(s, forms[i], &tm);
		if (rest && *rest == '.')
			fraction = strtod(rest, (char **)&rest);
		if (rest && *rest && strcmp(rest, "Z") != 0)
			rest = NULL;
	}
	if (!rest)
		return false;
	t = *rest == 'Z' ? timegm(&tm) : mktime(&tm);
	*out = (int64_t)t * 1000000000 + (int64_t)(fraction * 1e9);
	return true;
}

static bool is_choice(const char *choices, const char *s)
{
	const char *choice, *colon;
	size_t n;

	while ((choice = tr2_split(&choices, "|", &n))) {
		colon = memchr(choice, ':', n);
		if (colon)
			n = (size_t)(colon + 1 - choice);
		if (!strncmp(s, choice, n) && !colon == !s[n])
			return true;
	}
	return false;
}

bool tr2_option_set(const struct tr2_option *o, const char *s)
{
	if (o->choices && s && !is_choice(o->choices, s))
		return false;
	switch (o->kind) {
		struct tr2_list *list;

	case TR2_OPT_FLAG:
		*(bool *)o->value = true;
		return true;
	case TR2_OPT_STRING:
		*(const char **)o->value = s ? s : "";
		return true;
	case TR2_OPT_LIST:
		list = o->value;
		list->item = tr2_realloc(list->item, list->nr + 1, sizeof(s));
		list->item[list->nr++] = s;
		return true;
	case TR2_OPT_INT:
		return parse_int(s, o->value);
	case TR2_OPT_SIZE:
		return parse_size(s, o->value);
	case TR2_OPT_DURATION:
		return parse_duration(s, o->value);
	case TR2_OPT_TIME:
		return parse_time(s, o->value);
	case TR2_OPT_PERCENT:
		return parse_percent(s, o->value);
	default:
		return true;
	}
}

const char *tr2_option_form(int kind)
{
	switch (kind) {
	case TR2_OPT_INT:
		return "a number";
	case TR2_OPT_SIZE:
		return "a number of bytes, such as 4096, 64k or 1M";
	case TR2_OPT_DURATION:
		return "a time such as 20us, 1ms, 1.5s or 2min";
	case TR2_OPT_TIME:
		return "a time such as 14:30, '2026-11-21 14:30:00' or "
		       "2026-11-21T14:30:00Z, or a time ago such as 5min";
	case TR2_OPT_PERCENT:
		return "a percentage such as 5%";
	default:
		return "another text";
	}
}
