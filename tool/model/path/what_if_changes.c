/* SPDX-License-Identifier: MIT */
/* what_if_changes - parse changes, and find the parts of each thread to which a
 * change applies. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/macros.h"
#include "common/words.h"
#include "model/kind.h"
#include "model/path/what_if_changes.h"
#include "model/path/what_if_private.h"
#include "model/private.h"
#include "model/states.h"

/* The largest factor of one change. */
#define MAX_SLOWER 1000.0

static bool matches_change(const struct tr2_change *c, const char *text)
{
	return c->exact ? !strcmp(c->name, text) : !fnmatch(c->name, text, 0);
}

static bool is_process(const struct tr2_model *m, const struct tr2_change *c,
		       uint32_t node, uint32_t segment)
{
	static struct tr2_buf text; /* later calls reuse its memory */

	tr2_buf_reset(&text);
	tr2_kind_add(m, node, segment, &text);
	if (matches_change(c, tr2_buf_str(&text)))
		return true;
	if (c->exact)
		return false;
	if (segment)
		return matches_change(c, tr2_s(m, m->segments[segment].comm));
	if (matches_change(c, tr2_node_name(m, node)))
		return true;
	tr2_node_command(m, node, &text);
	return matches_change(c, tr2_buf_str(&text));
}

/* Is the span a region that the change names, or inside such a region? */
static bool is_region(const struct tr2_model *m, const struct tr2_change *c,
		      uint32_t span)
{
	static struct tr2_buf b; /* later calls reuse its memory */

	for (; span; span = m->spans[span].parent)
		if (matches_change(
			    c, tr2_join(&b, tr2_s(m, m->spans[span].category),
					tr2_s(m, m->spans[span].label))))
			return true;
	return false;
}

struct changes {
	const struct tr2_change *change;
	size_t nr;
	uint64_t pieces;
};

static double rate_of(const struct tr2_model *m, struct changes *list,
		      uint32_t node, uint32_t segment, uint32_t span)
{
	double rate = 1;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		const struct tr2_change *c = &list->change[i];

		if ((c->kind == TR2_CHANGE_PROCESS && node &&
		     is_process(m, c, node, segment)) ||
		    (c->kind == TR2_CHANGE_REGION && is_region(m, c, span))) {
			rate *= c->factor;
			list->pieces++;
		}
	}
	return rate;
}

/* Add the rates of a thread: walk through the borders of its regions and the
 * borders of its programs, in order of time. */
static void add_rates(const struct tr2_model *m, struct changes *list,
		      struct tr2_retimed_thread *t, uint32_t node)
{
	const struct tr2_borders *a = &t->places.segments;
	const struct tr2_borders *b = &t->places.regions;
	uint32_t i = 0, k = 0, segment = 0, span = 0;
	int64_t at_ns = INT64_MIN;
	double rate, last = 1;

	for (;;) {
		for (; i < a->nr && a->border[i].at_ns <= at_ns; i++)
			segment = a->border[i].in;
		for (; k < b->nr && b->border[k].at_ns <= at_ns; k++)
			span = b->border[k].in;
		rate = rate_of(m, list, node, segment, span);
		if (rate != last) {
			tr2_grow(t->rates, t->nr_rates, t->alloc_rates);
			t->rates[t->nr_rates++] = (struct tr2_rate){ at_ns,
								     rate };
			last = rate;
		}
		if (i >= a->nr && k >= b->nr)
			return;
		at_ns = i < a->nr ? a->border[i].at_ns : INT64_MAX;
		if (k < b->nr && b->border[k].at_ns < at_ns)
			at_ns = b->border[k].at_ns;
	}
}

static uint64_t count_waits(const struct tr2_model *m, const double *factor)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 1; i < m->nr_states; i++)
		nr += m->states[i].kind == TR2_STATE_WAIT &&
		      factor[m->states[i].cause] != 1;
	return nr;
}

static uint64_t count_ready(const struct tr2_model *m)
{
	uint64_t nr = 0;
	uint32_t i;

	for (i = 1; i < m->nr_states; i++)
		nr += m->states[i].kind == TR2_STATE_READY;
	return nr;
}

uint64_t tr2_retime_rates(struct tr2_retime *r,
			  const struct tr2_change *changes, size_t nr)
{
	const struct tr2_model *m = r->m;
	struct changes list = { changes, nr, 0 };
	uint32_t t, cause;
	size_t i;

	r->any_slower = false;
	r->ready_factor = 1;
	for (cause = 0; cause < TR2_CAUSE_NR; cause++)
		r->wait_factor[cause] = 1;
	for (i = 0; i < nr; i++) {
		const struct tr2_change *c = &changes[i];

		r->any_slower |= c->factor > 1;
		if (c->kind == TR2_CHANGE_READY)
			r->ready_factor *= c->factor;
		for (cause = 0; cause < TR2_CAUSE_NR; cause++)
			if (c->kind == TR2_CHANGE_WAIT &&
			    (c->cause < 0 || (uint32_t)c->cause == cause))
				r->wait_factor[cause] *= c->factor;
	}
	for (t = 1; t < m->nr_task_threads; t++) {
		r->threads[t].nr_rates = 0;
		add_rates(m, &list, &r->threads[t],
			  m->tasks[m->task_threads[t].task].node);
	}
	return list.pieces + count_waits(m, r->wait_factor) +
	       (r->ready_factor != 1 ? count_ready(m) : 0);
}

int64_t tr2_retime_path_gain(const struct tr2_retime *r,
			     const struct tr2_change *changes, size_t nr,
			     const struct tr2_step *steps, size_t nr_steps)
{
	struct changes list = { changes, nr, 0 };
	double rate, gain = 0;
	size_t i;

	for (i = 0; i < nr_steps; i++) {
		const struct tr2_step *s = &steps[i];

		rate = rate_of(r->m, &list, s->node, s->segment, s->span);
		if (s->kind == TR2_STEP_WAIT)
			rate *= r->wait_factor[s->cause];
		gain += (double)s->ns * (1 - rate) +
			(double)s->ready_ns * (1 - r->ready_factor);
	}
	return (int64_t)gain;
}

static bool parse_factor(const char *text, double *factor)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || !(value >= 0) || value > MAX_SLOWER * 100)
		return false;
	if (!strcmp(end, "x") && value >= 1 / MAX_SLOWER)
		*factor = 1 / value;
	else if (!strcmp(end, "%"))
		*factor = value / 100;
	else if (!*end && value == 0)
		*factor = 0;
	else
		return false;
	return true;
}

static bool parse_cause(const char *name, struct tr2_change *c)
{
	uint32_t i;

	for (i = 0; i < TR2_CAUSE_NR; i++)
		if (!strcmp(name, tr2_cause_name(i))) {
			c->cause = (int)i;
			return true;
		}
	return false;
}

/* Parse -j N. */
static const char *parse_jobs(const char *text, struct tr2_change *c)
{
	char *end;
	unsigned long nr;

	text += strlen("-j");
	text += strspn(text, " ");
	nr = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || !nr || nr > UINT32_MAX)
		return "-j needs a number of jobs from 1, such as '-j 4' or "
		       "'make=-j4'";
	c->kind = TR2_CHANGE_JOBS;
	c->jobs = (uint32_t)nr;
	return NULL;
}

const char *tr2_change_parse(const char *text, struct tr2_change *c)
{
	const char *equals = strrchr(text, '=');
	char *name;

	*c = (struct tr2_change){ .cause = -1, .factor = 1 };
	if (!strncmp(text, "-j", 2))
		return parse_jobs(text, c);
	if (!equals || equals == text)
		return "it has the form NAME=FACTOR, such as 'cc1=2x', "
		       "'wait:disk=0' or 'index/refresh=50%'";
	c->name = name = tr2_strdup(text);
	name[equals - text] = '\0';
	if (!strncmp(equals + 1, "-j", 2))
		return parse_jobs(equals + 1, c);
	if (!parse_factor(equals + 1, &c->factor))
		return "the factor is 2x (twice as fast), 50% (half the time) "
		       "or 0 (no time)";
	if (!strncmp(name, "wait", 4) && (!name[4] || name[4] == ':')) {
		c->kind = TR2_CHANGE_WAIT;
		if (name[4] && !parse_cause(name + 5, c))
			return "a cause is one that report --waits names, such "
			       "as disk or pipe";
	} else if (!strcmp(name, "ready")) {
		c->kind = TR2_CHANGE_READY;
	} else if (strchr(name, '/')) {
		c->kind = TR2_CHANGE_REGION;
	} else {
		c->kind = TR2_CHANGE_PROCESS;
	}
	return NULL;
}
