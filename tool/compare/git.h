/* SPDX-License-Identifier: MIT */
/* git - run Git commands in the current repository. */
#pragma once

#include <stddef.h>

#include "base/buf.h"

/*
 * Run `git ARGUMENTS…` (ended by NULL) with `input`, if not NULL, as standard
 * input. Append its output to `out`; NULL: discard the output. Discard its
 * standard error: the caller prints messages. Return Git's exit code; -1: Git
 * could not be run.
 */
int tr2_git(struct tr2_buf *out, const char *input, const char *const *argv);
#define tr2_git_run(out, input, ...) \
	tr2_git(out, input, (const char *const[]){ __VA_ARGS__, NULL })

/* Run Git without input; if it failed, append its reason to `why`. */
int tr2_git_why(struct tr2_buf *out, struct tr2_buf *why,
		const char *const *argv);
#define tr2_git_try(out, why, ...) \
	tr2_git_why(out, why, (const char *const[]){ __VA_ARGS__, NULL })

/*
 * Unset the variables that tie Git to one repository, index or work tree (`git
 * rev-parse --local-env-vars`): hooks and aliases have them. Otherwise Git in
 * another work tree, or a build that uses Git, would change the files of the
 * first one.
 */
void tr2_git_forget(void);

/* Return the output of a command without the newline at its end; the caller
 * frees it. NULL: the command failed. */
char *tr2_git_line(const char *const *argv);
#define tr2_git_text(...) \
	tr2_git_line((const char *const[]){ __VA_ARGS__, NULL })
