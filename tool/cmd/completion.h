/* SPDX-License-Identifier: MIT */
/*
 * completion - what a shell reads to complete the words of a trace2 command
 * line: commands, options with what they are for, and the values of those that
 * take one of a few. It is made from the tables of commands and options.
 */
#ifndef TR2_CMD_COMPLETION_H
#define TR2_CMD_COMPLETION_H

struct tr2_buf;

#define TR2_COMPLETION_SHELLS "bash|zsh|fish"

/* Adds the text for one of TR2_COMPLETION_SHELLS. */
void tr2_completion_add(const char *shell, struct tr2_buf *out);

#endif
