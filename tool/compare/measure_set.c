/* SPDX-License-Identifier: MIT */
/*
 * measure_set - read the runs of one command. A recording, a file or a
 * directory of streams is one run. In a directory of recordings, as made by
 * `trace2 stat -o DIR`, each recording is a run, ordered by name (except
 * NAME.old).
 */
#include "compare/measure.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/options.h"
#include "format/read.h"

static bool is_incomplete(const struct tr2_model *m)
{
	uint32_t i;

	for (i = 1; i < m->nr_problems; i++)
		switch (m->problems[i].kind) {
		case TR2_PROBLEM_FILE:
		case TR2_PROBLEM_BAD_LINE:
		case TR2_PROBLEM_CUT_LINE:
			return true;
		default:
			break;
		}
	return false;
}

static int read_run(struct tr2_measures *ms, const char *path, bool quiet)
{
	struct tr2_load load = { &path, 1, quiet ? TR2_LOAD_QUIET : 0, NULL,
				 NULL };
	struct tr2_model *m = tr2_model_new();
	enum tr2_load_result result = tr2_load(m, &load);

	if (result == TR2_LOAD_OK) {
		tr2_measures_take(ms, m);
		ms->nr_incomplete += is_incomplete(m);
	}
	tr2_model_free(m);
	return result == TR2_LOAD_FAILED ? TR2_EXIT_FATAL : 0;
}

static bool is_recording(const char *dir, const char *name)
{
	char *path = tr2_strf("%s/%s/meta.json", dir, name);
	bool is = !access(path, F_OK);

	free(path);
	return is;
}

static int is_listed(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	/* Skip DIR.old, which is the recording that DIR replaced. */
	return entry->d_name[0] != '.' &&
	       (len < 4 || strcmp(entry->d_name + len - 4, ".old") != 0);
}

int tr2_set_read(struct tr2_measures *ms, const char *path, bool quiet)
{
	struct dirent **names = NULL;
	int nr = is_recording(path, ".") ?
			 0 : scandir(path, &names, is_listed, alphasort);
	bool is_set = false;
	int code = 0, i;
	char *run;

	for (i = 0; i < nr; i++) {
		if (!code && is_recording(path, names[i]->d_name)) {
			is_set = true;
			run = tr2_strf("%s/%s", path, names[i]->d_name);
			code = read_run(ms, run, quiet);
			free(run);
		}
		free(names[i]);
	}
	free(names);
	return is_set ? code : read_run(ms, path, quiet);
}
