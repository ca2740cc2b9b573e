/* SPDX-License-Identifier: MIT */
/* git - run Git commands in the current repository. */
#pragma once

#include <stddef.h>

#include "base/buf.h"

/*
 * Run `git ARGUMENTS…` (ended by NULL) with `input`, if it is not NULL, as
 * standard input. Its output goes to `out`; NULL: it is discarded, as is what it
 * says on stderr: messages are the caller's. Return its exit code; -1: it could
 * not be run.
 */
int tr2_git(struct tr2_buf *out, const char *input, const char *const *argv);
#define tr2_git_run(out, input, ...) \
	tr2_git(out, input, (const char *const[]){ __VA_ARGS__, NULL })

/* The same without input; if it failed, append Git's reason to `why`. */
int tr2_git_why(struct tr2_buf *out, struct tr2_buf *why,
		const char *const *argv);
#define tr2_git_try(out, why, ...) \
	tr2_git_why(out, why, (const char *const[]){ __VA_ARGS__, NULL })

/*
 * Unset the variables that tie Git to one repository, one index or one work tree
 * (`git rev-parse --local-env-vars`): hooks and aliases have them. With them, Git
 * in another work tree, or a build that uses it, changes the files of the first.
 */
void tr2_git_forget(void);

/* Return the output of a command without the newline at its end, to be freed;
 * NULL: it failed. */
char *tr2_git_line(const char *const *argv);
#define tr2_git_text(...) tr2_git_line((const char *const[]){ __VA_ARGS__, NULL })
