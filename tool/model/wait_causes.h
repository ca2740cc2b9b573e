/* SPDX-License-Identifier: MIT */
/* wait_causes - find the cause of a wait by the kernel's functions in which a
 * thread waits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct tr2_wait_function {
	bool listed;        /* the table has a cause for the function */
	bool page_fault;    /* a wait for a disk in this function is for a
			     * page */
	bool futex;         /* a wait in this function may have a time limit */
	enum tr2_cause cause;
};

/* Look up a function of the kernel by its name in /proc/kallsyms. */
struct tr2_wait_function tr2_wait_function(const char *name, size_t len);
