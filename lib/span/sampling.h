/* SPDX-License-Identifier: MIT */
/*
 * sampling - choose which spans are recorded. One trace in N is recorded: its
 * id decides, so that all processes agree. If a time is set, spans that took
 * longer or failed are recorded, too.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event/span.h"

struct tr2_sampling {
	uint32_t one_in; /* 0: no trace */
	uint64_t slower_ns; /* record spans that took longer or failed; 0: no
			     * such rule */
};
extern struct tr2_sampling tr2_sampling;

/* Read the setting, `1/100,slower:50ms`; NULL: record all spans. false:
 * invalid. */
bool tr2_sampling_set(const char *setting);

/* Return whether a trace that begins in this process is recorded. low: the low
 * half of the trace's id. */
static inline bool tr2_sampling_takes(uint64_t low)
{
	return tr2_sampling.one_in && low % tr2_sampling.one_in == 0;
}

/* Return whether to record a span that has ended. A span that is recorded for
 * its time or failure represents only itself. */
bool tr2_sampling_keeps(struct tr2_span_data *span);
