/* SPDX-License-Identifier: MIT */
/*
 * recipes - find the target of a process of make or ninja by the text of its
 * command, which `make --trace` or `ninja -t compdb` printed.
 */
#pragma once

#include "common/map.h"
#include "model/model.h"

/* The `version` of a command that is known by its text. */
#define TR2_RECIPE 1u

/* Return the hash of a command's text. Leave out quotes, backslashes, and all
 * but one of several blanks in a row: if make runs a command without a shell,
 * only the command's words are known, without quotes. */
uint64_t tr2_recipe_hash(const char *text, size_t len);

/* Index the targets by the hashes of their commands. */
void tr2_recipes_index(const struct tr2_model *m, struct tr2_map *map);

/* Return the target whose command has the text of these words; 0: none, or
 * several. */
tr2_str tr2_recipe_target(const struct tr2_map *map,
			  const struct tr2_words *words);
