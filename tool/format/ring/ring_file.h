/* SPDX-License-Identifier: MIT */
/*
 * ring_file - read the file of a ring
 * (Documentation/technical/ring-format.adoc). The process may run, or it may
 * have ended or been killed.
 *
 * The file is not trusted, and another process may change or truncate it at any
 * time. So the file is read, never mapped, every offset is checked against the
 * size, and callers get only copies. Reading does not disturb the process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/layout.h"
#include "ring/layout.h"

struct tr2_ring_file {
	int fd; /* descriptor of the file, owned by the caller */
	uint64_t size;
	struct tr2_arena_header header; /* copy of the header, from the last
					 * update */
	char *strings; /* copy of the strings, ended by a NUL */
	uint64_t strings_used;
	struct tr2_definition *definitions;
	uint32_t nr_definitions, nr_slots;
	/* The first problem of the file; "": none. */
	char problem[160];
	uint64_t problem_offset;
};

enum tr2_ring_is {
	TR2_RING_IS_GOOD,
	TR2_RING_IS_NONE,  /* another kind of file */
	TR2_RING_IS_BEGUN, /* an empty ring: the process died, or is still
			    * starting */
	TR2_RING_IS_NEWER, /* a newer format than this reader knows; see
			    * f->problem */
	TR2_RING_IS_DAMAGED, /* a damaged file; see f->problem */
	TR2_RING_IS_NO_MEMORY
};

/* Are these bytes the start of a ring's file? */
bool tr2_ring_file_looks(const char *start, size_t len);

/* Does the file begin like a ring's, even if its header is incomplete? */
bool tr2_ring_file_is(int fd);

/* Read header, strings and definitions. The caller owns fd, which must stay
 * open. */
enum tr2_ring_is tr2_ring_file_open(struct tr2_ring_file *f, int fd);
/* Read header, strings and definitions again, since the process may have
 * changed them. */
enum tr2_ring_is tr2_ring_file_update(struct tr2_ring_file *f);
/* Read the strings again: later records of a running process may need new ones.
 * Return false if memory is short. */
bool tr2_ring_file_update_strings(struct tr2_ring_file *f);
void tr2_ring_file_release(struct tr2_ring_file *f);

/* Return a string of the file, or "". */
const char *tr2_ring_file_string(const struct tr2_ring_file *f,
				 uint32_t offset);

/* Convert a record's time to nanoseconds of CLOCK_MONOTONIC. */
uint64_t tr2_ring_file_ns(const struct tr2_ring_file *f, uint64_t ticks);
/* Convert a record's time to nanoseconds since the session began: 0 to
 * TR2_MAX_AT_NS. */
int64_t tr2_ring_file_since_start(const struct tr2_ring_file *f,
				  uint64_t ticks);

/* Does the process that writes the file still run? */
bool tr2_ring_file_is_alive(const struct tr2_ring_file *f);

/* Read a consistent copy of a slot's control page. Return false if the page is
 * not in the file. */
bool tr2_ring_file_control(struct tr2_ring_file *f, uint32_t slot,
			   struct tr2_control *out);

/* Return the number of lost events and records. If the process did not exit,
 * add the number of timers and counters for whose names there was no room. */
uint64_t tr2_ring_file_lost(struct tr2_ring_file *f);

/* The position of a slot's ring; size 0: the slot has no ring. */
struct tr2_ring_place {
	uint64_t offset, size;
};
struct tr2_ring_place tr2_ring_file_place(struct tr2_ring_file *f,
					  uint32_t slot,
					  const struct tr2_control *control);

/* Consecutive records, copied from a ring. */
struct tr2_ring_records {
	uint8_t *p; /* from malloc(), aligned like records */
	size_t len;
	uint64_t position; /* of p[0] */
	uint64_t ring_size;
};

/*
 * Copy the records between tail and head of a slot, from position `from` on.
 * out->p is NULL if there are no records. Return false if memory is short.
 */
bool tr2_ring_file_records(struct tr2_ring_file *f, uint32_t slot,
			   uint64_t from, struct tr2_ring_records *out);

/*
 * Return the record at *at, and move *at after it; skip FILLERs. NULL: the end,
 * or invalid data if *bad is set.
 */
const struct tr2_record *tr2_ring_records_next(const struct tr2_ring_records *r,
					       size_t *at, bool *bad);

/* Read exactly len bytes of the file. Return false if that is impossible. */
bool tr2_ring_file_read(const struct tr2_ring_file *f, uint64_t offset,
			void *out, size_t len);
/* Return the offset of a slot. */
uint64_t tr2_ring_file_slot(const struct tr2_ring_file *f, uint32_t slot);

/* Return the path of the ring that a process writes, from malloc(). NULL: the
 * process has no ring, or its maps may not be read. */
char *tr2_ring_mapped(int32_t pid);

/*
 * `trace2 record --ring` takes records out of a process's rings while the
 * process runs. It writes pieces of records to a file beside the ring's file,
 * with the same name plus TR2_PIECES_SUFFIX. A piece is a struct tr2_piece and
 * `len` bytes, the records of slot `slot` from `position` on. The pieces of a
 * slot follow each other without a gap.
 */
#define TR2_PIECES_SUFFIX ".records"
#define TR2_PIECE_MAGIC 0x50325254u /* TR2P */

struct tr2_piece {
	uint32_t magic;
	uint32_t slot;
	uint64_t position;
	uint64_t len;	    /* bytes of the records after this struct, a
			     * multiple of 8 */
	uint64_t ring_size; /* size at which the slot's positions wrap */
};

_Static_assert(sizeof(struct tr2_piece) == 32, "layout");

/* Is this the name of a file of pieces, which is read together with its
 * ring? */
bool tr2_ring_is_pieces(const char *name);
