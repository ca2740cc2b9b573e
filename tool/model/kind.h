/* SPDX-License-Identifier: MIT */
/*
 * kind - the kind of a process, by which tables and exports add up processes:
 * the program without its directory, and
 *
 *   for Git, its command                            git fetch
 *   for another program with events, its name       prog NAME
 *   for a shell or an interpreter, its script       sh build.sh, perl prove
 *   or the option that has the program itself       sh -c, perl -e
 *   a hook, or a process without known words, has only its name
 */
#pragma once

#include "model/model.h"

struct tr2_buf;

/* Append the kind of a process's program, which is never empty. segment: an
 * earlier program; 0: the last program. */
void tr2_kind_add(const struct tr2_model *m, uint32_t node, uint32_t segment,
		  struct tr2_buf *out);
/* Return the length of the interpreter before the script; 0: the kind has no
 * script. */
size_t tr2_kind_interpreter(const char *kind);
/* Return the kind that tr2_kind_add() appends, interned. */
tr2_str tr2_kind(struct tr2_model *m, uint32_t node, uint32_t segment);
