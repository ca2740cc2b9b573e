/* SPDX-License-Identifier: MIT */
#include "record/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * All four are set, not removed: what the environment does not say, a program
 * looks up in the user's configuration, which may want brief events or few
 * files.
 */
enum { TARGET, NESTING, BRIEF, MAX_FILES, NR_SET };
static const char *const names[NR_SET] = {
	[TARGET] = "GIT_TRACE2_EVENT=",
	[NESTING] = "GIT_TRACE2_EVENT_NESTING=",
	[BRIEF] = "GIT_TRACE2_EVENT_BRIEF=",
	[MAX_FILES] = "GIT_TRACE2_MAX_FILES=",
};

/* A program looks for the file that stops it only if it counts files at all. */
#define MANY_FILES 1000000000

static bool is_set_anew(const char *entry)
{
	int i;

	for (i = 0; i < NR_SET; i++)
		if (!strncmp(entry, names[i], strlen(names[i])))
			return true;
	return false;
}

char **tr2_environment_new(const char *target, int64_t nest, bool heed_discard)
{
	size_t nr = 0, i, kept = 0;
	char **env;
	int failed;

	while (environ && environ[nr])
		nr++;
	env = calloc(nr + NR_SET + 1, sizeof(*env));
	if (!env)
		return NULL;
	failed = asprintf(&env[TARGET], "%s%s", names[TARGET], target) < 0 ||
		 asprintf(&env[NESTING], "%s%lld", names[NESTING],
			  (long long)nest) < 0 ||
		 asprintf(&env[BRIEF], "%s0", names[BRIEF]) < 0 ||
		 asprintf(&env[MAX_FILES], "%s%d", names[MAX_FILES],
			  heed_discard ? MANY_FILES : 0) < 0;
	if (failed) {
		free(env);
		return NULL;
	}
	for (i = 0; i < nr; i++)
		if (!is_set_anew(environ[i]))
			env[NR_SET + kept++] = environ[i];
	return env;
}

void tr2_environment_free(char **env)
{
	int i;

	for (i = 0; env && i < NR_SET; i++)
		free(env[i]);
	free(env);
}
