/* SPDX-License-Identifier: MIT */
/* kernel_maps - lines of /proc/PID/maps as the kernel's records of mappings. */
#ifndef TR2_RECORD_KERNEL_KERNEL_MAPS_H
#define TR2_RECORD_KERNEL_KERNEL_MAPS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

/* Append what a MMAP2 has after its header. false: the line is of no code, and
 * nothing is appended. */
bool tr2_kernel_maps_add(struct tr2_buf *b, pid_t pid, const char *line);

#endif
