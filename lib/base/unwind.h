/* SPDX-License-Identifier: MIT */
/*
 * unwind - the call stack as addresses, by the unwinder of libgcc.
 *
 * tr2_unwind_prepare() loads it and uses it once; from then on unwinding
 * allocates nothing. It is signal-safe if the C library finds tables without a
 * lock (glibc 2.35 and later), otherwise as safe as its dl_iterate_phdr().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TR2_CALLCHAIN_MAX 127

/* The return addresses, each after a call, the innermost first. */
struct tr2_callchain {
	unsigned int nr;
	uint64_t ip[TR2_CALLCHAIN_MAX];
};

/* Code whose frames are left out of a chain: [begin, end). */
struct tr2_code {
	const char *begin, *end;
};

/* Return NULL, or the reason why chains will be empty. Not signal-safe. */
const char *tr2_unwind_prepare(void);

/* Call it when no thread unwinds any longer. */
void tr2_unwind_release(void);

/* Collect the frames outside of `own`, which contains the caller. */
void tr2_unwind(struct tr2_callchain *chain, const struct tr2_code *own);
