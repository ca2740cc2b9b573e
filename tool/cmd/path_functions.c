/* SPDX-License-Identifier: MIT */
/* path_functions - count the functions of samples on the critical path. */
#include "cmd/path_functions.h"

#include <stdlib.h>

#include "common/map.h"
#include "common/memory.h"
#include "model/kind.h"
#include "samples/symbols.h"

struct tr2_path_functions {
	struct tr2_model *m;
	struct tr2_symbols *symbols;
	/* (part, function) to its samples; part to the function that has most,
	 * and to how many. */
	struct tr2_map counts, best, most;
};

/* Of one process and program, or with a kind of all such processes. */
static uint64_t part_of(const struct tr2_model *m, const struct tr2_step *step,
			tr2_str kind)
{
	const struct tr2_span *span = &m->spans[step->span];
	uint64_t who = kind ? tr2_mix(kind, UINT64_MAX) :
			      tr2_mix(step->node, step->segment);

	return tr2_mix(tr2_mix(who, span->category), span->label) | 1;
}

static void count(struct tr2_path_functions *f, uint64_t part, uint32_t symbol)
{
	uint32_t nr = ++*tr2_map_slot(&f->counts, tr2_mix(part, symbol) | 1);
	uint32_t *most = tr2_map_slot(&f->most, part);

	if (nr <= *most)
		return;
	*most = nr;
	*tr2_map_slot(&f->best, part) = symbol;
}

static void add_sample(struct tr2_path_functions *f,
		       const struct tr2_model_sample *s)
{
	struct tr2_model *m = f->m;
	uint32_t symbol[TR2_SYMBOLS_OF_CALL], nr;
	struct tr2_step step = { .node = s->node, .span = s->span };

	if (!s->nr_calls)
		return;
	step.segment = tr2_segment_at(m, s->node,
		m->sessions[s->session].wall_ns + s->at_ns);
	nr = tr2_symbols_of_call(f->symbols, s, m->calls[s->first_call],
				 symbol);
	count(f, part_of(m, &step, 0), symbol[nr - 1]);
	count(f, part_of(m, &step, tr2_kind(m, s->node, step.segment)),
	      symbol[nr - 1]);
}

struct tr2_path_functions *tr2_path_functions_new(struct tr2_model *m)
{
	bool *on_path = tr2_critical_samples(m);
	struct tr2_path_functions *f;
	uint32_t i;

	if (!on_path)
		return NULL;
	f = tr2_calloc(1, sizeof(*f));
	f->m = m;
	f->symbols = tr2_symbols_new(m);
	for (i = 1; i < m->nr_samples; i++)
		if (on_path[i] && m->samples[i].is_time)
			add_sample(f, &m->samples[i]);
	free(on_path);
	return f;
}

void tr2_path_functions_free(struct tr2_path_functions *f)
{
	if (!f)
		return;
	tr2_symbols_free(f->symbols);
	tr2_map_release(&f->counts);
	tr2_map_release(&f->best);
	tr2_map_release(&f->most);
	free(f);
}

const char *tr2_path_function(const struct tr2_path_functions *f,
			      const struct tr2_step *step, tr2_str kind)
{
	uint32_t symbol;

	if (!f || step->kind != TR2_STEP_RUN)
		return NULL;
	symbol = tr2_map_get(&f->best, part_of(f->m, step, kind));
	return symbol ? tr2_s(f->m, tr2_symbol(f->symbols, symbol).name) : NULL;
}
