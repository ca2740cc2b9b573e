/* SPDX-License-Identifier: MIT */
/* path_functions - count the functions of samples on the critical path. */
#include "report/path_functions.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/memory.h"
#include "common/words.h"
#include "model/kind.h"
#include "samples/symbols.h"

/* Name a function for a step only if the step has this many samples, and they
 * stand for at least half of its time. */
#define MIN_SAMPLES 5

/* Do not name a function with a smaller share of the samples: other functions
 * may have as many. */
#define MIN_SHARE (1.0 / 3)

/* The function that has most samples, and their number. */
struct most {
	uint32_t symbol, nr;
};

/* The samples of a part of the path. */
struct part {
	int64_t ns;
	uint32_t nr;
	struct most of_all, of_program; /* of_program: the function of a
					 * program, not of a library or the
					 * kernel, that has most samples */
};

struct tr2_path_functions {
	struct tr2_model *m;
	struct tr2_symbols *symbols;
	struct part *parts;
	uint32_t nr_parts, alloc_parts;
	struct tr2_map by_part; /* maps the key of a part to 1 + the index of
				 * the part */
	struct tr2_map counts;  /* maps a part and a function to the number of
				 * samples */
};

/* Return the key of the part to which a step belongs. kind 0: the part is one
 * program of one process; else the part is all processes of that kind. */
static uint64_t part_of(const struct tr2_model *m, const struct tr2_step *step,
			tr2_str kind)
{
	const struct tr2_span *span = &m->spans[step->span];
	uint64_t who = kind ? tr2_mix(kind, UINT64_MAX) :
			      tr2_mix(step->node, step->segment);

	who = tr2_mix(who, step->thread);
	return tr2_mix(tr2_mix(who, span->category), span->label) | 1;
}

/* Return whether this is a known function of a program, not of a library or the
 * kernel. */
static bool is_of_program(const struct tr2_path_functions *f, uint32_t symbol)
{
	const char *module =
		tr2_s(f->m, tr2_symbol(f->symbols, symbol).module);

	return *module == '/' && !strstr(tr2_base_name(module), ".so");
}

static void count_symbol(struct tr2_path_functions *f, uint64_t key,
			 uint32_t symbol, uint64_t ns)
{
	uint32_t nr = ++*tr2_map_slot(&f->counts, tr2_mix(key, symbol) | 1);
	uint32_t *slot = tr2_map_slot(&f->by_part, key);
	struct part *part;

	if (!*slot) {
		tr2_grow(f->parts, f->nr_parts, f->alloc_parts);
		f->parts[f->nr_parts] = (struct part){ 0 };
		*slot = ++f->nr_parts;
	}
	part = &f->parts[*slot - 1];
	tr2_ns_add(&part->ns, (int64_t)ns);
	part->nr++;
	if (nr > part->of_all.nr)
		part->of_all = (struct most){ symbol, nr };
	if (nr > part->of_program.nr && is_of_program(f, symbol))
		part->of_program = (struct most){ symbol, nr };
}

static void add_sample(struct tr2_path_functions *f,
		       const struct tr2_model_sample *s)
{
	struct tr2_model *m = f->m;
	uint32_t symbol;
	struct tr2_step step = { .node = s->node, .span = s->span };

	if (!s->nr_calls)
		return;
	step.thread = m->task_threads[tr2_sample_thread(m, s)].kind;
	step.segment = tr2_segment_at(m, s->node,
		m->sessions[s->session].wall_ns + s->at_ns);
	symbol = tr2_symbols_function(f->symbols, s, 0);
	count_symbol(f, part_of(m, &step, 0), symbol, s->count);
	count_symbol(f, part_of(m, &step, tr2_kind(m, s->node, step.segment)),
		     symbol, s->count);
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
	f->symbols = tr2_symbols_new_innermost(m);
	for (i = 0; tr2_symbols_next(f->symbols, &i);)
		if (on_path[i] && m->samples[i].is_time &&
		    !m->samples[i].is_wait)
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
	tr2_map_release(&f->by_part);
	free(f->parts);
	free(f);
}

static bool is_enough(const struct part *part, const struct most *most)
{
	return most->nr >= MIN_SHARE * part->nr;
}

const char *tr2_path_function(const struct tr2_path_functions *f,
			      const struct tr2_step *step, tr2_str kind,
			      double *share)
{
	const struct part *part;
	const struct most *most;
	uint32_t i;

	if (!f || step->kind != TR2_STEP_RUN)
		return NULL;
	i = tr2_map_get(&f->by_part, part_of(f->m, step, kind));
	part = i ? &f->parts[i - 1] : NULL;
	if (!part || part->nr < MIN_SAMPLES || part->ns < step->ns / 2)
		return NULL;
	most = is_enough(part, &part->of_program) ? &part->of_program :
						    &part->of_all;
	*share = (double)most->nr / part->nr;
	return is_enough(part, most) ?
		       tr2_s(f->m, tr2_symbol(f->symbols, most->symbol).name) :
		       NULL;
}
