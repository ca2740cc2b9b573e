/* SPDX-License-Identifier: MIT */
/*
 * ptrace_avoid - programs that do not work under a tracer: those with
 * LeakSanitizer, which traces its own process at the end, and debuggers.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#define TR2_AVOIDED_KEPT 512

/* Results for programs, by file. */
struct tr2_avoided {
	struct tr2_avoided_file {
		dev_t dev;
		ino_t ino;
		struct timespec changed;
		const char *why;
	} file[TR2_AVOIDED_KEPT];
	size_t nr, next;
};

/* Return what kind of program the process runs, if it must not be traced; NULL:
 * it may be. */
const char *tr2_ptrace_avoids(struct tr2_avoided *avoided, pid_t pid);
