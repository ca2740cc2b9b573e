/* SPDX-License-Identifier: MIT */
/* grown - implements read/grown.h. */
#include <unistd.h>

#include "common/grown.h"
#include "common/memory.h"

#define BLOCK 65536
/* Readers read a little past a line. */
#define PADDING 72

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
