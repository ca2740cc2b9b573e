/* SPDX-License-Identifier: MIT */
/*
 * mappings - find the mapping at an address of a recorded process at a given
 * time.
 */
#pragma once

#include "model/model.h"

struct tr2_mappings {
	const struct tr2_model *m;
	/* indexes into m->mappings, sorted by space and address */
	uint32_t *by_address;
	uint64_t *reach; /* by position in by_address: the largest end of the
			  * space's mappings up to this position */
	uint32_t nr;
};

void tr2_mappings_init(struct tr2_mappings *maps, const struct tr2_model *m);
void tr2_mappings_release(struct tr2_mappings *maps);

/* Return the mapping at that time (in the clock of the space's mappings). If
 * all mappings were recorded later, return the first one; 0: no mapping. Set
 * *always if the result is the same for any other time. */
uint32_t tr2_mappings_find(const struct tr2_mappings *maps, uint32_t space,
			   uint64_t address, int64_t at_ns, bool *always);

/* Return the time of a sample for tr2_mappings_find(). */
static inline int64_t
tr2_sample_time_in_space(const struct tr2_model *m,
			 const struct tr2_model_sample *sample)
{
	return sample->task_thread ?
		       sample->at_ns + m->sessions[sample->session].wall_ns :
		       sample->at_ns;
}

/* Was no other mapping at these addresses recorded earlier? Then the mapping
 * may have existed before its record. */
bool tr2_mappings_is_first(const struct tr2_mappings *maps, uint32_t mapping);
