/* SPDX-License-Identifier: MIT */
/* Pages of files by program. */
#include "record/observer/observed_programs.h"

#include <stdlib.h>
#include <string.h>

#include "record/observer/observer.h"

/* Remember at most this many names: programs with further names count as one
 * program. */
#define MOST_PROGRAMS 4096u
/* Processes are alike if the mean of their file pages is at least this part of
 * the largest process's file pages. */
#define ALIKE_SHARE 0.75
/* A program grows if its sum grew by more than this part since the last
 * look. */
#define STEADY_PART 16u

/* Return the program's number; 0: memory is short. */
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

bool tr2_program_is_alike(const struct tr2_observed_program *program)
{
	double most = (double)program->largest->memory.file_bytes;

	return (double)program->sum_bytes >= ALIKE_SHARE * program->nr * most;
}

/* Return the file pages of all processes of a program: the largest process's,
 * times the measured factor. Add pages that this process has gained since the
 * measurement only once: smaller processes may lack them. */
static double bytes_of(const struct tr2_observed_program *program)
{
	double factor = program->factor > 0 ? program->factor : 1;
	double most, at, bytes, sum = (double)program->sum_bytes;

	if (!program->nr)
		return 0;
	most = (double)program->largest->memory.file_bytes;
	at = (double)program->at_most_bytes;
	if (factor > 1 && !program->is_whole && !tr2_program_is_alike(program))
		factor = 1;
	bytes = most > at ? factor * at + (most - at) : factor * most;
	return bytes < sum ? bytes : sum;
}

static void begin_sum(struct tr2_observed_program *program, uint64_t now_ns)
{
	if (program->look_ns != now_ns)
		program->before_bytes = program->sum_bytes;
	program->look_ns = now_ns;
	program->nr = 0;
	program->sum_bytes = 0;
	program->largest = NULL;
}

uint64_t tr2_programs_sum(struct tr2_observer *o)
{
	struct tr2_observed_programs *all = &o->tree.programs;
	double sum = 0;
	uint32_t i;
	size_t p;

	for (i = 1; i < all->nr; i++) {
		begin_sum(&all->program[i], o->now_ns);
	}
	for (p = 0; p < o->nr; p++)
		add_process(o, o->processes[p]);
	for (i = 1; i < all->nr; i++)
		sum += bytes_of(&all->program[i]);
	return (uint64_t)sum;
}

/* Is the program growing? Measure it later: pages that a process gets between
 * the measurements of two processes would count twice. */
static bool is_growing(const struct tr2_observed_program *program)
{
	return program->sum_bytes - program->sum_bytes / STEADY_PART >
	       program->before_bytes;
}

uint64_t tr2_program_doubt(const struct tr2_observer *o,
			   const struct tr2_observed_program *program)
{
	uint64_t most, at = program->at_bytes, sum = program->sum_bytes;
	double age_s = (double)(o->now_ns - program->since_ns) / 1e9;

	if (!program->nr || program->is_refused ||
	    (is_growing(program) && age_s < 1))
		return 0;
	most = program->largest->memory.file_bytes;
	if (program->factor <= 0)
		return sum;
	if (program->nr == program->at_nr)
		return sum > at ? sum - at : at - sum;
	return age_s < 1 ? (uint64_t)(age_s * (double)most) : most;
}

void tr2_program_measured(struct tr2_observer *o,
			  struct tr2_observed_program *program,
			  uint64_t pss_bytes)
{
	double most = (double)program->largest->memory.file_bytes;

	program->since_ns = o->now_ns;
	program->at_bytes = program->sum_bytes;
	program->at_most_bytes = program->largest->memory.file_bytes;
	program->at_nr = program->nr;
	program->is_whole = !tr2_program_is_alike(program);
	program->factor = most > 0 ? (double)pss_bytes / most : 1;
	if (!program->is_whole)
		program->factor *= program->nr;
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
