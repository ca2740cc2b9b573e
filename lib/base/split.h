/* SPDX-License-Identifier: MIT */
/* split - lists in one string, such as those of options and variables. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Return the next item, set *len, and move *list behind it. Any of the
 * characters `between` separates items; empty ones are skipped. NULL: no more. */
static inline const char *tr2_split(const char **list, const char *between,
				    size_t *len)
{
	const char *item = *list + strspn(*list, between);

	*len = strcspn(item, between);
	*list = item + *len;
	return *len ? item : NULL;
}
