/* SPDX-License-Identifier: MIT */
/* input_options - the inputs of a command: the command's words, or the values
 * of -i, or else trace2.data. */
#pragma once

#include "common/options.h"
#include "format/read.h"
#include "model/filter.h"

/* Set *out to the inputs. Return false, after an error message, if the command
 * line has both words and -i. */
bool tr2_inputs(int argc, char **argv, struct tr2_list *out);

/* Load the inputs into a new model. NULL: exit with *exit_code. */
struct tr2_model *tr2_inputs_load(int argc, char **argv, unsigned int flags,
				  int *exit_code);
