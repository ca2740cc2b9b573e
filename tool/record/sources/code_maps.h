/* SPDX-License-Identifier: MIT */
/*
 * code_maps - keep the files in which processes list the functions that they
 * have generated. perf needs these files:
 *
 *	/tmp/perf-PID.map   a line for each function, with its address, its
 *			    length, and its name. node --perf-basic-prof, Java
 *			    (-XX:+DumpPerfMapAtExit), .NET, PHP and Python 3.12
 *			    write this file.
 *	jit-PID.dump	    a jitdump, in a directory that the process chooses.
 *			    The process maps the file's beginning as code,
 *			    so that perf finds the file. node --perf-prof,
 *			    .NET and agents of Java write this file.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The most processes at a time whose jitdump is kept. */
#define TR2_CODE_DUMPS_MOST 256

struct tr2_code_maps {
	struct tr2_code_dump {
		pid_t pid;
		int fd;
	} dump[TR2_CODE_DUMPS_MOST]; /* open jitdumps of running processes */
	size_t nr;
	uint64_t nr_left_out; /* number of lists that were not kept or were
			       * cut */
};

/* A process has mapped the file `path` as code. If the file is a jitdump, open
 * it. */
void tr2_code_maps_see(struct tr2_code_maps *maps, pid_t pid, const char *path);
/* Call tr2_code_maps_see() for all files that a running process has mapped as
 * code. */
void tr2_code_maps_look(struct tr2_code_maps *maps, pid_t pid);

/*
 * Copy the lists of a process that began at start_ns into the recording dir_fd,
 * as DIR/maps/PID-START.map and .dump; the directory is created if necessary.
 * Do not copy a file that another user or an earlier process wrote. A later
 * copy replaces an earlier one.
 */
void tr2_code_maps_keep(struct tr2_code_maps *maps, int dir_fd, pid_t pid,
			uint64_t start_ns);
void tr2_code_maps_release(struct tr2_code_maps *maps);
