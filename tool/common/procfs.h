/* SPDX-License-Identifier: MIT */
/*
 * procfs - what /proc says of the processes of this machine.
 *
 * A process may end, or its number be another's, between any two calls, and
 * some files are only for its user: every function may fail. None allocates,
 * except for tr2_procfs_open().
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
	char state; /* of the main thread: R, S, D, T, t, Z, X, I */
	bool is_kernel; /* a thread of the kernel */
	uint32_t nr_threads;
	/* CLOCK_BOOTTIME, in the clock's ticks of 10 ms. With the pid it
	 * identifies a process. */
	int64_t start_ns;
	int64_t cpu_ns;    /* of all its threads, in ticks */
	int64_t waited_ns; /* of all children that it waited for, and of those
			    * that they waited for; in ticks */
};

/* Return CLOCK_MONOTONIC as the kernel's records have it: that of the machine. A
 * process in a time namespace, such as a restored container, has another. */
uint64_t tr2_kernel_now_ns(void);
/* Return by how much this process's CLOCK_MONOTONIC is later. */
int64_t tr2_kernel_shift_ns(void);
/* Return CLOCK_BOOTTIME less CLOCK_MONOTONIC: the time of suspensions. */
int64_t tr2_suspended_ns(void);

/* The length of a tick. */
int64_t tr2_procfs_tick_ns(void);

/* Walk through the processes, or the threads of a process. NULL: it is gone, or
 * memory is short. Ended by closedir(). */
DIR *tr2_procfs_open(int32_t pid);
#define TR2_PROCFS_ALL 0
/* false: there are no more. */
bool tr2_procfs_next(DIR *dir, int32_t *id);

/* Read the first bytes of /proc/PID/NAME. Return their number, or -1 with
 * errno. */
ssize_t tr2_procfs_read(int32_t pid, const char *name, char *out, size_t size);

/* These are of a process, or of one of its threads if tid is not 0. */
/* Read a file as a string. false: it is empty, or refused. */
bool tr2_procfs_text(int32_t pid, int32_t tid, const char *name, char *out,
		     size_t size);
bool tr2_procfs_stat(int32_t pid, int32_t tid, struct tr2_procfs_stat *out);
/* Read for how long a thread had been ready without a CPU when it last got
 * one. */
bool tr2_procfs_ready(int32_t pid, int32_t tid, int64_t *ready_ns);

/* Return the pid of a process in its own pid namespace; 0: it is in that of the
 * caller, or it is unknown. */
int32_t tr2_procfs_own_pid(int32_t pid);

/* Read the CPU time of all threads of a process so far, without those that run
 * since the last tick. */
bool tr2_procfs_cpu(int32_t pid, int64_t *cpu_ns);

/* One moment in both clocks. */
struct tr2_anchor {
	uint64_t monotonic_ns, wall_ns;
};
void tr2_anchor_take(struct tr2_anchor *anchor);

/* Let this process have as many descriptors as it may. */
void tr2_raise_file_limit(void);
