/* SPDX-License-Identifier: MIT */
/*
 * ring_sample - samples and mappings of a ring into the model.
 */
#ifndef TR2_READ_RING_SAMPLE_H
#define TR2_READ_RING_SAMPLE_H

#include "common/map.h"
#include "model/model.h"
#include "read/ring_file.h"
#include "read/ring_names.h"

/* What was looked up for the samples of one file. Zeroed is initialised. */
struct tr2_ring_samples {
	struct tr2_map events; /* names of the ids, but for 0 */
	struct tr2_map times; /* those that count ns */
	struct tr2_map tasks; /* of threads that no record tells of */
	bool has_events;
};

bool tr2_ring_is_sample(const struct tr2_record *record);

/* Calls and values that the record has no room for are left out. false: no
 * memory. */
bool tr2_ring_sample(struct tr2_ring_samples *s, struct tr2_model *m,
		     const struct tr2_ring_file *f, struct tr2_ring_names *n,
		     uint32_t session, const struct tr2_record_sample *record);

/* Forgets the file. */
void tr2_ring_samples_reset(struct tr2_ring_samples *s);

/* MMAP and MMAP2. A record that is too short is passed over. false: no memory. */
bool tr2_ring_is_mapping(const struct tr2_record *record);
bool tr2_ring_mapping(struct tr2_model *m, const struct tr2_ring_file *f,
		      uint32_t session, const struct tr2_record *record);

#endif
