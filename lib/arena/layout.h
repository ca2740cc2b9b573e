/* SPDX-License-Identifier: MIT */
/*
 * layout - where things lie in an arena: a block of private memory, or a file
 * that other processes map (see Documentation/technical/ring-format.adoc).
 * Shared with those readers, hence only fixed widths, offsets held by
 * assertions, and the choice of a value's bucket. Numbers are little-endian.
 *
 *	file    +--------------------------------------+ 0
 *	        | header (struct tr2_arena_header)     |
 *	        +--------------------------------------+ 4096
 *	        | strings: NUL-terminated, the first   |
 *	        | one empty, and rows of sites;        |
 *	        | append-only                          |
 *	        +--------------------------------------+ 131072
 *	        | definitions, 32 bytes each           |
 *	        +--------------------------------------+ 188416
 *	        | gauges, one cache line each          |
 *	        +--------------------------------------+ 196608
 *	        | slot 0: the sums of ended threads,   |
 *	        | and the ring of the task records     |
 *	        +--------------------------------------+ + slot_size
 *	        | slot 1: a thread's                   |
 *	        +--------------------------------------+ + slot_size
 *	        | …                                    |
 *
 *	slot    +--------------------------------------+ 0
 *	        | control page (struct tr2_control)    |
 *	        +--------------------------------------+ 4096
 *	        | counter cells, 8 bytes each          |
 *	        +--------------------------------------+ 12288
 *	        | cells of timers and distributions,   |
 *	        | one cache line each                  |
 *	        +--------------------------------------+ 45056
 *	        | histograms, TR2_HISTOGRAM_BUCKETS    |
 *	        | cells of 8 bytes each, padded        |
 *	        +--------------------------------------+ 569344
 *	        | in a file, at data_offset: the ring, |
 *	        | data_size bytes (a power of two)     |
 *	        +--------------------------------------+ slot_size
 *
 * Private memory has no header, strings, definitions or rings. A slot belongs
 * to one live thread; its memory is used again after the thread has ended. A
 * cell is written by its owner alone, with relaxed atomic stores, and may be
 * read by any thread. Untouched pages cost no memory, and in a file no space:
 * it has holes there.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arena/kinds.h"

#define TR2_MAX_COUNTERS 1024
#define TR2_MAX_TIMERS 512
#define TR2_MAX_HISTOGRAMS 64
#define TR2_MAX_GAUGES 128
#define TR2_MAX_SLOTS 256

/*
 * Log-linear buckets: values below 16 have one each; every power of two above
 * is divided into 16, so that a bucket's width is at most 1/16 of its lower
 * bound.
 */
#define TR2_HISTOGRAM_BUCKETS 976

/* Return the bucket of a value. */
static inline unsigned int tr2_histogram_bucket(uint64_t ns)
{
	unsigned int power;

	if (ns < 16)
		return (unsigned int)ns;
	power = 63 - (unsigned int)__builtin_clzll(ns);
	return (power - 3) * 16 + (unsigned int)(ns >> (power - 4) & 15);
}

/* Return the largest value of a bucket. */
static inline uint64_t tr2_histogram_upper(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 16)
		return bucket;
	shift = bucket / 16 - 1;
	/* Subtract one from the next bucket's lower bound. For the last bucket,
	 * the sum wraps to 0, and the result is the maximum. */
	return ((16u + bucket % 16 + UINT64_C(1)) << shift) - 1;
}

/* The version of this layout, and the version of the oldest reader that can
 * read it. */
#define TR2_LAYOUT_VERSION 1
#define TR2_LAYOUT_COMPAT_VERSION 1

#define TR2_ARENA_MAGIC "TRACE2AR" /* a magic of 8 bytes, without NUL */
#define TR2_ARENA_BYTE_ORDER 0x01020304u

#define TR2_STRINGS_OFFSET 4096u
#define TR2_STRINGS_SIZE 126976u
#define TR2_DEFINITIONS_OFFSET 131072u
#define TR2_MAX_DEFINITIONS \
	(TR2_MAX_TIMERS + TR2_MAX_COUNTERS + TR2_MAX_GAUGES)
#define TR2_GAUGES_OFFSET 188416u
#define TR2_SLOTS_OFFSET 196608u

enum tr2_arena_state {
	TR2_ARENA_STARTING, /* the magic is not written yet */
	TR2_ARENA_RUNNING, /* the process runs, or was killed */
	TR2_ARENA_EXITED, /* with status */
	TR2_ARENA_SIGNALLED /* ended by signal number `status` */
};

enum tr2_ring_mode {
	TR2_RING_OVERWRITE, /* keep the newest records */
	TR2_RING_CONSUME /* a reader moves the tail */
};

/* The reasons why records are missing. A ring counts the first four causes; a
 * process counts all of them. */
enum tr2_lost_cause {
	TR2_LOST_NO_ROOM, /* records for which a slow reader left no room */
	TR2_LOST_TOO_LARGE, /* records larger than a quarter of the ring */
	TR2_LOST_NESTED, /* records of signal handlers that were nested too
			  * deep */
	TR2_LOST_ABANDONED, /* records that were abandoned: a handler jumped out
			     * of their write */
	TR2_LOST_NO_SLOT, /* records of threads that got no ring */
	TR2_LOST_NO_SPACE, /* slots for which the disk had no room */
	TR2_LOST_DEFINITION, /* timers and counters for whose names there was no
			      * room */
	TR2_LOST_CAUSES
};
#define TR2_MAX_LOST_CAUSES 16 /* array size; readers add up unknown causes,
			        * too */

struct tr2_arena_header {
	char magic[8]; /* written last, with release order */
	uint32_t version, compat_version;
	uint32_t byte_order;
	uint32_t header_size; /* size of struct tr2_arena_header */
	uint32_t page_size; /* page size of the machine */
	uint32_t state; /* enum tr2_arena_state; stored with release order after
			 * `status` */
	uint32_t status;
	uint32_t pid, ppid; /* in the PID namespace of the process */
	uint32_t mode; /* a value of enum tr2_ring_mode */
	uint64_t start_ns, start_wall_ns; /* the start by the monotonic clock
					   * and by the wall clock */
	/*
	 * Times in records are ticks:
	 * ns = base_ns + ((ticks - base_ticks) * mult >> shift), in 128 bits.
	 */
	uint64_t clock_base_ticks, clock_base_ns;
	uint32_t clock_mult, clock_shift;
	uint32_t sid; /* offset of the string with the whole session id */
	int32_t wake_fd; /* the process's descriptor of the read end of a pipe;
			  * -1: none */
	uint64_t strings_offset, strings_size;
	uint64_t strings_used; /* stored with release order after the strings */
	uint64_t definitions_offset;
	uint32_t definition_size, max_definitions;
	uint32_t nr_definitions; /* stored with release order after the rows */
	uint32_t max_slots;
	uint64_t slots_offset, slot_size;
	/* The number of slots that have memory. It is stored with release order
	 * after the control page of each slot. */
	uint32_t nr_slots;
	uint32_t timer_size; /* of one cell */
	/* In a slot: */
	uint64_t counters_offset, timers_offset, histograms_offset;
	uint32_t max_counters, max_timers, max_histograms;
	uint32_t histogram_size; /* bytes from one histogram to the next */
	uint32_t histogram_buckets;
	uint32_t reserved_1;
	uint64_t data_offset, data_size; /* size 0: no rings */
	/* The settings of new slots: */
	uint32_t wakeup_events, wakeup_watermark;
	/*
	 * Odd while an ended thread's cells move into slot 0. A reader that
	 * adds up all slots starts again if fold_lock is odd or has changed.
	 */
	uint32_t fold_lock;
	uint32_t reserved_2;
	uint64_t lost[TR2_MAX_LOST_CAUSES]; /* records lost outside of rings, by
					     * cause */
	/*
	 * The inode of wake_fd's pipe, because wake_fd may be the number of
	 * another file by now.
	 */
	uint64_t wake_inode;
	/* Offset 384: in older files the header ends here. */
	uint64_t gauges_offset;
	uint32_t max_gauges, gauge_size; /* size of one cell */
};

/* The object to which a value belongs. */
enum tr2_definition_scope {
	TR2_SCOPE_THREAD,
	TR2_SCOPE_PROCESS,
	TR2_SCOPE_PACKAGE
};

struct tr2_definition {
	uint16_t kind; /* enum tr2_definition_kind */
	uint16_t scope; /* enum tr2_definition_scope */
	uint32_t flags; /* TRACE2_PER_THREAD 1, TRACE2_HISTOGRAM 2 */
	uint32_t index; /* index of the cell, among the cells of this kind */
	uint32_t category, name, unit; /* offsets of strings */
	uint32_t histogram; /* number of the histogram + 1; 0: no histogram */
	uint32_t reserved;
};

/* A place in the program that emits events. Its row lies among the strings. */
struct tr2_site_row {
	uint32_t line;
	uint32_t file, category, name; /* offsets of strings */
};

enum tr2_slot_state {
	TR2_SLOT_FREE, /* no thread has owned the slot yet */
	TR2_SLOT_LIVE,
	TR2_SLOT_ENDED /* the owner has ended; the slot is free for the next
			* thread */
};

/* Positions start a lap below 2^32, so that wrap errors show early. */
#define TR2_RING_START(data_size) (UINT64_C(0x100000000) - (data_size))
#define TR2_RING_MIN_SIZE 4096u
#define TR2_RING_MAX_SIZE (UINT64_C(1) << 30)
#define TR2_RING_MARKS 64 /* a ring is divided into this number of parts */

struct tr2_control {
	/* The thread that owns the slot. Guarded by `lock`, as a timer cell
	 * is. */
	uint32_t version, compat_version;
	uint32_t lock; /* odd during a change of the following members */
	uint32_t state; /* enum tr2_slot_state */
	uint32_t tid, ptid;
	char name[64];
	uint64_t start_ns; /* monotonic */
	/* The members of the ring. They are set once, before nr_slots includes
	 * the slot. */
	uint32_t mode; /* enum tr2_ring_mode */
	uint32_t reserved_1;
	/* data_offset counts from the start of the slot. data_size 0: no
	 * ring. */
	uint64_t data_offset, data_size;
	/* Written by the owner: the number of bytes of the ring that have space
	 * on the disk. */
	uint64_t backed;
	/*
	 * Offset 128: written by the owner. Positions only grow; the byte of
	 * position p lies at data_offset + p % data_size.
	 */
	uint64_t data_head; /* stored with release order: earlier records are
			     * complete */
	uint64_t reserved; /* end of the records after data_head */
	uint64_t announced_at; /* position of an announced record */
	/* One store writes both members, so that no handler can interrupt in
	 * between. */
	union {
		struct {
			uint16_t nest; /* writes in progress: see ring/ring.h */
			/* The address of the outermost write's mark, in units
			 * of 8: see base/call_mark.h. */
			uint16_t inside[3];
		};
		uint64_t nest_and_inside;
	};
	uint64_t overwritten; /* number of records that a flight recorder has
			       * overwritten */
	uint64_t written; /* number of records before data_head */
	uint32_t pending; /* number of nested records after data_head */
	uint32_t wake_records; /* number of records since the last wake-up */
	uint64_t room_until; /* before this position the owner need not check
			      * for room */
	/* 192 */
	uint64_t lost[TR2_MAX_LOST_CAUSES]; /* lost records, by cause */
	/*
	 * Offset 320: written by the reader. In overwrite mode the owner writes
	 * data_tail, which is the position of the oldest record.
	 */
	uint64_t data_tail; /* release */
	uint32_t sleepers; /* TR2_SLEEPS_… of waiting readers */
	uint32_t wakeup_events; /* wake after this many records; 0: any
				 * number */
	/* Wake after this many bytes; 0: half of the ring. */
	uint32_t wakeup_watermark;
	uint32_t reserved_3[11];
	/* 384 */
	uint32_t wake; /* the futex: incremented at each wake-up */
	uint32_t reserved_4;
	/* Written by the owner: */
	uint64_t wake_head; /* data_head of the last wake-up */
	uint32_t placed; /* number of records between data_head and
			  * `reserved` */
	uint32_t reserved_6[11];
	/* 448 */
	uint64_t reported[TR2_MAX_LOST_CAUSES]; /* the part of lost[] that LOST
						 * records report */
	/*
	 * Offset 576: to convert the ticks of running timers: ns = clock_ns +
	 * ((ticks - clock_ticks) * clock_rate >> 32).
	 */
	uint32_t clock_lock; /* odd during a change of the following members */
	uint32_t reserved_5;
	uint64_t clock_ticks, clock_ns, clock_rate;
	/* offset 608: written by the owner */
	uint64_t unreported; /* number of losses that no LOST record has
			      * reported yet */
	uint64_t reserved_7[3];
	/* Offset 640: for each part of the ring, one record that begins in
	 * it. */
	struct {
		uint64_t at; /* the record's position; 0: no record */
		uint64_t nr; /* the number of records before this record */
	} mark[TR2_RING_MARKS];
};

#define TR2_SLEEPS_FUTEX 1u /* on `wake` */
#define TR2_SLEEPS_POLL 2u /* the bit of a reader that polls the pipe of
			    * wake_fd */

/*
 * `lock` is a sequence lock: it is odd while the owner writes. A reader reads
 * lock, the fields, and lock again, until both reads of lock give the same even
 * number. A start does not change `lock`: the owner stores `start` before
 * `nest`, and a reader loads `nest` before `start`. Inline timers write cells,
 * too (see trace2_metric.h).
 */
struct tr2_timer_cell {
	uint32_t lock;
	uint32_t nest; /* number of starts without a stop, and the bit
			* TR2_NEST_NS */
	uint64_t start; /* the outermost start: ticks, or monotonic ns */
	uint64_t total_ns, min_ns, max_ns; /* min: undefined if count is 0 */
	uint64_t count;
	uint64_t unpaired; /* number of stops without a start, plus intervals
			    * that were open when their threads ended */
	uint64_t reserved;
};

/*
 * The cell of a gauge. A gauge belongs to the process, so that any thread
 * writes the cell, and no slot contains it. A reader that comes between a
 * writer's stores may see `last` outside of `low` and `high`.
 */
struct tr2_gauge_cell {
	int64_t last;
	/* Codes of the greatest value and, complemented, of the least one; both
	 * are 0 if the gauge was never set. The codes only grow. */
	uint64_t high, low;
	uint64_t reserved[5];
};

/* Return the code of a value. Codes are ordered as the values are. */
static inline uint64_t tr2_gauge_code(int64_t value)
{
	return (uint64_t)value ^ UINT64_C(1) << 63;
}

static inline int64_t tr2_gauge_value(uint64_t code)
{
	return (int64_t)(code ^ UINT64_C(1) << 63);
}

#define TR2_NEST_NS (1u << 31) /* a bit of `nest`: `start` is in ns */
#define TR2_NEST_BUSY UINT32_MAX /* value of `nest` while an interval is being
				  * added; lock is odd */

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

#define TR2_AT(type, field, offset) \
	_Static_assert(offsetof(struct type, field) == (offset), "layout")

TR2_AT(tr2_arena_header, byte_order, 16);
TR2_AT(tr2_arena_header, state, 28);
TR2_AT(tr2_arena_header, start_ns, 48);
TR2_AT(tr2_arena_header, clock_base_ticks, 64);
TR2_AT(tr2_arena_header, sid, 88);
TR2_AT(tr2_arena_header, strings_offset, 96);
TR2_AT(tr2_arena_header, definitions_offset, 120);
TR2_AT(tr2_arena_header, max_slots, 140);
TR2_AT(tr2_arena_header, slots_offset, 144);
TR2_AT(tr2_arena_header, nr_slots, 160);
TR2_AT(tr2_arena_header, counters_offset, 168);
TR2_AT(tr2_arena_header, max_counters, 192);
TR2_AT(tr2_arena_header, data_offset, 216);
TR2_AT(tr2_arena_header, fold_lock, 240);
TR2_AT(tr2_arena_header, lost, 248);
TR2_AT(tr2_arena_header, wake_inode, 376);
TR2_AT(tr2_arena_header, gauges_offset, 384);
_Static_assert(sizeof(struct tr2_arena_header) == 400, "layout");

_Static_assert(sizeof(struct tr2_definition) == 32, "layout");
TR2_AT(tr2_definition, category, 12);
_Static_assert(TR2_DEFINITIONS_OFFSET ==
		       TR2_STRINGS_OFFSET + TR2_STRINGS_SIZE, "layout");
_Static_assert(TR2_DEFINITIONS_OFFSET + 32 * TR2_MAX_DEFINITIONS <=
		       TR2_GAUGES_OFFSET, "layout");
_Static_assert(TR2_GAUGES_OFFSET + 64 * TR2_MAX_GAUGES == TR2_SLOTS_OFFSET,
	       "layout");
_Static_assert(sizeof(struct tr2_gauge_cell) == 64, "one cache line");
_Static_assert(TR2_SLOTS_OFFSET % 65536 == 0, "whole pages of any machine");

TR2_AT(tr2_control, name, 24);
TR2_AT(tr2_control, start_ns, 88);
TR2_AT(tr2_control, data_offset, 104);
TR2_AT(tr2_control, backed, 120);
TR2_AT(tr2_control, data_head, 128);
TR2_AT(tr2_control, nest, 152);
TR2_AT(tr2_control, room_until, 184);
TR2_AT(tr2_control, lost, 192);
TR2_AT(tr2_control, data_tail, 320);
TR2_AT(tr2_control, wake, 384);
TR2_AT(tr2_control, reported, 448);
TR2_AT(tr2_control, clock_lock, 576);
_Static_assert(sizeof(struct tr2_control) == 1664, "layout");

_Static_assert(sizeof(struct tr2_timer_cell) == 64, "one cache line");
TR2_AT(tr2_slot, counter, 4096);
TR2_AT(tr2_slot, timer, 12288);
TR2_AT(tr2_slot, histogram, 45056);
_Static_assert(sizeof(struct tr2_slot) == 569344, "whole pages");
