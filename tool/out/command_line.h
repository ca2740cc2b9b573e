/* SPDX-License-Identifier: MIT */
/* command_line - the word of a command line that is shown first. */
#pragma once

#include <stddef.h>

/*
 * Return where the word begins that distinguishes a command from others of its
 * kind, and set its length: the last source file that is read, else the file
 * of -o. Temporary files do not count. The text is a command line as tables
 * have it, in brackets or not. NULL: there is no such word.
 */
const char *tr2_command_line_file(const char *text, size_t len,
				  size_t *word_len);
