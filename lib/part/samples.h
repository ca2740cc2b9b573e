/* SPDX-License-Identifier: MIT */
/*
 * samples - what the settings ask to sample, between the parts that do it: the
 * program samples its own counters (samples.c), the kernel its events
 * (samples_kernel.c).
 */
#ifndef TR2_PART_SAMPLES_H
#define TR2_PART_SAMPLES_H

#include "part/part.h"
#include "perfevent/perfevent.h"
#include "ring/layout.h"
#include "trace2_perf.h"

#define TR2_MAX_SAMPLES 64

struct tr2_sample {
	struct tr2_perfevent event;
	struct trace2_perf_attr attr;
	bool by_kernel; /* its group is led by an event of the kernel */
	uint64_t id; /* in records; 0: not open */
	/* One for all threads; NULL: not open, or each thread has its own. */
	struct trace2_perf *perf;
	unsigned int nr_failed; /* threads that are not sampled */
	int thread_error; /* why not */
};

extern struct tr2_sample *tr2_samples;
extern unsigned int tr2_nr_samples;

/* Calls, at their place in a record, as many as the ring takes; where they end.
 * They may lie there already. */
uint64_t *tr2_sample_put_calls(const uint64_t *record, uint64_t *at,
			       const uint64_t *ip, size_t nr);

/* Say in the ring's file what the id of its samples is called. [L] */
void tr2_sample_publish(const struct tr2_sample *sample);

/* A pending error: it cannot be sampled; error is negative. nr_threads 0: in
 * any thread. */
void tr2_sample_add_error(const struct tr2_sample *sample, int error,
			  unsigned int nr_threads);

#endif
