/* SPDX-License-Identifier: MIT */
/*
 * layout - where things lie in a thread slot. Shared with readers in other
 * processes, hence: fixed widths, offsets held by assertions, nothing else.
 *
 *	slot    +--------------------------------------+ 0
 *	        | control page (struct tr2_control)    |
 *	        +--------------------------------------+ 4096
 *	        | counter cells, 8 bytes each          |
 *	        +--------------------------------------+ 12288
 *	        | timer cells, one cache line each     |
 *	        +--------------------------------------+ 45056
 *	        | histograms, TR2_HISTOGRAM_BUCKETS    |
 *	        | cells of 8 bytes each, padded        |
 *	        +--------------------------------------+ 307200
 *
 * Slot 0 of an arena holds the totals of threads that have ended; the others
 * belong to one live thread each. A cell is written by its owner alone, with
 * relaxed atomic stores, and may be read by anybody. Pages that nobody
 * touched cost no memory.
 */
#ifndef TR2_ARENA_LAYOUT_H
#define TR2_ARENA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define TR2_MAX_COUNTERS 1024
#define TR2_MAX_TIMERS 512
#define TR2_MAX_HISTOGRAMS 32
#define TR2_MAX_SLOTS 256

/*
 * Log-linear buckets: values below 16 have one each, every power of two above
 * is cut into 16, so that a bucket is at most 1/16 of its lower bound wide.
 */
#define TR2_HISTOGRAM_BUCKETS 976

enum tr2_slot_state { TR2_SLOT_FREE, TR2_SLOT_LIVE, TR2_SLOT_ENDED };

#define TR2_LAYOUT_VERSION 1

/* Who owns the slot. Guarded by `lock`, as a timer cell is by its own. */
struct tr2_control {
	uint32_t version, compat_version;
	uint32_t lock; /* odd while what follows is being changed */
	uint32_t state; /* enum tr2_slot_state */
	uint32_t tid, ptid;
	char name[64];
	uint64_t start_ns; /* monotonic */
};

/*
 * Guarded by the sequence lock: `lock` is odd while the owner writes. A reader
 * takes lock, the fields, and lock again, until it got the same even number.
 */
struct tr2_timer_cell {
	uint32_t lock;
	uint32_t nest; /* starts without a stop so far */
	uint64_t start_ns; /* of the outermost one, monotonic */
	uint64_t total_ns, min_ns, max_ns; /* min: meaningless at count 0 */
	uint64_t count;
	uint64_t unpaired; /* stops without a start, folded unfinished ones */
	uint64_t reserved;
};

struct tr2_slot {
	union {
		struct tr2_control control;
		char control_page[4096];
	};
	uint64_t counter[TR2_MAX_COUNTERS];
	struct tr2_timer_cell timer[TR2_MAX_TIMERS];
	union {
		uint64_t bucket[TR2_HISTOGRAM_BUCKETS];
		char padding[8192];
	} histogram[TR2_MAX_HISTOGRAMS];
};

_Static_assert(sizeof(struct tr2_timer_cell) == 64, "one cache line");
_Static_assert(offsetof(struct tr2_control, name) == 24, "layout");
_Static_assert(offsetof(struct tr2_control, start_ns) == 88, "layout");
_Static_assert(offsetof(struct tr2_slot, counter) == 4096, "layout");
_Static_assert(offsetof(struct tr2_slot, timer) == 12288, "layout");
_Static_assert(offsetof(struct tr2_slot, histogram) == 45056, "layout");
_Static_assert(sizeof(struct tr2_slot) == 307200, "whole pages");

#endif
