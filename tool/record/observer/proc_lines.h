/* SPDX-License-Identifier: MIT */
/*
 * proc_lines - read a long file of /proc line by line, in memory of a fixed
 * size.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define TR2_PROC_LINE_SIZE 2048

struct tr2_proc_lines {
	FILE *file;
	char line[TR2_PROC_LINE_SIZE];
};

/* Open /proc/PID/NAME, or /proc/NAME if pid is 0. Return false if the file
 * cannot be opened. */
bool tr2_proc_lines_open(struct tr2_proc_lines *l, pid_t pid, const char *name);
/* Read the next line, without its newline, into l->line. Skip lines that are
 * too long. At the end of the file, close it and return false. */
bool tr2_proc_lines_next(struct tr2_proc_lines *l);
void tr2_proc_lines_close(struct tr2_proc_lines *l);
