/* SPDX-License-Identifier: MIT */
/*
 * procfs - read /proc for the processes of this machine.
 *
 * Every function may fail: between two calls, a process may end and another
 * process may get its number. Only the process's user may read some files. No
 * function allocates memory, except tr2_procfs_open().
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TR2_PROCFS_NAME_SIZE 64

struct tr2_procfs_stat {
	int32_t pid, ppid;
	char comm[TR2_PROCFS_NAME_SIZE];
	char state; /* state of the main thread: R, S, D, T, t, Z, X or I */
	bool is_kernel; /* a thread of the kernel */
	uint32_t nr_threads;
	/* The start by CLOCK_BOOTTIME, in whole clock ticks of 10 ms. Pid and
	 * start identify a process. */
	int64_t start_ns;
	int64_t cpu_ns;    /* CPU time of all threads, in whole ticks */
	int64_t waited_ns; /* CPU time of all children for which the process has
			    * waited, and of all children for which those
			    * children had waited; in whole ticks */
};

/* Return the machine's CLOCK_MONOTONIC, which the kernel's records use. A
 * process in a time namespace, such as a restored container, has another
 * CLOCK_MONOTONIC. */
uint64_t tr2_kernel_now_ns(void);
/* Return by how much this process's CLOCK_MONOTONIC is ahead of the
 * machine's. */
int64_t tr2_kernel_shift_ns(void);
/* Return CLOCK_BOOTTIME less CLOCK_MONOTONIC: the time that the machine was
 * suspended. */
int64_t tr2_suspended_ns(void);

/* Return the length of a clock tick. */
int64_t tr2_procfs_tick_ns(void);

/* Begin a walk through all processes (pid 0), or through the threads of a
 * process. NULL: the process is gone, or memory is short. End the walk with
 * closedir(). */
DIR *tr2_procfs_open(int32_t pid);
#define TR2_PROCFS_ALL 0
/* Set *id to the next pid or tid. Return false if there are no more. */
bool tr2_procfs_next(DIR *dir, int32_t *id);

/* Read the first bytes of /proc/PID/NAME. Return their number, or -1 with
 * errno. */
ssize_t tr2_procfs_read(int32_t pid, const char *name, char *out, size_t size);

/* The next functions read data of a process, or of its thread `tid` if tid is
 * not 0. */
/* Read a file as a string. Return false if the file is empty or may not be
 * read. */
bool tr2_procfs_text(int32_t pid, int32_t tid, const char *name, char *out,
		     size_t size);
bool tr2_procfs_stat(int32_t pid, int32_t tid, struct tr2_procfs_stat *out);
/* Read the total time for which a thread was ready without a CPU, up to when it
 * last got a CPU. */
bool tr2_procfs_ready(int32_t pid, int32_t tid, int64_t *ready_ns);

/* Return the pid of a process in its own PID namespace. 0: the process is in
 * the caller's namespace, or its namespace is unknown. */
int32_t tr2_procfs_own_pid(int32_t pid);

/* Read the CPU time of all threads of a process so far. Running threads are
 * counted up to the last tick. */
bool tr2_procfs_cpu(int32_t pid, int64_t *cpu_ns);

/* One moment, as two clocks show it. */
struct tr2_anchor {
	uint64_t monotonic_ns, wall_ns;
};
void tr2_anchor_take(struct tr2_anchor *anchor);

/* Raise this process's limit of descriptors to the maximum. */
void tr2_raise_file_limit(void);
