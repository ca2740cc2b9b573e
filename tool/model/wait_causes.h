/* SPDX-License-Identifier: MIT */
/* wait_causes - the cause of a wait, by the functions of the kernel in which a
 * thread waits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct tr2_wait_function {
	bool listed;        /* it has a cause */
	bool page_fault;    /* a wait for a disk in it is one for a page */
	bool futex;         /* it may have a time limit */
	enum tr2_cause cause;
};

/* Look a function of the kernel up, by the name that /proc/kallsyms has. */
struct tr2_wait_function tr2_wait_function(const char *name, size_t len);
