/* SPDX-License-Identifier: MIT */
/*
 * Where config comes from: which files Git reads, and in what order.
 *
 * It promises that what is wrong with one source leaves the others alone.
 */
#include "session/config-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_FILE "/etc/gitconfig"

/* A top file of several: what is wrong with it does not touch the others. */
static int read_top(struct tr2_config_reader *rd, enum tr2_config_scope scope,
		    const char *path)
{
	int err;

	rd->scope = scope;
	rd->nr_files = 0;
	rd->endless = false;
	err = tr2_config_read(rd, path);
	return err > 0 ? err : 0;
}

/* Of one that few have: asking for it takes half the time of a vain attempt to
 * open it. */
static bool is_missing(const char *path)
{
	return access(path, F_OK) && errno == ENOENT;
}

/* The same for `dir` + `name`; of rare ones it asks before. */
static int read_top_in(struct tr2_config_reader *rd,
		       enum tr2_config_scope scope,
		       const char *dir, const char *name, bool is_rare)
{
	char *path = tr2_config_join(dir, name, "");
	int err = 0;

	if (!path) {
		tr2_config_fail(rd, name, 0, ENOMEM, NULL);
		return 0;
	}
	if (!is_rare || !is_missing(path))
		err = read_top(rd, scope, path);
	free(path);
	return err;
}

static int read_system(struct tr2_config_reader *rd)
{
	const char *no_system = getenv("GIT_CONFIG_NOSYSTEM");
	const char *path = getenv("GIT_CONFIG_SYSTEM");
	int off = 0;

	/* what is neither true nor false was meant to say something: obey */
	if (no_system && tr2_config_bool(no_system, &off))
		off = 1;
	if (off)
		return 0;
	if (path)
		return read_top(rd, TR2_CONFIG_SYSTEM, path);
	if (is_missing(SYSTEM_FILE))
		return 0;
	return read_top(rd, TR2_CONFIG_SYSTEM, SYSTEM_FILE);
}

static int read_global(struct tr2_config_reader *rd)
{
	const char *path = getenv("GIT_CONFIG_GLOBAL");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = rd->env.home;
	int err = 0;

	if (path)
		return read_top(rd, TR2_CONFIG_GLOBAL, path);
	if (xdg && *xdg)
		err = read_top_in(rd, TR2_CONFIG_GLOBAL, xdg, "/git/config",
				  true);
	else if (home)
		err = read_top_in(rd, TR2_CONFIG_GLOBAL, home,
				  "/.config/git/config", true);
	if (!err && home)
		err = read_top_in(rd, TR2_CONFIG_GLOBAL, home, "/.gitconfig",
				  false);
	return err;
}

static int read_system_and_global(struct tr2_config_reader *rd)
{
	int err = read_system(rd);

	return err ? err : read_global(rd);
}

int tr2_config_read_section(const char *section, bool thorough,
			    tr2_config_fn fn, void *cookie,
			    tr2_config_report_fn report)
{
	struct tr2_config_reader rd = {
		.fn = fn, .cookie = cookie,
		.section = section, .unchecked = section && !thorough,
		.env = {
			.includes = true,
			.home = getenv("HOME"),
			.report = report,
			.report_cookie = cookie,
		},
		.lenient = true,
		.source = read_system_and_global,
	};
	int err = read_system_and_global(&rd);

	tr2_config_urls_free(&rd);
	return err;
}

static int find_worktree_config(void *cookie, enum tr2_config_scope scope,
				const char *key, const char *value)
{
	bool *on = cookie;
	int truth;

	(void)scope;
	if (!strcmp(key, "extensions.worktreeconfig") &&
	    !tr2_config_bool(value, &truth))
		*on = truth;
	return 0;
}

/* Whether the repository says so itself: what it includes does not count. */
static bool has_worktree_config(const char *common_dir)
{
	char *path = tr2_config_join(common_dir, "/config", "");
	bool on = false;

	if (path)
		tr2_config_read_file(path, TR2_CONFIG_LOCAL, NULL,
				     find_worktree_config, &on);
	free(path);
	return on;
}

static int read_repo(struct tr2_config_reader *rd,
		     const struct tr2_config_repo *repo)
{
	int err = read_top_in(rd, TR2_CONFIG_LOCAL, repo->common_dir,
			      "/config", false);

	if (err || !has_worktree_config(repo->common_dir))
		return err;
	return read_top_in(rd, TR2_CONFIG_WORKTREE, repo->git_dir,
			   "/config.worktree", false);
}

/* A directory, and whether safe.directory names it. */
struct safety {
	const struct tr2_config_env *env;
	const char *dir;
	bool safe;
};

static int find_safe_dir(void *cookie, enum tr2_config_scope scope,
			 const char *key, const char *value)
{
	struct safety *s = cookie;
	char *path;

	(void)scope;
	if (strcmp(key, "safe.directory"))
		return 0;
	if (!value || !*value) {
		s->safe = false;
		return 0;
	}
	path = tr2_config_expand(s->env, value);
	if (path && (!strcmp(path, "*") || !strcmp(path, s->dir)))
		s->safe = true;
	free(path);
	return 0;
}

/* Asks only what the repository cannot say itself. */
static bool may_read_repo(const struct tr2_config_reader *rd,
			  const struct tr2_config_repo *repo)
{
	struct safety s = { .env = &rd->env, .dir = repo->owned_dir };
	struct tr2_config_reader other = {
		.fn = find_safe_dir, .cookie = &s, .env = rd->env,
		.lenient = true, .source = read_system_and_global,
	};

	if (!repo->foreign)
		return repo->git_dir;
	if (!s.dir)
		return false;
	other.env.git_dir = NULL;
	read_system_and_global(&other);
	tr2_config_read_command(&other);
	tr2_config_urls_free(&other);
	return s.safe;
}

static int read_all(struct tr2_config_reader *rd)
{
	const struct tr2_config_repo *repo = rd->source_arg;
	int err = read_system_and_global(rd);

	if (!err && rd->env.git_dir)
		err = read_repo(rd, repo);
	if (!err)
		err = tr2_config_read_command(rd);
	return err > 0 ? err : 0;
}

int tr2_config_list_all(tr2_config_fn fn, void *cookie)
{
	struct tr2_config_repo repo;
	struct tr2_config_reader rd = {
		.fn = fn, .cookie = cookie,
		.env = { .includes = true, .home = getenv("HOME") },
		.lenient = true,
		.source = read_all, .source_arg = &repo,
	};
	int err;

	/* without a repository there is still the rest */
	(void)tr2_config_repo_find(&repo);
	if (may_read_repo(&rd, &repo))
		rd.env.git_dir = repo.git_dir;
	err = read_all(&rd);
	tr2_config_urls_free(&rd);
	tr2_config_repo_release(&repo);
	return err;
}
