/* SPDX-License-Identifier: MIT */
/*
 * lines - read a file in blocks and split it into lines. The incomplete line at
 * the end of a block moves to the front of the buffer. The buffer grows only
 * for a line that does not fit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/lines.h"
#include "common/memory.h"

#define FIRST_BYTES (256u * 1024)
#define PADDING 64

void tr2_lines_start(struct tr2_lines *l, int fd)
{
	l->fd = fd;
	l->at = l->len = l->whole = 0;
	l->number = l->nr_bytes = l->nr_long = l->first_long = 0;
	l->eof = l->skipping = false;
	l->error = 0;
}

void tr2_lines_release(struct tr2_lines *l)
{
	free(l->buf);
	l->buf = NULL;
	l->alloc = 0;
}

/* Enlarge the buffer and keep its content. */
static void make_room(struct tr2_lines *l)
{
	if (l->at) {
		memmove(l->buf, l->buf + l->at, l->len - l->at);
		l->len -= l->at;
		l->whole -= l->whole > l->at ? l->at : l->whole;
		l->at = 0;
	}
	if (l->buf && l->len < l->alloc)
		return;
	l->alloc = l->alloc ? l->alloc * 2 : FIRST_BYTES;
	l->buf = tr2_realloc(l->buf, 1, l->alloc + PADDING);
}

static void fill_buffer(struct tr2_lines *l)
{
	const char *newline;
	ssize_t n;

	if (l->eof)
		return;
	make_room(l);
	do
		n = read(l->fd, l->buf + l->len, l->alloc - l->len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		l->error = errno;
	if (n <= 0) {
		l->eof = true;
		return;
	}
	newline = memrchr(l->buf + l->len, '\n', (size_t)n);
	if (newline)
		l->whole = (size_t)(newline - l->buf) + 1;
	l->len += (size_t)n;
	/* Clear the bytes after the text: a JSON parser reads past the end of a
	 * line. */
	memset(l->buf + l->len, 0, PADDING);
	l->nr_bytes += (uint64_t)n;
}

size_t tr2_lines_peek(struct tr2_lines *l, const char **text, size_t n)
{
	while (l->len - l->at < n && !l->eof)
		fill_buffer(l);
	*text = l->buf + l->at;
	return l->len - l->at < n ? l->len - l->at : n;
}

static void note_long(struct tr2_lines *l)
{
	l->number++;
	if (!l->nr_long++)
		l->first_long = l->number;
	l->skipping = true;
}

/* Skip the rest of a long line, as far as it has been read. */
static void skip_line(struct tr2_lines *l)
{
	char *newline = l->len > l->at ? memchr(l->buf + l->at, '\n',
						l->len - l->at) :
					 NULL;

	l->at = newline ? (size_t)(newline - l->buf) + 1 : l->len;
	l->skipping = !newline;
}

static enum tr2_lines_result hand_out(struct tr2_lines *l, size_t end,
				      const char **line, size_t *len)
{
	*line = l->buf + l->at;
	*len = end - l->at;
	if (*len && (*line)[*len - 1] == '\r') {
		--*len;
		l->buf[end - 1] = '\n';
	}
	l->number++;
	return TR2_LINES_LINE;
}

/* Return the last line, if the input ends without a newline. */
static enum tr2_lines_result last_line(struct tr2_lines *l, const char **line,
				       size_t *len)
{
	size_t end = l->len;

	if (l->skipping || l->at == l->len)
		return TR2_LINES_END;
	make_room(l);
	end = l->len;
	l->buf[end] = '\n';
	hand_out(l, end, line, len);
	l->at = l->len;
	return TR2_LINES_LAST;
}

enum tr2_lines_result tr2_lines_next(struct tr2_lines *l, const char **line,
				     size_t *len)
{
	size_t searched = 0, end;
	char *newline;

	for (;;) {
		if (l->skipping)
			skip_line(l), searched = 0;
		newline = l->len - l->at > searched ?
				  memchr(l->buf + l->at + searched, '\n',
					 l->len - l->at - searched) :
				  NULL;
		if (newline && !l->skipping)
			break;
		searched = l->len - l->at;
		if (searched > TR2_LINE_MAX_BYTES) {
			note_long(l);
			l->at = l->len;
			searched = 0;
		}
		if (l->eof)
			return last_line(l, line, len);
		fill_buffer(l);
	}
	end = (size_t)(newline - l->buf);
	if (end - l->at > TR2_LINE_MAX_BYTES) {
		/* The whole long line is in the buffer: skip it, and keep the
		 * text after it. */
		note_long(l);
		l->at = end + 1;
		l->skipping = false;
		return tr2_lines_next(l, line, len);
	}
	hand_out(l, end, line, len);
	l->at = end + 1;
	return TR2_LINES_LINE;
}

#define BLOCK 65536

void tr2_grown_start(struct tr2_grown *g, int fd)
{
	memset(g, 0, sizeof(*g));
	g->fd = fd;
}

void tr2_grown_release(struct tr2_grown *g)
{
	tr2_buf_release(&g->text);
}

static bool read_block(struct tr2_grown *g)
{
	struct tr2_buf *b = &g->text;
	ssize_t n;

	b->len -= g->at;
	if (g->at && b->len)
		memmove(b->p, b->p + g->at, b->len);
	g->at = 0;
	tr2_must(tr2_buf_room(b, BLOCK + PADDING));
	n = read(g->fd, b->p + b->len, BLOCK);
	if (n > 0)
		b->len += (size_t)n;
	return n > 0;
}

bool tr2_grown_line(struct tr2_grown *g, const char **line, size_t *len)
{
	const char *newline = NULL;

	while (g->at == g->text.len ||
	       !(newline = memchr(g->text.p + g->at, '\n',
				  g->text.len - g->at)))
		if (!read_block(g))
			return false;
	*line = g->text.p + g->at;
	*len = (size_t)(newline - *line);
	g->at += *len + 1;
	g->number++;
	return true;
}
