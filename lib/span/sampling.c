/* SPDX-License-Identifier: MIT */
/* Parse GIT_TRACE2_SPANS. */
#include "span/sampling.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/macros.h"
#include "base/split.h"

struct tr2_sampling tr2_sampling = { 1, 0 };

#define MAX_DIGITS 9

static bool parse_number(const char **p, const char *end, uint64_t *number)
{
	const char *start = *p;

	for (*number = 0; *p < end && **p >= '0' && **p <= '9'; ++*p)
		*number = *number * 10 + (uint64_t)(**p - '0');
	return *p != start && *p - start <= MAX_DIGITS;
}

static bool parse_ratio(const char *p, const char *end,
			struct tr2_sampling *out)
{
	uint64_t of, in = 1;

	if (!parse_number(&p, end, &of) || of > 1)
		return false;
	if (p != end && (*p++ != '/' || !parse_number(&p, end, &in) || !in))
		return false;
	out->one_in = of ? (uint32_t)in : 0;
	return p == end;
}

static bool parse_time(const char *p, const char *end, struct tr2_sampling *out)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	uint64_t number;
	size_t i;

	if (!parse_number(&p, end, &number) || !number)
		return false;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == (size_t)(end - p) &&
		    !memcmp(p, units[i].name, (size_t)(end - p))) {
			out->slower_ns = number * units[i].ns;
			return true;
		}
	return false;
}

bool tr2_sampling_set(const char *setting)
{
	static const char slower[] = "slower:";
	struct tr2_sampling out = { 0, 0 };
	const char *word;
	size_t len;

	while ((word = tr2_split(&setting, ",", &len))) {
		const char *end = word + len;
		size_t n = sizeof(slower) - 1;

		if (len > n && !memcmp(word, slower, n)
			    ? !parse_time(word + n, end, &out)
			    : !parse_ratio(word, end, &out))
			return false;
	}
	tr2_sampling = out;
	return true;
}

bool tr2_sampling_keeps(struct tr2_span_data *span)
{
	uint64_t took_ns = tr2_clock_since(span->start_ns, span->end_ns);

	if (tr2_sampling.slower_ns &&
	    (span->flags & TR2_SPAN_DATA_FAILED ||
	     took_ns >= tr2_sampling.slower_ns)) {
		span->one_in = 1;
		return true;
	}
	return span->flags & TR2_SPAN_DATA_SAMPLED;
}
