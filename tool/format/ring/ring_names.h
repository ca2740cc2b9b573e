/* SPDX-License-Identifier: MIT */
/*
 * ring_names - map a kernel's thread id at some time to the thread's name, from
 * the task records of a ring, and from its slots if those were overwritten.
 */
#pragma once

#include <stdbool.h>

#include "common/map.h"
#include "format/ring/ring_file.h"
#include "model/parsed_event.h"

/*
 * Corrects the nesting of a thread's events by their order. A signal handler
 * may interrupt its thread between the record of an enter and the count of open
 * regions: its events then say one less than is open. With a leave, they say
 * one more. Zeroed means that nothing is known.
 */
struct tr2_ring_nesting {
	int64_t open; /* regions, by the records so far */
	/* How much more than is open an interrupting handler's events would
	 * say, and those of the present one do. */
	int may_be_off, off;
};

/*
 * Correct ev->nesting, which the record has. Call it in the order of the ring.
 * is_behind_loss: records before it were lost, so that it is right.
 */
void tr2_ring_nesting_correct(struct tr2_ring_nesting *n, bool is_behind_loss,
			      struct tr2_parsed_event *ev);

struct tr2_ring_name {
	uint64_t since, until; /* ticks; 0: unknown */
	uint32_t tid;
	uint32_t task; /* set by the reader of samples */
	struct tr2_ring_nesting nesting; /* set by the reader of events */
	char text[64];
};

/* Zeroed means initialised. */
struct tr2_ring_names {
	struct tr2_ring_name *name;
	uint32_t nr, alloc;
	struct tr2_map latest; /* index of the latest entry of a tid */
	uint32_t pid;
	char made_up[32];
};

/* Take the names in a task record. */
void tr2_ring_names_record(struct tr2_ring_names *n,
			   const struct tr2_record *record);
/* Call it after the records; until others are taken, names can be looked up. */
void tr2_ring_names_sort(struct tr2_ring_names *n, struct tr2_ring_file *f);

/* Return the entry of a thread at that time; NULL: no record has it. */
struct tr2_ring_name *tr2_ring_names_find(struct tr2_ring_names *n,
					  uint32_t tid, uint64_t time);

/* Return the thread's name; as_main: it wrote as the main thread. Valid until
 * the next call. */
const char *tr2_ring_names_of(struct tr2_ring_names *n, uint32_t tid,
			      uint64_t time, bool as_main);

void tr2_ring_names_reset(struct tr2_ring_names *n);
void tr2_ring_names_release(struct tr2_ring_names *n);
