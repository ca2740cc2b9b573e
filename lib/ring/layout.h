/* SPDX-License-Identifier: MIT */
/*
 * layout - the records of a ring. Shared with readers in other processes, hence
 * only fixed widths, and offsets held by assertions. The headers and the
 * numbers below 0x54320000 are those of Linux's perf events, so that one reader
 * serves both. Numbers are little-endian.
 *
 *	ring    +-----------------+ data_tail: the oldest record
 *	        | record          | begin and size of each are multiples of 8;
 *	        | record          | none wraps: a FILLER closes the end of
 *	        | …               | the buffer
 *	        +-----------------+ data_head: complete up to here
 *
 *	record  +--------+------+------+
 *	        | type   | misc | size | size: of all, this header included
 *	        +--------+------+------+ 8
 *	        | by type              |
 *	        +----------------------+ size
 *
 *	event   +--------+------+------+ 0   type 0x54320000 + kind
 *	        | header               |
 *	        +----------------------+ 8
 *	        | time                 |     ticks, as the arena's header says
 *	        +-----------+----------+ 16
 *	        | tid       | line     |
 *	        +-----------+----------+ 24
 *	        | repo_id   | nesting  |
 *	        +-----------+----------+ 32
 *	        | file                 |     a string
 *	        | fields of the event  |     order: lib/event/events.def
 *	        | zeros                |     up to a multiple of 8
 *	        +----------------------+ size
 *
 *	event	+--------+------+------+ 0   type 0x54330000 + kind, or
 *	of a	| header               |     0x54350000 + kind: numbers
 *	site	|                      |     for texts; misc: flags, and
 *		|                      |     from bit 2 the nesting
 *		+----------------------+ 8
 *		| time                 |
 *		+-----------+----------+ 16
 *		| tid       | site     |     offset of a struct tr2_site_row
 *		+-----------+----------+ 24
 *		| fields               |     except those with OPT or SITE
 *		| zeros                |
 *		+----------------------+ size
 *
 * kind is the event's place in events.def, from 0. An event of a site has the
 * file, the line and the SITE fields of its row, no repo_id, and no other OPT
 * fields. Nothing after the heads is aligned. The bytes of a field of each
 * type:
 *	STR of a number	u64, two's complement: the text is the number in decimal
 *	STR, JSON	u16 length, that many bytes; a length of 0xffff: absent
 *	INT, UINT, BOOL	u64 (INT: two's complement); 0 in an OPT field: absent
 *	SECONDS, T_REL	u64 nanoseconds
 *	ARGV		u16 count, that many strings; a count of 0xffff: absent
 *	HISTOGRAM	u16 count, that many pairs of u64: upper_ns, count
 *	T_ABS, NESTING	no bytes: time less the arena's start_ns; `nesting`
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum tr2_record_type {
	TR2_RECORD_LOST = 2,
	TR2_RECORD_COMM = 3, /* the name of a thread */
	TR2_RECORD_EXIT = 4,
	TR2_RECORD_FORK = 7,
	TR2_RECORD_READ = 8,
	TR2_RECORD_SAMPLE = 9,
	TR2_RECORD_MMAP2 = 10 /* an executable mapping */
};

#define TR2_RECORD_EVENT 0x54320000u
#define TR2_RECORD_SITE_EVENT 0x54330000u
#define TR2_RECORD_SPAN_START 0x54340000u
#define TR2_RECORD_SPAN_END 0x54340001u
#define TR2_RECORD_TRACE 0x54340002u /* trace of the session, in slot 0 */
#define TR2_RECORD_SITE_NUMBER 0x54350000u
#define TR2_RECORD_FILLER 0x5432ffffu /* no record: skip it */

/* Flags in misc of an event. */
#define TR2_MISC_CUT 1u /* strings were cut or left out to fit */
#define TR2_MISC_MAIN 2u /* emitted in the name of the session's main thread */
/* In an event of a site, the other bits of misc contain the nesting. */
#define TR2_MISC_NESTING_SHIFT 2
#define TR2_MISC_NESTING_MAX (0xffffu >> TR2_MISC_NESTING_SHIFT)
/* Flag in misc of a MMAP2. */
#define TR2_MISC_BUILD_ID 0x4000u
#define TR2_RECORD_BUILD_ID_MAX 20

#define TR2_RECORD_MAX 65528u /* the largest size of a record */
#define TR2_RECORD_ALIGN 8u
#define TR2_RECORD_ABSENT 0xffffu
#define TR2_RECORD_STRING_MAX 0xfffeu

struct tr2_record {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

struct tr2_record_event {
	struct tr2_record head;
	uint64_t time;
	uint32_t tid, line;
	uint32_t repo_id; /* 0: no repository; UINT32_MAX: without an id */
	uint32_t nesting; /* 1 + the number of open regions */
};

struct tr2_record_site_event {
	struct tr2_record head;
	uint64_t time;
	uint32_t tid, site;
};

/*
 * The record of a SPAN_START, a SPAN_END or a TRACE. After it come the bytes of
 * the span (see event/span.h), and zeros up to a multiple of 8. SPAN_START has
 * only the span's names; TRACE has no bytes.
 */
struct tr2_record_span {
	struct tr2_record head;
	uint64_t time; /* time of the start, or of the end */
	uint32_t tid, flags; /* TR2_SPAN_DATA_... */
	uint64_t trace[2]; /* trace[0] is the high half */
	uint64_t id, parent; /* parent 0: none */
	uint64_t start_ns;
	uint32_t one_in, lost;
	uint32_t bytes, reserved; /* bytes: the number of bytes that follow */
};

/*
 * A MMAP2 in the kernel's layout, including the build id. The last 8 bytes,
 * after the file's name, are the time, as in a record with sample_id_all.
 */
struct tr2_record_mmap2 {
	struct tr2_record head; /* misc: TR2_MISC_BUILD_ID */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct { /* without a build id: the identity of the file */
			uint32_t dev_major, dev_minor;
			uint64_t inode, inode_generation;
		};
		struct {
			uint8_t build_id_size, reserved_1[3];
			uint8_t build_id[TR2_RECORD_BUILD_ID_MAX];
		};
	};
	uint32_t prot, flags; /* prot and flags of mmap() */
	char filename[]; /* ends with a NUL; more NULs pad it to a multiple of
			  * 8 */
};

struct tr2_record_lost {
	struct tr2_record head;
	uint64_t id; /* the cause: a value of enum tr2_lost_cause */
	uint64_t lost; /* records lost since the last LOST record of this
			* cause */
};

struct tr2_record_comm {
	struct tr2_record head;
	uint32_t pid, tid;
	char comm[]; /* ends with a NUL; more NULs pad it to a multiple of 8 */
};

struct tr2_record_task { /* FORK, EXIT */
	struct tr2_record head;
	uint32_t pid, ppid, tid, ptid; /* ptid 0: not known */
	uint64_t time;
};

/*
 * The kernel's layout for TR2_SAMPLE_TYPE and TR2_SAMPLE_READ_FORMAT. After the
 * struct come:
 *	u64 nr, { u64 value, id; } nr times	the event's group
 *	u64 nr, u64 ip[nr]	calls, the innermost first, all as return
 *				addresses; ip[0] is TR2_SAMPLE_CONTEXT_USER
 */
#define TR2_SAMPLE_TYPE 0x1f7u /* IP TID TIME READ CALLCHAIN ID CPU PERIOD */
#define TR2_SAMPLE_READ_FORMAT 0xcu /* ID GROUP */
#define TR2_SAMPLE_CONTEXT_USER (~UINT64_C(511)) /* -512 */
#define TR2_SAMPLE_MAX_VALUES (1 + 2 * 64) /* the most numbers that the group of
					    * a sample has */
#define TR2_MISC_USER 2u /* in misc of a sample: the sample is in the program's
			  * own code */

struct tr2_record_sample {
	struct tr2_record head;
	uint64_t ip; /* the first of the calls below; 0: unknown */
	uint32_t pid, tid;
	uint64_t time;
	uint64_t id; /* the id of the definition of kind TR2_DEFINITION_EVENT */
	uint32_t cpu, reserved;
	uint64_t period; /* the amount counted since the last sample */
};

_Static_assert(sizeof(struct tr2_record_sample) == 56, "layout");
_Static_assert(sizeof(struct tr2_record) == 8, "layout");
_Static_assert(offsetof(struct tr2_record, size) == 6, "layout");
_Static_assert(sizeof(struct tr2_record_event) == 32, "layout");
_Static_assert(sizeof(struct tr2_record_site_event) == 24, "layout");
_Static_assert(offsetof(struct tr2_record_site_event, site) == 20, "layout");
_Static_assert(sizeof(struct tr2_record_span) == 80, "layout");
_Static_assert(offsetof(struct tr2_record_span, one_in) == 64, "layout");
_Static_assert(offsetof(struct tr2_record_event, line) == 20, "layout");
_Static_assert(offsetof(struct tr2_record_mmap2, build_id) == 44, "layout");
_Static_assert(offsetof(struct tr2_record_mmap2, filename) == 72, "layout");
_Static_assert(sizeof(struct tr2_record_lost) == 24, "layout");
_Static_assert(offsetof(struct tr2_record_comm, comm) == 16, "layout");
_Static_assert(sizeof(struct tr2_record_task) == 32, "layout");
_Static_assert(offsetof(struct tr2_record_task, time) == 24, "layout");
