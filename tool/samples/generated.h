/* SPDX-License-Identifier: MIT */
/*
 * generated - find the functions that a process generated, by their addresses.
 */
#pragma once

#include "model/model.h"

struct tr2_generated {
	uint32_t *by_address; /* of m->code_functions; NULL: not yet sorted */
	uint64_t *reach; /* the largest end of the task's functions up to this
			  * one */
};

void tr2_generated_release(struct tr2_generated *g);

/* Return the function (of m->code_functions) of a task at an address at that
 * time: of several, the one that was there last by then, or the first one if
 * none was. 0: none. Clear *always if another time may give another one. */
uint32_t tr2_generated_find(struct tr2_generated *g, const struct tr2_model *m,
			    uint32_t task, uint64_t address, int64_t at_ns,
			    bool *always);

/* Did the process of a task write a list of functions? */
bool tr2_generated_any(struct tr2_generated *g, const struct tr2_model *m,
		       uint32_t task);

/* Is this function of a file the loop that interprets Python, in a version that
 * can write a list of functions? */
bool tr2_generated_is_python(const char *file, const char *function);

/* Return why the functions that this program generates have no names: an option
 * makes the program write a map of them. NULL: the program is unknown. */
const char *tr2_generated_why(const char *program);
