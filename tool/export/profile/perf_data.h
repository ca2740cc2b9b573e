/* SPDX-License-Identifier: MIT */
/*
 * perf_data - a perf.data file under construction: its records, and the data of
 * its header.
 */
#pragma once

#include "common/map.h"
#include "common/perf_file.h"
#include "export/export.h"
#include "model/model.h"
#include "samples/mappings.h"

#define TR2_PERF_MAX_EVENTS 1024

/* An event. A name that occurs in a group and outside of it makes two
 * events. */
struct tr2_perf_data_event {
	tr2_str name, leader; /* leader 0: not in a group */
	uint32_t group; /* the index of the leader; an event that leads or is in
			 * no group has its own index */
	uint64_t *ids; /* an id for each process */
	uint32_t nr_ids, alloc_ids;
	uint32_t session; /* the session of the last id in `ids` */
};

struct tr2_perf_data {
	struct tr2_buf records, build_ids;
	struct tr2_perf_data_event events[TR2_PERF_MAX_EVENTS];
	uint32_t nr_events;
	uint64_t last_id;
	struct tr2_map files; /* files whose build id was written */
	struct tr2_mappings mappings;
};

/* Return the fields in the samples of an event. */
uint64_t tr2_perf_sample_type(const struct tr2_perf_data_event *event);

/* Write the whole file to the sink. This empties p->records. */
void tr2_perf_data_write(struct tr2_export *x, struct tr2_perf_data *p);
