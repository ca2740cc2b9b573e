/* SPDX-License-Identifier: MIT */
/* grown - the lines of a file that others still append to. */
#ifndef TR2_COMMON_GROWN_H
#define TR2_COMMON_GROWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct tr2_grown {
	int fd; /* owned by the caller */
	uint64_t number; /* of the last line, from 1 */
	struct tr2_buf text;
	size_t at; /* the next line in it */
};

void tr2_grown_start(struct tr2_grown *g, int fd);
void tr2_grown_release(struct tr2_grown *g);

/*
 * Return the next line that has ended, without its newline, valid until the
 * next call; 72 bytes after it are readable. false: there is none so far.
 */
bool tr2_grown_line(struct tr2_grown *g, const char **line, size_t *len);

#endif
