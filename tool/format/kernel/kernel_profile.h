/* SPDX-License-Identifier: MIT */
/*
 * kernel_profile - pass samples of the CPU time to the model, with the mappings
 * that give meaning to their addresses.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "common/map.h"
#include "format/kernel/kernel_data.h"
#include "model/model.h"
#include "model/wait_causes.h"

struct tr2_kernel_profile {
	struct tr2_model *m;
	bool is_on;             /* the file has samples of CPU time */
	struct tr2_map spaces;  /* maps a pid to the number of the process's
				 * space */
	tr2_str cpu, waits; /* names of the events of samples */
	uint32_t first_sample;
	uint32_t kernel;        /* number of the kernel whose functions were
				 * read; 0: unknown */
	uint32_t stack_file;    /* index of the file in m->stack_files; 0: not
				 * added yet */
	uint64_t nr_unknown;    /* number of samples of unknown threads */
};

/* Begin to read samples. f must be open: its events must be known. */
void tr2_kernel_profile_begin(struct tr2_kernel_profile *p, struct tr2_model *m,
			      const struct tr2_kernel_data *f);
/* Read the names of the kernel's functions. */
void tr2_kernel_profile_names(struct tr2_kernel_profile *p, int fd);
/* Add a record of a fork, an exec or a mapping, in the order of time. */
void tr2_kernel_profile_process(struct tr2_kernel_profile *p,
				const struct tr2_kernel_record *r,
				int64_t wall_ns);
/* Add a sample of a task's thread; task_thread 0: unknown. */
void tr2_kernel_profile_sample(struct tr2_kernel_profile *p,
			       const struct tr2_kernel_data *f,
			       const struct tr2_kernel_record *r,
			       uint32_t task_thread, int64_t wall_ns);
/* Add the calls of a thread that leaves its CPU and may begin a wait. */
void tr2_kernel_profile_leaves(struct tr2_kernel_profile *p,
			       const struct tr2_kernel_record *r,
			       uint32_t task_thread, int64_t wall_ns);
/* Call this at the end, when the states of threads are known. Drop the calls of
 * threads that left their CPU but began no wait, and set the lengths of
 * waits. */
void tr2_kernel_profile_waits(struct tr2_kernel_profile *p);
void tr2_kernel_profile_release(struct tr2_kernel_profile *p);

/* The functions in DIR/kernel.symbols, in the format of /proc/kallsyms. */
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

void tr2_kernel_symbols_read(struct tr2_kernel_symbols *s, int fd);
void tr2_kernel_symbols_release(struct tr2_kernel_symbols *s);

/* Return the cause of a wait, and set whether the thread waits for a futex.
 * `calls` are nr return addresses, unaligned, the innermost first. */
enum tr2_cause tr2_kernel_symbols_cause(const struct tr2_kernel_symbols *s,
					const unsigned char *calls,
					uint32_t nr, bool *futex);
