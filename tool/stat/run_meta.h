/* SPDX-License-Identifier: MIT */
/*
 * run_meta - what meta.json says of a run as a whole
 * (Documentation/technical/recording-format.adoc).
 */
#ifndef TR2_STAT_RUN_META_H
#define TR2_STAT_RUN_META_H

#include "model/model.h"
#include "stat/origin.h"

/* -1: it does not say. */
struct tr2_run_meta {
	int64_t wall_ns, user_ns, system_ns, maxrss_bytes;
	bool failed; /* the command ended, and not with exit code 0 */
};

/* An event of the kernel that was counted over the run. */
struct tr2_run_counter {
	const char *name;
	const char *unit; /* "ns", "bytes", "" */
	const char *note; /* why it was not counted; NULL: it was */
	double value;     /* of the whole run, if the counter ran only part of
			     it: in proportion */
};

typedef void tr2_run_counter_fn(void *data, const struct tr2_run_counter *c);

/* Where it was goes to `origin`, unless that is NULL, beside what other runs
 * said. */
void tr2_run_meta_read(struct tr2_run_meta *meta, const struct tr2_model *m,
		       struct tr2_origin *origin, tr2_run_counter_fn *fn,
		       void *data);

#endif
