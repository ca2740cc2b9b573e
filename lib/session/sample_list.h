/* SPDX-License-Identifier: MIT */
/*
 * sample_list - what the settings ask to sample, between the files that do it:
 * the program samples its own counters (sample.c), the kernel its events
 * (sample_kernel.c).
 */
#ifndef TR2_SESSION_SAMPLE_LIST_H
#define TR2_SESSION_SAMPLE_LIST_H

#include "perfevent/perfevent.h"
#include "ring/layout.h"
#include "session/sample.h"
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

/*
 * Opens those of the kernel for the session's main thread, and from now on for
 * each thread that starts. errors: of each event, 0 or a negative errno. The
 * caller holds the process's lock.
 */
void tr2_kernel_samples_open(struct tr2_thread *main_thread, int *errors);

/* Threads for which no descriptors were left, as an error still to be told. */
void tr2_samples_keep_share_error(void);

/* Takes those of all threads, and ends them; under the lock. */
void tr2_kernel_samples_stop(void);

#endif
