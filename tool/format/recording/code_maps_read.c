/* SPDX-License-Identifier: MIT */
/*
 * code_maps_read - read DIR/maps/PID-START.map: the functions that a process
 * generated, a line each, as `ADDRESS LENGTH NAME` with hexadecimal numbers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/lines.h"
#include "common/words.h"
#include "format/recording/code_maps_read.h"
#include "model/build/build.h"

/* Read a number and the space after it. Return the text after these, or NULL if
 * the text does not begin so. */
static const char *take_hex(const char *p, const char *end, uint64_t *number)
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

	p = take_hex(line, end, &f.addr);
	p = p ? take_hex(p, end, &f.len) : NULL;
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

static uint32_t task_of(const struct tr2_model *m, uint32_t first_task,
			int pid, int64_t start_ns)
{
	uint32_t i;

	for (i = first_task; i < m->nr_tasks; i++)
		if (m->tasks[i].pid == pid && m->tasks[i].start_ns == start_ns)
			return i;
	return 0;
}

void tr2_code_maps_load(struct tr2_model *m, const char *dir,
			uint32_t first_task)
{
	struct tr2_buf path = TR2_BUF_INIT, file = TR2_BUF_INIT;
	DIR *d = opendir(tr2_join(&path, dir, "maps"));
	struct dirent *e;
	uint64_t start;
	uint32_t task;
	int pid, fd;

	while (d && (e = readdir(d))) {
		if (sscanf(e->d_name, "%d-%" SCNu64, &pid, &start) != 2 ||
		    start > INT64_MAX / 4)
			continue;
		task = task_of(m, first_task, pid,
			       tr2_wall_ns((int64_t)start + m->meta_wall_ns -
					   m->meta_mono_ns));
		fd = task ? open(tr2_join(&file, tr2_buf_str(&path), e->d_name),
				 O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
		if (fd < 0)
			continue;
		read_map(m, task, fd, tr2_buf_str(&file));
		close(fd);
	}
	if (d)
		closedir(d);
	tr2_buf_release(&path);
	tr2_buf_release(&file);
}
