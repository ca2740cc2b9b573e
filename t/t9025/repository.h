/* SPDX-License-Identifier: MIT */
/* What the adapter uses of this header of Git; written for the test. */
struct repository {
	const char *worktree;
	int trace2_repo_id;
};
extern struct repository *the_repository;
