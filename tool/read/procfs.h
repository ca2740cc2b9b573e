/* SPDX-License-Identifier: MIT */
/*
 * procfs - what /proc says of the processes of this machine.
 *
 * A process may end, or its number be another's, between any two calls, and
 * some files are only for its user: every function may fail. None allocates,
 * except for tr2_procfs_open().
 */
#ifndef TR2_READ_PROCFS_H
#define TR2_READ_PROCFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TR2_PROCFS_NAME_SIZE 64

struct tr2_procfs_stat {
	int32_t pid, ppid;
	char comm[TR2_PROCFS_NAME_SIZE];
	char state; /* of the main thread: R, S, D, T, t, Z, X, I */
};

/* Walk through the processes. NULL: it is refused. Ended by closedir(). */
DIR *tr2_procfs_open(void);
/* false: there are no more. */
bool tr2_procfs_next(DIR *dir, int32_t *pid);

/* Read the first bytes of /proc/PID/NAME. Return their number, or -1 with
 * errno. */
ssize_t tr2_procfs_read(int32_t pid, const char *name, char *out, size_t size);

bool tr2_procfs_stat(int32_t pid, struct tr2_procfs_stat *out);

#endif
