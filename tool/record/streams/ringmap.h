/* SPDX-License-Identifier: MIT */
/*
 * ringmap - map the control pages of other processes' rings, in order to move
 * the tail. The owner of such a file can truncate it, and then an access raises
 * SIGBUS: a page that was cut off is replaced by one of zeros.
 */
#ifndef TR2_RECORD_STREAMS_RINGMAP_H
#define TR2_RECORD_STREAMS_RINGMAP_H

#include <stdint.h>

#include "arena/layout.h"

/* Map a page. NULL: it failed, or there are too many. */
struct tr2_control *tr2_ringmap_add(int fd, uint64_t offset);
void tr2_ringmap_remove(struct tr2_control *control);

#endif
