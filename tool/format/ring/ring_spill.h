/* SPDX-License-Identifier: MIT */
/*
 * ring_spill - the format of records that `trace2 record --ring` takes out of a
 * process's rings while it runs. They are in a file beside the ring's, named
 * like it plus TR2_PIECES_SUFFIX: a sequence of pieces. A piece is a struct
 * tr2_piece and `len` bytes, the records of slot `slot` from `position` on. The
 * pieces of a slot follow each other without a gap.
 */
#ifndef TR2_FORMAT_RING_RING_SPILL_H
#define TR2_FORMAT_RING_RING_SPILL_H

#include <stdint.h>

#define TR2_PIECES_SUFFIX ".records"
#define TR2_PIECE_MAGIC 0x50325254u /* TR2P */

struct tr2_piece {
	uint32_t magic;
	uint32_t slot;
	uint64_t position;
	uint64_t len;	    /* a multiple of 8 */
	uint64_t ring_size; /* size at which the slot's positions wrap */
};

_Static_assert(sizeof(struct tr2_piece) == 32, "layout");

#endif
