/* SPDX-License-Identifier: MIT */
/* split - lists in one string, such as those of options and variables. */
#pragma once

#include <stddef.h>
#include <string.h>

/* Return the next item, set *len, and move *list past the item. Any of the
 * characters in `between` separates items; empty items are skipped. NULL: no
 * more items. */
static inline const char *tr2_split(const char **list, const char *between,
				    size_t *len)
{
	const char *item = *list + strspn(*list, between);

	*len = strcspn(item, between);
	*list = item + *len;
	return *len ? item : NULL;
}
