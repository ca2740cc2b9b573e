/* SPDX-License-Identifier: MIT */
/*
 * ptrace_avoid - recognise programs that do not work under a tracer: debuggers,
 * and programs with LeakSanitizer, which traces its own process at the end.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#define TR2_AVOIDED_KEPT 512

/* Results for programs, found by the program's file. */
struct tr2_avoided {
	struct tr2_avoided_file {
		dev_t dev;
		ino_t ino;
		struct timespec changed;
		const char *why;
	} file[TR2_AVOIDED_KEPT];
	size_t nr, next;
};

/* If the process must not be traced, return the kind of its program; NULL: it
 * may be traced. */
const char *tr2_ptrace_avoids(struct tr2_avoided *avoided, pid_t pid);
