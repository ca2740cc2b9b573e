/* SPDX-License-Identifier: MIT */
/*
 * kallsyms_cache - the kernel's own functions, as /proc/kallsyms listed them
 * once since the machine was started, in a file of the user's cache:
 * $XDG_CACHE_HOME/trace2/kallsyms. Reading /proc/kallsyms takes the kernel longer
 * than many commands run.
 *
 * The file begins with the boot's id and ends with a NUL. It has no functions
 * of modules, which come and go.
 */
#ifndef TR2_RECORD_KERNEL_KALLSYMS_CACHE_H
#define TR2_RECORD_KERNEL_KALLSYMS_CACHE_H

#include <stdbool.h>
#include <stddef.h>

struct tr2_kallsyms_cache {
	char *map; /* the file */
	size_t map_bytes;
	const char *begin, *end; /* its lines */
};

/* false: there is none of this boot, and nothing is open. */
bool tr2_kallsyms_cache_open(struct tr2_kallsyms_cache *cache);
void tr2_kallsyms_cache_close(struct tr2_kallsyms_cache *cache);
/* Replace it by these lines. If it cannot be written, there is none. */
void tr2_kallsyms_cache_write(const char *begin, const char *end);

#endif
