/* SPDX-License-Identifier: MIT */
/*
 * note - measures as text, kept for a commit in a Git note. A command has a
 * block of lines, whose fields are separated by tabs:
 *
 *	command	git status -s
 *	runs	10
 *	run		1	1	processes
 *	event	ns	1	3270541,3300127,…	task-clock
 *	region	ns	2	104000,99000,…	index/refresh
 *
 * The fields are kind, unit, calls, values of the runs, and name. A value that
 * all runs share is written once.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "compare/measure.h"

/* The notes are in refs/notes/trace2. */
#define TR2_NOTES_REF "trace2"

/* Append the block of a command to a note. */
void tr2_note_add(struct tr2_buf *note, const char *command,
		  const struct tr2_measures *ms);
/* Append the blocks of all commands in the note `from`, except this command. */
void tr2_note_add_others(struct tr2_buf *note, const char *from,
			 const char *command);
/* Read the block of a command. command NULL: read the first block. Return false
 * if the note has no such block. */
bool tr2_note_read(struct tr2_measures *ms, const char *note,
		   const char *command);

/* Write the measures of a command to the note of HEAD, in place of earlier
 * measures of that command. -1: an error was printed. */
int tr2_note_keep(const char *command, const struct tr2_measures *ms);
