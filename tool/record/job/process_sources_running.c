/* SPDX-License-Identifier: MIT */
/*
 * List running processes: the processes of the recording, or the descendants of
 * this process. Descendants are found in /proc, since the kernel's records may
 * be missing.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/job/process_sources.h"

#define MAX_SHOWN 1000
#define MAX_SEEN 65536

struct seen {
	struct tr2_procfs_stat stat;
	bool below;
};

static size_t read_all(struct seen *all, size_t max)
{
	DIR *d = tr2_procfs_open(TR2_PROCFS_ALL);
	size_t nr = 0;
	int32_t pid;

	while (d && nr < max && tr2_procfs_next(d, &pid))
		nr += tr2_procfs_stat(pid, 0, &all[nr].stat);
	if (d)
		closedir(d);
	return nr;
}

/* Mark the descendants of root. Repeat the pass until it finds no more. */
static void mark_below(struct seen *all, size_t nr, int root)
{
	bool more = true;
	size_t i, j;

	for (i = 0; i < nr; i++)
		all[i].below = all[i].stat.ppid == root;
	while (more) {
		more = false;
		for (i = 0; i < nr; i++)
			for (j = 0; !all[i].below && j < nr; j++)
				if (all[j].below &&
				    all[j].stat.pid == all[i].stat.ppid)
					more = all[i].below = true;
	}
}

/* Has the recorder children? Without children it has no descendants, since
 * orphans become its children. */
static bool has_children(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) ||
	       errno != ECHILD;
}

size_t tr2_watch_stragglers(struct tr2_straggler **out)
{
	struct seen *all;
	size_t nr, i, found = 0;

	*out = NULL;
	if (!has_children())
		return 0;
	all = malloc(MAX_SEEN * sizeof(*all));
	*out = calloc(MAX_SHOWN, sizeof(**out));
	nr = all && *out ? read_all(all, MAX_SEEN) : 0;
	mark_below(all, nr, getpid());
	for (i = 0; i < nr && found < MAX_SHOWN; i++) {
		const struct tr2_procfs_stat *s = &all[i].stat;

		if (!all[i].below || s->state == 'Z' || s->state == 'X')
			continue;
		(*out)[found].pid = s->pid;
		memcpy((*out)[found++].comm, s->comm, TR2_COMM_SIZE - 1);
	}
	free(all);
	return found;
}

size_t tr2_watch_running(const struct tr2_watch *w, struct tr2_straggler **out)
{
	size_t i, found = 0;

	*out = calloc(MAX_SHOWN, sizeof(**out));
	for (i = 0; *out && i < w->procs.nr && found < MAX_SHOWN; i++) {
		const struct tr2_proc *p = &w->procs.proc[i];

		if (p->ended)
			continue;
		(*out)[found].pid = p->pid;
		memcpy((*out)[found++].comm, p->comm, TR2_COMM_SIZE);
	}
	return found;
}
