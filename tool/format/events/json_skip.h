/* SPDX-License-Identifier: MIT */
/*
 * json_skip - find the end of a part of a JSON text, which must be valid. For C
 * and C++.
 */
#pragma once

#include <stdbool.h>

static inline bool tr2_json_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Return the position after the string that begins at p. */
static inline const char *tr2_json_skip_string(const char *p)
{
	for (p++; *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p + 1;
}

/* Return the position after the value of a member that begins at p. */
static inline const char *tr2_json_skip_value(const char *p)
{
	int depth = 0;

	do {
		if (*p == '"') {
			p = tr2_json_skip_string(p);
			continue;
		}
		depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
		p++;
	} while (depth > 0 ||
		 (*p != ',' && *p != '}' && !tr2_json_is_space(*p)));
	return p;
}
