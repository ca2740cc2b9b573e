/* SPDX-License-Identifier: MIT */
/*
 * ring_file - a ring's file (Documentation/technical/ring-format.adoc) of a
 * process that runs, has ended or was killed, as a reader sees it.
 *
 * The file is not trusted, and another process may change or cut it at any
 * time: it is read, never mapped, every offset is checked against its size, and
 * whatever is handed out is a copy. Nothing in the process is disturbed.
 */
#ifndef TR2_READ_RING_FILE_H
#define TR2_READ_RING_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/layout.h"
#include "ring/layout.h"

struct tr2_ring_file {
	int fd; /* the caller's */
	uint64_t size;
	struct tr2_arena_header header; /* as of the last update */
	char *strings; /* ends with a NUL */
	uint64_t strings_used;
	struct tr2_definition *definitions;
	uint32_t nr_definitions, nr_slots;
	/* What is wrong with it, the first of it; "" when nothing is. */
	char problem[160];
	uint64_t problem_offset;
};

enum tr2_ring_is {
	TR2_RING_IS_GOOD,
	TR2_RING_IS_NONE,  /* another kind of file */
	TR2_RING_IS_BEGUN, /* its process died, or is, before anything was in
			      it */
	TR2_RING_IS_NEWER, /* than this reader: f->problem says it */
	TR2_RING_IS_DAMAGED, /* f->problem says how */
	TR2_RING_IS_NO_MEMORY
};

/* Whether bytes from the start of a file are a ring's. */
bool tr2_ring_file_looks(const char *start, size_t len);

/* Whether a file begins as a ring's does, one that is not finished too. */
bool tr2_ring_file_is(int fd);

/* Reads header, strings and definitions. fd stays the caller's. */
enum tr2_ring_is tr2_ring_file_open(struct tr2_ring_file *f, int fd);
/* The same anew: what the process did since. */
enum tr2_ring_is tr2_ring_file_update(struct tr2_ring_file *f);
void tr2_ring_file_release(struct tr2_ring_file *f);

/* A string of the file, "" where there is none. */
const char *tr2_ring_file_string(const struct tr2_ring_file *f,
				 uint32_t offset);

/* CLOCK_MONOTONIC nanoseconds of a record's time. */
uint64_t tr2_ring_file_ns(const struct tr2_ring_file *f, uint64_t ticks);
/* Nanoseconds since the session began: from 0 to TR2_MAX_AT_NS. */
int64_t tr2_ring_file_since_start(const struct tr2_ring_file *f,
				  uint64_t ticks);

/* Whether the process that writes it is there. */
bool tr2_ring_file_is_alive(const struct tr2_ring_file *f);

/* Notes what is wrong, unless something is noted already. */
void tr2_ring_file_problem(struct tr2_ring_file *f, uint64_t offset,
			   const char *text);

/* A slot's control page, whole and of one moment. false: it is not there. */
bool tr2_ring_file_control(struct tr2_ring_file *f, uint32_t slot,
			   struct tr2_control *out);

/* Where the ring of a slot is; size 0: it has none. */
struct tr2_ring_place {
	uint64_t offset, size;
};
struct tr2_ring_place tr2_ring_file_place(struct tr2_ring_file *f,
					  uint32_t slot,
					  const struct tr2_control *control);

/* Records that were copied out of a ring, one behind the other. */
struct tr2_ring_records {
	uint8_t *p; /* malloc()ed; aligned as records are */
	size_t len;
	uint64_t position; /* of p[0] */
	uint64_t ring_size;
};

/*
 * What lies between tail and head of a slot. `from`: nothing before this
 * position is wanted. out->p is NULL when there is nothing. false: no memory.
 */
bool tr2_ring_file_records(struct tr2_ring_file *f, uint32_t slot,
			   uint64_t from, struct tr2_ring_records *out);

/*
 * The record at *at, and *at moved behind it; FILLERs are passed over. NULL at
 * the end, or where what follows is no record: then *bad is set.
 */
const struct tr2_record *tr2_ring_records_next(const struct tr2_ring_records *r,
					       size_t *at, bool *bad);

/* len bytes of the file, all of them or none. */
bool tr2_ring_file_read(const struct tr2_ring_file *f, uint64_t offset,
			void *out, size_t len);
/* Where a slot begins. */
uint64_t tr2_ring_file_slot(const struct tr2_ring_file *f, uint32_t slot);

#endif
