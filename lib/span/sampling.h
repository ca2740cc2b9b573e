/* SPDX-License-Identifier: MIT */
/*
 * sampling - which spans are recorded: one trace in N, by its id, so that
 * processes agree; if a time is set, also the spans that took longer or failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/span.h"

struct tr2_sampling {
	uint32_t one_in; /* 0: no trace */
	uint64_t slower_ns; /* 0: no such rule */
};
extern struct tr2_sampling tr2_sampling;

/* Read the setting, `1/100,slower:50ms`; NULL: record all spans. false:
 * invalid. */
bool tr2_sampling_set(const char *setting);

/* Return whether a trace that begins here is recorded. low: the low half of its
 * id. */
static inline bool tr2_sampling_takes(uint64_t low)
{
	return tr2_sampling.one_in && low % tr2_sampling.one_in == 0;
}

/* Return whether to record a span that has ended. It represents only itself if
 * it is recorded for its time or its failure. */
bool tr2_sampling_keeps(struct tr2_span_data *span);
