/* SPDX-License-Identifier: MIT */
/* Read files of /proc line by line. */
#include "record/observer/proc_lines.h"

#include <string.h>

bool tr2_proc_lines_open(struct tr2_proc_lines *l, pid_t pid, const char *name)
{
	char path[64];

	if (pid)
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	else
		snprintf(path, sizeof(path), "/proc/%s", name);
	l->file = fopen(path, "re");
	return l->file != NULL;
}

static bool skip_rest(FILE *file)
{
	int c;

	do
		c = getc(file);
	while (c != EOF && c != '\n');
	return c != EOF;
}

bool tr2_proc_lines_next(struct tr2_proc_lines *l)
{
	size_t len;

	while (fgets(l->line, sizeof(l->line), l->file)) {
		len = strlen(l->line);
		if (len && l->line[len - 1] == '\n') {
			l->line[len - 1] = '\0';
			return true;
		}
		if (!skip_rest(l->file))
			break;
	}
	tr2_proc_lines_close(l);
	return false;
}

void tr2_proc_lines_close(struct tr2_proc_lines *l)
{
	if (l->file)
		fclose(l->file);
	l->file = NULL;
}
