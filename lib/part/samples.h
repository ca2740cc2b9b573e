/* SPDX-License-Identifier: MIT */
/*
 * samples - shared by the parts that sample: the program samples its own
 * counters (samples.c), the kernel its events (samples_kernel.c).
 */
#pragma once

#include "part/part.h"
#include "perfevent/perfevent.h"
#include "ring/layout.h"
#include "trace2_perf.h"

#define TR2_MAX_SAMPLES 64

struct tr2_sample {
	struct tr2_perfevent event;
	struct trace2_perf_attr attr;
	bool by_kernel; /* the group's leader is an event of the kernel */
	uint64_t id; /* id in records; 0: not open */
	/* The event for all threads; NULL: not open, or each thread has an
	 * event of its own. */
	struct trace2_perf *perf;
	unsigned int nr_failed; /* number of threads that are not sampled */
	int thread_error; /* the error with which the last of these threads
			   * failed */
};

extern struct tr2_sample *tr2_samples;
extern unsigned int tr2_nr_samples;

/* Write the calls at `at`, as many as fit into the record, and return the end
 * of the record. ip: the calls; these may already lie in the record. */
uint64_t *tr2_sample_put_calls(const uint64_t *record, uint64_t *at,
			       const uint64_t *ip, size_t nr);

/* Publish a row with the sample's id and text in the ring's file. [L] */
void tr2_sample_publish(const struct tr2_sample *sample);

/* Add a pending error: the event cannot be sampled; error is negative.
 * nr_threads 0: it cannot be sampled in any thread. */
void tr2_sample_add_error(const struct tr2_sample *sample, int error,
			  unsigned int nr_threads);
