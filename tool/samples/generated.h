/* SPDX-License-Identifier: MIT */
/*
 * generated - find the functions that a process generated, by their addresses.
 */
#pragma once

#include "model/model.h"

struct tr2_generated {
	uint32_t *by_address; /* of m->code_functions; NULL: not yet sorted */
};

void tr2_generated_release(struct tr2_generated *g);

/* Return the function of a task at an address; of several, the function that
 * was added last. NULL: none. */
const struct tr2_code_function *
tr2_generated_find(struct tr2_generated *g, const struct tr2_model *m,
		   uint32_t task, uint64_t address);

/* Return why the functions that this program generates have no names: an option
 * makes the program write a map of them. NULL: the program is unknown. */
const char *tr2_generated_why(const char *program);
