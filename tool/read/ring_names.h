/* SPDX-License-Identifier: MIT */
/*
 * ring_names - which thread had a kernel's thread id when: from the task
 * records of a ring, and from its slots where those were overwritten.
 */
#ifndef TR2_READ_RING_NAMES_H
#define TR2_READ_RING_NAMES_H

#include "common/map.h"
#include "read/ring_file.h"

struct tr2_ring_name {
	uint64_t since, until; /* ticks; 0: not seen */
	uint32_t tid;
	uint32_t task; /* for those who read samples */
	char text[64];
};

/* Zeroed is initialised. */
struct tr2_ring_names {
	struct tr2_ring_name *name;
	uint32_t nr, alloc;
	struct tr2_map latest; /* of a tid */
	uint32_t pid;
	char made_up[32];
};

/* Takes what a record says of names. false: no memory. */
bool tr2_ring_names_record(struct tr2_ring_names *n,
			   const struct tr2_record *record);
/* Once all records were seen: from here on names can be asked for. */
bool tr2_ring_names_sort(struct tr2_ring_names *n, struct tr2_ring_file *f);

/* The entry of a thread at that time, NULL: no record tells of it. */
struct tr2_ring_name *tr2_ring_names_find(struct tr2_ring_names *n,
					  uint32_t tid, uint64_t time);

/* What the thread is called; as_main: that spoke as the main one. Lasts until
 * the next call. */
const char *tr2_ring_names_of(struct tr2_ring_names *n, uint32_t tid,
			      uint64_t time, bool as_main);

void tr2_ring_names_reset(struct tr2_ring_names *n);
void tr2_ring_names_release(struct tr2_ring_names *n);

#endif
