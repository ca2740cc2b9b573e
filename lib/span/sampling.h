/* SPDX-License-Identifier: MIT */
/*
 * sampling - which spans are recorded: one trace in N, by its id, so that processes
 * agree; and, if a time is set, those that took longer or failed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/span.h"

struct tr2_sampling {
	uint32_t one_in; /* 0: none */
	uint64_t slower_ns; /* 0: no such rule */
};
extern struct tr2_sampling tr2_sampling;

/* Read the setting, `1/100,slower:50ms`; NULL: all. false: invalid. */
bool tr2_sampling_set(const char *setting);

/* Whether a trace that begins here is recorded. low: the low half of its id. */
static inline bool tr2_sampling_takes(uint64_t low)
{
	return tr2_sampling.one_in && low % tr2_sampling.one_in == 0;
}

/* Whether a span is recorded that has ended; it stands for itself alone if that is
 * because of its time or its failure. */
bool tr2_sampling_keeps(struct tr2_span_data *span);
