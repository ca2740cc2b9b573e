/* SPDX-License-Identifier: MIT */
/* ring_mapped - find the ring of a running process in its mappings. */
#ifndef TR2_FORMAT_RING_RING_MAPPED_H
#define TR2_FORMAT_RING_RING_MAPPED_H

#include <stdint.h>

/* Return the path of the ring that a process writes, from malloc(). NULL: it has
 * none, or it may not be read. */
char *tr2_ring_mapped(int32_t pid);

#endif
