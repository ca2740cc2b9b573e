/* SPDX-License-Identifier: MIT */
/*
 * bisect_tree - the user's repository, and temporary work trees beside the
 * user's, in which `trace2 bisect` builds and runs commits.
 *
 * The repository is found with the environment as it is, so that GIT_DIR and
 * similar variables count. Then they are unset: programs that run later must
 * not touch the user's index and files, which these variables name.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct tr2_bisect_repo {
	char *home;    /* the current directory */
	char *git_dir; /* an option: --git-dir=… of all its work trees */
	char *prefix;  /* the current directory in a work tree: "sub/" */
	char *dir;     /* temporary; NULL: it was not made */
	bool is_shallow;
};

/* A commit that the user named. */
struct tr2_bisect_rev {
	const char *option, *word;
	char *commit;
	char *text; /* 'word' (0123abcde) */
};

/* A work tree; it has the commit of the last checkout. */
struct tr2_bisect_tree {
	char *path;
	char *inside; /* the directory in it that has the current one's name */
};

/* These return -1 after an error message. */

int tr2_bisect_repo_find(struct tr2_bisect_repo *repo);
int tr2_bisect_rev_find(const struct tr2_bisect_repo *repo,
			struct tr2_bisect_rev *rev);
/* Is there a way from `good` to `bad`? *bases: commits from which both come, a
 * line each; NULL: `good` is the only one. */
int tr2_bisect_check_ends(const struct tr2_bisect_repo *repo,
			  const struct tr2_bisect_rev *good,
			  const struct tr2_bisect_rev *bad, char **bases);

/* Make the directory in TMPDIR, and forget the environment's repository. */
int tr2_bisect_repo_open(struct tr2_bisect_repo *repo);
/* Make a work tree of that name. */
int tr2_bisect_tree_add(struct tr2_bisect_tree *tree,
			const struct tr2_bisect_repo *repo, const char *name,
			const struct tr2_bisect_rev *rev);
/* Check a commit out, over whatever the build did to files that Git tracks. -1:
 * `why` is appended, and no message printed. */
int tr2_bisect_tree_checkout(const struct tr2_bisect_tree *tree,
			     const char *commit, struct tr2_buf *why);
/* Make its directory the current one. false: the commit does not have it. */
bool tr2_bisect_tree_enter(const struct tr2_bisect_tree *tree);

/* Remove the work tree. */
void tr2_bisect_tree_remove(struct tr2_bisect_tree *tree,
			    const struct tr2_bisect_repo *repo);
/* Remove the directory, whose work trees are removed. */
void tr2_bisect_repo_release(struct tr2_bisect_repo *repo);
void tr2_bisect_rev_release(struct tr2_bisect_rev *rev);
