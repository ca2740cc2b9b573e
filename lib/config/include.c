/* SPDX-License-Identifier: MIT */
/*
 * include.path.
 *
 * It promises that whatever files include each other, the reading ends: the
 * depth is bounded, and so is the number of files. Once a limit is met, what
 * is still to be included is left out, or each file of a circle would read all
 * the others again and again.
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

/* Whether one file more may be read; the fault is told. */
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
 * The path that a value means, beside `file` if it is relative; to be freed.
 * Neither homes of other users are known here, nor where Git is installed: to
 * look for them would load parts of libc, and may ask a server.
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
