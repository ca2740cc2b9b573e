/* SPDX-License-Identifier: MIT */
/*
 * ring_copy - copy the ring of a process that continues to run, without its
 * records; map the control pages of other processes' rings, in order to move
 * the tail. The owner of a ring can truncate its file, so that an access to the
 * page raises SIGBUS. A handler then puts a page of zeros in its place.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena/layout.h"
#include "format/ring/ring_file.h"

/*
 * Copy the header, the definitions and the cells of all slots to the file
 * `name` of a directory. The copy looks as if a reader had taken all records up
 * to taken[slot], and as if overwritten[slot] records had been overwritten.
 * Return false with errno.
 */
bool tr2_ring_copy(struct tr2_ring_file *from, int dir_fd, const char *name,
		   const uint64_t *taken, const uint64_t *overwritten);

/* Map a control page. Return NULL if that failed, or if too many pages are
 * mapped. */
struct tr2_control *tr2_ringmap_add(int fd, uint64_t offset);
void tr2_ringmap_remove(struct tr2_control *control);
