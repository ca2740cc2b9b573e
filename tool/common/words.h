/* SPDX-License-Identifier: MIT */
/*
 * words - a list of strings, such as argv.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

/* Set the buffer to `first/second`, and return it as a string. */
static inline const char *tr2_join(struct tr2_buf *b, const char *first,
				   const char *second)
{
	tr2_buf_reset(b);
	tr2_buf_addstr(b, first);
	tr2_buf_addch(b, '/');
	tr2_buf_addstr(b, second);
	return tr2_buf_str(b);
}

struct tr2_buf;

/* A list of strings (argv, ancestry): nr strings, each with a NUL, one after
 * the other. Walk through the list with tr2_for_each_word(). */
struct tr2_words {
	const char *text; /* the strings; NULL if nr is 0 */
	uint32_t nr;
	bool cut; /* the last word was cut, or unknown words follow */
};

#define tr2_for_each_word(words, w, i)                   \
	for ((i) = 0, (w) = (words)->text; (i) < (words)->nr; \
	     (i)++, (w) += strlen(w) + 1)

/*
 * Return the last part of a program's path, after the last slash. In a Windows
 * path (C:\..., \\host\..., or a path that ends in .exe), it is the part after
 * the last backslash. A path that ends in its separator is returned whole.
 */
const char *tr2_base_name(const char *path);

/* Append the words, quoted for a shell, and then … if words were cut. */
void tr2_words_quote(const struct tr2_words *words, struct tr2_buf *out);
