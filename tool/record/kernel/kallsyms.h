/* SPDX-License-Identifier: MIT */
/* kallsyms - read the kernel's functions and their addresses from
 * /proc/kallsyms. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct tr2_kallsyms {
	uint64_t start; /* address of the kernel's first function; 0: unknown */
	int fd;         /* -1: not open */
	struct tr2_buf text; /* text that was read so far */
};

/* Find the address at which the kernel begins. Return false if addresses are
 * hidden. */
bool tr2_kallsyms_open(struct tr2_kallsyms *symbols);
void tr2_kallsyms_release(struct tr2_kallsyms *symbols);

/*
 * Append the lines of the functions that contain one of the addresses, and of
 * the next functions. The addresses are sorted return addresses of calls.
 * Return false without memory.
 */
bool tr2_kallsyms_add(struct tr2_kallsyms *symbols, struct tr2_buf *out,
		      const uint64_t *addrs, uint32_t nr);
