/* SPDX-License-Identifier: MIT */
/* kallsyms - the kernel's functions and their addresses, from
 * /proc/kallsyms. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct tr2_kallsyms {
	uint64_t start; /* address of the kernel's first function; 0: unknown */
	int fd;         /* -1: not open */
	struct tr2_buf text; /* what was read so far */
};

/* Read where the kernel begins. Return false if addresses are hidden. */
bool tr2_kallsyms_open(struct tr2_kallsyms *symbols);
void tr2_kallsyms_release(struct tr2_kallsyms *symbols);

/*
 * Append the lines of the functions that have one of the addresses, and of the
 * functions that follow these. The addresses are sorted; each is that to which
 * a call returns. Return false without memory.
 */
bool tr2_kallsyms_add(struct tr2_kallsyms *symbols, struct tr2_buf *out,
		      const uint64_t *addrs, uint32_t nr);
