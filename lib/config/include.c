/* SPDX-License-Identifier: MIT */
/*
 * include.path.
 *
 * Reading ends whatever files include each other: their depth and their number
 * are bounded. Once a limit is reached, all further includes are ignored;
 * otherwise each file of a circle would read all the others again and again.
 */
#include "config/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fail_limit(struct tr2_config_reader *rd, const char *path,
		      const char *reason)
{
	rd->no_more = true;
	return tr2_config_fail(rd, path, 0, ELOOP, reason);
}

/* Whether one more file may be read; reports the fault. */
static int check_limits(struct tr2_config_reader *rd, const char *path)
{
	if (rd->depth >= TR2_CONFIG_MAX_DEPTH)
		return fail_limit(rd, path,
				  "includes nest deeper than 10 files");
	if (++rd->nr_files > TR2_CONFIG_MAX_FILES)
		return fail_limit(rd, path,
				  "more than 100 files are included");
	return 0;
}

/*
 * Resolve the path of a value, relative to the directory of `file`; the result
 * must be freed. Homes of other users and Git's prefix are not supported:
 * looking them up would load parts of libc, and may ask a server.
 */
static char *resolve(const struct tr2_config_reader *rd, const char *file,
		     const char *value)
{
	static const char prefix[] = "%(prefix)/";
	const char *slash = strrchr(file, '/');
	const char *home = rd->places.home;

	if (*value == '~')
		return home && value[1] == '/' ?
			       tr2_config_join(home, strlen(home), value + 1) :
			       NULL;
	if (!strncmp(value, prefix, strlen(prefix)))
		return NULL;
	if (*value == '/' || !slash)
		return tr2_config_join("", 0, value);
	return tr2_config_join(file, (size_t)(slash - file) + 1, value);
}

void tr2_config_include(struct tr2_config_reader *rd, const char *file,
			const char *value)
{
	char *path;

	if (rd->no_more)
		return;
	if (!value) {
		tr2_config_fail(rd, file, 0, EINVAL,
				"a path to include has no value");
		return;
	}
	path = resolve(rd, file, value);
	if (!path)
		tr2_config_fail(rd, file, 0, EINVAL,
				"a path to include cannot be expanded");
	else if (!check_limits(rd, path)) {
		rd->depth++;
		tr2_config_load(rd, path);
		rd->depth--;
	}
	free(path);
}
