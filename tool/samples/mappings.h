/* SPDX-License-Identifier: MIT */
/*
 * mappings - what lay at an address of a recorded process, and when.
 */
#ifndef TR2_SAMPLES_MAPPINGS_H
#define TR2_SAMPLES_MAPPINGS_H

#include "model/model.h"

struct tr2_mappings {
	const struct tr2_model *m;
	uint32_t *by_address; /* of each session; indexes into m->mappings */
	uint64_t *reach; /* how far those up to this one go at most */
	uint32_t nr;
};

/* false: no memory. */
bool tr2_mappings_init(struct tr2_mappings *maps, const struct tr2_model *m);
void tr2_mappings_release(struct tr2_mappings *maps);

/* The mapping that was there at that time; where none was seen by then, the
 * next one. 0: none. *always: at any other time the answer is the same. */
uint32_t tr2_mappings_find(const struct tr2_mappings *maps, uint32_t session,
			   uint64_t address, int64_t at_ns, bool *always);

/* Whether nothing was seen before at any address of it: then it may have been
 * there earlier than it was seen. */
bool tr2_mappings_is_first(const struct tr2_mappings *maps, uint32_t mapping);

#endif
