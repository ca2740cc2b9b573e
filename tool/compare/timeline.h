/* SPDX-License-Identifier: MIT */
/*
 * timeline - find the commits at which the measures of a command changed.
 *
 * A count that is exact at two commits changed between them if its values
 * differ. A time changed at a commit if it stays changed. For this, the runs of
 * the two or three commits before are compared with the runs of the commit and
 * the one or two commits after it. They must differ significantly (Mann and
 * Whitney, P < 0.01), by 5 % or more, and by more than at neighbouring commits.
 * Notes are made at different times, so a machine may have been busy at one
 * commit: that is no change.
 */
#pragma once

#include "compare/measure.h"

struct tr2_moment {
	char *commit, *subject;
	struct tr2_measures measures;
	double time; /* ratio to the earlier time, if the time changed at this
		      * commit; else 1 */
};

struct tr2_timeline {
	struct tr2_moment *item; /* moments by commit, the oldest commit
				  * first */
	uint32_t nr, alloc;
	const char *time; /* name of the judged time; NULL: no time is in all
			   * commits */
};

struct tr2_moment *tr2_timeline_add(struct tr2_timeline *t, const char *commit,
				    const char *subject);
/* Choose the time to judge, and find the commits at which it changed. */
void tr2_timeline_judge(struct tr2_timeline *t);
/* Return the measure of the judged time at a commit; NULL: the commit lacks
 * it. */
const struct tr2_measure *tr2_timeline_time(const struct tr2_timeline *t,
					    const struct tr2_moment *moment);
void tr2_timeline_release(struct tr2_timeline *t);
