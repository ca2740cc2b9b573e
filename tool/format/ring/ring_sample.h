/* SPDX-License-Identifier: MIT */
/*
 * ring_sample - add samples and mappings of a ring to the model.
 */
#pragma once

#include "common/map.h"
#include "format/ring/ring_file.h"
#include "format/ring/ring_names.h"
#include "model/model.h"

/* Lookups for the samples of one file. Initialize this with zeros. */
struct tr2_ring_samples {
	struct tr2_map events; /* maps the id of an event to its name */
	struct tr2_map times; /* ids of events that count ns */
	struct tr2_map tasks; /* tasks of threads without a name in the
			       * records */
	bool has_events;
};

bool tr2_ring_is_sample(const struct tr2_record *record);

/* Add a sample. Leave out calls and values that reach past the record's end. */
void tr2_ring_sample(struct tr2_ring_samples *s, struct tr2_model *m,
		     const struct tr2_ring_file *f, struct tr2_ring_names *n,
		     uint32_t session, const struct tr2_record_sample *record);

/* Forget the lookups of this file. */
void tr2_ring_samples_reset(struct tr2_ring_samples *s);

/* Recognise and add MMAP and MMAP2 records. A record that is too short is
 * skipped. */
bool tr2_ring_is_mapping(const struct tr2_record *record);
void tr2_ring_mapping(struct tr2_model *m, const struct tr2_ring_file *f,
		      uint32_t session, const struct tr2_record *record);
