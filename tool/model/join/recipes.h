/* SPDX-License-Identifier: MIT */
/*
 * recipes - find the target of a process of make or ninja by the text of its
 * command, which `make --trace` or `ninja -t compdb` printed.
 */
#pragma once

#include "base/buf.h"
#include "common/map.h"
#include "model/model.h"

/* Values of `version` for a line of a recipe: the first line, which follows the
 * name of the target, or a later line. */
#define TR2_RECIPE_FIRST 1u
#define TR2_RECIPE_LATER 2u

/* Return the hash of a command's text. Leave out quotes, backslashes, and all
 * but one of several blanks in a row: if make runs a command without a shell,
 * only the command's words are known, without quotes. */
uint64_t tr2_recipe_hash(const char *text, size_t len);

/* Index the lines of recipes by the hashes of their texts. */
void tr2_recipes_index(const struct tr2_model *m, struct tr2_map *map);

/* Find the job that runs this program by the text of the program's command, and
 * return the job's target; 0: unknown. found: the targets of the jobs that
 * began earlier, by node. */
tr2_str tr2_recipe_target(const struct tr2_model *m, const struct tr2_map *map,
			  const tr2_str *found, uint32_t node,
			  const struct tr2_words *words);
