/* SPDX-License-Identifier: MIT */
/*
 * include.path and includeIf.CONDITION.path.
 *
 * It promises that whatever files include each other, the reading ends: the
 * depth is bounded, and so is the number of files that one file may cause to
 * be read. A condition that it does not know is false, as in Git.
 */
#include "session/config-internal.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* The home directory of a user, to be freed; NULL: there is none. */
static char *home_of(const char *name)
{
	struct passwd pw, *found = NULL;
	size_t size = 16384;
	char *buf = malloc(size);
	char *home = NULL;

	if (buf && !getpwnam_r(name, &pw, buf, size, &found) && found)
		home = tr2_config_join(pw.pw_dir, "", "");
	free(buf);
	return home;
}

/* `~user` and what follows it. */
static char *expand_user(const char *path)
{
	size_t len = strcspn(path + 1, "/");
	char *name = strndup(path + 1, len);
	char *home = name ? home_of(name) : NULL;
	char *expanded = home ? tr2_config_join(home, path + 1 + len, "")
			      : NULL;

	free(home);
	free(name);
	return expanded;
}

char *tr2_config_expand(const struct tr2_config_env *env, const char *path)
{
	static const char prefix[] = "%(prefix)/";

	if (starts_with(path, prefix))
		return tr2_config_join(env->prefix ? env->prefix : "/usr", "/",
				       path + strlen(prefix));
	if (*path != '~')
		return tr2_config_join(path, "", "");
	if (path[1] && path[1] != '/')
		return expand_user(path);
	return env->home ? tr2_config_join(env->home, path + 1, "") : NULL;
}

/* A path relative to the directory of `file`; eats `path`. */
static char *beside(char *path, const char *file)
{
	const char *slash = strrchr(file, '/');
	char *dir, *joined;

	if (*path == '/' || !slash)
		return path;
	dir = strndup(file, (size_t)(slash - file) + 1);
	joined = dir ? tr2_config_join(dir, path, "") : NULL;
	free(dir);
	free(path);
	return joined;
}

static int fail_endless(struct tr2_config_reader *rd, const char *path,
			const char *reason)
{
	rd->endless = true;
	return tr2_config_fail(rd, path, 0, ELOOP, reason);
}

static int read_included(struct tr2_config_reader *rd, const char *path)
{
	int err;

	if (rd->depth >= TR2_CONFIG_MAX_DEPTH) {
		if (access(path, R_OK) && (errno == ENOENT || errno == ENOTDIR))
			return 0;
		return fail_endless(rd, path,
				    "includes nest deeper than 10 files");
	}
	if (++rd->nr_files > TR2_CONFIG_MAX_FILES)
		return fail_endless(rd, path,
				    "more than 1000 files are included");
	rd->depth++;
	err = tr2_config_read(rd, path);
	rd->depth--;
	return err == -ENOENT ? 0 : err;
}

static int include_path(struct tr2_config_reader *rd, const char *value)
{
	char *path;
	int err;

	if (!value)
		return tr2_config_fail(rd, rd->path, 0, EINVAL,
				       "a path to include has no value");
	path = tr2_config_expand(&rd->env, value);
	if (!path)
		return tr2_config_fail(rd, rd->path, 0, EINVAL,
				       "a path to include cannot be expanded");
	if (*path != '/' && !rd->path) {
		free(path);
		return tr2_config_fail(rd, "GIT_CONFIG_PARAMETERS", 0, EINVAL,
				       "a relative path to include must come "
				       "from a file");
	}
	if (rd->path)
		path = beside(path, rd->path);
	if (!path)
		return tr2_config_fail(rd, rd->path, 0, ENOMEM, NULL);
	err = read_included(rd, path);
	free(path);
	return err;
}

/*
 * A bad include fails its includer, or is left out. If includes that do not
 * end were left out, too, each file of a circle would read all the others
 * again and again.
 */
static int follow(struct tr2_config_reader *rd, const char *value)
{
	int err = include_path(rd, value);

	return err < 0 && rd->lenient && !rd->endless ? 0 : err;
}

/* A pattern that ends with a slash means all below. Eats it; NULL: no memory */
static char *add_all_below(char *pattern)
{
	size_t len = strlen(pattern);
	char *longer;

	if (!len || pattern[len - 1] != '/')
		return pattern;
	longer = tr2_config_join(pattern, "**", "");
	free(pattern);
	return longer;
}

/* A pattern for directories, and how much of it is no pattern. */
struct dir_pattern {
	char *text;
	size_t literal;
};

/* `./…`: begins with the directory of the file that says so. */
static char *pattern_beside(const struct tr2_config_reader *rd,
			    const char *pattern, size_t *literal)
{
	char *file = rd->path ? realpath(rd->path, NULL) : NULL;
	char *slash = file ? strrchr(file, '/') : NULL;
	char *joined = NULL;

	if (slash) {
		*slash = '\0';
		*literal = (size_t)(slash - file) + 1;
		joined = tr2_config_join(file, pattern + 1, "");
	}
	free(file);
	return joined;
}

/* `~/…`: the home directory without symbolic links; else as for a path. */
static char *expand_real(const struct tr2_config_env *env, const char *pattern)
{
	char *real, *expanded;

	if (*pattern != '~' || pattern[1] != '/')
		return tr2_config_expand(env, pattern);
	real = env->home ? realpath(env->home, NULL) : NULL;
	expanded = real ? tr2_config_join(real, pattern + 1, "") : NULL;
	free(real);
	return expanded;
}

static struct dir_pattern dir_pattern(const struct tr2_config_reader *rd,
				      const char *condition)
{
	struct dir_pattern dp = { 0 };
	char *pattern = expand_real(&rd->env, condition);

	if (!pattern)
		pattern = tr2_config_join(condition, "", "");
	if (!pattern)
		return dp;
	if (starts_with(pattern, "./"))
		dp.text = pattern_beside(rd, pattern, &dp.literal);
	else
		dp.text = tr2_config_join(*pattern == '/' ? "" : "**/",
					  pattern, "");
	free(pattern);
	if (dp.text)
		dp.text = add_all_below(dp.text);
	return dp;
}

static bool same_start(const char *a, const char *b, size_t len, bool fold)
{
	for (size_t i = 0; i < len; i++) {
		char ca = fold ? tr2_config_lower(a[i]) : a[i];
		char cb = fold ? tr2_config_lower(b[i]) : b[i];

		if (ca != cb || !ca)
			return false;
	}
	return true;
}

static bool dir_matches(const struct dir_pattern *dp, const char *dir,
			unsigned int flags)
{
	const char *pattern = dp->text + dp->literal;

	if (!same_start(dp->text, dir, dp->literal, flags & TR2_WILD_FOLD))
		return false;
	return tr2_config_wild(pattern, strlen(pattern), dir + dp->literal,
			       TR2_WILD_PATH | flags);
}

/* gitdir: the repository, by its real name or as it was found. */
static bool is_in_repo(const struct tr2_config_reader *rd,
		       const char *condition, unsigned int flags)
{
	const char *git_dir = rd->env.git_dir;
	struct dir_pattern dp;
	bool holds = false;
	char *real;

	if (!git_dir)
		return false;
	real = realpath(git_dir, NULL);
	dp = dir_pattern(rd, condition);
	if (dp.text)
		holds = (real && dir_matches(&dp, real, flags)) ||
			dir_matches(&dp, git_dir, flags);
	free(dp.text);
	free(real);
	return holds;
}

static bool is_on_branch(const struct tr2_config_reader *rd,
			 const char *condition)
{
	char *branch = NULL;
	char *pattern = NULL;
	bool holds;

	if (rd->env.git_dir)
		branch = tr2_config_branch(rd->env.git_dir);
	if (branch)
		pattern = tr2_config_join(condition, "", "");
	if (pattern)
		pattern = add_all_below(pattern);
	holds = pattern && tr2_config_wild(pattern, strlen(pattern), branch,
					   TR2_WILD_PATH);
	free(pattern);
	free(branch);
	return holds;
}

void tr2_config_urls_free(struct tr2_config_reader *rd)
{
	while (rd->urls) {
		struct tr2_config_url *url = rd->urls;

		rd->urls = url->next;
		free(url);
	}
}

/* Whether this is remote.NAME.url. */
static bool is_remote_url(const char *key)
{
	const char *name = key + strlen("remote.");
	const char *dot;

	if (!starts_with(key, "remote."))
		return false;
	dot = strrchr(name, '.');
	return dot && !strcmp(dot, ".url");
}

/* The cookie is the reader itself. */
static int collect_url(void *cookie, enum tr2_config_scope scope,
		       const char *key, const char *value)
{
	struct tr2_config_reader *rd = cookie;
	struct tr2_config_url *url;
	size_t size;

	(void)scope;
	if (!value || !is_remote_url(key))
		return 0;
	if (rd->no_urls)
		return tr2_config_fail(rd, rd->path, 0, EINVAL,
				       "a file that hasconfig includes must "
				       "not hold the URL of a remote");
	size = strlen(value) + 1;
	url = malloc(sizeof(*url) + size);
	if (!url)
		return tr2_config_fail(rd, rd->path, 0, ENOMEM, NULL);
	memcpy(url->text, value, size);
	url->next = rd->urls;
	rd->urls = url;
	return 0;
}

/*
 * Reads everything a second time for the URLs. What is wrong with a file will
 * be, or was, reported by the first reading; a lenient reader is told once.
 */
static int collect_urls(struct tr2_config_reader *rd)
{
	struct tr2_config_reader second = {
		.fn = collect_url, .cookie = &second,
		.env = rd->env, .scope = rd->scope, .lenient = rd->lenient,
		.source = rd->source, .source_arg = rd->source_arg,
		.collecting = true,
	};
	int err;

	if (rd->lenient)
		second.env.report = NULL;
	err = second.source(&second);
	rd->urls = second.urls;
	rd->urls_known = true;
	return err;
}

/* 1: some remote has such a URL; 0: none has. */
static int has_url(struct tr2_config_reader *rd, const char *pattern)
{
	int err = rd->urls_known ? 0 : collect_urls(rd);

	if (err < 0)
		return err;
	for (const struct tr2_config_url *u = rd->urls; u; u = u->next)
		if (tr2_config_wild(pattern, strlen(pattern), u->text,
				    TR2_WILD_PATH))
			return 1;
	return 0;
}

/*
 * While URLs are collected, what hangs on them is read only to see that it
 * adds none, which would make the condition depend on itself.
 */
static int include_by_url(struct tr2_config_reader *rd, const char *pattern,
			  const char *value)
{
	int err;

	if (!rd->collecting) {
		err = has_url(rd, pattern);
		return err > 0 ? follow(rd, value) : err;
	}
	rd->no_urls++;
	err = follow(rd, value);
	rd->no_urls--;
	return err;
}

/* The rest of the text if it starts with the prefix, else NULL. */
static const char *behind(const char *text, const char *prefix)
{
	return starts_with(text, prefix) ? text + strlen(prefix) : NULL;
}

static int include_if(struct tr2_config_reader *rd, const char *condition,
		      const char *value)
{
	const char *arg;
	bool holds = false;

	if ((arg = behind(condition, "hasconfig:remote.*.url:")))
		return include_by_url(rd, arg, value);
	if ((arg = behind(condition, "gitdir:")))
		holds = is_in_repo(rd, arg, 0);
	else if ((arg = behind(condition, "gitdir/i:")))
		holds = is_in_repo(rd, arg, TR2_WILD_FOLD);
	else if ((arg = behind(condition, "onbranch:")))
		holds = is_on_branch(rd, arg);
	return holds ? follow(rd, value) : 0;
}

int tr2_config_include(struct tr2_config_reader *rd,
		       const char *key, const char *value)
{
	const char *rest, *dot;
	char *condition;
	int err;

	if (!strcmp(key, "include.path"))
		return follow(rd, value);
	rest = behind(key, "includeif.");
	dot = rest ? strrchr(rest, '.') : NULL;
	if (!dot || strcmp(dot, ".path"))
		return 0;
	condition = strndup(rest, (size_t)(dot - rest));
	if (!condition)
		return tr2_config_fail(rd, rd->path, 0, ENOMEM, NULL);
	err = include_if(rd, condition, value);
	free(condition);
	return err;
}
