/* SPDX-License-Identifier: MIT */
/* anchor - one moment in both clocks. */
#ifndef TR2_RECORD_ANCHOR_H
#define TR2_RECORD_ANCHOR_H

#include <stdint.h>

struct tr2_anchor {
	uint64_t monotonic_ns, wall_ns;
};
void tr2_anchor_take(struct tr2_anchor *anchor);

#endif
