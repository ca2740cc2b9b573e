/* SPDX-License-Identifier: MIT */
/* TAP for unit tests in C: call ok() or is_*() for each check, and return
 * done_testing(). */
#pragma once

#include "../helper/system.h"

static unsigned int tap_nr, tap_failed;

static inline bool ok(bool passed, const char *what)
{
	printf("%sok %u - %s\n", passed ? "" : "not ", ++tap_nr, what);
	tap_failed += !passed;
	return passed;
}

static inline void is_text(const char *got, size_t len, const char *want,
			   const char *what)
{
	if (!ok(len == strlen(want) && !memcmp(got, want, len), what))
		printf("# got:  %.*s\n# want: %s\n", (int)len, got, want);
}

static inline void is_u64(uint64_t got, uint64_t want, const char *what)
{
	if (!ok(got == want, what))
		printf("# got:  %" PRIu64 "\n# want: %" PRIu64 "\n", got, want);
}

/* For integers of any type. */
#define IS(got, want, what) \
	is_u64((uint64_t)(int64_t)(got), (uint64_t)(int64_t)(want), what)

static inline int done_testing(void)
{
	printf("1..%u\n", tap_nr);
	return tap_failed ? 1 : 0;
}
