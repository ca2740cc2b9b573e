/* SPDX-License-Identifier: MIT */
/* children - when the children began that the program knows by their ids. */
#ifndef TR2_PART_CHILDREN_H
#define TR2_PART_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>

/* Keep it until the child ends. false: no memory. */
bool tr2_children_add(int id, uint64_t start_ns);

/* The child has ended. false: there is no such child. */
bool tr2_children_take(int id, uint64_t *start_ns);

#endif
