/* SPDX-License-Identifier: MIT */
/*
 * perf_file - the parts of a perf.data file around its records:
 *
 *	header | ids | attributes | tracing data | records |
 *	offsets of the features | features
 *
 * All that a reader needs to understand the records precedes them, so that a
 * cut file can be read up to the cut. Only the features follow, because the
 * format puts the table of their offsets there: names of events, and the
 * features that the caller adds. The tracing data (the formats of tracepoints)
 * is a feature, too. For readers of a file without that table, the otherwise
 * unused `event_types` of the header has the position of the tracing data.
 */
#pragma once

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum tr2_perf_feature_bit {
	TR2_PERF_TRACING_DATA = 1,
	TR2_PERF_BUILD_ID = 2,
	TR2_PERF_HOSTNAME = 3,
	TR2_PERF_OSRELEASE = 4,
	TR2_PERF_VERSION = 5,
	TR2_PERF_ARCH = 6,
	TR2_PERF_NRCPUS = 7,
	TR2_PERF_CMDLINE = 11,
	TR2_PERF_EVENT_DESC = 12,
	TR2_PERF_GROUP_DESC = 17,
	TR2_PERF_CLOCKID = 23,
	TR2_PERF_CLOCK_DATA = 29,
	TR2_PERF_NR_FEATURES
};

struct tr2_perf_file_event {
	struct perf_event_attr attr;
	const char *name;
	const uint64_t *ids;
	uint32_t nr_ids;
};

struct tr2_perf_file {
	const struct tr2_perf_file_event *events;
	uint32_t nr_events;
	struct tr2_buf tracing; /* the formats of tracepoints; empty: there are
				 * no tracepoints */
	/* other features, at the index of their bit; an empty buffer stands for
	 * no feature */
	struct tr2_buf features[TR2_PERF_NR_FEATURES];
};

void tr2_perf_file_release(struct tr2_perf_file *file);

/*
 * Append the parts before the records. data_size is the size of the records; 0:
 * it is not known yet. Without the size, the file can be read up to its end,
 * but has no features. Call this again at the end: the parts then have the same
 * length.
 */
void tr2_perf_file_begin(struct tr2_buf *b, const struct tr2_perf_file *file,
			 uint64_t data_size);
/* Append the parts after the records, which end at `offset` of the file. */
void tr2_perf_file_end(struct tr2_buf *b, const struct tr2_perf_file *file,
		       uint64_t offset);

static inline void tr2_perf_add_u32(struct tr2_buf *b, uint32_t value)
{
	tr2_buf_add(b, &value, sizeof(value));
}

static inline void tr2_perf_add_u64(struct tr2_buf *b, uint64_t value)
{
	tr2_buf_add(b, &value, sizeof(value));
}

/* Begin a record and return its offset, for tr2_perf_end_record(). */
size_t tr2_perf_begin_record(struct tr2_buf *b, uint32_t type, uint16_t misc);
void tr2_perf_end_record(struct tr2_buf *b, size_t at);
/* Append the text, cut after `most` bytes, with its NUL, and padded to a
 * multiple of 8. */
void tr2_perf_add_padded(struct tr2_buf *b, const char *s, size_t most);

/* Append a string of a feature: its padded size, then the text with its NUL. */
void tr2_perf_add_str(struct tr2_buf *b, const char *text);
