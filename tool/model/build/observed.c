/* SPDX-License-Identifier: MIT */
/* observed - add observations of running processes to the model: objects of
 * waits, memory, generated functions. */
#include "model/build/build.h"
#include "model/private.h"

/* Return the latest task with this pid; 0: none. */
static uint32_t task_now(const struct tr2_model *m, int32_t pid)
{
	return pid ? tr2_map_get(&m->priv->tasks, (uint32_t)pid) : 0;
}

void tr2_build_object(struct tr2_model *m, int32_t pid, int32_t tid,
		      int32_t peer, const struct tr2_observed_object *object)
{
	uint32_t task = task_now(m, pid), i;

	if (!task)
		return;
	i = tr2_add(m, objects);
	m->objects[i] = *object;
	m->objects[i].tid = tid;
	m->objects[i].task = task;
	m->objects[i].peer = task_now(m, peer);
}

void tr2_build_memory(struct tr2_model *m, int32_t pid,
		      const struct tr2_observed_memory_point *point)
{
	uint32_t task = task_now(m, pid), i;

	if (pid && !task)
		return;
	i = tr2_add(m, memory);
	m->memory[i] = *point;
	m->memory[i].task = task;
}

void tr2_build_code_function(struct tr2_model *m,
			     const struct tr2_code_function *function)
{
	uint32_t i = tr2_add(m, code_functions);

	m->code_functions[i] = *function;
}

void tr2_build_command(struct tr2_model *m,
		       const struct tr2_build_command *command)
{
	uint32_t i = tr2_add(m, commands);

	m->commands[i] = *command;
}
