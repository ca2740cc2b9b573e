/* SPDX-License-Identifier: MIT */
/*
 * compare - two sets of runs, measure by measure.
 */
#ifndef TR2_STAT_COMPARE_H
#define TR2_STAT_COMPARE_H

#include "stat/measure.h"

/*
 * base and new are the 50th percentiles of the runs, NAN where a side does not
 * have it. p is that of Mann and Whitney's test, made fit for as many as were
 * tested of this kind (see stat/significance.h); NAN where there was nothing to
 * test: only one side has it, or all values are equal.
 */
struct tr2_difference {
	enum tr2_measure_kind kind;
	enum tr2_measure_unit unit;
	const char *name;
	double base, new, base_calls, new_calls;
	double p;
	bool significant;
	size_t order; /* as it was measured */
};

struct tr2_comparison {
	struct tr2_difference *item;
	size_t nr;
	size_t tested[TR2_MEASURE_NR]; /* that have a p */
	uint32_t nr_base, nr_new;      /* runs */
};

/* Which are compared; `data` is the caller's. */
typedef bool tr2_difference_filter(const struct tr2_difference *d,
				   const void *data);

/*
 * What any of both has and `takes` takes, kind by kind: numbers of the run and
 * events as they were measured, of the others the largest difference first.
 * Names are those of base and new. false: no memory.
 */
bool tr2_compare(struct tr2_comparison *c, const struct tr2_measures *base,
		 const struct tr2_measures *new, tr2_difference_filter *takes,
		 const void *data);
void tr2_comparison_release(struct tr2_comparison *c);

/* Whether so many runs can tell a difference from chance at all, where as many
 * are looked at as were of this kind. */
bool tr2_comparison_can_tell(const struct tr2_comparison *c,
			     enum tr2_measure_kind kind);

/* new - base; what a side does not have is 0. */
double tr2_difference_delta(const struct tr2_difference *d);
/* Whether it grew by more than this share, and that is significant. */
bool tr2_difference_above(const struct tr2_difference *d, double share);

#endif
