/* SPDX-License-Identifier: MIT */
/* Build the environment of the recorded command. */
#include "record/job/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "record/streams/rings.h"

void tr2_record_trace_begin(struct tr2_record_trace *trace)
{
	const char *spans = getenv("GIT_TRACE2_SPANS");
	struct tr2_context above;
	uint64_t random[3];

	*trace = (struct tr2_record_trace){ .sampled = true };
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return;
	trace->self = (struct tr2_context){ { random[0], random[1] },
					    random[2] | 1 };
	if (tr2_context_parse(getenv("TRACEPARENT"), &above, &trace->sampled)) {
		trace->parent = above.id;
		trace->self.trace[0] = above.trace[0];
		trace->self.trace[1] = above.trace[1];
	} else if (spans && *spans) {
		trace->self.id = 0;
	}
}

/*
 * This limit of files is never reached. It is set because a program checks for
 * the discard file only if it has such a limit.
 */
#define MANY_FILES 1000000000

/* Set at most this many variables. */
#define MAX_SET 16

/* Does the list already contain a value for the variable of this entry? */
static bool is_set_anew(const struct tr2_environment *e, const char *entry)
{
	size_t len;
	int i;

	for (i = 0; i < e->nr_own; i++) {
		len = strcspn(e->vars[i], "=") + 1;
		if (!strncmp(entry, e->vars[i], len))
			return true;
	}
	return false;
}

static bool put_variable(struct tr2_environment *e, const char *prefix,
			 const char *name, const char *value)
{
	if (asprintf(&e->vars[e->nr_own], "%s%s=%s", prefix, name, value) < 0)
		return false;
	e->nr_own++;
	return true;
}

static bool set_variable(struct tr2_environment *e, const char *name,
			 const char *value)
{
	return put_variable(e, "GIT_TRACE2_", name, value);
}

static bool set_number(struct tr2_environment *e, const char *name,
		       int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	return set_variable(e, name, text);
}

/*
 * Set variables instead of removing them: without a variable, a program uses
 * the user's configuration, which may request brief events or few files. The
 * variables for counters and rings do not change other parts of a recording:
 * leave them unchanged unless the recording has counters or rings.
 */
static bool make_own(struct tr2_environment *e,
		     const struct tr2_environment_request *r)
{
	if (!set_variable(e, "EVENT", r->target) ||
	    !set_number(e, "EVENT_NESTING", r->nest) ||
	    !set_variable(e, "EVENT_BRIEF", "0") ||
	    !set_number(e, "MAX_FILES", r->heed_discard ? MANY_FILES : 0) ||
	    (r->counters && !set_variable(e, "COUNTERS", r->counters)) ||
	    (r->traceparent &&
	     !put_variable(e, "", "TRACEPARENT", r->traceparent)))
		return false;
	return !r->rings || (set_variable(e, "RING", r->rings) &&
			     set_variable(e, "RING_BRIEF", "0") &&
			     set_variable(e, "RING_MODE", "consume") &&
			     set_variable(e, "RING_SIZE", TR2_RINGS_SIZE) &&
			     set_variable(e, "RING_INSTEAD", "1"));
}

bool tr2_environment_init(struct tr2_environment *e,
			  const struct tr2_environment_request *request)
{
	size_t nr = 0, i, kept = 0;

	while (environ && environ[nr])
		nr++;
	e->nr_own = 0;
	e->vars = calloc(nr + MAX_SET + 1, sizeof(*e->vars));
	if (!e->vars)
		return false;
	if (!make_own(e, request)) {
		tr2_environment_release(e);
		return false;
	}
	for (i = 0; i < nr; i++)
		if (!is_set_anew(e, environ[i]))
			e->vars[(size_t)e->nr_own + kept++] = environ[i];
	return true;
}

void tr2_environment_release(struct tr2_environment *e)
{
	while (e->nr_own > 0)
		free(e->vars[--e->nr_own]);
	free(e->vars);
	e->vars = NULL;
}
