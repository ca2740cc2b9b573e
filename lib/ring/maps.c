/* SPDX-License-Identifier: MIT */
/* Executable mappings of this process, as records. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring/ring.h"
#include "ring/task.h"

#define LINE_BYTES 4608 /* a path of the longest kind, and what is before it */
#define MAX_TOLD 512

/* Mappings that were told, by a hash of their line; more are told again. */
static uint64_t told[MAX_TOLD];
static unsigned int nr_told;

void tr2_task_mmaps_reset(void)
{
	nr_told = 0;
}

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash(const char *s)
{
	uint64_t value = UINT64_C(14695981039346656037);

	for (; *s; s++)
		value = (value ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return value;
}

static bool is_new(const char *line)
{
	uint64_t value = hash(line);
	unsigned int i;

	for (i = 0; i < nr_told; i++)
		if (told[i] == value)
			return false;
	if (nr_told < MAX_TOLD)
		told[nr_told++] = value;
	return true;
}

/* The file's name, cut to what the ring may hold. */
static void put_mmap(const struct tr2_task *task, struct tr2_record_mmap *mmap,
		     const char *name)
{
	struct {
		struct tr2_record_mmap mmap;
		char name[LINE_BYTES];
	} record = { .mmap = *mmap };
	size_t most = tr2_arena_rings.data_size / 4 - sizeof(*mmap) - 8;
	size_t len = strlen(name);

	if (len > most)
		len = most;
	if (len > LINE_BYTES - 8)
		len = LINE_BYTES - 8;
	memset(record.name + len, 0, 8);
	memcpy(record.name, name, len);
	record.mmap.head.type = TR2_RECORD_MMAP;
	record.mmap.head.size = (uint16_t)((sizeof(*mmap) + len + 8) &
					   -(size_t)TR2_RECORD_ALIGN);
	record.mmap.pid = task->pid;
	record.mmap.tid = task->tid;
	tr2_ring_put(tr2_arena_totals(), &record);
}

/* "start-end rwxp offset major:minor inode   path" */
static void take_line(const struct tr2_task *task, const char *line)
{
	struct tr2_record_mmap mmap = { .pid = 0 };
	const char *rest, *name;
	char *end;
	unsigned int word;

	mmap.addr = strtoull(line, &end, 16);
	if (*end != '-')
		return;
	mmap.len = strtoull(end + 1, &end, 16) - mmap.addr;
	if (*end != ' ' || strlen(end) < 6 || end[3] != 'x' || !is_new(line))
		return;
	mmap.pgoff = strtoull(end + 6, &end, 16);
	rest = end;
	for (word = 0; word < 2; word++) {
		rest += strspn(rest, " ");
		rest += strcspn(rest, " ");
	}
	name = rest + strspn(rest, " ");
	put_mmap(task, &mmap, *name ? name : "//anon");
}

/* Takes the whole lines, and leaves the rest at the beginning. */
static size_t take_lines(const struct tr2_task *task, char *text, size_t len)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', len - (size_t)(line - text)))) {
		*end = '\0';
		take_line(task, line);
		line = end + 1;
	}
	len -= (size_t)(line - text);
	memmove(text, line, len);
	return len;
}

void tr2_task_mmaps(const struct tr2_task *task)
{
	char text[LINE_BYTES];
	size_t len = 0;
	ssize_t n;
	int fd;

	if (!tr2_arena_header())
		return;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (len < sizeof(text) &&
	       (n = read(fd, text + len, sizeof(text) - len)) > 0)
		len = take_lines(task, text, len + (size_t)n);
	close(fd);
}
