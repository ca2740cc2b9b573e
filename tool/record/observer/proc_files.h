/* SPDX-License-Identifier: MIT */
/*
 * proc_files - files of /proc that are read again and again. They are kept
 * open: to read one then costs a fifth.
 *
 * A file that is kept is never that of another process that has the pid later.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file that is not open: too many are, or it was not read yet. */
#define TR2_NOT_KEPT (-1)

/* Read the first bytes of the thread's file as a string. Return their number;
 * 0 or -1 with errno: it has ended, or reading is refused. */
ssize_t tr2_proc_file_read(int *file, pid_t pid, pid_t tid, const char *name,
			   char *text, size_t size);
void tr2_proc_file_close(int *file);
