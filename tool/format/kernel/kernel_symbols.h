/* SPDX-License-Identifier: MIT */
/*
 * kernel_symbols - read DIR/kernel.symbols, which has the format of
 * /proc/kallsyms, and find the cause of a wait by a call path.
 */
#ifndef TR2_FORMAT_KERNEL_KERNEL_SYMBOLS_H
#define TR2_FORMAT_KERNEL_KERNEL_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "model/wait_causes.h"

struct tr2_kernel_symbols {
	struct tr2_kernel_symbol {
		uint64_t addr;
		struct tr2_wait_function function;
	} *list; /* by address */
	uint32_t nr, alloc;
};

/* Called for each function; module: "[NAME]", or empty. */
typedef void tr2_kernel_symbol_fn(void *data, uint64_t addr, const char *name,
				  size_t len, const char *module,
				  size_t module_len);

/* Read the functions of a file. */
void tr2_kernel_symbols_each(int fd, tr2_kernel_symbol_fn *fn, void *data);

void tr2_kernel_symbols_read(struct tr2_kernel_symbols *s, int fd);
void tr2_kernel_symbols_release(struct tr2_kernel_symbols *s);

/* Return the cause of a wait, and whether it is for a futex; calls are nr return
 * addresses, unaligned, the innermost first. */
enum tr2_cause tr2_kernel_symbols_cause(const struct tr2_kernel_symbols *s,
					const unsigned char *calls,
					uint32_t nr, bool *futex);

#endif
