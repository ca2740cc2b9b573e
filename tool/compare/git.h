/* SPDX-License-Identifier: MIT */
/* git - run Git commands in the current repository. */
#pragma once

#include <stddef.h>

#include "base/buf.h"

/*
 * Run `git ARGUMENTS…`; NULL ends the arguments. `input` is the standard input,
 * unless it is NULL. Append Git's output to `out`; NULL: discard the output.
 * Discard Git's standard error: the caller prints messages. Return Git's exit
 * code; -1: Git could not be run.
 */
int tr2_git(struct tr2_buf *out, const char *input, const char *const *argv);
#define tr2_git_run(out, input, ...) \
	tr2_git(out, input, (const char *const[]){ __VA_ARGS__, NULL })

/* Run Git without input. If Git failed, append the reason to `why`. */
int tr2_git_why(struct tr2_buf *out, struct tr2_buf *why,
		const char *const *argv);
#define tr2_git_try(out, why, ...) \
	tr2_git_why(out, why, (const char *const[]){ __VA_ARGS__, NULL })

/*
 * Unset the variables that tie Git to one repository, index or work tree (`git
 * rev-parse --local-env-vars`). In hooks and aliases these are set: Git in
 * another work tree, or a build that uses Git, would change the files of that
 * repository.
 */
void tr2_git_forget(void);

/* Return the output of a Git command without the newline at its end; the caller
 * frees the text. NULL: the command failed. */
char *tr2_git_line(const char *const *argv);
#define tr2_git_text(...) \
	tr2_git_line((const char *const[]){ __VA_ARGS__, NULL })
