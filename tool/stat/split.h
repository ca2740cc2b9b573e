/* SPDX-License-Identifier: MIT */
/*
 * split - a command line in one word into its words, as a shell would, where it
 * takes no shell for it.
 */
#ifndef TR2_STAT_SPLIT_H
#define TR2_STAT_SPLIT_H

/*
 * Blanks part words; '...', "..." and a backslash quote as in sh. NULL, and why
 * in *error (a static text): a quote that does not end, no word, no memory, or
 * something unquoted that only a shell can do (a variable, a pattern, a pipe).
 * The caller frees the result, which ends with NULL and is one block.
 */
char **tr2_split_command(const char *line, const char **error);

#endif
