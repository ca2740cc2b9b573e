/* SPDX-License-Identifier: MIT */
/*
 * generated - find the functions that a process generated, by their addresses.
 */
#pragma once

#include "model/model.h"

struct tr2_generated {
	uint32_t *by_address; /* indexes into m->code_functions, sorted by
			       * address; NULL: not yet sorted */
	uint64_t *reach; /* by position in by_address: the largest end of the
			  * task's functions up to this position */
};

void tr2_generated_release(struct tr2_generated *g);

/* Return the function (in m->code_functions) that a task had at an address at
 * that time; 0: none. Of several, return the last one that was generated before
 * that time, or else the first one. Clear *always if another time may give
 * another function. */
uint32_t tr2_generated_find(struct tr2_generated *g, const struct tr2_model *m,
			    uint32_t task, uint64_t address, int64_t at_ns,
			    bool *always);

/* Did the process of a task write a list of functions? */
bool tr2_generated_any(struct tr2_generated *g, const struct tr2_model *m,
		       uint32_t task);

/* Is this the function that interprets Python, in a file of a version that can
 * write a list of functions? */
bool tr2_generated_is_python(const char *file, const char *function);

/* Return the reason why functions that this program generates have no names,
 * with the option by which the program writes a map of the functions. NULL: the
 * program is unknown. */
const char *tr2_generated_why(const char *program);
