/* SPDX-License-Identifier: MIT */
/* inputs - which input an object of the model was read from. */
#include "model/private.h"

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

	/* Unchanged: it is that of an input before, or NULL. */
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
