/* SPDX-License-Identifier: MIT */
/*
 * utf8 - text from outside that may not be what it should be.
 */
#ifndef TR2_READ_UTF8_H
#define TR2_READ_UTF8_H

#include "base/buf.h"

/* s[0..len) into `out`, with U+FFFD for every byte that is not UTF-8 and for
 * every NUL; `padding` newlines stand behind it, which out->len leaves out.
 * false: no memory. */
bool tr2_utf8_repair(struct tr2_buf *out, const char *s, size_t len,
		     size_t padding);

bool tr2_utf8_valid(const char *s, size_t len);

#endif
