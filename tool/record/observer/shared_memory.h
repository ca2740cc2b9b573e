/* SPDX-License-Identifier: MIT */
/*
 * shared_memory - find the file whose mapping contains a futex that processes
 * share.
 */
#pragma once

#include "record/observer/wait_object.h"

/* Find the file of the futex. A private futex, or one in memory without a file,
 * has no object. */
void tr2_shared_memory_find(struct tr2_wait *wait, uint64_t address,
			    int operation);
