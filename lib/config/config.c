/* SPDX-License-Identifier: MIT */
/*
 * Where configuration comes from: which files, and in what order.
 *
 * It promises that what is wrong with one file leaves the others alone.
 */
#include "config/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_FILE "/etc/gitconfig"

const char *tr2_config_scope_name(enum tr2_config_scope scope)
{
	return scope == TR2_CONFIG_SYSTEM ? "system" : "global";
}

char *tr2_config_join(const char *dir, size_t len, const char *name)
{
	size_t name_size = strlen(name) + 1;
	char *joined = malloc(len + name_size);

	if (joined) {
		memcpy(joined, dir, len);
		memcpy(joined + len, name, name_size);
	}
	return joined;
}

static void read_system(struct tr2_config_reader *rd)
{
	const char *no_system = getenv("GIT_CONFIG_NOSYSTEM");
	const char *path = getenv("GIT_CONFIG_SYSTEM");
	int off = 0;

	/* what is neither true nor false was meant to say something: obey */
	if (no_system && tr2_config_bool(no_system, &off))
		off = 1;
	if (off)
		return;
	rd->scope = TR2_CONFIG_SYSTEM;
	if (!path)
		path = rd->request->system_file;
	tr2_config_load(rd, path ? path : SYSTEM_FILE);
}

/* Of a file that few have: asking for it takes half the time of a vain attempt
 * to open it. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && errno == ENOENT;
}

static void read_in(struct tr2_config_reader *rd, const char *dir,
		    const char *name, bool is_rare)
{
	char *path = tr2_config_join(dir, strlen(dir), name);

	if (!path)
		tr2_config_fail(rd, name, 0, ENOMEM, NULL);
	else if (!is_rare || !is_missing(path))
		tr2_config_load(rd, path);
	free(path);
}

static void read_global(struct tr2_config_reader *rd)
{
	const char *path = getenv("GIT_CONFIG_GLOBAL");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	rd->scope = TR2_CONFIG_GLOBAL;
	if (path) {
		tr2_config_load(rd, path);
		return;
	}
	if (xdg && *xdg)
		read_in(rd, xdg, "/git/config", true);
	else if (home)
		read_in(rd, home, "/.config/git/config", true);
	if (home)
		read_in(rd, home, "/.gitconfig", false);
}

void tr2_config_read(const struct tr2_config_request *request)
{
	struct tr2_config_reader rd = { .request = request };

	read_system(&rd);
	read_global(&rd);
}

int tr2_config_read_file(const struct tr2_config_request *request,
			 enum tr2_config_scope scope, const char *path)
{
	struct tr2_config_reader rd = { .request = request, .scope = scope };

	return tr2_config_load(&rd, path);
}
