/* SPDX-License-Identifier: MIT */
/*
 * kind - what processes of one kind have in common, for tables and exports that
 * add them up: the program without its directory, and
 *
 *   of Git, its command                          git fetch
 *   of another program with events, its name     prog NAME
 *   of a shell or an interpreter, its script     sh build.sh, perl prove
 *   or the option that has the program itself    sh -c, perl -e
 *   a hook, or a process whose words are unknown, has its name alone
 */
#pragma once

#include "model/model.h"

struct tr2_buf;

/* Append the kind of a process, or of one of its earlier programs; segment 0:
 * the last one. Never empty. */
void tr2_kind_add(const struct tr2_model *m, uint32_t node, uint32_t segment,
		  struct tr2_buf *out);
/* Return the length of the interpreter before the script; 0: this kind has no
 * script. */
size_t tr2_kind_interpreter(const char *kind);
/* The kind of a process, interned. */
tr2_str tr2_kind(struct tr2_model *m, uint32_t node, uint32_t segment);
