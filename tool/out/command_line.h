/* SPDX-License-Identifier: MIT */
/* command_line - choose the word of a command line that is shown first. */
#pragma once

#include <stddef.h>

/*
 * Find the word that distinguishes a command from others of its kind: the last
 * source file that it reads, else the file of -o. Temporary files do not count.
 * Return where the word begins, and set its length; NULL: there is no such
 * word. The text is a command line as in tables, with or without brackets.
 */
const char *tr2_command_line_file(const char *text, size_t len,
				  size_t *word_len);
