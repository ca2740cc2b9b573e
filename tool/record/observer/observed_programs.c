/* SPDX-License-Identifier: MIT */
/* Pages of files by program. */
#include "record/observer/observed_programs.h"

#include <stdlib.h>
#include <string.h>

#include "record/observer/observer.h"

/* More names are one: each of them is remembered. */
#define MOST_PROGRAMS 4096u
/* Processes are alike if their mean has this part of the largest one's. */
#define ALIKE_SHARE 0.75

/* Return its number; 0: memory is short. */
static uint32_t find_program(struct tr2_observed_programs *all,
			     const char *name)
{
	uint32_t alloc = all->alloc ? all->alloc * 2 : 64, i;
	struct tr2_observed_program *grown;

	for (i = 1; i < all->nr; i++)
		if (!strcmp(all->program[i].name, name))
			return i;
	if (i >= MOST_PROGRAMS)
		return 1;
	if (i >= all->alloc) {
		grown = realloc(all->program, alloc * sizeof(*grown));
		if (!grown)
			return 0;
		memset(grown + all->alloc, 0,
		       (alloc - all->alloc) * sizeof(*grown));
		all->program = grown;
		all->alloc = alloc;
	}
	memcpy(all->program[i].name, name, TR2_COMM_SIZE);
	all->nr = i + 1;
	return i;
}

static void add_process(struct tr2_observer *o, struct tr2_observed *p)
{
	struct tr2_observed_programs *all = &o->tree.programs;
	struct tr2_observed_memory *m = &p->memory;
	struct tr2_observed_program *program;

	if (!m->program || strcmp(all->program[m->program].name, p->comm) != 0)
		m->program = find_program(all, p->comm);
	if (!m->program)
		return;
	program = &all->program[m->program];
	program->nr++;
	program->sum_bytes += m->file_bytes;
	if (!program->largest ||
	    m->file_bytes > program->largest->memory.file_bytes)
		program->largest = p;
}

/* Return what all processes of a program have. Pages that only the largest has
 * say nothing of others that have less. */
static double bytes_of(const struct tr2_observed_program *program)
{
	double factor = program->factor > 0 ? program->factor : 1;
	double most, sum = (double)program->sum_bytes;

	if (!program->nr)
		return 0;
	most = (double)program->largest->memory.file_bytes;
	if (factor > 1 && sum < ALIKE_SHARE * program->nr * most)
		factor = 1;
	return factor * most < sum ? factor * most : sum;
}

uint64_t tr2_programs_sum(struct tr2_observer *o)
{
	struct tr2_observed_programs *all = &o->tree.programs;
	double sum = 0;
	uint32_t i;
	size_t p;

	for (i = 1; i < all->nr; i++) {
		all->program[i].nr = 0;
		all->program[i].sum_bytes = 0;
		all->program[i].largest = NULL;
	}
	for (p = 0; p < o->nr; p++)
		add_process(o, o->processes[p]);
	for (i = 1; i < all->nr; i++)
		sum += bytes_of(&all->program[i]);
	return (uint64_t)sum;
}

uint64_t tr2_program_doubt(const struct tr2_observer *o,
			   const struct tr2_observed_program *program)
{
	uint64_t most, at = program->at_bytes;
	double age_s = (double)(o->now_ns - program->since_ns) / 1e9;

	if (!program->nr || program->is_refused)
		return 0;
	most = program->largest->memory.file_bytes;
	if (program->factor <= 0)
		return program->sum_bytes;
	return (most > at ? most - at : 0) +
	       (program->nr == program->at_nr ? 0 :
		age_s < 1 ? (uint64_t)(age_s * (double)most) : most);
}

void tr2_program_measured(struct tr2_observer *o,
			  struct tr2_observed_program *program,
			  const struct tr2_smaps *smaps)
{
	uint64_t bytes = program->largest->memory.file_bytes;

	program->since_ns = o->now_ns;
	program->at_bytes = bytes;
	program->at_nr = program->nr;
	program->factor = bytes ? (double)smaps->file_pss_bytes * program->nr /
				  (double)bytes : 1;
}

uint64_t tr2_program_share(const struct tr2_observer *o,
			   const struct tr2_observed *p)
{
	const struct tr2_observed_program *program;
	double all, bytes;

	if (!p->memory.program)
		return p->memory.file_bytes;
	program = &o->tree.programs.program[p->memory.program];
	if (!program->sum_bytes)
		return 0;
	all = (double)program->sum_bytes;
	bytes = bytes_of(program) * (double)p->memory.file_bytes / all;
	return (uint64_t)bytes;
}
