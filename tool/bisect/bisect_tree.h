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
	char *home;    /* the user's current directory */
	char *git_dir; /* the option --git-dir=… for all work trees of the
			* repository */
	char *prefix;  /* the current directory, relative to the top of the work
			* tree: "sub/" */
	char *dir;     /* the temporary directory; NULL: it was not made */
	bool is_shallow;
};

/* A commit that the user named. */
struct tr2_bisect_rev {
	const char *option, *word;
	char *commit;
	char *text; /* 'word' (0123abcde) */
};

/* A work tree, with the commit of the last checkout. */
struct tr2_bisect_tree {
	char *path;
	char *inside; /* the directory in the work tree that corresponds to the
		       * user's current directory */
};

/* The functions below return -1 after an error message. */

int tr2_bisect_repo_find(struct tr2_bisect_repo *repo);
int tr2_bisect_rev_find(const struct tr2_bisect_repo *repo,
			struct tr2_bisect_rev *rev);
/* Check that the history can be searched from `good` to `bad`. Set *bases to
 * the merge bases of both, one per line; NULL: the only merge base is
 * `good`. */
int tr2_bisect_check_ends(const struct tr2_bisect_repo *repo,
			  const struct tr2_bisect_rev *good,
			  const struct tr2_bisect_rev *bad, char **bases);

/* Make the temporary directory in TMPDIR, and unset the environment variables
 * that name a repository. */
int tr2_bisect_repo_open(struct tr2_bisect_repo *repo);
/* Make a work tree of this name in the temporary directory. */
int tr2_bisect_tree_add(struct tr2_bisect_tree *tree,
			const struct tr2_bisect_repo *repo, const char *name,
			const struct tr2_bisect_rev *rev);
/* Check a commit out, and discard changes that the build made to tracked files.
 * On failure, append the reason to `why`, print nothing, and return -1. */
int tr2_bisect_tree_checkout(const struct tr2_bisect_tree *tree,
			     const char *commit, struct tr2_buf *why);
/* Change to the directory tree->inside. Return false if the commit does not
 * have it. */
bool tr2_bisect_tree_enter(const struct tr2_bisect_tree *tree);

/* Remove the work tree. */
void tr2_bisect_tree_remove(struct tr2_bisect_tree *tree,
			    const struct tr2_bisect_repo *repo);
/* Remove the temporary directory. Its work trees must have been removed. */
void tr2_bisect_repo_release(struct tr2_bisect_repo *repo);
void tr2_bisect_rev_release(struct tr2_bisect_rev *rev);
