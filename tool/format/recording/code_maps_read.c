/* SPDX-License-Identifier: MIT */
/*
 * code_maps_read - read DIR/maps/PID-START.map, the functions that a process
 * generated. Each line has `ADDRESS LENGTH NAME`, with hexadecimal numbers.
 */
#include <errno.h>
#include <stdlib.h>

#include "common/lines.h"
#include "format/recording/code_maps_read.h"
#include "format/recording/kept_files.h"
#include "model/build/build.h"

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
	f.name = tr2_intern(m, p, (size_t)(end - p));
	tr2_build_code_function(m, &f);
	return true;
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

void tr2_code_maps_load(struct tr2_model *m, const char *dir,
			uint32_t first_task)
{
	tr2_kept_files_load(m, dir, "maps", first_task, read_map);
}
