/* SPDX-License-Identifier: MIT */
/*
 * lines - read a descriptor in large blocks and return it line by line, in
 * memory that does not grow with the input.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Longer lines are skipped and counted. */
#define TR2_LINE_MAX_BYTES (32u << 20)

struct tr2_lines {
	int fd;
	char *buf;
	size_t alloc;
	size_t at, len;    /* bytes that were read but not yet returned:
			    * buf[at..len) */
	size_t whole;      /* end of the last whole line in buf, or 0 */
	uint64_t number;   /* number of the last line returned, from 1 */
	uint64_t nr_bytes; /* read so far */
	uint64_t nr_long;  /* number of lines skipped */
	uint64_t first_long; /* number of the first line skipped */
	bool eof, skipping;
	int error; /* errno of a failed read */
};

/* Prepare for reading fd. Memory is allocated at the first line. One struct may
 * read several files in turn. */
void tr2_lines_start(struct tr2_lines *l, int fd);
void tr2_lines_release(struct tr2_lines *l);

enum tr2_lines_result {
	TR2_LINES_END,  /* end of input, or an error: l->error */
	TR2_LINES_LINE, /* a line; line[len] is the line's newline */
	/* the last line, which has no newline in the input; line[len] is an
	 * added newline */
	TR2_LINES_LAST
};

/*
 * Return the next line, without its newline and a CR before that. The line is
 * valid until the next call, and 64 bytes after it are readable.
 */
enum tr2_lines_result tr2_lines_next(struct tr2_lines *l, const char **line,
				     size_t *len);

/*
 * For callers that find the ends of lines themselves: return the text from the
 * next line on, and set *end to the byte after its last newline. 64 more bytes
 * are readable. The text stays valid until a line is taken. NULL: no whole line
 * is in the buffer: call tr2_lines_next(), which reads more.
 */
static inline const char *tr2_lines_ahead(const struct tr2_lines *l,
					  const char **end)
{
	*end = l->buf + l->whole;
	return l->at < l->whole && !l->skipping ? l->buf + l->at : NULL;
}

/* Take the first line of tr2_lines_ahead(). The line has len bytes before its
 * newline. */
static inline void tr2_lines_take(struct tr2_lines *l, size_t len)
{
	l->at += len + 1;
	l->number++;
}

/* Set *text to up to n bytes at the start of the input, without taking them.
 * Return their number. */
size_t tr2_lines_peek(struct tr2_lines *l, const char **text, size_t n);

/* A reader for the lines of a file to which other programs still append. */
struct tr2_grown {
	int fd; /* owned by the caller */
	uint64_t number; /* number of the last line, from 1 */
	struct tr2_buf text;
	size_t at; /* offset of the next line in text */
};

void tr2_grown_start(struct tr2_grown *g, int fd);
void tr2_grown_release(struct tr2_grown *g);

/*
 * Return the next line that has ended, without its newline. The line is valid
 * until the next call, and 64 bytes after it are readable. false: no further
 * line has ended yet.
 */
bool tr2_grown_line(struct tr2_grown *g, const char **line, size_t *len);
