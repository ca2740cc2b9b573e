/* SPDX-License-Identifier: MIT */
/*
 * split_command - split a command line that needs no shell into words, as a
 * shell would.
 */
#pragma once

/*
 * Split at blanks. '...', "..." and a backslash quote as in sh. On failure,
 * return NULL, with the reason in *error (a static text): a closing quote is
 * missing, there is no word, or an unquoted character needs a shell (a
 * variable, a pattern, a pipe). The caller frees the result, which ends with
 * NULL and is one block.
 */
char **tr2_split_command(const char *line, const char **error);
