/* SPDX-License-Identifier: MIT */
/* join - `category/name` and `DIR/FILE`. */
#ifndef TR2_COMMON_JOIN_H
#define TR2_COMMON_JOIN_H

#include "base/buf.h"

/* Set the buffer to both with a slash between, and return it as a string. */
static inline const char *tr2_join(struct tr2_buf *b, const char *first,
				   const char *second)
{
	tr2_buf_reset(b);
	tr2_buf_addstr(b, first);
	tr2_buf_addch(b, '/');
	tr2_buf_addstr(b, second);
	return tr2_buf_str(b);
}

#endif
