/* SPDX-License-Identifier: MIT */
/*
 * ninja_log_read - read DIR/targets/PID-START.ninja_log. The first line is `#
 * ninja log v5`. Each later line describes a file that was made: start and end
 * of the command in ms, the time of the file, its name, and a hash of the
 * command. Versions 5 and 6 have one hash, version 7 (ninja 1.13) another.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/lines.h"
#include "common/memory.h"
#include "format/events/utf8.h"
#include "format/recording/kept_files.h"
#include "format/recording/ninja_log_read.h"
#include "model/build/build.h"

#define NR_FIELDS 5

/* Split a line at tabs. Return false if it does not have five fields. */
static bool split_fields(char *line, char *field[NR_FIELDS])
{
	size_t i;

	for (i = 0; i < NR_FIELDS; i++) {
		field[i] = line;
		line += strcspn(line, "\t");
		if ((*line != '\0') != (i < NR_FIELDS - 1))
			return false;
		*line++ = '\0';
	}
	return true;
}

static bool add_line(struct tr2_model *m, uint32_t task, uint32_t version,
		     char *line)
{
	struct tr2_build_command command = { .task = task, .version = version };
	char *field[NR_FIELDS];

	if (!split_fields(line, field) ||
	    sscanf(field[0], "%" SCNd64, &command.from_ms) != 1 ||
	    sscanf(field[1], "%" SCNd64, &command.to_ms) != 1 ||
	    sscanf(field[4], "%" SCNx64, &command.hash) != 1 || !*field[3] ||
	    !tr2_utf8_valid(field[3], strlen(field[3])))
		return false;
	command.target = tr2_intern(m, field[3], strlen(field[3]));
	tr2_build_command(m, &command);
	return true;
}

/* Return the version of the hash; 0: unknown. */
static uint32_t version_of(const char *line)
{
	unsigned int version;

	return sscanf(line, "# ninja log v%u", &version) != 1 || version < 5 ||
			       version > 7 ? 0 : version < 7 ? 6 : 7;
}

static void read_log(struct tr2_model *m, uint32_t task, int fd,
		     const char *path)
{
	struct tr2_buf copy = TR2_BUF_INIT;
	struct tr2_lines lines = { 0 };
	enum tr2_lines_result got;
	uint32_t version = 0;
	const char *line;
	size_t len;

	tr2_lines_start(&lines, fd);
	while ((got = tr2_lines_next(&lines, &line, &len)) == TR2_LINES_LINE) {
		tr2_buf_reset(&copy);
		tr2_buf_add(&copy, line, len);
		tr2_buf_addch(&copy, '\0');
		tr2_must(!copy.failed);
		if (lines.number == 1) {
			version = version_of(copy.p);
			if (version)
				continue;
			tr2_build_problem(m, TR2_PROBLEM_NEWER,
					  tr2_intern(m, path, strlen(path)), 1,
					  "unknown version of ninja's log: its "
					  "targets are not used");
			break;
		}
		if (!add_line(m, task, version, copy.p))
			tr2_build_problem(m, TR2_PROBLEM_BAD_LINE,
					  tr2_intern(m, path, strlen(path)),
					  lines.number, "not a line of ninja");
	}
	tr2_lines_release(&lines);
	tr2_buf_release(&copy);
}

void tr2_ninja_logs_load(struct tr2_model *m, const char *dir,
			 uint32_t first_task)
{
	tr2_kept_files_load(m, dir, "targets", first_task, read_log);
}
