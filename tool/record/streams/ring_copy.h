/* SPDX-License-Identifier: MIT */
/* ring_copy - copy the ring of a process that goes on, without its records. */
#ifndef TR2_RECORD_STREAMS_RING_COPY_H
#define TR2_RECORD_STREAMS_RING_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ring/ring_file.h"

/*
 * Write header, definitions and the cells of all slots to the file `name` of a
 * directory, as if a reader had taken all records up to taken[slot], and no more
 * were overwritten than overwritten[slot]. false: errno.
 */
bool tr2_ring_copy(struct tr2_ring_file *from, int dir_fd, const char *name,
		   const uint64_t *taken, const uint64_t *overwritten);

#endif
