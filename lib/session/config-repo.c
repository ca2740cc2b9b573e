/* SPDX-License-Identifier: MIT */
/*
 * Finds the Git repository around the current directory, and its branch.
 *
 * It only looks: what makes Git fail (a .git file that points nowhere, a
 * GIT_DIR that is none) means here that there is no repository.
 */
#include "session/config-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `path` as seen from `dir`, to be freed. */
static char *path_from(const char *dir, const char *path)
{
	if (*path == '/')
		return tr2_config_join(path, "", "");
	return tr2_config_join(dir, "/", path);
}

static bool exists_in(const char *dir, const char *name)
{
	char *path = tr2_config_join(dir, "/", name);
	struct stat st;
	bool exists = path && !lstat(path, &st);

	free(path);
	return exists;
}

/* The directory that holds what the worktrees share, to be freed. */
static char *common_dir_of(const char *git_dir)
{
	const char *given = getenv("GIT_COMMON_DIR");
	char *path, *line, *dir;

	if (given)
		return tr2_config_join(given, "", "");
	path = tr2_config_join(git_dir, "/commondir", "");
	line = path ? tr2_config_first_line(path) : NULL;
	dir = line && *line ? path_from(git_dir, line)
			    : tr2_config_join(git_dir, "", "");
	free(line);
	free(path);
	return dir;
}

/* Whether this is a repository; if so, it and its common directory are set. */
static bool try_git_dir(struct tr2_config_repo *repo, const char *dir)
{
	char *common = exists_in(dir, "HEAD") ? common_dir_of(dir) : NULL;

	if (common && exists_in(common, "refs") &&
	    (getenv("GIT_OBJECT_DIRECTORY") || exists_in(common, "objects")))
		repo->git_dir = tr2_config_join(dir, "", "");
	if (repo->git_dir)
		repo->common_dir = common;
	else
		free(common);
	return repo->git_dir;
}

/* Where a file `gitdir: PATH` points, to be freed; NULL: it is none. */
static char *follow_git_file(const char *path, const char *dir)
{
	static const char label[] = "gitdir: ";
	char *line = tr2_config_first_line(path);
	char *target = NULL;

	if (line && !strncmp(line, label, strlen(label)))
		target = path_from(dir, line + strlen(label));
	free(line);
	return target;
}

/* A path that is a repository, or a file that points to one. */
static bool try_path(struct tr2_config_repo *repo, const char *path,
		     const char *dir)
{
	struct stat st;
	char *target;
	bool found;

	if (stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return try_git_dir(repo, path);
	target = follow_git_file(path, dir);
	found = target && try_git_dir(repo, target);
	free(target);
	return found;
}

/* Whether it belongs to this user, or to who became root by sudo. */
static bool is_ours(const char *path)
{
	const char *sudo = getenv("SUDO_UID");
	struct stat st;
	char *end;

	if (lstat(path, &st))
		return false;
	if (st.st_uid == geteuid())
		return true;
	return !geteuid() && sudo && *sudo &&
	       strtoul(sudo, &end, 10) == st.st_uid && !*end;
}

/* The directory itself (a bare repository) or its .git. */
static bool try_dir(struct tr2_config_repo *repo, const char *dir)
{
	char *dot_git = tr2_config_join(dir, "/.git", "");
	bool worktree = dot_git && try_path(repo, dot_git, dir);
	bool found = worktree || try_git_dir(repo, dir);

	if (found) {
		repo->foreign = !is_ours(repo->git_dir) ||
				(worktree && !is_ours(dot_git)) ||
				(worktree && !is_ours(dir));
		repo->owned_dir = tr2_config_join(worktree ? dir :
						  repo->git_dir, "", "");
	}
	free(dot_git);
	return found;
}

/* Whether the search must not go up to this directory. */
static bool is_ceiling(const char *dir)
{
	const char *list = getenv("GIT_CEILING_DIRECTORIES");
	size_t len = strlen(dir);

	while (list && *list) {
		size_t item = strcspn(list, ":");
		size_t bare = item;

		while (bare > 1 && list[bare - 1] == '/')
			bare--;
		if (bare == len && !memcmp(list, dir, len))
			return true;
		list += item + (list[item] == ':');
	}
	return false;
}

static bool is_other_device(const char *dir, dev_t device)
{
	const char *across = getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM");
	struct stat st;
	int on;

	if (across && !tr2_config_bool(across, &on) && on)
		return false;
	return stat(dir, &st) || st.st_dev != device;
}

/* Shortens `dir` from parent to parent until one has a repository. */
static void search_up(struct tr2_config_repo *repo, char *dir, dev_t device)
{
	while (!try_dir(repo, dir)) {
		char *slash = strrchr(dir, '/');

		if (!slash || !dir[1])
			return;
		slash[slash == dir] = '\0';
		if (is_ceiling(dir) || is_other_device(dir, device))
			return;
	}
}

int tr2_config_repo_find(struct tr2_config_repo *repo)
{
	const char *given = getenv("GIT_DIR");
	struct stat st;
	char *cwd;

	*repo = (struct tr2_config_repo){ 0 };
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return -errno;
	if (given) {
		char *path = path_from(cwd, given);

		if (path)
			try_path(repo, path, cwd);
		free(path);
	} else if (!stat(cwd, &st)) {
		search_up(repo, cwd, st.st_dev);
	}
	free(cwd);
	return 0;
}

void tr2_config_repo_release(struct tr2_config_repo *repo)
{
	free(repo->git_dir);
	free(repo->common_dir);
	free(repo->owned_dir);
	*repo = (struct tr2_config_repo){ 0 };
}

char *tr2_config_branch(const char *git_dir)
{
	static const char label[] = "ref:";
	static const char heads[] = "refs/heads/";
	char *path = tr2_config_join(git_dir, "/HEAD", "");
	char *line = path ? tr2_config_first_line(path) : NULL;
	char *branch = NULL;

	if (line && !strncmp(line, label, strlen(label))) {
		const char *ref = line + strlen(label);

		while (tr2_config_is_space(*ref))
			ref++;
		if (!strncmp(ref, heads, strlen(heads)))
			branch = tr2_config_join(ref + strlen(heads), "", "");
	}
	free(line);
	free(path);
	return branch;
}
