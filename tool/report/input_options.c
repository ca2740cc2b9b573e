/* SPDX-License-Identifier: MIT */
/* input_options - take the inputs of a command from its words and -i. */
#include "report/input_options.h"

#include "common/say.h"
#include "report/no_match.h"

bool tr2_inputs(int argc, char **argv, struct tr2_list *out)
{
	static const char *standard[] = { "trace2.data" };

	if (argc && tr2_common.input.nr) {
		tr2_error("name inputs either with -i or as words, not both");
		return false;
	}
	if (argc)
		*out = (struct tr2_list){ (const char **)argv, (size_t)argc };
	else if (tr2_common.input.nr)
		*out = tr2_common.input;
	else
		*out = (struct tr2_list){ standard, 1 };
	return true;
}

struct tr2_model *tr2_inputs_load(int argc, char **argv, unsigned int flags,
				  int *exit_code)
{
	struct tr2_load load = { .flags = flags };
	enum tr2_load_result result;
	struct tr2_list inputs;
	struct tr2_model *m;

	if (!tr2_inputs(argc, argv, &inputs)) {
		*exit_code = TR2_EXIT_USAGE;
		return NULL;
	}
	m = tr2_model_new();
	load.paths = inputs.item;
	load.nr_paths = inputs.nr;
	result = tr2_load(m, &load);
	if (result == TR2_LOAD_OK && tr2_check_filter(&tr2_common.filter, m))
		return m;
	tr2_model_free(m);
	*exit_code = result == TR2_LOAD_NOTHING ? 0 : TR2_EXIT_FATAL;
	return NULL;
}
