/* SPDX-License-Identifier: MIT */
/*
 * perf_data - a perf.data file in the making: its records, and what its header
 * says of them.
 */
#ifndef TR2_EXPORT_PERF_DATA_H
#define TR2_EXPORT_PERF_DATA_H

#include <linux/perf_event.h>

#include "common/map.h"
#include "export/export.h"
#include "model/model.h"
#include "samples/mappings.h"

#define TR2_PERF_MAX_EVENTS 1024

/* An event, which in a group is another one than alone. */
struct tr2_perf_data_event {
	tr2_str name, leader; /* leader 0: it is in no group */
	uint32_t group; /* its leader's place; its own one: it leads, or is
			   alone */
	uint64_t *ids; /* one a process */
	uint32_t nr_ids, alloc_ids;
	uint32_t session; /* that the last of them is for */
};

struct tr2_perf_data {
	struct tr2_buf records, build_ids;
	struct tr2_perf_data_event events[TR2_PERF_MAX_EVENTS];
	uint32_t nr_events;
	uint64_t last_id;
	struct tr2_map files; /* whose build id was told */
	struct tr2_mappings mappings;
};

static inline void tr2_perf_add_u32(struct tr2_buf *b, uint32_t value)
{
	tr2_buf_add(b, &value, sizeof(value));
}

static inline void tr2_perf_add_u64(struct tr2_buf *b, uint64_t value)
{
	tr2_buf_add(b, &value, sizeof(value));
}

/* Returns where the record begins, for tr2_perf_end_record(). */
size_t tr2_perf_begin_record(struct tr2_buf *b, uint32_t type, uint16_t misc);
void tr2_perf_end_record(struct tr2_buf *b, size_t at);
/* With its NUL, and more up to a multiple of 8; cut after `most`. */
void tr2_perf_add_padded(struct tr2_buf *b, const char *s, size_t most);

/* What the samples of an event hold. */
uint64_t tr2_perf_sample_type(const struct tr2_perf_data_event *event);

/* The whole file, into the sink. The records move there. */
void tr2_perf_data_write(struct tr2_export *x, struct tr2_perf_data *p);

#endif
