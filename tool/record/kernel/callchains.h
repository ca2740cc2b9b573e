/* SPDX-License-Identifier: MIT */
/*
 * callchains - collect the addresses of the kernel's functions that occur in
 * samples. Chains repeat, so a chain that was seen before is skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/kernel/kernel_data.h"

#define TR2_CALLCHAINS_SEEN 1024
#define TR2_CALLCHAINS_ADDRS 16384

struct tr2_callchains {
	/* place of the field prev_state in the raw data; size 0: no such
	 * field */
	struct tr2_kernel_field state;
	uint64_t seen[TR2_CALLCHAINS_SEEN];   /* hashes of chains that were
					       * seen */
	uint64_t addrs[TR2_CALLCHAINS_ADDRS]; /* hash table of addresses; 0:
					       * free entry */
	uint32_t nr;
};

/* The fields that each sample has. */
#define TR2_CALLCHAINS_TYPE                                               \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |      \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |        \
	 PERF_SAMPLE_CALLCHAIN)

/* Offset of the time in a sample. */
#define TR2_SAMPLE_TIME_AT \
	(sizeof(struct perf_event_header) + 3 * sizeof(uint64_t))

/* Add the addresses of a sample, whose record is contiguous in memory and
 * includes the header. With is_switch, skip the sample if its thread could go
 * on: such a thread waits for nothing. */
void tr2_callchains_add(struct tr2_callchains *chains,
			const unsigned char *record, size_t size,
			bool is_switch);
/* Sort the addresses addrs[0..nr) in place. Add no more afterwards. */
void tr2_callchains_sort(struct tr2_callchains *chains);
