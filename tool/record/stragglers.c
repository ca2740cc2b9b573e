/* SPDX-License-Identifier: MIT */
/*
 * List the running descendants of this process from /proc, because the kernel's
 * records may be missing.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/watch.h"

#define MAX_SHOWN 1000
#define MAX_SEEN 65536

struct seen {
	int pid, ppid;
	char state;
	bool below;
	char comm[TR2_COMM_SIZE];
};

/* Parse "PID (COMM) STATE PPID …", where COMM may contain any character. */
static bool read_stat(const char *pid, struct seen *s)
{
	char path[300], text[512], *open, *close;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open)
		return false;
	memset(s, 0, sizeof(*s));
	s->pid = atoi(pid);
	n = (size_t)(close - open - 1);
	if (n > sizeof(s->comm) - 1)
		n = sizeof(s->comm) - 1;
	memcpy(s->comm, open + 1, n);
	return sscanf(close + 1, " %c %d", &s->state, &s->ppid) == 2;
}

static size_t read_all(struct seen *all, size_t max)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	size_t nr = 0;

	if (!d)
		return 0;
	while (nr < max && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			nr += read_stat(e->d_name, &all[nr]);
	closedir(d);
	return nr;
}

/* Mark the descendants of root, until no more are found. */
static void mark_below(struct seen *all, size_t nr, int root)
{
	bool more = true;
	size_t i, j;

	for (i = 0; i < nr; i++)
		all[i].below = all[i].ppid == root;
	while (more) {
		more = false;
		for (i = 0; i < nr; i++)
			for (j = 0; !all[i].below && j < nr; j++)
				if (all[j].below && all[j].pid == all[i].ppid)
					more = all[i].below = true;
	}
}

size_t tr2_watch_stragglers(struct tr2_straggler **out)
{
	struct seen *all = malloc(MAX_SEEN * sizeof(*all));
	size_t nr, i, found = 0;

	*out = calloc(MAX_SHOWN, sizeof(**out));
	nr = all && *out ? read_all(all, MAX_SEEN) : 0;
	mark_below(all, nr, getpid());
	for (i = 0; i < nr && found < MAX_SHOWN; i++) {
		if (!all[i].below || all[i].state == 'Z' || all[i].state == 'X')
			continue;
		(*out)[found].pid = all[i].pid;
		memcpy((*out)[found++].comm, all[i].comm, TR2_COMM_SIZE);
	}
	free(all);
	return found;
}
