/* SPDX-License-Identifier: MIT */
/*
 * code_maps - keep the lists that processes wrote of the functions that they
 * generated, for perf:
 *
 *	/tmp/perf-PID.map   a line for each function, with its address, its
 *			    length, and its name. node --perf-basic-prof, Java
 *			    (-XX:+DumpPerfMapAtExit), .NET, PHP and Python 3.12
 *			    write it.
 *	jit-PID.dump	    a jitdump, in a directory that the process chooses.
 *			    Its beginning is mapped as code: perf finds it so.
 *			    node --perf-prof, .NET and agents of Java write it.
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
	} dump[TR2_CODE_DUMPS_MOST]; /* of running processes */
	size_t nr;
	uint64_t nr_left_out; /* lists that were not kept, or cut */
};

/* A process has mapped a file as code. If it is a jitdump, open it. */
void tr2_code_maps_see(struct tr2_code_maps *maps, pid_t pid, const char *path);
/* The same for the files that a running process has mapped. */
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
