/* SPDX-License-Identifier: MIT */
/*
 * model - memory of the model: arrays, texts, and the maps that loaders use.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/model.h"
#include "model/private.h"

#define BLOCK_BYTES (256u * 1024)
/* From this number of bytes of text on, allocate blocks in large pages. */
#define MANY_BYTES (1u << 20)

struct tr2_block {
	struct tr2_block *next;
	char data[];
};

#define LARGE_BLOCK_BYTES (TR2_LARGE_PAGE_BYTES - sizeof(struct tr2_block))

const char *const tr2_metric_names[TR2_DEFINITION_KINDS] = {
#define TR2_METRIC_KIND(KIND, kind, ...) [TR2_DEFINITION_##KIND] = #kind,
#include "arena/kinds.def"
};

struct tr2_model *tr2_model_new(void)
{
	struct tr2_model *m = tr2_calloc(1, sizeof(*m));

	m->priv = tr2_calloc(1, sizeof(*m->priv));
	/* Element 0 of each array means "none". */
	(void)tr2_add(m, sessions);
	(void)tr2_add(m, rares);
	(void)tr2_add(m, threads);
	(void)tr2_add(m, spans);
	(void)tr2_add(m, children);
	(void)tr2_add(m, points);
	(void)tr2_add(m, metrics);
	(void)tr2_add(m, trace_spans);
	(void)tr2_add(m, works);
	(void)tr2_add(m, tasks);
	(void)tr2_add(m, segments);
	(void)tr2_add(m, task_threads);
	(void)tr2_add(m, nodes);
	(void)tr2_add(m, problems);
	(void)tr2_add(m, samples);
	(void)tr2_add(m, calls);
	(void)tr2_add(m, values);
	(void)tr2_add(m, sample_tasks);
	(void)tr2_add(m, mappings);
	(void)tr2_add(m, spaces);
	(void)tr2_add(m, stacks);
	(void)tr2_add(m, stack_files);
	(void)tr2_add(m, kernel_functions);
	(void)tr2_add(m, code_functions);
	(void)tr2_add(m, commands);
	(void)tr2_add(m, objects);
	(void)tr2_add(m, memory);
	return m;
}

static void release_private(struct tr2_model_private *p)
{
	struct tr2_block *b, *next;

	for (b = p->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	free(p->strings);
	free(p->buckets);
	free(p->found);
	free(p->throttlings);
	free(p->sids.slots);
	tr2_map_release(&p->threads);
	tr2_map_release(&p->children);
	tr2_map_release(&p->execs);
	tr2_map_release(&p->tasks);
	tr2_map_release(&p->problems);
	tr2_map_release(&p->closed);
	free(p);
}

void tr2_model_free(struct tr2_model *m)
{
	uint32_t i;

	if (!m)
		return;
	for (i = 1; i < m->nr_stack_files; i++)
		close(m->stack_files[i].fd);
	release_private(m->priv);
	free(m->sessions);
	free(m->rares);
	free(m->threads);
	free(m->spans);
	free(m->children);
	free(m->points);
	free(m->metrics);
	free(m->trace_spans);
	free(m->works);
	free(m->thread_works);
	free(m->tasks);
	free(m->segments);
	free(m->task_threads);
	free(m->states);
	free(m->nodes);
	free(m->lines);
	free(m->problems);
	free(m->samples);
	free(m->calls);
	free(m->values);
	free(m->sample_tasks);
	free(m->mappings);
	free(m->spaces);
	free(m->stacks);
	free(m->stack_files);
	free(m->kernel_functions);
	free(m->code_functions);
	free(m->commands);
	free(m->targets);
	free(m->objects);
	free(m->memory);
	free(m->inputs);
	free(m);
}

struct tr2_rare *tr2_rare_add(struct tr2_model *m, uint32_t session)
{
	struct tr2_model_session *s = &m->sessions[session];

	if (!s->rare)
		s->rare = tr2_add(m, rares);
	return &m->rares[s->rare];
}

static char *arena_take(struct tr2_model_private *p, size_t n)
{
	struct tr2_block *b;
	size_t usual = p->arena_bytes < MANY_BYTES ? BLOCK_BYTES :
						     LARGE_BLOCK_BYTES;
	size_t size = n > usual / 4 ? n : usual;
	char *s;

	if (n <= p->left) {
		s = p->next;
		p->next += n;
		p->left -= n;
		return s;
	}
	b = size == LARGE_BLOCK_BYTES ? tr2_large_page() :
				       tr2_realloc(NULL, 1, sizeof(*b) + size);
	p->arena_bytes += size;
	b->next = p->blocks;
	p->blocks = b;
	if (size == n) /* this block is only for s; later texts still go into
			* the current block */
		return b->data;
	p->next = b->data + n;
	p->left = size - n;
	return b->data;
}

char *tr2_model_copy(struct tr2_model *m, const char *s, size_t len)
{
	char *copy = arena_take(m->priv, len + 1);

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void tr2_model_input_begin(struct tr2_model *m, const char *path)
{
	struct tr2_model_input *in;

	if (!m->nr_inputs)
		m->nr_inputs = 1;
	m->inputs = tr2_realloc(m->inputs, m->nr_inputs + 1, sizeof(*in));
	in = &m->inputs[m->nr_inputs++];
	*in = (struct tr2_model_input){
		.path = tr2_model_copy(m, path, strlen(path)),
		.meta_json = m->meta_json,
		.first_session = m->nr_sessions,
		.first_task = m->nr_tasks,
	};
	m->priv->nr_throttlings = 0;
}

void tr2_model_input_end(struct tr2_model *m)
{
	struct tr2_model_input *in = &m->inputs[m->nr_inputs - 1];

	/* If meta_json has not changed, it belongs to an earlier input, or is
	 * NULL. */
	in->meta_json = m->meta_json == in->meta_json ? NULL : m->meta_json;
	if (!in->meta_json)
		return;
	in->wall_ns = m->meta_wall_ns;
	in->trace = m->meta_trace;
	in->trace_parent = m->meta_trace_parent;
}

uint32_t tr2_input_of_session(const struct tr2_model *m, uint32_t session)
{
	uint32_t i = m->nr_inputs;

	while (i-- > 1)
		if (m->inputs[i].first_session <= session)
			return i;
	return 0;
}

uint32_t tr2_input_of_node(const struct tr2_model *m, uint32_t node)
{
	uint32_t i = m->nr_inputs, task;

	while (node && !m->nodes[node].session && !m->nodes[node].task)
		node = m->nodes[node].parent;
	if (m->nodes[node].session)
		return tr2_input_of_session(m, m->nodes[node].session);
	task = m->nodes[node].task;
	while (i-- > 1)
		if (m->inputs[i].first_task <= task)
			return i;
	return 0;
}
