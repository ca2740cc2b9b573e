/* SPDX-License-Identifier: MIT */
/*
 * mappings - find the mapping at an address of a recorded process at some time.
 */
#pragma once

#include "model/model.h"

struct tr2_mappings {
	const struct tr2_model *m;
	/* sorted by space and address; indexes into m->mappings */
	uint32_t *by_address;
	uint64_t *reach; /* largest end of the mappings up to this one */
	uint32_t nr;
};

void tr2_mappings_init(struct tr2_mappings *maps, const struct tr2_model *m);
void tr2_mappings_release(struct tr2_mappings *maps);

/* Return the mapping at that time (as mappings of the space have it) or, if none
 * was recorded by then, the next one. 0: none. *always: the result is the same
 * for any other time. */
uint32_t tr2_mappings_find(const struct tr2_mappings *maps, uint32_t space,
			   uint64_t address, int64_t at_ns, bool *always);

/* Return the time of a sample as tr2_mappings_find() expects it. */
static inline int64_t
tr2_sample_time_in_space(const struct tr2_model *m,
			 const struct tr2_model_sample *sample)
{
	return sample->task_thread ?
		       sample->at_ns + m->sessions[sample->session].wall_ns :
		       sample->at_ns;
}

/* Was no mapping recorded before at any of its addresses? Then it may have
 * existed earlier than its record. */
bool tr2_mappings_is_first(const struct tr2_mappings *maps, uint32_t mapping);
