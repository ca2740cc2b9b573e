/* SPDX-License-Identifier: MIT */
/*
 * split_command - split a command line into words as a shell would, if it needs
 * no shell.
 */
#pragma once

/*
 * Blanks separate words; '...', "..." and a backslash quote as in sh. NULL,
 * with the reason in *error (a static text): a missing closing quote, no word,
 * or an unquoted character that needs a shell (a variable, a pattern, a pipe).
 * The caller frees the result, which ends with NULL and is one block.
 */
char **tr2_split_command(const char *line, const char **error);
