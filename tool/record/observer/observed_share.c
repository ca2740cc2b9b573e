/* SPDX-License-Identifier: MIT */
/* Groups of forked processes, and /proc/PID/smaps_rollup. */
#include "record/observer/observed_share.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/procfs.h"
#include "record/observer/observer.h"

/* Measuring may take 1 / TIME_PER_COST of the elapsed time, plus FREE_NS for
 * the peaks of short commands. */
#define TIME_PER_COST 400u
#define FREE_NS 2000000u
/* Expected cost of measuring a process, and bytes measured in a nanosecond,
 * until measurements have shown a higher cost. */
#define COST_OF_PROCESS_NS 60000u
#define BYTES_PER_COST_NS 80u
/* Measure if at least LEAST_DOUBT_BYTES and 1 / DOUBT_PART of all memory are in
 * doubt. */
#define LEAST_DOUBT_BYTES (1u << 20)
#define DOUBT_PART 200u
/* The most measurements in one look. */
#define MOST_MEASURED 8

/* A forked process always writes to its stack and to libc's data. */
#define WRITTEN_BYTES (24u << 10)

struct tr2_observed_group {
	uint64_t shared_bytes; /* memory that the members share, each page
				* counted once */
	uint64_t since_ns; /* time at which the group began or was last
			    * measured */
	uint64_t joined_ns; /* time of the look that found the group's latest
			     * member */
	uint32_t nr;       /* members */
	bool is_refused;   /* the kernel does not permit measuring */
	/* Sums over the members in this look. */
	uint64_t rss_bytes, anon_bytes, own_bytes, changed_bytes;
};

static uint64_t growth(uint64_t bytes, uint64_t before)
{
	return bytes > before ? bytes - before : 0;
}

static uint64_t anon_of(const struct tr2_observed *p)
{
	return growth(p->memory.rss_bytes, p->memory.file_bytes);
}

/* Return a process's own memory. If its memory shrank, assume that it lost
 * equal parts of its own and of shared memory. */
static uint64_t own_of(const struct tr2_observed *p)
{
	const struct tr2_observed_share *s = &p->memory.share;
	uint64_t anon = anon_of(p);

	if (anon >= s->at_bytes)
		return s->own_bytes + (anon - s->at_bytes);
	return (uint64_t)((double)s->own_bytes * (double)anon /
			  (double)s->at_bytes);
}

static void set_own(struct tr2_observed *p, uint64_t own)
{
	uint64_t anon = anon_of(p);

	p->memory.share.own_bytes = own < anon ? own : anon;
	p->memory.share.at_bytes = anon;
}

static void leave_share(struct tr2_observed_share *s)
{
	if (s->group && !--s->group->nr)
		free(s->group);
	s->group = NULL;
}

static void found_group(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_observed_share *s = &p->memory.share;

	s->own_bytes = s->at_bytes = 0;
	s->group = calloc(1, sizeof(*s->group));
	if (!s->group)
		return;
	s->group->nr = 1;
	s->group->since_ns = o->now_ns;
}

/* Return the process that forked this one. NULL: it is not observed, or one of
 * the two has called exec since. */
static struct tr2_observed *parent_of(const struct tr2_observer *o,
				      const struct tr2_observed *p)
{
	struct tr2_observed *parent;
	size_t i;

	if (p->exec_ns || !p->ppid)
		return NULL;
	for (i = 0; i < o->nr; i++) {
		parent = o->processes[i];
		if (parent->pid == p->ppid && parent->start_ns <= p->start_ns)
			return parent->memory.share.group &&
			       parent->exec_ns <= p->start_ns ? parent : NULL;
	}
	return NULL;
}

/* Add the child to its parent's group: the group now shares all memory that the
 * parent had for itself. */
static void join_group(const struct tr2_observer *o, struct tr2_observed *p,
		       struct tr2_observed *parent)
{
	struct tr2_observed_group *g = parent->memory.share.group;

	g->shared_bytes += own_of(parent);
	set_own(parent, 0);
	g->nr++;
	g->joined_ns = o->now_ns;
	p->memory.share.group = g;
	set_own(p, growth(anon_of(p), anon_of(parent)) + WRITTEN_BYTES);
}

void tr2_share_look(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_observed_share *s = &p->memory.share;
	struct tr2_observed *parent;

	if (s->group && p->exec_ns > s->exec_ns)
		leave_share(s);
	if (s->group)
		return;
	s->exec_ns = p->exec_ns;
	parent = parent_of(o, p);
	if (parent)
		join_group(o, p, parent);
	else
		found_group(o, p);
}

/* Return the value of a line of smaps_rollup in bytes; false: there is no such
 * line. */
static bool line_of(const char *text, const char *name, uint64_t *bytes)
{
	const char *p = strstr(text, name);

	*bytes = p ? strtoull(p + strlen(name), NULL, 10) << 10 : 0;
	return p;
}

/* Return false with errno; errno 0: the process has ended. */
static bool read_smaps(const struct tr2_observed *p, struct tr2_smaps *out)
{
	uint64_t pss, clean, dirty;
	char text[2048];

	errno = 0;
	if (!tr2_procfs_text(p->pid, 0, "smaps_rollup", text, sizeof(text)) ||
	    !line_of(text, "\nPss:", &pss) ||
	    !line_of(text, "\nPrivate_Clean:", &clean) ||
	    !line_of(text, "\nPrivate_Dirty:", &dirty))
		return false;
	out->private_bytes = clean + dirty;
	/* Linux before 5.9 has only the sum. */
	if (!line_of(text, "\nPss_Anon:", &out->anon_pss_bytes))
		out->anon_pss_bytes = growth(pss, p->memory.file_bytes);
	out->file_pss_bytes = growth(pss, out->anon_pss_bytes);
	return true;
}

static bool was_refused(void)
{
	return errno == EACCES || errno == EPERM;
}

static void measure_group(struct tr2_observer *o, struct tr2_observed_group *g)
{
	struct tr2_smaps smaps;
	size_t i;

	g->shared_bytes = 0;
	for (i = 0; i < o->nr; i++) {
		struct tr2_observed *p = o->processes[i];

		if (p->memory.share.group != g)
			continue;
		if (read_smaps(p, &smaps)) {
			/* Count at most the anonymous memory: private pages may
			 * also belong to files. */
			set_own(p, smaps.private_bytes < smaps.anon_pss_bytes ?
					   smaps.private_bytes :
					   smaps.anon_pss_bytes);
			g->shared_bytes += growth(smaps.anon_pss_bytes,
						  p->memory.share.own_bytes);
		} else {
			g->is_refused |= was_refused();
		}
	}
	g->since_ns = o->now_ns;
}

static void measure_program(struct tr2_observer *o,
			    struct tr2_observed_program *program)
{
	bool alike = tr2_program_is_alike(program);
	uint64_t pss_bytes = 0;
	struct tr2_smaps smaps;
	size_t i;

	for (i = 0; i < o->nr; i++) {
		struct tr2_observed *p = o->processes[i];

		if (alike ? p != program->largest :
			    &o->tree.programs.program[p->memory.program] !=
				    program)
			continue;
		if (read_smaps(p, &smaps))
			pss_bytes += smaps.file_pss_bytes;
		else
			program->is_refused |= was_refused();
	}
	tr2_program_measured(o, program, pss_bytes);
}

/* Return how much of the group's memory is in doubt. The longer ago it was
 * measured, the more shared memory may have become private. */
static uint64_t group_doubt(const struct tr2_observer *o,
			    const struct tr2_observed_group *g)
{
	double age_s = (double)(o->now_ns - g->since_ns) / 1e9;

	/* Do not measure while members join: the kernel divides shared pages by
	 * the number of members. */
	if (g->nr < 2 || g->is_refused ||
	    (g->joined_ns == o->now_ns && age_s < 1))
		return 0;
	return g->changed_bytes + (uint64_t)((double)g->shared_bytes * age_s);
}

static double expected_ns(uint32_t nr, uint64_t rss_bytes)
{
	return nr * (double)COST_OF_PROCESS_NS +
	       (double)rss_bytes / BYTES_PER_COST_NS;
}

static bool is_affordable(const struct tr2_observer *o, uint32_t nr,
			  uint64_t rss_bytes)
{
	const struct tr2_observed_tree *tree = &o->tree;
	double ns = (double)(o->now_ns - o->begun_ns);
	double cost = expected_ns(nr, rss_bytes);
	double measured = (double)tree->measuring_ns;
	double saved = (double)o->pace.saved_ns;

	if (measured > tree->expected_ns && tree->expected_ns > 0)
		cost *= measured / tree->expected_ns;
	if (measured + cost <= FREE_NS)
		return true;
	return measured + cost <= FREE_NS + ns / TIME_PER_COST &&
	       (cost <= saved || saved > TR2_MOST_SAVED_NS / 2.0);
}

/* The group or program to measure next: the one with most memory in doubt,
 * among those that are not too costly. */
struct choice {
	struct tr2_observed_group *group;
	struct tr2_observed_program *program;
	uint64_t doubt_bytes;
	double expected_ns;
};

static void choose_group(struct tr2_observer *o, struct choice *c)
{
	struct tr2_observed_group *g;
	uint64_t doubt;
	size_t i;

	for (i = 0; i < o->nr; i++) {
		g = o->processes[i]->memory.share.group;
		if (!g || g == c->group)
			continue;
		doubt = group_doubt(o, g);
		if (doubt <= c->doubt_bytes ||
		    !is_affordable(o, g->nr, g->rss_bytes))
			continue;
		c->doubt_bytes = doubt;
		c->expected_ns = expected_ns(g->nr, g->rss_bytes);
		c->group = g;
	}
}

static bool can_measure(const struct tr2_observer *o, struct choice *c,
			const struct tr2_observed_program *program)
{
	bool alike = tr2_program_is_alike(program);
	uint64_t bytes = alike ? program->largest->memory.rss_bytes :
				 program->sum_bytes;
	uint32_t nr = alike ? 1 : program->nr;

	if (!is_affordable(o, nr, bytes))
		return false;
	c->expected_ns = expected_ns(nr, bytes);
	return true;
}

static void choose_program(struct tr2_observer *o, struct choice *c)
{
	struct tr2_observed_program *program;
	uint64_t doubt;
	uint32_t i;

	for (i = 1; i < o->tree.programs.nr; i++) {
		program = &o->tree.programs.program[i];
		doubt = tr2_program_doubt(o, program);
		if (doubt <= c->doubt_bytes || !can_measure(o, c, program))
			continue;
		c->doubt_bytes = doubt;
		c->program = program;
	}
}

/* Measure one group or program. Return false if none is worth it. */
static bool measure_one(struct tr2_observer *o, uint64_t sum)
{
	struct choice c = { .doubt_bytes = sum / DOUBT_PART };

	if (c.doubt_bytes < LEAST_DOUBT_BYTES)
		c.doubt_bytes = LEAST_DOUBT_BYTES;
	choose_group(o, &c);
	choose_program(o, &c);
	o->tree.expected_ns += c.expected_ns;
	if (c.program)
		measure_program(o, c.program);
	else if (c.group)
		measure_group(o, c.group);
	return c.program || c.group;
}

static void add_member(struct tr2_observed *p)
{
	struct tr2_observed_share *s = &p->memory.share;
	struct tr2_observed_group *g = s->group;
	uint64_t anon = anon_of(p);

	/* A single member shares nothing. */
	if (g->nr == 1) {
		set_own(p, anon);
		g->shared_bytes = 0;
	}
	g->rss_bytes += p->memory.rss_bytes;
	g->anon_bytes += anon;
	g->own_bytes += own_of(p);
	g->changed_bytes += growth(anon, s->at_bytes) +
			    growth(s->at_bytes, anon);
}

/* Sum up the members of each group. Return the sum of all groups. */
static uint64_t sum_groups(struct tr2_observer *o)
{
	struct tr2_observed_group *g;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < o->nr; i++) {
		g = o->processes[i]->memory.share.group;
		if (g)
			g->rss_bytes = g->anon_bytes = g->own_bytes =
				g->changed_bytes = 0;
	}
	for (i = 0; i < o->nr; i++)
		if (o->processes[i]->memory.share.group)
			add_member(o->processes[i]);
	for (i = 0; i < o->nr; i++) {
		g = o->processes[i]->memory.share.group;
		if (!g)
			continue;
		/* Subtract the memory that only ended processes shared: it is
		 * gone. */
		if (g->shared_bytes > g->anon_bytes - g->own_bytes)
			g->shared_bytes = g->anon_bytes - g->own_bytes;
		sum += own_of(o->processes[i]) + g->shared_bytes / g->nr;
	}
	return sum;
}

uint64_t tr2_share_sum(struct tr2_observer *o)
{
	uint64_t sum, before_ns = tr2_thread_cpu_ns();
	int i;

	sum = sum_groups(o) + tr2_programs_sum(o);
	for (i = 0; i < MOST_MEASURED && measure_one(o, sum); i++)
		sum = sum_groups(o) + tr2_programs_sum(o);
	if (i)
		o->tree.measuring_ns += tr2_thread_cpu_ns() - before_ns;
	return sum;
}

uint64_t tr2_share_bytes(const struct tr2_observer *o,
			 const struct tr2_observed *p)
{
	const struct tr2_observed_group *g = p->memory.share.group;

	return own_of(p) + (g ? g->shared_bytes / g->nr : 0) +
	       tr2_program_share(o, p);
}

void tr2_share_release(struct tr2_observed_share *share)
{
	leave_share(share);
}
