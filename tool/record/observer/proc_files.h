/* SPDX-License-Identifier: MIT */
/*
 * proc_files - keep files of /proc open that are read again and again: reading
 * a file again costs about a fifth of opening, reading and closing it.
 *
 * An open file never belongs to a later process with the same pid.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file is not open: it was not read yet, or too many files are open. */
#define TR2_NOT_KEPT (-1)

/* Read the first bytes of the thread's file as a string. Return their number;
 * 0, or -1 with errno: the thread has ended, or reading is refused. */
ssize_t tr2_proc_file_read(int *file, pid_t pid, pid_t tid, const char *name,
			   char *text, size_t size);
void tr2_proc_file_close(int *file);
