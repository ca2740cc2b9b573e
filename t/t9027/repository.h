/* SPDX-License-Identifier: MIT */
struct repository {
	const char *worktree;
	int trace2_repo_id;
};
extern struct repository *the_repository;
