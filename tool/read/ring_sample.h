/* SPDX-License-Identifier: MIT */
/*
 * ring_sample - samples and mappings of a ring into the model.
 */
#ifndef TR2_READ_RING_SAMPLE_H
#define TR2_READ_RING_SAMPLE_H

#include "model/model.h"
#include "read/ring_file.h"

bool tr2_ring_is_sample(const struct tr2_record *record);

/* s has its session, thread and time. Calls that the record has no room for are
 * left out. false: no memory. */
bool tr2_ring_sample(struct tr2_model *m, const struct tr2_ring_file *f,
		     const struct tr2_record_sample *record,
		     struct tr2_sample *s);

/* A record that is too short is passed over. false: no memory. */
bool tr2_ring_mapping(struct tr2_model *m, uint32_t session,
		      const struct tr2_record *record);

#endif
