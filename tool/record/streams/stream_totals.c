/* SPDX-License-Identifier: MIT */
/* Count the files, lines and bytes of recorded streams. */
#include "record/streams/stream_totals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/read.h"

#define HEAD "{\"event\":\"atexit\""
#define HEAD_BYTES (sizeof(HEAD) - 1)
#define FIRST "{\"event\":\"version"
_Static_assert(sizeof(FIRST) == sizeof(HEAD), "both heads have one length");
#define TAIL_BYTES 40u /* room for `,"lost":`, 20 digits and `}` */

/* The start and the end of a line that is read in blocks. */
struct line {
	uint64_t len;
	char head[HEAD_BYTES];
	char tail[TAIL_BYTES + 1];
	size_t nr_tail;
};

static void add_tail(struct line *l, const char *p, size_t n)
{
	size_t keep;

	if (n > TAIL_BYTES) {
		p += n - TAIL_BYTES;
		n = TAIL_BYTES;
	}
	keep = l->nr_tail + n > TAIL_BYTES ? TAIL_BYTES - n : l->nr_tail;
	memmove(l->tail, l->tail + l->nr_tail - keep, keep);
	memcpy(l->tail + keep, p, n);
	l->nr_tail = keep + n;
}

static void add_piece(struct line *l, const char *p, size_t n)
{
	if (l->len < HEAD_BYTES)
		memcpy(l->head + l->len, p,
		       n < HEAD_BYTES - l->len ? n : HEAD_BYTES - l->len);
	l->len += n;
	add_tail(l, p, n);
}

static void end_line(struct tr2_stream_totals *totals, struct line *l,
		     bool first)
{
	const char *lost;

	if (!l->len)
		return;
	totals->events++;
	if (first)
		totals->continued += l->len < HEAD_BYTES ||
				    memcmp(l->head, FIRST, HEAD_BYTES);
	l->tail[l->nr_tail] = '\0';
	if (l->len > HEAD_BYTES && !memcmp(l->head, HEAD, HEAD_BYTES)) {
		lost = strstr(l->tail, ",\"lost\":");
		if (lost)
			totals->lost += strtoull(lost + 8, NULL, 10);
	}
	l->len = 0;
	l->nr_tail = 0;
}

static void read_stream(struct tr2_stream_totals *totals, int fd)
{
	char buf[1 << 14];
	struct line l = { 0 };
	uint64_t before = totals->events;
	char *p, *end, *newline;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 ||
	       (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		totals->bytes += (uint64_t)n;
		for (p = buf, end = buf + n; p < end; p = newline + 1) {
			newline = memchr(p, '\n', (size_t)(end - p));
			add_piece(&l, p,
				  (size_t)((newline ? newline : end) - p));
			if (!newline)
				break;
			end_line(totals, &l, totals->events == before);
		}
	}
	end_line(totals, &l, totals->events == before);
}

static void take_file(struct tr2_stream_totals *totals, int dir_fd,
		      const char *name, bool read_it)
{
	int fd = openat(dir_fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		totals->files++;
		if (read_it)
			read_stream(totals, fd);
		else
			totals->bytes += (uint64_t)st.st_size;
	}
	close(fd);
}

static int walk_events(struct tr2_stream_totals *totals, int events_fd,
		       bool read_them)
{
	int fd = openat(events_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	memset(totals, 0, sizeof(*totals));
	if (!d) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && strcmp(e->d_name, TR2_DISCARD))
			take_file(totals, events_fd, e->d_name, read_them);
	closedir(d);
	return 0;
}

int tr2_stream_totals_read(struct tr2_stream_totals *totals, int events_fd)
{
	return walk_events(totals, events_fd, true);
}

int tr2_stream_totals_sizes(struct tr2_stream_totals *totals, int events_fd)
{
	return walk_events(totals, events_fd, false);
}
