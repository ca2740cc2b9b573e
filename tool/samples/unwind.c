/* SPDX-License-Identifier: MIT */
/* unwind - follow the frames of copied stacks. */
#include "samples/unwind.h"

#include <stdlib.h>
#include <unistd.h>

#include "model/private.h"
#include "samples/frame.h"

/* perf, too, shows no more. */
#define MAX_FRAMES 127
#define MAX_STACK 65536u

struct unwind {
	struct tr2_model *m;
	const struct tr2_mappings *maps;
	struct tr2_samples_files *files;
	unsigned char *copy;
};

static bool read_at(int fd, uint64_t at, void *out, size_t len)
{
	return at <= INT64_MAX && pread(fd, out, len, (off_t)at) == (ssize_t)len;
}

/* Read registers and stack from the file. */
static bool begin(const struct unwind *u, const struct tr2_sample_stack *stack,
		  struct tr2_frame_state *state)
{
	const struct tr2_stack_file *file = &u->m->stack_files[stack->file];
	unsigned char values[64 * sizeof(uint64_t)];
	size_t nr = (size_t)__builtin_popcountll(file->registers);

	state->len = stack->len < MAX_STACK ? stack->len : MAX_STACK;
	state->copy = u->copy;
	return read_at(file->fd, stack->registers_at, values,
		       nr * sizeof(uint64_t)) &&
	       read_at(file->fd, stack->stack_at, u->copy, state->len) &&
	       tr2_frame_begin(state, file->registers, values);
}

static bool up(const struct unwind *u, const struct tr2_model_sample *sample,
	       struct tr2_frame_state *state)
{
	uint64_t at = state->pc - !state->is_exact;
	struct tr2_elf_place place;
	const struct tr2_mapping *map;
	uint32_t i, file;
	bool always;

	i = tr2_mappings_find(u->maps, sample->space, at,
			      tr2_sample_time_in_space(u->m, sample), &always);
	if (!i)
		return false;
	map = &u->m->mappings[i];
	file = tr2_samples_file(u->files, u->m, map);
	place.in_segment = at - map->addr;
	place.in_file = place.in_segment + map->pgoff;
	return u->files->file[file].elf &&
	       tr2_frame_up(state, u->files->file[file].elf, place);
}

static void add_call(struct tr2_model *m, struct tr2_model_sample *sample,
		     uint64_t address)
{
	uint32_t i = tr2_add(m, calls);

	m->calls[i] = address;
	sample->nr_calls++;
}

/* The calls in the kernel stay in front. */
static void unwind(const struct unwind *u, struct tr2_model_sample *sample)
{
	struct tr2_frame_state state;
	struct tr2_model *m = u->m;
	uint32_t first = sample->first_call, nr = sample->nr_calls, i;

	if (!begin(u, &m->stacks[sample->stack], &state))
		return;
	sample->first_call = m->nr_calls;
	sample->nr_calls = 0;
	for (i = 0; i < nr; i++)
		add_call(m, sample, m->calls[first + i]);
	for (i = 0; i < MAX_FRAMES; i++) {
		add_call(m, sample, state.pc + state.is_exact);
		if (!up(u, sample, &state))
			break;
	}
}

void tr2_unwind_samples(struct tr2_model *m, const struct tr2_mappings *maps,
			struct tr2_samples_files *files)
{
	struct unwind u = { .m = m, .maps = maps, .files = files };
	uint32_t i;

	if (m->nr_stacks == 1)
		return;
	u.copy = tr2_calloc(1, MAX_STACK);
	for (i = 1; i < m->nr_samples; i++)
		if (m->samples[i].stack) {
			unwind(&u, &m->samples[i]);
			m->samples[i].stack = 0;
		}
	free(u.copy);
}
