/* SPDX-License-Identifier: MIT */
/* Find the commits at which the time of a command changed. */
#include "compare/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "common/memory.h"
#include "compare/interval.h"
#include "compare/significance.h"

#define AROUND 3
#define LEAST_AROUND 2u
#define ALPHA 0.01
#define LEAST_CHANGE 0.05

/* The times to judge, the preferred one first. */
static const struct {
	enum tr2_measure_kind kind;
	const char *name;
} times[] = {
	{ TR2_MEASURE_EVENT, "task-clock" },
	{ TR2_MEASURE_EVENT, "task-clock:u" },
	{ TR2_MEASURE_RUN, "cpu-time" },
	{ TR2_MEASURE_RUN, "wall" },
};

struct tr2_moment *tr2_timeline_add(struct tr2_timeline *t, const char *commit,
				    const char *subject)
{
	struct tr2_moment *m;

	tr2_grow(t->item, t->nr, t->alloc);
	m = &t->item[t->nr++];
	*m = (struct tr2_moment){ .commit = tr2_strdup(commit),
				  .subject = tr2_strdup(subject),
				  .time = 1 };
	return m;
}

void tr2_timeline_release(struct tr2_timeline *t)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		free(t->item[i].commit);
		free(t->item[i].subject);
		tr2_measures_release(&t->item[i].measures);
	}
	free(t->item);
	*t = (struct tr2_timeline){ 0 };
}

const struct tr2_measure *tr2_timeline_time(const struct tr2_timeline *t,
					    const struct tr2_moment *moment)
{
	size_t i;

	for (i = 0; t->time && i < ARRAY_SIZE(times); i++)
		if (!strcmp(times[i].name, t->time))
			return tr2_measures_find(&moment->measures,
						 times[i].kind, t->time);
	return NULL;
}

static void choose_time(struct tr2_timeline *t)
{
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		t->time = times[i].name;
		for (at = 0; at < t->nr; at++)
			if (!tr2_timeline_time(t, &t->item[at]))
				break;
		if (t->nr && at == t->nr)
			return;
	}
	t->time = NULL;
}

/* Append the times of commits [from, to), without NAN. */
static double *times_of(const struct tr2_timeline *t, size_t from, size_t to,
			size_t *nr)
{
	size_t room = 0, i;
	double *out;
	uint32_t run;

	for (i = from; i < to; i++)
		room += t->item[i].measures.nr_runs;
	out = tr2_calloc(room, sizeof(*out));
	for (*nr = 0, i = from; i < to; i++) {
		const struct tr2_measure *it =
			tr2_timeline_time(t, &t->item[i]);

		for (run = 0; it && run < t->item[i].measures.nr_runs; run++)
			if (!isnan(it->values[run]))
				out[(*nr)++] = it->values[run];
	}
	return out;
}

/* Return the ratio of the times from this commit on to the times before the
 * commit; 1: the times do not differ. */
static double change_at(const struct tr2_timeline *t, size_t at)
{
	size_t from = at > AROUND ? at - AROUND : 0, na, nb;
	size_t to = at + AROUND < t->nr ? at + AROUND : t->nr;
	double *before = times_of(t, from, at, &na);
	double *after = times_of(t, at, to, &nb);
	struct tr2_stat_interval of;
	double ratio = 1;

	if (tr2_mann_whitney(before, na, after, nb) < ALPHA &&
	    tr2_interval_of_sets(&of, before, na, after, nb, ALPHA) &&
	    fabs(log(of.ratio)) >= log(1 + LEAST_CHANGE))
		ratio = of.ratio;
	free(before);
	free(after);
	return ratio;
}

void tr2_timeline_judge(struct tr2_timeline *t)
{
	double *change = tr2_calloc(t->nr, sizeof(*change));
	size_t i, at;

	choose_time(t);
	for (i = LEAST_AROUND; t->time && i + LEAST_AROUND <= t->nr; i++)
		change[i] = log(change_at(t, i));
	for (i = 1; t->time && i < t->nr; i++) {
		bool largest = fabs(change[i]) > 0;

		for (at = i >= AROUND ? i - AROUND + 1 : 1;
		     at < t->nr && at < i + AROUND; at++)
			largest &= fabs(change[at]) <= fabs(change[i]);
		if (largest)
			t->item[i].time = exp(change[i]);
	}
	free(change);
}
