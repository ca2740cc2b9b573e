/* SPDX-License-Identifier: MIT */
/*
 * timeline - the measures of one command over commits, and where they changed.
 *
 * A count that is exact at two commits changes between them if it differs. A
 * time changes where it stays changed: the runs of two or three commits before
 * differ from those of two or three from it on (Mann and Whitney, P < 0.01), by
 * 5 % or more, and by more than at the commits beside it. The notes were made at
 * different times, and a machine that was busy once is no change.
 */
#pragma once

#include "compare/measure.h"

struct tr2_moment {
	char *commit, *subject;
	struct tr2_measures measures;
	double time; /* ratio to before, if that changed; else 1 */
};

struct tr2_timeline {
	struct tr2_moment *item; /* the oldest first */
	uint32_t nr, alloc;
	const char *time; /* name of the judged time; NULL: none in all of them */
};

struct tr2_moment *tr2_timeline_add(struct tr2_timeline *t, const char *commit,
				    const char *subject);
/* Choose the time, and find where it changed. */
void tr2_timeline_judge(struct tr2_timeline *t);
/* Return the measure of the judged time at a commit; NULL: none. */
const struct tr2_measure *tr2_timeline_time(const struct tr2_timeline *t,
					    const struct tr2_moment *moment);
void tr2_timeline_release(struct tr2_timeline *t);
