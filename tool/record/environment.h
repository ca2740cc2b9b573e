/* SPDX-License-Identifier: MIT */
/*
 * environment - the recorded command's environment: ours, but for the
 * variables that say where its events go.
 */
#ifndef TR2_RECORD_ENVIRONMENT_H
#define TR2_RECORD_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct tr2_environment {
	char **vars; /* for execve() */
	int nr_own;  /* the first of them, which are not the process's own */
};

struct tr2_environment_request {
	const char *target; /* of events */
	int64_t nest;
	bool heed_discard; /* programs shall look for the file that stops them */
	const char *counters; /* for GIT_TRACE2_COUNTERS; NULL leaves it */
	const char *rings; /* a directory for rings, which a reader empties, in
			      place of event streams; NULL leaves them */
};

/* false: no memory. */
bool tr2_environment_init(struct tr2_environment *e,
			  const struct tr2_environment_request *request);
void tr2_environment_release(struct tr2_environment *e);

#endif
