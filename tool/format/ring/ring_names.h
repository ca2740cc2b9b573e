/* SPDX-License-Identifier: MIT */
/*
 * ring_names - map a thread id of the kernel and a time to the thread's name.
 * The names are in the task records of a ring, or in its slots if those records
 * were overwritten.
 */
#pragma once

#include <stdbool.h>

#include "common/map.h"
#include "format/ring/ring_file.h"
#include "model/parsed_event.h"

/*
 * The state of correcting the nesting of a thread's events; zeros: nothing is
 * known yet. A signal handler may interrupt its thread between the record of an
 * enter and the count of open regions: the nesting of the handler's events is
 * then one too small. If it interrupts a leave in the same way, the nesting is
 * one too large.
 */
struct tr2_ring_nesting {
	int64_t open; /* number of open regions by the records so far */
	/* The error in the nesting of a handler's events. may_be_off: the error
	 * if a handler interrupts now; off: the error in the present
	 * handler. */
	int may_be_off, off;
};

/*
 * Correct ev->nesting, which comes from the record. Call this for events in the
 * order of the ring. is_after_loss: records before this one were lost, so
 * ev->nesting is taken as correct.
 */
void tr2_ring_nesting_correct(struct tr2_ring_nesting *n, bool is_after_loss,
			      struct tr2_parsed_event *ev);

struct tr2_ring_name {
	uint64_t since, until; /* times in ticks; 0: unknown */
	uint32_t tid;
	uint32_t task; /* the thread's task, which the reader of samples sets */
	struct tr2_ring_nesting nesting; /* set by the reader of events */
	char text[64];
};

/* Initialize this with zeros. */
struct tr2_ring_names {
	struct tr2_ring_name *name;
	uint32_t nr, alloc;
	struct tr2_map latest; /* maps a tid to the index of its latest entry */
	uint32_t pid;
	char made_up[32];
};

/* Add the names in a task record. */
void tr2_ring_names_record(struct tr2_ring_names *n,
			   const struct tr2_record *record);
/* Sort the names after all records were added. Names can be looked up until
 * more records are added. */
void tr2_ring_names_sort(struct tr2_ring_names *n, struct tr2_ring_file *f);

/* Return the entry of a thread at a time; NULL: no record names the thread. */
struct tr2_ring_name *tr2_ring_names_find(struct tr2_ring_names *n,
					  uint32_t tid, uint64_t time);

/* Return the thread's name; as_main: the thread emitted in main's name. The
 * text is valid until the next call. */
const char *tr2_ring_names_of(struct tr2_ring_names *n, uint32_t tid,
			      uint64_t time, bool as_main);

void tr2_ring_names_reset(struct tr2_ring_names *n);
void tr2_ring_names_release(struct tr2_ring_names *n);
