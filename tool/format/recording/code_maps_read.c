/* SPDX-License-Identifier: MIT */
/*
 * code_maps_read - read DIR/maps, the functions that processes generated. Each
 * line of PID-START.map has `ADDRESS LENGTH NAME`, with hexadecimal numbers.
 * PID-START.dump is a jitdump.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/lines.h"
#include "format/events/utf8.h"
#include "format/recording/code_maps_read.h"
#include "format/recording/jitdump_read.h"
#include "format/recording/kept_files.h"
#include "model/build/build.h"

/* `trace2 record` cuts a dump to this size. */
#define MOST_DUMP_BYTES (64u << 20)

/* Read a number and the space after it. Return the text after the space; NULL:
 * the text does not begin with a number. */
static const char *parse_hex(const char *p, const char *end, uint64_t *number)
{
	char *after;

	if (p == end || *p == '-' || *p == '+' || *p == ' ')
		return NULL;
	errno = 0;
	*number = strtoull(p, &after, 16);
	return errno || after >= end || *after != ' ' ? NULL : after + 1;
}

static bool add_line(struct tr2_model *m, uint32_t task, const char *line,
		     size_t len)
{
	const char *end = line + len, *p;
	struct tr2_code_function f = { .task = task };

	p = parse_hex(line, end, &f.addr);
	p = p ? parse_hex(p, end, &f.len) : NULL;
	if (!p || p == end || !f.len || f.addr > UINT64_MAX - f.len)
		return false;
	f.name = tr2_utf8_intern(m, p, (size_t)(end - p));
	tr2_build_code_function(m, &f);
	return true;
}

static void read_dump(struct tr2_model *m, uint32_t task, int fd,
		      const char *path)
{
	struct tr2_lines lines = { 0 };
	const char *data;
	size_t size;

	tr2_lines_start(&lines, fd);
	size = tr2_lines_peek(&lines, &data, MOST_DUMP_BYTES);
	tr2_jitdump_read(m, task, (const unsigned char *)data, size, path);
	tr2_lines_release(&lines);
}

static void read_map(struct tr2_model *m, uint32_t task, int fd,
		     const char *path)
{
	struct tr2_lines lines = { 0 };
	enum tr2_lines_result got;
	const char *line;
	size_t len;

	tr2_lines_start(&lines, fd);
	while ((got = tr2_lines_next(&lines, &line, &len)) == TR2_LINES_LINE ||
	       got == TR2_LINES_LAST)
		if (len && !add_line(m, task, line, len) &&
		    got == TR2_LINES_LINE)
			tr2_build_problem(m, TR2_PROBLEM_BAD_LINE,
					  tr2_intern(m, path, strlen(path)),
					  lines.number, "not a function");
	tr2_lines_release(&lines);
}

static void read_kept(struct tr2_model *m, uint32_t task, int fd,
		      const char *path)
{
	size_t len = strlen(path);

	if (len > 5 && !strcmp(path + len - 5, ".dump"))
		read_dump(m, task, fd, path);
	else
		read_map(m, task, fd, path);
}

void tr2_code_maps_load(struct tr2_model *m, const char *dir,
			uint32_t first_task)
{
	tr2_kept_files_load(m, dir, "maps", first_task, read_kept);
}
