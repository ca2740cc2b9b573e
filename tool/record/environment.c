/* SPDX-License-Identifier: MIT */
#include "record/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * They are set, not removed: what the environment does not say, a program
 * looks up in the user's configuration, which may want brief events or few
 * files. Only the counters stay as they are where none are asked for: they
 * change nothing in what is recorded besides.
 */
enum { TARGET, NESTING, BRIEF, MAX_FILES, COUNTERS, NR_SET };
static const char *const names[NR_SET] = {
	[TARGET] = "GIT_TRACE2_EVENT=",
	[NESTING] = "GIT_TRACE2_EVENT_NESTING=",
	[BRIEF] = "GIT_TRACE2_EVENT_BRIEF=",
	[MAX_FILES] = "GIT_TRACE2_MAX_FILES=",
	[COUNTERS] = "GIT_TRACE2_COUNTERS=",
};

/* A program looks for the file that stops it only if it counts files at all. */
#define MANY_FILES 1000000000

static bool is_set_anew(const char *entry, int nr_set)
{
	int i;

	for (i = 0; i < nr_set; i++)
		if (!strncmp(entry, names[i], strlen(names[i])))
			return true;
	return false;
}

/* How many of them, from the first on, could be made. */
static int make_own(char **env, const char *target, int64_t nest,
		    bool heed_discard, const char *counters)
{
	int nr = 0;

	if (asprintf(&env[nr], "%s%s", names[nr], target) >= 0)
		nr++;
	if (nr == NESTING && asprintf(&env[nr], "%s%lld", names[nr],
				      (long long)nest) >= 0)
		nr++;
	if (nr == BRIEF && asprintf(&env[nr], "%s0", names[nr]) >= 0)
		nr++;
	if (nr == MAX_FILES && asprintf(&env[nr], "%s%d", names[nr],
					heed_discard ? MANY_FILES : 0) >= 0)
		nr++;
	if (nr == COUNTERS && counters &&
	    asprintf(&env[nr], "%s%s", names[nr], counters) >= 0)
		nr++;
	return nr;
}

bool tr2_environment_init(struct tr2_environment *e, const char *target,
			  int64_t nest, bool heed_discard,
			  const char *counters)
{
	int nr_set = counters ? NR_SET : COUNTERS;
	size_t nr = 0, i, kept = 0;

	while (environ && environ[nr])
		nr++;
	e->nr_own = 0;
	e->vars = calloc(nr + NR_SET + 1, sizeof(*e->vars));
	if (!e->vars)
		return false;
	e->nr_own = make_own(e->vars, target, nest, heed_discard, counters);
	if (e->nr_own < nr_set) {
		tr2_environment_release(e);
		return false;
	}
	for (i = 0; i < nr; i++)
		if (!is_set_anew(environ[i], nr_set))
			e->vars[(size_t)nr_set + kept++] = environ[i];
	return true;
}

void tr2_environment_release(struct tr2_environment *e)
{
	while (e->nr_own > 0)
		free(e->vars[--e->nr_own]);
	free(e->vars);
	e->vars = NULL;
}
