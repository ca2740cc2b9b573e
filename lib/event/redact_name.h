/* SPDX-License-Identifier: MIT */
/*
 * redact_name - names whose values are secrets: of config keys, variables,
 * options, query parameters, headers and members of JSON objects.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum tr2_name_kind {
	TR2_NAME_PLAIN,
	TR2_NAME_KEY, /* an API's key, or the file that contains it */
	TR2_NAME_SECRET
};

enum tr2_name_kind tr2_name_kind(const char *name, size_t len);

/* Return whether the value, s[0..len), is harmless although its name is of this
 * kind. */
bool tr2_name_excuses(enum tr2_name_kind kind, const char *name,
		      size_t name_len, const char *s, size_t len);

/* Return whether the name ends in this word, in any case. */
bool tr2_name_ends_in(const char *name, size_t len, const char *word);
