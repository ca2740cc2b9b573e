/* SPDX-License-Identifier: MIT */
/*
 * stats - group durations by name, add up the buckets of metrics, and compute
 * percentiles.
 */
#pragma once

#include "model/private.h"

/*
 * Return the percentile p of nr sorted values, nr > 0, as an index. The rule of
 * every report is the nearest rank: the first value that a share p of all
 * values does not exceed. The result is always a measured value: of an even
 * number of values, the 50th percentile is the lower of the middle two.
 */
uint64_t tr2_rank(uint64_t nr, double p);

/* All durations of one name. */
struct tr2_group {
	const char *name, *by; /* by: text of the group that the option -g
				* requests, or NULL */
	uint64_t nr, nr_extra; /* nr_extra: number of durations in extra_ns */
	int64_t total_ns, self_ns, extra_ns, max_ns;
	/* Parts of self_ns, if the states of threads are known. */
	int64_t run_ns, ready_ns, wait_ns;
	int64_t path_ns;  /* time on the critical path, in report -g */
	uint32_t longest; /* the element with the largest duration */
	int64_t once_ns; /* self_ns, but each moment counts once; set by
			  * tr2_groups_sort() */
	/* All durations, sorted by tr2_groups_sort(). */
	int64_t *values;
	uint32_t nr_values, alloc_values;
};

/* A part of a group's own time, below one root. */
struct tr2_group_piece {
	uint32_t group, root;
	int64_t from_ns, to_ns;
};

struct tr2_groups {
	struct tr2_group *group;
	uint32_t nr, alloc;
	struct tr2_map map;
	struct tr2_group_piece *pieces;
	uint32_t nr_pieces, alloc_pieces;
};

/* Return the group of these two names, whose texts must outlive the group. The
 * next call may move groups. */
struct tr2_group *tr2_groups_get(struct tr2_groups *g, const char *by,
				 const char *name);
/* Add the duration of an element. `element` is any number that the caller chose
 * for it. */
void tr2_group_add(struct tr2_group *group, uint32_t element, int64_t ns);
/* Add a part of a group's own time. self_ns gets all of it, once_ns only the
 * time in which the part's root, a node of m, lived. */
void tr2_groups_piece(struct tr2_groups *g, const struct tr2_model *m,
		      const struct tr2_group_piece *piece);
/* Sort all groups. Call this once, after everything was added. */
void tr2_groups_sort(struct tr2_groups *g);
/* Return the value that a share p of all values does not exceed, by tr2_rank();
 * 0: the group has no values. */
int64_t tr2_group_percentile(const struct tr2_group *group, double p);
void tr2_groups_release(struct tr2_groups *g);

/* The buckets of timers and distributions are JSON text in events and models:
 * [[upper bound, count], ...]. */

/* Read the next bucket of the metric's histogram, and move *json after it. The
 * bound is in ns, or in the distribution's unit. Return false if there are no
 * more buckets. */
bool tr2_histogram_next(const struct tr2_metric *metric, const char **json,
			uint64_t *upper, uint64_t *count);

/* Add each count of the metric's histogram to the library's bucket that
 * contains its bound. */
void tr2_histogram_add(uint64_t *buckets, const struct tr2_metric *metric);

/* Return a value that a share p of all values does not exceed, by tr2_rank(),
 * as exactly as buckets allow: the upper bound of its bucket, or max_ns, the
 * largest value, if that is in the same bucket. TR2_NO_TIME: all buckets are
 * empty. */
int64_t tr2_histogram_percentile(const uint64_t *buckets, double p,
				 uint64_t max_ns);
