/* SPDX-License-Identifier: MIT */
/*
 * kernel - read DIR/kernel.data, the kernel's records of a recording, into the
 * threads and states of the model.
 */
#ifndef TR2_FORMAT_KERNEL_KERNEL_H
#define TR2_FORMAT_KERNEL_KERNEL_H

#include "model/model.h"

/* Read DIR/kernel.data if it exists; the recording's tasks are those from
 * first_task on. It has all records until *end_ns; 0: perhaps not. Set that to
 * the time of its last record, if that is later. Return how many records the file says were lost. */
uint64_t tr2_kernel_load(struct tr2_model *m, const char *dir,
			 uint32_t first_task, int64_t *end_ns);

#endif
