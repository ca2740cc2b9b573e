/* SPDX-License-Identifier: MIT */
/* Find the user's repository, and make temporary work trees for `trace2
 * bisect`. */
#include "bisect/bisect_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/say.h"
#include "compare/git.h"

#define SHALLOW                                                               \
	"this clone is shallow, and its history ends before that ('git fetch " \
	"--unshallow' gets the rest)"

/* Cut the first line off *rest, and return it. */
static char *next_line(char **rest)
{
	char *line = *rest, *end = line + strcspn(line, "\n");

	*rest = end + (*end == '\n');
	*end = '\0';
	return line;
}

int tr2_bisect_repo_find(struct tr2_bisect_repo *repo)
{
	struct tr2_buf out = TR2_BUF_INIT, why = TR2_BUF_INIT;
	char *rest, *common;
	int ret = tr2_git_try(&out, &why, "rev-parse", "--git-common-dir",
			      "--is-shallow-repository", "--show-prefix");

	repo->home = getcwd(NULL, 0);
	if (ret || !repo->home) {
		tr2_error("there is no Git repository here: %s",
			  ret ? tr2_buf_str(&why) : strerror(errno));
		ret = -1;
	} else {
		tr2_buf_addch(&out, '\0');
		tr2_must(!out.failed);
		rest = out.p;
		common = realpath(next_line(&rest), NULL);
		repo->git_dir = tr2_strf("--git-dir=%s", common ? common : "");
		repo->is_shallow = !strcmp(next_line(&rest), "true");
		repo->prefix = tr2_strdup(next_line(&rest));
		free(common);
	}
	tr2_buf_release(&out);
	tr2_buf_release(&why);
	return ret;
}

static void say_no_commit(const struct tr2_bisect_repo *repo,
			  const struct tr2_bisect_rev *rev)
{
	char *head = tr2_git_text("rev-parse", "-q", "--verify", "HEAD");
	char *type = tr2_git_text("cat-file", "-t", rev->word);

	if (type)
		tr2_error("%s '%s' names a %s of this repository, not a commit",
			  rev->option, rev->word, type);
	else
		tr2_error("%s: this repository has no commit '%s'%s%s",
			  rev->option, rev->word,
			  head ? "" : ": nothing was committed yet to the "
				      "current branch",
			  head && repo->is_shallow ? ": " SHALLOW : "");
	free(head);
	free(type);
}

int tr2_bisect_rev_find(const struct tr2_bisect_repo *repo,
			struct tr2_bisect_rev *rev)
{
	char *name = tr2_strf("%s^{commit}", rev->word);

	rev->commit = tr2_git_text("rev-parse", "--verify", "-q", name);
	free(name);
	if (!rev->commit) {
		say_no_commit(repo, rev);
		return -1;
	}
	rev->text = strncmp(rev->commit, rev->word, strlen(rev->word)) ?
			    tr2_strf("'%s' (%.9s)", rev->word, rev->commit) :
			    tr2_strf("'%.9s'", rev->commit);
	return 0;
}

static bool comes_before(const struct tr2_bisect_rev *a,
			 const struct tr2_bisect_rev *b)
{
	return !tr2_git_run(NULL, NULL, "merge-base", "--is-ancestor",
			    a->commit, b->commit);
}

int tr2_bisect_check_ends(const struct tr2_bisect_repo *repo,
			  const struct tr2_bisect_rev *good,
			  const struct tr2_bisect_rev *bad, char **bases)
{
	struct tr2_buf out = TR2_BUF_INIT;
	int ret = -1;

	*bases = NULL;
	if (!strcmp(good->commit, bad->commit)) {
		tr2_error("--good %s and --bad %s are the same commit",
			  good->text, bad->text);
	} else if (comes_before(good, bad)) {
		ret = 0;
	} else if (comes_before(bad, good)) {
		tr2_error("--bad %s comes before --good %s: exchange them "
			  "(that finds an improvement, too)", bad->text,
			  good->text);
	} else if (!tr2_git_run(&out, NULL, "merge-base", "--all", good->commit,
				bad->commit)) {
		*bases = tr2_strdup(tr2_buf_str(&out));
		ret = 0;
	} else {
		tr2_error("--bad %s does not come from --good %s: %s",
			  bad->text, good->text,
			  repo->is_shallow ? SHALLOW :
			  "their histories have no commit in common");
	}
	tr2_buf_release(&out);
	return ret;
}

int tr2_bisect_repo_open(struct tr2_bisect_repo *repo)
{
	const char *tmp = getenv("TMPDIR");
	const char *from = tmp && *tmp ? tmp : "/tmp";
	char *top = realpath(from, NULL);

	repo->dir = top ? tr2_strf("%s/trace2-bisect-XXXXXX", top) : NULL;
	if (!top || !mkdtemp(repo->dir)) {
		tr2_error("cannot make a directory in '%s': %s (TMPDIR chooses "
			  "another place)", from, strerror(errno));
		free(repo->dir);
		repo->dir = NULL;
		free(top);
		return -1;
	}
	/* Make the path absolute: builds run in another directory, where a
	 * relative path would name another place. */
	if (tmp && *tmp)
		setenv("TMPDIR", top, 1);
	free(top);
	tr2_git_forget();
	return 0;
}

int tr2_bisect_tree_add(struct tr2_bisect_tree *tree,
			const struct tr2_bisect_repo *repo, const char *name,
			const struct tr2_bisect_rev *rev)
{
	struct tr2_buf why = TR2_BUF_INIT;
	int ret;

	tree->path = tr2_strf("%s/%s", repo->dir, name);
	tree->inside = tr2_strf("%s/%s", tree->path, repo->prefix);
	/* Remove the slash at the end: the path in PWD ends without a slash. */
	tree->inside[strlen(tree->inside) - 1] = '\0';
	ret = tr2_git_try(NULL, &why, repo->git_dir, "worktree", "add",
			  "--detach", tree->path, rev->commit);
	if (ret)
		tr2_error("cannot make a work tree of %s in '%s': %s",
			  rev->text, tree->path, tr2_buf_str(&why));
	tr2_buf_release(&why);
	return ret ? -1 : 0;
}

int tr2_bisect_tree_checkout(const struct tr2_bisect_tree *tree,
			     const char *commit, struct tr2_buf *why)
{
	/* Go to another directory: Git does not remove the directory in which
	 * it runs. */
	if (chdir(tree->path)) {
		tr2_buf_addstr(why, strerror(errno));
		return -1;
	}
	return tr2_git_try(NULL, why, "checkout", "-q", "-f", "--detach",
			   commit) ? -1 : 0;
}

bool tr2_bisect_tree_enter(const struct tr2_bisect_tree *tree)
{
	if (chdir(tree->inside))
		return false;
	setenv("PWD", tree->inside, 1);
	return true;
}

void tr2_bisect_tree_remove(struct tr2_bisect_tree *tree,
			    const struct tr2_bisect_repo *repo)
{
	struct tr2_buf why = TR2_BUF_INIT;

	if (!tree->path)
		return;
	/* Go to another directory: Git does not remove the directory in which
	 * it runs. */
	if (chdir(repo->home))
		tr2_warning("cannot go back to '%s': %s", repo->home,
			    strerror(errno));
	if (tr2_git_try(NULL, &why, repo->git_dir, "worktree", "remove",
			"--force", tree->path) &&
	    !access(tree->path, F_OK))
		tr2_warning("cannot remove the work tree '%s': %s (see 'git "
			    "worktree remove')", tree->path, tr2_buf_str(&why));
	tr2_buf_release(&why);
	free(tree->path);
	free(tree->inside);
}

void tr2_bisect_repo_release(struct tr2_bisect_repo *repo)
{
	if (repo->dir)
		rmdir(repo->dir);
	free(repo->home);
	free(repo->git_dir);
	free(repo->prefix);
	free(repo->dir);
}

void tr2_bisect_rev_release(struct tr2_bisect_rev *rev)
{
	free(rev->commit);
	free(rev->text);
}
