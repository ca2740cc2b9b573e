/* SPDX-License-Identifier: MIT */
/*
 * completion - completion scripts for trace2 command lines: commands, options
 * with their help, and values of options with few choices. Made from the tables
 * of commands and options.
 */
#ifndef TR2_CMD_COMPLETION_H
#define TR2_CMD_COMPLETION_H

struct tr2_buf;

#define TR2_COMPLETION_SHELLS "bash|zsh|fish"

/* Append the script for one of TR2_COMPLETION_SHELLS. */
void tr2_completion_add(const char *shell, struct tr2_buf *out);

#endif
