/* SPDX-License-Identifier: MIT */
/* Create and replace the directory of a set of runs. */
#include "compare/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/say.h"
#include "record/store.h"

#define RUN_PREFIX "run-"

static int is_listed(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 &&
	       strcmp(entry->d_name, "..") != 0;
}

static bool is_run(const char *dir, const char *name)
{
	struct stat st;
	char *path;
	bool is;

	if (strncmp(name, RUN_PREFIX, strlen(RUN_PREFIX)) != 0)
		return false;
	path = tr2_strf("%s/%s/" TR2_STORE_META, dir, name);
	is = !lstat(path, &st) && S_ISREG(st.st_mode);
	free(path);
	return is;
}

static void free_names(struct dirent **names, int nr)
{
	while (nr-- > 0)
		free(names[nr]);
	free(names);
}

/* List the runs of an earlier set. -1: the path is not a set, and an error was
 * printed. */
static int list_set(const char *path, struct dirent ***names)
{
	int nr = scandir(path, names, is_listed, alphasort), i;

	if (nr < 0) {
		tr2_error("cannot keep runs in '%s': %s (use -o DIR)", path,
			  strerror(errno));
		return -1;
	}
	for (i = 0; i < nr; i++)
		if (!is_run(path, (*names)[i]->d_name)) {
			tr2_error("will not replace '%s': it holds '%s', which "
				  "is not a run of 'trace2 stat' (use -o DIR)",
				  path, (*names)[i]->d_name);
			free_names(*names, nr);
			return -1;
		}
	return nr;
}

static int remove_set(const char *path)
{
	struct dirent **names;
	int nr, i, ret = 0;
	char *run;

	if (access(path, F_OK) && errno == ENOENT)
		return 0;
	nr = list_set(path, &names);
	for (i = 0; i < nr && !ret; i++) {
		run = tr2_strf("%s/%s", path, names[i]->d_name);
		ret = tr2_store_remove(run);
		free(run);
	}
	if (nr < 0)
		return -1;
	free_names(names, nr);
	return ret ? ret : rmdir(path);
}

/* Move the earlier set at `path` to PATH.old. Remove an empty set. */
static int move_to_old(const char *path)
{
	struct dirent **names;
	int nr = list_set(path, &names);

	if (nr < 0)
		return -1;
	free_names(names, nr);
	return nr ? tr2_store_move_away(path, remove_set) : rmdir(path);
}

static int make_temporary(struct tr2_rundir *dir)
{
	const char *tmp = getenv("TMPDIR");

	dir->temporary = true;
	dir->path = tr2_strf("%s/trace2-stat-XXXXXX",
			     tmp && *tmp ? tmp : "/tmp");
	if (mkdtemp(dir->path))
		return 0;
	tr2_error("cannot create directory '%s': %s (use -o DIR for another "
		  "place)", dir->path, strerror(errno));
	free(dir->path);
	dir->path = NULL;
	return -1;
}

int tr2_rundir_open(struct tr2_rundir *dir, const char *path)
{
	size_t len;

	*dir = (struct tr2_rundir){ NULL, false };
	if (!path)
		return make_temporary(dir);
	for (len = strlen(path); len > 1 && path[len - 1] == '/';)
		len--;
	dir->path = tr2_strf("%.*s", (int)len, path);
	if (access(path, F_OK) || !move_to_old(dir->path)) {
		if (!mkdir(dir->path, 0700))
			return 0;
		tr2_error("cannot create '%s': %s (use -o DIR for another "
			  "place)", path, strerror(errno));
	}
	free(dir->path);
	dir->path = NULL;
	return -1;
}

char *tr2_rundir_run(const struct tr2_rundir *dir, unsigned int nr)
{
	return tr2_strf("%s/" RUN_PREFIX "%04u", dir->path, nr);
}

void tr2_rundir_close(struct tr2_rundir *dir)
{
	if (dir->path && dir->temporary)
		rmdir(dir->path);
	free(dir->path);
	dir->path = NULL;
}
