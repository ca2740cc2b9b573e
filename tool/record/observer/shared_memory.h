/* SPDX-License-Identifier: MIT */
/*
 * shared_memory - the file in whose mapping a futex is that processes share.
 */
#pragma once

#include "record/observer/wait_object.h"

/* A futex of one process, or one in memory of no file, has no object. */
void tr2_shared_memory_find(struct tr2_wait *wait, uint64_t address,
			    int operation);
