/* SPDX-License-Identifier: MIT */
/*
 * utf8 - check and repair text from outside.
 */
#pragma once

#include "base/buf.h"

/* Copy s[0..len) to `out`, with U+FFFD for every byte that is not UTF-8 and for
 * every NUL, followed by `padding` newlines that out->len does not include. */
void tr2_utf8_repair(struct tr2_buf *out, const char *s, size_t len,
		     size_t padding);

bool tr2_utf8_valid(const char *s, size_t len);
