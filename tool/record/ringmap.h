/* SPDX-License-Identifier: MIT */
/*
 * ringmap - control pages of other processes' rings, mapped so that the tail
 * can be moved. Whoever owns such a file can cut it short, and the kernel then
 * answers an access with SIGBUS: a page that is gone so becomes one of zeros.
 */
#ifndef TR2_RECORD_RINGMAP_H
#define TR2_RECORD_RINGMAP_H

#include <stdint.h>

#include "arena/layout.h"

/* NULL: it cannot be mapped, or there are too many. */
struct tr2_control *tr2_ringmap_add(int fd, uint64_t offset);
void tr2_ringmap_remove(struct tr2_control *control);

#endif
