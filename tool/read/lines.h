/* SPDX-License-Identifier: MIT */
/*
 * lines - a descriptor read in large pieces and handed out line by line, in
 * memory that does not grow with the input.
 */
#ifndef TR2_READ_LINES_H
#define TR2_READ_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer line is skipped, and counted. */
#define TR2_LINE_MAX_BYTES (32u << 20)

struct tr2_lines {
	int fd;
	char *buf;
	size_t alloc;
	size_t at, len;    /* what is read and not handed out: buf[at..len) */
	size_t whole;      /* behind the last newline of that, or 0 */
	uint64_t number;   /* of the line handed out last, from 1 */
	uint64_t nr_bytes; /* read so far */
	uint64_t nr_long;  /* lines that were skipped */
	uint64_t first_long; /* number of the first of them */
	bool eof, skipping;
	int error; /* errno of a read that failed */
};

/* Memory is taken with the first line; one struct may serve file after file.
 */
void tr2_lines_start(struct tr2_lines *l, int fd);
void tr2_lines_release(struct tr2_lines *l);

enum tr2_lines_result {
	TR2_LINES_END,  /* or an error: l->error */
	TR2_LINES_LINE, /* with a newline, which stands at line[len] */
	TR2_LINES_LAST, /* the input ended without one; one stands there */
	TR2_LINES_NO_MEMORY
};

/*
 * The next line, without newline or a CR before it; it lasts until the next
 * call. 64 bytes behind it are readable.
 */
enum tr2_lines_result tr2_lines_next(struct tr2_lines *l, const char **line,
				     size_t *len);

/*
 * For who finds the ends of lines by reading them: what is there from the next
 * line on, up to *end, behind the last newline; 64 more bytes are readable. The
 * same text until something is taken. NULL: no whole line is there;
 * tr2_lines_next() goes and gets one.
 */
static inline const char *tr2_lines_ahead(const struct tr2_lines *l,
					  const char **end)
{
	*end = l->buf + l->whole;
	return l->at < l->whole && !l->skipping ? l->buf + l->at : NULL;
}

/* Takes the first line of that, which has len bytes before its newline. */
static inline void tr2_lines_take(struct tr2_lines *l, size_t len)
{
	l->at += len + 1;
	l->number++;
}

/* Looks at the start of the input, up to n bytes, without taking it. */
size_t tr2_lines_peek(struct tr2_lines *l, const char **text, size_t n);

#endif
