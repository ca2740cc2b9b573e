/* SPDX-License-Identifier: MIT */
/*
 * unwind - where a call came from, as addresses, by the unwinder of libgcc.
 *
 * It is loaded, and used once, when it is prepared; from then on unwinding
 * allocates nothing and is signal-safe where the C library finds tables without
 * a lock (glibc 2.35 and later), else as safe as its dl_iterate_phdr() is.
 */
#ifndef TR2_BASE_UNWIND_H
#define TR2_BASE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#define TR2_CALLCHAIN_MAX 127

/* The innermost first. All are return addresses: behind a call. */
struct tr2_callchain {
	unsigned int nr;
	uint64_t ip[TR2_CALLCHAIN_MAX];
};

/* Code whose frames do not belong to a chain: from begin up to end. */
struct tr2_code {
	const char *begin, *end;
};

/* NULL, or why chains will be empty, in words. Not signal-safe. */
const char *tr2_unwind_prepare(void);

/* Nobody unwinds any more. */
void tr2_unwind_release(void);

/* The frames outside of `own`, in which the caller is. */
void tr2_unwind(struct tr2_callchain *chain, const struct tr2_code *own);

#endif
